// A figure with goals as a block describes it: owned arrays, checked as far as their sizes go. Every goal has one or more members to
// choose from (an AnyOf has several); what follows from members stands member by member.
#pragma once
#include <string>
#include <vector>

#include "model/arrays.h"
#include "model/goals.h"
#include "model/named_arrays.h"
#include "solve/heading.h"

namespace manikin {

// Arrays of parts, links and postures; see ProblemArrays for what each is. `*_member` says which member each belongs to.
struct GoalArrays {
  std::vector<int> part_kind, part_member, part_segment, part_target, part_flags;
  std::vector<double> part_offset, part_axis, part_tolerance;
  std::vector<int> link_kind, link_member, link_segments, link_target, link_flags, link_counts;
  std::vector<double> link_offset, link_tolerance, link_margin;
  std::vector<int> solid_segment, solid_box, apart_solids, corner_segment, contact_segment;
  std::vector<double> solid_center, solid_edges, solid_radius, apart_margin, corner_point, corner_normal, corner_numbers, contact_point;
  std::vector<int> posture_member, posture_target;
  std::vector<double> posture_tolerance, posture_stiffness;
  std::vector<int> effector_segment, callback_row;  // of goals that the host evaluates
  std::vector<double> effector_offset;

  // What is left of them for some members; `goal[m]` is the goal that member m stands for, -1 if it is not chosen. The members in
  // the result are those goals.
  GoalArrays chosen(const std::vector<int>& goal, int nv) const;
};

class Description {
 public:
  explicit Description(const NamedArrays& block);

  TreeArrays tree() const;
  // The whole problem with these goals, borrowed from here and from them.
  ProblemArrays problem(const GoalArrays& goals) const;

  int nq, nv;
  double size;
  double angle_weight, least_damping;             // see ProblemArrays
  std::vector<double> lower, upper, rest, speed;  // (nq) limits; the rest pose; radians or lengths a second, infinite without a limit
  std::vector<int> moving, joint;                 // (nq)
  std::vector<int> balls;                         // where quaternions start in a pose
  std::vector<int> cone_number;
  std::vector<double> cone_reference, cone_basis, cone_swing, cone_twist;
  std::vector<int> coupled, coupled_source;  // numbers that follow another, in order
  std::vector<double> coupled_ratio, coupled_shift;

  int goals, own_goals;         // those of the caller come first; the others, of closed loops, always count
  int target_width, own_width;  // the same of the numbers in a row of targets
  std::vector<std::string> goal_name;
  std::vector<int> goal_level, goal_members;           // (goals) levels of priority, 0 first, without gaps; how many members
  std::vector<double> goal_weight, targets;            // (goals), (target_width) the goals' own
  std::vector<int> member_goal, member_target;         // (members), (members + 1) where their numbers start in a row of targets
  std::vector<double> member_share, member_tolerance;  // (members) what the weight is multiplied with; largest error that is reached
  std::vector<int> member_angular;                     // (members) 1 if its error is an angle
  std::vector<int> quaternion_at, direction_at;        // where they start in a row of targets
  GoalArrays parts;
  std::vector<Callback> callbacks;   // goals that the host evaluates, in the order of their members: how large they are
  std::vector<int> callback_member;  // (callbacks)

  bool has_heading;
  HeadingArrays heading;  // with members in place of goals

 private:
  std::vector<int> parent_, kind_, number_, step_, source_, segment_;
  std::vector<double> rotation_, offset_, axis_, ratio_, shift_, mass_, center_;
};

}  // namespace manikin
