// The tunable constants of the arms' kernels. Lengths are in units of the figure's size, angles in radians; a squared error is
// the squared angle plus the squared length times the square of kLengthWeight. docs/design/arms.md explains
// them. Those that host code uses too are in model/arm_calm.h.
#pragma once
#include "math/isa.h"
#include "model/constants.h"

namespace manikin {
namespace MANIKIN_ISA {

// Radians that a size counts like.
static constexpr double kLengthWeight = 3.0;
// Damping per squared error.
static constexpr double kArmDamping = 1e-2;
// Least damping in doubles.
static constexpr double kArmLeastDamping = 1e-6;
// Least damping in floats.
static constexpr double kArmLeastDampingFloat = 1e-7;
// Radians that a joint turns at most in one step.
static constexpr double kLongest = 1.5;
// Squared error below which the caller's start is tried first.
static constexpr double kNearStart = 0.25;
// Most steps from the caller's start.
static constexpr int kNearSteps = 8;
// Most steps of eight starts together.
static constexpr int kLaneSteps = 20;
// Most steps in doubles after floats have arrived.
static constexpr int kPolish = 6;
// Share of the squared error of two steps before above which a start of the table is given up.
static constexpr float kFirstStall = 0.5f;
// The same for random starts.
static constexpr float kLaterStall = 0.8f;
// Most steps of a frame of a track.
static constexpr int kFollowSteps = 4;
// Targets of a batch under way, in groups of eight.
static constexpr int kRing = 64;
// Squared error below which one step more arrives; doubles then check whether it did.
static constexpr float kSoonThere = 1e-5f;

}  // namespace MANIKIN_ISA
// Rounds of random starts between two calls of `stopped`.
constexpr int kAskEveryRounds = 16;

}  // namespace manikin
