// The order of starts.
#pragma once
#include "kernels/solver/control/chain.h"
#include "kernels/solver/control/draws.h"
#include "kernels/solver/control/root.h"

namespace manikin {
namespace MANIKIN_ISA {

static double cost_of(Work& w, const State& s) {
  forward(w, s);
  all_errors(w);
  w.angle_factor = 1.0;
  return cost(w);
}

// The same if only the errors of the state are needed.
static double cost_at(Work& w, const State& s) {
  if (!on_chain(w)) return cost_of(w, s);
  chain_errors(w, s.x, w.chain.e);
  w.angle_factor = 1.0;
  return chain_cost(w);
}

static Run run_from(Work& w, const SolveOptions& options, const RunOptions& run) {
  if (!on_chain(w)) return run_start(w, options, run);
  return w.problem->parts == 1 ? run_chain<1>(w, options, run) : run_chain<2>(w, options, run);
}

static inline int left(const SolveOptions& options, const SolveResult& result, int wanted) {
  const int rest = options.most - result.iterations;
  return rest < wanted ? rest : wanted;
}

// Runs from w.now, then from up to `restarts` other starts until all goals are met. If the best is close, it tries up to `more` other starts. Leaves
// the best in w.best and in w.now. `known` says what is already computed for w.now. A start with known errors is near, and skips the phase with
// positions first.
static Run from_starts(Work& w, const SolveOptions& options, SolveResult& result, Known known, int restarts, int more = 0) {
  const auto all = [](int) { return true; };
  // the start itself
  RunOptions how;
  how.most = left(options, result, options.iterations);
  how.positions_first = known == kNothingKnown;
  how.known = known;
  if (w.problem->coordinates <= kFewCoordinates) how.cap = kShortStep;
  Run run = run_from(w, options, how);
  how = RunOptions{};
  how.positions_first = true;
  result.iterations += run.iterations;
  result.starts += result.starts == 0;  // later rounds continue from the best pose, which is not another start
  Run best = run;
  copy(w, w.now, w.best);
  // other starts, as long as goals are missed
  const bool prefers = w.prefer.pulls;
  w.prefer.pulls = false;  // if the preferred pose was misleading, other starts search for any pose that meets the goals
  const auto goes_on = [&](int start) { return start <= restarts || (start <= more && best.cost < kClose); };
  for (int start = 1; goes_on(start) && !run.met && left(options, result, 1) > 0 && !ended(w, options); ++start) {
    cost_at(w, w.best);  // also computes the errors of the best, which decide which parts are bad
    mark_bad(w);
    const auto any = [&](int i) { return w.any_bad[i] != 0; };
    const auto only = [&](int i) { return w.only_bad[i] != 0; };
    if (start == 1) {
      copy(w, w.best, w.now);
      to_middle(w, w.now, 1.0, [&](int i) { return any(i) && !of_root(*w.problem, i); });
      fit_root(w, w.now);
    } else {
      // the best of some random poses, drawn in one of three ways
      const int way = (start - 2) % 3;
      double least = __builtin_inf();
      for (int k = 0; k < kSamples; ++k) {
        copy(w, w.best, w.trial);
        if (way == 0) {
          draw(w, w.trial, any);
          fit_root(w, w.trial);
        } else if (way == 1) {
          draw(w, w.trial, all);
        } else {
          draw(w, w.trial, only);
        }
        w.enough = kSurelyMore * least;
        const double F = cost_at(w, w.trial);
        w.enough = __builtin_inf();
        if (F < least) {
          least = F;
          copy(w, w.trial, w.now);
        }
      }
    }
    // solve from there, and keep the best
    how.most = left(options, result, options.iterations);
    run = run_from(w, options, how);
    result.iterations += run.iterations;
    ++result.starts;
    if (run.met || run.cost < kLower * best.cost) {
      best = run;
      copy(w, w.now, w.best);
    }
  }
  copy(w, w.best, w.now);
  w.prefer.pulls = prefers;
  return best;
}

// Runs w.now to its minimum. `frugal_steps`: at most this many steps in a frugal frame.
static Run polish(Work& w, const SolveOptions& options, SolveResult& result, int frugal_steps = kMostPolish) {
  RunOptions how;
  how.most = left(options, result, options.frugal ? frugal_steps : (options.bounded ? 2 : 4) * options.iterations);
  how.patient = how.second_order = how.strained = true;
  const Run run = run_start(w, options, how);
  result.iterations += run.iterations;
  return run;
}

// How many of the `wanted` starts of a round the caller still allows.
static inline int starts_left(const SolveOptions& options, const SolveResult& result, int wanted) {
  if (options.restarts < 0) return wanted;
  const int rest = options.restarts - (result.starts - 1);
  return rest < wanted ? rest : wanted;
}

static int count_met(const Work& w) {
  const Problem& P = *w.problem;
  int count = 0;
  for (int k = 0; k < P.parts; ++k) count += w.part[k].measure <= P.part[k].tolerance;
  for (int k = 0; k < P.links; ++k) count += w.link[k].measure <= P.link[k].tolerance;
  return count;
}

// Puts the goals with the largest errors aside: their weight becomes so small that they still pull but do not dominate the search. Returns false if
// this gains nothing: no error is large, or all other goals are met.
static bool put_aside(Work& w) {
  const Problem& P = *w.problem;
  double worst = 0.0;
  auto far = [&](double measure, bool angle) { return measure * (angle ? P.angle_weight : 1.0); };
  for (int k = 0; k < P.parts; ++k)
    if (w.part[k].weight > 0.0 && !w.part[k].aside) worst = __builtin_fmax(worst, far(w.part[k].measure, is_angle(P.part[k])));
  for (int k = 0; k < P.links; ++k)
    if (w.link[k].weight > 0.0 && !w.link[k].aside) worst = __builtin_fmax(worst, far(w.link[k].measure, is_angle(P.link[k])));
  if (!(worst > kNeverAside)) return false;
  bool unmet = false;
  auto judge = [&](auto& s, double tolerance, bool angle) {
    if (!(s.weight > 0.0) || s.aside) return;
    const double f = far(s.measure, angle);
    if (f > 0.3 * worst) {
      s.aside = 1;
      s.weight = s.own_weight * (kNeverAside / f) * (kNeverAside / f);
    } else {
      unmet |= !(s.measure <= tolerance);
    }
  };
  for (int k = 0; k < P.parts; ++k) judge(w.part[k], P.part[k].tolerance, is_angle(P.part[k]));
  for (int k = 0; k < P.links; ++k) judge(w.link[k], P.link[k].tolerance, is_angle(P.link[k]));
  return unmet;
}

static void bring_back(Work& w) {
  for (int k = 0; k < w.problem->parts; ++k) w.part[k].weight = w.part[k].own_weight, w.part[k].aside = 0;
  for (int k = 0; k < w.problem->links; ++k) w.link[k].weight = w.link[k].own_weight, w.link[k].aside = 0;
}

// Handles goals that seem out of reach: polishes the best pose to its minimum. A goal that cannot be met dominates the cost, and so the damping and
// the choice between starts. Other goals may then be missed although they could be met. These are solved with the distant goals put aside, and the
// result is kept if the total cost hardly rises.
static Run settle(Work& w, const SolveOptions& options, SolveResult& result) {
  Run run = polish(w, options, result);
  if (run.met) return run;
  const double F = cost_of(w, w.now);
  const int met = count_met(w);
  copy(w, w.now, w.last);
  bool tried = false;
  for (int round = 0; round < kAsideRounds && options.restarts != 0 && left(options, result, 1) > 0 && !ended(w, options); ++round) {
    if (!put_aside(w)) break;
    tried = true;
    if (from_starts(w, options, result, kNothingKnown, starts_left(options, result, kFewStarts)).met) break;
    polish(w, options, result);  // another of these goals may be out of reach as well
    cost_of(w, w.now);
  }
  bring_back(w);
  if (!tried) return run;
  const Run again = polish(w, options, result);
  const double F_again = cost_of(w, w.now);
  const int met_again = count_met(w);
  if (again.met || (met_again > met && F_again <= 1.005 * F) || F_again < kTie * F) return again;
  copy(w, w.last, w.now);
  return run;
}

// Runs the start straight to a minimum, with second derivatives from the first step.
static void descend(Work& w, const SolveOptions& options, SolveResult& result) {
  SolveOptions bounded = options;
  bounded.bounded = 1;
  copy(w, w.start, w.now);
  RunOptions how;
  how.most = left(options, result, options.most);
  how.patient = how.second_order = how.strained = true;
  const Run run = run_start(w, bounded, how);
  result.iterations = run.iterations;
  result.starts = 1;
  result.cost = cost_of(w, w.now);
  result.reached = all_met(w);
  result.status = result.reached ? 0 : was_ended(w, options) ? 3 : run.out ? 2 : 1;
}

// Runs the starts in order. Leaves the best state in w.now with its errors computed.
static void search(Work& w, const SolveOptions& options, SolveResult& result) {
  copy(w, w.start, w.now);
  const double F = cost_at(w, w.now);
  const bool near = F < 0.01 || options.tracking || options.most <= 0;           // without iterations the answer is the start
  const double half_way = kHalfWay / kFarCost * far_cost(w);                     // scaled by the weight of the heaviest goal
  if (!near) to_middle(w, w.now, F / (F + half_way), [](int) { return true; });  // the larger the cost, the less useful the start
  const bool usual = options.restarts < 0;
  const int restarts = usual ? kMostRestarts : options.restarts, more = usual && w.problem->coordinates <= kFewCoordinates ? kRestartsWhenClose : 0;
  Run run = from_starts(w, options, result, near ? kErrorsKnown : kNothingKnown, restarts, more);
  const double enough = met_cost(w);
  const bool hopeless = options.frugal && !(run.cost < kNearlyMet * enough);
  const int steps = run.cost < enough && enough < __builtin_inf() ? kMostPolishClose : kMostPolish;
  const bool used_up = left(options, result, 1) <= 0;
  if (!run.met && !hopeless && used_up)
    run.out = true;
  else if (!run.met && !hopeless)
    run = options.bounded ? polish(w, options, result, steps) : settle(w, options, result);
  // never worse than the given start; a descent from there alone never is
  if (!run.met && !options.bounded && !(near && used_up) && cost_of(w, w.start) < cost_of(w, w.now)) {
    copy(w, w.start, w.now);
    if (left(options, result, 1) > 0) run = polish(w, options, result);
  }
  const bool known = run.met && result.starts == 1;  // whether the errors are computed already
  const double last = known ? 0.0 : cost_at(w, w.now);
  w.angle_factor = 1.0;
  result.cost = known || on_chain(w) ? cost(w) : last;
  result.reached = all_met(w);
  result.status = result.reached ? 0 : was_ended(w, options) ? 3 : run.out && left(options, result, 1) <= 0 ? 2 : 1;
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
