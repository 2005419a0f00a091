// The cost of a pose, and whether its goals are met.
#pragma once
#include "kernels/solver/evaluate/goals.h"

namespace manikin {
namespace MANIKIN_ISA {

static double all_links(Work& w, bool put, double enough);
static bool links_met(const Work& w);
static double all_postures(Work& w, bool put);
static bool postures_met(const Work& w);
static double robust_cost(Work& w);

// The cost with the weights of the present phase. Costs of goals are never negative, so a sum of some of them above w.enough ends the evaluation. A
// goal of the caller is always asked.
static double cost(Work& w) {
  const Problem& P = *w.problem;
  if (P.robust) return robust_cost(w);
  double sum = 0.0;
  for (int k = 0; k < P.parts; ++k) {
    PartState& s = w.part[k];
    if (!(s.weight > 0.0)) continue;
    s.factor = s.weight * (is_angle(P.part[k]) ? P.angle_weight * P.angle_weight * w.angle_factor : 1.0);
    sum += s.factor * s.measure * s.measure;
  }
  if (P.callbacks > 0) return sum + all_links(w, false, __builtin_inf()) + all_postures(w, false);
  if (sum > w.enough) return sum;
  sum += all_links(w, false, w.enough - sum);
  return sum > w.enough ? sum : sum + all_postures(w, false);
}

// Whether all goals are met as far as possible: a posture only has to come as near as the joints allow.
static bool all_met(const Work& w) {
  for (int k = 0; k < w.problem->parts; ++k)
    if (w.part[k].weight > 0.0 && !w.part[k].aside && !(w.part[k].measure <= w.problem->part[k].tolerance)) return false;
  return postures_met(w) && links_met(w);
}

}  // namespace MANIKIN_ISA
}  // namespace manikin

// These includes come after `cost` because GCC's code for the kernels depends on the order of definitions.
#include "kernels/solver/evaluate/posture.h"
#include "kernels/solver/evaluate/prefer.h"
#include "kernels/solver/evaluate/all_links.h"
#include "kernels/solver/evaluate/robust.h"
