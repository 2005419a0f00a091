// The work memory of the solver: one block for each thread, laid out here.
#pragma once
#include "kernels/solver/constants.h"
#include "kernels/solver/modes.h"
#include "math/four.h"
#include "math/quaternion.h"
#include "model/options.h"
#include "model/problem.h"

namespace manikin {
namespace MANIKIN_ISA {

static constexpr int kRowsAPart = 3;

struct Frame {
  Four x, y, z, p;  // columns of the rotation, origin; the fourth numbers are unused
};

// A twist or wrench: angular part, linear part, two zeros.
struct alignas(32) Eight {
  double n[8];
};

struct alignas(64) Body {
  Eight P[6];  // columns of a symmetric 6x6 matrix
  Eight p;
};

struct PostureState {
  double weight;  // of the goal; 0 if it does not count
  double measure;
  double least;  // square of the part of the measure that nothing can reduce
  double rest;   // what the pose adds to it
};

struct PartState {
  double e[kRowsAPart + 1];  // error, unweighted; the last is unused
  Eight row[kRowsAPart];     // its derivative by the twist of the coordinate that carries it
  double measure;            // length of the error, in sizes or radians
  double weight;             // of the goal; 0 if it does not count
  double factor;             // 1, or the square of the angle weight, times the factor of the phase
  double own_weight;         // the caller's weight
  int aside;                 // 1 while it is put aside as out of reach
  int rows;                  // of the step; a part that counts on one side only has 1 or 0
};

struct LinkState {
  double measure;
  double weight, factor, own_weight;
  int aside;
};

// Rows that depend on several branches, four to a vector: rho + sum of g v + h dq, see reference/recursive.py.
struct StepRows {
  int count, blocks, most_blocks;
  double *value, *weight, *b, *y;  // (4 most_blocks)
  signed char *sided, *active, *wrong;
  double* A;             // (4 most_blocks)^2
  double* L;             // the same, for the factor
  Four* g;               // (most_blocks, coordinates, 6) as linearised
  Four* swept;           // the same, overwritten by a sweep
  Four* h;               // (most_blocks, coordinates) dependence on the steps themselves
  Four* direct;          // the same, overwritten by a sweep
  Four* a;               // (coordinates, blocks)
  signed char* felt;     // (most_blocks, coordinates) whether g and h are set; where not, they are zeros
  signed char* reached;  // the same for swept and direct
};

// Two solids that are near each other.
struct Near {
  double value;  // margin - distance
  int node_a, node_b;
  int pair;            // among Problem::apart; -1 for a corner
  Four n, on_a, on_b;  // direction from a to b, and the nearest points
  double factor;       // of its row, if that waits for a step that needs it
};

// The curvature from the pull of goals: a turn w and a shift v of the body that carries them give the torque turn w + v x force about the common
// point.
struct Second {
  Four force;
  Four turn[3];  // columns
};

struct Twists {
  Four a[6];  // four twists: angular parts, linear parts
};

// The ends of the limbs of a bundle, one in each lane. Of six rows, the first three are those of the orientation.
struct LimbState {
  Four x[3];        // the effectors, from the common point
  Four e[6];        // their errors
  Four inverse[2];  // 1/w of orientation and position
  Four moved[6];    // the errors after the free steps of the coordinates
  Four Z[21];       // lower triangle
  Four y[6];        // the force
};

// Data of a block of the trunk for the forward sweep: its coordinates are eliminated from the last to the first.
struct BlockState {
  Eight U[3];
  double give[3];  // 1/D, or 0 if held
  double D[3], u[3];
  double tie01, tie02, tie12;  // how a coordinate depends on the steps before it
};

// A pose in the solver's own coordinates.
struct State {
  double* x;     // (coordinates)
  double* turn;  // (turns, 4) quaternions of loose balls
};

// The limbs of a step.
struct LimbWork {
  LimbState* end;     // (bundles)
  Twists* twist;      // (limb steps) of the coordinates, at their effectors
  Four *give, *free;  // (limb steps) f and z, see step/limbs.h
  bool taken;         // whether the present step was computed with them
};

// A chain in vectors of four, see control/chain.h.
struct ChainWork {
  Four *axis, *origin;                // (4 blocks) of the joints
  Four* J;                            // (blocks, 3 for each part)
  double *ease, *lean, *held, *step;  // (4 blocks)
  Four point[2];                      // (parts) effectors of positions
  double e[6];                        // errors, if a run starts with kErrorsKnown
};

struct Work {
  unsigned long long serial;  // the problem it is laid out for; first field, 0 in new memory
  const Problem* problem;
  const double* target;                 // (target_width) lengths in units of size
  State now, trial, best, start, last;  // last: the pose of the previous frame, when tracking
  long state_doubles;
  Frame* frame;   // (nodes)
  Frame* before;  // (nodes) of cones: the axes before the swing
  Four* turning;  // (coordinates) of hinges: their axis in the world
  Frame* wanted;  // (parts) of orientations: the columns of the target
  double *angle, *sine, *cosine;
  Eight *axis, *U, *v;  // (coordinates)
  Body* body;           // (coordinates)
  Body* term;           // (slots) terms of the goals
  BlockState* block;    // (blocks)
  LimbWork limbs;
  double* stiff;    // (coordinates) damping and curvature
  double* written;  // (coordinates) of hinges and slides: their numbers in q
  double *D, *u, *damping, *pull, *step, *lower, *upper, *multiplier, *curvature;
  signed char* held;  // (coordinates) -1 at lower, 0 free, 1 at upper
  signed char *any_bad, *only_bad;
  PartState* part;
  LinkState* link;
  StepRows rows;
  Four *solid_center, *solid_edge;  // (solids) in the world; two more edges for each box follow
  double* solid_at[3];              // (solids, and three unused) x, y and z of the centres
  int* close;                       // (solids, and three unused) places of a fan whose enclosing spheres are near each other
  Near* near;                       // (kMostNear)
  int near_count;                   // how many of them
  const Link* near_of;              // the clearance that found them in the present frames; null if they are not known
  int* touching;                    // (kMostNear) pairs that were too near when they were last found, for an early end
  int touches;                      // how many of them
  double enough;                    // an evaluation may end once its cost is surely above this, and then returns any such cost
  Near* waiting;                    // (kMostNear for each clearance) pairs of the linear model without a row
  int waits;                        // how many of them
  double* scaled;                   // (target_width) targets, lengths in units of size
  double* fixed;                    // (nodes) value of a number that does not move, in its own unit
  PostureState* posture;            // (postures)
  double* ideal;                    // (postures, coordinates) of hinges and slides: their number in the posture, clipped to the limits
  double* ideal_gap;                // (postures, coordinates) how far clipping moved it
  double* posture_pull;             // (coordinates) half the gradient of the cost of all postures
  double* posture_stiff;            // (coordinates) the diagonal of its curvature
  double* posture_cross;            // (coordinates) of a ball: curvature between its steps 0 and 1, 0 and 2, 1 and 2
  double* cross;                    // the same, overwritten by a sweep and kept for the forward sweep
  Eight* E;                         // (coordinates) of a ball: dependence of a step on the twist besides P s
  double *extra_D, *extra_u;        // (coordinates) contributions of siblings
  Four* posture_turn;               // (postures, balls) turns from the posture, if posture_known
  bool posture_known;               // whether they are those of the present frames
  double posture_weight;            // of the heaviest posture; 0 if none counts
  double weight_unit;               // all weights are divided by this
  double posture_cost;              // of all of them
  const State* posed;               // the state whose frames are computed
  Four* moment;                     // (coordinates) mass carried: share times arm from the common point, and the share
  Four center;                      // the common point of all twists
  double angle_factor;              // factor of angles in the present phase of a run
  double* away;                     // (coordinates) distance from `last`, in the directions of the steps
  double farthest;                  // the largest of them
  Second* second;                   // (coordinates) of everything attached to them
  Four* bend;                       // (coordinates) that torque for the coordinate's own twist
  int sweeps;
  ChainWork chain;
  RunOptions run;    // of the present start
  FrameTerms track;  // of the present frame
  KeptPose kept;
  PreferenceState prefer;
  SettleState settle;
  LossState loss;
  DrawState search;
  HookState hooks;
};

static inline bool of_root(const Problem& P, int i) { return P.free_root >= 0 && i >= P.free_root && i < P.free_root + 6; }

// Poses of no numbers may be null, which memcmp and memcpy do not allow.
static inline bool same_numbers(const double* a, const double* b, int count) {
  return count == 0 || __builtin_memcmp(a, b, static_cast<unsigned long>(count) * sizeof(double)) == 0;
}
static inline void copy_numbers(const double* from, int count, double* to) {
  if (count > 0) __builtin_memcpy(to, from, static_cast<unsigned long>(count) * sizeof(double));
}

static inline void copy(const Work& w, const State& from, State& to) {
  __builtin_memcpy(to.x, from.x, static_cast<unsigned long>(w.state_doubles) * sizeof(double));
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
