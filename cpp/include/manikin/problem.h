// A figure with goals, compiled for the solver: only the nodes that some goal can feel, breadth-first, lengths in units of
// the figure's size. Plain arrays: the solver kernels read it from any number of threads.
#pragma once

namespace manikin {

// What a node of the problem does. Cones are balls with swing-twist limits, in normalised coordinates.
enum SolverOp : int { kStill = 0, kSliding = 1, kTurning = 2, kLoose = 3, kCone = 4 };

struct SolverNode {
  int parent;         // node above, -1 for the world
  int op;
  int coordinate;     // first coordinate, -1 if it does not move
  int number;         // first number in q
  int angle;          // index of its (first) sine, -1 if it has none
  int turn;           // index of its quaternion among the loose balls, -1 else
  int plain;          // 1 if `rotation` is the identity
  int source;         // coordinate that a coupled node's own one follows, -1 if none: x = ratio * x_source + shift
  double ratio, shift;
  double rotation[9];   // before the motion, to the parent from here; for a cone also reference and basis
  double after[9];      // after the motion of a cone: twist to the middle of its range, back from the basis
  double offset[3];
  double axis[3];
  double swing[2];      // half angles of a cone
  double half;          // half of its twist range
  double whole[4];      // of a cone: quaternion of reference times basis, and of the basis alone
  double basis[4];
  double twist_middle;
  double middle_sine, middle_cosine;  // of half of it
  double unit;          // number in q per coordinate: the size for slides, 1 else
};

// A move of the forward kinematics: up to three hinges at one place about axes that are at right angles or the same, of which
// only the last has anything on it; or, with count 0, any one node. They turn about axes of a basis of their own.
struct Move {
  int count;
  int node;            // the last of them: its frame is kept
  int parent;          // node above, -1 for the world
  int turned, back;    // 1 if `before` and `after` are not the identity
  int axis[3];         // 0, 1, 2 for x, y, z
  int angle[3];
  int coordinate[3];   // `width` + 1 if it does not move
  double sign[3];      // -1 where it turns about the opposite of that axis
  double offset[3];
  double before[9], after[9];  // from the node above to that basis, and from there to the node
};

// One number that may change. Hinges and slides: the number itself; cones: x, y, t; loose balls: steps about their own axes.
struct Coordinate {
  int parent;         // coordinate above, -1 at the root
  int node;
  int part;           // 0, 1, 2 within a ball
  int stores;         // 1 if its backward sweep stores into the parent, 0 if it adds
  int bounded;        // 1 if lower and upper are finite, so that there is a middle
  double lower, upper, middle;
  double lowest, highest;   // the limits in q itself, for the last bit
  double weight;      // of the damping
};

// A hinge or slide that moves: where its number stands in q.
struct Numbered {
  int coordinate, number;
  double unit, lower, upper, lowest, highest;
};

// Three hinges of one joint, at one place: in a frame of a track their joint counts by its rotation, like a ball.
struct Triple {
  int coordinate[3];   // root to tip
};

// Numbers that stand one behind the other here and there.
struct Stretch {
  int from, to, count;
};

// The same for loops over four coordinates at a time, (width) numbers each, behind the last one 0: a ball's are looked at
// again one by one.
struct CoordinateArrays {
  const double *lower, *upper, *middle, *weight;
  const double* pulled;   // the weight where there is a middle, else 0
  const double *unit, *lowest, *highest;  // of hinges and slides: what a number in q is, and its limits there
};

enum PartKind : int { kPosition = 0, kOrientation = 1, kAim = 2, kPlane = 3, kLine = 4 };

// A goal is one part, or two (Placement: position and orientation).
struct Part {
  int kind;
  int goal;           // index of the goal
  int node;           // node that carries the effector, -1 for the world
  int coordinate;     // coordinate that carries it, -1 if nothing moves it
  int target;         // where its target starts in a row of targets
  int flags;          // position: bits of the axes that count; plane: 0 on it, 1 above or on it, 2 below or on it
  int slot;           // index among the coordinates that carry goals, -1 if none
  double offset[3];
  double axis[3];
  double tolerance;   // in units of size, or radians
};

// A goal that feels several branches: its rows go through the sweeps as right-hand sides.
enum LinkKind : int { kRelativePosition = 0, kRelativeOrientation = 1, kPairDistance = 2, kPole = 3, kBalance = 4, kClearance = 5 };

struct Link {
  int kind;
  int goal;
  int node[3];        // effectors: of a pair the second one is held to the first; -1 for the world
  int target;
  int flags;          // distance: 0 equal, 1 at least, 2 at most; balance: the up axis
  int rows;           // most rows it can have
  double offset[3][3];
  double tolerance;
  double margin;      // of balance, in units of size
  int first[3], count[3];  // of clearance: its solids, pairs and corners among those of the problem; of balance: its contacts
};

// Whether what is off is an angle, in radians, and no length. Static: each instruction set has its own.
static inline bool is_angle(const Part& part) { return part.kind == kOrientation || part.kind == kAim; }
static inline bool is_angle(const Link& link) { return link.kind == kRelativeOrientation || link.kind == kPole; }

// A point of the figure that carries weight: a contact, or the mass lumped on a node.
struct Weighted {
  int node;
  double point[3];    // in the node's space, in units of size
  double share;       // of the total mass
};

// A joint that a posture counts although it does not move.
struct StillJoint {
  int node;
  double stiffness;       // as for the coordinates
};

// A pose to stay close to: a goal that every coordinate feels.
struct Posture {
  int goal;
  int target;             // where its nq numbers start in a row of targets
  double tolerance;       // radians
  const double* stiffness;  // (coordinates) s: the square of what a step's part of the difference is multiplied with
  int still;
  const StillJoint* still_joint;  // (still)
};

// A sphere or capsule: all points within a radius of the line from center - edge to center + edge. Or a box, by its half edges.
struct Solid {
  int node;           // -1 for an obstacle in the world
  int more;           // of a box: where its second and third edge stand among the edges in the world; -1 else
  double center[3];
  double edge[3][3];
  double radius;      // 0 for a box
  double extent;      // radius of the sphere around it
};

// Two solids that are to be kept apart.
struct Apart {
  int a, b;           // where only one is a box, it is b
  double margin;
};

// A corner of a solid that is to be kept in front of a half-space.
struct Corner {
  int node;
  double point[3];
  double radius, margin;
  double normal[3];
  double level;       // of the half-space: normal . x <= level
};

// Limbs: chains of coordinates with one goal on their end, a position or a placement, and nothing else below. Four of them
// take the step side by side, one in each lane; one that is alone takes it with four of its coordinates at a time.
struct Bundle {
  int rows;            // 3: a position, 6: a placement
  int lanes;           // limbs in it
  int alone;           // 1 if there is one limb, spread over the lanes
  int steps;           // coordinates of the longest, or of the one divided by four
  int first;           // where its steps begin in limb_coordinate
  int above[4];        // coordinate that carries the limb, -1 if it hangs on the world
  int stores[4];       // 1 if it stores into that, as the first, 0 if it adds
  int position[4];     // part
  int orientation[4];  // part, -1 if there is none
};

// Hinges and slides that hang one on the other and carry one effector, so written that each turns about or slides along its
// z: its axes are those of the one before, moved by an offset, turned about x, then about z by x + shift.
struct ChainJoint {
  double offset[3];
  double sine, cosine;  // of the turn about x
  int slides;           // 1 for a slide, whose turn about z is the shift alone
};

struct ChainPart {
  double tool[9], tip[3];  // the part's node in the axes of the last joint
  double point[3];         // its effector there
};

struct Chain {
  int joints, blocks;      // blocks of four joints, the last filled up with what does not move
  int slides;              // how many joints are slides
  const ChainJoint* joint;
  const ChainPart* part;
  const double *turning, *shift;              // (4 blocks) 1 for a hinge
  const double *ease, *bounded;               // (4 blocks) 1 over the weight of the damping; 1 where there is a middle
  const double *lower, *upper, *middle;       // (4 blocks)
  double base[9];          // columns of the axes before the first joint
};

// Up to three coordinates of what is not in limbs, one on the other and with nothing else on the way: one step of the sweep.
struct Block {
  int coordinate[3];   // root to tip; `width` where there are fewer
  int last;            // the last of them
  int parent;          // coordinate above, -1 at the root
  int stores;          // 1 if it stores into the parent, 0 if it adds
};

struct Problem {
  unsigned long long serial;  // no two problems of a process have the same, none has 0
  int solids, aparts, corners, boxes;
  const Solid* solid;
  const Apart* apart;
  const Corner* corner;
  int postures;
  const Posture* posture;         // (postures)
  int links, contacts, masses, most_rows;
  const Link* link;
  const Weighted* contact;        // (contacts) of the balance goals
  const Weighted* mass;           // (masses)
  const int* node_coordinate;     // (nodes) coordinate at or above each node, -1 if none
  int couplings;
  const int* coupled;             // (couplings) nodes that follow another
  int nodes, coordinates, angles, turns, parts, goals, slots, nq, target_width;
  double size;
  const SolverNode* node;
  int moves;
  const Move* move;               // parents first
  int angle_stretches;
  const Stretch* angle_stretch;   // from coordinates to angles: those of hinges that move
  int odd_angles;
  const int* odd_angle;           // (odd_angles) nodes of the others: cones, and what does not move
  int center_node;                // whose origin is the common point of all twists
  const Coordinate* coordinate;
  int width;                      // coordinates, rounded up to fours
  CoordinateArrays all;
  int numbered, others;
  const Numbered* each_number;    // (numbered)
  const int* other;               // (others) nodes with numbers that are not among them: balls, and what does not move
  int balls;
  const int* ball;                // (balls) first coordinates of cones and loose balls
  int triples;
  const Triple* triple;           // (triples)
  const Part* part;
  const int* slot_coordinate;     // (slots)
  const double *target_scale, *target_most;  // (target_width) of lengths 1/size and the most sizes, else 1 and infinite
  int bundles, limb_steps;        // none where goals are felt by several branches, or by every coordinate
  const Bundle* bundle;
  const int* limb_coordinate;     // (limb_steps, 4) coordinates, root to tip; `width` where a limb has ended
  int blocks;
  const Block* block;             // (blocks) of the trunk: coordinates that are in no limb; parents first
  int trunk_slots;
  const int* trunk_slot;          // (trunk_slots) slots that are in no limb
  const int* part_limb;           // (parts) 1 if it is the goal of a limb
  const Chain* chain;             // none where the problem is another
  int free_root;                  // coordinate of a free root's first slide (then 3 slides, 3 turns), -1 if none
};

struct SolveOptions {
  int iterations;       // most iterations of one start
  int most;             // most iterations of all starts together
  int restarts;         // most starts after the first
  int tracking;         // 1: the start is near; no nudge, no position first
  int frame;            // 1: a frame of a track, from the pose before; `room` says how far joints may move
  int bounded;          // 1: a run to a minimum ends as soon as little more is to be gained, and a search does not look twice at its start
  unsigned long long seed;
  double deadline;      // on `clock`, in seconds; infinite without one
  double (*clock)();
  // (width + triples) how far each coordinate, then each triple, may move in this frame: radians or sizes, infinite without a
  // limit. The three coordinates of a ball share the first one's, as the angle of its rotation. None: no limit.
  const double* room = nullptr;
  const double* last = nullptr;  // (nq) the pose that the room is measured from; none: the start
  double hold = 0.0;             // weight of staying near the start of the frame; 0: the usual one
  const double* bent = nullptr;  // (nq) pose that says to which side straight limbs bend; none: as is nearest
};

struct SolveResult {
  double cost;
  int reached;          // 1: all goals are met, or all but a posture of which no move of any joint brings more
  int status;           // 0 all goals are met, 1 stalled, 2 out of iterations, 3 out of time
  int iterations;
  int sweeps;
  int starts;
  int limited;          // in a track: the number in q whose speed limit holds back a frame that is missed, -1 if none does
};

struct SolverKernels {
  long (*workspace_bytes)(const Problem& problem);
  // q: (nq) start on the way in, pose on the way out; targets: (target_width); weights: (goals), 0 where a goal does not
  // count; measures: (parts) in lengths or radians.
  void (*solve)(const Problem& problem, const SolveOptions& options, const double* targets, const double* weights, double* q,
                double* measures, SolveResult* result, void* workspace);
  // The quaternion a share of the way from a to b that stays inside the cone: straight in its coordinates.
  void (*along_cone)(const SolverNode& node, const Coordinate& twist, const double* a, const double* b, double share, double* out);
  // Where a core a (centre, three half edges; 12 numbers) and a box b are nearest to each other; out: signed distance, normal from a
  // to b, point of a, point of b (10 numbers).
  void (*box_nearest)(const double* a, const double* b, bool a_is_box, double* out);
};

const SolverKernels& solver_base();
#ifdef MANIKIN_HAVE_V3
const SolverKernels& solver_v3();
#endif

}  // namespace manikin
