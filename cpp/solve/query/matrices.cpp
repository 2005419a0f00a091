#include "solve/query/matrices.h"

#include <algorithm>
#include <cmath>

#include "math/mat3.h"
#include "solve/constants.h"

namespace manikin {

bool seven_numbers(const double* matrix, double* out) {
  const double* const m = matrix;
  for (int k = 0; k < 16; ++k)
    if (!std::isfinite(m[k])) return false;
  if (std::max({std::fabs(m[12]), std::fabs(m[13]), std::fabs(m[14]), std::fabs(m[15] - 1.0)}) > kUnitTolerance) return false;
  const double r[9] = {m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]};
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j) {
      const double product = r[i] * r[j] + r[3 + i] * r[3 + j] + r[6 + i] * r[6 + j];
      if (!(std::fabs(product - (i == j ? 1.0 : 0.0)) <= kMatrixTolerance)) return false;
    }
  const double determinant = r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) + r[2] * (r[3] * r[7] - r[4] * r[6]);
  if (!(determinant > 0.0)) return false;
  for (int i = 0; i < 3; ++i) out[i] = m[4 * i + 3];
  double* const q = out + 3;
  quaternion_from(r, q);
  if (q[0] < 0.0)
    for (int k = 0; k < 4; ++k) q[k] = -q[k];
  return true;
}

}  // namespace manikin
