// Turns between quaternions w, x, y, z, for host code.
#pragma once
#include <algorithm>
#include <cmath>

#include "math/quaternion.h"

namespace manikin {

// Computes the rotation vector, in the turned frame, of the shorter turn from a to b: b = a exp(out).
inline void turn_between(const double* a, const double* b, double* out) {
  const double r[4] = {a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3], a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2],
                       a[0] * b[2] - a[2] * b[0] - a[3] * b[1] + a[1] * b[3], a[0] * b[3] - a[3] * b[0] - a[1] * b[2] + a[2] * b[1]};
  const double sine = std::sqrt(r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
  const double by_sine = sine > 1e-12 ? 2.0 * std::atan2(sine, std::fabs(r[0])) / sine : 2.0;
  for (int k = 0; k < 3; ++k) out[k] = (r[0] < 0.0 ? -by_sine : by_sine) * r[k + 1];
}

// out = a exp(v); out may be a.
inline void turned_by(const double* v, const double* a, double* out) {
  const double angle = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), k = angle > 1e-12 ? std::sin(0.5 * angle) / angle : 0.5;
  const double b[4] = {std::cos(0.5 * angle), k * v[0], k * v[1], k * v[2]};
  double r[4];
  quaternion_product(a, b, r);
  const double norm = std::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
  for (int i = 0; i < 4; ++i) out[i] = r[i] / norm;
}

// The angle from a to b.
inline double angle_between(const double* a, const double* b) {
  const double side = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0 ? -1.0 : 1.0;
  double square = 0.0;
  for (int k = 0; k < 4; ++k) square += (b[k] - side * a[k]) * (b[k] - side * a[k]);
  return 4.0 * std::asin(std::min(1.0, 0.5 * std::sqrt(square)));
}

}  // namespace manikin
