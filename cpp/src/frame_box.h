// How far a joint may turn in one frame of a track, in radians. Included by every instruction set's solver and by the smoothing.
#pragma once

static constexpr double kQuick = 40.0;          // radians that a joint may turn while a target moves by the figure's size,
static constexpr double kBox = 0.095;           // but no more than this in a frame
static constexpr double kFast = 10.0;           // unless a target moves so fast that this is more, by the size it moves
static constexpr double kLeastBox = 0.02;       // and at least this

static inline double box_of_frame(double moved) {
  const double quick = __builtin_fmax(kLeastBox, __builtin_fmin(kQuick * moved, kBox));
  return __builtin_fmax(quick, kFast * moved);
}
