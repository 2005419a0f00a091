// Constants that several rooms use.
#pragma once

namespace manikin {

constexpr double kPi = 3.141592653589793;
constexpr double kTwoPi = 6.283185307179586;

// Sizes that a radian counts like in every cost (docs/design/solver.md).
constexpr double kAngleWeight = 0.2;
// How far the length of a quaternion may be from 1; arrays.UNIT_TOLERANCE is the same number in Python.
constexpr double kUnitTolerance = 1e-6;

}  // namespace manikin
