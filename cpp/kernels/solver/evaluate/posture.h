// Staying close to a pose: a separate term for each coordinate. Joints that do not move, and numbers of the posture outside their limits, leave an
// error that no pose reduces. It counts in the measure but not in the cost.
#pragma once
#include "kernels/solver/evaluate/cone.h"
#include "kernels/solver/evaluate/forward.h"

namespace manikin {
namespace MANIKIN_ISA {

// The rotation vector from b to a in the axes of a: 2 log(conj(b) a), the shorter way.
static inline Four turn_from(const double* b, const double* a) {
  double r[4] = {b[0] * a[0] + b[1] * a[1] + b[2] * a[2] + b[3] * a[3], b[0] * a[1] - b[1] * a[0] - b[2] * a[3] + b[3] * a[2],
                 b[0] * a[2] + b[1] * a[3] - b[2] * a[0] - b[3] * a[1], b[0] * a[3] - b[1] * a[2] + b[2] * a[1] - b[3] * a[0]};
  const double sine = __builtin_sqrt(r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
  double k = sine < 1e-8 ? 2.0 : 2.0 * __builtin_atan2(sine, __builtin_fabs(r[0])) / sine;
  if (r[0] < 0.0) k = -k;
  return Four{k * r[1], k * r[2], k * r[3], 0.0};
}

// Reads the numbers of the postures, and computes the errors that no pose reduces. `s` is any state, for joints that do not move.
static void read_postures(Work& w, const State& s) {
  const Problem& P = *w.problem;
  for (int p = 0; p < P.postures; ++p) {
    const Posture& posture = P.posture[p];
    const double* wanted = w.target + posture.target;
    double *ideal = w.ideal + p * P.coordinates, *ideal_gap = w.ideal_gap + p * P.coordinates;
    double least = 0.0;
    for (int k = 0; k < P.numbered; ++k) {
      const Numbered& n = P.each_number[k];
      const double number = wanted[n.number] / n.unit, gap = (ideal[n.coordinate] = clamped(number, n.lower, n.upper)) - number;
      ideal_gap[n.coordinate] = gap;
      least += posture.stiffness[n.coordinate] * gap * gap;  // 0 for a coupled one
    }
    for (int k = 0; k < posture.still; ++k) {
      const StillJoint& joint = posture.still_joint[k];
      if (joint.stiffness == 0.0) continue;  // it adds nothing
      const SolverNode& n = P.node[joint.node];
      if (n.op == kLoose) {
        const Four phi = turn_from(wanted + n.number, s.turn + 4 * n.turn);
        least += joint.stiffness * dot3(phi, phi);
      } else {
        const double away = w.fixed[joint.node] - wanted[n.number] / n.unit;
        least += joint.stiffness * away * away;
      }
    }
    w.posture[p].least = least;
  }
}

// Computes the cost of the distance from one posture in the state whose frames are computed; with `put` also its gradient, for which the columns must
// be known. For a ball's rotation vector the plain derivative is used, which gives the exact gradient of its square. Its curvature couples the three
// steps of the ball (sweep_siblings in step/sweeps.h).
static double one_posture(Work& w, int which, bool put) {
  const Problem& P = *w.problem;
  const Posture& posture = P.posture[which];
  PostureState& state = w.posture[which];
  const State& s = *w.posed;
  // what is wanted, and how much it counts
  const double *wanted = w.target + posture.target, factor = state.weight * w.problem->angle_weight * w.problem->angle_weight;
  const double *ideal = w.ideal + which * P.coordinates, *ideal_gap = w.ideal_gap + which * P.coordinates;
  Four* turn = w.posture_turn + static_cast<long>(which) * P.balls;
  double square = 0.0;
  for (int i = 0; i < P.coordinates;) {
    const Coordinate& c = P.coordinate[i];
    const SolverNode& n = P.node[c.node];
    const double* stiffness = posture.stiffness + i;
    if (*stiffness == 0.0) {  // it adds nothing, and the angles of a ball are expensive
      i += n.op == kCone || n.op == kLoose ? 3 : 1;
      continue;
    }
    // balls: the rotation from what is wanted, as a vector
    if (n.op == kCone || n.op == kLoose) {
      double is[4];
      if (n.op == kCone && !w.posture_known) write_cone(n, s.x + i, is);
      if (!w.posture_known) *turn = turn_from(wanted + n.number, n.op == kCone ? is : s.turn + 4 * n.turn);
      const Four phi = *turn++;
      square += *stiffness * dot3(phi, phi);
      if (put) {
        const Frame& f = w.frame[c.node];
        const Four world = f.x * phi[0] + f.y * phi[1] + f.z * phi[2];
        for (int k = i; k < i + 3; ++k) {
          const Four turn = three(w.axis[k].n);
          w.posture_pull[k] += factor * *stiffness * dot3(world, turn);
          w.posture_stiff[k] += factor * *stiffness * dot3(turn, turn);
        }
        const Four c0 = three(w.axis[i].n), c1 = three(w.axis[i + 1].n), c2 = three(w.axis[i + 2].n);
        w.posture_cross[i] += factor * *stiffness * dot3(c0, c1);
        w.posture_cross[i + 1] += factor * *stiffness * dot3(c0, c2);
        w.posture_cross[i + 2] += factor * *stiffness * dot3(c1, c2);
      }
      i += 3;
    } else {
      // single numbers: the difference
      const double away = n.source >= 0 ? 0.0 : s.x[i] - ideal[i], gap = n.source >= 0 ? 0.0 : ideal_gap[i];
      square += *stiffness * away * (away + 2.0 * gap);  // (away + gap)^2 - gap^2
      if (put && n.source < 0) {
        w.posture_pull[i] += factor * *stiffness * (away + gap);
        w.posture_stiff[i] += factor * *stiffness;
      }
      ++i;
    }
  }
  state.rest = square;
  state.measure = __builtin_sqrt(square + state.least);
  return factor * square;
}

static double settling_cost(Work& w, bool put);  // prefer.h, included below

// The same for all postures that count.
static double all_postures(Work& w, bool put) {
  w.posture_cost = 0.0;
  if (!(w.posture_weight > 0.0)) return 0.0;
  const Problem& P = *w.problem;
  if (put)
    for (int i = 0; i < P.coordinates; ++i) w.posture_pull[i] = w.posture_stiff[i] = w.posture_cross[i] = 0.0;
  for (int k = 0; k < P.postures; ++k)
    if (w.posture[k].weight > 0.0) w.posture_cost += one_posture(w, k, put);
  w.posture_known = true;
  if (w.settle.on) w.posture_cost += settling_cost(w, put);
  return w.posture_cost;
}

static bool postures_reached(const Work& w) {
  for (int k = 0; k < w.problem->postures; ++k)
    if (w.posture[k].weight > 0.0 && !(w.posture[k].measure <= w.problem->posture[k].tolerance)) return false;
  return true;
}

// Whether all postures are met, or as near as possible if they are out of reach.
static bool postures_met(const Work& w) {
  for (int k = 0; k < w.problem->postures; ++k) {
    const PostureState& s = w.posture[k];
    const double tolerance = w.problem->posture[k].tolerance, near = tolerance < kPostureSettled ? tolerance : kPostureSettled;
    const bool settled = s.least > tolerance * tolerance && s.rest <= near * near;
    if (s.weight > 0.0 && !(s.measure <= tolerance) && !settled) return false;
  }
  return true;
}

// The cost of the postures that the linear model promises after the step.
static double postures_promised(const Work& w, double now) {
  if (!(w.posture_weight > 0.0)) return 0.0;
  double sum = now;
  for (int i = 0; i < w.problem->coordinates; ++i) {
    const Coordinate& c = w.problem->coordinate[i];
    sum += w.step[i] * (2.0 * w.posture_pull[i] + w.posture_stiff[i] * w.step[i]);
    const int op = w.problem->node[c.node].op;
    if (c.part == 0 && (op == kCone || op == kLoose)) {
      const double *d = w.step + i, *o = w.posture_cross + i;
      sum += 2.0 * (o[0] * d[0] * d[1] + o[1] * d[0] * d[2] + o[2] * d[1] * d[2]);
    }
  }
  return sum > 0.0 ? sum : 0.0;
}

}  // namespace MANIKIN_ISA
}  // namespace manikin

#include "kernels/solver/evaluate/prefer.h"
