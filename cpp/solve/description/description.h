// A figure with goals, read from a block: owned arrays whose sizes are checked. Every goal has one or more members to choose from; an AnyOf has
// several. Arrays that depend on members are stored member by member.
#pragma once
#include <string>
#include <vector>

#include "model/arrays.h"
#include "model/goals.h"
#include "model/named_arrays.h"
#include "solve/description/goal_arrays.h"
#include "solve/limits.h"
#include "solve/starts/heading.h"

namespace manikin {

class Description {
 public:
  explicit Description(const NamedArrays& block);

  TreeArrays tree() const;
  LimitArrays limits() const;
  // Returns the whole problem with these goals. It borrows the arrays of this object and of `goals`.
  ProblemArrays problem(const GoalArrays& goals) const;

  // Writes the speed limits (nq) with `every` as that of all joints that turn. Returns false if such a joint follows a slider: the speed of the slider
  // then includes that of the joint, and its own speed is not known.
  bool speeds(double every, double* out) const;

  int nq, nv;
  double size;
  double angle_weight, least_damping;             // see ProblemArrays
  std::vector<double> lower, upper, rest, speed;  // (nq) limits; rest pose; radians or lengths per second, infinite without a limit
  std::vector<int> moving, joint;                 // (nq)
  std::vector<int> balls;                         // first number of each quaternion in a pose
  std::vector<int> cone_number;
  std::vector<double> cone_reference, cone_basis, cone_swing, cone_twist;
  std::vector<int> coupled, coupled_source;  // numbers that follow another number, in order
  std::vector<double> coupled_ratio, coupled_shift;
  std::vector<int> turning;      // angles that neither follow nor lead another number
  std::vector<double> farthest;  // (nq) largest size of the other lengths and angles in a start; infinite for numbers that follow, and quaternions

  int goals, own_goals;         // the caller's goals come first; those of closed loops always count
  int target_width, own_width;  // likewise for the numbers in a row of targets
  std::vector<std::string> goal_name;
  bool placements_only;                                // whether the caller's goals are placements, whose targets may be matrices
  std::vector<int> goal_level, goal_members;           // (goals) priority levels, 0 first, without gaps; number of members
  std::vector<double> goal_weight, targets;            // (goals), (target_width) defaults of the goals
  std::vector<int> member_goal, member_target;         // (members), (members + 1) first number of each in a row of targets
  std::vector<double> member_share, member_tolerance;  // (members) factor of the weight; largest error that counts as reached
  std::vector<int> member_angular;                     // (members) 1 if the error is an angle
  std::vector<int> quaternion_at, direction_at;        // first number of each in a row of targets
  GoalArrays parts;
  std::vector<Callback> callbacks;   // sizes of the goals that the host evaluates, in the order of their members
  std::vector<int> callback_member;  // (callbacks)

  bool has_heading;
  HeadingArrays heading;  // indexed by members instead of goals

 private:
  // Each reads arrays of the block and checks them, in this order.
  void read_tree(const NamedArrays& block);
  void read_limits(const NamedArrays& block);
  void read_goals(const NamedArrays& block);
  void read_parts(const NamedArrays& block);
  void read_callbacks();
  void read_heading(const NamedArrays& block);
  double farthest_length() const;  // largest length that a block may have

  std::vector<int> parent_, kind_, number_, step_, source_, segment_;
  std::vector<double> rotation_, offset_, axis_, ratio_, shift_, mass_, center_;
};

}  // namespace manikin
