// Compiles nodes and coordinates.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "compile/compiled_problem.h"
#include "compile/constants.h"
#include "math/mat3.h"
#include "model/require.h"
#include "model/tree.h"

namespace manikin {
namespace {

Coordinate bounded_coordinate(int parent, int node, int part, double lower, double upper, double weight) {
  const bool bounded = std::isfinite(lower) && std::isfinite(upper);
  return Coordinate{parent, node, part, 0, bounded ? 1 : 0, 0, lower, upper, bounded ? 0.5 * (lower + upper) : 0.0, lower, upper, weight};
}

// Compiles a cone: `rotation` includes reference and basis, and `after` the middle of the twist range and the way back from the basis.
void make_cone(SolverNode& n, const ProblemArrays& a, long c) {
  const double* rows = a.cone_basis + 9 * c;
  const double basis[9] = {rows[0], rows[3], rows[6], rows[1], rows[4], rows[7], rows[2], rows[5], rows[8]};  // columns e1, e2, a
  double reference[9], whole[9];
  matrix_of(a.cone_reference + 4 * c, reference);
  product(reference, basis, whole);
  quaternion_from(whole, n.whole);
  quaternion_from(basis, n.basis);
  product(n.rotation, whole, n.rotation);
  const double low = a.cone_twist[2 * c], high = a.cone_twist[2 * c + 1];
  n.twist_middle = 0.5 * (low + high);
  n.half = 0.5 * (high - low);
  n.middle_sine = std::sin(0.5 * n.twist_middle);
  n.middle_cosine = std::cos(0.5 * n.twist_middle);
  const double s = std::sin(n.twist_middle), k = std::cos(n.twist_middle);
  const double twist[9] = {k, -s, 0, s, k, 0, 0, 0, 1};
  product(twist, rows, n.after);  // the rows of the basis are its transpose
  n.swing[0] = a.cone_swing[2 * c];
  n.swing[1] = a.cone_swing[2 * c + 1];
}

}  // namespace

void CompiledProblem::add_nodes(const ProblemArrays& a, const std::vector<int>& order, const std::vector<char>& needed, std::vector<int>& place) {
  std::vector<int> cone_of(static_cast<std::size_t>(a.tree.nq) + 1, -1);
  for (long c = 0; c < a.cones; ++c) {
    require(a.cone_number[c] >= 0 && a.cone_number[c] + 4 <= a.tree.nq, "cone number out of range");
    cone_of[at(a.cone_number[c])] = static_cast<int>(c);
  }
  std::vector<int>& last = node_coordinate_;
  for (const int i : order) {
    const int parent = a.tree.parent[i] >= 0 ? place[at(a.tree.parent[i])] : -1, me = static_cast<int>(nodes_.size());
    place[at(i)] = me;
    SolverNode n{};
    n.parent = parent;
    n.coordinate = n.angle = n.turn = n.source = -1;
    n.number = a.tree.kind[i] == kFixed ? -1 : a.tree.number[i];
    n.ratio = 1.0;
    n.unit = 1.0;
    std::memcpy(n.rotation, a.tree.rotation + 9 * i, sizeof n.rotation);
    std::memcpy(n.axis, a.tree.axis + 3 * i, sizeof n.axis);
    for (int k = 0; k < 3; ++k) n.offset[k] = a.tree.offset[3 * i + k] / a.size;
    const int leader = a.tree.source[i];  // a coupled number moves with the number it follows
    n.moving = n.number >= 0 && needed[at(i)] == 1 ? a.moving[leader >= 0 ? leader : n.number] : kStays;
    const bool moves = n.moving != kStays;
    int above = parent >= 0 ? last[at(parent)] : -1;
    const int first = static_cast<int>(coordinates_.size());
    auto add = [&](int part, double lower, double upper, double weight) {
      coordinates_.push_back(bounded_coordinate(above, me, part, lower, upper, weight));
      above = static_cast<int>(coordinates_.size()) - 1;
    };
    const int kind = a.tree.kind[i];
    if (kind == kBall) {
      const int c = cone_of[at(n.number)];
      if (moves && c >= 0) {
        n.op = kCone;
        make_cone(n, a, c);
        n.angle = problem_.angles;
        problem_.angles += 2;
        const bool endless = n.half >= kPi * (1.0 - 1e-12);
        add(0, -1.0, 1.0, 1.0);
        add(1, -1.0, 1.0, 1.0);
        add(2, endless ? -kInfinity : -1.0, endless ? kInfinity : 1.0, 1.0);
        for (int part = 0; part < 3; ++part) {
          if (n.moving != (part == 2 ? kTwistHeld : kSwingHeld)) continue;
          coordinates_[at(first + part)].bounded = 0;  // nothing pulls it to mid-range
          lock_.push_back(first + part);
        }
      } else {
        n.op = kLoose;
        n.turn = problem_.turns++;
        if (moves)
          for (int part = 0; part < 3; ++part) add(part, -kInfinity, kInfinity, 1.0);
      }
    } else if (kind != kFixed) {
      n.op = kind == kSlide ? kSliding : kTurning;
      if (kind == kSlide) n.unit = a.size;
      if (kind == kTurn) n.angle = problem_.angles++;
      if (moves) {
        const bool follows = leader >= 0;  // its limits are already included in those of the leader
        const double low = follows ? -kInfinity : a.lower[n.number] / n.unit, high = follows ? kInfinity : a.upper[n.number] / n.unit;
        const double span = high - low;
        const bool endless = std::isinf(span);
        const double weight = endless ? (kind == kSlide ? kSlideWeight : kLeastWeight)
                                      : std::min(std::max(4.0 / (span * span), kLeastWeight), kLargestWeight);
        add(0, low, high, weight);
        coordinates_.back().lowest = a.lower[n.number];
        coordinates_.back().highest = a.upper[n.number];
      }
    }
    n.plain = is_identity(n.rotation) ? 1 : 0;
    if (moves) n.coordinate = first;
    nodes_.push_back(n);
    last.push_back(above);
  }
  // couplings, after every coordinate has an index
  std::vector<int> coordinate_of(static_cast<std::size_t>(a.tree.nq) + 1, -1);
  for (const SolverNode& n : nodes_)
    if (n.coordinate >= 0) coordinate_of[at(n.number)] = n.coordinate;
  for (const int i : order) {
    SolverNode& n = nodes_[at(place[at(i)])];
    if (a.tree.source[i] < 0 || n.coordinate < 0) continue;
    n.source = coordinate_of[at(a.tree.source[i])];
    require(n.source >= 0, "a coupled joint lacks the joint that it follows");
    const double theirs = nodes_[at(coordinates_[at(n.source)].node)].unit;
    n.ratio = a.tree.ratio[i] * theirs / n.unit;
    n.shift = a.tree.shift[i] / n.unit;
    coupled_.push_back(place[at(i)]);
  }
  problem_.couplings = static_cast<int>(coupled_.size());
  problem_.coupled = coupled_.data();
  require(problem_.couplings <= kMostRows, "goals and couplings have more than 46340 rows");
  problem_.most_rows += problem_.couplings;
  // a free root: three slides without limits and a loose ball at the top
  if (coordinates_.size() >= 6) {
    bool free_root = true;
    for (int k = 0; k < 6; ++k) {
      const Coordinate& c = coordinates_[at(k)];
      const int op = nodes_[at(c.node)].op;
      free_root = free_root && c.parent == k - 1 && op == (k < 3 ? kSliding : kLoose) && std::isinf(c.upper) && std::isinf(c.lower);
    }
    if (free_root) problem_.free_root = 0;
  }
  coordinate_slot_.assign(coordinates_.size(), -1);
  for (std::size_t k = 0; k < static_cast<std::size_t>(a.parts); ++k) {
    const int c = last[at(place[at(a.tree.segment[a.part_segment[k]])])];
    if (c >= 0 && coordinate_slot_[at(c)] < 0) {
      coordinate_slot_[at(c)] = static_cast<int>(slot_coordinate_.size());
      slot_coordinate_.push_back(c);
    }
  }
  // a coordinate that carries only mass or links starts from a separate empty term
  std::vector<char> has_child(coordinates_.size(), 0);
  for (const Coordinate& c : coordinates_)
    if (c.parent >= 0) has_child[at(c.parent)] = 1;
  for (std::size_t c = 0; c < coordinates_.size(); ++c) {
    if (has_child[c] || coordinate_slot_[c] >= 0) continue;
    coordinate_slot_[c] = static_cast<int>(slot_coordinate_.size());
    slot_coordinate_.push_back(static_cast<int>(c));
  }
  // the first write from below stores, the others add; a goal is written before any of them
  std::vector<char> there(coordinates_.size(), 0);
  for (const int c : slot_coordinate_) there[at(c)] = 1;
  for (std::size_t i = coordinates_.size(); i-- > 0;) {
    Coordinate& c = coordinates_[i];
    if (c.parent < 0) continue;
    c.stores = there[at(c.parent)] ? 0 : 1;
    there[at(c.parent)] = 1;
  }
  for (Coordinate& c : coordinates_) c.light = 1;
  for (std::size_t k = 0; k < static_cast<std::size_t>(a.parts); ++k)
    for (int c = last[at(place[at(a.tree.segment[a.part_segment[k]])])]; c >= 0; c = coordinates_[at(c)].parent) coordinates_[at(c)].light = 0;
}

// Adds a cone in the next lane, and in the lanes after it.
void CompiledProblem::add_cone(const SolverNode& n) {
  const int first = problem_.cones++ % 4;
  if (first == 0) cones_.emplace_back();
  FourCones& to = cones_.back();
  const Coordinate& twist = coordinates_[at(n.coordinate + 2)];
  for (int lane = first; lane < 4; ++lane) {
    for (int k = 0; k < 4; ++k) {
      to.whole[k][lane] = n.whole[k];
      to.basis[k][lane] = n.basis[k];
    }
    for (int k = 0; k < 2; ++k) to.swing[k][lane] = n.swing[k];
    to.half[lane] = n.half;
    to.twist_middle[lane] = n.twist_middle;
    to.middle_sine[lane] = n.middle_sine;
    to.middle_cosine[lane] = n.middle_cosine;
    to.lower[lane] = twist.lower;
    to.upper[lane] = twist.upper;
    to.coordinate[lane] = n.coordinate;
    to.number[lane] = n.number;
  }
}

void CompiledProblem::add_arrays() {
  const std::size_t count = coordinates_.size(), width = (count + 3) / 4 * 4;
  for (std::vector<double>* a : {&lower_, &upper_, &middle_, &weight_, &pulled_, &unit_, &lowest_, &highest_}) a->assign(width, 0.0);
  // one number for each coordinate
  for (std::size_t i = 0; i < count; ++i) {
    const Coordinate& c = coordinates_[i];
    const int op = nodes_[at(c.node)].op;
    lower_[i] = c.lower;
    upper_[i] = c.upper;
    middle_[i] = c.middle;
    weight_[i] = c.weight;
    if (c.bounded) pulled_[i] = c.weight;
    if (c.part == 0 && (op == kCone || op == kLoose)) ball_.push_back(static_cast<int>(i));
  }
  // how each number of a pose is read and written
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const SolverNode& n = nodes_[i];
    if (n.number < 0) continue;
    if (n.op == kCone) {
      add_cone(n);
    } else if (n.coordinate < 0 || n.op == kLoose) {
      other_.push_back(static_cast<int>(i));
    } else {
      const Coordinate& c = coordinates_[at(n.coordinate)];
      numbered_.push_back(Numbered{n.coordinate, n.number, n.unit, c.lower, c.upper, c.lowest, c.highest});
      if (n.unit != 1.0) slides_.push_back(numbered_.back());
      unit_[at(n.coordinate)] = n.unit;
      lowest_[at(n.coordinate)] = c.lowest;
      highest_[at(n.coordinate)] = c.highest;
    }
  }
  // views of the arrays
  problem_.numbered = static_cast<int>(numbered_.size());
  problem_.each_number = numbered_.data();
  problem_.slides = static_cast<int>(slides_.size());
  problem_.slide = slides_.data();
  problem_.others = static_cast<int>(other_.size());
  problem_.other = other_.data();
  problem_.width = static_cast<int>(width);
  problem_.all = CoordinateArrays{lower_.data(),  upper_.data(), middle_.data(), weight_.data(),
                                  pulled_.data(), unit_.data(),  lowest_.data(), highest_.data()};
  problem_.balls = static_cast<int>(ball_.size());
  problem_.ball = ball_.data();
  problem_.cone = cones_.data();
  problem_.locks = static_cast<int>(lock_.size());
  problem_.lock = lock_.data();
}

// Finds joints that can move but are pruned, or stay fixed because they carry only a little mass.
void CompiledProblem::add_unfelt(const ProblemArrays& a, const std::vector<char>& needed) {
  for (int i = 0; i < a.tree.nodes; ++i) {
    const int kind = a.tree.kind[i], number = a.tree.number[i];
    if (needed[at(i)] == 1 || kind == kFixed || a.tree.source[i] >= 0 || a.moving[number] == kStays) continue;
    const double* axis = a.tree.axis + 3 * i;
    UnfeltJoint joint{kind, number, a.tree.step[i], a.lower[number], a.upper[number], {axis[0], axis[1], axis[2]}, -1, 1, kNoOther};
    for (long c = 0; c < a.cones && kind == kBall; ++c) {
      if (a.cone_number[c] != number) continue;
      SolverNode n{};
      make_cone(n, a, c);
      n.moving = a.moving[number];
      joint.cone = static_cast<int>(unfelt_cones_.size());
      unfelt_cones_.push_back(n);
    }
    unfelt_.push_back(joint);
  }
  join_unfelt(a);
}

}  // namespace manikin
