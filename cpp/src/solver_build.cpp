// Compiles a figure and goals into a Problem: prunes what no goal can feel, sorts breadth-first, scales lengths.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "arm_build.h"
#include "chain_build.h"
#include "manikin/solver.h"
#include "matrices.h"

namespace manikin {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kPi = 3.141592653589793;
constexpr double kFarthest = 1e12;     // sizes; what is farther is taken to be there: its square would swallow every step
constexpr double kLeastShare = 0.005;  // of the whole mass, for a joint to take part in balancing
constexpr double kSlideWeight = 0.3, kLeastWeight = 0.2, kLargestWeight = 30.0;

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

void matrix_of(const double* q, double* r) {
  const double w = q[0], x = q[1], y = q[2], z = q[3], k = 2.0 / (w * w + x * x + y * y + z * z);
  const double m[9] = {1 - k * (y * y + z * z), k * (x * y - w * z),     k * (x * z + w * y),
                       k * (x * y + w * z),     1 - k * (x * x + z * z), k * (y * z - w * x),
                       k * (x * z - w * y),     k * (y * z + w * x),     1 - k * (x * x + y * y)};
  std::memcpy(r, m, sizeof m);
}

void quaternion_of(const double* r, double* q) {
  const double square[4] = {1 + r[0] + r[4] + r[8], 1 + r[0] - r[4] - r[8], 1 - r[0] + r[4] - r[8], 1 - r[0] - r[4] + r[8]};
  const double rows[4][4] = {{square[0], r[7] - r[5], r[2] - r[6], r[3] - r[1]},
                             {r[7] - r[5], square[1], r[1] + r[3], r[2] + r[6]},
                             {r[2] - r[6], r[1] + r[3], square[2], r[5] + r[7]},
                             {r[3] - r[1], r[2] + r[6], r[5] + r[7], square[3]}};
  const long k = std::max_element(square, square + 4) - square;
  double length = 0.0;
  for (int j = 0; j < 4; ++j) length += rows[k][j] * rows[k][j];
  for (int j = 0; j < 4; ++j) q[j] = rows[k][j] / std::sqrt(length);
}

bool identity(const double* r) {
  for (int k = 0; k < 9; ++k)
    if (r[k] != (k % 4 == 0 ? 1.0 : 0.0)) return false;
  return true;
}

Coordinate bounded_coordinate(int parent, int node, int part, double lower, double upper, double weight) {
  const bool bounded = std::isfinite(lower) && std::isfinite(upper);
  return Coordinate{parent, node, part, 0, bounded ? 1 : 0, lower, upper, bounded ? 0.5 * (lower + upper) : 0.0, lower, upper, weight};
}

// A cone: rotation takes in reference and basis, `after` the middle of the twist range and the way back from the basis.
void make_cone(SolverNode& n, const ProblemArrays& a, long c) {
  const double* rows = a.cone_basis + 9 * c;
  const double basis[9] = {rows[0], rows[3], rows[6], rows[1], rows[4], rows[7], rows[2], rows[5], rows[8]};  // columns e1, e2, a
  double reference[9], whole[9];
  matrix_of(a.cone_reference + 4 * c, reference);
  product(reference, basis, whole);
  quaternion_of(whole, n.whole);
  quaternion_of(basis, n.basis);
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

bool has_balance(const ProblemArrays& a) {
  return std::find(a.link_kind, a.link_kind + a.links, static_cast<int>(kBalance)) != a.link_kind + a.links;
}

// Which nodes are above a goal (1), or only above mass that a balance goal feels (2).
std::vector<char> felt(const ProblemArrays& a) {
  std::vector<char> needed(static_cast<std::size_t>(a.tree.nodes), 0);
  auto mark = [&](int segment, char how) {
    require(segment >= 0 && segment < a.tree.segments, "segment of a goal out of range");
    for (int i = a.tree.segment[segment]; i >= 0; i = a.tree.parent[i])
      if (needed[at(i)] != 1) needed[at(i)] = how;
  };
  if (has_balance(a)) {
    for (int s = 0; s < a.tree.segments; ++s)
      if (a.tree.mass[s] > 0.0) mark(s, 2);
    for (long k = 0; k < a.contacts; ++k) mark(a.contact_segment[k], 1);
  }
  for (long k = 0; k < a.parts; ++k) mark(a.part_segment[k], 1);
  for (long k = 0; k < a.solids; ++k)
    if (a.solid_segment[k] >= 0) mark(a.solid_segment[k], 1);
  for (long k = 0; k < 3 * a.links; ++k)
    if (a.link_segments[k] >= 0) mark(a.link_segments[k], 1);
  // what a coupled joint follows must be there too
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < a.tree.nodes; ++i) {
      if (needed[at(i)] == 0 || a.tree.source[i] < 0) continue;
      for (int j = 0; j < a.tree.nodes; ++j) {
        if (a.tree.number[j] != a.tree.source[i] || a.tree.kind[j] == kFixed || needed[at(j)] == 1) continue;
        for (int k = j; k >= 0 && needed[at(k)] != 1; k = a.tree.parent[k]) needed[at(k)] = 1;
        more = true;
      }
    }
  }
  if (a.postures > 0) std::fill(needed.begin(), needed.end(), 1);
  // joints that carry hardly any mass are left alone: a finger does not balance a body
  std::vector<double> below(needed.size(), 0.0);
  double total = 0.0;
  for (int s = 0; s < a.tree.segments; ++s) {
    below[at(a.tree.segment[s])] += a.tree.mass[s];
    total += a.tree.mass[s];
  }
  for (std::size_t i = needed.size(); i-- > 0;) {
    if (a.tree.parent[i] >= 0) below[at(a.tree.parent[i])] += below[i];
    if (needed[i] == 2 && below[i] > kLeastShare * total) needed[i] = 1;
  }
  return needed;
}

// The nodes of the problem, breadth-first: neighbours in the loops then belong to different limbs and overlap in the pipeline.
std::vector<int> breadth_first(const ProblemArrays& a, const std::vector<char>& needed) {
  std::vector<int> depth(needed.size(), 0), order;
  for (int i = 0; i < a.tree.nodes; ++i) {
    if (a.tree.parent[i] >= 0) depth[at(i)] = depth[at(a.tree.parent[i])] + 1;
    if (needed[at(i)]) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return depth[at(i)] < depth[at(j)]; });
  return order;
}

}  // namespace

Solver::Solver(const ProblemArrays& a) {
  std::memset(&problem_, 0, sizeof problem_);
  require(a.size > 0.0, "size must be above 0");
  static std::atomic<unsigned long long> made{0};
  problem_.serial = ++made;
  problem_.size = a.size;
  problem_.nq = a.tree.nq;
  problem_.goals = a.goals;
  problem_.target_width = a.target_width;
  problem_.free_root = -1;
  std::vector<int> place(static_cast<std::size_t>(a.tree.nodes), -1);
  const std::vector<char> needed = felt(a);
  add_nodes(a, breadth_first(a, needed), needed, place);
  add_parts(a, place);
  add_links(a, place);
  add_solids(a, place);
  add_postures(a, place);
  add_arrays();
  add_triples(a);
  add_limbs();
  add_moves();
  problem_.nodes = static_cast<int>(nodes_.size());
  problem_.coordinates = static_cast<int>(coordinates_.size());
  problem_.parts = static_cast<int>(parts_.size());
  problem_.slots = static_cast<int>(slot_coordinate_.size());
  problem_.node = nodes_.data();
  problem_.coordinate = coordinates_.data();
  problem_.part = parts_.data();
  problem_.slot_coordinate = slot_coordinate_.data();
  problem_.target_scale = target_scale_.data();
  problem_.target_most = target_most_.data();
  arm_ = ArmSolver::of(problem_);
  chain_ = ChainNumbers::of(problem_);
  problem_.chain = chain_ ? &chain_->chain() : nullptr;
}

Solver::~Solver() = default;

void Solver::add_nodes(const ProblemArrays& a, const std::vector<int>& order, const std::vector<char>& needed, std::vector<int>& place) {
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
    const int leader = a.tree.source[i];  // a coupled number moves with the one it follows
    const bool moves = n.number >= 0 && a.moving[leader >= 0 ? leader : n.number] != 0 && needed[at(i)] == 1;
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
        const bool follows = leader >= 0;  // its own limits have narrowed the leader's
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
    n.plain = identity(n.rotation) ? 1 : 0;
    if (moves) n.coordinate = first;
    nodes_.push_back(n);
    last.push_back(above);
  }
  // couplings, once every coordinate has its place
  std::vector<int> coordinate_of(static_cast<std::size_t>(a.tree.nq) + 1, -1);
  for (const SolverNode& n : nodes_)
    if (n.coordinate >= 0) coordinate_of[at(n.number)] = n.coordinate;
  for (const int i : order) {
    SolverNode& n = nodes_[at(place[at(i)])];
    if (a.tree.source[i] < 0 || n.coordinate < 0) continue;
    n.source = coordinate_of[at(a.tree.source[i])];
    require(n.source >= 0, "a coupled joint without the one it follows");
    const double theirs = nodes_[at(coordinates_[at(n.source)].node)].unit;
    n.ratio = a.tree.ratio[i] * theirs / n.unit;
    n.shift = a.tree.shift[i] / n.unit;
    coupled_.push_back(place[at(i)]);
  }
  problem_.couplings = static_cast<int>(coupled_.size());
  problem_.coupled = coupled_.data();
  problem_.most_rows += problem_.couplings;
  // a free root: three endless slides and a loose ball at the very top
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
  // a coordinate that carries nothing but mass or links starts from an empty term of its own
  std::vector<char> has_child(coordinates_.size(), 0);
  for (const Coordinate& c : coordinates_)
    if (c.parent >= 0) has_child[at(c.parent)] = 1;
  for (std::size_t c = 0; c < coordinates_.size(); ++c) {
    if (has_child[c] || coordinate_slot_[c] >= 0) continue;
    coordinate_slot_[c] = static_cast<int>(slot_coordinate_.size());
    slot_coordinate_.push_back(static_cast<int>(c));
  }
  // the first to arrive from below stores, the others add; a goal is there before any
  std::vector<char> there(coordinates_.size(), 0);
  for (const int c : slot_coordinate_) there[at(c)] = 1;
  for (std::size_t i = coordinates_.size(); i-- > 0;) {
    Coordinate& c = coordinates_[i];
    if (c.parent < 0) continue;
    c.stores = there[at(c.parent)] ? 0 : 1;
    there[at(c.parent)] = 1;
  }
}

// Where the target is a length.
void Solver::scale_target(int k) {
  target_scale_[at(k)] = 1.0 / problem_.size;
  target_most_[at(k)] = kFarthest;
}

void Solver::add_parts(const ProblemArrays& a, const std::vector<int>& place) {
  const int widths[] = {3, 4, 3, 6, 6};
  target_scale_.assign(at(a.target_width), 1.0);
  target_most_.assign(at(a.target_width), kInfinity);
  for (long k = 0; k < a.parts; ++k) {
    Part p{};
    p.kind = a.part_kind[k];
    require(p.kind >= kPosition && p.kind <= kLine, "kind of goal out of range");
    p.goal = a.part_goal[k];
    require(p.goal >= 0 && p.goal < a.goals, "goal index out of range");
    p.target = a.part_target[k];
    p.flags = a.part_flags[k];
    int width = widths[p.kind];
    if (p.kind == kPosition) width = (p.flags & 1) + (p.flags >> 1 & 1) + (p.flags >> 2 & 1);
    require(p.target >= 0 && p.target + width <= a.target_width, "target of a goal out of range");
    const int lengths = p.kind == kOrientation ? 0 : p.kind == kPlane || p.kind == kLine ? 3 : width;
    for (int j = 0; j < lengths; ++j) scale_target(p.target + j);
    p.node = place[at(a.tree.segment[a.part_segment[k]])];
    p.coordinate = node_coordinate_[at(p.node)];
    p.slot = p.coordinate >= 0 ? coordinate_slot_[at(p.coordinate)] : -1;
    for (int j = 0; j < 3; ++j) {
      p.offset[j] = a.part_offset[3 * k + j] / a.size;
      p.axis[j] = a.part_axis[3 * k + j];
    }
    const bool angle = is_angle(p);
    p.tolerance = a.part_tolerance[k] / (angle ? 1.0 : a.size);
    parts_.push_back(p);
  }
}

void Solver::add_links(const ProblemArrays& a, const std::vector<int>& place) {
  const int widths[] = {3, 4, 1, 3, 0, 0}, rows[] = {3, 3, 3, 1, 0, 64};
  auto node_of = [&](int segment) { return segment < 0 ? -1 : place[at(a.tree.segment[segment])]; };
  int solid_end[3] = {0, 0, 0};  // of solids, pairs and corners, up to the link
  for (long k = 0; k < a.links; ++k) {
    Link l{};
    l.kind = a.link_kind[k];
    require(l.kind >= kRelativePosition && l.kind <= kClearance, "kind of link out of range");
    l.goal = a.link_goal[k];
    require(l.goal >= 0 && l.goal < a.goals, "goal index out of range");
    l.target = a.link_target[k];
    require(l.target >= 0 && l.target + widths[l.kind] <= a.target_width, "target of a link out of range");
    l.flags = a.link_flags[k];
    for (int j = 0; j < 3; ++j) {
      l.node[j] = node_of(a.link_segments[3 * k + j]);
      for (int i = 0; i < 3; ++i) l.offset[j][i] = a.link_offset[9 * k + 3 * j + i] / a.size;
    }
    const bool angle = is_angle(l);
    l.tolerance = a.link_tolerance[k] / (angle ? 1.0 : a.size);
    l.margin = a.link_margin[k] / a.size;
    l.rows = rows[l.kind];
    for (int j = 0; j < 3; ++j) {
      l.count[j] = a.link_counts[3 * k + j];
      require(l.count[j] >= 0, "count of a link below 0");
    }
    if (l.kind == kClearance) {
      const long there[3] = {a.solids, a.aparts, a.corners};
      for (int j = 0; j < 3; ++j) {
        l.first[j] = solid_end[j];
        solid_end[j] += l.count[j];
        require(solid_end[j] <= there[j], "a clearance goal has more solids than there are");
      }
    }
    if (l.kind == kBalance) {
      require(l.count[0] >= 1 && l.count[0] <= 64, "a balance goal has 1 to 64 contacts");
      require(l.flags >= 0 && l.flags < 3, "up axis out of range");
      l.rows = std::max(4, l.count[0]);
      l.first[0] = static_cast<int>(contacts_.size());
      require(l.first[0] + l.count[0] <= a.contacts, "a balance goal has more contacts than there are");
      for (int c = l.first[0]; c < l.first[0] + l.count[0]; ++c) {
        const double* x = a.contact_point + 3l * c;
        contacts_.push_back(Weighted{node_of(a.contact_segment[c]), {x[0] / a.size, x[1] / a.size, x[2] / a.size}, 0.0});
      }
      double total = 0.0;
      for (int s = 0; s < a.tree.segments; ++s) total += a.tree.mass[s];
      require(total > 0.0, "a balance goal needs mass");
      for (int s = 0; s < a.tree.segments && l.first[0] == 0; ++s) {  // the same for all balance goals
        const double* x = a.tree.center + 3 * s;
        if (a.tree.mass[s] > 0.0) masses_.push_back(Weighted{node_of(s), {x[0] / a.size, x[1] / a.size, x[2] / a.size}, a.tree.mass[s] / total});
      }
    }
    for (int j = 0; l.kind != kRelativeOrientation && j < widths[l.kind]; ++j) scale_target(l.target + j);
    problem_.most_rows += l.rows;
    links_.push_back(l);
  }
  problem_.links = static_cast<int>(links_.size());
  problem_.contacts = static_cast<int>(contacts_.size());
  problem_.masses = static_cast<int>(masses_.size());
  problem_.link = links_.data();
  problem_.contact = contacts_.data();
  problem_.mass = masses_.data();
  problem_.node_coordinate = node_coordinate_.data();
}

void Solver::add_solids(const ProblemArrays& a, const std::vector<int>& place) {
  auto node_of = [&](int segment) {
    require(segment >= -1 && segment < a.tree.segments, "segment of a solid out of range");
    return segment < 0 ? -1 : place[at(a.tree.segment[segment])];
  };
  for (long k = 0; k < a.solids; ++k) {
    Solid s{};
    s.node = node_of(a.solid_segment[k]);
    s.more = a.solid_box[k] ? static_cast<int>(a.solids) + 2 * problem_.boxes++ : -1;
    double square = 0.0;
    for (int j = 0; j < 9; ++j) {
      s.edge[j / 3][j % 3] = a.solid_edges[9 * k + j] / a.size;
      square += s.edge[j / 3][j % 3] * s.edge[j / 3][j % 3];
    }
    for (int j = 0; j < 3; ++j) s.center[j] = a.solid_center[3 * k + j] / a.size;
    s.radius = a.solid_radius[k] / a.size;
    s.extent = std::sqrt(square) + s.radius;
    solids_.push_back(s);
  }
  for (const Link& l : links_) {
    if (l.kind != kClearance) continue;
    for (long k = l.first[1]; k < l.first[1] + l.count[1]; ++k) {
      const int one = a.apart_solids[2 * k], two = a.apart_solids[2 * k + 1];
      require(one >= 0 && one < l.count[0] && two >= 0 && two < l.count[0], "solid of a pair out of range");
      const Apart pair{l.first[0] + one, l.first[0] + two, a.apart_margin[k] / a.size};
      require(solids_[at(pair.a)].more < 0 || solids_[at(pair.b)].more >= 0, "of a pair with one box that is the second");
      aparts_.push_back(pair);
    }
  }
  for (long k = 0; k < a.corners; ++k) {
    Corner c{};
    c.node = node_of(a.corner_segment[k]);
    for (int j = 0; j < 3; ++j) {
      c.point[j] = a.corner_point[3 * k + j] / a.size;
      c.normal[j] = a.corner_normal[3 * k + j];
    }
    c.radius = a.corner_numbers[3 * k] / a.size;
    c.margin = a.corner_numbers[3 * k + 1] / a.size;
    c.level = a.corner_numbers[3 * k + 2] / a.size;
    corners_.push_back(c);
  }
  problem_.solids = static_cast<int>(solids_.size());
  problem_.aparts = static_cast<int>(aparts_.size());
  problem_.corners = static_cast<int>(corners_.size());
  problem_.solid = solids_.data();
  problem_.apart = aparts_.data();
  problem_.corner = corners_.data();
}

void Solver::add_arrays() {
  const std::size_t count = coordinates_.size(), width = (count + 3) / 4 * 4;
  for (std::vector<double>* a : {&lower_, &upper_, &middle_, &weight_, &pulled_, &unit_, &lowest_, &highest_}) a->assign(width, 0.0);
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
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const SolverNode& n = nodes_[i];
    if (n.number < 0) continue;
    if (n.coordinate < 0 || n.op == kLoose || n.op == kCone) {
      other_.push_back(static_cast<int>(i));
    } else {
      const Coordinate& c = coordinates_[at(n.coordinate)];
      numbered_.push_back(Numbered{n.coordinate, n.number, n.unit, c.lower, c.upper, c.lowest, c.highest});
      unit_[at(n.coordinate)] = n.unit;
      lowest_[at(n.coordinate)] = c.lowest;
      highest_[at(n.coordinate)] = c.highest;
    }
  }
  problem_.numbered = static_cast<int>(numbered_.size());
  problem_.each_number = numbered_.data();
  problem_.others = static_cast<int>(other_.size());
  problem_.other = other_.data();
  problem_.width = static_cast<int>(width);
  problem_.all = CoordinateArrays{lower_.data(), upper_.data(), middle_.data(), weight_.data(), pulled_.data(),
                                  unit_.data(), lowest_.data(), highest_.data()};
  problem_.balls = static_cast<int>(ball_.size());
  problem_.ball = ball_.data();
}

// Joints of three hinges that all move by themselves, with nothing between them.
void Solver::add_triples(const ProblemArrays& a) {
  std::vector<int> of_number(at(a.tree.nq) + 1, -1);  // coordinates of hinges
  for (const Numbered& n : numbered_)
    if (nodes_[at(coordinates_[at(n.coordinate)].node)].op == kTurning) of_number[at(n.number)] = n.coordinate;
  for (int m = 0; m + 2 < a.tree.nq; ++m) {
    const Triple t{{of_number[at(m)], of_number[at(m + 1)], of_number[at(m + 2)]}};
    bool triple = t.coordinate[0] >= 0 && nodes_[at(coordinates_[at(t.coordinate[0])].node)].source < 0;
    for (int k = 1; k < 3 && triple; ++k) {
      triple = t.coordinate[k] >= 0 && a.joint[m + k] == a.joint[m] && coordinates_[at(t.coordinate[k])].parent == t.coordinate[k - 1];
      if (!triple) break;
      const SolverNode& n = nodes_[at(coordinates_[at(t.coordinate[k])].node)];
      triple = n.plain && n.source < 0 && n.parent == coordinates_[at(t.coordinate[k - 1])].node && n.offset[0] == 0.0 && n.offset[1] == 0.0 && n.offset[2] == 0.0;
    }
    if (triple) triples_.push_back(t);
  }
  problem_.triples = static_cast<int>(triples_.size());
  problem_.triple = triples_.data();
}

void Solver::add_postures(const ProblemArrays& a, const std::vector<int>& place) {
  const std::size_t wide = coordinates_.size(), count = static_cast<std::size_t>(a.postures);
  stiffness_.assign(count * wide, 0.0);
  for (std::size_t p = 0; p < count; ++p) {
    const int goal = a.posture_goal[p], target = a.posture_target[p];
    require(goal >= 0 && goal < a.goals, "goal index out of range");
    require(target >= 0 && target + a.tree.nq <= a.target_width, "target of a posture out of range");
    const double* given = a.posture_stiffness + p * static_cast<std::size_t>(a.tree.nv);
    for (int i = 0; i < a.tree.nodes; ++i) {
      const int me = place[at(i)];
      if (me < 0 || nodes_[at(me)].number < 0 || a.tree.source[i] >= 0) continue;
      const SolverNode& n = nodes_[at(me)];
      if (n.coordinate < 0) {
        still_.push_back(StillJoint{me, given[a.tree.step[i]] * n.unit * n.unit});
        continue;
      }
      const int steps = n.op == kCone || n.op == kLoose ? 3 : 1;
      for (int k = 0; k < steps; ++k) stiffness_[p * wide + at(n.coordinate + k)] = given[a.tree.step[i] + k] * n.unit * n.unit;
    }
    postures_.push_back(Posture{goal, target, a.posture_tolerance[p], nullptr, 0, nullptr});
  }
  const std::size_t still = count ? still_.size() / count : 0;  // the same joints for each
  for (std::size_t p = 0; p < count; ++p) {
    postures_[p].stiffness = stiffness_.data() + p * wide;
    postures_[p].still = static_cast<int>(still);
    postures_[p].still_joint = still_.data() + p * still;
  }
  problem_.postures = static_cast<int>(count);
  problem_.posture = postures_.data();
}

}  // namespace manikin
