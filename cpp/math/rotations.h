// Rotations of nodes, on any lane type.
#pragma once
#include "math/isa.h"

namespace manikin {
namespace MANIKIN_ISA {

// out = a b for rows-first 3x3 matrices; each side in lanes or constant.
template <class V, class A, class B>
static inline void multiply(const A* a, const B* b, V* out) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

template <class V, class B>
static inline void rotate(const V* r, const B* x, V* out) {
  for (int i = 0; i < 3; ++i) out[i] = r[3 * i] * x[0] + r[3 * i + 1] * x[1] + r[3 * i + 2] * x[2];
}

template <class V>
static inline void cross(const V* a, const V* b, V* out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

// Turns the columns i and j of r about the third axis, from i towards j.
template <class V>
static inline void turn_columns(V* r, int i, int j, const V& s, const V& c) {
  for (int row = 0; row < 9; row += 3) {
    const V x = r[row + i], y = r[row + j];
    r[row + i] = c * x + s * y;
    r[row + j] = c * y - s * x;
  }
}

// The matrix of a turn about a unit axis (Rodrigues: c I + s [a]x + (1 - c) a a^T), and of a quaternion.
template <class V>
static inline void axis_turn(const double* a, const V& s, const V& c, V* turn) {
  const V rest = 1.0 - c;
  turn[0] = c + a[0] * a[0] * rest;
  turn[1] = a[0] * a[1] * rest - a[2] * s;
  turn[2] = a[0] * a[2] * rest + a[1] * s;
  turn[3] = a[0] * a[1] * rest + a[2] * s;
  turn[4] = c + a[1] * a[1] * rest;
  turn[5] = a[1] * a[2] * rest - a[0] * s;
  turn[6] = a[0] * a[2] * rest - a[1] * s;
  turn[7] = a[1] * a[2] * rest + a[0] * s;
  turn[8] = c + a[2] * a[2] * rest;
}

template <class V>
static inline void quaternion_turn(const V& w, const V& x, const V& y, const V& z, V* turn) {
  const V s = 2.0 / (w * w + x * x + y * y + z * z);  // divides out a length slightly different from 1
  const V sx = s * x, sy = s * y, sz = s * z;
  turn[0] = 1.0 - (sy * y + sz * z);
  turn[1] = sx * y - sz * w;
  turn[2] = sx * z + sy * w;
  turn[3] = sx * y + sz * w;
  turn[4] = 1.0 - (sx * x + sz * z);
  turn[5] = sy * z - sx * w;
  turn[6] = sx * z - sy * w;
  turn[7] = sy * z + sx * w;
  turn[8] = 1.0 - (sx * x + sy * y);
}

template <class V>
static inline void turn_by(V* r, const V* turn) {
  V out[9];
  multiply(r, turn, out);
  for (int k = 0; k < 9; ++k) r[k] = out[k];
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
