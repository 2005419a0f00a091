// Compiles a figure and goals into a Problem: removes nodes without influence on any goal, sorts breadth-first, scales lengths.
#include <atomic>
#include <cstring>
#include <vector>

#include "compile/arm.h"
#include "compile/chain.h"
#include "compile/compiled_problem.h"
#include "compile/prune.h"
#include "model/constants.h"
#include "model/require.h"

namespace manikin {

CompiledProblem::CompiledProblem(const ProblemArrays& a) {
  std::memset(&problem_, 0, sizeof problem_);
  // numbers of the whole problem
  require(a.size > 0.0, "size must be above 0");
  static std::atomic<unsigned long long> made{0};
  problem_.serial = ++made;
  problem_.size = a.size;
  problem_.angle_weight = a.angle_weight;
  problem_.least_damping = a.least_damping;
  problem_.nq = a.tree.nq;
  problem_.goals = a.goals;
  problem_.target_width = a.target_width;
  problem_.free_root = -1;
  std::vector<int> place(static_cast<std::size_t>(a.tree.nodes), -1);
  // nodes in breadth-first order, then what stands on them
  const std::vector<char> needed = felt(a);
  add_unfelt(a, needed);
  add_nodes(a, breadth_first(a, needed), needed, place);
  add_parts(a, place);
  add_links(a, place);
  add_solids(a, place);
  add_postures(a, place);
  add_steps(a, place);
  add_arrays();
  add_triples(a);
  add_limbs();
  add_moves();
  // views of the arrays
  problem_.nodes = static_cast<int>(nodes_.size());
  problem_.coordinates = static_cast<int>(coordinates_.size());
  problem_.parts = static_cast<int>(parts_.size());
  problem_.slots = static_cast<int>(slot_coordinate_.size());
  problem_.node = nodes_.data();
  problem_.coordinate = coordinates_.data();
  problem_.part = parts_.data();
  problem_.sides = static_cast<int>(side_.size());
  problem_.side = side_.data();
  problem_.slot_coordinate = slot_coordinate_.data();
  problem_.target_scale = target_scale_.data();
  problem_.target_most = target_most_.data();
  if (problem_.robust) return;  // only the general solver knows losses
  // the arm kernels have a fixed damping and use the default angle weight
  if (a.angle_weight == kAngleWeight && a.least_damping == kLeastDamping) arm_ = CompiledArm::of(problem_);
  chain_ = CompiledChain::of(problem_);
  problem_.chain = chain_ ? &chain_->chain() : nullptr;
}

CompiledProblem::~CompiledProblem() = default;

}  // namespace manikin
