// When a frame of an arm's track is calm, and how far its joints lean toward a comfortable pose.
#pragma once

namespace manikin {

// A frame is calm if no joint turns by more than kCalm, in radians. If the target moves fast, the bound is kCalmSpeed, in radians for each size that
// the target moves. Beyond the bound the arm is near a singular pose and is damped more.
static constexpr double kCalm = 0.03, kCalmSpeed = 6.0;
// kCalmDamping is the least damping of a calm frame, and kNearDamping that of a frame near a singular pose.
static constexpr double kCalmDamping = 1e-6, kNearDamping = 1e-5;

static inline double calm_of_frame(double moved) { return kCalmSpeed * moved > kCalm ? kCalmSpeed * moved : kCalm; }

// A redundant arm that only takes the shortest step drifts: after a closed path it is in another pose, and after many it is at a limit. So in each
// frame it leans toward one pose, in the directions that do not move the end. It goes kLean of the way, but at most kMostLean, in radians. The
// fraction is smaller if the target moves by less than kLeanMoved, in sizes, and 0 if the target rests.
static constexpr double kLean = 0.12, kMostLean = 0.08, kLeanMoved = 1e-3;

static inline double lean_of_frame(double moved) { return moved < kLeanMoved ? kLean / kLeanMoved * moved : kLean; }

}  // namespace manikin
