#include "solve/query/prefer.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "dispatch/backend.h"
#include "math/mat3.h"
#include "math/nearest_turns.h"
#include "math/quaternion.h"
#include "math/turns.h"
#include "model/tree.h"

namespace manikin {
namespace {

// The limits of a cone's twist in the units of its coordinate.
Coordinate twist_of(const SolverNode& n) {
  const bool endless = n.half >= 3.141592653589793 * (1.0 - 1e-12);
  Coordinate twist{};
  twist.lower = endless ? -HUGE_VAL : -1.0;
  twist.upper = endless ? HUGE_VAL : 1.0;
  return twist;
}

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
    const Coordinate twist = twist_of(n);
    const double before[4] = {number[0], number[1], number[2], number[3]};
    if (wanted) {
      solver_kernels().along_cone(n, twist, wanted, wanted, 1.0, number);
    } else {
      cone_middle(n, number);
    }
    if (n.moving != kMoves) solver_kernels().keep_held(n, twist, before, number);
  }
}

void move_unfelt(const CompiledProblem& compiled, const double* prefer, const double* per_step, double share, const double* most, double* q) {
  if (compiled.unfelt().empty()) return;
  std::vector<double> placed(q, q + compiled.problem().nq);
  place_unfelt(compiled, prefer, per_step, placed.data());
  for (const UnfeltJoint& joint : compiled.unfelt()) {
    double *number = q + joint.number, *to = placed.data() + joint.number;
    const double room = most[joint.number];
    if (joint.kind != kBall) {
      const bool endless = turns(joint.kind) && std::isinf(joint.lower) && std::isinf(joint.upper);
      const double way = share * ((endless ? nearest_turn(*number, *to) : *to) - *number);
      *number += std::min(std::max(way, -room), room);
      continue;
    }
    const double from[4] = {number[0], number[1], number[2], number[3]};
    const auto go = [&](double part) {
      if (joint.cone < 0) {
        double turn[3];
        turn_between(from, to, turn);
        for (double& x : turn) x *= part;
        turned_by(turn, from, number);
      } else {
        const SolverNode& n = compiled.unfelt_cones()[static_cast<std::size_t>(joint.cone)];
        solver_kernels().along_cone(n, twist_of(n), from, to, part, number);
      }
    };
    go(share);
    const double angle = angle_between(from, number);
    if (angle > room) go(0.99 * share * room / angle);  // the way inside a cone is not straight
  }
}

}  // namespace manikin
