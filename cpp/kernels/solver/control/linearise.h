// The linear model of a pose: rows of the goals, bounds of the step, and the terms of the sweeps.
#pragma once
#include "kernels/solver/control/room.h"
#include "kernels/solver/evaluate/cost.h"
#include "kernels/solver/evaluate/prefer.h"
#include "kernels/solver/step/limbs.h"
#include "kernels/solver/step/second.h"

namespace manikin {
namespace MANIKIN_ISA {

// Computes the errors, rows and terms of w.now, whose frames are known.
static void linearise(Work& w, bool tracking, bool newton) {
  columns(w, w.now);
  bounds(w, w.now, tracking);
  const bool limbs = newton || w.problem->bundles == 0;
  all_rows(w, limbs);
  all_links(w, true, __builtin_inf());
  all_postures(w, true);
  gather_terms(w, limbs);
  if (newton) second_order(w);
  if (!limbs) limbs_linearise(w);
  if (w.prefer.pulls && !w.settle.on) preference(w, true);
}

// Whether the step after the first one of a frame may use the rows of the first. The first step left this fraction of the cost because the rows
// change along it, so a step with the old rows leaves about the square root of that fraction of each error.
static bool rows_last(const Work& w, double left) {
  const Problem& P = *w.problem;
  if (P.links > 0 || P.postures > 0 || P.sides > 0 || P.cones > 0) return false;
  const double share = kRowsLast * __builtin_sqrt(left);
  for (int k = 0; k < P.parts; ++k)
    if (w.part[k].weight > 0.0 && !(share * w.part[k].measure <= P.part[k].tolerance)) return false;
  return true;
}

// Does the same as `linearise` with the rows of the last step.
static void keep_rows(Work& w) {
  const bool limbs = w.problem->bundles == 0;
  bounds(w, w.now, true);
  gather_terms(w, limbs);
  if (!limbs) limbs_weigh(w);
  if (w.prefer.pulls && !w.settle.on) preference(w, true);
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
