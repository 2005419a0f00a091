// The damped step within bounds by two sweeps over the tree. Its twin is reference/recursive.py. Included by solver.cpp only.
#pragma once

static constexpr int kMostSweeps = 5;

static inline Four& low(Eight& a) { return *reinterpret_cast<Four*>(a.n); }
static inline Four& high(Eight& a) { return *reinterpret_cast<Four*>(a.n + 4); }
static inline const Four& low(const Eight& a) { return *reinterpret_cast<const Four*>(a.n); }
static inline const Four& high(const Eight& a) { return *reinterpret_cast<const Four*>(a.n + 4); }

static inline double dot(const Eight& a, const Eight& b) {
  const Four x = low(a) * low(b) + high(a) * high(b);  // the last two are zeros
  return (x[0] + x[2]) + (x[1] + x[3]);
}

// Tips to root: each coordinate is eliminated and what remains is put on the one above.
static void sweep_back(Work& w) {
  const Problem& P = *w.problem;
  for (int i = P.coordinates - 1; i >= 0; --i) {
    const Coordinate& c = P.coordinate[i];
    Body& b = w.body[i];
    const Eight& s = w.axis[i];
    Eight U;
    low(U) = low(b.P[0]) * s.n[0];
    high(U) = high(b.P[0]) * s.n[0];
    for (int j = 1; j < 6; ++j) {
      low(U) += low(b.P[j]) * s.n[j];
      high(U) += high(b.P[j]) * s.n[j];
    }
    const double D = dot(s, U) + w.damping[i] + w.curvature[i], u = dot(s, b.p) + w.pull[i];
    w.U[i] = U;
    w.D[i] = D;
    w.u[i] = u;
    const double f = w.held[i] == 0 ? -1.0 / D : 0.0;
    const double g = w.held[i] == 0 ? u * f : w.held[i] < 0 ? w.lower[i] : w.upper[i];
    if (w.rows.count) rows_back(w, i, c.parent, s, U, f, g);
    if (c.parent < 0) continue;
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
}

// Root to tips: the steps and the twists. Returns whether the active set changed.
static bool sweep_forth(Work& w, bool last) {
  const Problem& P = *w.problem;
  bool changed = false;
  for (int i = 0; i < P.coordinates; ++i) {
    const Coordinate& c = P.coordinate[i];
    double force = c.parent >= 0 ? w.u[i] + dot(w.U[i], w.v[c.parent]) : w.u[i];
    if (w.rows.count) force += rows_force(w, i);
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

// The exact curvature of a cone's rim: along it, the multiplier of the normal that is held.
static void rim_curvature(Work& w) {
  const Problem& P = *w.problem;
  for (int i = 0; i < P.coordinates; ++i) {
    if (P.coordinate[i].part == 0 && P.node[P.coordinate[i].node].op == kCone && i + 1 < P.coordinates)
      w.curvature[i + 1] = w.held[i] > 0 && w.multiplier[i] < 0.0 ? -w.multiplier[i] : 0.0;
  }
}

static void bounded_tree_step(Work& w) {
  const Problem& P = *w.problem;
  for (int i = 0; i < P.coordinates; ++i)  // an infinite bound cannot hold
    if (w.held[i] != 0 && __builtin_isinf(w.held[i] < 0 ? w.lower[i] : w.upper[i])) w.held[i] = 0;
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    for (int k = 0; k < P.slots; ++k) w.body[P.slot_coordinate[k]] = w.term[k];
    rows_begin(w);
    sweep_back(w);
    if (w.rows.count) rows_settle(w);
    ++w.sweeps;
    if (!sweep_forth(w, sweep + 1 == kMostSweeps)) return;
  }
}
