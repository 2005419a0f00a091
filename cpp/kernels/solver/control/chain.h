// One effector at the end of a chain of hinges and slides: the descent of control/descent.h with its step in the dual form, and joints in vectors of
// four.
//
// The step minimises  sum_k f_k (e_k + J_k dx)^2 + sum_i d_i (dx_i^2 + 2 g_i dx_i)  within bounds, like the sweeps over the tree. For three or six
// rows it is cheaper to solve for the multipliers of the rows: with y_k = f_k (e + J dx)_k
//
//   (diag(1/f) + sum over free i of J_i J_i^T / d_i) y = e + sum over held i of J_i b_i - sum over free i of J_i g_i,
//   dx_i = -(g_i + J_i . y / d_i).
//
// This candidate also determines the joints that are held next: those that it would move beyond a bound, and no others.
#pragma once
#include "kernels/solver/control/descent.h"
#include "kernels/solver/evaluate/chain.h"

namespace manikin {
namespace MANIKIN_ISA {

// Solves A y = y in place. A is symmetric and positive; its lower half is given and overwritten.
template <int R>
static inline void solve_symmetric(double (&A)[R][R], double (&y)[R]) {
  double pivot[R];
#pragma GCC unroll 6
  for (int j = 0; j < R; ++j) {
    pivot[j] = 1.0 / A[j][j];
#pragma GCC unroll 6
    for (int i = j + 1; i < R; ++i) {
      const double l = A[i][j] * pivot[j];
#pragma GCC unroll 6
      for (int k = j + 1; k <= i; ++k) A[i][k] -= l * A[k][j];
      y[i] -= l * y[j];
    }
  }
#pragma GCC unroll 6
  for (int j = R - 1; j >= 0; --j) {
    double sum = y[j];
#pragma GCC unroll 6
    for (int i = j + 1; i < R; ++i) sum -= A[i][j] * y[i];
    y[j] = sum * pivot[j];
  }
}

// Computes the step within bounds, in w.step; left: the error that it promises to leave.
template <int G>
static void chain_step(Work& w, const double* e, double lambda, double kappa, double* left) {
  constexpr int R = 3 * G, kPairs = R * (R + 1) / 2;
  const Chain& c = *w.problem->chain;
  const double* x = w.now.x;
  // for each joint: how far it gives way, and the pull to mid-range
  const double eased = 1.0 / (lambda + kappa) - 1.0 / lambda, lean = kappa / (lambda + kappa);
  for (int i = 0; i < 4 * c.blocks; i += 4) {
    const Four bounded = four(c.bounded + i);
    put_four(w.chain.ease + i, four(c.ease + i) * (1.0 / lambda + bounded * eased));
    put_four(w.chain.lean + i, bounded * (four(x + i) - four(c.middle + i)) * lean);
  }
  // sweeps: joints that leave their bounds are held, held joints that are pushed inward are freed
  bool changed = true;
  for (int sweep = 0; sweep < kMostSweeps && changed; ++sweep) {
    ++w.sweeps;
    // normal equations in the space of the errors
    Four pairs[(kPairs + R + 3) / 4 * 4] = {}, *rest = pairs + kPairs;
    for (int b = 0; b < c.blocks; ++b) {
      const Four *J = w.chain.J + R * b, held = four(w.chain.held + 4 * b), at = four(x + 4 * b), none = {0, 0, 0, 0};
      const Four bound = where(held < 0.0, four(c.lower + 4 * b), four(c.upper + 4 * b)) - at;
      const Four ease = where(held == 0.0, four(w.chain.ease + 4 * b), none), move = where(held == 0.0, none - four(w.chain.lean + 4 * b), bound);
      Four* sum = pairs;
      for (int k = 0; k < R; ++k) {
        const Four eased_row = J[k] * ease;
        for (int j = 0; j <= k; ++j) *sum++ += eased_row * J[j];
        rest[k] += J[k] * move;
      }
    }
    double total[(kPairs + R + 3) / 4 * 4], A[R][R], y[R];
    for (int k = 0; k < kPairs + R; k += 4) put_four(total + k, sums(pairs[k], pairs[k + 1], pairs[k + 2], pairs[k + 3]));
    const double* sum = total;
    for (int k = 0; k < R; ++k)
      for (int j = 0; j <= k; ++j) A[k][j] = *sum++;
    for (int k = 0; k < R; ++k) {
      A[k][k] += 1.0 / w.part[k / 3].factor;
      y[k] = e[k] + *sum++;
    }
    solve_symmetric<R>(A, y);
    // steps of the joints, and which are held next
    FourBits other = {0, 0, 0, 0};
    for (int b = 0; b < c.blocks; ++b) {
      const Four *J = w.chain.J + R * b, held = four(w.chain.held + 4 * b), at = four(x + 4 * b);
      const Four lower = four(c.lower + 4 * b) - at, upper = four(c.upper + 4 * b) - at, one = {1, 1, 1, 1}, none = {0, 0, 0, 0};
      Four pull = J[0] * y[0];
      for (int k = 1; k < R; ++k) pull += J[k] * y[k];
      const Four wanted = none - four(w.chain.lean + 4 * b) - four(w.chain.ease + 4 * b) * pull;
      const FourBits out_below = wanted<lower, out_above = wanted> upper, stays = where(held < 0.0, wanted <= lower, wanted >= upper);
      const Four left_free = where(out_below, none - one, where(out_above, one, none));
      const Four next = where(held == 0.0, left_free, where(stays, held, none));
      other |= next != held;
      put_four(w.chain.step + 4 * b, where(held == 0.0, wanted, where(held < 0.0, lower, upper)));
      if (sweep + 1 < kMostSweeps) put_four(w.chain.held + 4 * b, next);
    }
    changed = any(other);
    for (int k = 0; k < R; ++k) left[k] = y[k] / w.part[k / 3].factor;
  }
  if (!changed) return;
  // the active set has not settled: the step is clipped to its bounds
  Four sum[(R + 3) / 4 * 4] = {};
  for (int b = 0; b < c.blocks; ++b) {
    const Four at = four(x + 4 * b), lower = four(c.lower + 4 * b) - at, upper = four(c.upper + 4 * b) - at;
    const Four step = least(most_of(four(w.chain.step + 4 * b), lower), upper);
    put_four(w.chain.step + 4 * b, step);
    for (int k = 0; k < R; ++k) sum[k] += w.chain.J[R * b + k] * step;
  }
  for (int k = 0; k < R; ++k) left[k] = e[k] + ((sum[k][0] + sum[k][2]) + (sum[k][1] + sum[k][3]));
}

// Adds the step to `now`, scaled down so that every joint stays within w.run.cap, and stores the result in `trial`.
template <int G>
static void chain_trial(Work& w, const double* e, double* left) {
  const Chain& c = *w.problem->chain;
  double share = 1.0;
  if (w.run.cap < 1e300) {
    Four most = {0, 0, 0, 0};
    for (int i = 0; i < 4 * c.blocks; i += 4) {
      const Four step = four(w.chain.step + i);
      most = most_of(most, most_of(step, Four{0, 0, 0, 0} - step));
    }
    const double half[2] = {most[0] > most[1] ? most[0] : most[1], most[2] > most[3] ? most[2] : most[3]};
    const double largest = half[0] > half[1] ? half[0] : half[1];
    if (largest > w.run.cap) share = w.run.cap / largest;
    for (int k = 0; k < 3 * G; ++k) left[k] = e[k] + share * (left[k] - e[k]);
  }
  for (int i = 0; i < 4 * c.blocks; i += 4)
    put_four(w.trial.x + i, least(most_of(four(w.now.x + i) + four(w.chain.step + i) * share, four(c.lower + i)), four(c.upper + i)));
}

// Norm of the step from `now` to `trial`.
static double chain_norm(const Work& w) {
  double square = 0.0;
  for (int i = 0; i < w.problem->coordinates; ++i) square += (w.trial.x[i] - w.now.x[i]) * (w.trial.x[i] - w.now.x[i]);
  return __builtin_sqrt(square);
}

// run_start for a chain.
template <int G>
static Run run_chain(Work& w, const SolveOptions& options, const RunOptions& asked) {
  constexpr int R = 3 * G;
  const Problem& P = *w.problem;
  // errors and cost at the start
  const Chain& c = *P.chain;
  w.run = asked;
  const int most = asked.most;
  for (int i = 0; i < 4 * c.blocks; ++i) w.chain.held[i] = 0.0;
  double e[R], next_e[R], left[R], measure[G];
  if (asked.known == kErrorsKnown) {
    for (int k = 0; k < R; ++k) e[k] = w.chain.e[k];
  } else {
    chain_errors(w, w.now.x, e);
  }
  // far targets: positions first, orientations after them
  auto angle = [&](int k) { return is_angle(P.part[k]); };
  auto positions_away = [&] {
    bool away = false;
    for (int k = 0; k < G; ++k) away |= !angle(k) && !(w.part[k].measure < kNearPosition);
    return away;
  };
  bool angles = false;
  for (int k = 0; k < G; ++k) angles |= angle(k);
  bool first = asked.positions_first && angles && positions_away();
  w.angle_factor = first ? 1e-4 : 1.0;
  double F = chain_cost(w), gain = first_gain(false), past[3] = {F, F, F};
  int accepted = 0, rejected = 0;
  Run run = {F, 0, all_met(w), false, false};
  if (run.met) return run;
  const double far = far_cost(w);
  chain_columns<G>(w);
  // one step in each iteration
  while (run.iterations < most && !ended(w, options)) {
    if (first && (run.iterations >= kFirstPhase || !positions_away())) {
      first = false;
      w.angle_factor = 1.0;
      F = chain_cost(w);
      past[0] = past[1] = past[2] = F;
      accepted = 0;
    }
    ++run.iterations;
    const double lambda = damping_of(w, gain, F, far, false);
    chain_step<G>(w, e, lambda, pull_of(F), left);
    chain_trial<G>(w, e, left);
    double linear = 0.0;
    for (int k = 0; k < R; ++k) linear += w.part[k / 3].factor * left[k] * left[k];
    for (int k = 0; k < G; ++k) measure[k] = w.part[k].measure;
    chain_errors(w, w.trial.x, next_e);
    const double next = chain_cost(w);
    // a step that does not lower the cost is rejected
    if (!(next < F)) {  // also if it is NaN
      for (int k = 0; k < G; ++k) w.part[k].measure = measure[k];
      if (w.hooks.watching) glance(w, w.now, F, lambda, chain_norm(w), false);
      gain = gain_after_failure(gain, false);
      if (++rejected > 6 || __builtin_fabs(F - linear) < 1e-14 * F) break;
      continue;
    }
    // otherwise it is taken
    rejected = 0;
    const double ratio = (F - next) / (F - linear);
    gain = next_gain(gain, ratio);
    if (w.hooks.watching) glance(w, w.now, F, lambda, chain_norm(w), true);
    const State swap = w.now;
    w.now = w.trial;
    w.trial = swap;
    for (int k = 0; k < R; ++k) e[k] = next_e[k];
    const double before = past[accepted % 3];
    past[accepted % 3] = F;
    F = next;
    ++accepted;
    if (all_met(w)) {
      run.cost = F;
      run.met = true;
      return run;
    }
    if (!first && accepted >= kTrappedAfter && F > 0.7 * before) break;
    chain_columns<G>(w);
  }
  // the cost with full orientations
  run.out = run.iterations >= most;
  if (first) {
    w.angle_factor = 1.0;
    F = chain_cost(w);
  }
  run.cost = F;
  return run;
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
