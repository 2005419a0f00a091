// What the solver works in: one block of memory a thread, laid out here.
#pragma once
#include "kernels/solver/constants.h"
#include "math/four.h"
#include "math/quaternion.h"
#include "model/options.h"
#include "model/problem.h"

namespace manikin {
namespace MANIKIN_ISA {

static constexpr int kRowsAPart = 3;

struct Frame {
  Four x, y, z, p;  // columns of the rotation, origin; fourth numbers are not used
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
  double weight;            // of the goal; 0 where it does not count
  double measure;
  double least;             // square of the measure, as far as nothing can lower it, and
  double rest;              // what the pose adds to it
};

struct PartState {
  double e[kRowsAPart + 1]; // error, unweighted; the last is not used
  Eight row[kRowsAPart];    // its derivative by the twist of the coordinate that carries it
  double measure;           // length of the error, in units of size or radians
  double weight;            // of the goal; 0 where it does not count
  double factor;            // 1, or the square of the angle weight, times what the phase asks
  double own_weight;        // what the caller gave
  int aside;                // 1 while it is out of reach and the others are looked after
  int rows;
};

struct LinkState {
  double measure;
  double weight, factor, own_weight;
  int aside;
};

// Rows felt by several branches, four to a vector: rho + sum of g v + h dq, see reference/recursive.py.
struct Rows {
  int count, blocks, most_blocks;
  double *value, *weight, *b, *y;   // (4 most_blocks)
  signed char *sided, *active, *wrong;
  double* A;                        // (4 most_blocks)^2
  double* L;                        // the same, for the factor
  Four* g;                          // (coordinates, 6, blocks) as linearised
  Four* swept;                      // the same, used up by a sweep
  Four* h;                          // (coordinates, blocks) felt by the steps themselves
  Four* direct;                     // the same, used up by a sweep
  Four* a;                          // (coordinates, blocks)
};

// Two solids that are near to each other.
struct Near {
  double value;       // margin - distance
  int node_a, node_b;
  Four n, on_a, on_b; // from a to b, and the nearest points
};

// What the pull of goals adds to the curvature: a turn w and a shift v of what they hang on bring the torque
// turn w + v x force about the common point.
struct Second {
  Four force;
  Four turn[3];  // columns
};

struct Twists {
  Four a[6];  // four twists: angular parts, linear parts
};

// The ends of the limbs of a bundle, one a lane; of six rows the first three are the orientation's.
struct LimbState {
  Four x[3];        // the effectors, from the common point
  Four e[6];        // their errors, and
  Four inverse[2];  // 1/w of orientation and position
  Four moved[6];    // the errors after what the coordinates do by themselves
  Four Z[21];       // lower triangle
  Four y[6];        // the force
};

// What a block of the trunk leaves for the way forth: its coordinates eliminated from the last to the first.
struct BlockState {
  Eight U[3];
  double give[3];   // 1/D, or 0 where held
  double D[3], u[3];
  double tie01, tie02, tie12;  // what a coordinate feels of the steps before it
};

// A pose in the solver's own coordinates.
struct State {
  double* x;     // (coordinates)
  double* turn;  // (turns, 4) quaternions of loose balls
};

struct Work {
  unsigned long long serial;  // what it is laid out for; stands first, 0 in new memory
  const Problem* problem;
  const double* target;    // (target_width) lengths in units of size
  State now, trial, best, start, last;  // last: the pose of the frame before, when tracking
  long state_doubles;
  Frame* frame;            // (nodes)
  Frame* before;           // (nodes) of cones: the axes before the swing
  Four* turning;           // (coordinates) of hinges: their axis in the world
  Frame* wanted;           // (parts) of orientations: the columns of the target
  double *angle, *sine, *cosine;
  Eight *axis, *U, *v;     // (coordinates)
  Body* body;              // (coordinates)
  Body* term;              // (slots) what the goals put there
  LimbState* limb;         // (bundles)
  BlockState* block;       // (blocks)
  Twists* limb_twist;      // (limb steps) of the coordinates, at their effectors
  Four *limb_give, *limb_free;  // (limb steps) f and z, see step/limbs.h
  bool by_limbs;           // whether the step was taken with them
  double* stiff;           // (coordinates) damping and curvature
  double* written;         // (coordinates) of hinges and slides: their numbers in q
  double *D, *u, *damping, *pull, *step, *lower, *upper, *multiplier, *curvature;
  signed char* held;       // (coordinates) -1 at lower, 0 free, 1 at upper
  signed char *any_bad, *only_bad;
  PartState* part;
  LinkState* link;
  Rows rows;
  Four *solid_center, *solid_edge;  // (solids) in the world; behind them two more edges for each box
  Near* near;              // (kMostNear)
  double* scaled;          // (target_width) targets, lengths in units of size
  double* fixed;           // (nodes) value of a number that does not move, in units of its own
  PostureState* posture;   // (postures)
  double* ideal;           // (postures, coordinates) of hinges and slides: their number in the posture, brought inside the limits, and
  double* ideal_gap;       // (postures, coordinates) what that moved it by
  double* posture_pull;    // (coordinates) half the gradient of the cost of all postures, and
  double* posture_stiff;   // (coordinates) the diagonal of its curvature
  double* posture_cross;   // (coordinates) of a ball: curvature between its steps 0 and 1, 0 and 2, 1 and 2
  double* cross;           // the same, used up by a sweep, and kept for the way forth
  Eight* E;                // (coordinates) of a ball: what a step feels of the twist besides P s
  double *extra_D, *extra_u;  // (coordinates) what siblings leave
  double posture_weight;   // of the heaviest posture; 0 where none counts
  double posture_cost;     // of all of them
  bool prefers;            // whether a preferred pose takes the place of the middle of the ranges
  bool settling;           // whether it also counts in the cost, with
  double settle_weight;    // this weight;
  double second_scale;     // what the pull of goals is multiplied with in the second-order term then, and
  Body* curved;            // (slots) the terms with their part of it;
  double *model, *model_next;  // (parts, 4) the errors in that term: what the last step, and the one that is tried, promised to leave
  double *prefer_x, *prefer_turn;  // (coordinates), (balls, 4): the preferred pose; numbers may lie outside their limits
  double* prefer_weight;   // (coordinates) weight of its square; of a ball, by its three own axes
  double* prefer_pull;     // (coordinates) half the gradient of the preference,
  double* prefer_stiff;    // (coordinates) the diagonal of its curvature, and
  double* prefer_cross;    // (coordinates) of a ball: curvature between its steps 0 and 1, 0 and 2, 1 and 2
  const State* posed;      // the state whose frames are computed
  Four* moment;            // (coordinates) mass carried: share times arm from the common point, and the share
  Four center;             // the common point of all twists
  double angle_factor;     // what angles count in this phase
  double cap;              // most that a coordinate moves in one step; infinite without
  const double* bent;      // pose (nq) that says to which side straight limbs bend, or null
  double prox;             // weight of staying near `last`
  const double* room;      // (width + triples) most change since `last` of each coordinate and triple; none: no limit
  double* away;            // (coordinates) from `last`, in the directions of the steps
  Second* second;          // (coordinates) of all that hangs on them
  Four* bend;              // (coordinates) that torque for the coordinate's own twist
  bool newton;             // whether steps may use it
  int newtons;             // and how many more of them may
  bool posed_now;          // in a frame: whether the frames are those of `now`
  bool fresh;              // whether frames and errors are those of `now`: said once, before a start
  bool posed_start;        // whether the frames are those of `start`: said once, before a frame of a track
  bool kept;               // whether `now` and its frames are what reading the pose `given` would give
  double* given;           // (nq) the pose that a frame was written to
  int sweeps;
  double far_off;          // how far the goal that is off most is off where starts are drawn, in sizes
  unsigned long long random;
  Four *chain_axis, *chain_origin;  // (4 blocks) of a chain's joints
  Four* chain_J;                    // (blocks, 3 a part)
  double *chain_ease, *chain_lean, *chain_held, *chain_step;  // (4 blocks)
  Four chain_point[2];              // (parts) effectors of positions
  double chain_e[6];                // errors where `fresh`
  const SolveOptions* hooks;        // whose hooks are called, see kernels/solver/hooks.h
  bool watching;                    // whether iterations are shown
  bool hooked;                      // whether there are any hooks; the numbers below are set only then
  bool halted, failed;              // whether the host has ended the solve, and whether by a callback that failed
  int watched;                      // iterations shown
  int ask_every, until_asked;       // iterations between two calls of `stopped`, and until the next
  double* shown;                    // (nq) a pose for the host
  double *callback_placement, *callback_error, *callback_derivative;  // of one callback: (effectors, 4, 4), (rows), (rows, columns)
};

struct Arena {
  char* at;
  long used;
  template <class T>
  T* take(long count) {
    const long start = (used + 63) / 64 * 64;
    used = start + count * static_cast<long>(sizeof(T));
    return at ? reinterpret_cast<T*>(at + start) : nullptr;
  }
};

// What a workspace is laid out for: the padding depends on the lanes.
static inline unsigned long long serial_of(const Problem& problem) { return 8 * problem.serial + MANIKIN_LANES; }

static void lay_out(Work& w, const Problem& problem, Arena& arena) {
  const long n = problem.width, blocks_of_chain = problem.chain ? problem.chain->blocks : 0;
  const long padded = (problem.angles > 4 * blocks_of_chain ? problem.angles : 4 * blocks_of_chain) + MANIKIN_LANES;
  w.problem = &problem;
  w.serial = serial_of(problem);
  w.state_doubles = n + 4l * problem.turns;
  State* const states[] = {&w.now, &w.trial, &w.best, &w.start, &w.last};
  for (State* s : states) {
    s->x = arena.take<double>(w.state_doubles);
    s->turn = s->x ? s->x + n : nullptr;
  }
  w.frame = arena.take<Frame>(problem.nodes);
  w.before = arena.take<Frame>(problem.nodes);
  w.wanted = arena.take<Frame>(problem.parts);
  w.angle = arena.take<double>(padded);
  w.sine = arena.take<double>(padded);
  w.cosine = arena.take<double>(padded);
  w.axis = arena.take<Eight>(n + 2);
  w.turning = arena.take<Four>(n + 2);
  w.U = arena.take<Eight>(n);
  w.v = arena.take<Eight>(n);
  w.body = arena.take<Body>(n);
  w.term = arena.take<Body>(problem.slots);
  w.curved = arena.take<Body>(problem.slots);
  w.model = arena.take<double>(4l * problem.parts);
  w.model_next = arena.take<double>(4l * problem.parts);
  double** const numbers[] = {&w.D, &w.u, &w.damping, &w.pull, &w.step, &w.lower, &w.upper, &w.multiplier, &w.curvature, &w.away, &w.posture_pull, &w.posture_stiff, &w.posture_cross, &w.cross, &w.extra_D, &w.extra_u, &w.stiff, &w.written, &w.prefer_x, &w.prefer_weight, &w.prefer_pull, &w.prefer_stiff, &w.prefer_cross};
  for (double** a : numbers) *a = arena.take<double>(n + 1);
  signed char** const flags[] = {&w.held, &w.any_bad, &w.only_bad};
  for (signed char** a : flags) *a = arena.take<signed char>(n + 8);
  w.link = arena.take<LinkState>(2 * problem.links);
  const long blocks = (problem.most_rows + 3) / 4, most = 4 * blocks;
  w.rows.count = w.rows.blocks = 0;
  w.rows.most_blocks = static_cast<int>(blocks);
  double** const row_numbers[] = {&w.rows.value, &w.rows.weight, &w.rows.b, &w.rows.y};
  for (double** a : row_numbers) *a = arena.take<double>(most);
  w.rows.sided = arena.take<signed char>(most);
  w.rows.active = arena.take<signed char>(most);
  w.rows.wrong = arena.take<signed char>(most);
  w.rows.A = arena.take<double>(most * most);
  w.rows.L = arena.take<double>(most * most);
  w.rows.g = arena.take<Four>(n * 6 * blocks);
  w.rows.swept = arena.take<Four>(n * 6 * blocks);
  w.rows.h = arena.take<Four>(n * blocks);
  w.rows.direct = arena.take<Four>(n * blocks);
  w.rows.a = arena.take<Four>(n * blocks);
  w.E = arena.take<Eight>(n);
  w.solid_center = arena.take<Four>(problem.solids);
  w.solid_edge = arena.take<Four>(problem.solids + 2 * problem.boxes);
  w.near = arena.take<Near>(problem.solids > 0 ? kMostNear : 0);
  w.moment = arena.take<Four>(n);
  w.posture = arena.take<PostureState>(problem.postures);
  w.ideal = arena.take<double>(problem.postures * n);
  w.ideal_gap = arena.take<double>(problem.postures * n);
  w.second = arena.take<Second>(n);
  w.bend = arena.take<Four>(n);
  w.part = arena.take<PartState>(2 * problem.parts);  // those of a trial stand behind
  w.limb = arena.take<LimbState>(problem.bundles);
  w.block = arena.take<BlockState>(problem.blocks);
  w.limb_twist = arena.take<Twists>(problem.limb_steps);
  w.limb_give = arena.take<Four>(problem.limb_steps);
  w.limb_free = arena.take<Four>(problem.limb_steps);
  w.chain_axis = arena.take<Four>(4 * blocks_of_chain);
  w.chain_origin = arena.take<Four>(4 * blocks_of_chain);
  w.chain_J = arena.take<Four>(3 * problem.parts * blocks_of_chain);
  double** const of_chain[] = {&w.chain_ease, &w.chain_lean, &w.chain_held, &w.chain_step};
  for (double** a : of_chain) *a = arena.take<double>(4 * blocks_of_chain);
  w.scaled = arena.take<double>(problem.target_width);
  w.fixed = arena.take<double>(problem.nodes);
  w.given = arena.take<double>(problem.nq);
  w.shown = arena.take<double>(problem.nq);
  w.callback_placement = arena.take<double>(16l * problem.effectors);
  w.callback_error = arena.take<double>(problem.callback_rows);
  w.callback_derivative = arena.take<double>(problem.callback_numbers);
  w.prefer_turn = arena.take<double>(4l * problem.balls);
  w.kept = false;
  if (!arena.at) return;
  for (State* s : states)
    for (long i = problem.coordinates; i < n; ++i) s->x[i] = 0.0;
  for (long i = problem.coordinates; i < n; ++i) w.step[i] = w.curvature[i] = w.prefer_pull[i] = w.prefer_stiff[i] = 0.0;
  for (long i = problem.coordinates; i < n + 8; ++i) w.held[i] = 0;
  // behind the last coordinate stands one that moves nothing, for lanes that have none, and one for hinges that do not move
  w.axis[n] = Eight{};
  w.stiff[n] = 1.0;
  w.pull[n] = 0.0;
  w.lower[n] = -__builtin_inf();
  w.upper[n] = __builtin_inf();
}

static inline bool of_root(const Problem& P, int i) { return P.free_root >= 0 && i >= P.free_root && i < P.free_root + 6; }

static inline void copy(const Work& w, const State& from, State& to) {
  __builtin_memcpy(to.x, from.x, static_cast<unsigned long>(w.state_doubles) * sizeof(double));
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
