// The arrays of parts, links and postures in a block, described once: the core reads, checks and selects them by this table, and Python makes them by it.
#pragma once
#include <cstddef>
#include <vector>

#include "model/named_arrays.h"

namespace manikin {

// What a row of an array belongs to. All arrays of a group have the same number of rows.
enum GoalRows { kPartRows, kLinkRows, kContactRows, kSolidRows, kApartRows, kCornerRows, kPostureRows, kEffectorRows, kCalledRows, kGoalGroups };

// X(type, name, group, numbers in a row; 0 stands for nv). ProblemArrays says what each array means; `*_member` is the member that a row belongs to.
// clang-format off
#define MANIKIN_GOAL_ARRAYS(X) \
  X(int, part_kind, kPartRows, 1) \
  X(int, part_member, kPartRows, 1) \
  X(int, part_segment, kPartRows, 1) \
  X(int, part_target, kPartRows, 1) \
  X(int, part_flags, kPartRows, 1) \
  X(double, part_offset, kPartRows, 3) \
  X(double, part_axis, kPartRows, 3) \
  X(double, part_tolerance, kPartRows, 1) \
  X(int, part_loss, kPartRows, 1) \
  X(double, part_scale, kPartRows, 1) \
  X(double, part_share, kPartRows, 1) \
  X(int, link_kind, kLinkRows, 1) \
  X(int, link_member, kLinkRows, 1) \
  X(int, link_segments, kLinkRows, 3) \
  X(int, link_target, kLinkRows, 1) \
  X(int, link_flags, kLinkRows, 1) \
  X(double, link_offset, kLinkRows, 9) \
  X(double, link_tolerance, kLinkRows, 1) \
  X(double, link_margin, kLinkRows, 1) \
  X(int, link_counts, kLinkRows, 3) \
  X(int, contact_segment, kContactRows, 1) \
  X(double, contact_point, kContactRows, 3) \
  X(int, solid_segment, kSolidRows, 1) \
  X(double, solid_center, kSolidRows, 3) \
  X(int, solid_box, kSolidRows, 1) \
  X(double, solid_edges, kSolidRows, 9) \
  X(double, solid_radius, kSolidRows, 1) \
  X(int, apart_solids, kApartRows, 2) \
  X(double, apart_margin, kApartRows, 1) \
  X(int, corner_segment, kCornerRows, 1) \
  X(double, corner_point, kCornerRows, 3) \
  X(double, corner_normal, kCornerRows, 3) \
  X(double, corner_numbers, kCornerRows, 3) \
  X(int, posture_member, kPostureRows, 1) \
  X(int, posture_target, kPostureRows, 1) \
  X(double, posture_tolerance, kPostureRows, 1) \
  X(double, posture_stiffness, kPostureRows, 0) \
  X(int, effector_segment, kEffectorRows, 1) \
  X(double, effector_offset, kEffectorRows, 3) \
  X(int, callback_row, kCalledRows, 1)
// clang-format on

struct GoalArrays {
#define X(type, name, group, width) std::vector<type> name;
  MANIKIN_GOAL_ARRAYS(X)
#undef X

  // Reads the arrays of a block. Throws std::invalid_argument if the arrays of a group differ in their number of rows.
  void read(const NamedArrays& block, int nv);
  // Selects the arrays of some members. `goal[m]` is the goal that member m stands for, -1 if it is not chosen. In the result, the goals take the
  // place of the members.
  GoalArrays chosen(const std::vector<int>& goal, int nv) const;

 private:
  // Appends rows of a group.
  template <GoalRows kGroup>
  void take(const GoalArrays& from, std::size_t first, std::size_t count, int nv);
};

}  // namespace manikin
