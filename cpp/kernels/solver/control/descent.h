// One start run to its end: damped Gauss-Newton within limits. The constants are those of a
// search over thousands of targets (docs/design/solver.md); the optimum is flat.
#pragma once
#include "kernels/solver/evaluate/cost.h"
#include "kernels/solver/step/second.h"
#include "kernels/solver/step/tree_step.h"
#include "model/options.h"

namespace manikin {
namespace MANIKIN_ISA {

// More damping after a step that brought much less than was promised, less after one that brought nearly all of it.
static inline double next_gain(double gain, double ratio) {
  if (ratio < 0.25) return gain * 4.0 < 1e3 ? gain * 4.0 : 1e3;
  if (ratio > 0.7) return gain * 0.5 > 1e-5 ? gain * 0.5 : 1e-5;
  return gain;
}

// How a start ended.
struct Run {
  double cost;
  int iterations;
  bool met, out;  // whether all goals are met; whether the iterations are used up
  bool posed;     // in a frame: whether the frames and errors are known to be those of w.now
};

// The cost by which damping and the end of a run are measured: far from the goals (ten sizes and more) what there is to gain,
// and how it curves, grow with the distance, not with its square. `far` is kFarCost by the weight of the heaviest goal.
static inline double of_far(double F, double far) { return F > far ? __builtin_sqrt(far * F) : F; }

static double far_cost(const Work& w) {
  double heaviest = w.posture_weight;
  for (int k = 0; k < w.problem->parts; ++k) heaviest = __builtin_fmax(heaviest, w.part[k].weight);
  for (int k = 0; k < w.problem->links; ++k) heaviest = __builtin_fmax(heaviest, w.link[k].weight);
  return kFarCost * heaviest;
}

// The most that a pose costs in which all goals are met; infinite where a posture, balance, clearance or a goal of the host
// counts, whose costs have other bounds.
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

// How far a state is from `last`: in w.away along the directions of the steps, and as a weighted sum of squares.
static double away_from_last(Work& w, const State& s) {
  const Problem& P = *w.problem;
  for (int i = 0; i < P.width; i += 4) put_four(w.away + i, four(s.x + i) - four(w.last.x + i));
  for (int k = 0; k < P.balls; ++k) {
    const int i = P.ball[k];
    const SolverNode& n = P.node[P.coordinate[i].node];
    const double* x = s.x + i;
    double* d = w.away + i;
    if (n.op == kCone) {
      const double reach = __builtin_sqrt(x[0] * x[0] + x[1] * x[1]);
      const double n1 = reach > 1e-6 ? x[0] / reach : 1.0, n2 = reach > 1e-6 ? x[1] / reach : 0.0;
      const double a = d[0], b = d[1];
      d[0] = n1 * a + n2 * b;
      d[1] = n1 * b - n2 * a;
    } else {
      const double *p = w.last.turn + 4 * n.turn, *q = s.turn + 4 * n.turn;
      double r[4] = {p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3], p[0] * q[1] - p[1] * q[0] - p[2] * q[3] + p[3] * q[2],
                     p[0] * q[2] + p[1] * q[3] - p[2] * q[0] - p[3] * q[1], p[0] * q[3] - p[1] * q[2] + p[2] * q[1] - p[3] * q[0]};
      const double square = r[1] * r[1] + r[2] * r[2] + r[3] * r[3];
      double angle;  // by sine
      if (square < 0.01) {
        angle = 2.0 * arc_by_sine(square);
      } else {
        const double sine = __builtin_sqrt(square);
        angle = 2.0 * __builtin_atan2(sine, __builtin_fabs(r[0])) / sine;
      }
      if (r[0] < 0.0) angle = -angle;
      for (int j = 0; j < 3; ++j) d[j] = angle * r[j + 1];
    }
  }
  Four sum = {0, 0, 0, 0};
  for (int i = 0; i < P.width; i += 4) sum += four(P.all.weight + i) * four(w.away + i) * four(w.away + i);
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

// The bounds of the step. In a frame no coordinate moves more than its room since the last frame.
static void bounds(Work& w, const State& s, bool frame) {
  const Problem& P = *w.problem;
  for (int i = 0; i < P.width; i += 4) {
    Four lower = four(P.all.lower + i) - four(s.x + i), upper = four(P.all.upper + i) - four(s.x + i);
    if (frame) {
      const Four most = four(w.track.room + i), low = -most - four(w.away + i), high = most - four(w.away + i);
      const Four inner = where(low < upper, low, upper);
      lower = where(inner > lower, inner, lower);
      const Four outer = where(high > lower, high, lower);
      upper = where(outer < upper, outer, upper);
    }
    put_four(w.lower + i, lower);
    put_four(w.upper + i, upper);
  }
  for (int k = 0; k < P.balls; ++k) {
    const int i = P.ball[k];
    if (P.node[P.coordinate[i].node].op == kCone) {
      const double reach = __builtin_sqrt(s.x[i] * s.x[i] + s.x[i + 1] * s.x[i + 1]);
      w.lower[i] = -1.0 - reach;
      w.upper[i] = 1.0 - reach;
      w.lower[i + 1] = -1.0;
      w.upper[i + 1] = 1.0;
    }
    if (!frame) continue;
    for (int j = i; j < i + 3; ++j) {
      const double* turn = w.axis[j].n;
      const double radians = __builtin_sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);  // for a step of 1
      const double most = w.track.room[i] / (radians > 1e-6 ? radians : 1e-6);
      const double low = -most - w.away[j], high = most - w.away[j];
      if (low > w.lower[j]) w.lower[j] = low < w.upper[j] ? low : w.upper[j];
      if (high < w.upper[j]) w.upper[j] = high > w.lower[j] ? high : w.lower[j];
    }
  }
}

// The angle between two orientations.
static double angle_between(const double* p, const double* q) {
  const double side = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3] < 0.0 ? -1.0 : 1.0;
  double square = 0.0;
  for (int k = 0; k < 4; ++k) square += (q[k] - side * p[k]) * (q[k] - side * p[k]);
  const double half = 0.5 * __builtin_sqrt(square);
  return 4.0 * __builtin_asin(half < 1.0 ? half : 1.0);
}

// The orientation that three hinges of one joint make, but for the constant turns before the first and after the last.
static void triple_turn(const Problem& P, const Triple& t, const double* x, double* q) {
  for (int k = 0; k < 3; ++k) {
    const double* axis = P.node[P.coordinate[t.coordinate[k]].node].axis;
    const double half = 0.5 * x[t.coordinate[k]], s = __builtin_sin(half);
    const double r[4] = {__builtin_cos(half), s * axis[0], s * axis[1], s * axis[2]};
    if (k == 0) {
      for (int j = 0; j < 4; ++j) q[j] = r[j];
    } else {
      quaternion_product(q, r, q);
    }
  }
}

// Joints of three hinges that turned further than their room since the last frame are brought back to it, along the way they
// came. False if there were none.
static bool hold_triples(const Work& w, State& s) {
  const Problem& P = *w.problem;
  bool any = false;
  for (int t = 0; t < P.triples; ++t) {
    const double room = w.track.room[P.width + t];
    const int* c = P.triple[t].coordinate;
    // no rotation is larger than the sum of its angles
    if (!(__builtin_fabs(w.away[c[0]]) + __builtin_fabs(w.away[c[1]]) + __builtin_fabs(w.away[c[2]]) > room)) continue;
    double p[4], q[4];
    triple_turn(P, P.triple[t], w.last.x, p);
    for (int tries = 0; tries < kHoldTries; ++tries) {
      triple_turn(P, P.triple[t], s.x, q);
      const double share = room / (angle_between(p, q) + 1e-300);
      if (!(share < 1.0)) break;
      any = true;
      const double part = tries < kHoldTries - 1 ? kHoldShare * share : 0.0;
      for (int k = 0; k < 3; ++k) s.x[c[k]] = w.last.x[c[k]] + part * (s.x[c[k]] - w.last.x[c[k]]);
    }
  }
  return any;
}

// Balls that turned further than their room since the last frame, by all three steps together, are brought back to it. False if
// there were none.
static bool hold_balls(const Work& w, State& s) {
  const Problem& P = *w.problem;
  bool any = false;
  for (int b = 0; b < P.balls; ++b) {
    const int i = P.ball[b];
    const SolverNode& n = P.node[P.coordinate[i].node];
    const double room = w.track.room[i];
    if (n.op == kCone) {  // no rotation is larger than the ways of its swing and of its twist together
      const double *x = s.x + i, *last = w.last.x + i;
      const double sx = n.swing[0] * (x[0] - last[0]), sy = n.swing[1] * (x[1] - last[1]), twist = n.half * __builtin_fabs(x[2] - last[2]);
      const double left = room - twist;
      if (left >= 0.0 && sx * sx + sy * sy <= left * left) continue;
    } else if (w.away[i] * w.away[i] + w.away[i + 1] * w.away[i + 1] + w.away[i + 2] * w.away[i + 2] <= room * room) {
      continue;
    }
    if (n.op == kCone) {  // the axes are those of where the step began: how far it turned is measured
      double p[4], q[4];
      write_cone(n, w.last.x + i, p);
      for (int tries = 0; tries < kHoldTries; ++tries) {
        write_cone(n, s.x + i, q);
        const double share = room / (angle_between(p, q) + 1e-300);
        if (!(share < 1.0)) break;
        any = true;
        for (int j = i; j < i + 3; ++j) s.x[j] = w.last.x[j] + (tries == kHoldTries - 1 ? 0.0 : tries > 1 ? kHoldShare * share : share) * (s.x[j] - w.last.x[j]);
      }
    } else {
      double* q = s.turn + 4 * n.turn;
      const double* p = w.last.turn + 4 * n.turn;
      for (int tries = 0; tries < kHoldTries; ++tries) {
        const double near = room / (angle_between(p, q) + 1e-300);
        if (!(near < 1.0)) break;
        any = true;
        const double share = tries > 1 ? kHoldShare * near : near;
        const double side = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3] < 0.0 ? -share : share;
        double square = 0.0;
        for (int k = 0; k < 4; ++k) {
          q[k] = (1.0 - share) * p[k] + side * q[k];
          square += q[k] * q[k];
        }
        for (int k = 0; k < 4; ++k) q[k] /= __builtin_sqrt(square);
      }
    }
  }
  return any;
}

// Which coordinates the step will hold: what stands at a limit is likely to stay there.
static void guess_held(Work& w) {
  const Problem& P = *w.problem;
  for (int i = 0; i < P.coordinates; ++i) w.held[i] = w.now.x[i] <= P.all.lower[i] ? -1 : w.now.x[i] >= P.all.upper[i] ? 1 : 0;
  for (int k = 0; k < P.balls; ++k) {
    const int i = P.ball[k];
    if (P.node[P.coordinate[i].node].op != kCone) continue;
    const double square = w.now.x[i] * w.now.x[i] + w.now.x[i + 1] * w.now.x[i + 1];
    w.held[i] = square >= kOnRim ? 1 : 0;  // along the normal
    w.held[i + 1] = 0;                     // along the rim
  }
}

static void fill_damping(Work& w, const State& s, double lambda, double pull) {
  const Problem& P = *w.problem;
  const double firm = lambda + w.track.prox, kappa = w.prefer.pulls ? 0.0 : pull;
  for (int i = 0; i < P.width; i += 4) {
    const Four pulled = four(P.all.pulled + i) * kappa, weight = four(P.all.weight + i);
    put_four(w.damping + i, weight * firm + pulled);
    put_four(w.pull + i, pulled * (four(s.x + i) - four(P.all.middle + i)));
  }
  for (int k = 0; k < P.balls && kappa > 0.0; ++k) {
    const int i = P.ball[k];
    if (P.node[P.coordinate[i].node].op != kCone) continue;  // along the normal the distance from the apex, along the rim none
    w.pull[i] = kappa * P.all.pulled[i] * __builtin_sqrt(s.x[i] * s.x[i] + s.x[i + 1] * s.x[i + 1]);
    w.pull[i + 1] = 0.0;
  }
  if (w.prefer.pulls && pull > 0.0) pull_to_preferred(w, pull);
  if (w.posture_weight > 0.0)
    for (int i = 0; i < P.coordinates; ++i) {
      w.damping[i] += w.posture_stiff[i];
      w.pull[i] += w.posture_pull[i];
    }
  if (w.track.prox > 0.0)
    for (int i = 0; i < P.width; i += 4) put_four(w.pull + i, four(w.pull + i) + four(P.all.weight + i) * four(w.away + i) * w.track.prox);
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

// Short steps keep to the way from the start, and so to its side of an elbow.
static void cap_step(Work& w) {
  const double share = w.run.cap / largest_step(w);
  if (!(share < 1.0)) return;
  for (int i = 0; i < w.problem->coordinates; ++i) w.step[i] *= share;
  twists(w);
  if (w.limbs.taken) limbs_follow(w);
}

// The errors, rows and terms of w.now, whose frames are computed.
static void linearise(Work& w, bool tracking, bool newton) {
  columns(w, w.now);
  bounds(w, w.now, tracking);
  const bool limbs = newton || w.problem->bundles == 0;
  all_rows(w, limbs);
  all_links(w, true);
  all_postures(w, true);
  gather_terms(w, limbs);
  if (newton) second_order(w);
  if (!limbs) limbs_linearise(w);
  if (w.prefer.pulls && !w.settle.on) preference(w, true);
}

// Damped Gauss-Newton from w.now until the goals are met, nothing more is to be had, or the iterations are used up. With `second_order`
// and without `strained` the second-order term counts as soon as a step would leave, or leaves, much of the cost: where goals are
// met there is no such term. In a frugal frame the term counts after a step that fails, or that leaves much of the cost and does
// not do what it promised, and at most w.track.second_left times.
static Run run_start(Work& w, const SolveOptions& options, const RunOptions& asked) {
  const Problem& P = *w.problem;
  w.run = asked;
  const int most = asked.most;
  const bool patient = asked.patient;
  for (int i = 0; i < P.coordinates; ++i) w.held[i] = 0;
  for (int i = 0; i < P.width; ++i) w.curvature[i] = 0.0;
  w.posed = &w.now;
  if (asked.known == kNothingKnown) forward(w, w.now);
  if (asked.known != kErrorsKnown) all_errors(w);
  bool angles = false;
  for (int k = 0; k < P.parts && asked.positions_first; ++k) angles |= w.part[k].weight > 0.0 && is_angle(P.part[k]);
  for (int k = 0; k < P.links && asked.positions_first; ++k) angles |= w.link[k].weight > 0.0 && is_angle(P.link[k]);
  w.angle_factor = 1.0;
  all_links(w, false);  // their measures
  bool first = asked.positions_first && angles && !positions_near(w);
  w.angle_factor = first ? 1e-4 : 1.0;
  const bool tracking = w.track.room != nullptr;
  if (tracking) guess_held(w);
  double F = cost(w), gain = tracking ? kTrackGain : kFirstGain, past[3] = {F, F, F};
  int accepted = 0, rejected = 0;
  Run run = {F, 0, all_met(w), false, false};
  if ((run.met && !asked.one_step) || P.coordinates == 0) return run;
  const double far = far_cost(w);
  double near = tracking ? w.track.prox * away_from_last(w, w.now) : 0.0;
  const bool frugal = tracking && options.frugal;
  bool newton = asked.second_order && asked.strained, settled = false;
  linearise(w, tracking, newton);
  const bool seeking = options.frugal && patient && !tracking;  // only a pose that meets its goals is of use
  const double enough = seeking ? met_cost(w) : 0.0;
  double apart = w.posture_cost;
  while (run.iterations < most && (!newton || w.track.second_left > 0) && !ended(w, options)) {
    if (first && (run.iterations >= kFirstPhase || positions_near(w))) {
      first = false;
      w.angle_factor = 1.0;
      if (rejected > 0) forward(w, w.now);  // the trial has left other frames
      F = cost(w);
      gather_terms(w, newton || P.bundles == 0);
      if (!newton) limbs_weigh(w);
      all_links(w, true);
      past[0] = past[1] = past[2] = F;
      accepted = 0;
    }
    ++run.iterations;
    const double pull = kPull < kPullShare * F ? kPull : kPullShare * F;
    // where the cost stays large it would bias what can be met; a frame begins near its goals
    const double kappa = patient && !(tracking && w.prefer.pulls) ? 0.0 : pull;
    const double lambda = gain * (tracking ? of_far(F, far) + kTrackCost : of_far(F, far)) + P.least_damping;
    fill_damping(w, w.now, lambda, kappa);
    w.track.second_left -= newton;
    const bool second = bounded_tree_step(w, newton);
    if (asked.cap < 1e300) cap_step(w);
    const double linear = (second ? second_promised(w) : 0.0) + promised(w) + rows_promised(w) + postures_promised(w, apart);
    if (asked.second_order && !frugal && !newton && accepted + rejected == 0 && linear > kStrained * F && !run.met) {
      if (w.hooks.watching) glance(w, w.now, F, lambda, step_norm(w), false);
      newton = true;
      linearise(w, tracking, newton);
      continue;
    }
    if (options.bounded && patient && !run.met) {
      const bool close = !tracking && F < kAlmost / kFarCost * far;
      if (rejected == 0) settled = F - linear < (close ? kLittleClose : kLittle) * F;  // a step after one that failed promises less
      if (settled && accepted + rejected > 0) {
        if (w.hooks.watching) glance(w, w.now, F, lambda, step_norm(w), false);
        break;
      }
    }
    // at this rate the goals are not met before the iterations are used up
    if (seeking && rejected == 0 && accepted > 1 && F - enough > (most - run.iterations) * (F - linear)) {
      if (w.hooks.watching) glance(w, w.now, F, lambda, step_norm(w), false);
      break;
    }
    take_step(w, w.now, w.step, w.trial);
    double near_next = 0.0;
    if (tracking) {
      near_next = w.track.prox * away_from_last(w, w.trial);
      const bool balls = hold_balls(w, w.trial), triples = hold_triples(w, w.trial);
      if (balls || triples) near_next = w.track.prox * away_from_last(w, w.trial);
    }
    forward(w, w.trial);
    run.posed = false;
    // the errors of the trial go where those of the present are needed again if it is rejected: kept apart
    PartState* kept = w.part;
    LinkState* kept_links = w.link;
    w.part = kept + P.parts;
    w.link = kept_links + P.links;
    for (int k = 0; k < P.parts; ++k) w.part[k].weight = kept[k].weight;
    for (int k = 0; k < P.links; ++k) w.link[k] = kept_links[k];
    all_errors(w);
    const double next = cost(w);
    if (!(next + near_next < F + near)) {  // also where it is not a number
      w.part = kept;
      w.link = kept_links;
      if (w.hooks.watching) glance(w, w.now, F, lambda, step_norm(w), false);
      if (tracking) away_from_last(w, w.now);
      gain = __builtin_fmin(gain * (tracking ? 8.0 : 4.0), 1e3);
      if (run.met) break;
      if (++rejected > 6 || __builtin_fabs(F - linear) < 1e-14 * F) break;
      if (frugal && asked.second_order && !newton) {
        newton = true;
        forward(w, w.now);  // the trial has left other frames
        linearise(w, tracking, newton);
      }
      continue;
    }
    rejected = 0;
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
    near = near_next;
    ++accepted;
    if (all_met(w)) {
      run.cost = F;
      run.met = true;
      return run;
    }
    run.met = false;
    if (tracking && largest_step(w) < kStillStep) break;
    if (!tracking && !first && accepted >= kTrappedAfter && (patient ? before - F < kSettled * of_far(before, far) : F > 0.7 * before)) break;
    newton = asked.second_order && (newton || (frugal ? F > kSlow * last && !(ratio > kTrue && ratio < 1.0 / kTrue) : F > kStrained * last));
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
