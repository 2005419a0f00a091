// A whole query: a figure with goals, compiled once. Starts are checked and brought inside their limits, targets are checked, closed
// loops are kept, priorities are strict, and of alternatives (AnyOf) one is chosen.
#pragma once
#include <string>
#include <vector>

#include "model/arm.h"
#include "solve/ask.h"
#include "solve/choices.h"
#include "solve/constants.h"
#include "solve/description.h"
#include "solve/kinematics.h"
#include "solve/levels.h"
#include "solve/limits.h"

namespace manikin {

// Rows that are asked for. Everything is borrowed for the time of the call.
struct Rows {
  long count = 1;
  const double* starts = nullptr;  // (nq), or (count, nq) with each_start; none: the rest pose, turned and moved to the targets
  bool each_start = false;
  const double* targets = nullptr;  // (own_width), or (count, own_width) with each_target; none: the goals' own
  bool each_target = false;
  const double* weights = nullptr;  // (own_goals), or (count, own_goals) with each_weight, 0 where a goal does not count; none: the goals' own
  bool each_weight = false;
  const double* prefer = nullptr;  // (nq), or (count, nq) with each_prefer: poses to pull toward; none: the middle of the ranges
  bool each_prefer = false;
};

// Where answers go.
struct Answers {
  double* poses;    // (count, nq)
  double* errors;   // (count, goals)
  Ending* endings;  // (count)
  int* chosen;      // (count, goals) which member of each goal
};

class Query {
 public:
  Query(const void* block, std::size_t bytes);  // throws std::invalid_argument on a block that does not hold

  const Description& description() const { return description_; }
  const Limits& limits() const { return limits_; }
  const Kinematics& kinematics() const { return kinematics_; }
  const Choices& choices() const { return choices_; }
  int nq() const { return description_.nq; }
  int goals() const { return description_.goals; }
  int own_goals() const { return description_.own_goals; }
  int width() const { return description_.own_width; }

  // q (nq): a start brought inside its limits; how far it was outside. Throws std::invalid_argument where it cannot be used.
  double bring_in(double* q) const;
  // What is wrong with a row of targets (own_width), as a sentence; empty where nothing is. Goals of weight 0 are not looked at.
  std::string bad_targets(const double* targets, const double* weights, long row) const;
  // Whether a row of targets is known to be good, all goals counting.
  bool plain_targets(const double* targets) const;

  // Rows, each on its own: starts within limits, targets that were looked at. The same bits whatever the number of threads.
  void solve(const Ask& ask, const Rows& rows, const Answers& answers, int threads) const;
  // q (nq): where the first row begins; of alternatives the first.
  void begin(const Rows& rows, double* q) const;
  // A row complete: targets (target_width) and weights (goals) from those of the caller (own_width), (own_goals), none for the goals'
  // own. The targets of closed loops stand behind those of the caller; what goals that do not count ask for may be anything: it becomes 0.
  void whole_targets(const double* own, const double* weights, double* out) const;
  void whole_weights(const double* own, double* out) const;

  // One row by the first members alone, with complete targets and weights (goals) as they are: q (nq) start and pose, errors (goals).
  Ending run(const Ask& ask, bool near, bool strict, const double* targets, const double* weights, double* q, double* errors) const;

  // One row at a time with the goals' own weights, where priorities, alternatives and closed loops need no care (`is_plain`).
  bool is_plain() const { return plain_; }
  // Whether there are alternatives to choose from.
  bool has_choices() const { return !choices_.any_of().empty(); }
  const double* targets() const { return description_.targets.data(); }
  // q (nq): where a row without a start begins.
  void start(const double* targets, double* q) const { only_->start(targets, description_.goal_weight.data(), q); }
  // q (nq): start on the way in, pose on the way out.
  Ending solve_plain(const Ask& ask, const double* targets, double* q, double* errors) const;
  // The same for an arm, without random starts: a few microseconds. False, and nothing changed, where it is none or that does not do.
  // `place` is where the arm was left.
  bool solve_arm(const Ask& ask, const double* targets, ArmPlace& place, double* q, double* errors, Ending* ending) const;

 private:
  Found solve_with(const Combination& goals, const Ask& ask, const WholeRow& row, int most) const;
  Found not_begun(const WholeRow& row, std::vector<int>& chosen) const;
  Found solve_row(const Ask& ask, const WholeRow& row, std::vector<int>& chosen) const;
  bool solve_arms(const Ask& ask, const Rows& rows, const Answers& answers, int threads) const;
  Description description_;
  Limits limits_;
  Kinematics kinematics_;
  Choices choices_;
  const Choices::Shared only_;  // where there is nothing to choose, and else the first members
  bool plain_, arm_;            // one level, nothing to choose, no loops; an arm besides
};

}  // namespace manikin
