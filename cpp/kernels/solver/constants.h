// The tunable constants of the solver's kernels. Lengths are in units of the figure's size, costs in sizes squared, angles in radians. The values
// were chosen by searches over thousands of targets; small changes make little difference. docs/design/solver.md explains them, and
// docs/notebook/2026-11-16-solver.md has the measurements.
#pragma once
#include "math/isa.h"
#include "model/constants.h"

namespace manikin {
namespace MANIKIN_ISA {

// --- evaluate: goals, links and solids

// A balance goal has at most this many contacts.
static constexpr int kMostContacts = 64;
// Weight of the row that couples a joint to the joint it follows.
static constexpr double kStiff = 1e9;
// A distance contributes curvature only if it is too long by more than this fraction of its length.
static constexpr double kCurved = 1e-6;
// A posture that is out of reach counts as met if the part of its error that joints can reduce is below this angle, in radians.
static constexpr double kPostureSettled = 1e-3;
// One clearance goal considers at most this many pairs of solids.
static constexpr int kMostNear = 64;
// Below this cosine of half the swing, the swing is taken as half a turn: rounding changes the twist by more than this changes the pose.
static constexpr double kHalfTurn = 1e-8;
// A pair of solids gets its row at once if its distance exceeds the margin by less than this, in sizes. The others get one if a step needs it.
static constexpr double kClearanceSoon = 1e-3;
// The square of a distance is surely above a bound if it is above this many times the bound: rounding errors are far smaller.
static constexpr double kSurelyFar = 1.0 + 1e-9;
// A cost is surely above a bound if parts of it, added in another order, are above this many times the bound.
static constexpr double kSurelyMore = 1.0 + 1e-9;
// The cores of two boxes touch if their distance is below this fraction of their extent.
static constexpr double kTouch = 1e-10;
// Two edges are parallel if the sine of the angle between them is at most this.
static constexpr double kSlanted = 1e-6;
// Two distances are equal if they differ by less than this fraction of the extent.
static constexpr double kEqual = 1e-12;
// Two crossing edges are chosen instead of a face only if they are better by this fraction of the extent.
static constexpr double kPreferFaces = 1e-9;
// While the contact point is computed, an overlap of this fraction of the extent is kept.
static constexpr double kThin = 1e-12;

// Below this angle, in radians, the derivatives of an orientation and of an aim are computed by series.
constexpr double kSeriesAngle = 1e-2;
// A target of an aim is exactly behind if the sine of its angle is below this. BEHIND in goals/aim.py has the same value.
constexpr double kBehind = 1e-6;

// A goal is near its target if its error is at most this many scales of its loss.
static constexpr double kInlier = 0.5;

// --- step: the sweeps over the tree

// One step takes at most this many sweeps.
static constexpr int kMostSweeps = 5;
// In a track, one step takes at most this many sweeps, because the speed limits of a frame hold many coordinates at once.
static constexpr int kMostSweepsTracking = 20;
// A pivot below this fraction of the damping shows that the cost with its second-order term is not convex.
static constexpr double kLeastPivot = 0.5;
// For this many rounds, all one-sided rows on the wrong side change together; after that, one row changes at a time.
static constexpr int kTogether = 6;
// Reciprocal of the weight of a row that does not count.
static constexpr double kAbsent = 1e30;

// --- control/descent.h: one start run to its end

// Damping per cost at the start of a run.
static constexpr double kFirstGain = 0.1;
// The damping per cost rises after a step whose gain is below this fraction of the promised gain (no unit; docs/design/solver.md).
static constexpr double kPoorRatio = 0.25;
// The damping per cost falls after a step whose gain is above this fraction of the promised gain (no unit; chosen with kPoorRatio).
static constexpr double kGoodRatio = 0.7;
// After a poor step, and after a rejected step, the damping per cost is multiplied by this factor (no unit; chosen with kPoorRatio).
static constexpr double kGainUp = 4.0;
// After a rejected step in a frame of a track, the damping per cost is multiplied by this factor (no unit; chosen with kTrackGain).
static constexpr double kTrackGainUp = 8.0;
// After a good step, the damping per cost is multiplied by this factor (no unit; chosen with kPoorRatio).
static constexpr double kGainDown = 0.5;
// The damping per cost is at least this, per radian squared (chosen with kPoorRatio).
static constexpr double kLeastGain = 1e-5;
// The damping per cost is at most this, per radian squared (chosen with kPoorRatio).
static constexpr double kMostGain = 1e3;
// A run has reached a minimum if three steps together gain less than this fraction of the cost.
static constexpr double kSettled = 1e-8;
// Largest weight of the pull toward mid-range, in sizes squared per radian squared.
static constexpr double kPull = 1e-5;
// The weight of the pull toward mid-range is at most this fraction of the cost, so that the pull does not slow the last steps.
static constexpr double kPullShare = 1e-3;
// Orientations count fully from the first step if every position error is below this, in sizes.
static constexpr double kNearPosition = 0.02;
// Positions come first, with little weight on orientations, for this many iterations.
static constexpr int kFirstPhase = 2;
// Above this cost, in sizes squared, damping grows with the square root of the cost only.
static constexpr double kFarCost = 100.0;
// A start can be called trapped only after this many accepted steps.
static constexpr int kTrappedAfter = 6;
// In a frame of a track, this cost is added before damping is computed from the cost, in sizes squared.
static constexpr double kTrackCost = 0.01;
// Damping per cost at the start of a frame of a track. It is small because the last pose is near.
static constexpr double kTrackGain = 1e-3;
// A frame ends when no coordinate moves by more than this in a step, in radians or sizes.
static constexpr double kStillStep = 1e-5;
// In the first steps of a frame, this many, cones are rounded to what they are after they are written and read again. If the frame ends after one of
// them, the next frame need not compute the placements of its start again; rounding costs a quarter of that.
static constexpr int kRoundedSteps = 3;
// A frame whose goals cannot all be met ends when a step promises to gain less than this fraction of the cost.
static constexpr double kLittle = 1e-5;
// Below this cost, in sizes squared, a single pose is close to its goals and uses kLittleClose instead of kLittle.
static constexpr double kAlmost = 2.5e-5;
// A single pose that is close to its goals ends when a step promises to gain less than this fraction of the cost.
static constexpr double kLittleClose = 1e-8;
// With competing goals, a run ends after a step that promised to gain less than this fraction of the cost. With 1e-5 the poses of retargeted clips are
// the same within 0.02 degrees, but frames take a quarter more iterations.
static constexpr double kLittleCompeting = 1e-4;
// Second derivatives are used if a step leaves more than this fraction of the cost.
static constexpr double kStrained = 0.1;
// A ball is on the rim of its cone if the square of its normalised distance from the axis is at least this.
static constexpr double kOnRim = 1.0 - 1e-9;
// A joint is brought back within its allowed move in at most this many tries. The last try returns cones and groups of three hinges to the last
// frame.
static constexpr int kHoldTries = 6;
// Later tries go this fraction of the computed way back, because the angle does not grow evenly along it.
static constexpr double kHoldShare = 0.999;

// The square of a turn that is a little less than half a turn, in radians squared. The end of a longer step may be nearer to its start than the step is long.
static constexpr double kAlmostHalfTurn = 9.0;

// --- control/search.h: several starts

// A start with this cost, in sizes squared, moves half way to mid-range.
static constexpr double kHalfWay = 0.5;
// A goal is put aside only if its error is above this, in sizes.
static constexpr double kNeverAside = 0.02;
// A start replaces the best one if its cost is below this fraction of the best cost.
static constexpr double kLower = 1.0 - 1e-4;
// One minimum replaces another if its cost is below this fraction of the other's cost.
static constexpr double kTie = 1.0 - 1e-6;
// Goals are put aside in at most this many rounds.
static constexpr int kAsideRounds = 3;
// Default number of starts after the first, at most.
static constexpr int kMostRestarts = 30;
// The goals that are not put aside get at most this many restarts.
static constexpr int kFewStarts = 10;
// The range that slides are drawn from grows with the largest error, up to an error of this length, in sizes.
static constexpr double kFarthestSlide = 100.0;
// The best of this many random samples becomes the next start.
static constexpr int kSamples = 4;
// A problem with at most this many coordinates is small: its first start takes short steps, and it gets more starts when it is close to its goals.
static constexpr int kFewCoordinates = 12;
// In the first start of a small problem, a coordinate moves by at most this in one step, in radians or sizes.
static constexpr double kShortStep = 0.8;
// Default number of starts after the first for a small problem that is close to its goals, at most. These starts are cheap, and hard targets need
// them.
static constexpr int kRestartsWhenClose = 120;
// A small problem gets these starts if its cost is at most this, in sizes squared; with a higher cost, its targets are taken to be out of reach.
static constexpr double kClose = 2e-3;

// --- control/track.h: frames of a track

// Weight of staying near the last frame, in sizes squared per radian squared.
static constexpr double kProx = 5e-5;
// Weight of staying near the last frame when the goals are nearly met, in sizes squared per radian squared.
static constexpr double kNoProx = 1e-12;
// A frame takes at most this many iterations.
static constexpr int kFrameIterations = 20;
// A straight limb is bent if the pull of a goal gives it a curvature below minus this value, in sizes squared per radian squared.
static constexpr double kPressed = 1e-4;
// A straight limb is bent only if the frame has this many iterations left, because fewer do not lead to a better pose.
static constexpr int kLeastBent = 4;
// A straight limb is bent to the remembered side if its curvature is below minus this value, in sizes squared per radian squared.
static constexpr double kHardlyPressed = 1e-6;
// A straight limb is bent by this angle, in radians.
static constexpr double kBend = 0.05;
// The remembered side is kept while its cost is below this many times the cost of the other pose found.
static constexpr double kSidedCost = 1.2;
// A remembered pose decides the side on which a limb bends if the joint differs by more than this angle, in radians.
static constexpr double kSided = 1e-3;

// --- frames with bounded work (docs/design/tracking.md)

// A frugal frame takes at most this many steps with second derivatives that leave more than kSlow of the cost. Each costs about three times as much as
// a plain step.
constexpr int kMostNewtons = 6;
// In a frugal frame, at most this many steps polish a pose that is near its goals.
constexpr int kMostPolish = 12;
// The same if the cost is so small that all goals may be met. A light goal may need so many steps.
constexpr int kMostPolishClose = 60;
// The search in a frugal frame ends if a goal needs more than this many steps of the present gain.
constexpr double kStepsInSight = 3.0;
// A frugal frame is polished only if its cost is below this many times the cost at which all goals may be met.
constexpr double kNearlyMet = 10.0;
// A frugal frame may use second derivatives if a step leaves more than this fraction of the cost.
constexpr double kSlow = 0.5;
// The second step of a frugal frame uses the rows of the first if the first was good enough. Let s be the square root of the fraction of the cost that
// it left. Each error times s and times this factor must be within its tolerance. With 3 instead of 8, one second step in 50 needs a third
// (docs/notebook/2026-11-17-tracking.md).
constexpr double kRowsLast = 8.0;
// A frugal frame does not use second derivatives if the ratio of the gain to the promised gain lies between this and its inverse.
constexpr double kTrue = 0.5;

// --- a preferred pose (docs/design/solver.md, "A preferred pose")

// Weight of the pull toward a preferred pose, as a multiple of the pull toward mid-range.
constexpr double kPreferPull = 30.0;
// Least pivot while settling, as a fraction of the damping. The pull of the preference is part of that damping.
constexpr double kLeastPivotSettling = 0.01;
// Weights of the preference in the stages of settling, relative to the heaviest goal, in sizes squared per radian squared.
constexpr double kSettleStages[] = {1e-3, 3e-5, 1e-6};
// If a goal is not met well enough, the weight of the preference is lowered to at least this, in the same unit as kSettleStages.
constexpr double kSettleLeast = 1e-11;
// A goal is met well enough if its error is within this fraction of its tolerance.
constexpr double kSettleMet = 0.5;
// The weight is lowered only if every error is within this many tolerances.
constexpr double kSettleFar = 100.0;
// The last stage ends when no coordinate moves by more than this in a step, in radians or sizes.
constexpr double kSettleStep = 1e-7;
// The earlier stages end when no coordinate moves by more than this in a step, in radians or sizes.
constexpr double kSettleFirstStep = 1e-2;
// Least damping, relative to the weight of the stage.
constexpr double kSettleFloor = 1e-5;
// Largest damping, relative to the weight of the stage.
constexpr double kSettleMostDamping = 1e8;
// The squared distance of a settled pose from the preferred pose may be this many times that of the start.
constexpr double kSettleSlack = 1.01;
// The squared distance may grow by this much more, in radians squared, because goals that were barely met may be met better.
constexpr double kSettleSlackAtZero = 1e-4;
// Each stage before the last takes at most this many iterations.
constexpr int kSettleIterations = 60;
// The last stages, which end at the minimum, take at most this many iterations each. Most need fewer than ten.
constexpr int kSettleLastIterations = 600;
// A stage ends after this many rejected steps in a row.
constexpr int kSettleRejected = 16;

// --- control/robust.h: the search with robust losses

// A run with softened losses takes at most this many iterations.
constexpr int kSoftIterations = 8;

// --- hooks

// On small problems, `stopped` is called once in this many iterations; on larger ones it is called in every iteration.
constexpr int kAskEvery = 16;
// A problem is small if its coordinates, pairs of solids and corners together are at most this many.
constexpr int kSmallProblem = 512;

}  // namespace MANIKIN_ISA
}  // namespace manikin
