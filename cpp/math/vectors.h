// Vectors of three numbers and matrices row by row, for host code. Static: each object file has a separate copy.
#pragma once

namespace manikin {

static inline double dot(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline void cross(const double* a, const double* b, double* out) {
  const double r[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  for (int j = 0; j < 3; ++j) out[j] = r[j];
}

// The part of x perpendicular to a unit vector.
static inline void across(const double* x, const double* unit, double* out) {
  const double along = dot(x, unit);
  for (int j = 0; j < 3; ++j) out[j] = x[j] - along * unit[j];
}

static inline void transposed(const double* a, double* out) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out[3 * i + j] = a[3 * j + i];
}

static inline void applied(const double* a, const double* x, double* out) {
  const double r[3] = {dot(a, x), dot(a + 3, x), dot(a + 6, x)};
  for (int j = 0; j < 3; ++j) out[j] = r[j];
}

// The transposed matrix, applied.
static inline void back_applied(const double* a, const double* x, double* out) {
  const double r[3] = {a[0] * x[0] + a[3] * x[1] + a[6] * x[2], a[1] * x[0] + a[4] * x[1] + a[7] * x[2], a[2] * x[0] + a[5] * x[1] + a[8] * x[2]};
  for (int j = 0; j < 3; ++j) out[j] = r[j];
}

}  // namespace manikin
