// When a frame of an arm's track is calm, and how far its joints lean toward a pose at ease.
#pragma once

namespace manikin {

// Radians in a frame up to which an arm just steps to its target, or these for each size that the target moves; beyond that it is
// near a singular pose, and damped more.
static constexpr double kCalm = 0.03, kCalmSpeed = 6.0;
static constexpr double kCalmDamping = 1e-6, kNearDamping = 1e-5;

static inline double calm_of_frame(double moved) { return kCalmSpeed * moved > kCalm ? kCalmSpeed * moved : kCalm; }

// A redundant arm that only takes the shortest step drifts: after a closed path it is in another pose, and after many it is at a
// limit. So in each frame it leans toward one pose, by this share of the way and at most so many radians, in those
// directions that leave the target alone. The share is less where targets move by less than so many sizes, and none where they rest.
static constexpr double kLean = 0.12, kMostLean = 0.08, kLeanMoved = 1e-3;

static inline double lean_of_frame(double moved) { return moved < kLeanMoved ? kLean / kLeanMoved * moved : kLean; }

}  // namespace manikin
