// From a pose that meets the goals to the nearest such pose to the preferred one.
//
// Newton's method on  F = sum of w |r|^2 + epsilon h  (h: evaluate/prefer.h) with the recursion of step/sweeps.h, within the limits. At its minimum
// r = O(epsilon).  The second-order term of the goals is then that of the Lagrangian of "h least, r = 0", so steps follow the null space of the goals
// and its curvature. Epsilon falls in stages. A large epsilon first allows long steps that leave the goals for a while; the last epsilon keeps the
// goals well within their tolerances.
#pragma once
#include "kernels/solver/control/descent.h"
#include "kernels/solver/control/search.h"

namespace manikin {
namespace MANIKIN_ISA {

// Moves hinges with a range of more than a whole turn to the turn nearest to the preferred number.
static void turns_to_preferred(Work& w) {
  const Problem& P = *w.problem;
  if (P.couplings > 0) return;
  for (int k = 0; k < P.numbered; ++k) {
    const int i = P.each_number[k].coordinate;
    const Coordinate& c = P.coordinate[i];
    if (P.node[c.node].op != kTurning || !(w.prefer.weight[i] > 0.0)) continue;
    const double back = w.now.x[i] - kTwoPi * __builtin_floor((w.now.x[i] - w.prefer.x[i]) / kTwoPi + 0.5);
    if (back >= c.lower && back <= c.upper) w.now.x[i] = back;
  }
}

// Whether every goal is met within this many times its tolerance.
static bool met_within(const Work& w, double share) {
  const Problem& P = *w.problem;
  for (int k = 0; k < P.parts; ++k)
    if (w.part[k].weight > 0.0 && !(w.part[k].measure <= share * P.part[k].tolerance)) return false;
  for (int k = 0; k < P.links; ++k)
    if (w.link[k].weight > 0.0 && !(w.link[k].measure <= share * P.link[k].tolerance)) return false;
  return true;
}

// Computes the errors that the step with twists v promises to leave, in w.settle.model_next. They are the multipliers of the goals, without their
// weight.
static void model_errors(Work& w) {
  const Problem& P = *w.problem;
  for (int k = 0; k < P.parts; ++k) {
    const PartState& s = w.part[k];
    if (!(s.weight > 0.0)) continue;
    if (s.rows == 0) w.settle.model_next[4 * k] = 0.0;
    for (int r = 0; r < s.rows; ++r)
      w.settle.model_next[4 * k + r] = s.e[r] + (P.part[k].coordinate >= 0 ? dot(s.row[r], w.v[P.part[k].coordinate]) : 0.0);
  }
}

// Runs one stage: moves w.now to the minimum of F, until no coordinate would move by more than `still` in a step without damping. Leaves the errors
// of w.now. A step may lower the preference but raise F, because the goals curve away from it. A second step then follows from there before the two
// are judged together.
static void settle_stage(Work& w, const SolveOptions& options, SolveResult& result, double heaviest, double still) {
  // cost and model at the start
  const int most = still > kSettleStep ? kSettleIterations : kSettleLastIterations;
  double F = cost_of(w, w.now), damping = kSettleFloor, lowest = F, before = 0.0, way = 0.0;
  linearise(w, false, true);
  w.settle.scale = 1.0;
  double apart = w.posture_cost;
  bool ahead = false;  // whether w.now is one step ahead of w.last, whose cost is `lowest`
  for (int k = 0, rejected = 0; k < most && left(options, result, 1) > 0 && !ended(w, options); ++k) {
    ++result.iterations;
    // a step; after one that went ahead to correct its errors, with hardly any damping
    fill_damping(w, w.now, ahead ? __builtin_sqrt(w.settle.weight * heaviest) : damping * w.settle.weight, 0.0);
    const bool second = bounded_tree_step(w, !ahead);
    const double linear = (second ? second_promised(w) : 0.0) + promised(w) + rows_promised(w) + postures_promised(w, apart);
    const double longest = largest_step(w);
    const bool corrects = ahead;
    if (!corrects) {
      model_errors(w);
      way = longest * (1.0 + damping);  // approximate length of the step without damping
    }
    take_step(w, w.now, w.step, w.trial);
    const double next = cost_of(w, w.trial);
    // taken, tried, or rejected
    const bool better = next < lowest, tried = !better && !ahead && w.posture_cost < apart && longest >= still;
    if (tried) copy(w, w.now, w.last);
    if (better || tried) {
      if (!corrects) __builtin_memcpy(w.settle.model, w.settle.model_next, sizeof(double) * 4 * static_cast<unsigned long>(w.problem->parts));
      const State swap = w.now;
      w.now = w.trial;
      w.trial = swap;
      w.posed = &w.now;
      const double ratio = (F - next) / (F - linear);
      if (better) damping = ratio < 0.25 ? damping * 4.0 : ratio > 0.7 ? __builtin_fmax(0.1 * damping, kSettleFloor) : damping;
      F = next;
    } else {
      if (ahead) copy(w, w.last, w.now);
      F = cost_of(w, w.now);  // the frames and errors are those of the trial
      damping = __builtin_fmax(damping * 10.0, 0.01);
    }
    ahead = tried;
    if (better) lowest = F;
    rejected = better ? 0 : rejected + !tried;
    // steps that shrink fast end when the next one would be short enough
    if (better && (way < still || way * way < 0.5 * still * before)) return;
    if (!better && !tried && (way < still || rejected > kSettleRejected || damping > kSettleMostDamping)) return;
    before = better ? way : 0.0;
    linearise(w, false, !ahead);
    apart = w.posture_cost;
    if (better) rim_curvature(w);
  }
  if (ahead) copy(w, w.last, w.now);
  if (ahead) cost_of(w, w.now);
}

// Leaves w.now unchanged if the result does not meet all goals.
static void settle_near_preferred(Work& w, const SolveOptions& options, SolveResult& result) {
  const Problem& P = *w.problem;
  if (P.coordinates == 0) return;
  copy(w, w.now, w.best);
  const double weight = heaviest_weight(w), own = w.posture_weight;
  const double heaviest = weight > 0.0 ? weight : 1.0;  // without active goals, the preference alone has to be least
  w.run = RunOptions{};
  w.run.second_order = w.settle.on = true;
  const auto stage = [&](double epsilon, double still) {
    w.settle.scale = w.settle.weight > 0.0 ? epsilon * heaviest / w.settle.weight : 1.0;  // the pull for this epsilon
    w.settle.weight = epsilon * heaviest;
    w.posture_weight = __builtin_fmax(own, w.settle.weight);
    settle_stage(w, options, result, heaviest, still);
  };
  turns_to_preferred(w);
  forward(w, w.now);
  const double before = preference(w, false);
  bool nearest = false;
  // A large epsilon may lead to a pose where the goals cannot be met. Then a smaller one is tried, which stays closer to the goals.
  for (int first = 0; first < 3; ++first) {
    copy(w, w.best, w.now);
    turns_to_preferred(w);
    for (int i = 0; i < P.width; ++i) w.curvature[i] = 0.0;
    guess_held(w);
    for (int k = 0; k < 4 * P.parts; ++k) w.settle.model[k] = 0.0;
    w.settle.weight = 0.0;
    double epsilon = 0.0;
    for (int k = first; k < 3; ++k) stage(epsilon = kSettleStages[k], k < 2 ? kSettleFirstStep : kSettleStep);
    while (met_within(w, kSettleFar) && !met_within(w, kSettleMet) && epsilon > kSettleLeast && left(options, result, 1) > 0 && !ended(w, options))
      stage(epsilon *= 0.01, kSettleStep);
    nearest = all_met(w) && preference(w, false) <= kSettleSlack * before + kSettleSlackAtZero;
    if (nearest || left(options, result, 1) <= 0 || ended(w, options)) break;
  }
  w.settle.on = false;
  w.posture_weight = own;
  if (!nearest) copy(w, w.best, w.now);
  result.cost = cost_of(w, w.now);
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
