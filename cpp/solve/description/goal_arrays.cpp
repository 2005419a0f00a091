// Selects the arrays of the chosen members.
#include "math/index.h"
#include "solve/description/description.h"

namespace manikin {
namespace {

// Appends `width` items from index k on.
template <class T>
void take(const std::vector<T>& from, std::size_t k, std::size_t width, std::vector<T>& to) {
  to.insert(to.end(), from.begin() + static_cast<long>(k * width), from.begin() + static_cast<long>((k + 1) * width));
}

}  // namespace

GoalArrays GoalArrays::chosen(const std::vector<int>& goal, int nv) const {
  GoalArrays out;
  for (std::size_t k = 0; k < part_kind.size(); ++k) {
    const int g = goal[at(part_member[k])];
    if (g < 0) continue;
    out.part_member.push_back(g);
    for (const auto& [from, to] : {std::pair{&part_kind, &out.part_kind},
                                   {&part_segment, &out.part_segment},
                                   {&part_target, &out.part_target},
                                   {&part_flags, &out.part_flags},
                                   {&part_loss, &out.part_loss}})
      take(*from, k, 1, *to);
    take(part_offset, k, 3, out.part_offset);
    take(part_axis, k, 3, out.part_axis);
    take(part_tolerance, k, 1, out.part_tolerance);
    take(part_scale, k, 1, out.part_scale);
    take(part_share, k, 1, out.part_share);
  }
  std::size_t solid = 0, apart = 0, corner = 0, contact = 0, effector = 0, callback = 0;
  for (std::size_t k = 0; k < link_kind.size(); ++k) {
    const int g = goal[at(link_member[k])];
    const std::size_t count[3] = {at(link_counts[3 * k]), at(link_counts[3 * k + 1]), at(link_counts[3 * k + 2])};
    const bool clearance = link_kind[k] == kClearance, balance = link_kind[k] == kBalance, called = link_kind[k] == kCallback;
    if (g >= 0) {
      out.link_member.push_back(g);
      for (const auto& [from, to] : {std::pair{&link_kind, &out.link_kind}, {&link_target, &out.link_target}, {&link_flags, &out.link_flags}})
        take(*from, k, 1, *to);
      take(link_segments, k, 3, out.link_segments);
      take(link_counts, k, 3, out.link_counts);
      take(link_offset, k, 9, out.link_offset);
      take(link_tolerance, k, 1, out.link_tolerance);
      take(link_margin, k, 1, out.link_margin);
      for (std::size_t j = solid; clearance && j < solid + count[0]; ++j) {
        take(solid_segment, j, 1, out.solid_segment);
        take(solid_box, j, 1, out.solid_box);
        take(solid_center, j, 3, out.solid_center);
        take(solid_edges, j, 9, out.solid_edges);
        take(solid_radius, j, 1, out.solid_radius);
      }
      for (std::size_t j = apart; clearance && j < apart + count[1]; ++j) {
        take(apart_solids, j, 2, out.apart_solids);
        take(apart_margin, j, 1, out.apart_margin);
      }
      for (std::size_t j = corner; clearance && j < corner + count[2]; ++j) {
        take(corner_segment, j, 1, out.corner_segment);
        take(corner_point, j, 3, out.corner_point);
        take(corner_normal, j, 3, out.corner_normal);
        take(corner_numbers, j, 3, out.corner_numbers);
      }
      for (std::size_t j = contact; balance && j < contact + count[0]; ++j) {
        take(contact_segment, j, 1, out.contact_segment);
        take(contact_point, j, 3, out.contact_point);
      }
      for (std::size_t j = effector; called && j < effector + count[0]; ++j) {
        take(effector_segment, j, 1, out.effector_segment);
        take(effector_offset, j, 3, out.effector_offset);
      }
      for (std::size_t j = callback; called && j < callback + count[1]; ++j) take(callback_row, j, 1, out.callback_row);
    }
    if (clearance) solid += count[0], apart += count[1], corner += count[2];
    if (balance) contact += count[0];
    if (called) effector += count[0], callback += count[1];
  }
  for (std::size_t k = 0; k < posture_member.size(); ++k) {
    const int g = goal[at(posture_member[k])];
    if (g < 0) continue;
    out.posture_member.push_back(g);
    take(posture_target, k, 1, out.posture_target);
    take(posture_tolerance, k, 1, out.posture_tolerance);
    take(posture_stiffness, k, at(nv), out.posture_stiffness);
  }
  return out;
}

}  // namespace manikin
