// Reads and checks the parts, links and postures of goals.
#include <algorithm>
#include <cmath>

#include "math/index.h"
#include "model/loss.h"
#include "solve/constants.h"
#include "solve/description/checks.h"
#include "solve/description/description.h"

namespace manikin {

using namespace block;

void Description::read_parts(const NamedArrays& b) {
  const double farthest = farthest_length();
  const std::size_t members = member_goal.size();
  GoalArrays& p = parts;
  p.read(b, nv);
  const std::size_t parts_count = p.part_kind.size(), links = p.link_kind.size(), solids = p.solid_segment.size(), corners = p.corner_segment.size();
  // each number within its range
  for (std::size_t k = 0; k < parts_count; ++k) {
    require(p.part_loss[k] >= kNoLoss && p.part_loss[k] <= kHuber, "the loss of a part is unknown");
    require(p.part_loss[k] == kNoLoss || (p.part_scale[k] > 0.0 && p.part_scale[k] < HUGE_VAL), "the scale of a loss is out of range");
    p.part_scale[k] = std::clamp(p.part_scale[k], kLeastTolerance, farthest + kFarthestSizes);
  }
  for (const int segment : p.effector_segment) require(segment >= 0 && at(segment) < segment_.size(), "the segment of an effector is out of range");
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
  const auto holds = [](const std::vector<int>& places, int place) { return std::find(places.begin(), places.end(), place) != places.end(); };
  // targets of parts have the form that their kind needs
  for (std::size_t k = 0; k < parts_count; ++k) {
    require(p.part_kind[k] >= 0 && p.part_kind[k] < kPartKinds, "kind of goal out of range");
    const PartFacts& facts = kParts[p.part_kind[k]];
    unit(&p.part_axis[3 * k], 3, !facts.about_axis, "the axis of a part is not of length 1");
    require(!facts.about_axis || holds(quaternion_at, p.part_target[k]), "the rotation of a swing or twist is missing");
    require(facts.direction < 0 || holds(direction_at, p.part_target[k] + facts.direction), "the direction of a plane or line is missing");
    require(p.part_share[k] >= 0.0 && p.part_share[k] <= kLargestGoalWeight, "the weight of a part is out of range");
  }
  for (std::size_t k = 0; k < corners; ++k) unit(&p.corner_normal[3 * k], 3, true, "the normal of a corner is not of length 1");
  // links refer to things that exist
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
          "links refer to more solids, pairs, corners or contacts than there are");
}

void Description::read_callbacks() {
  const GoalArrays& p = parts;
  for (std::size_t k = 0; k < p.link_kind.size(); ++k) {
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
}

}  // namespace manikin
