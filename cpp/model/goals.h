// The goals of a problem: parts, links, postures, and the solids that links keep apart.
#pragma once

namespace manikin {

enum PartKind : int { kPosition = 0, kOrientation = 1, kAim = 2, kPlane = 3, kLine = 4 };

// A goal is one part, or two (Placement: position and orientation).
struct Part {
  int kind;
  int goal;        // index of the goal
  int node;        // node that carries the effector, -1 for the world
  int coordinate;  // coordinate that carries it, -1 if nothing moves it
  int target;      // where its target starts in a row of targets
  int flags;  // position: bits of the axes that count; aim: 0 at a point, 1 along a direction; plane: 0 on it, 1 above or on it, 2 below or on it
  int slot;   // index among the coordinates that carry goals, -1 if none
  double offset[3];
  double axis[3];
  double tolerance;  // in units of size, or radians
};

// A goal that feels several branches: its rows go through the sweeps as right-hand sides.
enum LinkKind : int { kRelativePosition = 0, kRelativeOrientation = 1, kPairDistance = 2, kPole = 3, kBalance = 4, kClearance = 5, kCallback = 6 };

struct Link {
  int kind;
  int goal;
  int node[3];  // effectors: of a pair the second one is held to the first; -1 for the world
  int target;
  int flags;  // distance: 0 equal, 1 at least, 2 at most; balance: the up axis; callback: 1 if all rows are angles
  int rows;   // most rows it can have
  double offset[3][3];
  double tolerance;
  double margin;           // of balance, in units of size
  int first[3], count[3];  // of clearance: its solids, pairs and corners among those of the problem; of balance: its contacts; of a callback: which
};

// Whether what is off is an angle, in radians, and no length. Static: each instruction set has its own.
static inline bool is_angle(const Part& part) { return part.kind == kOrientation || part.kind == kAim; }
static inline bool is_angle(const Link& link) {
  return link.kind == kRelativeOrientation || link.kind == kPole || (link.kind == kCallback && link.flags);
}

// A point of the figure that carries weight: a contact, or the mass lumped on a node.
struct Weighted {
  int node;
  double point[3];  // in the node's space, in units of size
  double share;     // of the total mass
};

// A goal that the host evaluates (SolveOptions::goal). It reads the placements of effectors and, if it says so, the centre of mass and
// the pose. Its derivative has 6 columns for each effector (linear then angular velocity, world axes), then 3 for the centre of mass
// (if read), then one for each step of the figure (if the pose is read).
struct Callback {
  int goal;
  int first, effectors;  // its effectors among Problem::effector
  int first_row, rows;   // its rows among Problem::callback_row
  int reads_mass, reads_pose;
  int columns;  // of the derivative
  int width;    // numbers in its target
};

// Bits of Problem::callback_row.
enum RowFlag : int { kAngularRow = 1, kOneSidedRow = 2 };

// Bits of the flags of a callback link, where a problem is described.
enum CallbackFlag : int { kAllAngular = 1, kReadsMass = 2, kReadsPose = 4 };

// A joint that a posture counts although it does not move.
struct StillJoint {
  int node;
  double stiffness;  // as for the coordinates
};

// A pose to stay close to: a goal that every coordinate feels.
struct Posture {
  int goal;
  int target;               // where its nq numbers start in a row of targets
  double tolerance;         // radians
  const double* stiffness;  // (coordinates) s: the square of what a step's part of the difference is multiplied with
  int still;
  const StillJoint* still_joint;  // (still)
};

// A sphere or capsule: all points within a radius of the line from center - edge to center + edge. Or a box, by its half edges.
struct Solid {
  int node;  // -1 for an obstacle in the world
  int more;  // of a box: where its second and third edge stand among the edges in the world; -1 else
  double center[3];
  double edge[3][3];
  double radius;  // 0 for a box
  double extent;  // radius of the sphere around it
};

// Two solids that are to be kept apart.
struct Apart {
  int a, b;  // where only one is a box, it is b
  double margin;
};

// A corner of a solid that is to be kept in front of a half-space.
struct Corner {
  int node;
  double point[3];
  double radius, margin;
  double normal[3];
  double level;  // of the half-space: normal . x <= level
};

}  // namespace manikin
