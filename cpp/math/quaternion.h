// Quaternions w, x, y, z, for kernels and host code. Static: each object file has a separate copy, so none can be linked in place of another.
#pragma once

namespace manikin {

// out = a b; out may be a or b.
static inline void quaternion_product(const double* a, const double* b, double* out) {
  const double r[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                       a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
  for (int k = 0; k < 4; ++k) out[k] = r[k];
}

}  // namespace manikin
