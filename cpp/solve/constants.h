// The tunable constants of solves. docs/design/solver.md and docs/design/arms.md explain them.
#pragma once
#include <cstddef>

#include "model/constants.h"

namespace manikin {

// --- threads

// One call uses at most this many threads. MOST_THREADS in figure/batch.py has the same value.
constexpr long kMostThreads = 1024;
// While the calling thread waits for the other threads, it polls at this interval, in milliseconds.
constexpr int kPollMilliseconds = 10;
// Each thread gets at least this many poses; with fewer, starting the thread costs more than it saves.
constexpr long kFewestPosesAThread = 64;
// A thread takes this many rows of an arm at a time.
constexpr long kArmRowsTogether = 512;

// --- arms

// The arm kernels follow this many starts side by side.
constexpr int kArmStarts = 8;
// Default number of rounds of such starts. The first round uses the table and the others are random. The general solver then tries other starts.
constexpr int kArmRounds = 5;

// If the caller allows fewer iterations than this, a pose from the arm kernels counts only within that limit, and tracks do not use these kernels.
constexpr int kArmLeastIterations = 1000;

// --- heading: reference/heading.py has the same numbers, and a test compares them

// A heading is computed only if at least this many effectors have position goals.
constexpr int kLeastEffectors = 3;
// Points whose horizontal root-mean-square distance from their mean is below this are taken to be above each other, in sizes.
constexpr double kLeastSpread = 0.02;
// The turn is not determined if the length of its vector of sums is below this fraction of the largest possible length.
constexpr double kLeastSense = 1e-3;
// Two axes are the same if the sine of the angle between them is below this.
constexpr double kLeastAcross = 1e-9;

// --- checks of starts and targets

// The largest coordinate of a direction must be at least this. LEAST_DIRECTION in arrays.py has the same value.
constexpr double kLeastDirection = 1e-300;
// A goal has at most this weight, because squares of heavier errors would overflow. LARGEST_WEIGHT in goals/goal.py has the same value.
constexpr double kLargestGoalWeight = 1e100;
// An angle of a start or of a preferred pose beyond this, in radians, is replaced by the same angle within half a turn. Whole turns from here to the
// start of a solve lose no more than 1e-11 rad.
constexpr double kFarthestAngle = 1e5;
// A length of a start or of a preferred pose is clipped to this many sizes of the figure, as targets are: longer ones absorb every step, and finally
// overflow. FARTHEST in goals/goal.py has the same value.
constexpr double kFarthestStart = 1e12;
// Products of the columns of a rotation matrix in a target may differ from 1 or 0 by this. MATRIX_TOLERANCE in goals/orientation.py has the same value.
constexpr double kMatrixTolerance = 1e-6;
// A quaternion may exceed its limits by this angle because of rounding, in radians. ROUNDING in kinematics/swing_twist.py has the same value.
constexpr double kRounding = 1e-12;
// A cone has at least this half angle, in radians. NARROWEST in kinematics/swing_twist.py has the same value.
constexpr double kNarrowest = 1e-15;
// The quick check of a cone accepts a ball only if it is inside by this fraction. Rounding errors are far smaller.
constexpr double kSureMargin = 1e-5;
// Below this sine, the angle of a rotation is computed by a series. SMALL in rotations.py has the same value.
constexpr double kSmallSine = 1e-4;

// A length of a compiled problem is at most this, in sizes of the figure, so that its fourth power is finite.
constexpr double kFarthestSizes = 1e40;
// A smaller tolerance is raised to this value, so that the ratio of two tolerances is finite.
constexpr double kLeastTolerance = 1e-150;
// The size of a figure lies between kLeastSize and kLargestSize, so that its square neither vanishes nor overflows.
constexpr double kLeastSize = 1e-60, kLargestSize = 1e60;
// The rest pose may lie outside its limits by this much because of rounding, in radians or lengths.
constexpr double kRestOutside = 1e-6;
// Products of unit vectors, with themselves or with vectors across them, may differ from 1 or 0 by this.
constexpr double kUnitSquare = 1e-5;
// The angle weight and the damping are at most this, in sizes per radian. tuning.LARGEST in Python has the same value.
constexpr double kLargestTuning = 1e3;

// --- queries

// One start takes at most this many iterations.
constexpr int kIterationsAStart = 40;
// At most this many combinations of AnyOf members are tried, and at most this many are kept compiled.
constexpr std::size_t kMostCombinations = 256;
// A priority level weighs kFirstStage times the next level in the first stage, and kSecondStage times in the second (docs/design/solver.md,
// "Priorities").
constexpr double kFirstStage = 1e2, kSecondStage = 1e4;
// A priority level weighs this many times the next level if two stages were not enough.
constexpr double kSpareStage = 1e6;
// The weight factors of the first and the last level differ by at most this ratio.
constexpr double kWidestLevels = 1e60;
// A solve uses at most kUsableIterations iterations, plus kUsableIterationsARestart for each restart: 40 for the start and 160 to polish it.
constexpr int kUsableIterations = 5000, kUsableIterationsARestart = 200;
// This many restarts are assumed in that bound if the caller gives no number.
constexpr int kUsableRestarts = 30;
// Two shortfalls count as equal if their relative difference is below this.
constexpr double kSameShortfall = 1e-3;
// Larger ratios of an error to its tolerance are cut to this value, because their squares may overflow.
constexpr double kLargestRatio = 1e100;

// --- natural starts: reference/natural.py has the same values, and a test compares the results

// Number of effectors that the net reads: head, hands, feet and pelvis.
constexpr int kNaturalEffectors = 6;
// Number of body parts whose rotations the net predicts.
constexpr int kNaturalParts = 17;
// Number of lengths of the body that the net reads.
constexpr int kNaturalProportions = 7;
// Number of inputs of the net.
constexpr int kNaturalInputs = 75;
// Number of outputs of the net.
constexpr int kNaturalOutputs = 60;
// Size of the symmetric half of the inputs. It is not smaller than the antisymmetric half.
constexpr int kNaturalSymmetric = 45;
// Size of the symmetric half of the outputs.
constexpr int kNaturalSymmetricOut = 29;
// A hidden layer of the net has at most this many pairs of units.
constexpr int kNaturalWidest = 256;
// Kind of a ball joint, in the arrays of a body.
constexpr int kNaturalBall = 0;
// Kind of a joint with three hinges, in the arrays of a body.
constexpr int kNaturalThree = 3;
// For each effector, the effector on the other side of the body.
constexpr int kNaturalSwap[kNaturalEffectors] = {0, 2, 1, 4, 3, 5};
// An orientation enters the heading as axes of this length, in leg lengths.
constexpr double kNaturalArm = 0.5;
// If the vector of the heading is shorter than this, the heading fades to that of the start, in squared leg lengths.
constexpr double kNaturalFade = 0.1;
// Slope of the net's rectifier below 0, a power of 2.
constexpr float kNaturalSlope = 0.0078125f;
// Inputs of the net are clipped to this many standard deviations.
constexpr float kNaturalMost = 4.0f;
// Index of the head among the effectors.
constexpr int kNaturalHead = 0;
// An aim of the head is not read if the cosine from the aimed axis to it is less than -1 plus this: every turn is equally short.
constexpr double kNaturalBehind = 1e-6;
// A point to aim at is not read if it is nearer to the start of the ray than this, in leg lengths.
constexpr double kNaturalNearest = 1e-9;
// Targets that are farther away than this are moved to this distance, in leg lengths.
constexpr double kNaturalFarthest = 1e3;
// Columns of a rotation that are shorter than this are normalised as if they had this length.
constexpr double kNaturalShortest = 1e-12;

// --- joints that no goal feels (query/prefer.cpp)

// A joint that would turn too far turns by about this part of what it may. Tries end when it does not turn too far.
constexpr double kRoomPart = 0.99;
// After this many tries the joint stays where it is. Tries converge fast, except if rounding turns the joint further than it may.
constexpr int kRoomTries = 20;

}  // namespace manikin
