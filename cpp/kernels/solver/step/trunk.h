// The sweep over the trunk: the coordinates outside limbs, up to three at a time.
#pragma once
#include "kernels/solver/step/limbs.h"

namespace manikin {
namespace MANIKIN_ISA {

// An Eight in two registers.
struct Pair {
  Four low, high;
};

static inline Pair pair(const Eight& a) { return Pair{low(a), high(a)}; }
static inline void put_pair(Eight& a, const Pair& b) {
  low(a) = b.low;
  high(a) = b.high;
}
static inline Four products(const Pair& a, const Pair& b) { return a.low * b.low + a.high * b.high; }
static inline void add_scaled(Pair& a, const Pair& b, double k) {
  a.low += b.low * k;
  a.high += b.high * k;
}

// Sweeps the coordinates outside limbs from tips to root, like sweep_back: three successive coordinates share the way to the parent.
static void trunk_back(Work& w) {
  const Problem& P = *w.problem;
  // from the tips to the root: eliminate three coordinates at a time
  for (int k = P.blocks - 1; k >= 0; --k) {
    const Block& block = P.block[k];
    BlockState& t = w.block[k];
    const Body& b = w.body[block.last];
    const int* at = block.coordinate;
    const double *n0 = w.axis[at[0]].n, *n1 = w.axis[at[1]].n, *n2 = w.axis[at[2]].n;
    const Pair s0 = pair(w.axis[at[0]]), s1 = pair(w.axis[at[1]]), s2 = pair(w.axis[at[2]]);
    Pair U0 = {kNone, kNone}, U1 = U0, U2 = U0, p = pair(b.p);
    for (int j = 0; j < 6; ++j) {
      const Pair column = pair(b.P[j]);
      add_scaled(U2, column, n2[j]);
      add_scaled(U1, column, n1[j]);
      add_scaled(U0, column, n0[j]);
    }
    const Four of2 = sums(products(s2, U2), products(s1, U2), products(s0, U2), products(s2, p));
    const Four of1 = sums(products(s1, U1), products(s0, U1), products(s0, U0), products(s1, p));
    const Four x = products(s0, p);
    double D2 = of2[0] + w.stiff[at[2]], tie12 = of2[1], tie02 = of2[2], u2 = of2[3] + w.pull[at[2]];
    double D1 = of1[0] + w.stiff[at[1]], tie01 = of1[1], D0 = of1[2] + w.stiff[at[0]], u1 = of1[3] + w.pull[at[1]];
    double u0 = (x[0] + x[2]) + (x[1] + x[3]) + w.pull[at[0]];
    const auto freed = [&](int i, double D) { return w.held[i] == 0 ? 1.0 / D : 0.0; };
    const auto alone = [&](int i, double u, double f) { return w.held[i] == 0 ? -u * f : w.held[i] < 0 ? w.lower[i] : w.upper[i]; };
    // the last coordinate, then the one before it, then the first
    const double f2 = freed(at[2], D2), g2 = alone(at[2], u2, f2), m12 = f2 * tie12, m02 = f2 * tie02;
    D1 -= m12 * tie12;
    tie01 -= m02 * tie12;
    D0 -= m02 * tie02;
    u1 += tie12 * g2;
    u0 += tie02 * g2;
    add_scaled(U1, U2, -m12);
    add_scaled(U0, U2, -m02);
    const double f1 = freed(at[1], D1), g1 = alone(at[1], u1, f1), m01 = f1 * tie01;
    D0 -= m01 * tie01;
    u0 += tie01 * g1;
    add_scaled(U0, U1, -m01);
    const double f0 = freed(at[0], D0), g0 = alone(at[0], u0, f0);
    put_pair(t.U[0], U0);
    put_pair(t.U[1], U1);
    put_pair(t.U[2], U2);
    t.D[0] = D0, t.D[1] = D1, t.D[2] = D2;
    t.u[0] = u0, t.u[1] = u1, t.u[2] = u2;
    t.give[0] = f0, t.give[1] = f1, t.give[2] = f2;
    t.tie01 = tie01, t.tie02 = tie02, t.tie12 = tie12;
    // add what remains to the coordinate above
    if (block.parent < 0) continue;
    Body& a = w.body[block.parent];
    add_scaled(p, U2, g2);
    add_scaled(p, U1, g1);
    add_scaled(p, U0, g0);
    const Pair F0 = {U0.low * f0, U0.high * f0}, F1 = {U1.low * f1, U1.high * f1}, F2 = {U2.low * f2, U2.high * f2};
    for (int j = 0; j < 6; ++j) {
      Pair r = pair(b.P[j]);
      add_scaled(r, F2, -t.U[2].n[j]);
      add_scaled(r, F1, -t.U[1].n[j]);
      add_scaled(r, F0, -t.U[0].n[j]);
      if (!block.stores) {
        r.low += low(a.P[j]);
        r.high += high(a.P[j]);
      }
      put_pair(a.P[j], r);
    }
    if (!block.stores) {
      p.low += low(a.p);
      p.high += high(a.p);
    }
    put_pair(a.p, p);
  }
}

// Computes the step of one coordinate from the force on it. Returns whether the active set changed.
static inline bool settled(Work& w, int i, double force, double D, double give, bool last, double& step) {
  step = -force * give;
  if (__builtin_expect(w.held[i] != 0, 0)) {
    step = w.held[i] < 0 ? w.lower[i] : w.upper[i];
    w.multiplier[i] = force + D * step;
    if (!(w.held[i] * w.multiplier[i] > 0.0)) return false;
    if (!last) w.held[i] = 0;  // the cost would fall inward
    return true;
  }
  if (__builtin_expect(!(step < w.lower[i] || step > w.upper[i]), 1)) return false;
  if (!last) w.held[i] = step < w.lower[i] ? -1 : 1;
  return true;
}

static bool trunk_forth(Work& w, bool last) {
  const Problem& P = *w.problem;
  bool changed = false;
  for (int k = 0; k < P.blocks; ++k) {
    const Block& block = P.block[k];
    const BlockState& t = w.block[k];
    Pair v = pair(block.parent >= 0 ? w.v[block.parent] : kNoTwist);
    const int* at = block.coordinate;
    const Pair a0 = pair(w.axis[at[0]]), a1 = pair(w.axis[at[1]]), a2 = pair(w.axis[at[2]]);
    const Four felt = sums(products(pair(t.U[0]), v), products(pair(t.U[1]), v), products(pair(t.U[2]), v), kNone);
    double s0, s1, s2;
    changed |= settled(w, at[0], felt[0] + t.u[0], t.D[0], t.give[0], last, s0);
    changed |= settled(w, at[1], felt[1] + t.u[1] + t.tie01 * s0, t.D[1], t.give[1], last, s1);
    changed |= settled(w, at[2], felt[2] + t.u[2] + t.tie02 * s0 + t.tie12 * s1, t.D[2], t.give[2], last, s2);
    w.step[at[0]] = s0;
    w.step[at[1]] = s1;
    w.step[at[2]] = s2;
    add_scaled(v, a0, s0);
    add_scaled(v, a1, s1);
    add_scaled(v, a2, s2);
    put_pair(w.v[block.last], v);
  }
  return changed;
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
