// One frame of a track, from a pose that is near.
#pragma once
#include "kernels/arm/search.h"

namespace manikin {
namespace MANIKIN_ISA {

template <class M>
static void follow_arm(const Arm& arm, const double* targets, const ArmRoom& room, double lean, double least, ArmPlace& kept, double* pose,
                       ArmResult* result) {
  *result = ArmResult{0, 0, 1, 0.0, 0.0};
  const Aim aim = aim_of(wanted_of(arm, targets));
  double start[kMostArm];
  read<M>(arm, pose, start);
  One& r = here<M>(arm, start, kept);
  Miss m;
  miss_of(aim, r, m);
  for (int k = 0; k < kFollowSteps; ++k) {
    const double before = m.error;
    if (k == 0 && lean > 0.0) {
      step_one<M, true>(arm, m, least, r, lean);
    } else {
      step_one<M>(arm, m, least, r);
    }
    bool far = false;
    for (int i = 0; i < M::count; ++i) {
      const double number = numbers(r)[i];
      if (M::slides && arm.joint[i].slides) continue;
      // beyond the limits, removing a turn would give the same place, but it is a whole turn away
      // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): arm.count is M::count, so read() has written every start
      far |= !(__builtin_fabs(number - start[i]) <= room.most[i]) || !(number >= arm.side.lowest[i] && number <= arm.side.highest[i]);
    }
    if (far) break;
    place<M>(arm, r);
    miss_of(aim, r, m);
    ++result->iterations;
    if (within(arm.limits, m)) return give(arm, m.length, m.angle, numbers(r), pose, result);
    if (!(m.error <= 0.5 * before) && (k > 0 || lean == 0.0)) break;  // the first step may raise the error because of the lean
  }
  kept.arm = nullptr;
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
