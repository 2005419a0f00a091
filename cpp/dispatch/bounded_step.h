// The damped step within bounds, with the kernels in use. The readable Python version, which explains the method, is
// src/manikin/reference/bounded.py.
#pragma once
#include <cstddef>

namespace manikin {

// Number of doubles of work memory that bounded_step needs for a Jacobian of shape (m, n).
std::size_t bounded_step_work(int m, int n);

// Minimises |J d - dX|^2 + damping^2 |d|^2 subject to lower <= d <= upper.
//
//   J               (m, n), row after row, finite
//   dX              (m,), finite
//   damping         at least 0
//   lower, upper    (n,), lower <= upper, infinite where free
//   step            (n,), receives d: within the bounds to the last bit
//   work            bounded_step_work(m, n) doubles, contents irrelevant before and after
//
// Arguments are not checked. Returns the number of linear systems solved. Allocates nothing and keeps nothing: any number of threads may call it,
// each with its own step and work.
int bounded_step(const double* J, int m, int n, const double* dX, double damping, const double* lower, const double* upper, double* step,
                 double* work);

}  // namespace manikin
