// The goals of a problem: parts, links, postures, and the solids that links keep apart.
#pragma once

namespace manikin {

enum PartKind : int { kPosition = 0, kOrientation = 1, kAim = 2, kPlane = 3, kLine = 4, kSwing = 5, kTwist = 6 };

// A goal has one part, or two: a placement has a position and an orientation, an orientation with separate weights has a swing and a twist.
struct Part {
  int kind;
  int goal;        // index of the goal
  int node;        // node that carries the effector, -1 for the world
  int coordinate;  // coordinate that carries the effector, -1 if nothing moves it
  int target;      // where its target starts in a row of targets
  int flags;  // position: bits of the axes that count; aim: 0 at a point, 1 along a direction; plane: 0 on it, 1 above or on it, 2 below or on it
  int slot;   // index among the coordinates that carry goals, -1 if none
  double offset[3];
  double axis[3];    // of an aim, a swing or a twist, in the segment's space
  double tolerance;  // in units of size, or radians
  double share;      // factor of the goal's weight
};

// A goal that depends on several branches. The sweeps carry its rows as right-hand sides.
enum LinkKind : int { kRelativePosition = 0, kRelativeOrientation = 1, kPairDistance = 2, kPole = 3, kBalance = 4, kClearance = 5, kCallback = 6 };

struct Link {
  int kind;
  int goal;
  int node[3];  // effectors; in a pair, the second is relative to the first; -1 for the world
  int target;
  int flags;  // distance: 0 equal, 1 at least, 2 at most; balance: the up axis; callback: 1 if all rows are angles
  int rows;   // largest number of rows
  double offset[3][3];
  double tolerance;
  double margin;           // of balance, in sizes
  int first[3], count[3];  // clearance: its solids, pairs and corners in the problem; balance: its contacts; callback: its index
};

// Whether the error is an angle in radians instead of a length. Static: each instruction set compiles a separate copy.
static inline bool is_angle(const Part& part) { return part.kind == kOrientation || part.kind == kAim || part.kind >= kSwing; }
static inline bool has_rotation(const Part& part) { return part.kind == kOrientation || part.kind >= kSwing; }  // as its target
static inline bool is_one_sided(const Part& part) { return part.kind == kPlane && part.flags != 0; }
static inline bool is_angle(const Link& link) {
  return link.kind == kRelativeOrientation || link.kind == kPole || (link.kind == kCallback && link.flags);
}

// A point of the figure that carries weight: a contact, or the mass of a node.
struct Weighted {
  int node;
  double point[3];  // in the node's space, in sizes
  double share;     // of the total mass
};

// A goal that the host evaluates (SolveOptions::goal). It reads the placements of effectors and, depending on its flags, the centre of mass and the
// pose. Its derivative has 6 columns for each effector (linear then angular velocity, world axes), then 3 for the centre of mass (if read), then one
// for each step of the figure (if the pose is read).
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

// Bits of the flags of a callback link in the description of a problem.
enum CallbackFlag : int { kAllAngular = 1, kReadsMass = 2, kReadsPose = 4 };

// A joint that counts in a posture although it does not move.
struct StillJoint {
  int node;
  double stiffness;  // as for the coordinates
};

// A pose to stay close to: a goal that depends on every coordinate.
struct Posture {
  int goal;
  int target;               // where its nq numbers start in a row of targets
  double tolerance;         // radians
  const double* stiffness;  // (coordinates) squares of the factors of the steps' differences
  int still;
  const StillJoint* still_joint;  // (still)
};

// A sphere or capsule: all points within a radius of the line from center - edge to center + edge. Or a box, given by its half edges.
struct Solid {
  int node;  // -1 for an obstacle in the world
  int more;  // of a box: index of its second and third edge among the edges in the world; -1 otherwise
  double center[3];
  double edge[3][3];
  double radius;  // 0 for a box
  double extent;  // radius of the enclosing sphere
};

// Two solids that must stay apart.
struct Apart {
  int a, b;  // if only one is a box, it is b
  int fan;   // among Problem::fan
  double margin;
};

// The pairs of one solid with others, in increasing order with small gaps. Each solid from b on has a place.
struct Fan {
  int a, b;
  int first, count;  // places; the count is a multiple of four
};

// A corner of a solid that must stay in front of a half-space.
struct Corner {
  int node;
  double point[3];
  double radius, margin;
  double normal[3];
  double level;  // of the half-space: normal . x <= level
};

}  // namespace manikin
