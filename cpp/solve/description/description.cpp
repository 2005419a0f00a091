#include "solve/description/description.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "math/index.h"
#include "model/tree.h"
#include "solve/constants.h"

namespace manikin {
namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("compiled problem: ") + what);
}

void all_finite(const std::vector<double>& numbers, const char* what) {
  for (const double x : numbers) require(std::isfinite(x), what);
}

// Requires numbers whose powers stay finite: lengths up to kFarthestSizes sizes of the figure.
void all_within(const std::vector<double>& numbers, double most, const char* what) {
  for (const double x : numbers) require(std::fabs(x) <= most, what);
}

// Requires a unit vector of `width` numbers. With `or_zero`, the zero vector is also allowed.
void unit(const double* x, int width, bool or_zero, const char* what) {
  double square = 0.0;
  for (int k = 0; k < width; ++k) square += x[k] * x[k];
  require(std::fabs(square - 1.0) <= kUnitSquare || (or_zero && square == 0.0), what);
}

// Requires matrices (3, 3) with orthonormal rows.
void rotations(const std::vector<double>& numbers, const char* what) {
  for (std::size_t k = 0; k + 9 <= numbers.size(); k += 9)
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = i; j < 3; ++j) {
        double product = 0.0;
        for (std::size_t c = 0; c < 3; ++c) product += numbers[k + 3 * i + c] * numbers[k + 3 * j + c];
        require(std::fabs(product - (i == j ? 1.0 : 0.0)) <= kUnitSquare, what);
      }
}

}  // namespace

Description::Description(const NamedArrays& b) {
  nq = b.whole("nq");
  nv = b.whole("nv");
  size = b.real("size");
  angle_weight = b.real("angle_weight");
  least_damping = b.real("least_damping");
  require(nv >= 0 && nv <= nq, "nv is below 0, or above nq");
  require(size >= kLeastSize && size <= kLargestSize, "size is out of range");
  require(angle_weight > 0.0 && angle_weight <= kLargestTuning, "angle_weight is out of range");
  require(least_damping > 0.0 && least_damping <= kLargestTuning * kLargestTuning, "least_damping is out of range");
  const double farthest = kFarthestSizes * size;
  parent_ = b.ints("parent");
  const std::size_t n = parent_.size();
  kind_ = b.ints("kind", n);
  number_ = b.ints("number", n);
  step_ = b.ints("step", n);
  source_ = b.ints("source", n);
  rotation_ = b.doubles("rotation", 9 * n);
  offset_ = b.doubles("offset", 3 * n);
  axis_ = b.doubles("axis", 3 * n);
  ratio_ = b.doubles("ratio", n);
  shift_ = b.doubles("shift", n);
  segment_ = b.ints("segment");
  mass_ = b.doubles("mass", segment_.size());
  center_ = b.doubles("center", 3 * segment_.size());
  for (const auto* lengths : {&offset_, &center_}) all_within(*lengths, farthest, "a length of the tree is out of range");
  for (const auto* numbers : {&axis_, &ratio_, &shift_, &mass_}) all_within(*numbers, kFarthestSizes, "a number of the tree is out of range");
  for (const double m : mass_) require(m >= 0.0, "a mass is below 0");
  rotations(rotation_, "a rotation of the tree is none");
  for (std::size_t i = 0; i < n; ++i) {
    unit(&axis_[3 * i], 3, true, "an axis of the tree is not of length 1");
    const bool ball = kind_[i] == kBall;
    require(kind_[i] >= kFixed && kind_[i] <= kBall && parent_[i] >= -1 && parent_[i] < static_cast<int>(i),
            "a node is of an unknown kind, or comes before its parent");
    if (kind_[i] == kFixed) continue;
    require(number_[i] >= 0 && number_[i] <= nq - (ball ? 4 : 1) && step_[i] >= -1 && step_[i] <= nv - (ball ? 3 : 1),
            "a number or a step of a node is out of range");
  }

  const std::size_t numbers = at(nq);
  lower = b.doubles("lower", numbers);
  upper = b.doubles("upper", numbers);
  rest = b.doubles("rest", numbers);
  speed = b.doubles("speed", numbers);
  moving = b.ints("moving", numbers);
  joint = b.ints("joint", numbers);
  for (std::size_t i = 0; i < numbers; ++i) {
    require(lower[i] <= upper[i], "a lower limit is above its upper limit, or not a number");
    require(speed[i] > 0.0, "a speed is not above 0");
  }
  all_within(rest, kFarthestSizes * std::max(size, 1.0), "a number of the rest pose is out of range");
  balls = b.ints("balls");
  cone_number = b.ints("cone_number");
  const std::size_t cones = cone_number.size();
  cone_reference = b.doubles("cone_reference", 4 * cones);
  cone_basis = b.doubles("cone_basis", 9 * cones);
  cone_swing = b.doubles("cone_swing", 2 * cones);
  cone_twist = b.doubles("cone_twist", 2 * cones);
  for (const auto* all : {&cone_swing, &cone_twist}) all_within(*all, kFarthestSizes, "a number of a cone is out of range");
  rotations(cone_basis, "the axes of a cone are not orthonormal");
  for (std::size_t c = 0; c < cones; ++c) {
    unit(&cone_reference[4 * c], 4, false, "the reference of a cone is not of length 1");
    require(cone_swing[2 * c] > 0.0 && cone_swing[2 * c + 1] > 0.0 && cone_twist[2 * c] <= cone_twist[2 * c + 1], "the range of a cone is empty");
  }
  for (const auto* places : {&balls, &cone_number})
    for (const int k : *places) require(k >= 0 && k <= nq - 4, "a quaternion is out of range");
  for (std::size_t i = 0; i < n; ++i) {
    if (source_[i] < 0) continue;
    require(source_[i] < nq && number_[i] >= 0 && number_[i] < nq, "a coupled number is out of range");
    coupled.push_back(number_[i]);
    coupled_source.push_back(source_[i]);
    coupled_ratio.push_back(ratio_[i]);
    coupled_shift.push_back(shift_[i]);
  }

  goal_level = b.ints("goal_level");
  const std::size_t count = goal_level.size();
  goals = static_cast<int>(count);
  own_goals = b.whole("own_goals");
  goal_members = b.ints("goal_members", count);
  goal_weight = b.doubles("goal_weight", count);
  goal_name = b.texts("goal_name", count);
  const std::size_t most_members = b.doubles("member_share").size();
  require(count > 0 && own_goals >= 0 && own_goals <= goals, "the number of goals is out of range");
  int last_level = -1;
  for (std::size_t g = 0; g < count; ++g) {
    require(goal_level[g] >= 0 && goal_level[g] < goals, "a level of priority is out of range");
    require(goal_weight[g] >= 0.0 && goal_weight[g] <= kLargestGoalWeight, "the weight of a goal is out of range");
    require(goal_members[g] >= 1 && at(goal_members[g]) <= most_members - member_goal.size(), "the members of a goal are out of range");
    for (int m = 0; m < goal_members[g]; ++m) member_goal.push_back(static_cast<int>(g));
    last_level = std::max(last_level, goal_level[g]);
  }
  for (int level = 0; level <= last_level; ++level) {
    bool there = false;
    for (const int l : goal_level) there = there || l == level;
    require(there, "levels of priority have gaps");
  }
  const std::size_t members = member_goal.size();
  member_share = b.doubles("member_share", members);
  member_tolerance = b.doubles("member_tolerance", members);
  member_angular = b.ints("member_angular", members);
  member_target = b.ints("member_target", members + 1);
  targets = b.doubles("targets");
  target_width = static_cast<int>(targets.size());
  own_width = b.whole("own_width");
  require(own_width >= 0 && own_width <= target_width, "the width of a row of targets is out of range");
  require(member_target[0] == 0 && member_target[members] == target_width, "targets of members are out of range");
  for (std::size_t m = 0; m < members; ++m) {
    require(member_target[m] <= member_target[m + 1], "targets of members are out of order");
    require(member_tolerance[m] > 0.0 && member_tolerance[m] < HUGE_VAL, "a tolerance of a member is out of range");
    member_tolerance[m] = std::clamp(member_tolerance[m], kLeastTolerance, farthest + kFarthestSizes);
    require(member_share[m] >= 0.0 && member_share[m] <= kLargestGoalWeight, "a weight of a member is out of range");
    require((member_target[m] >= own_width) == (member_goal[m] >= own_goals) || member_target[m] == member_target[m + 1],
            "targets of members do not fit the width of a row");
  }
  quaternion_at = b.ints("quaternion_at");
  direction_at = b.ints("direction_at");
  for (const int k : quaternion_at) require(k >= 0 && k <= target_width - 4, "a quaternion of a target is out of range");
  for (const int k : direction_at) require(k >= 0 && k <= target_width - 3, "a direction of a target is out of range");
  all_finite(targets, "a target is not finite");
  for (const int k : quaternion_at) unit(&targets[at(k)], 4, false, "the quaternion of a target is not of length 1");
  for (const int k : direction_at)
    require(std::max({std::fabs(targets[at(k)]), std::fabs(targets[at(k + 1)]), std::fabs(targets[at(k + 2)])}) > kLeastDirection,
            "the direction of a target has no length");

  GoalArrays& p = parts;
  p.part_kind = b.ints("part_kind");
  const std::size_t parts_count = p.part_kind.size();
  p.part_member = b.ints("part_member", parts_count);
  p.part_segment = b.ints("part_segment", parts_count);
  p.part_target = b.ints("part_target", parts_count);
  p.part_flags = b.ints("part_flags", parts_count);
  p.part_offset = b.doubles("part_offset", 3 * parts_count);
  p.part_axis = b.doubles("part_axis", 3 * parts_count);
  p.part_tolerance = b.doubles("part_tolerance", parts_count);
  p.link_kind = b.ints("link_kind");
  const std::size_t links = p.link_kind.size();
  p.link_member = b.ints("link_member", links);
  p.link_segments = b.ints("link_segments", 3 * links);
  p.link_target = b.ints("link_target", links);
  p.link_flags = b.ints("link_flags", links);
  p.link_counts = b.ints("link_counts", 3 * links);
  p.link_offset = b.doubles("link_offset", 9 * links);
  p.link_tolerance = b.doubles("link_tolerance", links);
  p.link_margin = b.doubles("link_margin", links);
  p.solid_segment = b.ints("solid_segment");
  const std::size_t solids = p.solid_segment.size();
  p.solid_box = b.ints("solid_box", solids);
  p.solid_center = b.doubles("solid_center", 3 * solids);
  p.solid_edges = b.doubles("solid_edges", 9 * solids);
  p.solid_radius = b.doubles("solid_radius", solids);
  p.apart_margin = b.doubles("apart_margin");
  p.apart_solids = b.ints("apart_solids", 2 * p.apart_margin.size());
  p.corner_segment = b.ints("corner_segment");
  const std::size_t corners = p.corner_segment.size();
  p.corner_point = b.doubles("corner_point", 3 * corners);
  p.corner_normal = b.doubles("corner_normal", 3 * corners);
  p.corner_numbers = b.doubles("corner_numbers", 3 * corners);
  p.contact_segment = b.ints("contact_segment");
  p.contact_point = b.doubles("contact_point", 3 * p.contact_segment.size());
  p.effector_segment = b.ints("effector_segment");
  p.effector_offset = b.doubles("effector_offset", 3 * p.effector_segment.size());
  p.callback_row = b.ints("callback_row");
  for (const int segment : p.effector_segment) require(segment >= 0 && at(segment) < segment_.size(), "the segment of an effector is out of range");
  p.posture_member = b.ints("posture_member");
  const std::size_t postures = p.posture_member.size();
  p.posture_target = b.ints("posture_target", postures);
  p.posture_tolerance = b.doubles("posture_tolerance", postures);
  p.posture_stiffness = b.doubles("posture_stiffness", postures * at(nv));
  for (const auto* places : {&p.part_member, &p.link_member, &p.posture_member})
    for (const int m : *places) require(m >= 0 && at(m) < members, "the member of a part is out of range");
  for (auto* all : {&p.part_tolerance, &p.link_tolerance, &p.posture_tolerance})
    for (double& x : *all) {
      require(x > 0.0 && x < HUGE_VAL, "the tolerance of a part is out of range");
      x = std::clamp(x, kLeastTolerance, farthest + kFarthestSizes);
    }
  for (const auto* lengths : {&p.part_offset, &p.link_offset, &p.link_margin, &p.solid_center, &p.solid_edges, &p.solid_radius, &p.apart_margin,
                              &p.corner_point, &p.corner_numbers, &p.contact_point, &p.effector_offset})
    all_within(*lengths, farthest, "a length of a goal is out of range");
  for (const double x : p.posture_stiffness) require(x >= 0.0 && x <= kFarthestSizes, "the stiffness of a posture is out of range");
  for (std::size_t k = 0; k < parts_count; ++k) unit(&p.part_axis[3 * k], 3, true, "the axis of a part is not of length 1");
  for (std::size_t k = 0; k < corners; ++k) unit(&p.corner_normal[3 * k], 3, true, "the normal of a corner is not of length 1");
  for (std::size_t k = 0; k < parts_count; ++k)
    if (p.part_kind[k] == kPlane || p.part_kind[k] == kLine)
      require(std::find(direction_at.begin(), direction_at.end(), p.part_target[k] + 3) != direction_at.end(),
              "the direction of a plane or line is missing");
  std::size_t used[6] = {0, 0, 0, 0, 0, 0};
  for (std::size_t k = 0; k < links; ++k)
    for (std::size_t j = 0; j < 3; ++j) {
      const int some = p.link_counts[3 * k + j];
      require(some >= 0, "a link has a count below 0");
      if (p.link_kind[k] == kClearance) used[j] += at(some);
      if (p.link_kind[k] == kBalance && j == 0) used[3] += at(some);
      if (p.link_kind[k] == kCallback && j < 2) used[4 + j] += at(some);
    }
  require(used[0] <= solids && used[1] <= p.apart_margin.size() && used[2] <= corners && used[3] <= p.contact_segment.size() &&
              used[4] <= p.effector_segment.size() && used[5] <= p.callback_row.size(),
          "links have more solids, pairs, corners or contacts than there are");

  for (std::size_t k = 0; k < links; ++k) {
    if (p.link_kind[k] != kCallback) continue;
    Callback c{};
    c.effectors = p.link_counts[3 * k];
    c.rows = p.link_counts[3 * k + 1];
    c.width = p.link_counts[3 * k + 2];
    c.reads_mass = p.link_flags[k] & kReadsMass ? 1 : 0;
    c.reads_pose = p.link_flags[k] & kReadsPose ? 1 : 0;
    c.columns = 6 * c.effectors + (c.reads_mass ? 3 : 0) + (c.reads_pose ? nv : 0);
    callbacks.push_back(c);
    callback_member.push_back(p.link_member[k]);
  }

  has_heading = b.whole("has_heading") != 0;
  if (has_heading) {
    HeadingArrays& h = heading;
    h.start = b.doubles("heading_start", numbers);
    const auto copied = [&](std::string_view name, std::size_t some, auto* out) {
      const auto& from = b.doubles(name, some);
      std::copy(from.begin(), from.end(), out);
    };
    copied("heading_up", 3, h.up);
    h.size = size;
    h.arm = b.real("heading_arm");
    h.most = b.real("heading_most");
    const auto& slide = b.ints("heading_slide", 3);
    std::copy(slide.begin(), slide.end(), h.slide);
    copied("heading_to_slides", 9, h.to_slides);
    copied("heading_slide_limits", 6, h.slide_limits);
    copied("heading_pivot", 3, h.pivot);
    h.turn = b.ints("heading_turn");
    h.turn_axes = b.doubles("heading_turn_axes", 3 * h.turn.size());
    h.turn_limits = b.doubles("heading_turn_limits");
    h.point_goal = b.ints("heading_point_member");
    h.point_target = b.ints("heading_point_target", h.point_goal.size());
    h.point_effector = b.ints("heading_point_effector", h.point_goal.size());
    h.point = b.doubles("heading_point", 3 * h.point_goal.size());
    h.axes_goal = b.ints("heading_axes_member");
    h.axes_target = b.ints("heading_axes_target", h.axes_goal.size());
    h.axes = b.doubles("heading_axes", 9 * h.axes_goal.size());
    for (const auto* places : {&h.point_goal, &h.axes_goal})
      for (const int m : *places) require(m >= 0 && at(m) < members, "the member of a heading is out of range");
    for (const int k : h.point_target) require(k >= 0 && k <= target_width - 3, "a point of a heading is out of range");
    for (const int k : h.axes_target) require(k >= 0 && k <= target_width - 4, "an orientation of a heading is out of range");
    all_within(h.start, kFarthestSizes * std::max(size, 1.0), "a number of a heading is out of range");
    for (const auto* all : {&h.turn_axes, &h.axes}) all_within(*all, kFarthestSizes, "a number of a heading is out of range");
    all_within(h.point, farthest, "a point of a heading is out of range");
    for (const double x : h.up) require(std::fabs(x) <= 1.0, "the up axis of a heading is out of range");
    for (const double x : h.pivot) require(std::fabs(x) <= farthest, "the pivot of a heading is out of range");
    for (const double x : h.to_slides) require(std::fabs(x) <= kFarthestSizes, "a slide of a heading is out of range");
    for (std::size_t k = 0; k < 3; ++k) {
      require(h.slide[k] >= 0 && h.slide[k] < nq, "a slide of a heading is out of range");
      const double from = h.start[at(h.slide[k])];
      require(h.slide_limits[2 * k] <= from && from <= h.slide_limits[2 * k + 1], "the start of a heading is outside its limits");
    }
    for (std::size_t k = 0; k + 2 <= h.turn_limits.size(); k += 2) require(h.turn_limits[k] <= h.turn_limits[k + 1], "a range of a heading is empty");
    require(h.arm >= 0.0 && h.arm <= farthest && h.most >= 0.0, "a length of a heading is out of range");
  }
}

TreeArrays Description::tree() const {
  return TreeArrays{static_cast<long>(parent_.size()),
                    static_cast<long>(segment_.size()),
                    nq,
                    nv,
                    parent_.data(),
                    kind_.data(),
                    number_.data(),
                    step_.data(),
                    source_.data(),
                    segment_.data(),
                    rotation_.data(),
                    offset_.data(),
                    axis_.data(),
                    ratio_.data(),
                    shift_.data(),
                    mass_.data(),
                    center_.data()};
}

LimitArrays Description::limits() const {
  return LimitArrays{lower,      upper,      balls,   cone_number,    cone_reference, cone_basis,
                     cone_swing, cone_twist, coupled, coupled_source, coupled_ratio,  coupled_shift};
}

ProblemArrays Description::problem(const GoalArrays& g) const {
  const auto count = [](const auto& array) { return static_cast<long>(array.size()); };
  return ProblemArrays{tree(),
                       size,
                       angle_weight,
                       least_damping,
                       lower.data(),
                       upper.data(),
                       moving.data(),
                       joint.data(),
                       count(cone_number),
                       cone_number.data(),
                       cone_reference.data(),
                       cone_basis.data(),
                       cone_swing.data(),
                       cone_twist.data(),
                       count(g.part_kind),
                       goals,
                       target_width,
                       g.part_kind.data(),
                       g.part_member.data(),
                       g.part_segment.data(),
                       g.part_target.data(),
                       g.part_flags.data(),
                       g.part_offset.data(),
                       g.part_axis.data(),
                       g.part_tolerance.data(),
                       count(g.link_kind),
                       g.link_kind.data(),
                       g.link_member.data(),
                       g.link_segments.data(),
                       g.link_target.data(),
                       g.link_flags.data(),
                       g.link_offset.data(),
                       g.link_tolerance.data(),
                       g.link_margin.data(),
                       g.link_counts.data(),
                       count(g.solid_segment),
                       count(g.apart_margin),
                       count(g.corner_segment),
                       g.solid_segment.data(),
                       g.solid_box.data(),
                       g.solid_center.data(),
                       g.solid_edges.data(),
                       g.solid_radius.data(),
                       g.apart_solids.data(),
                       g.apart_margin.data(),
                       g.corner_segment.data(),
                       g.corner_point.data(),
                       g.corner_normal.data(),
                       g.corner_numbers.data(),
                       count(g.posture_member),
                       g.posture_member.data(),
                       g.posture_target.data(),
                       g.posture_tolerance.data(),
                       g.posture_stiffness.data(),
                       count(g.contact_segment),
                       g.contact_segment.data(),
                       g.contact_point.data(),
                       count(g.effector_segment),
                       count(g.callback_row),
                       g.effector_segment.data(),
                       g.effector_offset.data(),
                       g.callback_row.data()};
}

}  // namespace manikin
