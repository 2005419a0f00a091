// One start run to its end: damped Gauss-Newton within limits. The constants were chosen by a search over thousands of targets
// (docs/design/solver.md); small changes make little difference.
#pragma once
#include "kernels/solver/control/damping.h"
#include "kernels/solver/control/linearise.h"
#include "kernels/solver/evaluate/pose.h"
#include "kernels/solver/step/tree_step.h"
#include "model/options.h"

namespace manikin {
namespace MANIKIN_ISA {

// How a start ended.
struct Run {
  double cost;
  int iterations;
  bool met, out;  // whether all goals are met; whether the iterations are used up
  bool posed;     // in a frame: whether the frames and errors are known to be those of w.now
};

// The largest cost of a pose in which all goals are met. It is infinite if a posture, balance, clearance or a goal of the host counts, because their
// costs have other bounds.
static double met_cost(const Work& w) {
  if (w.posture_weight > 0.0) return __builtin_inf();
  double sum = 0.0;
  for (int k = 0; k < w.problem->parts; ++k) {
    const double t = w.problem->part[k].tolerance * (is_angle(w.problem->part[k]) ? w.problem->angle_weight : 1.0);
    sum += w.part[k].weight * t * t;
  }
  for (int k = 0; k < w.problem->links; ++k) {
    if (!(w.link[k].weight > 0.0)) continue;
    if (w.problem->link[k].kind == kBalance || w.problem->link[k].kind >= kClearance) return __builtin_inf();
    const double t = w.problem->link[k].tolerance * (is_angle(w.problem->link[k]) ? w.problem->angle_weight : 1.0);
    sum += w.link[k].weight * t * t;
  }
  return sum;
}

// Whether a goal needs more than kStepsInSight steps that each have this gain. A step to the minimum of the model changes the error e of a goal by at
// most sqrt(gain / weight), since the gain is at least the sum of weight (change of e)^2.
static bool out_of_sight(const Work& w, double gain) {
  const Problem& P = *w.problem;
  for (int k = 0; k < P.parts; ++k) {
    const double over = (w.part[k].measure - P.part[k].tolerance) * (is_angle(P.part[k]) ? P.angle_weight : 1.0);
    if (over > 0.0 && w.part[k].weight * over * over > kStepsInSight * kStepsInSight * gain) return true;
  }
  return false;
}

// Guesses which coordinates the step will hold: a coordinate at a limit is likely to stay there.
static void guess_held(Work& w) {
  const Problem& P = *w.problem;
  for (int first = 0; first < P.width; first += 4) {
    const Four x = four(w.now.x + first);
    if (!any((x <= four(P.all.lower + first)) | (x >= four(P.all.upper + first)))) {  // the usual case
      __builtin_memset(w.held + first, 0, 4);
      continue;
    }
    for (int i = first; i < first + 4 && i < P.coordinates; ++i)
      w.held[i] = static_cast<signed char>(w.now.x[i] <= P.all.lower[i] ? -1 : w.now.x[i] >= P.all.upper[i] ? 1 : 0);
  }
  for (int k = 0; k < P.balls; ++k) {
    const int i = P.ball[k];
    if (P.node[P.coordinate[i].node].op != kCone) continue;
    const double square = w.now.x[i] * w.now.x[i] + w.now.x[i + 1] * w.now.x[i + 1];
    w.held[i] = square >= kOnRim ? 1 : 0;  // along the normal
    w.held[i + 1] = 0;                     // along the rim
  }
}

static bool positions_near(const Work& w) {
  for (int k = 0; k < w.problem->parts; ++k)
    if (w.part[k].weight > 0.0 && !is_angle(w.problem->part[k]) && !(w.part[k].measure < kNearPosition)) return false;
  for (int k = 0; k < w.problem->links; ++k)
    if (w.link[k].weight > 0.0 && !is_angle(w.problem->link[k]) && !(w.link[k].measure < kNearPosition)) return false;
  return true;
}

static double largest_step(const Work& w) {
  double most = 0.0;
  for (int i = 0; i < w.problem->coordinates; ++i) most = __builtin_fmax(most, __builtin_fabs(w.step[i]));
  return most;
}

// Whether no coordinate moves by `least` or more.
static bool stands_still(const Work& w, double least) {
  for (int i = 0; i < w.problem->coordinates; ++i)
    if (!(__builtin_fabs(w.step[i]) < least)) return false;
  return true;
}

// Limits the step. Short steps stay near the start, and so on its side of an elbow.
static void cap_step(Work& w) {
  const double share = w.run.cap / largest_step(w);
  if (!(share < 1.0)) return;
  for (int i = 0; i < w.problem->coordinates; ++i) w.step[i] *= share;
  twists(w);
  if (w.limbs.taken) limbs_follow(w);
}

// Runs damped Gauss-Newton from w.now until the goals are met, nothing more can be gained, or the iterations are used up. With `second_order` but
// without `strained`, the second-order term counts as soon as a step would leave, or leaves, much of the cost: the term vanishes where goals are met.
// In a frugal frame the term counts after a failed step, or after a step that leaves much of the cost and does not gain what it promised, at most
// w.track.second_left times; steps that leave little of the cost are not counted.
static Run run_start(Work& w, const SolveOptions& options, const RunOptions& asked) {
  const Problem& P = *w.problem;
  w.run = asked;
  const int most = asked.most;
  const bool patient = asked.patient;
  __builtin_memset(w.held, 0, static_cast<unsigned long>(P.coordinates));
  for (int i = 0; i < P.width; ++i) w.curvature[i] = 0.0;
  w.posed = &w.now;
  if (asked.known == kNothingKnown) forward(w, w.now);
  if (asked.known != kErrorsKnown) all_errors(w);
  bool angles = false;
  for (int k = 0; k < P.parts && asked.positions_first; ++k) angles |= w.part[k].weight > 0.0 && is_angle(P.part[k]);
  for (int k = 0; k < P.links && asked.positions_first; ++k) angles |= w.link[k].weight > 0.0 && is_angle(P.link[k]);
  w.angle_factor = 1.0;
  all_links(w, false, __builtin_inf());  // for their measures
  bool first = asked.positions_first && angles && !positions_near(w);
  w.angle_factor = first ? 1e-4 : 1.0;
  const bool tracking = w.track.room != nullptr;
  if (tracking) guess_held(w);
  double F = cost(w), gain = first_gain(tracking), past[3] = {F, F, F}, rest = w.loss.rest;
  int accepted = 0, rejected = 0;
  Run run = {F, 0, all_met(w), false, false};
  if ((run.met && !asked.one_step) || P.coordinates == 0) return run;
  run.out = most <= 0;
  if (run.out && !first) return run;
  const double far = far_cost(w);
  bool at_last = tracking && asked.at_last;  // whether w.now is w.last
  double near = 0.0;
  if (at_last)
    stay_at_last(w);
  else if (tracking)
    near = w.track.prox * away_from_last(w, w.now);
  const bool frugal = tracking && options.frugal;
  bool newton = asked.second_order && asked.strained, settled = false;
  linearise(w, tracking, newton);
  const bool seeking = options.frugal && patient && !tracking;  // whether only a pose that meets its goals is useful
  const double enough = seeking ? met_cost(w) : 0.0;
  double apart = w.posture_cost;
  bool kept_rows = false;
  while (run.iterations < most && (!newton || w.track.second_left > 0) && !ended(w, options)) {
    if (first && (run.iterations >= kFirstPhase || positions_near(w))) {
      first = false;
      w.angle_factor = 1.0;
      if (rejected > 0) forward(w, w.now);  // the frames are those of the trial
      F = cost(w);
      rest = w.loss.rest;
      gather_terms(w, newton || P.bundles == 0);
      if (!newton) limbs_weigh(w);
      all_links(w, true, __builtin_inf());
      past[0] = past[1] = past[2] = F;
      accepted = 0;
    }
    ++run.iterations;
    // if the cost stays large, the pull would bias goals that can be met; a frame starts near its goals
    const double kappa = patient && !(tracking && w.prefer.pulls) ? 0.0 : pull_of(F);
    const double lambda = damping_of(w, gain, F, far, tracking);
    fill_damping(w, w.now, lambda, kappa);
    w.track.second_left -= newton;
    const bool second = bounded_tree_step(w, newton);
    if (asked.cap < 1e300) cap_step(w);
    const double linear = (second ? second_promised(w) : 0.0) + promised(w) + rows_promised(w) + postures_promised(w, apart) + rest;
    if (asked.second_order && !frugal && !newton && accepted + rejected == 0 && linear > kStrained * F && !run.met) {
      if (w.hooks.watching) glance(w, w.now, F, lambda, step_norm(w), false);
      newton = true;
      linearise(w, tracking, newton);
      continue;
    }
    if (options.bounded && patient && !run.met) {
      const bool offline = tracking && !options.frugal && options.hold == 0.0;  // these frames go to their minimum, like a pose close to its goals
      const bool close = offline || (!tracking && F < kAlmost / kFarCost * far);
      const double little = options.competing ? kLittleCompeting : close ? kLittleClose : kLittle;
      // a step after a failed one promises less; a step that was cut off at its bounds may promise to raise the cost, which says nothing about the end
      if (rejected == 0) settled = __builtin_fabs(F - linear) < little * F;
      if (settled && !options.competing && accepted + rejected > 0) {
        if (w.hooks.watching) glance(w, w.now, F, lambda, step_norm(w), false);
        break;
      }
    }
    // at this rate the goals are not met before the iterations are used up
    if (seeking && rejected == 0 && (out_of_sight(w, F - linear) || (accepted > 1 && F - enough > (most - run.iterations) * (F - linear)))) {
      if (w.hooks.watching) glance(w, w.now, F, lambda, step_norm(w), false);
      break;
    }
    take_step(w, w.now, w.step, w.trial);
    double near_next = 0.0;
    if (tracking) {
      round_slides(P, w.trial);
      near_next = w.track.prox * (at_last && P.cones == 0 ? step_from_last(w, w.trial) : away_from_last(w, w.trial));
      const bool balls = hold_balls(w, w.trial), triples = hold_triples(w, w.trial);
      if (run.iterations <= kRoundedSteps) round_cones(w, w.trial);
      if (balls || triples) near_next = w.track.prox * away_from_last(w, w.trial);
    }
    forward(w, w.trial);
    run.posed = false;
    // the errors of the trial are stored separately, because the present ones are needed again if it is rejected
    PartState* kept = w.part;
    LinkState* kept_links = w.link;
    w.part = kept + P.parts;
    w.link = kept_links + P.links;
    for (int k = 0; k < P.parts; ++k) w.part[k].weight = kept[k].weight;
    for (int k = 0; k < P.links; ++k) w.link[k] = kept_links[k];
    all_errors(w);
    w.enough = kSurelyMore * (F + near);
    const double next = cost(w);
    w.enough = __builtin_inf();
    if (!(next + near_next < F + near)) {  // also if it is NaN
      w.part = kept;
      w.link = kept_links;
      if (w.hooks.watching) glance(w, w.now, F, lambda, step_norm(w), false);
      if (at_last)
        stay_at_last(w);
      else if (tracking)
        away_from_last(w, w.now);
      if (kept_rows) {  // the old rows were not good enough
        kept_rows = false;
        forward(w, w.now);  // the frames are those of the trial
        linearise(w, tracking, newton);
        continue;
      }
      gain = gain_after_failure(gain, tracking);
      if (run.met || (options.competing && settled)) break;
      if (++rejected > 6 || __builtin_fabs(F - linear) < 1e-14 * F) break;
      if (frugal && asked.second_order && !newton) {
        newton = true;
        forward(w, w.now);  // the frames are those of the trial
        linearise(w, tracking, newton);
      }
      continue;
    }
    rejected = 0;
    at_last = false;
    const double ratio = (F - next) / (F - linear);
    gain = next_gain(gain, ratio);
    run.posed = tracking;
    if (w.hooks.watching) glance(w, w.now, F, lambda, step_norm(w), true);
    const State swap = w.now;
    w.now = w.trial;
    w.trial = swap;
    w.posed = &w.now;
    for (int k = 0; k < P.parts; ++k) {
      kept[k].measure = w.part[k].measure;
      kept[k].rows = w.part[k].rows;
      put_four(kept[k].e, four(w.part[k].e));
      kept[k].factor = w.part[k].factor;
    }
    for (int k = 0; k < P.links; ++k) kept_links[k] = w.link[k];
    w.part = kept;
    w.link = kept_links;
    const double before = past[accepted % 3], last = F;
    past[accepted % 3] = F;
    F = next;
    rest = w.loss.rest;
    near = near_next;
    ++accepted;
    if (newton && F < kSlow * last) ++w.track.second_left;  // a step that leaves little of the cost is worth its price
    if (all_met(w)) {
      run.cost = F;
      run.met = true;
      return run;
    }
    run.met = false;
    if (tracking && stands_still(w, kStillStep)) break;
    if (options.competing && settled) break;
    if (run.iterations >= most) break;  // there is no next step that needs a linear model
    if (!tracking && !first && accepted >= kTrappedAfter && (patient ? before - F < kSettled * of_far(before, far) : F > 0.7 * before)) break;
    newton = asked.second_order && (newton || (frugal ? F > kSlow * last && !(ratio > kTrue && ratio < 1.0 / kTrue) : F > kStrained * last));
    kept_rows = frugal && !newton && accepted == 1 && rows_last(w, F / last);
    if (kept_rows)
      keep_rows(w);
    else
      linearise(w, tracking, newton);
    apart = w.posture_cost;
    rim_curvature(w);
  }
  run.out = run.iterations >= most || (newton && w.track.second_left <= 0);
  if (first) {
    w.angle_factor = 1.0;
    F = cost(w);
  }
  run.cost = F;
  return run;
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
