#include "solve/starts/natural.h"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bindings/module.h"
#include "bindings/starts.h"
#include "model/require.h"

namespace nb = nanobind;
using manikin::Natural;
using manikin::require;

namespace {

// Arrays by name, as in reference/natural_arrays.py.
class Named {
 public:
  explicit Named(const nb::kwargs& given) : given_(given) {}

  std::vector<double> numbers(const char* name) const {
    const In a = nb::cast<In>(of(name));
    return std::vector<double>(a.data(), a.data() + a.size());
  }
  std::vector<int> ints(const char* name) const {
    const Ints a = nb::cast<Ints>(of(name));
    return std::vector<int>(a.data(), a.data() + a.size());
  }
  double number(const char* name) const { return nb::cast<double>(of(name)); }
  void copy(const char* name, double* out, std::size_t count) const { put(numbers(name), out, count); }
  void copy(const char* name, int* out, std::size_t count) const { put(ints(name), out, count); }

 private:
  nb::object of(const char* name) const {
    if (!given_.contains(name)) throw std::invalid_argument(std::string("a natural start needs the array '") + name + "'");
    return given_[name];
  }
  template <class Number>
  static void put(const std::vector<Number>& from, Number* out, std::size_t count) {
    require(from.size() == count, "the shapes of the arrays of a natural start do not match");
    std::copy(from.begin(), from.end(), out);
  }
  const nb::kwargs& given_;
};

manikin::NaturalArrays arrays_of(const nb::kwargs& given) {
  const Named by(given);
  manikin::NaturalArrays a;
  // arrays of any length
  for (const auto& [name, to] : {std::pair{"mean", &a.net.mean},
                                 {"scale", &a.net.scale},
                                 {"W0", &a.net.W0},
                                 {"b0", &a.net.b0},
                                 {"W1", &a.net.W1},
                                 {"b1", &a.net.b1},
                                 {"W2", &a.net.W2},
                                 {"b2", &a.net.b2},
                                 {"W3", &a.net.W3},
                                 {"out", &a.net.out},
                                 {"center", &a.center},
                                 {"start", &a.start},
                                 {"joint_left", &a.joint_left},
                                 {"joint_right", &a.joint_right},
                                 {"joint_axes", &a.joint_axes},
                                 {"joint_limits", &a.joint_limits},
                                 {"point_offset", &a.point_offset},
                                 {"point", &a.point},
                                 {"axes_right", &a.axes_right},
                                 {"axes", &a.axes},
                                 {"aim_axis", &a.aim_axis},
                                 {"aim_point", &a.aim_point},
                                 {"lower", &a.limits.lower},
                                 {"upper", &a.limits.upper},
                                 {"cone_reference", &a.limits.cone_reference},
                                 {"cone_basis", &a.limits.cone_basis},
                                 {"cone_swing", &a.limits.cone_swing},
                                 {"cone_twist", &a.limits.cone_twist},
                                 {"coupled_ratio", &a.limits.coupled_ratio},
                                 {"coupled_shift", &a.limits.coupled_shift}})
    *to = by.numbers(name);
  for (const auto& [name, to] : {std::pair{"joint_kind", &a.joint_kind},
                                 {"joint_number", &a.joint_number},
                                 {"part_before", &a.part_before},
                                 {"joint_part", &a.joint_part},
                                 {"turn", &a.turn},
                                 {"point_goal", &a.point_goal},
                                 {"point_target", &a.point_target},
                                 {"point_slot", &a.point_slot},
                                 {"axes_goal", &a.axes_goal},
                                 {"axes_target", &a.axes_target},
                                 {"axes_slot", &a.axes_slot},
                                 {"aim_goal", &a.aim_goal},
                                 {"aim_target", &a.aim_target},
                                 {"aim_far", &a.aim_far},
                                 {"cone_number", &a.limits.cone_number},
                                 {"coupled", &a.limits.coupled},
                                 {"coupled_source", &a.limits.coupled_source}})
    *to = by.ints(name);
  // arrays of known length, and numbers
  by.copy("frame", a.frame, 9);
  a.leg = by.number("leg");
  by.copy("proportions", a.proportions, manikin::kNaturalProportions);
  by.copy("slide", a.slide, 3);
  by.copy("to_slides", a.to_slides, 9);
  by.copy("pivot", a.pivot, 3);
  by.copy("turn_axes", a.turn_axes, 9);
  by.copy("turn_limits", a.turn_limits, 6);
  by.copy("pelvis", a.pelvis, 3);
  by.copy("pelvis_axes", a.pelvis_axes, 4);
  by.copy("slot_axes", a.slot_axes, 54);
  a.floor = by.number("floor");
  return a;
}

}  // namespace

void bind_natural(nb::module_& m) {
  nb::class_<Natural>(m, "Natural", "Natural start poses of a person. Made from the arrays of reference.natural_arrays.NaturalArrays, by name.")
      .def(
          "__init__", [](Natural* self, const nb::kwargs& arrays) { new (self) Natural(arrays_of(arrays)); },
          nb::sig("def __init__(self, **arrays: object) -> None"))
      .def("starts", &starts<Natural>, nb::arg("targets"), nb::arg("weights"), "A start within limits for each row of targets, (B, nq).");
}
