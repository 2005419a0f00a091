// Many queries over threads, and frames one after the other.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>

#include "manikin/backend.h"
#include "manikin/solver.h"
#include "threads.h"

namespace manikin {
namespace {

// Memory for one thread, aligned to 64 bytes.
struct Workspace {
  std::unique_ptr<char[]> memory;
  void* start;

  explicit Workspace(long bytes) : memory(new char[static_cast<std::size_t>(bytes) + 64]) {
    start = memory.get() + (64 - reinterpret_cast<std::uintptr_t>(memory.get()) % 64) % 64;
#ifdef __SANITIZE_ADDRESS__
    std::memset(start, 0xff, static_cast<std::size_t>(bytes));  // what is read before it is written shows as NaN
#endif
  }
};

}  // namespace

void Solver::solve_many(long count, const SolveOptions& options, const double* targets, const double* weights, bool one_weights,
                        double* q, double* measures, SolveResult* results, int threads) const {
  const SolverKernels& kernel = solver_kernels();
  const long bytes = kernel.workspace_bytes(problem_), measures_count = this->measures();
  std::atomic<long> next{0};
  on_threads(std::min<long>(threads, count), [&](long) {  // each takes the next row until there is none
    const Workspace workspace(bytes);
    for (long b = next++; b < count; b = next++)
      kernel.solve(problem_, options, targets + b * problem_.target_width, weights + (one_weights ? 0 : b * problem_.goals), q + b * problem_.nq,
                   measures + b * measures_count, results + b, workspace.start);
  });
}

void Solver::solve_one(const SolveOptions& options, const double* targets, const double* weights, double* q, double* measures,
                       SolveResult* result) const {
  thread_local std::unique_ptr<Workspace> kept;
  thread_local long kept_bytes = 0;
  const SolverKernels& kernel = solver_kernels();
  const long bytes = kernel.workspace_bytes(problem_);
  if (bytes > kept_bytes) {
    kept = std::make_unique<Workspace>(bytes);
    kept_bytes = bytes;
  }
  kernel.solve(problem_, options, targets, weights, q, measures, result, kept->start);
}

// How far a target that counts went, in sizes; turns count as in the cost.
double Solver::moved(const double* before, const double* after, const double* weights) const {
  double most = 0.0;
  auto step = [&](int target, int width, bool angle, int goal) {
    double square = 0.0;
    for (int k = target; k < target + width; ++k) square += (after[k] - before[k]) * (after[k] - before[k]);
    // the chord between two quaternions is half the angle, whichever sign they have
    if (angle) {
      double other = 0.0;
      for (int k = target; k < target + width; ++k) other += (after[k] + before[k]) * (after[k] + before[k]);
      square = std::min(square, other);
    }
    if (weights[goal] > 0.0) most = std::max(most, std::sqrt(square) * (angle ? 2.0 * 0.2 : 1.0 / problem_.size));
  };
  for (const Part& p : parts_) {
    const int width = p.kind == kOrientation ? 4 : p.kind == kPosition ? (p.flags & 1) + (p.flags >> 1 & 1) + (p.flags >> 2 & 1) : 3;
    step(p.target, width, p.kind == kOrientation, p.goal);
  }
  const int widths[] = {3, 4, 1, 3, 0, 0};
  for (const Link& l : links_) step(l.target, widths[l.kind], l.kind == kRelativeOrientation, l.goal);
  return std::isfinite(most) ? most : 0.0;
}

void Solver::track(long frames, const SolveOptions& options, const double* start, const double* targets, const double* weights,
                   bool one_weights, double* q, double* measures, SolveResult* results) const {
  const SolverKernels& kernel = solver_kernels();
  const Workspace workspace(kernel.workspace_bytes(problem_));
  const std::size_t pose = static_cast<std::size_t>(problem_.nq) * sizeof(double);
  for (long t = 0; t < frames; ++t) {
    double* mine = q + t * problem_.nq;
    const double* before = t > 0 ? mine - problem_.nq : start;
    if (problem_.nq > 0) std::memcpy(mine, before, pose);
    const double* target = targets + t * problem_.target_width;
    const double* weight = weights + (one_weights ? 0 : t * problem_.goals);
    SolveOptions now = options;
    now.frame = t > 0 ? 1 : 0;
    now.strained = t > 0 && !results[t - 1].reached ? 1 : 0;
    now.tracking = 1;
    now.restarts = t > 0 ? 0 : options.restarts;
    now.moved = t > 0 ? moved(target - problem_.target_width, target, weight) : 0.0;
    double* measure = measures + t * this->measures();
    kernel.solve(problem_, now, target, weight, mine, measure, results + t, workspace.start);
    if (t > 0 && options.restarts > 0 && !results[t].reached) {  // on request only: it may jump
      now.frame = 0;
      now.restarts = options.restarts;
      if (problem_.nq > 0) std::memcpy(mine, before, pose);
      kernel.solve(problem_, now, target, weight, mine, measure, results + t, workspace.start);
    }
  }
}

}  // namespace manikin
