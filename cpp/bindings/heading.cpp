#include "solve/starts/heading.h"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "bindings/module.h"
#include "bindings/starts.h"
#include "model/require.h"

namespace nb = nanobind;
using manikin::Heading;
using manikin::require;

namespace {

std::vector<double> numbers(const In& a) { return std::vector<double>(a.data(), a.data() + a.size()); }
std::vector<int> numbers(const Ints& a) { return std::vector<int>(a.data(), a.data() + a.size()); }

template <class Array, class Number>
void copy(const Array& a, Number* out, std::size_t count) {
  require(a.size() == count, "the shapes of the arrays of a heading do not match");
  std::copy(a.data(), a.data() + count, out);
}

}  // namespace

void bind_heading(nb::module_& m) {
  nb::class_<Heading>(m, "Heading", "A start pose, rotated and moved to the targets of goals.")
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
      .def("starts", &starts<Heading>, nb::arg("targets"), nb::arg("weights"), "A start for each row of targets, (B, nq).");
}
