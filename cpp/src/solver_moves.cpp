// The moves of the forward kinematics: hinges that share a place are taken together.
#include "manikin/solver.h"

namespace manikin {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// 0, 1, 2 where a hinge turns about x, y or z of the node above, else -1.
int plain_axis(const SolverNode& n) {
  if (n.op != kTurning || !n.plain) return -1;
  for (int k = 0; k < 3; ++k)
    if (n.axis[k] == 1.0) return k;
  return -1;
}

}  // namespace

void Solver::add_moves() {
  const std::size_t count = nodes_.size();
  std::vector<int> children(count, 0), only_child(count, -1);
  std::vector<char> used(count, 0), moved(count, 0);  // whose frame is asked for; what is in a move already
  const auto use = [&](int node) {
    if (node >= 0) used[at(node)] = 1;
  };
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
  const auto goes_on = [&](int i) {  // the hinge that is taken together with this one
    if (used[at(i)] || children[at(i)] != 1) return -1;
    const SolverNode& n = nodes_[at(only_child[at(i)])];
    const bool here = n.offset[0] == 0.0 && n.offset[1] == 0.0 && n.offset[2] == 0.0;
    return here && plain_axis(n) >= 0 ? only_child[at(i)] : -1;
  };
  const int center = coordinates_.empty() ? 0 : coordinates_[0].node;
  problem_.center_node = center;
  angle_source_.assign(at(problem_.angles), -1);
  for (int i = 0; i < static_cast<int>(count); ++i) {
    const SolverNode& n = nodes_[at(i)];
    if (n.op == kTurning && n.coordinate >= 0) {
      angle_source_[at(n.angle)] = n.coordinate;
    } else if (n.angle >= 0) {
      odd_angle_.push_back(i);
    }
    if (moved[at(i)]) continue;
    Move m{};
    m.node = i;
    m.parent = n.parent;
    for (int k = 0; k < 3; ++k) m.offset[k] = n.offset[k];
    for (int k = plain_axis(n) >= 0 ? i : -1; k >= 0 && m.count < 3; k = goes_on(k)) {
      m.axis[m.count] = plain_axis(nodes_[at(k)]);
      m.angle[m.count] = nodes_[at(k)].angle;
      m.coordinate[m.count] = nodes_[at(k)].coordinate >= 0 ? nodes_[at(k)].coordinate : problem_.width + 1;
      ++m.count;
      m.node = k;
      moved[at(k)] = 1;
      if (k == center) problem_.center_node = -1;
    }
    if (problem_.center_node < 0) problem_.center_node = m.node;
    moves_.push_back(m);
  }
  problem_.moves = static_cast<int>(moves_.size());
  problem_.move = moves_.data();
  problem_.angle_source = angle_source_.data();
  problem_.odd_angles = static_cast<int>(odd_angle_.size());
  problem_.odd_angle = odd_angle_.data();
}

}  // namespace manikin
