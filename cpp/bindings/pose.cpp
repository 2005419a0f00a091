#include "pose.h"

#include <structmember.h>

#include <cstddef>

#include "numpy_arrays.h"

namespace nb = nanobind;

namespace {

struct Pose {
  PyObject_VAR_HEAD      // as many items as errors
  PyObject* pose;
  PyObject* errors;      // made when it is asked for
  PyObject* notes;       // none unless there is something to say
  double start_violation;
  int code, iterations;
  double number[1];
};

PyTypeObject* type = nullptr;
nb::handle statuses;  // by the solver's number; kept for as long as the process runs

Pose* of(PyObject* self) { return reinterpret_cast<Pose*>(self); }

PyObject* create(PyTypeObject* subtype, PyObject* args, PyObject* names) {
  static const char* const words[] = {"pose", "errors", "code", "iterations", "start_violation", "notes", nullptr};
  PyObject *pose, *errors, *notes = nullptr;
  int code, iterations;
  double start_violation = 0.0;
  if (!PyArg_ParseTupleAndKeywords(args, names, "OOii|dO!", const_cast<char**>(words), &pose, &errors, &code, &iterations, &start_violation,
                                   &PyTuple_Type, &notes))
    return nullptr;
  if (code < 0 || code > 3) {
    PyErr_Format(PyExc_ValueError, "code is %d; there are the endings 0 to 3", code);
    return nullptr;
  }
  double* none;
  PyObject* self = new_pose(Py_NewRef(pose), 0, &none);
  if (!self) return nullptr;
  (void)subtype;  // Pose itself: it cannot be derived from
  of(self)->errors = Py_NewRef(errors);
  of(self)->notes = Py_XNewRef(notes);
  of(self)->start_violation = start_violation;
  set_ending(self, code, iterations);
  return self;
}

void destroy(PyObject* self) {
  Py_XDECREF(of(self)->pose);
  Py_XDECREF(of(self)->errors);
  Py_XDECREF(of(self)->notes);
  PyTypeObject* const mine = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(mine);
}

PyObject* errors_of(PyObject* self, void*) {
  Pose* p = of(self);
  if (!p->errors) {
    double* to;
    const Py_ssize_t count = Py_SIZE(self);
    p->errors = numpy_arrays::made(count, &to);
    if (!p->errors) return nullptr;
    for (Py_ssize_t k = 0; k < count; ++k) to[k] = p->number[k];
  }
  return Py_NewRef(p->errors);
}

PyObject* reached_of(PyObject* self, void*) { return PyBool_FromLong(of(self)->code == 0); }

PyObject* notes_of(PyObject* self, void*) { return of(self)->notes ? Py_NewRef(of(self)->notes) : PyTuple_New(0); }

PyObject* status_of(PyObject* self, void*) {
  PyObject* status = PyTuple_GetItem(statuses.ptr(), of(self)->code);
  return status ? Py_NewRef(status) : nullptr;
}

// How it is copied and pickled: made anew of what it holds.
PyObject* reduce(PyObject* self, PyObject*) {
  const Pose* p = of(self);
  PyObject *errors = errors_of(self, nullptr), *notes = errors ? notes_of(self, nullptr) : nullptr;
  if (!notes) {
    Py_XDECREF(errors);
    return nullptr;
  }
  return Py_BuildValue("O(ONiidN)", reinterpret_cast<PyObject*>(type), p->pose, errors, p->code, p->iterations, p->start_violation, notes);
}

PyObject* shown(PyObject* self) {
  PyObject *errors = errors_of(self, nullptr), *status = errors ? status_of(self, nullptr) : nullptr;
  PyObject* text = status ? PyObject_Str(status) : nullptr;
  PyObject* out = text ? PyUnicode_FromFormat("Pose(status='%U', errors=%R, iterations=%d)", text, errors, of(self)->iterations) : nullptr;
  Py_XDECREF(errors);
  Py_XDECREF(status);
  Py_XDECREF(text);
  return out;
}

PyMethodDef methods[] = {
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef members[] = {
    {"pose", T_OBJECT_EX, offsetof(Pose, pose), READONLY, "(nq,) always finite and within limits."},
    {"code", T_INT, offsetof(Pose, code), READONLY, "The same as a number: 0 is reached."},
    {"iterations", T_INT, offsetof(Pose, iterations), READONLY, "Steps computed, all starts together."},
    {"start_violation", T_DOUBLE, offsetof(Pose, start_violation), READONLY,
     "How far the start was outside its limits before it was brought in, radians or length; 0 where it was within."},
    {nullptr, 0, 0, 0, nullptr},
};

PyGetSetDef getters[] = {
    {"errors", errors_of, nullptr, "(goals,) one norm a goal, in lengths or radians; 0 where a goal is not active.", nullptr},
    {"reached", reached_of, nullptr, "Whether every goal is within its tolerance.", nullptr},
    {"status", status_of, nullptr, "How it ended.", nullptr},
    {"notes", notes_of, nullptr, "What was done to the input, in words.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>("What `Solver.solve` gives: one row of `Poses`.")},
    {Py_tp_new, reinterpret_cast<void*>(create)},
    {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
    {Py_tp_repr, reinterpret_cast<void*>(shown)},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_tp_getset, getters},
    {0, nullptr},
};

PyType_Spec spec = {"manikin._core.Pose", offsetof(Pose, number), sizeof(double), Py_TPFLAGS_DEFAULT, slots};

}  // namespace

PyObject* new_pose(PyObject* pose, Py_ssize_t goals, double** errors) {
  Pose* p = PyObject_NewVar(Pose, type, goals);
  if (!p) {
    Py_DECREF(pose);
    return nullptr;
  }
  p->pose = pose;
  p->errors = p->notes = nullptr;
  p->start_violation = 0.0;
  p->code = p->iterations = 0;
  *errors = p->number;
  return reinterpret_cast<PyObject*>(p);
}

void set_ending(PyObject* pose, int code, int iterations) {
  of(pose)->code = code;
  of(pose)->iterations = iterations;
}

void bind_pose(nb::module_& m) {
  nb::object made = nb::steal(PyType_FromSpec(&spec));
  type = reinterpret_cast<PyTypeObject*>(made.ptr());
  m.attr("Pose") = made;
  made.release();  // kept for as long as the process runs
  m.def("set_statuses", [](nb::tuple all) { statuses = all.release(); }, nb::arg("all"),
        nb::sig("def set_statuses(all: tuple[object, ...]) -> None"), "What Pose.status gives, by the solver's number.");
}
