// Small dense matrices, row after row, upper triangles. Every inner loop runs over neighbouring numbers without sums across lanes, so that the
// compiler can vectorise it.
#pragma once
#include "math/isa.h"

namespace manikin {
namespace MANIKIN_ISA {
namespace dense {

static int smaller(int a, int b) { return a < b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }
static int larger(int a, int b) { return a > b ? a : b; }
static double larger(double a, double b) { return a > b ? a : b; }
static double clamped(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

static void fill(double* to, int n, double value) {
  for (int i = 0; i < n; ++i) to[i] = value;
}

static void copy(double* __restrict to, const double* __restrict from, int n) {
  for (int i = 0; i < n; ++i) to[i] = from[i];
}

// to += a * from
static void add(double* __restrict to, double a, const double* __restrict from, int n) {
  for (int i = 0; i < n; ++i) to[i] += a * from[i];
}

// Eight sums side by side. This fixes the order of additions and lets the compiler use lanes.
static double dot(const double* __restrict a, const double* __restrict b, int n) {
  double total = 0.0;
  int i = 0;
  if (n >= 8) {
    double sums[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (; i + 8 <= n; i += 8) {
      for (int p = 0; p < 8; ++p) sums[p] += a[i + p] * b[i + p];
    }
    total = ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
  }
  for (; i < n; ++i) total += a[i] * b[i];
  return total;
}

// Adds sign * (parts i, i + 1 of the four rows u) * (the four rows u) to two neighbouring rows c, d of an upper triangle.
static void add_outer_rows(double* __restrict c, double* __restrict d, const double* __restrict u0, const double* __restrict u1,
                           const double* __restrict u2, const double* __restrict u3, double sign, int i, int n) {
  const double a0 = sign * u0[i], a1 = sign * u1[i], a2 = sign * u2[i], a3 = sign * u3[i];
  const double b0 = sign * u0[i + 1], b1 = sign * u1[i + 1], b2 = sign * u2[i + 1], b3 = sign * u3[i + 1];
  c[i] += (a0 * u0[i] + a1 * u1[i]) + (a2 * u2[i] + a3 * u3[i]);
  for (int j = i + 1; j < n; ++j) {
    const double v0 = u0[j], v1 = u1[j], v2 = u2[j], v3 = u3[j];
    c[j] += (a0 * v0 + a1 * v1) + (a2 * v2 + a3 * v3);
    d[j] += (b0 * v0 + b1 * v1) + (b2 * v2 + b3 * v3);
  }
}

// Adds sign * the sum of the outer products of four rows (n,) with themselves to the upper triangle of C (n, n), from row `first` on.
static void add_outer(double* C, int n, int first, const double* u0, const double* u1, const double* u2, const double* u3, double sign) {
  int i = first;
  for (; i + 2 <= n; i += 2) add_outer_rows(C + i * n, C + (i + 1) * n, u0, u1, u2, u3, sign, i, n);
  if (i < n) {
    const double a0 = u0[i], a1 = u1[i], a2 = u2[i], a3 = u3[i];
    C[i * n + i] += sign * ((a0 * a0 + a1 * a1) + (a2 * a2 + a3 * a3));
  }
}

// Factorises C = UᵀU in place, upper triangle of C (n, n). C is a Gram matrix plus `least` times the identity, so a pivot can be below `least` only
// by rounding.
static void factorise(double* C, int n, double least) {
  for (int k0 = 0; k0 < n; k0 += 4) {
    const int k1 = smaller(k0 + 4, n);
    for (int k = k0; k < k1; ++k) {
      double* row = C + k * n;
      for (int p = k0; p < k; ++p) add(row + k, -C[p * n + k], C + p * n + k, n - k);
      const double pivot = __builtin_sqrt(row[k] > least ? row[k] : least);
      row[k] = pivot;
      for (int j = k + 1; j < n; ++j) row[j] /= pivot;
    }
    if (k1 < n) {
      const double* U = C + k0 * n;
      add_outer(C, n, k1, U, U + n, U + 2 * n, U + 3 * n, -1.0);
    }
  }
}

// b = (UᵀU)⁻¹ b
static void solve_factorised(const double* U, int n, double* b) {
  for (int k = 0; k < n; ++k) {
    b[k] /= U[k * n + k];
    add(b + k + 1, -b[k], U + k * n + k + 1, n - k - 1);
  }
  for (int k = n - 1; k >= 0; --k) b[k] = (b[k] - dot(U + k * n + k + 1, b + k + 1, n - k - 1)) / U[k * n + k];
}

}  // namespace dense
}  // namespace MANIKIN_ISA
}  // namespace manikin
