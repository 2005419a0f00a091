// Runs a compiled problem: one query, or rows of an arm.
#pragma once
#include "compile/compiled_problem.h"
#include "model/options.h"
#include "solve/arm_solver.h"

namespace manikin {

class Solver {
 public:
  explicit Solver(const CompiledProblem& compiled) : compiled_(compiled), problem_(compiled.problem()), arm_(compiled) {}

  const CompiledProblem& compiled() const { return compiled_; }
  const Problem& problem() const { return problem_; }
  const ArmSolver& arm() const { return arm_; }
  int measures() const { return compiled_.measures(); }

  // Solves one query in a workspace that this thread keeps. q: (nq) start and pose; targets: (target_width); weights: (goals).
  void solve_one(const SolveOptions& options, const double* targets, const double* weights, double* q, double* measures, SolveResult* result) const;
  // Does the same with the general solver.
  void solve_general(const SolveOptions& options, const double* targets, const double* weights, double* q, double* measures,
                     SolveResult* result) const;
  // Does the same after the arm kernels have found no pose, with the starts that are left.
  void solve_after_arm(const SolveOptions& options, const double* targets, const double* weights, double* q, double* measures,
                       SolveResult* result) const;
  // Solves rows of an arm; each takes the first pose found. The general solver takes the rows that the arm kernels do not solve.
  void solve_arms(long count, const SolveOptions& options, const double* targets, const double* weights, double* q, double* measures,
                  SolveResult* results) const;

  // Writes the information (nv) of a pose q (nq), see SolverKernels.
  void information(const SolveOptions& options, const double* targets, const double* weights, const double* q, double* out) const;

  // Throws std::invalid_argument if the problem has goals of the host and the options have no hook to evaluate them.
  void require_goals(const SolveOptions& options) const;

 private:
  template <class Call>
  void in_workspace(Call call) const;
  bool watch_arm(const SolveOptions& options, const double* targets, const double* weights, double* q, double* measures, SolveResult* result) const;

  const CompiledProblem& compiled_;
  const Problem& problem_;
  ArmSolver arm_;
};

}  // namespace manikin
