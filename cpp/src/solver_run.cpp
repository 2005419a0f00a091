// Many queries over threads, and frames one after the other.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "arm_build.h"
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
    std::memset(start, 0, sizeof(unsigned long long));  // laid out for no problem yet
  }
};

constexpr long kBlock = 512;           // rows of arms that a thread takes at a time
constexpr int kEnough = 1000;          // iterations; with fewer allowed, arms are counted like all others
constexpr double kCalm = 0.03;         // radians in a frame up to which an arm just steps to its target,
constexpr double kCalmSpeed = 6.0;     // or these for each size that the target moves; else it is a frame like any other
constexpr double kBegins = 2.5e-3;     // sizes that the target of a goal counts as having moved where the goal did not count before

}  // namespace

bool Solver::for_arm(const SolveOptions& options, const double* weights) const {
  return options.restarts > 0 && !options.tracking && options.most >= kEnough && is_arm(weights);
}

bool Solver::is_arm(const double* weights) const { return arm_ && weights[parts_[0].goal] > 0.0 && weights[parts_[1].goal] > 0.0; }

void Solver::solved_arm(const ArmResult& found, double* measures, SolveResult* result) const {
  for (std::size_t k = 0; k < 2; ++k) measures[k] = parts_[k].kind == kPosition ? found.length : found.angle;
  *result = SolveResult{0.0, 1, 0, found.iterations, 0, found.starts};
}

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
  if (solve_arm(options, targets, weights, options.restarts, q, measures, result)) return;
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

bool Solver::solve_arm(const SolveOptions& options, const double* targets, const double* weights, int rounds, double* q, double* measures,
                       SolveResult* result) const {
  if (!for_arm(options, weights)) return false;
  ArmResult found;
  arm_kernels().solve(arm_->with_table(), targets, options.seed, rounds, q, &found);
  if (found.reached) solved_arm(found, measures, result);
  return found.reached != 0;
}

// How far a target that counts went, in sizes; turns count as in the cost. Where a goal begins to count its target was nowhere
// before: joints may then turn as fast as they do for a target that moves, not as far as it is away.
double Solver::moved(const double* before, const double* after, const double* weights_before, const double* weights) const {
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
    if (!(weights[goal] > 0.0)) return;
    if (!(weights_before[goal] > 0.0)) square = 0.0, most = std::max(most, kBegins);
    most = std::max(most, std::sqrt(square) * (angle ? 2.0 * 0.2 : 1.0 / problem_.size));
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
  bool goes_on = false;  // whether the workspace is as the frame before left it
  for (long t = 0; t < frames; ++t) {
    double* mine = q + t * problem_.nq;
    const double* before = t > 0 ? mine - problem_.nq : start;
    if (problem_.nq > 0) std::memcpy(mine, before, pose);
    const double* target = targets + t * problem_.target_width;
    const double* weight = weights + (one_weights ? 0 : t * problem_.goals);
    const double* weight_before = one_weights || t == 0 ? weight : weight - problem_.goals;
    SolveOptions now = options;
    now.frame = t == 0 ? 0 : goes_on ? 2 : 1;
    goes_on = false;
    now.strained = t > 0 && !results[t - 1].reached ? 1 : 0;
    now.tracking = 1;
    now.restarts = t > 0 ? 0 : options.restarts;
    now.moved = t > 0 ? moved(target - problem_.target_width, target, weight_before, weight) : 0.0;
    double* measure = measures + t * this->measures();
    if (t > 0 && is_arm(weight)) {
      ArmResult found;
      arm_kernels().follow(arm_->arm(), target, std::max(kCalm, kCalmSpeed * now.moved), mine, &found);
      if (found.reached) {
        solved_arm(found, measure, results + t);
        continue;
      }
    }
    kernel.solve(problem_, now, target, weight, mine, measure, results + t, workspace.start);
    goes_on = t > 0;
    if (t > 0 && options.restarts > 0 && !results[t].reached) {  // on request only: it may jump
      goes_on = false;
      now.frame = 0;
      now.restarts = options.restarts;
      if (problem_.nq > 0) std::memcpy(mine, before, pose);
      kernel.solve(problem_, now, target, weight, mine, measure, results + t, workspace.start);
    }
  }
}

}  // namespace manikin
