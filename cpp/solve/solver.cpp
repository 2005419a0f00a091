#include "solve/solver.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "dispatch/backend.h"
#include "solve/constants.h"
#include "solve/workspace.h"

namespace manikin {
namespace {

// Data that a thread keeps from one query to the next.
struct Kept {
  std::unique_ptr<Workspace> workspace;
  long bytes = 0;
  unsigned long long serial = 0;  // serial of the last problem solved with these kernels
  const SolverKernels* kernels = nullptr;
};

}  // namespace

void Solver::require_goals(const SolveOptions& options) const {
  if (problem_.callbacks > 0 && !options.goal)
    throw std::invalid_argument("the problem has goals that the host evaluates; set `goal` in the options");
}

void Solver::solve_one(const SolveOptions& options, const double* targets, const double* weights, double* q, double* measures,
                       SolveResult* result) const {
  if (options.watch && arm_.takes(options, weights)) {
    if (watch_arm(options, targets, weights, q, measures, result)) return;
  } else {
    ArmPlace place;
    if (arm_.solve(options, targets, weights, rounds_of(options.restarts), place, q, measures, result)) return;
  }
  if (!arm_.takes(options, weights)) return solve_general(options, targets, weights, q, measures, result);
  solve_after_arm(options, targets, weights, q, measures, result);
}

void Solver::solve_after_arm(const SolveOptions& options, const double* targets, const double* weights, double* q, double* measures,
                             SolveResult* result) const {
  const int rounds = rounds_of(options.restarts);
  SolveOptions rest = options;
  rest.restarts = restarts_after(options.restarts, rounds);
  solve_general(rest, targets, weights, q, measures, result);
  result->starts += kArmStarts * rounds;
}

// Calls call(kernels, workspace).
template <class Call>
void Solver::in_workspace(Call call) const {
  thread_local Kept kept;
  Kept mine = std::move(kept);  // a hook may solve another problem on this thread
  kept.serial = 0;              // NOLINT(bugprone-use-after-move): every member is set again before it is read
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
  call(kernel, mine.workspace->start);
  kept = std::move(mine);
}

void Solver::solve_general(const SolveOptions& options, const double* targets, const double* weights, double* q, double* measures,
                           SolveResult* result) const {
  require_goals(options);
  in_workspace([&](const SolverKernels& kernel, void* work) { kernel.solve(problem_, options, targets, weights, q, measures, result, work); });
}

void Solver::information(const SolveOptions& options, const double* targets, const double* weights, const double* q, double* out) const {
  require_goals(options);
  in_workspace([&](const SolverKernels& kernel, void* work) { kernel.information(problem_, options, targets, weights, q, out, work); });
}

void Solver::solve_arms(long count, const SolveOptions& options, const double* targets, const double* weights, double* q, double* measures,
                        SolveResult* results) const {
  const std::vector<double> starts(q, q + (options.most < kArmLeastIterations ? count * problem_.nq : 0));
  std::vector<ArmResult> found(static_cast<std::size_t>(count));
  arm_kernels().solve_many(arm_.arm()->with_table(), count, targets, problem_.target_width,
                           ArmDraws{options.seed, rounds_of(options.restarts), options.host, options.stopped}, q, problem_.nq, found.data());
  for (long b = 0; b < count; ++b) {
    const ArmResult& one = found[static_cast<std::size_t>(b)];
    if (one.reached && one.iterations <= options.most) {
      arm_.tell(one, measures + b * this->measures(), results + b);
      continue;
    }
    if (!starts.empty()) std::copy(starts.data() + b * problem_.nq, starts.data() + (b + 1) * problem_.nq, q + b * problem_.nq);
    solve_after_arm(options, targets + b * problem_.target_width, weights, q + b * problem_.nq, measures + b * this->measures(), results + b);
  }
}

// Does the same with a watcher. The arm kernels try many poses side by side, so the watcher sees one step from the start.
bool Solver::watch_arm(const SolveOptions& options, const double* targets, const double* weights, double* q, double* measures,
                       SolveResult* result) const {
  const std::vector<double> start(q, q + problem_.nq);
  ArmPlace place;
  if (!arm_.solve(options, targets, weights, rounds_of(options.restarts), place, q, measures, result)) return false;
  SolveOptions errors_only{};
  errors_only.tracking = 1;
  errors_only.deadline = HUGE_VAL;
  std::vector<double> pose = start, unused(static_cast<std::size_t>(this->measures()));
  SolveResult at_start;
  solve_one(errors_only, targets, weights, pose.data(), unused.data(), &at_start);
  double square = 0.0;
  for (int k = 0; k < problem_.numbered; ++k) {
    const Numbered& n = problem_.each_number[k];
    square += std::pow((q[n.number] - start[static_cast<std::size_t>(n.number)]) / n.unit, 2);
  }
  const double cost = 0.5 * at_start.weight_unit * at_start.cost * problem_.size * problem_.size;
  options.watch(options.host, Glance{start.data(), cost, 0.0, std::sqrt(square), result->iterations, 1});
  return true;
}

}  // namespace manikin
