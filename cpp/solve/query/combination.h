// One choice of members for the goals: a compiled problem, and the conversion of its measures to the errors of the goals.
#pragma once
#include <memory>
#include <vector>

#include "compile/compiled_problem.h"
#include "solve/query/ask.h"
#include "solve/description/description.h"
#include "solve/starts/heading.h"
#include "solve/limits.h"
#include "solve/solver.h"

namespace manikin {

class Combination {
 public:
  // members: (goals) the chosen member of each goal, counted from its first.
  Combination(const Description& description, const Limits& limits, const std::vector<int>& members);
  Combination(const Combination&) = delete;
  Combination& operator=(const Combination&) = delete;

  const Solver& solver() const { return solver_; }
  const std::vector<int>& members() const { return members_; }
  const std::vector<double>& tolerances() const { return tolerances_; }  // (goals) largest error that counts as reached
  int level(int goal) const { return description_.goal_level[static_cast<std::size_t>(goal)]; }
  int levels() const { return levels_; }  // number of levels
  int goals() const { return description_.goals; }
  int own_goals() const { return description_.own_goals; }  // without those of closed loops
  int nq() const { return description_.nq; }
  bool is_posture(int goal) const { return posture_[static_cast<std::size_t>(goal)] != 0; }
  // Factor of the weight of a goal: the weight of its member.
  double share(int goal) const { return shares_[static_cast<std::size_t>(goal)]; }
  // Factor that converts the error of a goal to sizes of the figure.
  double in_sizes(int goal) const { return in_sizes_[static_cast<std::size_t>(goal)]; }

  // Whether the frames of a track have the weights of the goals: there is one level, and all shares are 1.
  bool weighs_plainly() const { return levels_ == 1 && !shared_; }
  // Computes the weights of the members: (goals) in and out.
  void weigh(const double* weights, double* out) const;
  // q (nq): the rest pose, turned and moved to a row of targets if these determine a heading; weights as from `weigh`.
  void start(const double* targets, const double* weights, double* q) const;
  // Returns the options of a solve of this problem for a caller's `ask`. With `near`, the start is used unchanged. The options borrow this object,
  // `ask` and `scratch`.
  SolveOptions options(const Ask& ask, int restarts, int most, bool near, struct Scratch& scratch) const;
  // Runs one solve from q (nq), which receives the pose; errors: (goals), 0 for goals that do not count.
  SolveResult solve(const Ask& ask, int restarts, int most, bool near, const double* targets, const double* weights, double* q, double* errors) const;
  // Moves q (nq), a pose that meets the goals, to the nearest such pose to the preferred one. Returns false and changes nothing if none is found.
  bool settle(const Ask& ask, int most, const double* targets, const double* weights, double* q, double* errors, SolveResult* result) const;
  // Computes the errors of a pose without changing it, and the resulting status.
  SolveResult errors_at(const Ask& ask, const double* targets, const double* weights, const double* q, double* errors) const;
  // Converts the solver's measures (rows, measures) to errors of goals (rows, goals).
  void give_errors(const double* measures, double* errors, long rows = 1) const;

 private:
  Combination(const Description& description, const Limits& limits, std::vector<int> members, const std::vector<int>& goal_of_member);

  const Description& description_;
  const Limits& limits_;
  std::vector<int> members_;
  GoalArrays arrays_;
  CompiledProblem compiled_;
  Solver solver_;
  std::unique_ptr<Heading> heading_;
  std::vector<double> tolerances_, shares_, in_sizes_;
  std::vector<char> posture_;         // (goals) 1 for a Posture
  std::vector<int> goal_of_;          // (measures)
  std::vector<double> by_tolerance_;  // (measures) factor from a measure to the error of its goal
  std::vector<int> callback_;         // (callbacks of the problem) index among those of the description
  int levels_;
  bool shared_;  // whether any share differs from 1
};

// Data that the options of one solve borrow: hooks for the goals that the host evaluates, and the stiffness of the pull toward a preferred pose.
struct Scratch {
  const Ask* ask = nullptr;
  const int* callback = nullptr;  // index of each callback of the problem among those of the description
  std::vector<double> stiffness;  // (width) in the solver's order
};

}  // namespace manikin
