#include "manikin/quick.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>

#include "module.h"

namespace nb = nanobind;
using manikin::Quick;

namespace {

using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The numbers of a float64 array of one axis, C order; no pointer where an object is something else.
class Numbers {
 public:
  Numbers(nb::handle from, Py_ssize_t count) {
    if (PyObject_GetBuffer(from.ptr(), &view_, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
      PyErr_Clear();
      return;
    }
    held_ = true;
    const char* format = view_.format ? view_.format : "B";
    if (format[0] == 'd' && format[1] == 0 && view_.ndim == 1 && view_.shape[0] == count) data_ = static_cast<const double*>(view_.buf);
  }
  ~Numbers() {
    if (held_) PyBuffer_Release(&view_);
  }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
  const double* data() const { return data_; }

 private:
  Py_buffer view_{};
  bool held_ = false;
  const double* data_ = nullptr;
};

nb::handle statuses;  // by the solver's number; kept for as long as the process runs

// What Solver.solve gives. The arrays are made when they are asked for.
struct Pose {
  std::unique_ptr<double[]> numbers;  // pose, then errors
  int nq = 0, goals = 0, code = 0, iterations = 0;
  nb::object pose, errors;

  nb::object array(nb::object& made, const double* from, int count) {
    if (!made.is_valid()) {
      auto* copy = new double[static_cast<std::size_t>(count) + 1];
      std::copy(from, from + count, copy);
      nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<double*>(p); });
      made = nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(copy, {static_cast<std::size_t>(count)}, owner));
    }
    return made;
  }
};

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// The pose for a start and a row of targets (None: the rest pose, the goals' own); None where these must be looked at in
// Python first: of another type or shape, not finite, outside limits. With `checked` they were.
nb::object solve(const Quick& quick, nb::handle q, nb::handle targets, bool checked) {
  const int nq = quick.nq(), goals = quick.goals();
  auto made = std::make_unique<double[]>(static_cast<std::size_t>(nq + goals));
  const double* from = quick.rest();
  std::optional<Numbers> start, row;
  if (!q.is_none()) {
    start.emplace(q, nq);
    from = start->data();
    if (!from || (!checked && !quick.sound_pose(from))) return nb::none();
  }
  const double* wanted = quick.targets();
  if (!targets.is_none()) {
    row.emplace(targets, quick.width());
    wanted = row->data();
    if (!wanted || (!checked && !quick.sound_targets(wanted))) return nb::none();
  }
  std::copy(from, from + nq, made.get());
  const manikin::SolveOptions options{40, 1000000, 30, 0, 0, 0.0, 0, 0, 1e308, seconds};
  manikin::SolveResult result;
  {
    nb::gil_scoped_release release;
    quick.solve(options, wanted, made.get(), made.get() + nq, &result);
  }
  return nb::cast(Pose{std::move(made), nq, goals, result.status, result.iterations, nb::object(), nb::object()});
}

}  // namespace

void bind_quick(nb::module_& m) {
  m.def("set_statuses", [](nb::tuple all) { statuses = all.release(); }, nb::arg("all"),
        nb::sig("def set_statuses(all: tuple[object, ...]) -> None"), "What Pose.status gives, by the solver's number.");
  nb::class_<Pose>(m, "Pose", "What `Solver.solve` gives: one row of `Poses`.")
      .def(
          "__init__",
          [](Pose* self, nb::object pose, nb::object errors, int code, int iterations) {
            if (code < 0 || code > 3) throw std::invalid_argument("there is no such ending");
            new (self) Pose{nullptr, 0, 0, code, iterations, std::move(pose), std::move(errors)};
          },
          nb::arg("pose"), nb::arg("errors"), nb::arg("code"), nb::arg("iterations"),
          nb::sig("def __init__(self, pose: numpy.typing.NDArray[numpy.float64], errors: numpy.typing.NDArray[numpy.float64], code: int, "
                  "iterations: int) -> None"))
      .def_prop_ro("pose", [](Pose& self) { return self.array(self.pose, self.numbers.get(), self.nq); },
                   nb::sig("def pose(self) -> numpy.typing.NDArray[numpy.float64]"), "(nq,) always finite and within limits.")
      .def_prop_ro("errors", [](Pose& self) { return self.array(self.errors, self.numbers.get() + self.nq, self.goals); },
                   nb::sig("def errors(self) -> numpy.typing.NDArray[numpy.float64]"),
                   "(goals,) one norm a goal, in lengths or radians; 0 where a goal is not active.")
      .def_prop_ro("reached", [](const Pose& self) { return self.code == 0; }, "Whether every goal is within its tolerance.")
      .def_prop_ro("status", [](const Pose& self) { return nb::object(statuses[self.code]); }, nb::sig("def status(self) -> manikin.solution.Status"),
                   "How it ended.")
      .def_prop_ro("code", [](const Pose& self) { return self.code; }, "The same as a number: 0 is reached.")
      .def_prop_ro("iterations", [](const Pose& self) { return self.iterations; }, "Steps computed, all starts together.");

  nb::class_<Quick>(m, "Quick", "One query at a time.")
      .def(
          "__init__",
          [](Quick* self, const manikin::Solver& solver, const Doubles& rest, const Doubles& lower, const Doubles& upper, std::vector<int> balls,
             std::vector<int> cones, const Doubles& cone_numbers, const Doubles& weights, std::vector<int> quaternions, std::vector<int> directions, std::vector<double> own_targets,
             int width, std::vector<int> goal_of, std::vector<double> share, std::vector<int> coupled, std::vector<int> source,
             std::vector<double> ratio, std::vector<double> shift) {
            const auto& p = solver.problem();
            const std::size_t nq = static_cast<std::size_t>(p.nq);
            if (rest.shape(0) != nq || lower.shape(0) != nq || upper.shape(0) != nq || weights.shape(0) != static_cast<std::size_t>(p.goals) ||
                cone_numbers.shape(0) != 12 * cones.size() ||
                own_targets.size() != static_cast<std::size_t>(p.target_width) || width < 0 || width > p.target_width ||
                goal_of.size() != static_cast<std::size_t>(solver.measures()) || share.size() != goal_of.size() || source.size() != coupled.size() ||
                ratio.size() != coupled.size() || shift.size() != coupled.size())
              throw std::invalid_argument("the arrays of a quick solver do not fit its problem");
            new (self) Quick(solver, manikin::QuickArrays{rest.data(), lower.data(), upper.data(), std::move(balls), std::move(cones),
                                                          cone_numbers.data(), weights.data(),
                                                          std::move(quaternions), std::move(directions), std::move(own_targets), width,
                                                          std::move(goal_of), std::move(share), std::move(coupled), std::move(source),
                                                          std::move(ratio), std::move(shift)});
          },
          nb::arg("solver"), nb::kw_only(), nb::arg("rest"), nb::arg("lower"), nb::arg("upper"), nb::arg("balls"), nb::arg("cones"), nb::arg("cone_numbers"),
          nb::arg("weights"), nb::arg("quaternions"), nb::arg("directions"), nb::arg("own_targets"), nb::arg("width"), nb::arg("goal_of"),
          nb::arg("share"), nb::arg("coupled"), nb::arg("source"), nb::arg("ratio"), nb::arg("shift"), nb::keep_alive<1, 2>())
      .def("solve", &solve, nb::arg("q").none(), nb::arg("targets").none(), nb::arg("checked") = false,
           nb::sig("def solve(self, q: object, targets: object, checked: bool = False) -> Pose | None"),
           "The pose, or None where the arguments must be looked at first.");
}
