#include "dispatch/bounded_step.h"

#include <nanobind/ndarray.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "bindings/gil.h"
#include "bindings/module.h"

namespace nb = nanobind;

namespace {

using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Result = nb::ndarray<nb::numpy, double, nb::ndim<1>, nb::c_contig>;

Result bounded_step(const Matrix& J, const Vector& dX, double damping, const Vector& lower, const Vector& upper) {
  const std::size_t m = J.shape(0), n = J.shape(1);
  if (dX.shape(0) != m || lower.shape(0) != n || upper.shape(0) != n)
    throw std::invalid_argument("the shapes of the arrays of a bounded step do not match");
  std::unique_ptr<double[]> step(new double[n > 0 ? n : 1]);
  const double *j = J.data(), *x = dX.data(), *low = lower.data(), *high = upper.data();
  {
    const WithoutGil released;
    const int rows = static_cast<int>(m), columns = static_cast<int>(n);
    std::unique_ptr<double[]> work(new double[manikin::bounded_step_work(rows, columns)]);
    manikin::bounded_step(j, rows, columns, x, damping, low, high, step.get(), work.get());
  }
  double* data = step.release();
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  return Result(data, {n}, owner);
}

// Returns the largest absolute value, as the bits of a double. Absolute values are ordered like their bits, and values that are not finite are
// largest.
std::uint64_t largest_bits(const double* values, std::size_t count) {
  std::uint64_t most = 0;
  for (std::size_t k = 0; k < count; ++k) {
    std::uint64_t bits;
    std::memcpy(&bits, values + k, sizeof bits);
    bits &= 0x7fffffffffffffffull;
    most = bits > most ? bits : most;
  }
  return most;
}

// Runs bounded_step on unchecked arguments. If any argument is unsuitable, the caller's own checks handle it.
Result checked_bounded_step(const Matrix& J, const Vector& dX, double damping, const Vector& lower, const Vector& upper, double floor) {
  constexpr std::uint64_t kInfinite = 0x7ff0000000000000ull;
  const std::uint64_t bits = largest_bits(J.data(), J.size());
  bool good = bits < kInfinite && largest_bits(dX.data(), dX.size()) < kInfinite && lower.size() == upper.size();
  double most;
  std::memcpy(&most, &bits, sizeof most);
  good = good && std::isfinite(damping) && damping > floor * std::sqrt(static_cast<double>(J.size())) * most;
  for (std::size_t k = 0; good && k < lower.size(); ++k)
    good = lower.data()[k] <= upper.data()[k] && lower.data()[k] < HUGE_VAL && upper.data()[k] > -HUGE_VAL;  // false for NaN
  if (!good) throw std::invalid_argument("the arguments of a bounded step are not valid for checked_bounded_step");
  return bounded_step(J, dX, damping, lower, upper);
}

}  // namespace

void bind_bounded_step(nb::module_& m) {
  m.def("bounded_step", &bounded_step, nb::arg("J"), nb::arg("dX"), nb::arg("damping"), nb::arg("lower"), nb::arg("upper"),
        "The damped step within bounds; the twin of manikin.reference.bounded.bounded_step.");
  m.def("checked_bounded_step", &checked_bounded_step, nb::arg("J").noconvert(), nb::arg("dX").noconvert(), nb::arg("damping"),
        nb::arg("lower").noconvert(), nb::arg("upper").noconvert(), nb::arg("floor"),
        "The same for finite numbers, lower bounds not above upper bounds and a damping above floor * |J|. Raises ValueError otherwise.");
}
