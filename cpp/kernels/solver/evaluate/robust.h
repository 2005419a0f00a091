// The cost with robust losses (model/loss.h). A loss is concave in the square of the error. So the sum of slope · error², with the slopes of the
// present pose, plus a constant (LossState::rest), lies above the cost and touches it there. A step that lowers this sum lowers the cost at least as
// much. So the step is that of least squares with weight · slope as the weight.
#pragma once
#include "kernels/solver/evaluate/all_links.h"
#include "kernels/solver/evaluate/goals.h"
#include "kernels/solver/evaluate/posture.h"

namespace manikin {
namespace MANIKIN_ISA {

// `cost` if a goal is robust. Also computes the factors of the parts and `rest`.
[[gnu::noinline]] static double robust_cost(Work& w) {
  const Problem& P = *w.problem;
  double sum = 0.0;
  w.loss.rest = 0.0;
  for (int k = 0; k < P.parts; ++k) {
    PartState& s = w.part[k];
    if (!(s.weight > 0.0)) continue;
    const double factor = s.weight * (is_angle(P.part[k]) ? P.angle_weight * P.angle_weight * w.angle_factor : 1.0);
    const Loss loss = loss_of(P.robust[k].kind, P.robust[k].scale * w.loss.softness, s.measure);
    s.factor = factor * loss.slope;
    sum += factor * loss.value;
    w.loss.rest += factor * (loss.value - loss.slope * s.measure * s.measure);
  }
  return sum + all_links(w, false, __builtin_inf()) + all_postures(w, false);
}

// The smallest power of two s, at least 1, so that at least half of the robust parts have an error of at most kInlier s scales. Far from the targets
// all slopes of a loss are near 0; with scales s times as large they are not.
static double wanted_softness(const Work& w) {
  const Problem& P = *w.problem;
  double softness = 1.0;
  for (int doubling = 0; doubling < 60; ++doubling, softness *= 2.0) {
    int all = 0, near = 0;
    for (int k = 0; k < P.parts; ++k) {
      if (!(w.part[k].weight > 0.0) || P.robust[k].kind == kNoLoss) continue;
      ++all;
      near += w.part[k].measure <= kInlier * softness * P.robust[k].scale;
    }
    if (2 * near >= all) break;
  }
  return softness;
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
