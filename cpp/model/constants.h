// Constants that are used in several folders of the core.
#pragma once

namespace manikin {

constexpr double kPi = 3.141592653589793;
constexpr double kTwoPi = 6.283185307179586;

// This number of restarts means that the caller gives none.
constexpr int kUsualRestarts = -1;

// A radian counts like this length in every cost, in sizes, unless a problem gives another value. problem.ANGLE_LENGTH in Python has the same value
// (docs/tuning.md; docs/design/solver.md has the measurements).
constexpr double kAngleWeight = 0.2;
// Least damping, in sizes squared per radian squared, unless a problem gives another value. It is the square of tuning.DAMPING in Python.
constexpr double kLeastDamping = 1e-5;
// Weight of staying near the last frame in plain frames of a track, in sizes squared per radian squared, unless a call gives another value. It is the
// square of tuning.STAY in Python.
constexpr double kPlainProx = 1e-5;
// The length of a quaternion may differ from 1 by this. arrays.UNIT_TOLERANCE in Python has the same value.
constexpr double kUnitTolerance = 1e-6;
// A pair of solids is ignored if its distance exceeds the margin by more than this, in sizes.
constexpr double kClearanceNearby = 0.01;

// Least slope of a robust loss: the weight of an outlier is this fraction of its goal's weight. LEAST_WEIGHT in reference/robust.py has the same value.
constexpr double kLeastSlope = 1e-6;
// The square root of kLeastSlope.
constexpr double kLeastSlopeRoot = 1e-3;
// A twist is undefined, and taken as 0, if 1 plus the cosine of the swing is at most this.
constexpr double kUndefinedTwist = 1e-12;

// --- natural starts

// The net of natural starts computes this many columns together. Its matrices have a multiple of so many columns.
constexpr int kNetTogether = 32;
// The last bits of a float that the net rounds away, and half of the next bit.
constexpr unsigned kNetRounding = 0x7f, kNetRoundingHalf = 0x40;

}  // namespace manikin
