// Reads and checks goals, their members and targets.
#include <algorithm>
#include <cmath>

#include "math/index.h"
#include "solve/constants.h"
#include "solve/description/checks.h"
#include "solve/description/description.h"

namespace manikin {

using namespace block;

void Description::read_goals(const NamedArrays& b) {
  // goals
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
  // members, and their targets in a row
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
    member_tolerance[m] = std::clamp(member_tolerance[m], kLeastTolerance, farthest_length() + kFarthestSizes);
    require(member_share[m] >= 0.0 && member_share[m] <= kLargestGoalWeight, "a weight of a member is out of range");
    require((member_target[m] >= own_width) == (member_goal[m] >= own_goals) || member_target[m] == member_target[m + 1],
            "targets of members do not fit the width of a row");
  }
  // which targets are rotations and directions
  quaternion_at = b.ints("quaternion_at");
  direction_at = b.ints("direction_at");
  const std::vector<int>& placed = b.ints("goal_placement", count);
  placements_only = std::all_of(placed.begin(), placed.begin() + own_goals, [](int is) { return is != 0; }) && own_width == 7 * own_goals;
  for (const int k : quaternion_at) require(k >= 0 && k <= target_width - 4, "a quaternion of a target is out of range");
  for (const int k : direction_at) require(k >= 0 && k <= target_width - 3, "a direction of a target is out of range");
  all_finite(targets, "a target is not finite");
  for (const int k : quaternion_at) unit(&targets[at(k)], 4, false, "the quaternion of a target is not of length 1");
  for (const int k : direction_at)
    require(std::max({std::fabs(targets[at(k)]), std::fabs(targets[at(k + 1)]), std::fabs(targets[at(k + 2)])}) > kLeastDirection,
            "the direction of a target has no length");
}

}  // namespace manikin
