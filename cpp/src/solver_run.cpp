// Many queries over threads.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <vector>

#include "arm_build.h"
#include "manikin/backend.h"
#include "manikin/solver.h"
#include "threads.h"
#include "workspace.h"

namespace manikin {
namespace {

constexpr long kBlock = 512;           // rows of arms that a thread takes at a time

}  // namespace

void Solver::solve_many(long count, const SolveOptions& options, const double* targets, const double* weights, bool one_weights,
                        double* q, double* measures, SolveResult* results, int threads) const {
  if (count == 1) return solve_one(options, targets, weights, q, measures, results);
  const SolverKernels& kernel = solver_kernels();
  const long bytes = kernel.workspace_bytes(problem_), measures_count = this->measures(), width = problem_.target_width, nq = problem_.nq;
  const bool arm = one_weights && for_arm(options, weights);
  const long block = arm ? kBlock : 1;
  if (arm) arm_->with_table();
  std::atomic<long> next{0};
  on_threads(std::min<long>(threads, (count + block - 1) / block), [&](long) {  // each takes the next rows until there are none
    const Workspace workspace(bytes);
    std::vector<ArmResult> found(arm ? static_cast<std::size_t>(block) : 0);
    for (long first = next.fetch_add(block); first < count; first = next.fetch_add(block)) {
      const long rows = std::min(block, count - first);
      if (arm)
        arm_kernels().solve_many(arm_->arm(), rows, targets + first * width, static_cast<int>(width), options.seed, options.restarts, q + first * nq,
                                 static_cast<int>(nq), found.data());
      for (long b = first; b < first + rows; ++b) {
        if (arm && found[static_cast<std::size_t>(b - first)].reached) {
          solved_arm(found[static_cast<std::size_t>(b - first)], measures + b * measures_count, results + b);
        } else {
          kernel.solve(problem_, options, targets + b * width, weights + (one_weights ? 0 : b * problem_.goals), q + b * nq,
                       measures + b * measures_count, results + b, workspace.start);
        }
      }
    }
  });
}

void Solver::solve_one(const SolveOptions& options, const double* targets, const double* weights, double* q, double* measures,
                       SolveResult* result) const {
  ArmPlace place;
  if (solve_arm(options, targets, weights, options.restarts, place, q, measures, result)) return;
  thread_local std::unique_ptr<Workspace> kept;
  thread_local long kept_bytes = 0;
  thread_local unsigned long long kept_for = 0;
  thread_local const SolverKernels* kept_by = nullptr;
  const SolverKernels& kernel = solver_kernels();
  if (problem_.serial != kept_for || &kernel != kept_by) {
    const long bytes = kernel.workspace_bytes(problem_);
    if (bytes > kept_bytes) {
      kept = std::make_unique<Workspace>(bytes);
      kept_bytes = bytes;
    }
    kept_for = problem_.serial;
    kept_by = &kernel;
  }
  kernel.solve(problem_, options, targets, weights, q, measures, result, kept->start);
}

}  // namespace manikin
