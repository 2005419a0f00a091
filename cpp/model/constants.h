// Constants that several rooms use.
#pragma once

namespace manikin {

constexpr double kPi = 3.141592653589793;
constexpr double kTwoPi = 6.283185307179586;

// The number of restarts where the caller gives none.
constexpr int kUsualRestarts = -1;

// Sizes that a radian counts like in every cost, unless a problem says otherwise; problem.ANGLE_LENGTH is the same number in Python
// (docs/tuning.md; docs/design/solver.md has the measurements).
constexpr double kAngleWeight = 0.2;
// Least damping, in sizes squared per radian squared, unless a problem says otherwise; the square of tuning.DAMPING in Python.
constexpr double kLeastDamping = 1e-5;
// Weight of staying near the last frame in plain frames of a track, unless a call says otherwise, in sizes squared per radian squared; the
// square of tuning.HOLD in Python.
constexpr double kPlainProx = 1e-5;
// How far the length of a quaternion may be from 1; arrays.UNIT_TOLERANCE is the same number in Python.
constexpr double kUnitTolerance = 1e-6;

}  // namespace manikin
