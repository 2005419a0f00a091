// The placement that a target requires of the end of an arm.
#pragma once
#include "kernels/arm/one.h"

namespace manikin {
namespace MANIKIN_ISA {

// Computes the required placement of the last joint's space, in the base. p is in sizes; V is a double or lanes of doubles.
template <class V>
static inline Wanted<V> wanted_by(const Arm& arm, const Vec<V>& p, const V& w, const V& x, const V& y, const V& z) {
  const V k = 2.0 / (w * w + x * x + y * y + z * z);
  const V R[9] = {1.0 - k * (y * y + z * z), k * (x * y - w * z), k * (x * z + w * y), k * (x * y + w * z),      1.0 - k * (x * x + z * z),
                  k * (y * z - w * x),       k * (x * z - w * y), k * (y * z + w * x), 1.0 - k * (x * x + y * y)};
  // base^T (target turn^T): the required columns of the last joint's space, in the base
  V M[9];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) M[3 * i + j] = R[3 * i] * arm.turn[3 * j] + R[3 * i + 1] * arm.turn[3 * j + 1] + R[3 * i + 2] * arm.turn[3 * j + 2];
  auto local = [&](const V& a, const V& b, const V& c) {
    const double* B = arm.base;  // columns
    return Vec<V>{B[0] * a + B[1] * b + B[2] * c, B[3] * a + B[4] * b + B[5] * c, B[6] * a + B[7] * b + B[8] * c};
  };
  return {local(p.x - arm.origin[0], p.y - arm.origin[1], p.z - arm.origin[2]), local(M[0], M[3], M[6]), local(M[1], M[4], M[7]),
          local(M[2], M[5], M[8])};
}

static Wanted<double> wanted_of(const Arm& arm, const double* targets) {
  const double *p = targets + arm.position, *q = targets + arm.orientation, k = 1.0 / arm.size;
  return wanted_by(arm, Vec<double>{p[0] * k, p[1] * k, p[2] * k}, q[0], q[1], q[2], q[3]);
}

static Vec<float> narrowed(const Vec<double>& v) { return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)}; }
static Wanted<float> narrowed(const Wanted<double>& w) { return {narrowed(w.p), narrowed(w.x), narrowed(w.y), narrowed(w.z)}; }

static Vec<Eight8> splat8(const Vec<float>& v) { return {Eight8{} + v.x, Eight8{} + v.y, Eight8{} + v.z}; }

}  // namespace MANIKIN_ISA
}  // namespace manikin
