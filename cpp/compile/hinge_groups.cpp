// The moves of the forward kinematics: hinges at the same place are combined.
#include <cmath>

#include "compile/compiled_problem.h"
#include "math/index.h"
#include "math/vectors.h"

namespace manikin {
namespace {

// Computes a basis whose rows are axes of hinges. If the first hinge turns about a coordinate axis, it is the identity. Otherwise its rows are that
// axis, the next hinge's axis if it is perpendicular, and the cross product.
void basis_of(const double* first, const double* next, double* rows) {
  for (int k = 0; k < 9; ++k) rows[k] = k % 4 == 0 ? 1.0 : 0.0;
  for (int k = 0; k < 3; ++k)
    if (std::fabs(first[k]) == 1.0) return;
  double a[3] = {first[0], first[1], first[2]}, b[3] = {0.0, 0.0, 0.0};
  if (next && std::fabs(dot(first, next)) < 1e-15) {
    for (int k = 0; k < 3; ++k) b[k] = next[k];
  } else {
    b[std::fabs(a[0]) < 0.6 ? 0 : 1] = 1.0;
    const double along = dot(a, b);
    for (int k = 0; k < 3; ++k) b[k] -= along * a[k];
  }
  const double length = std::sqrt(dot(b, b));
  for (int k = 0; k < 3; ++k) {
    rows[k] = a[k];
    rows[3 + k] = b[k] / length;
  }
  for (int k = 0; k < 3; ++k) rows[6 + k] = rows[(k + 1) % 3] * rows[3 + (k + 2) % 3] - rows[(k + 2) % 3] * rows[3 + (k + 1) % 3];
}

// Returns 0, 1 or 2 if the axis or its opposite is a row of the basis, else -1.
int axis_in(const double* rows, const double* axis) {
  for (int k = 0; k < 3; ++k)
    if (std::fabs(std::fabs(dot(rows + 3 * k, axis)) - 1.0) < 1e-15) return k;
  return -1;
}

void add_to(std::vector<Stretch>& stretches, int from, int to) {
  if (!stretches.empty()) {
    Stretch& last = stretches.back();
    if (from == last.from + last.count && to == last.to + last.count) {
      ++last.count;
      return;
    }
  }
  stretches.push_back(Stretch{from, to, 1});
}

}  // namespace

void CompiledProblem::add_moves() {
  const std::size_t count = nodes_.size();
  std::vector<int> children(count, 0), only_child(count, -1);
  std::vector<char> used(count, 0), moved(count, 0);  // nodes whose frame is needed; nodes that are in a move already
  const auto use = [&](int node) {
    if (node >= 0) used[at(node)] = 1;
  };
  // nodes whose frame is needed, and the only child of each
  for (const Part& p : parts_) use(p.node);
  for (const Link& l : links_)
    for (const int node : l.node) use(node);
  for (const Weighted& c : contacts_) use(c.node);
  for (const Weighted& m : masses_) use(m.node);
  for (const Solid& s : solids_) use(s.node);
  for (const Corner& c : corners_) use(c.node);
  for (std::size_t i = 0; i < count; ++i) {
    const int parent = nodes_[i].parent;
    if (parent < 0) continue;
    ++children[at(parent)];
    only_child[at(parent)] = static_cast<int>(i);
  }
  const auto goes_on = [&](int i) {  // the hinge that is combined with this one
    if (used[at(i)] || children[at(i)] != 1) return -1;
    const SolverNode& n = nodes_[at(only_child[at(i)])];
    const bool here = n.offset[0] == 0.0 && n.offset[1] == 0.0 && n.offset[2] == 0.0;
    return here && n.op == kTurning && n.plain ? only_child[at(i)] : -1;
  };
  // a move for each node; hinges at one point that turn about three perpendicular axes share one
  const int center = coordinates_.empty() ? 0 : coordinates_[0].node;
  problem_.center_node = center;
  for (int i = 0; i < static_cast<int>(count); ++i) {
    const SolverNode& n = nodes_[at(i)];
    if (n.op == kTurning && n.coordinate >= 0) {
      add_to(angle_stretch_, n.coordinate, n.angle);
    } else if (n.angle >= 0) {
      odd_angle_.push_back(i);
    }
    if (moved[at(i)]) continue;
    Move m{};
    m.node = i;
    m.parent = n.parent;
    for (int k = 0; k < 3; ++k) m.offset[k] = n.offset[k];
    if (n.op == kTurning) {
      double rows[9], columns[9];
      const int next = goes_on(i);
      basis_of(n.axis, next >= 0 ? nodes_[at(next)].axis : nullptr, rows);
      for (int k = 0; k < 9; ++k) columns[k] = rows[k % 3 * 3 + k / 3];
      for (int k = 0; k < 9; ++k) {
        m.after[k] = rows[k];
        m.before[k] = n.rotation[k / 3 * 3] * columns[k % 3] + n.rotation[k / 3 * 3 + 1] * columns[3 + k % 3] +
                      n.rotation[k / 3 * 3 + 2] * columns[6 + k % 3];
        const double one = k % 4 == 0 ? 1.0 : 0.0;
        m.back = m.back || m.after[k] != one;
        m.turned = m.turned || m.before[k] != one;
      }
      // hinges of the group
      for (int k = i; k >= 0 && m.count < 3; k = goes_on(k)) {
        const SolverNode& hinge = nodes_[at(k)];
        const int axis = axis_in(rows, hinge.axis);
        if (axis < 0) break;
        m.axis[m.count] = axis;
        m.sign[m.count] = dot(rows + 3 * axis, hinge.axis) < 0.0 ? -1.0 : 1.0;
        m.angle[m.count] = hinge.angle;
        m.coordinate[m.count] = hinge.coordinate >= 0 ? hinge.coordinate : problem_.width + 1;
        ++m.count;
        m.node = k;
        moved[at(k)] = 1;
        if (k == center) problem_.center_node = -1;
      }
    }
    if (problem_.center_node < 0) problem_.center_node = m.node;
    moves_.push_back(m);
  }
  // views of the arrays
  problem_.moves = static_cast<int>(moves_.size());
  problem_.move = moves_.data();
  problem_.angle_stretches = static_cast<int>(angle_stretch_.size());
  problem_.angle_stretch = angle_stretch_.data();
  problem_.odd_angles = static_cast<int>(odd_angle_.size());
  problem_.odd_angle = odd_angle_.data();
}

}  // namespace manikin
