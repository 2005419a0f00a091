// Compiles goals that depend on several branches, and the solids that they keep apart.
#include <algorithm>
#include <cmath>
#include <vector>

#include "compile/compiled_problem.h"
#include "compile/constants.h"
#include "math/mat3.h"
#include "model/require.h"

namespace manikin {

void CompiledProblem::add_links(const ProblemArrays& a, const std::vector<int>& place) {
  auto node_of = [&](int segment) { return segment < 0 ? -1 : place[at(a.tree.segment[segment])]; };
  int solid_end[3] = {0, 0, 0};  // end of the solids, pairs and corners up to the link
  // numbers of each link, in sizes
  for (long k = 0; k < a.links; ++k) {
    Link l{};
    l.kind = a.link_kind[k];
    require(l.kind >= 0 && l.kind < kLinkKinds, "kind of link out of range");
    const LinkFacts& facts = kLinks[l.kind];
    l.goal = a.link_goal[k];
    require(l.goal >= 0 && l.goal < a.goals, "goal index out of range");
    l.target = a.link_target[k];
    require(l.target >= 0 && l.target + facts.width <= a.target_width, "target of a link out of range");
    l.flags = a.link_flags[k];
    require(l.flags >= 0 && l.flags <= facts.flags, "flags of a link out of range");
    for (int j = 0; j < 3; ++j) {
      l.node[j] = node_of(a.link_segments[3 * k + j]);
      for (int i = 0; i < 3; ++i) l.offset[j][i] = a.link_offset[9 * k + 3 * j + i] / a.size;
    }
    if (l.kind == kCallback) l.flags &= kAllAngular;
    const bool angle = is_angle(l);
    l.tolerance = a.link_tolerance[k] / (angle ? 1.0 : a.size);
    l.margin = a.link_margin[k] / a.size;
    l.rows = facts.rows;
    for (int j = 0; j < 3; ++j) {
      l.count[j] = a.link_counts[3 * k + j];
      require(l.count[j] >= 0, "count of a link below 0");
    }
    // what some kinds need besides
    if (l.kind == kClearance) {
      const long there[3] = {a.solids, a.aparts, a.corners};
      for (int j = 0; j < 3; ++j) {
        l.first[j] = solid_end[j];
        solid_end[j] += l.count[j];
        require(solid_end[j] <= there[j], "a clearance goal refers to more solids than there are");
      }
    }
    if (l.kind == kBalance) {
      require(l.count[0] >= 1 && l.count[0] <= 64, "a balance goal has 1 to 64 contacts");
      l.rows = std::max(4, l.count[0]);
      l.first[0] = static_cast<int>(contacts_.size());
      require(l.first[0] + l.count[0] <= a.contacts, "a balance goal refers to more contacts than there are");
      for (int c = l.first[0]; c < l.first[0] + l.count[0]; ++c) {
        const double* x = a.contact_point + 3l * c;
        contacts_.push_back(Weighted{node_of(a.contact_segment[c]), {x[0] / a.size, x[1] / a.size, x[2] / a.size}, 0.0});
      }
      add_masses(a, place);
    }
    if (l.kind == kCallback) add_callback(a, place, k, l);
    // lengths among the targets, and the number of rows
    for (int j = 0; j < facts.lengths; ++j) scale_target(l.target + j);
    require(l.rows <= kMostRows - problem_.most_rows, "goals and couplings have more than 46340 rows");
    problem_.most_rows += l.rows;
    links_.push_back(l);
  }
  // views of the arrays
  problem_.links = static_cast<int>(links_.size());
  problem_.contacts = static_cast<int>(contacts_.size());
  problem_.masses = static_cast<int>(masses_.size());
  problem_.link = links_.data();
  problem_.contact = contacts_.data();
  problem_.mass = masses_.data();
  problem_.node_coordinate = node_coordinate_.data();
  problem_.callbacks = static_cast<int>(callbacks_.size());
  problem_.callback = callbacks_.data();
  problem_.effectors = static_cast<int>(effectors_.size());
  problem_.effector = effectors_.data();
  problem_.callback_row = callback_row_.data();
}

// Arranges the pairs of a clearance in fans.
void CompiledProblem::add_fans(const Link& l) {
  const auto fill = [&](std::size_t places) {
    reach_.resize(places, -1.0);
    pair_at_.resize(places, -1);
  };
  for (long k = l.first[1]; k < l.first[1] + l.count[1]; ++k) {
    Apart& pair = aparts_[at(k)];
    const Apart* last = k > l.first[1] ? &aparts_[at(k - 1)] : nullptr;
    if (!last || last->a != pair.a || pair.b <= last->b || pair.b > last->b + kFanGap)
      fans_.push_back(Fan{pair.a, pair.b, static_cast<int>(reach_.size()), 0});
    pair.fan = static_cast<int>(fans_.size()) - 1;
    Fan& fan = fans_.back();
    fan.count = (pair.b - fan.b) / 4 * 4 + 4;
    fill(at(fan.first + fan.count));
    const double bound = kClearanceNearby + pair.margin + solids_[at(pair.a)].extent + solids_[at(pair.b)].extent;
    reach_[at(fan.first + pair.b - fan.b)] = bound * bound;
    pair_at_[at(fan.first + pair.b - fan.b)] = static_cast<int>(k);
  }
}

void CompiledProblem::add_solids(const ProblemArrays& a, const std::vector<int>& place) {
  auto node_of = [&](int segment) {
    require(segment >= -1 && segment < a.tree.segments, "segment of a solid out of range");
    return segment < 0 ? -1 : place[at(a.tree.segment[segment])];
  };
  // shapes, in sizes
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
  // pairs of each clearance goal, and how far apart they may be to count
  for (const Link& l : links_) {
    if (l.kind != kClearance) continue;
    for (long k = l.first[1]; k < l.first[1] + l.count[1]; ++k) {
      const int one = a.apart_solids[2 * k], two = a.apart_solids[2 * k + 1];
      require(one >= 0 && one < l.count[0] && two >= 0 && two < l.count[0], "solid of a pair out of range");
      const Apart pair{l.first[0] + one, l.first[0] + two, 0, a.apart_margin[k] / a.size};
      require(solids_[at(pair.a)].more < 0 || solids_[at(pair.b)].more >= 0, "if one solid of a pair is a box, it must be the second");
      aparts_.push_back(pair);
    }
    add_fans(l);
  }
  // points that stay above a plane
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
  // views of the arrays
  problem_.solids = static_cast<int>(solids_.size());
  problem_.aparts = static_cast<int>(aparts_.size());
  problem_.corners = static_cast<int>(corners_.size());
  problem_.solid = solids_.data();
  problem_.apart = aparts_.data();
  problem_.fan = fans_.data();
  problem_.pair_at = pair_at_.data();
  problem_.reach = reach_.data();
  problem_.corner = corners_.data();
}

}  // namespace manikin
