// The tunable constants of tracks. Lengths are in units of the figure's size, angles in radians. docs/design/tracking.md explains
// them.
#pragma once
#include "model/constants.h"

namespace manikin {

// Factor of the weights from one level of priority to the next where a pose is searched.
constexpr double kLevelNearer = 100.0;
// Weight of staying near the frame before where a pose that was found is brought to some of its goals.
constexpr double kHardlyHeld = 1e-12;

// --- tracker.cpp: plain frames

// Share of a joint's speed limit from which the joint is named as the reason of a missed frame.
constexpr double kAtSpeedLimit = 0.999;
// Factor that rounding may add to a speed limit.
constexpr double kWithin = 1.0 + 1e-9;
// Frames after the last missed one that are still brought to their minimum.
constexpr long kEased = 8;
// Radians in a frame that no joint of a stretched figure exceeds.
constexpr double kStraight = 0.03;

// --- arm_track.cpp: frames of an arm

// Frames of an arm that are done together.
constexpr long kArmFramesTogether = 64;
// Radians in a frame beyond which steps alone are not trusted to stay on their way.
constexpr double kMostTrustedTurn = 0.1;
// Share of an arm's lean that a frame is tried with where the whole lean does not reach the target. An arm that does not lean near a
// singular pose stays there.
constexpr double kLessLean = 0.3;

// --- escape.cpp: leaving a pose in which the figure is caught

// Restarts of the search for another pose.
constexpr int kOtherStarts = 10;
// Most frames that the figure goes back to begin its way to another pose.
constexpr long kFarBack = 120;
// Share of the present distance to another pose at which an earlier frame is near enough to begin the way.
constexpr double kMuchNearer = 0.7;
// Sizes by which another pose must miss the targets by less.
constexpr double kGain = 6e-4;
// Radians of turning for which another kGain is required.
constexpr double kGainTurn = 0.3;
// Factor of the required gain where the other pose reaches all targets.
constexpr double kReaches = 0.5;
// Missed frames after which turning raises the required gain less and less.
constexpr double kSoon = 8.0;
// Frames within which the gain must make up for what the way costs, where nothing is reached.
constexpr long kPaysBack = 300;
// Sizes squared by which the cost may grow if a joint stays where it is.
constexpr double kIdle = 1e-12;
// Sizes by which other goals may be off more on the way.
constexpr double kSpared = 0.03;
// Points of the way at which the other goals are checked.
constexpr int kLooks = 9;
// Radians or sizes from a limit within which a joint is at it.
constexpr double kAtBound = 1e-3;
// Radians by which a folded joint is opened.
constexpr double kUnfold = 0.8;
// Tries to keep a frame of the way within the box of speeds.
constexpr int kShorter = 5;
// Frames missed one after the other before another pose is searched, and again at twice as many.
constexpr int kLost = 8;
// Missed frames from which the search is repeated at this interval.
constexpr int kLostAgain = 64;
// Most attempts to leave a pose in one track.
constexpr int kMostAttempts = 64;

// --- refine.cpp: frames solved together

// Missed frames in a row that make an edge of reach at both ends.
constexpr long kStretch = 3;
// Share of its box that a joint must turn at such an edge.
constexpr double kBrisk = 0.3;
// Frames on each side of an edge that are solved together.
constexpr long kAround = 40;
// Frames on each side of a hasty missed frame, or of one on the way to another pose, that are solved together.
constexpr long kAroundMissed = 20;
// Share of its box from which a joint makes a frame hasty.
constexpr double kFull = 0.9;
// Radians of turning back and forth from which a joint shakes.
constexpr double kShake = 1e-3;
// Passes over joints that still shake.
constexpr int kPasses = 3;
// Most rounds of one stretch.
constexpr int kRefineRounds = 60;
// Rounds before frames change their weights.
constexpr int kUnweighed = 5;
// Rounds after which frames keep their weights.
constexpr int kWeighing = 40;
// Solves that the stretches of any track may use.
constexpr long kMost = 100000;
// Further solves for each frame of the track.
constexpr long kShare = 6;
// Weight of the squared turns.
constexpr double kSmooth = 1e-3;
// First weight of the squared way between the two copies of a path.
constexpr double kCopiesWeight = 3e-3;
// Share of the first weight at which the weight is no longer halved.
constexpr double kLeast = 0.3;
// Ratio of how far the path moves to how far the copies are apart at which the weight changes.
constexpr double kUneven = 5.0;
// Tries with growing weights, because a straight limb may fold to either side.
constexpr int kTries = 3;
// Factor of the weight from one try to the next.
constexpr double kNearer = 4.0;
// Weight of the box of speeds.
constexpr double kFirm = 1.0;
// Rounds in which the box is enforced.
constexpr int kPresses = 10;
// Share of what a joint may move, in each try. It is below 1 because the two copies stay apart a little, and because the angles of a
// joint with three axes may together turn it further than each of them.
constexpr double kInside[] = {0.98, 0.8, 0.57};
// Radians that the solve of a single frame may turn a joint.
constexpr double kRoom = 0.1;
// Sizes by which a frame out of reach may be off more than it need be before it weighs more.
constexpr double kReachSlack = 2.4e-4;
// Sizes; a frame that cannot come nearer than this is on the edge of reach.
constexpr double kOnEdge = 4e-5;
// Share of kReachSlack that a frame on the edge may be off.
constexpr double kEdgeSlack = 0.25;
// Largest weight of a frame.
constexpr double kHeavy = 100.0;
// Least weight of a frame.
constexpr double kLight = 0.01;
// Factor by which a frame that was reached and is missed weighs more after each round.
constexpr double kKeeping = 2.0;
// Largest weight of such a frame.
constexpr double kKept = 1e4;
// Sizes; a frame on the way to another pose weighs less by the square of this over its error.
constexpr double kAstray = 0.05;
// Factor of needless error, out of reach, where a stretch is judged.
constexpr double kJudged = 200.0;
// Share of its earlier value below which a stretch may still shake.
constexpr double kMuchBetter = 0.8;
// Radians of movement below which the rounds end.
constexpr double kAtRest = 1e-5;

}  // namespace manikin
