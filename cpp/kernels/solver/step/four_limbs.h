// Four limbs side by side: their twists, and the inverses of small matrices, one in each lane.
#pragma once
#include "kernels/solver/step/sweeps.h"

namespace manikin {
namespace MANIKIN_ISA {

static inline Four gathered(const double* a, const int* at) { return Four{a[at[0]], a[at[1]], a[at[2]], a[at[3]]}; }

// Transposes rows to columns.
static inline void transpose(Four& a, Four& b, Four& c, Four& d) {
  const Four p = arranged<0, 4, 2, 6>(a, b), q = arranged<1, 5, 3, 7>(a, b);
  const Four r = arranged<0, 4, 2, 6>(c, d), s = arranged<1, 5, 3, 7>(c, d);
  a = arranged<0, 1, 4, 5>(p, r);
  b = arranged<0, 1, 4, 5>(q, s);
  c = arranged<2, 3, 6, 7>(p, r);
  d = arranged<2, 3, 6, 7>(q, s);
}

static const Eight kNoTwist = {};

static inline Twists four_twists(const Eight& i, const Eight& j, const Eight& k, const Eight& m) {
  Twists t;
  t.a[0] = low(i), t.a[1] = low(j), t.a[2] = low(k), t.a[3] = low(m);
  transpose(t.a[0], t.a[1], t.a[2], t.a[3]);
  const Four p = arranged<0, 4, 1, 5>(high(i), high(j)), q = arranged<0, 4, 1, 5>(high(k), high(m));
  t.a[4] = arranged<0, 1, 4, 5>(p, q);
  t.a[5] = arranged<2, 3, 6, 7>(p, q);
  return t;
}

// Moves twists from the common point to x.
static inline void shift(Twists& t, const Four* x) {
  t.a[3] += t.a[1] * x[2] - t.a[2] * x[1];
  t.a[4] += t.a[2] * x[0] - t.a[0] * x[2];
  t.a[5] += t.a[0] * x[1] - t.a[1] * x[0];
}

// Computes Z with N rows from the lower triangle of its inverse, row after row: L D L^T, then the inverse of L.
template <int N>
static inline void inverted(const Four* given, Four* Z) {
  Four S[N][N], X[N][N], pivot[N];
#pragma GCC unroll 6
  for (int i = 0; i < N; ++i)
#pragma GCC unroll 6
    for (int j = 0; j <= i; ++j) S[i][j] = given[i * (i + 1) / 2 + j];
#pragma GCC unroll 6
  for (int j = 0; j < N; ++j) {
    const Four least = given[j * (j + 3) / 2] * 1e-15, d = S[j][j];
    pivot[j] = 1.0 / where(d > least, d, least);
#pragma GCC unroll 6
    for (int i = j + 1; i < N; ++i) {
      const Four l = S[i][j] * pivot[j];
#pragma GCC unroll 6
      for (int k = j + 1; k <= i; ++k) S[i][k] -= l * S[k][j];
    }
#pragma GCC unroll 6
    for (int i = j + 1; i < N; ++i) S[i][j] *= pivot[j];
  }
#pragma GCC unroll 6
  for (int j = 0; j < N; ++j)
#pragma GCC unroll 6
    for (int i = j + 1; i < N; ++i) {
      Four sum = S[i][j];
#pragma GCC unroll 6
      for (int k = j + 1; k < i; ++k) sum += S[i][k] * X[k][j];
      X[i][j] = -sum;
    }
#pragma GCC unroll 6
  for (int i = 0; i < N; ++i)
#pragma GCC unroll 6
    for (int j = 0; j <= i; ++j) {  // sum over k >= i of X_ki X_kj / D_k
      Four sum = i == j ? pivot[i] : X[i][j] * pivot[i];
#pragma GCC unroll 6
      for (int k = i + 1; k < N; ++k) sum += X[k][i] * pivot[k] * X[k][j];
      Z[i * (i + 1) / 2 + j] = sum;
    }
}

static inline Four across(const Four& a) { return Four{} + (a[0] + a[1] + a[2] + a[3]); }

}  // namespace MANIKIN_ISA
}  // namespace manikin
