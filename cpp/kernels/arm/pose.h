// Conversion between poses (nq numbers) and the numbers of an arm's joints.
#pragma once
#include "kernels/arm/one.h"

namespace manikin {
namespace MANIKIN_ISA {

static inline bool within(const ArmLimits& limits, const Miss& m) { return m.length <= limits.length && m.angle <= limits.angle; }

// Moves joints that can make a full turn to the turn nearest to the start, inside their limits. Returns whether a joint was changed.
static bool wrap(const Arm& arm, const double* start, double* q) {
  const double turn = kTwoPi;
  bool turned = false;
  for (int i = 0; i < arm.count; ++i) {
    const ArmJoint& j = arm.joint[i];
    if (j.boxed) continue;
    double next = q[i];
    if (!(__builtin_fabs(next - start[i]) < 3.14)) next -= turn * __builtin_floor((next - start[i]) / turn + 0.5);
    if (next > j.highest) next -= turn * __builtin_ceil((next - j.highest) / turn);
    if (next < j.lowest) next += turn * __builtin_ceil((j.lowest - next) / turn);
    turned |= next != q[i];
    q[i] = next;
  }
  return turned;
}

static inline void give_errors(const Arm& arm, double length, double angle, ArmResult* result) {
  const double chord = __builtin_sqrt(angle);  // 2 asin(chord / 2)
  result->reached = 1;
  result->length = __builtin_sqrt(length) * arm.size;
  result->angle = angle < 1e-3 ? chord * (1.0 + angle * (1.0 / 24.0 + angle * (3.0 / 640.0 + angle * (5.0 / 7168.0))))
                               : 2.0 * __builtin_asin(chord < 2.0 ? 0.5 * chord : 1.0);
}

static void give(const Arm& arm, double length, double angle, const double* q, double* pose, ArmResult* result) {
  for (int i = 0; i < arm.count; ++i) {
    const ArmJoint& j = arm.joint[i];
    const double number = q[i] * j.unit;
    pose[j.number] = number < j.lowest ? j.lowest : number > j.highest ? j.highest : number;
  }
  give_errors(arm, length, angle, result);
}

static inline double* numbers(One& r) { return reinterpret_cast<double*>(r.q); }

// Reads the start (nq) in the form of the kernels, inside its limits.
template <class M>
static void read(const Arm& arm, const double* pose, double* q) {
  for (int i = 0; i < arm.count; ++i) {
    const ArmJoint& j = arm.joint[i];
    const double number = M::slides ? pose[j.number] / j.unit : pose[j.number];
    q[i] = number < arm.side.lower[i] ? arm.side.lower[i] : number > arm.side.upper[i] ? arm.side.upper[i] : number;
  }
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
