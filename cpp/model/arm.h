// Arms: one placement at the end of a chain of six to eight joints, of which the first and the last are hinges. Dedicated kernels solve these
// problems. They try several candidates at once, one in each vector lane (docs/design/arms.md). The general solver takes the targets that they do not
// reach.
#pragma once

namespace manikin {

constexpr int kLeastArm = 6, kMostArm = 8;

// A chain in modified Denavit-Hartenberg parameters: joint i is Rx(alpha) Tx(a) Rz(theta) Tz(d), and one of theta and d moves. Lengths are in units
// of the figure's size.
template <class S>
struct ArmNumbers {
  S sine, cosine, a, d, theta;  // sine and cosine of alpha; d and theta when the joint's number is 0
  S lower, upper;               // limits of the number
  int slides;
  int boxed;  // 1 if the joint cannot make a full turn
};

struct ArmJoint : ArmNumbers<double> {
  double lowest, highest;  // the limits in q
  double unit;             // change in q for a change of 1 here: the size for slides, 1 for hinges
  int number;              // index in q
};

// Some of these numbers side by side, for vectors.
struct alignas(32) ArmSide {
  double theta[kMostArm];
  double hinge[kMostArm];                      // 1 for a hinge, 0 for a slide
  double lower[kMostArm], upper[kMostArm];     // infinite for joints that can make a full turn
  double lowest[kMostArm], highest[kMostArm];  // the limits in q
  double ease[kMostArm];                       // the pose that a redundant arm leans toward in a track
  double leans[kMostArm];                      // 1 for the joints that lean: hinges that cannot make a full turn
};

// Squares of the largest allowed errors: lengths in sizes, angles as 2 sin(angle / 2). Single precision has separate limits.
struct ArmLimits {
  double length, angle;
  float float_length, float_angle;
};

// Poses of the joints between the first and the last, spread evenly, sorted by the position of the end of the chain.
struct ArmTable {
  int count;
  const float* feature[5];      // (count + 8): 3 r, 3 z, and the last axis along the radius, around it, and along the first axis
  const float* row;             // (count, 16): numbers of the inner joints, x and y axis of the end, cosine and sine of its azimuth
  const int* cell;              // (cells_r * cells_z + 1) first entry of each cell of (r, z)
  float per_r, per_z, least_z;  // cell indices of a feature: 3 r per_r, (3 z - least_z) per_z
};
constexpr int kCellsR = 16, kCellsZ = 32, kArmRow = 16;

struct Arm {
  int count;  // number of joints
  ArmJoint joint[kMostArm];
  ArmNumbers<float> narrow[kMostArm];  // the same in single precision
  ArmSide side;
  int slides;                 // 1 if a joint slides
  double base[9], origin[3];  // of the chain in the world: columns of its rotation, and origin
  double turn[9], tool[3];    // of the effector in the last joint's space: rotation by rows, and the placed point
  int position, orientation;  // where their targets start in a row
  ArmLimits limits;           // from the tolerances
  double size;
  ArmTable table;
};

struct ArmResult {
  int reached;
  int iterations;
  int starts;
  double length, angle;  // errors, in lengths of the figure and in radians
};

// Where an arm was left, in a format private to the kernels. The next frame starts there. If it is empty, or belongs to another arm or to other
// kernels, it is computed again.
struct alignas(64) ArmPlace {
  const void* of = nullptr;
  const Arm* arm = nullptr;
  alignas(64) double memory[88];
};

// Limits of a frame of a track for an arm.
struct alignas(32) ArmRoom {
  double most[kMostArm];  // radians that each joint may turn; infinite for slides and unused entries
};

// Other starts: at most `rounds` rounds of eight. The first round comes from the table and the others are random. `stopped`, unless null, is called
// every few rounds; true ends the search.
struct ArmDraws {
  unsigned long long seed;
  int rounds;
  void* host;
  bool (*stopped)(void* host);
};

}  // namespace manikin
