// The damping rule: how much a step is damped, and toward which pose it is pulled. The constants are in kernels/solver/constants.h.
#pragma once
#include "kernels/damping.h"
#include "kernels/solver/evaluate/prefer.h"

namespace manikin {
namespace MANIKIN_ISA {

// Damping at the start of a run, per cost.
static inline double first_gain(bool tracking) { return tracking ? kTrackGain : kFirstGain; }

// Raises the damping after a step that gained much less than promised, and lowers it after one that gained nearly all of it.
static inline double next_gain(double gain, double ratio) {
  if (ratio < kPoorRatio) return gain * kGainUp < kMostGain ? gain * kGainUp : kMostGain;
  if (ratio > kGoodRatio) return gain * kGainDown > kLeastGain ? gain * kGainDown : kLeastGain;
  return gain;
}

// The same after a rejected step.
static inline double gain_after_failure(double gain, bool tracking) { return __builtin_fmin(gain * (tracking ? kTrackGainUp : kGainUp), kMostGain); }

// The cost by which damping and the end of a run are measured. Far from the goals (ten sizes and more), the possible gain and the curvature grow with
// the distance, not with its square. `far` is kFarCost times the weight of the heaviest goal.
static inline double of_far(double F, double far) { return F > far ? __builtin_sqrt(far * F) : F; }

static double heaviest_weight(const Work& w) {
  double heaviest = w.posture_weight;
  for (int k = 0; k < w.problem->parts; ++k) heaviest = w.part[k].weight > heaviest ? w.part[k].weight : heaviest;
  for (int k = 0; k < w.problem->links; ++k) heaviest = w.link[k].weight > heaviest ? w.link[k].weight : heaviest;
  return heaviest;
}

static double far_cost(const Work& w) { return kFarCost * heaviest_weight(w); }

// The damping of a step, in sizes squared, at the cost F.
static inline double damping_of(const Work& w, double gain, double F, double far, bool tracking) {
  return damping_at(tracking ? of_far(F, far) + kTrackCost : of_far(F, far), gain, w.problem->least_damping);
}

// The weight of the pull toward mid-range, or toward a preferred pose, at the cost F.
static inline double pull_of(double F) { return kPull < kPullShare * F ? kPull : kPullShare * F; }

// Fills in damping and pull of every coordinate: those of the step, of posture goals, and of staying near the last frame.
static void fill_damping(Work& w, const State& s, double lambda, double pull) {
  const Problem& P = *w.problem;
  const double firm = lambda + w.track.prox, kappa = w.prefer.pulls ? 0.0 : pull;
  const bool near = w.track.prox > 0.0;
  if (kappa == 0.0)
    for (int i = 0; i < P.width; i += 4) {
      const Four weight = four(P.all.weight + i);
      put_four(w.damping + i, weight * firm);
      put_four(w.pull + i, near ? weight * four(w.away + i) * w.track.prox : kNone);
    }
  else
    for (int i = 0; i < P.width; i += 4) {
      const Four pulled = four(P.all.pulled + i) * kappa, weight = four(P.all.weight + i);
      put_four(w.damping + i, weight * firm + pulled);
      put_four(w.pull + i, pulled * (four(s.x + i) - four(P.all.middle + i)));
    }
  for (int k = 0; k < P.balls && kappa > 0.0; ++k) {
    const int i = P.ball[k];
    if (P.node[P.coordinate[i].node].op != kCone) continue;  // along the normal it is the distance from the apex, along the rim 0
    w.pull[i] = kappa * P.all.pulled[i] * __builtin_sqrt(s.x[i] * s.x[i] + s.x[i + 1] * s.x[i + 1]);
    w.pull[i + 1] = 0.0;
  }
  if (w.prefer.pulls && pull > 0.0) pull_to_preferred(w, pull);
  if (w.posture_weight > 0.0)
    for (int i = 0; i < P.coordinates; ++i) {
      w.damping[i] += w.posture_stiff[i];
      w.pull[i] += w.posture_pull[i];
    }
  if (near && kappa > 0.0)
    for (int i = 0; i < P.width; i += 4) put_four(w.pull + i, four(w.pull + i) + four(P.all.weight + i) * four(w.away + i) * w.track.prox);
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
