// The tunable constants of the compiler of problems. docs/design/solver.md and docs/design/arms.md explain them.
#pragma once
#include <limits>

#include "model/constants.h"

namespace manikin {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// --- nodes and goals

// Sizes; a target that is farther is taken to be there, because its square would swallow every step.
constexpr double kFarthest = 1e12;
// Share of the whole mass that a joint must carry to take part in balancing.
constexpr double kLeastShare = 0.005;
// Weight of the damping of a slide without limits.
constexpr double kSlideWeight = 0.3;
// Least weight of the damping of a joint; a hinge without limits has it.
constexpr double kLeastWeight = 0.2;
// Largest weight of the damping of a joint; one with a narrow range has it.
constexpr double kLargestWeight = 30.0;

// --- arms

// Sine between two axes, and distance in sizes, below which they count as one.
constexpr double kParallel = 1e-9;
// Entries of the table of starts.
constexpr int kEntries = 2048;
// Share of a joint's range at each end that the table leaves out.
constexpr double kMargin = 0.03;
// Smallest singular value of the Jacobian, lengths in half sizes, below which the table leaves a pose out.
constexpr double kLeastSingular = 0.1;
// Poses of which one becomes the pose that a redundant arm leans toward.
constexpr int kEasePoses = 256;
// Share of a joint's range that these poses fill.
constexpr double kEaseRange = 0.5;
// Largest error of length, in sizes, that floats leave to doubles.
constexpr double kFloatLength = 3e-5;
// Largest error of angle, in radians, that floats leave to doubles.
constexpr double kFloatAngle = 1e-4;

}  // namespace manikin
