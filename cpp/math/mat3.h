// Products of 3 x 3 matrices, row by row, for computations at compile time of a problem.
#pragma once
#include <cstddef>
#include <cstring>

namespace manikin {

inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

inline void product(const double* a, const double* b, double* out) {
  double r[9];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) r[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
  std::memcpy(out, r, sizeof r);
}

}  // namespace manikin
