#include <nanobind/ndarray.h>

#include <stdexcept>

#include "dispatch/backend.h"
#include "bindings/module.h"

namespace nb = nanobind;

namespace {

using In = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Out = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// a, b (n, 12): centre, then three half edges, which are 0 for a line or a point; out (n, 10).
void box_nearest(const In& a, const In& b, bool a_is_box, const Out& out) {
  const std::size_t count = out.shape(0);
  if (a.size() != 12 * count || b.size() != 12 * count || out.shape(1) != 10) throw std::invalid_argument("cores have the wrong shape");
  for (std::size_t k = 0; k < count; ++k) manikin::solver_kernels().box_nearest(a.data() + 12 * k, b.data() + 12 * k, a_is_box, out.data() + 10 * k);
}

}  // namespace

void bind_boxes(nb::module_& m) {
  m.def(
      "box_nearest", &box_nearest, nb::arg("a").noconvert(), nb::arg("b").noconvert(), nb::kw_only(), nb::arg("a_is_box"), nb::arg("out").noconvert(),
      "Where boxes, lines or points a and boxes b (n, 12: centre, half edges) are nearest: out (n, 10) is distance, normal, point of a, point of b.");
}
