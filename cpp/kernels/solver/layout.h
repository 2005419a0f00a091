// Lays out a workspace for a problem.
#pragma once
#include "kernels/solver/work.h"

namespace manikin {
namespace MANIKIN_ISA {

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

// Identifies the problem and the lanes of a workspace: the padding depends on the lanes.
static inline unsigned long long serial_of(const Problem& problem) { return 8 * problem.serial + MANIKIN_LANES; }

static void lay_out(Work& w, const Problem& problem, Arena& arena) {
  const long n = problem.width, blocks_of_chain = problem.chain ? problem.chain->blocks : 0;
  const long padded = (problem.angles > 4 * blocks_of_chain ? problem.angles : 4 * blocks_of_chain) + MANIKIN_LANES;
  w.problem = &problem;
  w.serial = serial_of(problem);
  w.state_doubles = n + 4l * problem.turns;
  // poses, frames and angles
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
  // sweeps over the tree
  w.U = arena.take<Eight>(n);
  w.v = arena.take<Eight>(n);
  w.body = arena.take<Body>(n);
  w.term = arena.take<Body>(problem.slots);
  w.settle.curved = arena.take<Body>(problem.slots);
  w.settle.model = arena.take<double>(4l * problem.parts);
  w.settle.model_next = arena.take<double>(4l * problem.parts);
  double** const numbers[] = {
      &w.D,         &w.u,       &w.damping,      &w.pull,          &w.step,          &w.lower,        &w.upper,       &w.multiplier,
      &w.curvature, &w.away,    &w.posture_pull, &w.posture_stiff, &w.posture_cross, &w.cross,        &w.extra_D,     &w.extra_u,
      &w.stiff,     &w.written, &w.prefer.x,     &w.prefer.weight, &w.prefer.pull,   &w.prefer.stiff, &w.prefer.cross};
  for (double** a : numbers) *a = arena.take<double>(n + 1);
  signed char** const flags[] = {&w.held, &w.any_bad, &w.only_bad};
  for (signed char** a : flags) *a = arena.take<signed char>(n + 8);
  // rows of links
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
  w.rows.felt = arena.take<signed char>(n * blocks);
  w.rows.reached = arena.take<signed char>(n * blocks);
  w.E = arena.take<Eight>(n);
  // clearance, posture and second derivatives
  w.solid_center = arena.take<Four>(problem.solids);
  w.solid_edge = arena.take<Four>(problem.solids + 2 * problem.boxes);
  for (double*& at : w.solid_at) at = arena.take<double>(problem.solids + 3);
  w.close = arena.take<int>(problem.solids + 3);
  long clearances = 0;
  for (int k = 0; k < problem.links; ++k) clearances += problem.link[k].kind == kClearance;
  w.near = arena.take<Near>(problem.solids > 0 ? kMostNear : 0);
  w.touching = arena.take<int>(problem.solids > 0 ? kMostNear : 0);
  w.touches = 0;
  w.waiting = arena.take<Near>(clearances * kMostNear);
  w.waits = 0;
  w.near_of = nullptr;
  w.moment = arena.take<Four>(n);
  w.posture = arena.take<PostureState>(problem.postures);
  w.posture_turn = arena.take<Four>(static_cast<long>(problem.postures) * problem.balls);
  w.posture_known = false;
  w.ideal = arena.take<double>(problem.postures * n);
  w.ideal_gap = arena.take<double>(problem.postures * n);
  w.second = arena.take<Second>(n);
  w.bend = arena.take<Four>(n);
  // limbs, trunk and chains
  w.part = arena.take<PartState>(2 * problem.parts);  // those of a trial come second
  w.limbs.end = arena.take<LimbState>(problem.bundles);
  w.block = arena.take<BlockState>(problem.blocks);
  w.limbs.twist = arena.take<Twists>(problem.limb_steps);
  w.limbs.give = arena.take<Four>(problem.limb_steps);
  w.limbs.free = arena.take<Four>(problem.limb_steps);
  w.chain.axis = arena.take<Four>(4 * blocks_of_chain);
  w.chain.origin = arena.take<Four>(4 * blocks_of_chain);
  w.chain.J = arena.take<Four>(3 * problem.parts * blocks_of_chain);
  double** const of_chain[] = {&w.chain.ease, &w.chain.lean, &w.chain.held, &w.chain.step};
  for (double** a : of_chain) *a = arena.take<double>(4 * blocks_of_chain);
  // targets, kept poses, hooks
  w.scaled = arena.take<double>(problem.target_width);
  w.fixed = arena.take<double>(problem.nodes);
  w.kept.pose = arena.take<double>(problem.nq);
  w.kept.turn = arena.take<Four>((problem.cones + 3) / 4 * 4);
  w.kept.x = arena.take<double>(problem.cones > 0 ? n : 0);
  w.hooks.shown = arena.take<double>(problem.nq);
  w.hooks.callback_placement = arena.take<double>(16l * problem.effectors);
  w.hooks.callback_error = arena.take<double>(problem.callback_rows);
  w.hooks.callback_derivative = arena.take<double>(problem.callback_numbers);
  w.prefer.turn = arena.take<double>(4l * problem.balls);
  w.kept.holds = false;
  w.loss = LossState{1.0, 0.0};
  if (!arena.at) return;
  // padding
  for (State* s : states)
    for (long i = problem.coordinates; i < n; ++i) s->x[i] = 0.0;
  for (long i = problem.coordinates; i < n; ++i) w.step[i] = w.curvature[i] = w.prefer.pull[i] = w.prefer.stiff[i] = 0.0;
  for (long i = problem.coordinates; i < n + 8; ++i) w.held[i] = 0;
  // two more coordinates follow the last: one that moves nothing, for unused lanes, and one for hinges that do not move
  w.axis[n] = Eight{};
  w.stiff[n] = 1.0;
  w.pull[n] = 0.0;
  w.lower[n] = -__builtin_inf();
  w.upper[n] = __builtin_inf();
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
