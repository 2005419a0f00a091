// Targets of placements as 4×4 matrices.
#pragma once

namespace manikin {

// Converts a matrix (4, 4) to position and quaternion (7), with the bits of `rotations.from_matrix` in Python. Returns false unless it is certainly
// a placement: finite, a rotation, and 0, 0, 0, 1 as its last row.
bool seven_numbers(const double* matrix, double* out);

}  // namespace manikin
