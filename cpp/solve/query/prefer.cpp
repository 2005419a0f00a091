#include "solve/query/prefer.h"

#include <algorithm>
#include <cmath>

#include "dispatch/backend.h"
#include "math/mat3.h"
#include "math/quaternion.h"
#include "model/tree.h"

namespace manikin {
namespace {

// The rotation of a cone without swing and with the middle of its twist range.
void cone_middle(const SolverNode& n, double* q) {
  const double twist[4] = {n.middle_cosine, 0.0, 0.0, n.middle_sine}, back[4] = {n.basis[0], -n.basis[1], -n.basis[2], -n.basis[3]};
  quaternion_product(n.whole, twist, q);
  quaternion_product(q, back, q);
}

}  // namespace

void coordinate_stiffness(const Problem& problem, const double* per_step, double* out) {
  std::fill(out, out + problem.width, 0.0);
  for (int i = 0; i < problem.coordinates; ++i)
    if (problem.step_of[i] >= 0) out[i] = per_step[problem.step_of[i] + problem.coordinate[i].part];
}

void place_unfelt(const CompiledProblem& compiled, const double* prefer, const double* per_step, double* q) {
  for (const UnfeltJoint& joint : compiled.unfelt()) {
    double* number = q + joint.number;
    const double* wanted = prefer ? prefer + joint.number : nullptr;
    if (joint.kind != kBall) {
      const double lower = joint.lower, upper = joint.upper;
      if (per_step && !(per_step[joint.step] > 0.0)) continue;
      if (!wanted && !(std::isfinite(lower) && std::isfinite(upper))) continue;
      *number = std::min(std::max(wanted ? *wanted : 0.5 * (lower + upper), lower), upper);
      continue;
    }
    if (per_step && !(per_step[joint.step] > 0.0 && per_step[joint.step + 1] > 0.0 && per_step[joint.step + 2] > 0.0)) continue;
    if (joint.cone < 0) {
      if (wanted) std::copy(wanted, wanted + 4, number);
      continue;
    }
    const SolverNode& n = compiled.unfelt_cones()[static_cast<std::size_t>(joint.cone)];
    const bool endless = n.half >= 3.141592653589793 * (1.0 - 1e-12);
    Coordinate twist{};
    twist.lower = endless ? -HUGE_VAL : -1.0;
    twist.upper = endless ? HUGE_VAL : 1.0;
    const double before[4] = {number[0], number[1], number[2], number[3]};
    if (wanted) {
      solver_kernels().along_cone(n, twist, wanted, wanted, 1.0, number);
    } else {
      cone_middle(n, number);
    }
    if (n.moving != kMoves) solver_kernels().keep_held(n, twist, before, number);
  }
}

}  // namespace manikin
