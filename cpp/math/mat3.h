// Matrices (3, 3), row by row, for host code.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>

#include "math/index.h"

namespace manikin {

inline void product(const double* a, const double* b, double* out) {
  double r[9];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) r[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
  std::memcpy(out, r, sizeof r);
}

// Converts a quaternion w, x, y, z to a rotation; its length need not be 1.
inline void matrix_of(const double* q, double* out) {
  const double w = q[0], x = q[1], y = q[2], z = q[3], k = 2.0 / (w * w + x * x + y * y + z * z);
  const double m[9] = {1 - k * (y * y + z * z), k * (x * y - w * z), k * (x * z + w * y), k * (x * y + w * z),    1 - k * (x * x + z * z),
                       k * (y * z - w * x),     k * (x * z - w * y), k * (y * z + w * x), 1 - k * (x * x + y * y)};
  std::memcpy(out, m, sizeof m);
}

// Converts a rotation to a quaternion w, x, y, z. The row of 4 q q^T with the largest diagonal element loses no digits.
inline void quaternion_from(const double* r, double* q) {
  const double square[4] = {1 + r[0] + r[4] + r[8], 1 + r[0] - r[4] - r[8], 1 - r[0] + r[4] - r[8], 1 - r[0] - r[4] + r[8]};
  const double rows[4][4] = {{square[0], r[7] - r[5], r[2] - r[6], r[3] - r[1]},
                             {r[7] - r[5], square[1], r[1] + r[3], r[2] + r[6]},
                             {r[2] - r[6], r[1] + r[3], square[2], r[5] + r[7]},
                             {r[3] - r[1], r[2] + r[6], r[5] + r[7], square[3]}};
  const long k = std::max_element(square, square + 4) - square;
  double length = 0.0;
  for (int j = 0; j < 4; ++j) length += rows[k][j] * rows[k][j];
  for (int j = 0; j < 4; ++j) q[j] = rows[k][j] / std::sqrt(length);
}

inline bool is_identity(const double* a) {
  for (int k = 0; k < 9; ++k)
    if (a[k] != (k % 4 == 0 ? 1.0 : 0.0)) return false;
  return true;
}

}  // namespace manikin
