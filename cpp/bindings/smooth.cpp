#include "solve/smooth.h"

#include <nanobind/ndarray.h>

#include "bindings/gil.h"
#include "bindings/module.h"
#include "model/require.h"

namespace nb = nanobind;
using manikin::require;

namespace {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using In = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Ints = nb::ndarray<const int, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Out = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// rows (M, k + 1), first (M,), bent (M, n), weights (T,) or (T, n), wish (T, n) or (0, n), out (T, n).
void smooth_correction(const Matrix& rows, const Ints& first, const Matrix& bent, const In& weights, const Matrix& wish, const Out& out) {
  const std::size_t frames = out.shape(0), columns = out.shape(1), count = rows.shape(0), width = rows.shape(1);
  const bool each = weights.ndim() == 2;
  require(width > 0 && width <= frames, "smoothing: a row has more columns than there are frames");
  require(first.shape(0) == count && bent.shape(0) == count && bent.shape(1) == columns, "smoothing: shapes of rows, first and bent do not match");
  require(weights.size() == (each ? frames * columns : frames), "smoothing: weights have the wrong shape");
  require(wish.size() == 0 || (wish.shape(0) == frames && wish.shape(1) == columns), "smoothing: wish has the wrong shape");
  for (std::size_t r = 0; r < count; ++r)
    require(first.data()[r] >= 0 && static_cast<std::size_t>(first.data()[r]) + width <= frames, "smoothing: a row begins outside the frames");
  const manikin::DifferenceRows held{rows.data(), first.data(), count, width};
  const double* wanted = wish.size() == 0 ? nullptr : wish.data();
  bool solved = false;
  {
    const WithoutGil released;
    solved = manikin::smooth_correction(held, bent.data(), weights.data(), each, wanted, frames, columns, out.data());
  }
  require(solved, "smoothing: the weights do not determine the values");
}

}  // namespace

void bind_smooth(nb::module_& m) {
  m.def("smooth_correction", &smooth_correction, nb::arg("rows").noconvert(), nb::arg("first").noconvert(), nb::arg("bent").noconvert(),
        nb::arg("weights").noconvert(), nb::arg("wish").noconvert(), nb::arg("out").noconvert(),
        "The correction of values over time; the twin of manikin.reference.smooth.correction.");
}
