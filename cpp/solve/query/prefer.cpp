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
#include "solve/constants.h"

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

// The rotation of a ball, or of three hinges of one joint.
void rotation_of(const UnfeltJoint* joint, const double* number, double* q) {
  if (joint->kind == kBall) {
    std::copy(number, number + 4, q);
    return;
  }
  for (int k = 0; k < 3; ++k) {
    const double half = 0.5 * number[k], s = std::sin(half), *u = joint[k].axis, turn[4] = {std::cos(half), s * u[0], s * u[1], s * u[2]};
    if (k == 0) {
      std::copy(turn, turn + 4, q);
    } else {
      quaternion_product(q, turn, q);
    }
  }
}

// Moves a ball, or three hinges of one joint, a share of the way to other numbers, but by at most the angle `room`.
void turn_part(const CompiledProblem& compiled, const UnfeltJoint* joint, const double* to, double share, double room, double* number) {
  const int count = joint->kind == kBall ? 4 : 3;
  double from[4], before[4], after[4];
  std::copy(number, number + count, from);
  rotation_of(joint, from, before);
  // The way inside a cone, or by three angles, is not straight. So a part of it may turn further than that part of the angle.
  for (int tries = 0; tries < kRoomTries; ++tries) {
    if (joint->kind != kBall) {
      for (int k = 0; k < 3; ++k) number[k] = from[k] + share * (to[k] - from[k]);
    } else if (joint->cone >= 0) {
      const SolverNode& n = compiled.unfelt_cones()[static_cast<std::size_t>(joint->cone)];
      solver_kernels().along_cone(n, twist_of(n), from, to, share, number);
    } else {
      double turn[3];
      turn_between(from, to, turn);
      for (double& x : turn) x *= share;
      turned_by(turn, from, number);
    }
    rotation_of(joint, number, after);
    const double angle = angle_between(before, after);
    if (angle <= room) return;
    share *= kRoomPart * room / angle;
  }
  std::copy(from, from + count, number);
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
  const std::vector<UnfeltJoint>& joints = compiled.unfelt();
  if (joints.empty()) return;
  std::vector<double> placed(q, q + compiled.problem().nq);
  place_unfelt(compiled, prefer, per_step, placed.data());
  for (std::size_t k = 0; k < joints.size(); k += static_cast<std::size_t>(joints[k].together)) {
    const UnfeltJoint* joint = &joints[k];
    double *number = q + joint->number, *to = placed.data() + joint->number;
    const double room = most[joint->number];
    for (int j = 0; j < joint->together; ++j)
      if (turns(joint[j].kind) && std::isinf(joint[j].lower) && std::isinf(joint[j].upper)) to[j] = nearest_turn(number[j], to[j]);
    if (joint->kind != kBall && joint->together == 1) {
      *number += std::min(std::max(share * (*to - *number), -room), room);
      continue;
    }
    const auto pulled = [&](const UnfeltJoint& hinge) { return !per_step || per_step[hinge.step] > 0.0; };
    if (joint->other != kNoOther && std::all_of(joint, joint + 3, pulled)) nearest_triple(number, joint->other == kSameAxis, to);
    turn_part(compiled, joint, to, share, room, number);
  }
}

}  // namespace manikin
