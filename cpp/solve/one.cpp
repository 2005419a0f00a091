// One query, in a workspace that this thread keeps.
#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include "compile/solver.h"
#include "dispatch/backend.h"
#include "solve/workspace.h"

namespace manikin {
namespace {

// What a thread keeps from one query to the next.
struct Kept {
  std::unique_ptr<Workspace> workspace;
  long bytes = 0;
  unsigned long long serial = 0;  // of the problem that it was used for last, by these kernels
  const SolverKernels* kernels = nullptr;
};

}  // namespace

void Solver::require_goals(const SolveOptions& options) const {
  if (problem_.callbacks > 0 && !options.goal) throw std::invalid_argument("the problem has goals of the host; options need `goal` to evaluate them");
}

void Solver::fill_not_begun(long count, const double* start, double* q, double* measures, const SolveResult* results) const {
  const long nq = problem_.nq, width = this->measures();
  for (long b = 0; b < count; ++b) {
    if (results[b].starts > 0) continue;
    std::fill(measures + b * width, measures + (b + 1) * width, std::numeric_limits<double>::quiet_NaN());
    const double* before = b > 0 ? q + (b - 1) * nq : start;
    std::copy(before, before + nq, q + b * nq);
  }
}

void Solver::solve_one(const SolveOptions& options, const double* targets, const double* weights, double* q, double* measures,
                       SolveResult* result) const {
  if (options.watch && takes_arms(options, weights)) {
    if (watch_arm(options, targets, weights, q, measures, result)) return;
  } else {
    ArmPlace place;
    if (solve_arm(options, targets, weights, options.restarts, place, q, measures, result)) return;
  }
  solve_general(options, targets, weights, q, measures, result);
}

void Solver::solve_general(const SolveOptions& options, const double* targets, const double* weights, double* q, double* measures,
                           SolveResult* result) const {
  require_goals(options);
  thread_local Kept kept;
  Kept mine = std::move(kept);  // a hook may solve something else on this thread
  kept.serial = 0;
  const SolverKernels& kernel = solver_kernels();
  if (problem_.serial != mine.serial || &kernel != mine.kernels) {
    const long bytes = kernel.workspace_bytes(problem_);
    if (!mine.workspace || bytes > mine.bytes) {
      mine.workspace = std::make_unique<Workspace>(bytes);
      mine.bytes = bytes;
    }
    mine.serial = problem_.serial;
    mine.kernels = &kernel;
  }
  kernel.solve(problem_, options, targets, weights, q, measures, result, mine.workspace->start);
  kept = std::move(mine);
}

}  // namespace manikin
