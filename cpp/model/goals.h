// The goals of a problem: parts, links, postures, and the solids that links keep apart.
#pragma once

namespace manikin {

enum PartKind : int { kPosition, kOrientation, kAim, kPlane, kLine, kSwing, kTwist, kPartKinds };

// What the host knows of a kind of part.
struct PartFacts {
  const char* name;  // in Python
  int width;         // numbers of its target; a position has one for each axis that counts
  int lengths[2];    // how many of the first are lengths: with flags 0, and with other flags
  int direction;     // where a direction starts in its target, -1 if there is none
  bool rotation;     // whether its target is a quaternion
  bool about_axis;   // whether it needs an axis
  bool angular;      // whether its error is an angle in radians instead of a length
  int flags;         // the largest value of its flags
};

static constexpr PartFacts kParts[kPartKinds] = {
    {"position", 3, {3, 3}, -1, false, false, false, 7},   // flags: bits of the axes that count
    {"orientation", 4, {0, 0}, -1, true, false, true, 0},  //
    {"aim", 3, {3, 0}, -1, false, false, true, 1},         // 0 at a point, 1 along a direction
    {"plane", 6, {3, 3}, 3, false, false, false, 2},       // 0 on it, 1 above or on it, 2 below or on it
    {"line", 6, {3, 3}, 3, false, false, false, 0},        //
    {"swing", 4, {0, 0}, -1, true, true, true, 0},         //
    {"twist", 4, {0, 0}, -1, true, true, true, 0},
};

// A goal has one part, or two: a placement has a position and an orientation, an orientation with separate weights has a swing and a twist.
struct Part {
  int kind;
  int goal;        // index of the goal
  int node;        // node that carries the effector, -1 for the world
  int coordinate;  // coordinate that carries the effector, -1 if nothing moves it
  int target;      // where its target starts in a row of targets
  int flags;       // see kParts
  int slot;        // index among the coordinates that carry goals, -1 if none
  double offset[3];
  double axis[3];    // of an aim, a swing or a twist, in the segment's space
  double tolerance;  // in units of size, or radians
  double share;      // factor of the goal's weight
};

// A goal that depends on several branches. The sweeps carry its rows as right-hand sides.
enum LinkKind : int { kRelativePosition, kRelativeOrientation, kPairDistance, kPole, kBalance, kClearance, kCallback, kLinkKinds };

// What the host knows of a kind of link.
struct LinkFacts {
  const char* name;  // in Python
  int width;         // numbers of its target
  int lengths;       // how many of the first are lengths
  int rows;          // the most rows; those of a balance and a callback are counted
  bool angular;
  int flags;  // the largest value of its flags
};

static constexpr LinkFacts kLinks[kLinkKinds] = {
    {"relative_position", 3, 3, 3, false, 0},    //
    {"relative_orientation", 4, 0, 3, true, 0},  //
    {"pair_distance", 1, 1, 3, false, 2},        // flags: 0 equal, 1 at least, 2 at most
    {"pole", 3, 3, 1, true, 0},                  //
    {"balance", 0, 0, 0, false, 2},              // the up axis
    {"clearance", 0, 0, 64, false, 0},           //
    {"callback", 0, 0, 0, false, 7},             // CallbackFlag bits; in a compiled link 1 if all rows are angles
};

struct Link {
  int kind;
  int goal;
  int node[3];  // effectors; in a pair, the second is relative to the first; -1 for the world
  int target;
  int flags;  // see kLinks
  int rows;   // largest number of rows
  double offset[3][3];
  double tolerance;
  double margin;           // of balance, in sizes
  int first[3], count[3];  // clearance: its solids, pairs and corners in the problem; balance: its contacts; callback: its index
};

// Whether the error is an angle in radians instead of a length. Static: each instruction set compiles a separate copy.
static inline bool is_angle(const Part& part) { return kParts[part.kind].angular; }
static inline bool has_rotation(const Part& part) { return kParts[part.kind].rotation; }  // as its target
static inline bool is_one_sided(const Part& part) { return part.kind == kPlane && part.flags != 0; }
static inline bool is_angle(const Link& link) { return kLinks[link.kind].angular || (link.kind == kCallback && link.flags); }

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
