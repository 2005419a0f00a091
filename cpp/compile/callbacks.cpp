// Compiles the inputs of goals that the host evaluates: effectors, the mass of the figure, and the steps of its pose.
#include <algorithm>
#include <limits>

#include "compile/compiled_problem.h"
#include "math/mat3.h"
#include "model/require.h"

namespace manikin {

// Compiles the mass of the figure on its nodes. All goals that depend on mass share it.
void CompiledProblem::add_masses(const ProblemArrays& a, const std::vector<int>& place) {
  if (!masses_.empty()) return;
  double total = 0.0;
  for (int s = 0; s < a.tree.segments; ++s) total += a.tree.mass[s];
  require(total > 0.0, "a goal that reads the centre of mass needs mass");
  for (int s = 0; s < a.tree.segments; ++s) {
    const double* x = a.tree.center + 3 * s;
    const int node = place[at(a.tree.segment[s])];
    if (a.tree.mass[s] > 0.0) masses_.push_back(Weighted{node, {x[0] / a.size, x[1] / a.size, x[2] / a.size}, a.tree.mass[s] / total});
  }
}

void CompiledProblem::add_callback(const ProblemArrays& a, const std::vector<int>& place, long k, Link& link) {
  const int flags = a.link_flags[k];
  Callback c{};
  c.goal = link.goal;
  c.first = static_cast<int>(effectors_.size());
  c.effectors = link.count[0];
  c.first_row = static_cast<int>(callback_row_.size());
  c.rows = link.count[1];
  c.reads_mass = flags & kReadsMass ? 1 : 0;
  c.reads_pose = flags & kReadsPose ? 1 : 0;
  c.columns = 6 * c.effectors + (c.reads_mass ? 3 : 0) + (c.reads_pose ? a.tree.nv : 0);
  require(c.first + static_cast<long>(c.effectors) <= a.effectors, "a callback refers to more effectors than there are");
  require(c.first_row + static_cast<long>(c.rows) <= a.callback_rows, "a callback refers to more rows than there are");
  c.width = link.count[2];
  require(c.width <= a.target_width - link.target, "target of a callback out of range");
  for (int e = c.first; e < c.first + c.effectors; ++e) {
    const double* x = a.effector_offset + 3l * e;
    effectors_.push_back(Weighted{place[at(a.tree.segment[a.effector_segment[e]])], {x[0] / a.size, x[1] / a.size, x[2] / a.size}, 0.0});
  }
  callback_row_.insert(callback_row_.end(), a.callback_row + c.first_row, a.callback_row + c.first_row + c.rows);
  if (c.reads_mass) add_masses(a, place);
  link.first[0] = static_cast<int>(callbacks_.size());
  link.rows = c.rows;
  problem_.callback_rows = std::max(problem_.callback_rows, c.rows);
  require(static_cast<long long>(c.rows) * c.columns <= std::numeric_limits<int>::max(),
          "a callback has more than 2147483647 numbers in its derivative");
  problem_.callback_numbers = std::max(problem_.callback_numbers, c.rows * c.columns);
  problem_.callback_reads_pose |= c.reads_pose;
  callbacks_.push_back(c);
}

// Finds the step of the figure that each coordinate belongs to. A coupled joint has none: the step of its source moves it.
void CompiledProblem::add_steps(const ProblemArrays& a, const std::vector<int>& place) {
  step_of_.assign(coordinates_.size(), -1);
  for (int i = 0; i < a.tree.nodes; ++i) {
    if (place[at(i)] < 0 || a.tree.source[i] >= 0) continue;
    const SolverNode& n = nodes_[at(place[at(i)])];
    if (n.coordinate < 0) continue;
    const int steps = n.op == kCone || n.op == kLoose ? 3 : 1;
    for (int k = 0; k < steps; ++k) step_of_[at(n.coordinate + k)] = a.tree.step[i];
  }
  problem_.step_of = step_of_.data();
}

}  // namespace manikin
