// The tunable constants of tracks. Lengths are in units of the figure's size, angles in radians. docs/design/tracking.md explains them.
#pragma once
#include <cstddef>

#include "model/constants.h"

namespace manikin {

// What a thread keeps between tracks (ready.h)

// Number of problems, or of speed limits for one problem, whose memory is kept.
constexpr std::size_t kKeptTracks = 4;
// The memory of the older ones is released above this number of bytes.
constexpr long kKeptBytes = 64l << 20;
// The results of a track of more frames are released at once.
constexpr std::size_t kKeptFrames = 64;

// During the search for a pose, the weights of each priority level are multiplied by this factor relative to the level above it.
constexpr double kLevelNearer = 100.0;
// This weight holds the pose near the previous frame while a found pose is moved to meet some of its goals, in sizes squared per radian squared.
constexpr double kHardlyHeld = 1e-12;

// --- tracker.cpp: plain frames

// A joint is reported as the cause of a missed frame if it moves faster than this fraction of its speed limit.
constexpr double kAtSpeedLimit = 0.999;
// A joint may exceed its speed limit by this factor because of rounding.
constexpr double kWithin = 1.0 + 1e-9;
// A missed frame is solved again as a single pose only if this many iterations are left. Fewer do not find a pose that its own steps missed.
constexpr int kLeastSearch = 8;
// Straight limbs still bend to their earlier side for this many frames after a missed frame.
constexpr long kEased = 8;
// Straight limbs bend to their earlier side only if no joint turned by more than this angle in the previous frame, in radians.
constexpr double kStraight = 0.03;

// --- settle.cpp: toward a preferred pose

// Joints that the goals leave free approach the preferred pose with this time constant, in seconds. Chosen on clips of CMU's validation subjects
// (docs/notebook/2026-11-18-natural-clips.md).
constexpr double kSettleSeconds = 0.15;
// If a settled pose needs a joint to move too fast, the frame settles only this fraction of the way.
constexpr double kSettlePart = 0.25;
// A frame settles in at most this many tries, each for a smaller part of the way.
constexpr int kSettleTries = 3;
// Each try takes at most this many iterations. Goals on positions and placements need fewer than 30; Balance and Clearance may need hundreds
// (docs/notebook/2026-11-18-settled-tracks-attacked.md).
constexpr int kSettleMost = 100;

// --- arm_track.cpp: frames of an arm

// The arm kernels follow this many frames in one call.
constexpr long kArmFramesTogether = 64;
// No joint of an arm may turn by more than this angle in a frame that is solved by steps alone, in radians.
constexpr double kMostTrustedTurn = 0.1;
// If a frame does not reach its target with the full lean, it is tried with this fraction of the lean. An arm that does not lean at all stays near a
// singular pose once it is there.
constexpr double kLessLean = 0.3;

// --- escape.cpp: leaving a pose in which the figure is caught

// The search for another pose uses this many restarts.
constexpr int kOtherStarts = 10;
// The figure goes back at most this many frames to start the move to another pose.
constexpr long kFarBack = 120;
// The move starts at an earlier frame if the distance to the other pose there is below this fraction of the present distance.
constexpr double kMuchNearer = 0.7;
// Another pose must reduce the error by at least this length, in sizes.
constexpr double kGain = 6e-4;
// The required gain grows by another kGain for each turn of this size, in radians.
constexpr double kGainTurn = 0.3;
// The required gain is multiplied by this factor if the other pose reaches all targets.
constexpr double kReaches = 0.5;
// After this many missed frames, the turn adds less and less to the required gain.
constexpr double kSoon = 8.0;
// If the other pose does not reach all targets, its gain must repay the cost of the move within this many frames.
constexpr long kPaysBack = 300;
// A joint keeps its present value if that raises the cost of the other pose by at most this, in sizes squared.
constexpr double kIdle = 1e-12;
// The errors of the other goals may grow by at most this length during the move, in sizes.
constexpr double kSpared = 0.03;
// The other goals are checked at this many points of the move.
constexpr int kLooks = 9;
// A joint is at a limit if its distance from the limit is below this, in radians or sizes.
constexpr double kAtBound = 1e-3;
// A hinge at a limit is turned away from it by this angle, in radians.
constexpr double kUnfold = 0.8;
// A step toward another pose is shortened at most this many times to respect the speed limits.
constexpr int kShorter = 5;
// The search for another pose runs after this many missed frames in a row, and again after each doubling of that number.
constexpr int kLost = 8;
// From this many missed frames on, the search is repeated at intervals of the same length, in frames.
constexpr int kLostAgain = 64;
// One track makes at most this many attempts to leave a pose.
constexpr int kMostAttempts = 64;

// --- refine.cpp: frames solved together

// A run of at least this many missed frames has an edge of reach at each end.
constexpr long kStretch = 3;
// Frames around an edge are solved together only if a joint moves by more than this fraction of its speed limit there.
constexpr double kBrisk = 0.3;
// This many frames on each side of an edge are solved together.
constexpr long kAround = 40;
// This many frames are solved together on each side of a hasty missed frame, and of a frame that moves toward another pose.
constexpr long kAroundMissed = 20;
// A frame is hasty if a joint moves faster than this fraction of its speed limit.
constexpr double kFull = 0.9;
// A joint shakes if it reverses by more than this angle, in radians.
constexpr double kShake = 1e-3;
// Joints that still shake get this many passes.
constexpr int kPasses = 3;
// One stretch takes at most this many rounds in the first pass, and twice as many in each later pass.
constexpr int kRefineRounds = 60;
// The weights of the frames stay unchanged for this many rounds.
constexpr int kUnweighed = 5;
// The weights of the frames stay unchanged after this many rounds.
constexpr int kWeighing = 40;
// The stretches of a track may use this many solves, whatever its length.
constexpr long kMost = 100000;
// The stretches of a track may use this many more solves for each of its frames.
constexpr long kShare = 6;
// Weight of the squared turns between frames, in sizes squared per radian squared.
constexpr double kSmooth = 1e-3;
// First weight of the squared difference between the two copies of a path, in sizes squared per radian squared.
constexpr double kCopiesWeight = 3e-3;
// The weight is not halved below this fraction of its first value.
constexpr double kLeast = 0.3;
// The weight changes if the movement of the path and the distance between the copies differ by more than this factor.
constexpr double kUneven = 5.0;
// A stretch is tried this many times with growing weights, because a straight limb may fold to either side.
constexpr int kTries = 3;
// The weight grows by this factor from one try to the next.
constexpr double kNearer = 4.0;
// Weight of the speed limits, relative to the other terms of the path.
constexpr double kFirm = 1.0;
// The speed limits are enforced in at most this many rounds.
constexpr int kPresses = 10;
// In each try, the path may use this fraction of the speed limits. The fraction is below 1 because the two copies differ slightly, and because three
// angles of a joint together may turn it further than each of them.
constexpr double kInside[] = {0.98, 0.8, 0.57};
// The solve of a single frame may turn a joint by at most this angle, in radians.
constexpr double kRoom = 0.1;
// A frame out of reach gets more weight if its error exceeds the least possible error by more than this, in sizes.
constexpr double kReachSlack = 2.4e-4;
// A frame that reaches its targets is still on the edge of reach if its least error is above this, in sizes.
constexpr double kOnEdge = 4e-5;
// A frame on the edge of reach may exceed its least error by this fraction of kReachSlack.
constexpr double kEdgeSlack = 0.25;
// A frame has at most this weight.
constexpr double kHeavy = 100.0;
// A frame has at least this weight.
constexpr double kLight = 0.01;
// The weight of a missed frame that was reached before the stretch grows by this factor in each round.
constexpr double kKeeping = 2.0;
// The weight of such a frame grows to at most this value.
constexpr double kKept = 1e4;
// A frame with error e that moves toward another pose has the weight 1 / (1 + (e / kAstray)^2); this length is in sizes.
constexpr double kAstray = 0.05;
// In the comparison of a stretch with the earlier frames, excess error out of reach is multiplied by this factor.
constexpr double kJudged = 200.0;
// A stretch that lowers the value below this fraction of the earlier one is accepted even if joints shake.
constexpr double kMuchBetter = 0.8;
// The rounds end when the path moves by less than this and the two copies differ by less than this, in radians.
constexpr double kAtRest = 1e-5;

}  // namespace manikin
