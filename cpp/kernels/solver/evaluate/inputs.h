// Reads the targets and weights of a row.
#pragma once
#include "kernels/solver/evaluate/goals.h"

namespace manikin {
namespace MANIKIN_ISA {

static void read_goals(Work& w, const Problem& problem, const double* targets, const double* weights) {
  int scaled = 0;
  for (; scaled + 4 <= problem.target_width; scaled += 4) {
    const Four most = four(problem.target_most + scaled);
    put_four(w.scaled + scaled, clamped_four(four(targets + scaled) * four(problem.target_scale + scaled), -most, most));
  }
  for (; scaled < problem.target_width; ++scaled)
    w.scaled[scaled] = clamped(targets[scaled] * problem.target_scale[scaled], -problem.target_most[scaled], problem.target_most[scaled]);
  for (int k = 0; k < problem.parts; ++k) {
    PartState& s = w.part[k];
    s.weight = s.own_weight = weights[problem.part[k].goal] * problem.part[k].share;
    s.aside = 0;
    s.measure = 0.0;
    if (has_rotation(problem.part[k])) quaternion_columns(targets + problem.part[k].target, w.wanted[k]);
  }
  for (int k = 0; k < problem.links; ++k) {
    w.link[k] = LinkState{};
    w.link[k].weight = w.link[k].own_weight = weights[problem.link[k].goal];
  }
  w.target = w.scaled;
  w.posture_weight = 0.0;
  for (int k = 0; k < problem.postures; ++k) {
    w.posture[k] = PostureState{};
    w.posture[k].weight = weights[problem.posture[k].goal];
    w.posture_weight = __builtin_fmax(w.posture_weight, w.posture[k].weight);
  }
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
