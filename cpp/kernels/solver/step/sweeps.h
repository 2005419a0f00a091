// The damped step within bounds by two sweeps over the tree. The Python version is reference/recursive.py.
#pragma once
#include "kernels/solver/step/rows.h"

namespace manikin {
namespace MANIKIN_ISA {

static inline Four& low(Eight& a) { return *reinterpret_cast<Four*>(a.n); }
static inline Four& high(Eight& a) { return *reinterpret_cast<Four*>(a.n + 4); }
static inline const Four& low(const Eight& a) { return *reinterpret_cast<const Four*>(a.n); }
static inline const Four& high(const Eight& a) { return *reinterpret_cast<const Four*>(a.n + 4); }

static inline double dot(const Eight& a, const Eight& b) {
  const Four x = low(a) * low(b) + high(a) * high(b);  // the last two are zeros
  return (x[0] + x[2]) + (x[1] + x[3]);
}

// Whether a posture couples the steps of a ball. Eliminating one step then changes its siblings. A sibling's step also depends on the twist through
// E, and on the remaining siblings through `cross`.
static inline bool tied(const Work& w) { return w.posture_weight > 0.0; }

static void siblings_begin(Work& w) {
  for (int k = 0; k < w.problem->balls; ++k)
    for (int i = w.problem->ball[k]; i < w.problem->ball[k] + 3; ++i) {
      w.E[i] = Eight{};
      w.extra_D[i] = w.extra_u[i] = 0.0;
      w.cross[i] = w.posture_cross[i];
    }
}

// Updates the siblings after coordinate i (part 2 or 1 of a ball) is eliminated: f = -1/D or 0, g = u f or the value it is held at. U is null if it is
// zeros.
static void sweep_siblings(Work& w, int i, int part, const Eight* U, double f, double g) {
  const int first = i - part;
  for (int j = 0; j < part; ++j) {
    // cross: [0] between 0 and 1, [1] between 0 and 2, [2] between 1 and 2
    const double o = part == 1 ? w.cross[first] : w.cross[first + 1 + j];
    if (U) {
      Eight& E = w.E[first + j];
      low(E) += low(*U) * (o * f);
      high(E) += high(*U) * (o * f);
    }
    w.extra_D[first + j] += o * o * f;
    w.extra_u[first + j] += o * g;
    if (w.rows.count) rows_sibling(w, i, first + j, o, f);
  }
  if (part == 2) w.cross[first] += w.cross[first + 1] * w.cross[first + 2] * f;
}

// Eliminates a light coordinate: U, and what it adds to the coordinate above, are zeros. Only rows may feel it.
static void light_back(Work& w, int i, bool ties) {
  const Problem& P = *w.problem;
  const Coordinate& c = P.coordinate[i];
  double D = w.damping[i] + w.curvature[i], u = w.pull[i];
  const bool sibling = ties && P.node[c.node].op >= kLoose;
  if (sibling) {
    D += w.extra_D[i];
    u += w.extra_u[i];
  }
  const double f = w.held[i] == 0 ? -1.0 / D : 0.0;
  const double g = w.held[i] == 0 ? u * f : w.held[i] < 0 ? w.lower[i] : w.upper[i];
  w.U[i] = Eight{};
  w.D[i] = D;
  w.u[i] = u;
  if (w.rows.count) rows_back(w, i, c.parent, w.axis[i], w.U[i], f, g);
  if (sibling && c.part > 0) sweep_siblings(w, i, c.part, nullptr, f, g);
  if (c.stores && c.parent >= 0 && !P.coordinate[c.parent].light) w.body[c.parent] = Body{};
}

// Sweeps from tips to root: eliminates each coordinate and adds the remainder to the coordinate above. Returns false if the second-order term is used
// and is not convex.
static bool sweep_back(Work& w, bool newton) {
  const Problem& P = *w.problem;
  const bool ties = tied(w);
  const double least = w.settle.on ? kLeastPivotSettling : kLeastPivot;
  if (ties) siblings_begin(w);
  // from the tips to the root: eliminate one coordinate after the other
  for (int i = P.coordinates - 1; i >= 0; --i) {
    const Coordinate& c = P.coordinate[i];
    Body& b = w.body[i];
    const Eight& s = w.axis[i];
    if (c.light && !newton) {
      light_back(w, i, ties);
      continue;
    }
    Eight U;
    low(U) = low(b.P[0]) * s.n[0];
    high(U) = high(b.P[0]) * s.n[0];
    for (int j = 1; j < 6; ++j) {
      low(U) += low(b.P[j]) * s.n[j];
      high(U) += high(b.P[j]) * s.n[j];
    }
    if (newton) low(U) += w.bend[i];
    double D = dot(s, U) + w.damping[i] + w.curvature[i], u = dot(s, b.p) + w.pull[i];
    const bool sibling = ties && w.problem->node[c.node].op >= kLoose;
    if (sibling) {
      if (c.part == 1) w.cross[i - 1] += dot(w.E[i - 1], s);
      D += 2.0 * dot(s, w.E[i]) + w.extra_D[i];
      u += w.extra_u[i];
      low(U) += low(w.E[i]);
      high(U) += high(w.E[i]);
    }
    if (newton && w.held[i] == 0 && !(D > least * w.damping[i])) return false;
    w.U[i] = U;
    w.D[i] = D;
    w.u[i] = u;
    const double f = w.held[i] == 0 ? -1.0 / D : 0.0;
    const double g = w.held[i] == 0 ? u * f : w.held[i] < 0 ? w.lower[i] : w.upper[i];
    if (w.rows.count) rows_back(w, i, c.parent, s, U, f, g);
    if (sibling && c.part > 0) sweep_siblings(w, i, c.part, &U, f, g);
    if (c.parent < 0) continue;
    // add what remains to the coordinate above
    Body& a = w.body[c.parent];
    if (c.stores) {
      for (int j = 0; j < 6; ++j) {
        const double k = U.n[j] * f;
        low(a.P[j]) = low(b.P[j]) + low(U) * k;
        high(a.P[j]) = high(b.P[j]) + high(U) * k;
      }
      low(a.p) = low(b.p) + low(U) * g;
      high(a.p) = high(b.p) + high(U) * g;
    } else {
      for (int j = 0; j < 6; ++j) {
        const double k = U.n[j] * f;
        low(a.P[j]) += low(b.P[j]) + low(U) * k;
        high(a.P[j]) += high(b.P[j]) + high(U) * k;
      }
      low(a.p) += low(b.p) + low(U) * g;
      high(a.p) += high(b.p) + high(U) * g;
    }
  }
  return true;
}

// Sweeps from root to tips: computes the steps and the twists; `newton` as in the backward sweep. Returns whether the active set changed.
static bool sweep_forth(Work& w, bool newton, bool last) {
  const Problem& P = *w.problem;
  bool changed = false;
  const bool ties = tied(w);
  for (int i = 0; i < P.coordinates; ++i) {
    const Coordinate& c = P.coordinate[i];
    double force = c.parent >= 0 && !(c.light && !newton) ? w.u[i] + dot(w.U[i], w.v[c.parent]) : w.u[i];
    if (w.rows.count) force += rows_force(w, i);
    if (ties && c.part > 0 && P.node[c.node].op >= kLoose)
      force += c.part == 1 ? w.cross[i - 1] * w.step[i - 1] : w.cross[i - 1] * w.step[i - 2] + w.cross[i] * w.step[i - 1];
    double step;
    if (w.held[i] == 0) {
      step = -force / w.D[i];
      w.multiplier[i] = 0.0;
      if (step < w.lower[i] || step > w.upper[i]) {
        changed = true;
        if (!last) w.held[i] = step < w.lower[i] ? -1 : 1;
      }
    } else {
      step = w.held[i] < 0 ? w.lower[i] : w.upper[i];
      w.multiplier[i] = force + w.D[i] * step;
      if (w.held[i] * w.multiplier[i] > 0.0) {  // the cost would fall inward
        changed = true;
        if (!last) w.held[i] = 0;
      }
    }
    w.step[i] = step;
    if (c.parent >= 0) {
      low(w.v[i]) = low(w.v[c.parent]) + low(w.axis[i]) * step;
      high(w.v[i]) = high(w.v[c.parent]) + high(w.axis[i]) * step;
    } else {
      low(w.v[i]) = low(w.axis[i]) * step;
      high(w.v[i]) = high(w.axis[i]) * step;
    }
  }
  return changed;
}

// Computes the exact curvature of a cone's rim: along it, the multiplier of the held normal.
static void rim_curvature(Work& w) {
  const Problem& P = *w.problem;
  for (int k = 0; k < P.balls; ++k) {
    const int i = P.ball[k];
    if (P.node[P.coordinate[i].node].op == kCone) w.curvature[i + 1] = w.held[i] > 0 && w.multiplier[i] < 0.0 ? -w.multiplier[i] : 0.0;
  }
}

// Computes the twists of the steps.
static void twists(Work& w) {
  const Problem& P = *w.problem;
  for (int i = 0; i < P.coordinates; ++i) {
    const int parent = P.coordinate[i].parent;
    low(w.v[i]) = low(w.axis[i]) * w.step[i];
    high(w.v[i]) = high(w.axis[i]) * w.step[i];
    if (parent < 0) continue;
    low(w.v[i]) += low(w.v[parent]);
    high(w.v[i]) += high(w.v[parent]);
  }
}

// If the active set has not settled: clips steps to their bounds and computes their twists.
static void cut_off(Work& w) {
  for (int i = 0; i < w.problem->coordinates; ++i) w.step[i] = clamped(w.step[i], w.lower[i], w.upper[i]);
  twists(w);
}

static void sweep_begin(Work& w, bool newton) {
  const Body* term = newton && w.settle.on ? w.settle.curved : w.term;
  for (int k = 0; k < w.problem->slots; ++k) w.body[w.problem->slot_coordinate[k]] = term[k];
  rows_begin(w);
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
