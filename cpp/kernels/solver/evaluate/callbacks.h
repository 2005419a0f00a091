// Goals that the host evaluates: their rows, with the wrenches and steps that they depend on.
#pragma once
#include "kernels/solver/evaluate/balance.h"
#include "kernels/solver/evaluate/row_sink.h"
#include "kernels/solver/hooks.h"

namespace manikin {
namespace MANIKIN_ISA {

// Adds the dependence of a row on the figure's steps: `by` (nv) is its derivative by them, in its own unit; `scale` converts it to the solver's.
static void feel_steps(const RowSink& sink, int row, const double* by, double scale) {
  const Work& w = sink.w;
  const Problem& P = *w.problem;
  for (int i = 0; i < P.coordinates; ++i) {
    if (P.step_of[i] < 0) continue;
    const SolverNode& n = P.node[P.coordinate[i].node];
    const double* d = by + P.step_of[i];
    double felt;
    if (n.op == kCone || n.op == kLoose) {  // steps of a ball are turns about the axes of the moved body
      const Frame& f = w.frame[P.coordinate[i].node];
      const Four turn = {w.axis[i].n[0], w.axis[i].n[1], w.axis[i].n[2], 0.0};
      felt = d[0] * dot3(f.x, turn) + d[1] * dot3(f.y, turn) + d[2] * dot3(f.z, turn);
    } else {
      felt = d[0] * n.unit;
    }
    sink.feel_step(row, i, scale * felt);
  }
}

// After a callback has failed, none is called again; the goal then counts as missed by far.
static void callback_goal(RowSink& sink, const Link& link, LinkState& s) {
  Work& w = sink.w;
  const Problem& P = *w.problem;
  const Callback& c = P.callback[link.first[0]];
  const Weighted* const effectors = P.effector + c.first;
  s.measure = __builtin_inf();
  if (w.hooks.failed) return;
  // the inputs of the goal
  for (int k = 0; k < c.effectors; ++k) {
    const Frame& f = frame_at(w, effectors[k].node);
    const Four x = effector(f, effectors[k].point) * P.size;
    double* m = w.hooks.callback_placement + 16 * k;
    for (int i = 0; i < 3; ++i) {
      m[4 * i] = f.x[i];
      m[4 * i + 1] = f.y[i];
      m[4 * i + 2] = f.z[i];
      m[4 * i + 3] = x[i];
      m[12 + i] = 0.0;
    }
    m[15] = 1.0;
  }
  double center[3] = {0.0, 0.0, 0.0};
  if (c.reads_mass) {
    const Four x = center_of_mass(w, sink.put);
    for (int i = 0; i < 3; ++i) center[i] = x[i] * P.size;
  }
  if (c.reads_pose) show_pose(w, *w.posed);
  // the outputs of the goal
  double* const error = w.hooks.callback_error;
  const double *const target = w.target + link.target, *const at_center = c.reads_mass ? center : nullptr,
                      *const pose = c.reads_pose ? w.hooks.shown : nullptr;
  if (!w.hooks.options->goal || !w.hooks.options->goal(w.hooks.options->host, link.first[0], w.hooks.callback_placement, at_center, pose, target,
                                                       error, &s.measure, sink.put ? w.hooks.callback_derivative : nullptr)) {
    w.hooks.failed = w.hooks.halted = true;
    s.measure = __builtin_inf();
    return;
  }
  if (!is_angle(link)) s.measure /= P.size;
  // the rows of the goal: lengths in sizes, velocities of points in sizes
  const double angular_factor = s.weight * w.problem->angle_weight * w.problem->angle_weight * w.angle_factor;
  for (int r = 0; r < c.rows; ++r) {
    const int flags = P.callback_row[c.first_row + r];
    const bool angular = flags & kAngularRow;
    const double scale = angular ? 1.0 : 1.0 / P.size;
    const int row = sink.open(scale * error[r], angular ? angular_factor : s.weight, flags & kOneSidedRow);
    if (row < 0) continue;
    const double *d = w.hooks.callback_derivative + static_cast<long>(r) * c.columns, linear = scale * P.size;
    for (int k = 0; k < c.effectors; ++k, d += 6) {
      const Four x = effector(frame_at(w, effectors[k].node), effectors[k].point);
      sink.feel(row, effectors[k].node, x, three(d) * linear, three(d + 3) * scale);
    }
    if (c.reads_mass) {
      sink.feel_mass(row, three(d) * linear);
      d += 3;
    }
    if (c.reads_pose) feel_steps(sink, row, d, scale);
  }
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
