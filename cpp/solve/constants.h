// The tunable constants of solves. docs/design/solver.md and docs/design/arms.md explain them.
#pragma once
#include <cstddef>

#include "model/constants.h"

namespace manikin {

// --- threads

// Most threads of one call; figure/batch.py has the same as MOST_THREADS.
constexpr long kMostThreads = 1024;
// Milliseconds between two polls while the calling thread waits for the others.
constexpr int kPollMilliseconds = 10;
// Poses for each thread below which starting a thread costs more than it brings.
constexpr long kFewestPosesAThread = 64;
// Rows of arms that a thread takes at a time.
constexpr long kArmRowsTogether = 512;

// --- arms

// Starts that the kernels of arms follow side by side.
constexpr int kArmStarts = 8;
// Rounds of such starts where the caller gives no number: one from the table, then random ones. Other starts of the general solver follow.
constexpr int kArmRounds = 5;

// Iterations that a caller must allow for the kernels of arms to be used; with fewer, arms are counted like all others.
constexpr int kArmLeastIterations = 1000;

// --- heading: reference/heading.py has the same numbers, and a test compares them

// Effectors with positions below which the start stays as it is.
constexpr int kLeastEffectors = 3;
// Sizes; points nearer to their mean (root mean square, horizontally) stand above each other.
constexpr double kLeastSpread = 0.02;
// Share of the largest possible sums below which they say nothing about the turn.
constexpr double kLeastSense = 1e-3;
// Sine below which two axes are the same.
constexpr double kLeastAcross = 1e-9;

// --- checks of starts and targets

// Least value of the largest coordinate of a direction; arrays.py has the same as LEAST_DIRECTION.
constexpr double kLeastDirection = 1e-300;
// Largest weight of a goal: squares of heavier errors would overflow. goals/goal.py has the same as LARGEST_WEIGHT.
constexpr double kLargestGoalWeight = 1e100;
// Radians that a quaternion may be off its limits; kinematics/swing_twist.py has the same as ROUNDING.
constexpr double kRounding = 1e-12;
// Least half angle of a cone, in radians; kinematics/swing_twist.py has the same as NARROWEST.
constexpr double kNarrowest = 1e-15;
// Sine below which the angle of a rotation comes from a series; rotations.py has the same as SMALL.
constexpr double kSmallSine = 1e-4;

// Most sizes of the figure that a length of a compiled problem may be; its fourth power is still a number.
constexpr double kFarthestSizes = 1e40;
// Least tolerance; a ratio of two is still a number. A smaller one counts as this.
constexpr double kLeastTolerance = 1e-150;
// Least and largest size of a figure: its squares are still numbers.
constexpr double kLeastSize = 1e-60, kLargestSize = 1e60;
// Radians or lengths by which rounding may leave the rest pose outside its limits.
constexpr double kRestOutside = 1e-6;
// How far the square of a length may be from 1.
constexpr double kUnitSquare = 1e-5;
// Most sizes per radian that angles may count, or that damping may be; tuning.LARGEST is the same number in Python.
constexpr double kLargestTuning = 1e3;

// --- queries

// Most iterations of one start.
constexpr int kIterationsAStart = 40;
// Most combinations of the members of AnyOf goals that are tried, and that are kept compiled.
constexpr std::size_t kMostCombinations = 256;
// Weight of a level of priority against the next, in the first and in the second stage (docs/design/solver.md, "Priorities").
constexpr double kFirstStage = 1e2, kSecondStage = 1e4;
// The same where two stages were not enough.
constexpr double kSpareStage = 1e6;
// Largest ratio between the factors of the first and the last level.
constexpr double kWidestLevels = 1e60;
// No solve can use more iterations than these, the second for each restart: forty a start, 160 a polish.
constexpr int kUsableIterations = 5000, kUsableIterationsARestart = 200;
// The restarts that are counted with where the caller gives no number.
constexpr int kUsableRestarts = 30;
// Part by which two shortfalls may differ and count as the same.
constexpr double kSameShortfall = 1e-3;
// Largest ratio of an error to its tolerance that is told apart: the square of a larger one may overflow.
constexpr double kLargestRatio = 1e100;

// --- natural starts: reference/natural.py has the same numbers, and a test compares the results

// Number of effectors that the net reads: head, hands, feet and pelvis.
constexpr int kNaturalEffectors = 6;
// Number of body parts whose rotations the net gives.
constexpr int kNaturalParts = 17;
// Number of inputs of the net.
constexpr int kNaturalInputs = 68;
// Number of outputs of the net.
constexpr int kNaturalOutputs = 60;
// Number of outputs, padded to whole vectors.
constexpr int kNaturalFilled = 64;
// Most numbers of a hidden layer of the net.
constexpr int kNaturalWidest = 512;
// Number of columns of the net whose sums are kept in registers.
constexpr int kNaturalTogether = 16;
// Kind of a joint that is a ball, in the arrays of a body.
constexpr int kNaturalBall = 0;
// Kind of a joint of three hinges, in the arrays of a body.
constexpr int kNaturalThree = 3;
// The effector on the other side of the body, for each effector.
constexpr int kNaturalSwap[kNaturalEffectors] = {0, 2, 1, 4, 3, 5};
// Length of the axes that represent an orientation in the heading, in leg lengths.
constexpr double kNaturalArm = 0.5;
// The heading fades to that of the start if its vector is shorter than this, in squared leg lengths.
constexpr double kNaturalFade = 0.1;
// Slope of the net's rectifier below 0.
constexpr float kNaturalSlope = 0.01f;
// Inputs of the net are clipped to this many standard deviations.
constexpr float kNaturalMost = 4.0f;
// Targets farther away than this are moved to this distance, in leg lengths.
constexpr double kNaturalFarthest = 1e3;
// Columns of a rotation that are shorter than this count as this long.
constexpr double kNaturalShortest = 1e-12;

}  // namespace manikin
