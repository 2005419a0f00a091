#include "solve/query/query.h"

#include <nanobind/ndarray.h>

#include <stdexcept>
#include <type_traits>

#include "bindings/arguments.h"
#include "bindings/gil.h"
#include "bindings/hooks.h"
#include "bindings/module.h"

namespace nb = nanobind;
using manikin::Ask;
using manikin::Ending;

namespace {

PyTypeObject* query_type = nullptr;

using In = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Out = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OutInts = nb::ndarray<int, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Solves rows with the first members only and the given weights. q (B, nq) is start and pose; counts (B, 3): status, iterations, starts.
void run(const Asked& self, const Out& q, const In& targets, const In& weights, const Out& errors, const OutInts& counts,
         const nb::object& goals_in_python, const nb::kwargs& named) {
  const manikin::Query& query = self.query;
  const std::size_t count = q.shape(0), goals = static_cast<std::size_t>(query.goals());
  if (q.shape(1) != static_cast<std::size_t>(query.nq()) || targets.shape(0) != count ||
      targets.shape(1) != static_cast<std::size_t>(query.description().target_width) || weights.shape(0) != count || weights.shape(1) != goals ||
      errors.shape(0) != count || errors.shape(1) != goals || counts.shape(0) != count || counts.shape(1) != 3)
    throw std::invalid_argument("the shapes of the arrays of a run do not match the problem");
  const Arguments given = arguments_in(nullptr, named.ptr());
  Options options;
  if (!options.read(given, query, static_cast<Py_ssize_t>(count))) throw nb::type_error("an option of a run does not have the form that it needs");
  Ask& ask = options.ask;
  const nb::object watch = given.given(kWatch) ? nb::borrow(given.value[kWatch]) : nb::object(nb::none());
  PythonHooks hooks(query.nq(), query.description().callbacks, watch, goals_in_python);
  hooks.put(ask);
  double *qs = q.data(), *es = errors.data();
  const double *ts = targets.data(), *ws = weights.data();
  int* cs = counts.data();
  const std::size_t nq = q.shape(1), width = targets.shape(1);
  {
    const WithoutGil released;
    for (std::size_t b = 0; b < count && !hooks.raised(); ++b) {
      const Ending ending = query.run(ask, options.near, options.strict, ts + b * width, ws + b * goals, qs + b * nq, es + b * goals);
      cs[3 * b] = ending.status;
      cs[3 * b + 1] = ending.iterations;
      cs[3 * b + 2] = ending.starts;
    }
  }
  hooks.rethrow();
}

// The information (B, nv) of poses (B, nq), with targets (B, width) and weights (B, own goals), 0 for goals that are not active.
void information(const Asked& self, const In& q, const In& targets, const In& weights, const Out& out, const nb::object& goals_in_python) {
  const manikin::Query& query = self.query;
  const std::size_t count = q.shape(0), nq = static_cast<std::size_t>(query.nq()), width = static_cast<std::size_t>(query.width()),
                    goals = static_cast<std::size_t>(query.own_goals()), nv = static_cast<std::size_t>(query.description().nv);
  if (q.shape(1) != nq || targets.shape(0) != count || targets.shape(1) != width || weights.shape(0) != count || weights.shape(1) != goals ||
      out.shape(0) != count || out.shape(1) != nv)
    throw std::invalid_argument("the arrays do not fit the problem");
  Ask ask;
  ask.clock = manikin::seconds;
  PythonHooks hooks(query.nq(), query.description().callbacks, nb::none(), goals_in_python);
  hooks.put(ask);
  const double *qs = q.data(), *ts = targets.data(), *ws = weights.data();
  double* os = out.data();
  manikin::WholeRow row{nullptr, std::vector<double>(static_cast<std::size_t>(query.description().target_width)),
                        std::vector<double>(static_cast<std::size_t>(query.goals()))};
  {
    const WithoutGil released;
    if (!query.kinematics().sound(qs, static_cast<long>(count))) throw std::invalid_argument("a pose is not finite, or a quaternion not of length 1");
    for (std::size_t b = 0; b < count && !hooks.raised(); ++b) {
      const std::string wrong = query.bad_targets(ts + b * width, ws + b * goals, static_cast<long>(b));
      if (!wrong.empty()) throw std::invalid_argument(wrong);
      row.start = qs + b * nq;
      query.whole_targets(ts + b * width, ws + b * goals, row.targets.data());
      query.whole_weights(ws + b * goals, row.weights.data());
      query.information(ask, row, os + b * nv);
    }
  }
  hooks.rethrow();
}

}  // namespace

Asked* asked_query(PyObject* held) { return Py_TYPE(held) == query_type ? nb::inst_ptr<Asked>(held) : nullptr; }

void bind_query(nb::module_& m) {
  // the compiled problem
  nb::class_<Asked> type(m, "Query", "A compiled problem: a figure with goals. Made of one block of named arrays.");
  type.def(
          "__init__", [](Asked* self, const nb::bytes& block) { new (self) Asked(block.c_str(), block.size()); }, nb::arg("block"))
      .def("run", &run, nb::arg("q").noconvert(), nb::arg("targets").noconvert(), nb::arg("weights").noconvert(), nb::arg("errors").noconvert(),
           nb::arg("counts").noconvert(), nb::arg("callbacks"), nb::arg("options"),
           nb::sig("def run(self, q: NDArray[numpy.float64], targets: NDArray[numpy.float64], weights: NDArray[numpy.float64], "
                   "errors: NDArray[numpy.float64], counts: NDArray[numpy.int32], callbacks: object, **options: object) -> None"),
           "Solves rows with the given weights, in place: q (B, nq), errors (B, goals), counts (B, 3): status, iterations, starts. Options are those "
           "of `solve`; `near` keeps the start unchanged, `strict` keeps priorities.")
      .def(
          "speeds",
          [](const Asked& self, double every) -> nb::object {
            double* out;
            PyObject* const array = numpy_arrays::made(self.query.nq(), &out);
            if (!array) nb::raise_python_error();
            const nb::object made = nb::steal(array);
            return self.query.description().speeds(every, out) ? made : nb::object(nb::none());
          },
          nb::arg("every"), nb::sig("def speeds(self, every: float) -> NDArray[numpy.float64] | None"),
          "The largest speeds (nq) of a track with one speed for all joints that turn; None if a joint that turns follows a slider.")
      .def("information", &information, nb::arg("q").noconvert(), nb::arg("targets").noconvert(), nb::arg("weights").noconvert(),
           nb::arg("out").noconvert(), nb::arg("callbacks"), "Writes the diagonal of J^T W J to out (B, nv).")
      .def(
          "violation",
          [](const Asked& self, const nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>& q) {
            if (q.shape(0) != static_cast<std::size_t>(self.query.nq())) throw std::invalid_argument("the pose does not have nq numbers");
            return self.query.limits().violation(q.data());
          },
          nb::arg("q"), "How far a pose (nq) is outside its limits, in radians or lengths; 0 where it is within.")
      .def_prop_ro(
          "goals", [](const Asked& self) { return self.query.goals(); }, "Number of goals, including those of closed loops.")
      .def_prop_ro(
          "width", [](const Asked& self) { return self.query.width(); }, "Number of numbers in a row of targets.");
  m.def(
      "goal_arrays",
      [] {
        nb::dict out;
#define X(type, name, group, width) out[#name] = nb::str(std::is_same_v<type, int> ? "int32" : "float64");
        MANIKIN_GOAL_ARRAYS(X)
#undef X
        return out;
      },
      nb::sig("def goal_arrays() -> dict[str, str]"), "The arrays of goals in a block, in order, with their types.");
  query_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  // the methods of Solver
  const Name order[] = {kStart, kTargets, kThreads};
  bind_door(m, "solve", &solve_door, 2, order, kInSolve);
  bind_door(m, "solve_many", &solve_many_door, 3, order, kInMany);
  bind_door(m, "track", &track_door, 2, order, kInTrack);
}
