// Arms: one placement at the end of a chain of six to eight joints, the first and the last of them hinges. Such problems are
// solved by kernels of their own, several candidates at a time in the lanes of a vector (docs/design/arms.md). What they do not
// find is left to the solver of all problems.
#pragma once

namespace manikin {

constexpr int kLeastArm = 6, kMostArm = 8;

// A chain by modified Denavit-Hartenberg numbers: joint i is Rx(alpha) Tx(a) Rz(theta) Tz(d), one of theta and d moves.
// Lengths are in units of the figure's size.
template <class S>
struct ArmNumbers {
  S sine, cosine, a, d, theta;  // of alpha; d and theta where the joint's number is 0
  S lower, upper;               // of the number
  int slides;
  int boxed;  // 1 if it cannot go once around
};

struct ArmJoint : ArmNumbers<double> {
  double lowest, highest;  // the limits in q itself
  double unit;             // number in q for a number of 1 here: the size for slides
  int number;              // where it stands in q
};

// Some of these numbers side by side, for vectors.
struct alignas(32) ArmSide {
  double theta[kMostArm];
  double hinge[kMostArm];                      // 1, or 0 where the joint slides
  double lower[kMostArm], upper[kMostArm];     // infinite for joints that can go once around
  double lowest[kMostArm], highest[kMostArm];  // the limits in q itself
  double ease[kMostArm];                       // the pose that a redundant arm leans toward in a track, and
  double leans[kMostArm];                      // 1 for the joints that do: hinges that cannot go once around
};

// Squares that errors must not exceed: lengths in sizes, angles as 2 sin of half of them; and what floats are asked for.
struct ArmLimits {
  double length, angle;
  float float_length, float_angle;
};

// Poses of the joints between the first and the last, spread evenly, by where they bring the end of the chain.
struct ArmTable {
  int count;
  const float* feature[5];      // (count + 8): 3 r, 3 z, and the last axis along the radius, around, along the first axis
  const float* row;             // (count, 16): numbers of the joints between, x and y axis of the end, cosine and sine of its azimuth
  const int* cell;              // (cells_r * cells_z + 1) where each cell of (r, z) starts
  float per_r, per_z, least_z;  // cells for a feature: 3 r per_r, (3 z - least_z) per_z
};
constexpr int kCellsR = 16, kCellsZ = 32, kArmRow = 16;

struct Arm {
  int count;  // joints
  ArmJoint joint[kMostArm];
  ArmNumbers<float> narrow[kMostArm];  // the same
  ArmSide side;
  int slides;                 // 1 if a joint slides
  double base[9], origin[3];  // of the chain in the world: columns of its rotation, and origin
  double turn[9], tool[3];    // of the effector in the last joint's space: rotation by rows, and the point that is placed
  int position, orientation;  // where their targets start in a row, and
  ArmLimits limits;           // by their tolerances
  double size;
  ArmTable table;
};

struct ArmResult {
  int reached;
  int iterations;
  int starts;
  double length, angle;  // errors, in lengths of the figure and radians
};

// Where an arm was left, in the kernels' own make: the next frame begins there. Nobody else reads it; empty, or of another arm or
// other kernels, it is computed anew.
struct alignas(64) ArmPlace {
  const void* of = nullptr;
  const Arm* arm = nullptr;
  alignas(64) double memory[88];
};

// What a frame of a track allows an arm.
struct alignas(32) ArmRoom {
  double most[kMostArm];  // radians that each joint may turn; infinite for slides, and where there is no joint
};

// Other starts: at most `rounds` of eight, of which the first is from the table and the others are random. Every few rounds `stopped` is
// called, unless null; true ends them.
struct ArmDraws {
  unsigned long long seed;
  int rounds;
  void* host;
  bool (*stopped)(void* host);
};

}  // namespace manikin
