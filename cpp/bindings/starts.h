// Starts for rows of targets, by an object of the core with start(targets, weights, q): Heading and Natural.
#pragma once
#include <nanobind/ndarray.h>

#include "bindings/constants.h"
#include "model/require.h"

using In = nanobind::ndarray<const double, nanobind::c_contig, nanobind::device::cpu>;
using Ints = nanobind::ndarray<const int, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using Rows = nanobind::ndarray<const double, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
using Result = nanobind::ndarray<nanobind::numpy, double, nanobind::c_contig>;

// Returns (B, nq), a start for each row of targets; weights (goals,) for all rows, or (B, goals).
template <class Start>
Result starts(const Start& self, const Rows& targets, const In& weights) {
  const std::size_t count = targets.shape(0), nq = static_cast<std::size_t>(self.nq());
  const bool one = weights.ndim() == 1;
  manikin::require(targets.shape(1) >= static_cast<std::size_t>(self.least_targets()), "targets have the wrong shape");
  manikin::require((one || (weights.ndim() == 2 && weights.shape(0) == count)) &&
                       weights.shape(weights.ndim() - 1) >= static_cast<std::size_t>(self.least_goals()),
                   "weights have the wrong shape");
  double* out = new double[count * nq];
  nanobind::capsule owner(out, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  const std::size_t goals = one ? 0 : weights.shape(1);
  for (std::size_t b = 0; b < count; ++b) {
    if (b % kRowsBetween == 0 && PyErr_CheckSignals() != 0) nanobind::raise_python_error();
    self.start(targets.data() + b * targets.shape(1), weights.data() + b * goals, out + b * nq);
  }
  return Result(out, {count, nq}, owner);
}
