// Frames of an arm one after the other, as long as steps alone suffice.
//
// The result is the same as that of a call of `follow` for each frame. It is faster because targets are read for several frames together, and the
// joint numbers stay in the kernel.
#pragma once
#include "kernels/arm/follow.h"
#include "model/arm_calm.h"

namespace manikin {
namespace MANIKIN_ISA {

// The targets of some frames, each in a separate lane: the wanted placement of the end, and how far the target moved.
struct alignas(32) Asked {
  Aim aim[MANIKIN_LANES];
  double moved[MANIKIN_LANES];
};

// Reads some frames. Row 0 is the target before the first of them. The last group is filled up with its last row.
static inline void read_frames(const Arm& arm, long frames, const double* targets, int width, Asked& asked) {
  alignas(32) double number[7][MANIKIN_LANES], before[7][MANIKIN_LANES];
  for (int k = 0; k < MANIKIN_LANES; ++k) {
    const double* row = targets + (k < frames ? k : frames - 1) * width;
    const double *p = row + arm.position, *q = row + arm.orientation;
    for (int c = 0; c < 3; ++c) before[c][k] = p[c], number[c][k] = p[c + width];
    for (int c = 0; c < 4; ++c) before[3 + c][k] = q[c], number[3 + c][k] = q[c + width];
  }
  auto lanes = [&](int c) { return *reinterpret_cast<const Wide*>(number[c]); };
  auto last = [&](int c) { return *reinterpret_cast<const Wide*>(before[c]); };
  const double shrink = 1.0 / arm.size;
  const Wanted<Wide> w = wanted_by(arm, Vec<Wide>{lanes(0) * shrink, lanes(1) * shrink, lanes(2) * shrink}, lanes(3), lanes(4), lanes(5), lanes(6));
  auto part = [](const Vec<Wide>& v, int k) { return four(Vec<double>{v.x[k], v.y[k], v.z[k]}); };
  for (int k = 0; k < MANIKIN_LANES; ++k) asked.aim[k] = {part(w.p, k), part(w.x, k), part(w.y, k), part(w.z, k)};
  // as in arm_moved
  Wide length = {}, turn = {}, other = {};
  for (int c = 0; c < 3; ++c) length += (lanes(c) - last(c)) * (lanes(c) - last(c));
  for (int c = 3; c < 7; ++c) {
    turn += (lanes(c) - last(c)) * (lanes(c) - last(c));
    other += (lanes(c) + last(c)) * (lanes(c) + last(c));
  }
  turn = 0.4 * 0.4 * (other < turn ? other : turn);
  const Wide most = root(largest(length * (shrink * shrink), turn));
  *reinterpret_cast<Wide*>(asked.moved) = most < __builtin_inf() ? most : Wide{};
}

// For hinges whose numbers in q are those of the kernel: whether all are inside their limits, so that nothing must be wrapped or clipped, and none
// moved further than `calm` or its room.
static inline bool plain_move(const Arm& arm, const Wide* start, const ArmRoom& speed, double dt, double calm, const One& r) {
  WideBits out = {};
  for (int k = 0; k < kWides; ++k) {
    const Wide gone = r.q[k] - start[k], room = wide(speed.most, k) * dt, most = room < calm ? room : Wide{} + calm;
    out |= (r.q[k] < wide(arm.side.lowest, k)) | (r.q[k] > wide(arm.side.highest, k)) | ~((gone <= most) & (gone >= -most));
  }
  return none(out);
}

// poses and targets: row 0 of both is the frame before. Returns how many frames succeeded. The caller handles the next frame, with more methods, and
// arms with slides.
template <class M>
static long follow_frames(const Arm& arm, long frames, const double* targets, int width, const ArmRoom& speed, const double* dt, ArmPlace& kept,
                          double* poses, int nq, ArmResult* results) {
  if (M::slides) return 0;
  alignas(32) double begun[kMostArm] = {};
  read<M>(arm, poses, begun);
  One& r = here<M>(arm, begun, kept);
  Asked asked;
  for (long t = 0; t < frames; ++t) {
    const int lane = static_cast<int>(t % MANIKIN_LANES);
    if (lane == 0) read_frames(arm, frames - t, targets + t * width, width, asked);
    const Aim& w = asked.aim[lane];
    const double calm = calm_of_frame(asked.moved[lane]), lean = lean_of_frame(asked.moved[lane]);
    Wide start[kWides];
    for (int k = 0; k < kWides; ++k) start[k] = r.q[k];
    Miss m;
    miss_of(w, r, m);
    int steps = 0;
    for (bool there = false; !there;) {
      const double before = m.error;
      if (steps == 0) {
        step_one<M, true>(arm, m, kCalmDamping, r, lean);
      } else {
        step_one<M>(arm, m, kCalmDamping, r);
      }
      if (steps < kFollowSteps && plain_move(arm, start, speed, dt[t], calm, r)) {
        place<M>(arm, r);
        miss_of(w, r, m);
        ++steps;
        there = within(arm.limits, m);
        if (there || m.error <= 0.5 * before || steps == 1) continue;  // the first step may raise the error because of the lean
      }
      kept.arm = nullptr;
      return t;
    }
    double* const pose = poses + (t + 1) * nq;
    if (nq != M::count) __builtin_memcpy(pose, pose - nq, sizeof(double) * static_cast<unsigned long>(nq));
    for (int i = 0; i < M::count; ++i) pose[arm.joint[i].number] = numbers(r)[i];
    results[t].iterations = steps;
    results[t].starts = 1;
    give_errors(arm, m.length, m.angle, &results[t]);
  }
  return frames;
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
