// The rows in the sweeps: carried backward as right-hand sides, solved at the root, and applied in the forward sweep.
#pragma once
#include "kernels/solver/work.h"

namespace manikin {
namespace MANIKIN_ISA {

static void rows_begin(Work& w) {
  StepRows& r = w.rows;
  if (r.count == 0) return;
  const long places = static_cast<long>(r.blocks) * w.problem->coordinates;
  for (long at = 0; at < places; ++at) {
    r.reached[at] = r.felt[at];
    if (!r.felt[at]) continue;
    r.direct[at] = r.h[at];
    for (int j = 0; j < 6; ++j) r.swept[6 * at + j] = r.g[6 * at + j];
  }
  for (int k = 0; k < 16 * r.blocks * r.blocks; ++k) r.A[k] = 0.0;
  for (int k = 0; k < 4 * r.blocks; ++k) r.b[k] = 0.0;
}

// Sets what a block of rows feels of a coordinate to zero when the sweep first adds to it.
static inline void rows_reach(StepRows& r, long at) {
  if (r.reached[at]) return;
  r.reached[at] = 1;
  r.direct[at] = kNone;
  for (int j = 0; j < 6; ++j) r.swept[6 * at + j] = kNone;
}

// Handles one coordinate in the backward sweep; f = -1/D if free and 0 if held, g = u f or the value it is held at.
static inline void rows_back(Work& w, int i, int parent, const Eight& s, const Eight& U, double f, double g) {
  StepRows& r = w.rows;
  const int width = 4 * r.blocks;
  Four* a = r.a + static_cast<long>(i) * r.blocks;
  bool none = true;  // most coordinates are felt by few rows
  for (int k = 0; k < r.blocks; ++k) {
    const long first = static_cast<long>(k) * w.problem->coordinates, at = first + i;
    if (!r.reached[at]) {
      a[k] = kNone;
      continue;
    }
    none = false;
    const Four* mine = r.swept + 6 * at;
    Four sum = r.direct[at] + mine[0] * s.n[0];
    for (int j = 1; j < 6; ++j) sum += mine[j] * s.n[j];
    a[k] = sum;
    *reinterpret_cast<Four*>(r.b + 4 * k) += sum * g;
    if (parent < 0) continue;
    rows_reach(r, first + parent);
    Four* above = r.swept + 6 * (first + parent);
    for (int j = 0; j < 6; ++j) above[j] += mine[j] + sum * (U.n[j] * f);
  }
  if (f != 0.0 && !none) {
    const double* each = reinterpret_cast<const double*>(a);
    for (int p = 0; p < r.count; ++p) {
      if (each[p] == 0.0) continue;
      for (int k = 0; k < r.blocks; ++k) *reinterpret_cast<Four*>(r.A + p * width + 4 * k) += a[k] * (-f * each[p]);
    }
  }
}

// Adds the contribution of a coordinate to the rows of a sibling that is coupled to it by o.
static inline void rows_sibling(Work& w, int i, int sibling, double o, double f) {
  StepRows& r = w.rows;
  for (int k = 0; k < r.blocks; ++k) {
    const long first = static_cast<long>(k) * w.problem->coordinates;
    if (!r.reached[first + i]) continue;
    rows_reach(r, first + sibling);
    r.direct[first + sibling] += r.a[static_cast<long>(i) * r.blocks + k] * (o * f);
  }
}

// Solves (A + 1/w) y = value + b over the active rows. Returns false if the matrix cannot be factorised.
static bool rows_solve(StepRows& r) {
  const int width = 4 * r.blocks, n = r.count;
  for (int i = 0; i < n; ++i) r.y[i] = 0.0;
  for (int j = 0; j < n; ++j) {  // Cholesky over the active rows only
    if (!r.active[j]) continue;
    double d = r.A[j * width + j] + 1.0 / r.weight[j];
    for (int k = 0; k < j; ++k)
      if (r.active[k]) d -= r.L[j * width + k] * r.L[j * width + k];
    if (!(d > 0.0)) return false;
    const double root = __builtin_sqrt(d);
    r.L[j * width + j] = root;
    for (int i = j + 1; i < n; ++i) {
      if (!r.active[i]) continue;
      double x = r.A[i * width + j];
      for (int k = 0; k < j; ++k)
        if (r.active[k]) x -= r.L[i * width + k] * r.L[j * width + k];
      r.L[i * width + j] = x / root;
    }
  }
  for (int i = 0; i < n; ++i) {
    if (!r.active[i]) continue;
    double x = r.value[i] + r.b[i];
    for (int k = 0; k < i; ++k)
      if (r.active[k]) x -= r.L[i * width + k] * r.y[k];
    r.y[i] = x / r.L[i * width + i];
  }
  for (int i = n - 1; i >= 0; --i) {
    if (!r.active[i]) continue;
    double x = r.y[i];
    for (int k = i + 1; k < n; ++k)
      if (r.active[k]) x -= r.L[k * width + i] * r.y[k];
    r.y[i] = x / r.L[i * width + i];
  }
  return true;
}

// One-sided rows push or do nothing: a small active set over y >= 0. Two-sided rows are always active.
static void rows_settle(Work& w) {
  StepRows& r = w.rows;
  const int width = 4 * r.blocks, n = r.count;
  for (int i = 0; i < n; ++i) r.active[i] = static_cast<signed char>(!r.sided[i] || r.value[i] + r.b[i] > 0.0);
  for (int round = 0; round < 2 * n + 4; ++round) {
    if (!rows_solve(r)) {
      for (int i = 0; i < n; ++i) r.y[i] = 0.0;
      return;
    }
    int worst = -1;
    double most = 0.0;
    bool all_at_once = round < kTogether;
    for (int i = 0; i < n; ++i) {
      if (!r.sided[i]) continue;
      double wrong;  // how far the row is on the wrong side of its choice
      if (r.active[i]) {
        wrong = -r.y[i] / r.weight[i];
      } else {
        wrong = r.value[i] + r.b[i];
        for (int k = 0; k < n; ++k) wrong -= r.A[i * width + k] * r.y[k];
      }
      r.wrong[i] = static_cast<signed char>(wrong > 1e-14);
      if (wrong > most + 1e-14) {
        most = wrong;
        worst = i;
      }
    }
    if (worst < 0) return;
    for (int i = 0; i < n; ++i)
      if (all_at_once ? r.sided[i] && r.wrong[i] : i == worst) r.active[i] = static_cast<signed char>(!r.active[i]);
  }
}

static inline double rows_force(const Work& w, int i) {
  const StepRows& r = w.rows;
  const Four* a = r.a + static_cast<long>(i) * r.blocks;
  Four sum = a[0] * *reinterpret_cast<const Four*>(r.y);
  for (int k = 1; k < r.blocks; ++k) sum += a[k] * *reinterpret_cast<const Four*>(r.y + 4 * k);
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

// The cost of the rows that the linear model promises: y = w * value there.
static double rows_promised(const Work& w) {
  double sum = 0.0;
  for (int i = 0; i < w.rows.count; ++i) sum += w.rows.y[i] * w.rows.y[i] / w.rows.weight[i];
  return sum;
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
