// The damped step within bounds, and the cost that it promises.
#pragma once
#include "kernels/solver/evaluate/clearance.h"
#include "kernels/solver/evaluate/goals.h"
#include "kernels/solver/step/second.h"
#include "kernels/solver/step/trunk.h"

namespace manikin {
namespace MANIKIN_ISA {

// The cost that the linear model promises after the step with twists v.
static double promised(const Work& w) {
  const Problem& P = *w.problem;
  double sum = w.limbs.taken ? limbs_promised(w) : 0.0;
  for (int k = 0; k < P.parts; ++k) {
    const PartState& s = w.part[k];
    if (!(s.weight > 0.0) || (w.limbs.taken && P.part_limb[k])) continue;
    const double* v = P.part[k].coordinate >= 0 ? w.v[P.part[k].coordinate].n : nullptr;
    for (int r = 0; r < s.rows; ++r) {
      double e = s.e[r];
      if (v)
        for (int j = 0; j < 6; ++j) e += s.row[r].n[j] * v[j];
      sum += s.factor * e * e;
    }
  }
  return sum;
}

// A part that counts on one side only has a row if the step leaves an error there. Without this, a step from a point just above a plane would go
// through the plane and be rejected, however it is damped. Returns whether a row was added or removed.
static bool choose_sides(Work& w) {
  const Problem& P = *w.problem;
  bool changed = false;
  for (int j = 0; j < P.sides; ++j) {
    const Part& part = P.part[P.side[j]];
    PartState& s = w.part[P.side[j]];
    if (!(s.weight > 0.0) || part.coordinate < 0) continue;
    const int rows = counts_at(part, s.e[0] + dot(s.row[0], w.v[part.coordinate])) ? 1 : 0;
    changed |= rows != s.rows;
    s.rows = rows;
  }
  if (changed) gather_again(w);
  return changed;
}

// Gives a row to the waiting pairs that the step would bring too near. Returns whether there is one.
static bool wake_rows(Work& w) {
  const auto felt = [&](int node, const Four& point, const Four& n) {
    const int c = node >= 0 ? w.problem->node_coordinate[node] : -1;
    return c >= 0 ? dot(row_of(point - w.center, n, kNone), w.v[c]) : 0.0;
  };
  RowSink sink = {w, true, 0.0};
  const int before = w.waits;
  for (int k = 0; k < w.waits;) {
    const Near& near = w.waiting[k];
    if (near.value + felt(near.node_a, near.on_a, near.n) - felt(near.node_b, near.on_b, near.n) > 0.0) {
      apart_row(sink, near, near.factor);
      w.waiting[k] = w.waiting[--w.waits];
    } else {
      ++k;
    }
  }
  if (w.waits == before) return false;
  close_rows(w.rows);
  return true;
}

// Computes the step, with the second-order term if `newton`. Returns false if that term had to be left out.
static bool bounded_tree_step(Work& w, bool newton) {
  const Problem& P = *w.problem;
  for (int first = 0; first < P.coordinates; first += 8) {  // an infinite bound cannot hold
    long long eight;
    __builtin_memcpy(&eight, w.held + first, sizeof eight);
    if (eight == 0) continue;
    for (int i = first; i < first + 8; ++i)
      if (w.held[i] != 0 && __builtin_isinf(w.held[i] < 0 ? w.lower[i] : w.upper[i])) w.held[i] = 0;
  }
  const int most = w.run.second_order ? kMostSweepsTracking : kMostSweeps;
  w.limbs.taken = P.bundles > 0 && !newton;
  if (w.limbs.taken) {
    for (int i = 0; i < P.width; i += 4) put_four(w.stiff + i, four(w.damping + i) + four(w.curvature + i));
    for (int sweep = 0; sweep < most; ++sweep) {
      limbs_back(w);
      trunk_back(w);
      ++w.sweeps;
      const bool trunk_left = trunk_forth(w, sweep + 1 == most), limbs_left = limbs_forth(w, sweep + 1 == most);
      const bool sides_left = P.sides && choose_sides(w);
      if (!trunk_left && !limbs_left && !sides_left) return newton;
    }
    cut_off(w);
    limbs_follow(w);
    return newton;
  }
  for (int sweep = 0; sweep < most; ++sweep) {
    sweep_begin(w, newton);
    if (!sweep_back(w, newton)) {
      newton = false;
      sweep_begin(w, false);
      sweep_back(w, false);
    }
    if (w.rows.count) rows_settle(w);
    ++w.sweeps;
    const bool steps_left = sweep_forth(w, newton, sweep + 1 == most), sides_left = P.sides && choose_sides(w);
    const bool rows_left = w.waits > 0 && sweep + 1 < most && wake_rows(w);
    if (!steps_left && !sides_left && !rows_left) return newton;
  }
  cut_off(w);
  return newton;
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
