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
  p.part_kind = b.ints("part_kind");
  const std::size_t parts_count = p.part_kind.size();
  p.part_member = b.ints("part_member", parts_count);
  p.part_segment = b.ints("part_segment", parts_count);
  p.part_target = b.ints("part_target", parts_count);
  p.part_flags = b.ints("part_flags", parts_count);
  p.part_offset = b.doubles("part_offset", 3 * parts_count);
  p.part_axis = b.doubles("part_axis", 3 * parts_count);
  p.part_tolerance = b.doubles("part_tolerance", parts_count);
  p.part_loss = b.ints("part_loss", parts_count);
  p.part_scale = b.doubles("part_scale", parts_count);
  for (std::size_t k = 0; k < parts_count; ++k) {
    require(p.part_loss[k] >= kNoLoss && p.part_loss[k] <= kHuber, "the loss of a part is unknown");
    require(p.part_loss[k] == kNoLoss || (p.part_scale[k] > 0.0 && p.part_scale[k] < HUGE_VAL), "the scale of a loss is out of range");
    p.part_scale[k] = std::clamp(p.part_scale[k], kLeastTolerance, farthest + kFarthestSizes);
  }
  p.part_share = b.doubles("part_share", parts_count);
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
  const auto holds = [](const std::vector<int>& places, int place) { return std::find(places.begin(), places.end(), place) != places.end(); };
  for (std::size_t k = 0; k < parts_count; ++k) {
    require(p.part_kind[k] >= 0 && p.part_kind[k] < kPartKinds, "kind of goal out of range");
    const PartFacts& facts = kParts[p.part_kind[k]];
    unit(&p.part_axis[3 * k], 3, !facts.about_axis, "the axis of a part is not of length 1");
    require(!facts.about_axis || holds(quaternion_at, p.part_target[k]), "the rotation of a swing or twist is missing");
    require(facts.direction < 0 || holds(direction_at, p.part_target[k] + facts.direction), "the direction of a plane or line is missing");
    require(p.part_share[k] >= 0.0 && p.part_share[k] <= kLargestGoalWeight, "the weight of a part is out of range");
  }
  for (std::size_t k = 0; k < corners; ++k) unit(&p.corner_normal[3 * k], 3, true, "the normal of a corner is not of length 1");
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
