// The tunable constants of the solver's kernels. Lengths are in units of the figure's size, costs in sizes squared, angles in
// radians. The values come from searches over thousands of targets, in which the optimum is flat: docs/design/solver.md explains
// them, and docs/notebook/2026-11-16-solver.md has the measurements.
#pragma once
#include "math/isa.h"
#include "model/constants.h"

namespace manikin {
namespace MANIKIN_ISA {

// --- evaluate: goals, links and solids

// Most contacts of one balance goal.
static constexpr int kMostContacts = 64;
// Weight of the row that couples a joint to the one it follows.
static constexpr double kStiff = 1e9;
// Share of a distance that it must be too long by before its curvature counts.
static constexpr double kCurved = 1e-6;
// Radians within which a posture that is out of reach counts as settled.
static constexpr double kPostureSettled = 1e-3;
// Most pairs of solids that one clearance goal looks at together.
static constexpr int kMostNear = 64;
// Sizes beyond the margin at which a pair of solids is no longer looked at.
static constexpr double kClearanceNearby = 0.01;
// Share of their extent below which the cores of two boxes meet.
static constexpr double kTouch = 1e-10;
// Sine of the angle between two edges up to which they are parallel.
static constexpr double kSlanted = 1e-6;
// Share of the extent by which two distances may differ and still be equal.
static constexpr double kEqual = 1e-12;
// Share of the extent by which two crossing edges must be better than a face to be chosen.
static constexpr double kPreferFaces = 1e-9;
// Share of the extent that is left of an overlap while the point of contact is found.
static constexpr double kThin = 1e-12;

// --- step: the sweeps over the tree

// Most sweeps of one step.
static constexpr int kMostSweeps = 5;
// Most sweeps of one step in a track, where the box of a frame holds many coordinates at once.
static constexpr int kMostSweepsTracking = 20;
// Share of the damping below which a pivot shows that the cost with its second-order term is not convex.
static constexpr double kLeastPivot = 0.5;
// Rounds in which all one-sided rows on the wrong side change together; after them one row changes at a time.
static constexpr int kTogether = 6;
// 1/weight of a row that does not count.
static constexpr double kAbsent = 1e30;

// --- control/descent.h: one start run to its end

// Damping per cost at the start of a run.
static constexpr double kFirstGain = 0.1;
// Share of the cost that three steps must gain together, or a minimum is reached.
static constexpr double kSettled = 1e-8;
// Largest weight of the pull to mid-range.
static constexpr double kPull = 1e-5;
// Weight of the pull to mid-range per cost, with which it vanishes before it slows the last steps.
static constexpr double kPullShare = 1e-3;
// Sizes below which every position is near, so that no phase of positions first is needed.
static constexpr double kNearPosition = 0.02;
// Iterations of the phase of positions first.
static constexpr int kFirstPhase = 2;
// Cost, in sizes squared, above which damping grows with its square root only.
static constexpr double kFarCost = 100.0;
// Accepted steps before a start can be called trapped.
static constexpr int kTrappedAfter = 6;
// Cost, in sizes squared, that is added in a frame of a track before damping is computed from it.
static constexpr double kTrackCost = 0.01;
// Damping per cost at the start of a frame of a track; it is small because the last pose is near.
static constexpr double kTrackGain = 1e-3;
// A frame ends where no coordinate moves by more than this, in radians or sizes.
static constexpr double kStillStep = 1e-5;
// A frame whose goals cannot all be met ends where a step promises less than this share of the cost.
static constexpr double kLittle = 1e-5;
// Cost, in sizes squared, below which a single pose is close to its goals and goes on until kLittleClose.
static constexpr double kAlmost = 2.5e-5;
// Share of the cost that a step must promise while a single pose is close to its goals.
static constexpr double kLittleClose = 1e-8;
// Share of the cost that the first step must leave before second derivatives are used.
static constexpr double kStrained = 0.1;
// Square of the normalised distance from a cone's axis from which a ball is on its rim.
static constexpr double kOnRim = 1.0 - 1e-9;
// Tries to bring a joint back to its room; the last one brings cones and groups of three hinges back altogether.
static constexpr int kHoldTries = 6;
// Share of the computed way back that later tries go, because the angle does not grow evenly along it.
static constexpr double kHoldShare = 0.999;

// --- control/search.h: several starts

// Cost, in sizes squared, of a start that moves half way to mid-range.
static constexpr double kHalfWay = 0.5;
// Sizes below which a goal is never put aside.
static constexpr double kNeverAside = 0.02;
// Share of the best cost below which a start replaces the best one.
static constexpr double kLower = 1.0 - 1e-4;
// Share of the best cost below which one minimum replaces another.
static constexpr double kTie = 1.0 - 1e-6;
// Rounds in which goals are put aside.
static constexpr int kAsideRounds = 3;
// Most starts after the first, where the caller gives no number.
static constexpr int kMostRestarts = 30;
// Restarts to meet the goals that are not put aside.
static constexpr int kFewStarts = 10;
// Half the width, in sizes, of the range that slides are drawn from.
static constexpr double kFarthestSlide = 100.0;
// Random starts of which the best is taken.
static constexpr int kSamples = 4;
// Coordinates up to which a problem is small: its random starts begin with short steps, and close to its goals it has more of them.
static constexpr int kFewCoordinates = 12;
// Most that a coordinate of a small problem moves in a step, in radians or sizes.
static constexpr double kShortStep = 0.8;
// Most starts after the first of a small problem that is close to its goals, where the caller gives no number; they are cheap, and hard
// targets need them.
static constexpr int kRestartsWhenClose = 120;
// Cost, in sizes squared, up to which a small problem gets these starts; what stays farther is out of reach.
static constexpr double kClose = 2e-3;

// --- control/track.h: frames of a track

// Weight of staying near the last frame.
static constexpr double kProx = 5e-5;
// The same where goals are nearly met.
static constexpr double kNoProx = 1e-12;
// Most iterations of a frame.
static constexpr int kFrameIterations = 20;
// Curvature by a goal's pull below which a straight limb would give way.
static constexpr double kPressed = 1e-4;
// Curvature below which a straight limb is bent to a given side.
static constexpr double kHardlyPressed = 1e-6;
// Radians by which a straight limb is bent.
static constexpr double kBend = 0.05;
// The remembered side is kept while its cost is below this many times the cost of the pose that was found.
static constexpr double kSidedCost = 1.2;
// Radians from which a remembered pose says to which side a limb bends.
static constexpr double kSided = 1e-3;

// --- frames with bounded work (docs/design/tracking.md)

// Most steps with second derivatives in a frugal frame; each costs about three times as much as another step.
constexpr int kMostNewtons = 6;
// Most steps of a search in a frugal frame that bring a pose from near its goals to them.
constexpr int kMostPolish = 12;
// Such a search ends where a goal is missed by more than this many steps like the present one mend.
constexpr double kStepsInSight = 3.0;
// How near that is: times the cost at which all goals may be met.
constexpr double kNearlyMet = 10.0;
// Share of the cost that a step leaves from which a frugal frame may use second derivatives.
constexpr double kSlow = 0.5;
// A step does what it promised where the gain is this share of the promise, up to its inverse; then no second derivatives are used.
constexpr double kTrue = 0.5;

// --- a preferred pose (docs/design/solver.md, "A preferred pose")

// Weight of the pull to a preferred pose, in pulls to mid-range.
constexpr double kPreferPull = 30.0;
// Least pivot while settling, as a share of the damping, of which the pull of the preference is a part.
constexpr double kLeastPivotSettling = 0.01;
// Weights of the preference in the stages of settling, in weights of the heaviest goal (sizes squared per radian squared).
constexpr double kSettleStages[] = {1e-3, 3e-5, 1e-6};
// Least such weight; it is lowered to this where a goal is not met well enough.
constexpr double kSettleLeast = 1e-11;
// Share of its tolerance within which a goal is met well enough.
constexpr double kSettleMet = 0.5;
// Tolerances by which a goal may be missed for a lower weight to help.
constexpr double kSettleFar = 100.0;
// The last stage ends where no coordinate moves by more; radians or sizes.
constexpr double kSettleStep = 1e-7;
// The same of the stages before.
constexpr double kSettleFirstStep = 1e-2;
// Least damping, in weights of the stage.
constexpr double kSettleFloor = 1e-5;
// Largest damping, in weights of the stage.
constexpr double kSettleMostDamping = 1e8;
// How many times as far from the preferred pose as the start a settled pose may be.
constexpr double kSettleSlack = 1.01;
// How much further it may be besides, in radians squared: goals that were barely met may be met better.
constexpr double kSettleSlackAtZero = 1e-4;
// Most iterations of one of the stages before the last.
constexpr int kSettleIterations = 60;
// The same of the last stages, which end at the minimum; most need fewer than ten.
constexpr int kSettleLastIterations = 600;
// Most rejected steps in a row.
constexpr int kSettleRejected = 16;

// --- hooks

// Iterations between two calls of `stopped` on small problems; on larger ones it is called in every iteration.
constexpr int kAskEvery = 16;
// Most coordinates, pairs of solids and corners together that a small problem has.
constexpr int kSmallProblem = 512;

}  // namespace MANIKIN_ISA
}  // namespace manikin
