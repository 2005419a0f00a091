// How far a joint may turn in one frame of a track, in radians. Included by every instruction set's solver and by the smoothing.
#pragma once

static constexpr double kQuick = 40.0;          // radians that a joint may turn while a target moves by the figure's size,
static constexpr double kBox = 0.095;           // but no more than this in a frame
static constexpr double kFast = 6.0;            // unless a target moves so fast that this is more, by the size it moves
static constexpr double kLeastBox = 0.02;       // and at least this

static inline double box_of_frame(double moved) {
  const double quick = kQuick * moved < kLeastBox ? kLeastBox : kQuick * moved > kBox ? kBox : kQuick * moved;
  return kFast * moved > quick ? kFast * moved : quick;
}

// Radians in a frame up to which an arm just steps to its target, or these for each size that the target moves; beyond that it is
// near a singular pose, and damped more.
static constexpr double kCalm = 0.03, kCalmSpeed = 6.0;
static constexpr double kCalmDamping = 1e-6, kNearDamping = 1e-5;

static inline double calm_of_frame(double moved) {
  const double box = box_of_frame(moved), calm = kCalmSpeed * moved > kCalm ? kCalmSpeed * moved : kCalm;
  return calm < box ? calm : box;
}
