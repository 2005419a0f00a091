// Smoothing over time: the banded least-squares system of Whittaker's smoother. The Python version is manikin/reference/smooth.py.
#pragma once
#include <cstddef>
#include <vector>

namespace manikin {

// Rows of differences over frames: row r acts on frames first[r] … first[r] + width − 1.
struct DifferenceRows {
  const double* coefficients;  // (count, width)
  const int* first;            // (count,)
  std::size_t count;
  std::size_t width;
};

// Computes the correction δ (frames, columns) that minimises  Σ w |δ − wish|² + Σ |bent + rows δ|². bent (count, columns) are the rows applied to the
// values. weights are (frames,) for all columns, or (frames, columns) with `each`. wish is (frames, columns), or null for zeros. Returns false if a
// pivot is not positive, because then nothing determines the values.
bool smooth_correction(const DifferenceRows& rows, const double* bent, const double* weights, bool each, const double* wish, std::size_t frames,
                       std::size_t columns, double* delta);

}  // namespace manikin
