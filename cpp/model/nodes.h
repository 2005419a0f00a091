// The nodes of a problem, and the coordinates that the solver moves.
#pragma once

namespace manikin {

// The kind of a node of the problem. Cones are balls with swing-twist limits, in normalised coordinates.
enum SolverOp : int { kStill = 0, kSliding = 1, kTurning = 2, kLoose = 3, kCone = 4 };

// How a number may change. Only a cone can hold its twist or its swing: that part keeps its value from the start of a solve.
enum Moving : int { kStays = 0, kMoves = 1, kTwistHeld = 2, kSwingHeld = 3 };

struct SolverNode {
  int parent;  // node above, -1 for the world
  int op;
  int coordinate;  // first coordinate, -1 if it does not move
  int number;      // first number in q
  int angle;       // index of its (first) sine, -1 if none
  int turn;        // index of its quaternion among the loose balls, -1 otherwise
  int plain;       // 1 if `rotation` is the identity
  int moving;      // a value of Moving
  int source;      // coordinate that a coupled node follows, -1 if none: x = ratio * x_source + shift
  double ratio, shift;
  double rotation[9];  // to the parent from here, before the motion; for a cone it includes reference and basis
  double after[9];     // after the motion of a cone: twist to the middle of its range, then back from the basis
  double offset[3];
  double axis[3];
  double swing[2];  // half angles of a cone
  double half;      // half of the twist range
  double whole[4];  // of a cone: quaternion of reference times basis, and of the basis alone
  double basis[4];
  double twist_middle;
  double middle_sine, middle_cosine;  // of half the middle angle
  double unit;                        // change in q for a change of 1 of the coordinate: the size for slides, 1 otherwise
};

// A move of the forward kinematics. It is up to three hinges at one place about axes that are perpendicular or the same, of which only the last
// carries anything. With count 0 it is any single node. The hinges turn about axes of a separate basis.
struct Move {
  int count;
  int node;          // the last of them, whose frame is stored
  int parent;        // node above, -1 for the world
  int turned, back;  // 1 if `before` and `after` are not the identity
  int axis[3];       // 0, 1, 2 for x, y, z
  int angle[3];
  int coordinate[3];  // `width` + 1 if the hinge does not move
  double sign[3];     // -1 if the hinge turns about the opposite axis
  double offset[3];
  double before[9], after[9];  // from the node above to that basis, and from the basis to the node
};

// One number that may change. Hinges and slides: the number itself; cones: x, y, t; loose balls: steps about their own axes.
struct Coordinate {
  int parent;  // coordinate above, -1 at the root
  int node;
  int part;     // 0, 1, 2 within a ball
  int stores;   // 1 if its backward sweep stores into the parent, 0 if it adds
  int bounded;  // 1 if lower and upper are finite, so that there is a middle
  int light;    // 1 if it carries no part of a goal: its sweep then adds nothing to the parent, unless second-order terms do
  double lower, upper, middle;
  double lowest, highest;  // the limits in q, to the last bit
  double weight;           // damping weight
};

// A hinge or slide that moves, and the index of its number in q.
struct Numbered {
  int coordinate, number;
  double unit, lower, upper, lowest, highest;
};

// Whether three hinges have another triple of angles for each rotation (math/nearest_turns.h).
enum OtherTriple : int { kNoOther = 0, kThreeAxes = 1, kSameAxis = 2 };

// Three hinges of one joint at one place. In a frame of a track, the joint counts by its rotation, like a ball.
struct Triple {
  int coordinate[3];  // root to tip
  OtherTriple other;  // kNoOther if one of the hinges has limits
};

// Four cones side by side, one in each lane. The last lanes may repeat a cone.
struct alignas(32) FourCones {
  double whole[4][4], basis[4][4];  // component, lane
  double swing[2][4], half[4], twist_middle[4], middle_sine[4], middle_cosine[4];
  double lower[4], upper[4];  // of the twist's coordinate
  int coordinate[4], number[4];
};

// A run of numbers that are consecutive in both arrays.
struct Stretch {
  int from, to, count;
};

// The same data for loops over four coordinates at a time: (width) numbers each, with 0 behind the last. Balls are then handled one by one.
struct CoordinateArrays {
  const double *lower, *upper, *middle, *weight;
  const double* pulled;                   // the weight if there is a middle, else 0
  const double *unit, *lowest, *highest;  // of hinges and slides: scale of the number in q, and its limits there
};

}  // namespace manikin
