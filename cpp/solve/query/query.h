// A whole query: a figure with goals, compiled once. It checks starts and targets, clips starts to their limits, keeps loops closed, applies strict
// priorities, and chooses one of the alternatives of each AnyOf.
#pragma once
#include <string>
#include <vector>

#include "model/arm.h"
#include "solve/query/ask.h"
#include "solve/query/choices.h"
#include "solve/constants.h"
#include "solve/description/description.h"
#include "solve/kinematics.h"
#include "solve/query/levels.h"
#include "solve/limits.h"

namespace manikin {

// The rows of a call. Everything is borrowed until the call returns.
struct Rows {
  long count = 1;
  const double* starts = nullptr;  // (nq), or (count, nq) with each_start; null: the rest pose, turned and moved to the targets
  bool each_start = false;
  const double* targets = nullptr;  // (own_width), or (count, own_width) with each_target; null: the defaults of the goals
  bool each_target = false;
  const double* weights = nullptr;  // (own_goals), or (count, own_goals) with each_weight, 0: does not count; null: the defaults
  bool each_weight = false;
  const double* active = nullptr;  // as the weights: goals of weight 0 whose errors are reported all the same; null: all
  const double* prefer = nullptr;  // (nq), or (count, nq) with each_prefer: poses to pull toward; null: the middle of the ranges
  bool each_prefer = false;
};

// Where the answers are written.
struct Answers {
  double* poses;    // (count, nq)
  double* errors;   // (count, goals)
  Ending* endings;  // (count)
  int* chosen;      // (count, goals) the chosen member of each goal
};

class Query {
 public:
  Query(const void* block, std::size_t bytes);  // throws std::invalid_argument if the block is not valid

  const Description& description() const { return description_; }
  const Limits& limits() const { return limits_; }
  const Kinematics& kinematics() const { return kinematics_; }
  const Choices& choices() const { return choices_; }
  int nq() const { return description_.nq; }
  int goals() const { return description_.goals; }
  int own_goals() const { return description_.own_goals; }
  int width() const { return description_.own_width; }

  // Clips a start q (nq) to its limits. Returns how far it was outside. Throws std::invalid_argument if the start cannot be used.
  double bring_in(double* q) const;
  // Returns what is wrong with a row of targets (own_width), as a sentence; empty if it is valid. Goals of weight 0 are not checked.
  std::string bad_targets(const double* targets, const double* weights, long row) const;
  // Whether a row of targets is certainly valid if all goals count.
  bool plain_targets(const double* targets) const;

  // Solves rows independently. Starts must be within limits and targets checked. The bits do not depend on the number of threads.
  void solve(const Ask& ask, const Rows& rows, const Answers& answers, int threads) const;
  // Fills in the errors of goals of weight 0, which the solver leaves out, for rows that are solved.
  void report_unweighted(const Ask& ask, const Rows& rows, const Answers& answers) const;
  // Writes the start of the first row to q (nq), with the first of each set of alternatives.
  void begin(const Rows& rows, double* q) const;
  // Completes a row: computes targets (target_width) and weights (goals) from those of the caller (own_width), (own_goals), or from the defaults if
  // null. The targets of closed loops follow those of the caller. Targets of goals that do not count may be anything; they become 0.
  void whole_targets(const double* own, const double* weights, double* out) const;
  void whole_weights(const double* own, double* out) const;

  // Solves one row with the first members only, from complete targets and weights (goals): q (nq) is start and pose, errors (goals).
  Ending run(const Ask& ask, bool near, bool strict, const double* targets, const double* weights, double* q, double* errors) const;

  // Writes the diagonal of J^T W J at a pose (nq), which need not be within limits, to out (nv): how much the goals tell about each step of the
  // figure, in lengths squared per step squared. Goals of weight 0 do not count, and outliers of robust goals count little. An AnyOf counts with its
  // nearest member. Steps that may not move have 0. `row` has complete targets and weights.
  void information(const Ask& ask, const WholeRow& row, double* out) const;

  // Whether single rows with default weights can use solve_plain: one priority level, no alternatives, no members
  // with a weight of their own, and no closed loops.
  bool is_plain() const { return plain_; }
  // Whether there are alternatives to choose from.
  bool has_choices() const { return !choices_.any_of().empty(); }
  const double* targets() const { return description_.targets.data(); }
  // Writes the start of a row without a given start to q (nq).
  void start(const double* targets, double* q) const { only_->start(targets, description_.goal_weight.data(), q); }
  // q (nq): start on input, pose on output.
  Ending solve_plain(const Ask& ask, const double* targets, double* q, double* errors) const;
  // Does the same for an arm without random starts, in a few microseconds. Returns false and changes nothing if the problem is not that of an arm or
  // no pose is found. `place` is where the arm was left.
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
  const Choices::Shared only_;  // the first members; without alternatives, the only combination
  bool plain_, arm_;            // plain_: one level, no alternatives, no loops, no weight of 0; arm_: also an arm
  bool unweighted_;             // whether a goal or a member has weight 0
};

}  // namespace manikin
