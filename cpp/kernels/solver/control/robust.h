// The search for a pose if a goal has a robust loss (evaluate/robust.h).
#pragma once
#include "kernels/solver/control/search.h"

namespace manikin {
namespace MANIKIN_ISA {

// Runs w.now with softened losses, softer first, until most robust goals are near their targets. Returns at once if they are near already. Adds the
// iterations to those of `result`.
static void soften(Work& w, const SolveOptions& options, RunOptions how, SolveResult& result) {
  cost_of(w, w.now);
  double softness = wanted_softness(w);
  while (softness > 1.0 && left(options, result, 1) > 0 && !ended(w, options)) {
    w.loss.softness = softness;
    how.known = kNothingKnown;
    how.most = left(options, result, kSoftIterations);
    const Run run = run_start(w, options, how);
    result.iterations += run.iterations;
    cost_of(w, w.now);
    softness = __builtin_fmax(1.0, __builtin_fmin(0.5 * softness, wanted_softness(w)));
  }
  w.loss.softness = 1.0;
}

// Runs w.now to a minimum of the robust cost and returns how the last run ended.
static Run robust_polish(Work& w, const SolveOptions& options, SolveResult& result) {
  RunOptions how;
  how.patient = true;
  soften(w, options, how, result);
  return polish(w, options, result);
}

// `search` for robust goals: from the start, and from the best pose of an ordinary search if most goals end far from their targets.
[[gnu::noinline]] static void robust_search(Work& w, const SolveOptions& options, SolveResult& result) {
  copy(w, w.start, w.now);
  Run run = robust_polish(w, options, result);
  result.starts = 1;
  const double F = cost_of(w, w.now);
  if (!run.met && options.restarts != 0 && wanted_softness(w) > 1.0 && left(options, result, 1) > 0 && !ended(w, options)) {
    copy(w, w.now, w.last);
    w.loss.softness = __builtin_inf();
    from_starts(w, options, result, kNothingKnown, options.restarts < 0 ? kMostRestarts : options.restarts);
    const Run other = robust_polish(w, options, result);
    if (other.met || cost_of(w, w.now) < kTie * F) {
      run = other;
    } else {
      copy(w, w.last, w.now);
    }
  }
  if (!run.met && cost_of(w, w.start) < cost_of(w, w.now)) {  // never worse than the given start
    copy(w, w.start, w.now);
    if (left(options, result, 1) > 0) run = polish(w, options, result);
  }
  result.cost = cost_of(w, w.now);
  result.reached = all_met(w);
  result.status = result.reached ? 0 : was_ended(w, options) ? 3 : run.out && left(options, result, 1) <= 0 ? 2 : 1;
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
