// The tunable constants of the arm kernels. Lengths are in units of the figure's size, angles in radians. A squared error is the squared angle plus
// the squared length times the square of kLengthWeight. docs/design/arms.md explains them. Constants that host code also uses are in
// model/arm_calm.h.
#pragma once
#include "math/isa.h"
#include "model/constants.h"

namespace manikin {
namespace MANIKIN_ISA {

// An error of one size counts like this angle, in radians.
static constexpr double kLengthWeight = 3.0;
// Damping per squared error.
static constexpr double kArmDamping = 1e-2;
// Least damping in double precision.
static constexpr double kArmLeastDamping = 1e-6;
// Least damping in single precision.
static constexpr double kArmLeastDampingFloat = 1e-7;
// A joint turns by at most this angle in one step, in radians.
static constexpr double kLongest = 1.5;
// The caller's start is tried first if its squared error is below this, in radians squared.
static constexpr double kNearStart = 0.25;
// The descent from the caller's start takes at most this many steps.
static constexpr int kNearSteps = 8;
// Eight starts that descend together take at most this many steps.
static constexpr int kLaneSteps = 20;
// After single precision has converged, double precision takes at most this many steps.
static constexpr int kPolish = 6;
// A start from the table is given up if its squared error is above this fraction of the value two steps earlier.
static constexpr float kFirstStall = 0.5f;
// A random start is given up if its squared error is above this fraction of the value two steps earlier.
static constexpr float kLaterStall = 0.8f;
// A frame of a track takes at most this many steps.
static constexpr int kFollowSteps = 4;
// A batch works on this many targets at a time, in groups of eight.
static constexpr int kRing = 64;
// Below this squared error, in radians squared, one more step is expected to converge; double precision then checks the result.
static constexpr float kSoonThere = 1e-5f;

}  // namespace MANIKIN_ISA
// During random starts, `stopped` is called once in this many rounds.
constexpr int kAskEveryRounds = 16;

}  // namespace manikin
