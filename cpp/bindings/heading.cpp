#include "solve/heading.h"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bindings/constants.h"
#include "bindings/module.h"

namespace nb = nanobind;
using manikin::Heading;

namespace {

using In = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Ints = nb::ndarray<const int, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Result = nb::ndarray<nb::numpy, double, nb::c_contig>;

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

std::vector<double> numbers(const In& a) { return std::vector<double>(a.data(), a.data() + a.size()); }
std::vector<int> numbers(const Ints& a) { return std::vector<int>(a.data(), a.data() + a.size()); }

template <class Array, class Number>
void copy(const Array& a, Number* out, std::size_t count) {
  require(a.size() == count, "the arrays of a heading do not fit each other");
  std::copy(a.data(), a.data() + count, out);
}

// Returns (B, nq), a start for each row of targets; weights (goals,) for all rows, or (B, goals).
Result starts(const Heading& self, const Rows& targets, const In& weights) {
  const std::size_t count = targets.shape(0), nq = static_cast<std::size_t>(self.nq());
  const bool one = weights.ndim() == 1;
  require(targets.shape(1) >= static_cast<std::size_t>(self.least_targets()), "targets have the wrong shape");
  require((one || (weights.ndim() == 2 && weights.shape(0) == count)) &&
              weights.shape(weights.ndim() - 1) >= static_cast<std::size_t>(self.least_goals()),
          "weights have the wrong shape");
  double* out = new double[count * nq];
  nb::capsule owner(out, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  const std::size_t goals = one ? 0 : weights.shape(1);
  for (std::size_t b = 0; b < count; ++b) {
    if (b % kRowsBetween == 0 && PyErr_CheckSignals() != 0) nb::raise_python_error();
    self.start(targets.data() + b * targets.shape(1), weights.data() + b * goals, out + b * nq);
  }
  return Result(out, {count, nq}, owner);
}

}  // namespace

void bind_heading(nb::module_& m) {
  nb::class_<Heading>(m, "Heading", "A start pose, turned and moved to the targets of goals.")
      .def(
          "__init__",
          [](Heading* self, const In& start, const In& up, double size, double arm, double most, const Ints& slide, const In& to_slides,
             const In& slide_limits, const In& pivot, const Ints& turn, const In& turn_axes, const In& turn_limits, const Ints& point_goal,
             const Ints& point_target, const Ints& point_effector, const In& point, const Ints& axes_goal, const Ints& axes_target, const In& axes) {
            manikin::HeadingArrays a;
            a.start = numbers(start);
            copy(up, a.up, 3);
            a.size = size;
            a.arm = arm;
            a.most = most;
            copy(slide, a.slide, 3);
            copy(to_slides, a.to_slides, 9);
            copy(slide_limits, a.slide_limits, 6);
            copy(pivot, a.pivot, 3);
            a.turn = numbers(turn);
            a.turn_axes = numbers(turn_axes);
            a.turn_limits = numbers(turn_limits);
            a.point_goal = numbers(point_goal);
            a.point_target = numbers(point_target);
            a.point_effector = numbers(point_effector);
            a.point = numbers(point);
            a.axes_goal = numbers(axes_goal);
            a.axes_target = numbers(axes_target);
            a.axes = numbers(axes);
            new (self) Heading(std::move(a));
          },
          nb::kw_only(), nb::arg("start"), nb::arg("up"), nb::arg("size"), nb::arg("arm"), nb::arg("most"), nb::arg("slide"), nb::arg("to_slides"),
          nb::arg("slide_limits"), nb::arg("pivot"), nb::arg("turn"), nb::arg("turn_axes"), nb::arg("turn_limits"), nb::arg("point_goal"),
          nb::arg("point_target"), nb::arg("point_effector"), nb::arg("point"), nb::arg("axes_goal"), nb::arg("axes_target"), nb::arg("axes"))
      .def("starts", &starts, nb::arg("targets"), nb::arg("weights"), "A start for each row of targets, (B, nq).");
}
