// Hooks of the host during a solve: watching iterations, and ending the solve early.
#pragma once
#include "kernels/solver/evaluate/cone.h"

namespace manikin {
namespace MANIKIN_ISA {

static inline bool late(const SolveOptions& options) { return options.deadline < 1e300 && options.clock() > options.deadline; }

// Prepares the hooks for a query from the pose q.
static void start_hooks(Work& w, const SolveOptions& options, const double* q) {
  const Problem& P = *w.problem;
  w.hooks.options = &options;
  w.hooks.watching = options.watch != nullptr;
  w.hooks.any = options.watch || options.stopped || P.callbacks > 0;
  if (!w.hooks.any) return;
  w.hooks.halted = w.hooks.failed = false;
  w.hooks.watched = 0;
  w.hooks.ask_every = P.callbacks == 0 && P.coordinates + P.aparts + P.corners <= kSmallProblem ? kAskEvery : 1;
  w.hooks.until_asked = options.frame ? w.hooks.ask_every : 0;  // a tracker calls `stopped` before each frame
  if (w.hooks.watching || P.callback_reads_pose) copy_numbers(q, P.nq, w.hooks.shown);
}

[[gnu::noinline]] static bool halted(Work& w) {
  if (w.hooks.halted || !w.hooks.options->stopped || --w.hooks.until_asked > 0) return w.hooks.halted;
  w.hooks.until_asked = w.hooks.ask_every;
  w.hooks.halted = w.hooks.options->stopped(w.hooks.options->host);
  return w.hooks.halted;
}

// Whether the solve must end: its time is over, or the host has ended it.
static inline bool ended(Work& w, const SolveOptions& options) { return late(options) || (w.hooks.any && halted(w)); }

// The same without calling the host again.
static inline bool was_ended(const Work& w, const SolveOptions& options) { return late(options) || (w.hooks.any && w.hooks.halted); }

// Writes a state as a pose (nq) to w.hooks.shown. It only reads the state, so nothing of the solve changes.
static void show_pose(Work& w, const State& s) {
  const Problem& P = *w.problem;
  for (int k = 0; k < P.numbered; ++k) {
    const Numbered& n = P.each_number[k];
    w.hooks.shown[n.number] = clamped(s.x[n.coordinate] * n.unit, n.lowest, n.highest);
  }
  for (int k = 0; k < P.balls; ++k) {
    const SolverNode& n = P.node[P.coordinate[P.ball[k]].node];
    double* q = w.hooks.shown + n.number;
    if (n.op == kCone) {
      write_cone(n, s.x + n.coordinate, q);
    } else {
      for (int j = 0; j < 4; ++j) q[j] = s.turn[4 * n.turn + j];
    }
  }
}

// Norm of w.step. The steps of a cone are in units of its range and not perpendicular, so their turn is taken from their twists.
static double step_norm(const Work& w) {
  const Problem& P = *w.problem;
  double square = 0.0;
  for (int i = 0; i < P.coordinates; ++i)
    if (P.node[P.coordinate[i].node].op != kCone) square += w.step[i] * w.step[i];
  for (int k = 0; k < P.balls; ++k) {
    const int i = P.ball[k];
    if (P.node[P.coordinate[i].node].op != kCone) continue;
    for (int c = 0; c < 3; ++c) {
      const double turn = w.axis[i].n[c] * w.step[i] + w.axis[i + 1].n[c] * w.step[i + 1] + w.axis[i + 2].n[c] * w.step[i + 2];
      square += turn * turn;
    }
  }
  return __builtin_sqrt(square);
}

// Shows an iteration to the watcher: the state and the cost (in sizes squared) before the step, the damping and the norm of the step.
[[gnu::noinline]] static void glance(Work& w, const State& before, double cost, double damping, double step, bool moved) {
  if (w.hooks.halted) return;
  const double size = w.problem->size, unit = w.weight_unit;
  show_pose(w, before);
  const Glance at = {w.hooks.shown, 0.5 * unit * cost * size * size, size * __builtin_sqrt(unit * damping), step, ++w.hooks.watched, moved ? 1 : 0};
  if (!w.hooks.options->watch(w.hooks.options->host, at)) w.hooks.halted = true;
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
