#include "manikin/quick.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>
#include <structmember.h>

#include <chrono>
#include <exception>
#include <cstddef>
#include <new>
#include <stdexcept>

#include "module.h"
#include "numpy_arrays.h"
#include "pose.h"

namespace nb = nanobind;
using manikin::Quick;

namespace {

using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// The pose for a start and a row of targets (None: the rest pose with the heading of the targets, the goals' own); null without an
// exception where these must be looked at in Python first: of another type or shape, not finite, outside limits. With `checked` they were.
PyObject* solve(const Quick& quick, PyObject* q, PyObject* targets, bool checked) {
  const int nq = quick.nq();
  const double *from = nullptr, *wanted = quick.targets();
  if (q != Py_None) {
    from = numpy_arrays::plain(q, nq);
    if (!from || (!checked && !quick.sound_pose(from))) return nullptr;
  }
  if (targets != Py_None) {
    wanted = numpy_arrays::plain(targets, quick.width());
    if (!wanted || (!checked && !quick.sound_targets(wanted))) return nullptr;
  }
  double *pose, *errors;
  PyObject* array = numpy_arrays::made(nq, &pose);
  if (!array) return nullptr;
  PyObject* answer = new_pose(array, quick.goals(), &errors);
  if (!answer) return nullptr;
  if (from)
    std::copy(from, from + nq, pose);
  else
    quick.start(wanted, pose);
  const manikin::SolveOptions options{40, 1000000, 30, 0, 0, 0, 0, 1e308, seconds};
  manikin::SolveResult result;
  try {
    if (!quick.solve_soon(options, wanted, pose, errors, &result)) {
      nb::gil_scoped_release release;
      quick.solve(options, wanted, pose, errors, &result);
    }
  } catch (const std::bad_alloc&) {
    Py_DECREF(answer);
    return PyErr_NoMemory();
  } catch (const std::exception& e) {  // as when a thread's memory cannot be had
    Py_DECREF(answer);
    PyErr_SetString(PyExc_RuntimeError, e.what());
    return nullptr;
  }
  quick.remember(pose);
  set_ending(answer, result.status, result.iterations);
  return answer;
}

bool sound_poses(const Quick& quick, nb::handle q) {
  Py_ssize_t count = 1;
  const double* from = numpy_arrays::plain(q.ptr(), quick.nq());
  if (!from) from = numpy_arrays::plain_rows(q.ptr(), quick.nq(), &count);
  for (Py_ssize_t k = 0; from && k < count; ++k)
    if (!quick.sound_pose(from + k * quick.nq())) return false;
  return from != nullptr;
}

bool sound_targets(const Quick& quick, nb::handle targets) {
  Py_ssize_t count = 0;
  const double* from = numpy_arrays::plain_rows(targets.ptr(), quick.width(), &count);
  for (Py_ssize_t k = 0; from && k < count; ++k)
    if (!quick.sound_targets(from + k * quick.width())) return false;
  return from != nullptr;
}

// A method of Python whose calls with plain arrays do not go through Python: `@quick_method` in front of `def solve(self, q, targets, ...)`. Calls
// go to the native solver in `self._quick`, and to the method itself where there is none, with other arguments, or where
// these must be looked at.
struct Method {
  PyObject_HEAD
  vectorcallfunc call;
  PyObject* function;
};

PyTypeObject *method_type = nullptr, *quick_type = nullptr;
PyObject *quick_name = nullptr, *q_name = nullptr, *targets_name = nullptr;

PyObject* call_method(PyObject* self, PyObject* const* args, std::size_t flags, PyObject* names) {
  PyObject* const function = reinterpret_cast<Method*>(self)->function;
  const Py_ssize_t count = PyVectorcall_NARGS(flags), named = names ? PyTuple_Size(names) : 0;
  PyObject* taken[3] = {nullptr, nullptr, nullptr};
  bool ours = count >= 1 && count <= 3;
  if (ours) {
    std::copy(args, args + count, taken);
    for (Py_ssize_t k = 0; k < named && ours; ++k) {
      PyObject* const name = PyTuple_GetItem(names, k);  // names in calls are interned
      PyObject*& place = taken[name == q_name ? 1 : 2];
      ours = (name == q_name || name == targets_name) && !place;
      place = args[count + k];
    }
  }
  if (ours) {
    PyObject* const held = PyObject_GetAttr(taken[0], quick_name);
    if (!held) {
      PyErr_Clear();
    } else {
      PyObject* found = nullptr;
      if (Py_TYPE(held) == quick_type)
        found = solve(*nb::inst_ptr<Quick>(held), taken[1] ? taken[1] : Py_None, taken[2] ? taken[2] : Py_None, false);
      Py_DECREF(held);
      if (found || PyErr_Occurred()) return found;
    }
  }
  return PyObject_Vectorcall(function, args, flags, names);
}

PyObject* bind_method(PyObject* self, PyObject* object, PyObject*) {
  return !object || object == Py_None ? Py_NewRef(self) : PyMethod_New(self, object);
}

PyObject* attribute_of(PyObject* self, PyObject* name) {
  PyObject* own = PyObject_GenericGetAttr(self, name);  // __get__, __call__, __wrapped__
  if (own || !PyErr_ExceptionMatches(PyExc_AttributeError)) return own;
  PyErr_Clear();
  return PyObject_GetAttr(reinterpret_cast<Method*>(self)->function, name);  // __name__, __module__, ...
}

int visit_method(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(reinterpret_cast<Method*>(self)->function);
  return 0;
}

int clear_method(PyObject* self) {
  Py_CLEAR(reinterpret_cast<Method*>(self)->function);
  return 0;
}

void destroy_method(PyObject* self) {
  PyTypeObject* const mine = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear_method(self);
  PyObject_GC_Del(self);
  Py_DECREF(mine);
}

PyObject* doc_of(PyObject* self, void*) { return PyObject_GetAttrString(reinterpret_cast<Method*>(self)->function, "__doc__"); }

PyMemberDef method_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Method, call), READONLY, nullptr},
    {"__wrapped__", T_OBJECT_EX, offsetof(Method, function), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyGetSetDef method_getters[] = {
    {"__doc__", doc_of, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyType_Slot method_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(destroy_method)},
    {Py_tp_traverse, reinterpret_cast<void*>(visit_method)},
    {Py_tp_clear, reinterpret_cast<void*>(clear_method)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_descr_get, reinterpret_cast<void*>(bind_method)},
    {Py_tp_getattro, reinterpret_cast<void*>(attribute_of)},
    {Py_tp_members, method_members},
    {Py_tp_getset, method_getters},
    {0, nullptr},
};

PyType_Spec method_spec = {"manikin._core.QuickMethod", sizeof(Method), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR, method_slots};

nb::object quick_method(nb::object function) {
  Method* made = PyObject_GC_New(Method, method_type);
  if (!made) nb::raise_python_error();
  made->call = call_method;
  made->function = function.release().ptr();
  PyObject_GC_Track(made);
  return nb::steal(reinterpret_cast<PyObject*>(made));
}

}  // namespace

void bind_quick(nb::module_& m) {
  numpy_arrays::look_up();
  m.def("use_array_api", &numpy_arrays::use, nb::arg("api"),
        "Whether arrays are read and made through NumPy's C API (as they are) or without it; whether they are then.");
  bind_pose(m);
  nb::class_<Quick> type(m, "Quick", "One query at a time.");
  type
      .def(
          "__init__",
          [](Quick* self, const manikin::Solver& solver, const Doubles& rest, const Doubles& lower, const Doubles& upper, std::vector<int> balls,
             std::vector<int> cones, const Doubles& cone_numbers, const Doubles& weights, std::vector<int> quaternions, std::vector<int> directions, std::vector<double> own_targets,
             int width, std::vector<int> goal_of, std::vector<double> share, std::vector<int> coupled, std::vector<int> source,
             std::vector<double> ratio, std::vector<double> shift, const manikin::Heading* heading) {
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
                                                          std::move(ratio), std::move(shift), heading});
          },
          nb::arg("solver"), nb::kw_only(), nb::arg("rest"), nb::arg("lower"), nb::arg("upper"), nb::arg("balls"), nb::arg("cones"), nb::arg("cone_numbers"),
          nb::arg("weights"), nb::arg("quaternions"), nb::arg("directions"), nb::arg("own_targets"), nb::arg("width"), nb::arg("goal_of"),
          nb::arg("share"), nb::arg("coupled"), nb::arg("source"), nb::arg("ratio"), nb::arg("shift"), nb::arg("heading").none(),
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 20>())
      .def(
          "solve",
          [](const Quick& self, nb::handle q, nb::handle targets) {
            nb::object found = nb::steal(solve(self, q.ptr(), targets.ptr(), true));
            if (found.is_valid()) return found;
            if (PyErr_Occurred()) nb::raise_python_error();
            throw std::invalid_argument("q and targets must be float64 arrays in C order, of the problem's sizes");
          },
          nb::arg("q").none(), nb::arg("targets").none(), nb::sig("def solve(self, q: object, targets: object) -> Pose"),
          "The pose for arguments that were checked: a start within limits and a row of targets; None is the rest pose with the heading of the targets, the goals' own.")
      .def("sound_poses", &sound_poses, nb::arg("q"),
           "Whether this is a plain float64 array (nq,) or (B, nq) of poses, finite, with unit quaternions and within limits. False means: look at it.")
      .def("sound_targets", &sound_targets, nb::arg("targets"),
           "Whether this is a plain float64 array (B, k) of targets, finite, with unit quaternions and directions. False means: look at it.");
  quick_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  method_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&method_spec));
  if (!method_type) nb::raise_python_error();
  quick_name = PyUnicode_InternFromString("_quick");
  q_name = PyUnicode_InternFromString("q");
  targets_name = PyUnicode_InternFromString("targets");
  m.def("quick_method", &quick_method, nb::arg("function"), nb::sig("def quick_method(function: object) -> object"),
        "The method, with calls on plain arrays going straight to the native solver in `self._quick`.");
}
