// The tunable constants of the problem compiler. docs/design/solver.md and docs/design/arms.md explain them.
#pragma once
#include <limits>

#include "model/constants.h"

namespace manikin {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// --- nodes and goals

// All links together have at most this many rows, because their matrix is indexed by ints: the square of this number is below 2^31.
constexpr int kMostRows = 46340;

// A target that is farther away is moved to this distance, in sizes, because the square of its distance would hide the effect of every step.
constexpr double kFarthest = 1e12;
// A joint takes part in balancing if it carries more than this fraction of the whole mass.
constexpr double kLeastShare = 0.005;
// Damping weight of a slide without limits.
constexpr double kSlideWeight = 0.3;
// Least damping weight of a joint. A hinge without limits has this weight.
constexpr double kLeastWeight = 0.2;
// Largest damping weight of a joint. A joint with a narrow range has this weight.
constexpr double kLargestWeight = 30.0;

// --- arms

// Two axes are parallel if the sine of their angle is at most this, and they meet if their distance is at most this, in sizes.
constexpr double kParallel = 1e-9;
// Hinge axes are square to each other, or the same, if their product is within this of 0, or of 1.
constexpr double kSquareAxes = 1e-9;
// The table of starts has this many entries.
constexpr int kEntries = 2048;
// The table leaves out this fraction of a joint's range at each end.
constexpr double kMargin = 0.03;
// The table leaves out a pose if the smallest singular value of its Jacobian, with lengths in half sizes, is below this.
constexpr double kLeastSingular = 0.1;
// The pose that a redundant arm leans toward is chosen from this many poses.
constexpr int kEasePoses = 256;
// These poses fill this fraction of each joint's range, around its middle.
constexpr double kEaseRange = 0.5;
// Single precision stops at an error of this length or of the tolerance, whichever is larger, in sizes; double precision does the rest.
constexpr double kFloatLength = 3e-5;
// Single precision stops at an error of this angle or of the tolerance, whichever is larger, in radians; double precision does the rest.
constexpr double kFloatAngle = 1e-4;

// --- solids

// In a fan of pairs, the next solid is at most this many indices further: a place without a pair costs less than another fan.
constexpr int kFanGap = 8;

}  // namespace manikin
