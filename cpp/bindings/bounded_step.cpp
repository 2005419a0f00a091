#include "manikin/bounded_step.h"

#include <nanobind/ndarray.h>

#include <memory>
#include <stdexcept>

#include "module.h"

namespace nb = nanobind;

namespace {

using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Result = nb::ndarray<nb::numpy, double, nb::ndim<1>, nb::c_contig>;

Result bounded_step(const Matrix& J, const Vector& dX, double damping, const Vector& lower, const Vector& upper) {
  const std::size_t m = J.shape(0), n = J.shape(1);
  if (dX.shape(0) != m || lower.shape(0) != n || upper.shape(0) != n)
    throw std::invalid_argument("the arrays of a bounded step do not fit each other");
  std::unique_ptr<double[]> step(new double[n > 0 ? n : 1]);
  const double *j = J.data(), *x = dX.data(), *low = lower.data(), *high = upper.data();
  {
    nb::gil_scoped_release release;
    const int rows = static_cast<int>(m), columns = static_cast<int>(n);
    std::unique_ptr<double[]> work(new double[manikin::bounded_step_work(rows, columns)]);
    manikin::bounded_step(j, rows, columns, x, damping, low, high, step.get(), work.get());
  }
  double* data = step.release();
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  return Result(data, {n}, owner);
}

}  // namespace

void bind_bounded_step(nb::module_& m) {
  m.def("bounded_step", &bounded_step, nb::arg("J"), nb::arg("dX"), nb::arg("damping"), nb::arg("lower"), nb::arg("upper"),
        "The damped step within bounds; the twin of manikin.reference.bounded.bounded_step.");
}
