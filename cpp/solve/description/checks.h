// Checks of the arrays of a block, which may come from anywhere. Each throws std::invalid_argument that says what is wrong.
#pragma once
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "solve/constants.h"

namespace manikin {
namespace block {

inline void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("compiled problem: ") + what);
}

inline void all_finite(const std::vector<double>& numbers, const char* what) {
  for (const double x : numbers) require(std::isfinite(x), what);
}

// Requires numbers whose powers stay finite: lengths up to kFarthestSizes sizes of the figure.
inline void all_within(const std::vector<double>& numbers, double most, const char* what) {
  for (const double x : numbers) require(std::fabs(x) <= most, what);
}

// Requires a unit vector of `width` numbers. With `or_zero`, the zero vector is also allowed.
inline void unit(const double* x, int width, bool or_zero, const char* what) {
  double square = 0.0;
  for (int k = 0; k < width; ++k) square += x[k] * x[k];
  require(std::fabs(square - 1.0) <= kUnitSquare || (or_zero && square == 0.0), what);
}

// Requires matrices (3, 3) with orthonormal rows.
inline void rotations(const std::vector<double>& numbers, const char* what) {
  for (std::size_t k = 0; k + 9 <= numbers.size(); k += 9)
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = i; j < 3; ++j) {
        double product = 0.0;
        for (std::size_t c = 0; c < 3; ++c) product += numbers[k + 3 * i + c] * numbers[k + 3 * j + c];
        require(std::fabs(product - (i == j ? 1.0 : 0.0)) <= kUnitSquare, what);
      }
}

}  // namespace block
}  // namespace manikin
