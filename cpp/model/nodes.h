// The nodes of a problem, and the coordinates that the solver moves.
#pragma once

namespace manikin {

// What a node of the problem does. Cones are balls with swing-twist limits, in normalised coordinates.
enum SolverOp : int { kStill = 0, kSliding = 1, kTurning = 2, kLoose = 3, kCone = 4 };

struct SolverNode {
  int parent;  // node above, -1 for the world
  int op;
  int coordinate;  // first coordinate, -1 if it does not move
  int number;      // first number in q
  int angle;       // index of its (first) sine, -1 if it has none
  int turn;        // index of its quaternion among the loose balls, -1 else
  int plain;       // 1 if `rotation` is the identity
  int source;      // coordinate that a coupled node's own one follows, -1 if none: x = ratio * x_source + shift
  double ratio, shift;
  double rotation[9];  // before the motion, to the parent from here; for a cone also reference and basis
  double after[9];     // after the motion of a cone: twist to the middle of its range, back from the basis
  double offset[3];
  double axis[3];
  double swing[2];  // half angles of a cone
  double half;      // half of its twist range
  double whole[4];  // of a cone: quaternion of reference times basis, and of the basis alone
  double basis[4];
  double twist_middle;
  double middle_sine, middle_cosine;  // of half of it
  double unit;                        // number in q per coordinate: the size for slides, 1 else
};

// A move of the forward kinematics: up to three hinges at one place about axes that are at right angles or the same, of which
// only the last has anything on it; or, with count 0, any one node. They turn about axes of a basis of their own.
struct Move {
  int count;
  int node;          // the last of them: its frame is kept
  int parent;        // node above, -1 for the world
  int turned, back;  // 1 if `before` and `after` are not the identity
  int axis[3];       // 0, 1, 2 for x, y, z
  int angle[3];
  int coordinate[3];  // `width` + 1 if it does not move
  double sign[3];     // -1 where it turns about the opposite of that axis
  double offset[3];
  double before[9], after[9];  // from the node above to that basis, and from there to the node
};

// One number that may change. Hinges and slides: the number itself; cones: x, y, t; loose balls: steps about their own axes.
struct Coordinate {
  int parent;  // coordinate above, -1 at the root
  int node;
  int part;     // 0, 1, 2 within a ball
  int stores;   // 1 if its backward sweep stores into the parent, 0 if it adds
  int bounded;  // 1 if lower and upper are finite, so that there is a middle
  double lower, upper, middle;
  double lowest, highest;  // the limits in q itself, for the last bit
  double weight;           // of the damping
};

// A hinge or slide that moves: where its number stands in q.
struct Numbered {
  int coordinate, number;
  double unit, lower, upper, lowest, highest;
};

// Three hinges of one joint, at one place: in a frame of a track their joint counts by its rotation, like a ball.
struct Triple {
  int coordinate[3];  // root to tip
};

// Numbers that stand one behind the other here and there.
struct Stretch {
  int from, to, count;
};

// The same for loops over four coordinates at a time, (width) numbers each, behind the last one 0: a ball's are looked at
// again one by one.
struct CoordinateArrays {
  const double *lower, *upper, *middle, *weight;
  const double* pulled;                   // the weight where there is a middle, else 0
  const double *unit, *lowest, *highest;  // of hinges and slides: what a number in q is, and its limits there
};

}  // namespace manikin
