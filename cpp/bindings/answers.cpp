#include "bindings/answers.h"

#include <structmember.h>

#include <algorithm>
#include <cstddef>

#include "bindings/module.h"

namespace nb = nanobind;

namespace {

PyTypeObject* answer_base = nullptr;                          // kept until the process ends
PyObject *status_words = nullptr, *bad_value_type = nullptr;  // likewise

Answer* of(PyObject* self) { return reinterpret_cast<Answer*>(self); }

// One answer

PyObject* create_answer(PyTypeObject*, PyObject* args, PyObject* names) {
  static const char* const words[] = {"pose", "errors", "code", "iterations", "start_violation", "notes", "chosen", "owner", "extra", nullptr};
  PyObject *pose, *errors, *notes = nullptr, *chosen = nullptr, *owner = nullptr, *extra = nullptr;
  int code, iterations;
  double start_violation = 0.0;
  if (!PyArg_ParseTupleAndKeywords(args, names, "OOii|dOOOO", const_cast<char**>(words), &pose, &errors, &code, &iterations, &start_violation, &notes,
                                   &chosen, &owner, &extra))
    return nullptr;
  if (code < 0 || code > 3) {
    PyErr_Format(PyExc_ValueError, "code is %d; it must be from 0 to 3", code);
    return nullptr;
  }
  Answer* a = new_answer(Py_NewRef(pose), owner ? owner : Py_None, 0, 0, 0);
  if (!a) return nullptr;
  const auto kept = [](PyObject* object) { return object && object != Py_None ? Py_NewRef(object) : nullptr; };
  a->errors = Py_NewRef(errors);
  a->notes = kept(notes);
  a->chosen = kept(chosen);
  a->extra = kept(extra);
  a->start_violation = start_violation;
  a->code = code;
  a->iterations = iterations;
  return reinterpret_cast<PyObject*>(a);
}

void destroy_answer(PyObject* self) {
  Answer* a = of(self);
  for (PyObject* object : {a->pose, a->errors, a->notes, a->chosen, a->owner, a->extra}) Py_XDECREF(object);
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

PyObject* array_of(const double* numbers, Py_ssize_t count) {
  double* to;
  PyObject* array = numpy_arrays::made(count, &to);
  if (array) std::copy(numbers, numbers + count, to);
  return array;
}

PyObject* errors_of(PyObject* self, void*) {
  Answer* a = of(self);
  if (!a->errors) a->errors = array_of(a->number, a->goals);
  return a->errors ? Py_NewRef(a->errors) : nullptr;
}

PyObject* none() { return Py_NewRef(Py_None); }

PyObject* targets_of(PyObject* self, void*) { return of(self)->width ? array_of(of(self)->target_numbers(), of(self)->width) : none(); }
PyObject* start_of(PyObject* self, void*) { return of(self)->nq ? array_of(of(self)->start_numbers(), of(self)->nq) : none(); }
PyObject* reached_of(PyObject* self, void*) { return PyBool_FromLong(of(self)->code == 0); }

PyObject* status_of(PyObject* self, void*) {
  PyObject* word = PyTuple_GetItem(status_words, of(self)->code);
  return word ? Py_NewRef(word) : nullptr;
}

PyMemberDef answer_members[] = {
    {"pose", T_OBJECT_EX, offsetof(Answer, pose), READONLY, "(nq,) the pose that was found. Always finite."},
    {"code", T_INT, offsetof(Answer, code), READONLY, "The status as a number: 0 is reached."},
    {"iterations", T_INT, offsetof(Answer, iterations), READONLY, "Steps computed, all starts together."},
    {"start_violation", T_DOUBLE, offsetof(Answer, start_violation), READONLY,
     "How far the start was outside its limits before it was clipped to them, in radians or lengths; 0 where it was within."},
    {"_notes", T_OBJECT, offsetof(Answer, notes), READONLY, nullptr},
    {"_chosen", T_OBJECT, offsetof(Answer, chosen), READONLY, nullptr},
    {"_owner", T_OBJECT, offsetof(Answer, owner), READONLY, nullptr},
    {"_extra", T_OBJECT, offsetof(Answer, extra), 0, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyGetSetDef answer_getters[] = {
    {"errors", errors_of, nullptr, "(goals,) one norm for each goal, in lengths or radians.", nullptr},
    {"reached", reached_of, nullptr, "Whether every goal is within its tolerance.", nullptr},
    {"status", status_of, nullptr, "How the solver ended.", nullptr},
    {"_targets", targets_of, nullptr, nullptr, nullptr},
    {"_start", start_of, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyType_Slot answer_slots[] = {
    {Py_tp_doc, const_cast<char*>("One pose that a solver found: the base of `Solution`.")},
    {Py_tp_new, reinterpret_cast<void*>(create_answer)},
    {Py_tp_dealloc, reinterpret_cast<void*>(destroy_answer)},
    {Py_tp_members, answer_members},
    {Py_tp_getset, answer_getters},
    {0, nullptr},
};
PyType_Spec answer_spec = {"manikin.solution.Solution", offsetof(Answer, number), sizeof(double), Py_TPFLAGS_DEFAULT, answer_slots};

}  // namespace

PyTypeObject* made_type(nb::module_& m, PyType_Spec* spec, const char* name) {
  nb::object type = nb::steal(PyType_FromSpec(spec));
  if (!type.is_valid()) nb::raise_python_error();
  m.attr(name) = type;
  return reinterpret_cast<PyTypeObject*>(type.release().ptr());  // kept until the process ends
}

Answer* new_answer(PyObject* pose, PyObject* owner, int goals, int width, int nq) {
  Answer* a = PyObject_NewVar(Answer, answer_base, goals + width + nq);
  if (!a) {
    Py_DECREF(pose);
    return nullptr;
  }
  a->pose = pose;
  a->errors = a->notes = a->chosen = a->extra = nullptr;
  a->owner = Py_NewRef(owner);
  a->start_violation = 0.0;
  a->code = a->iterations = 0;
  a->goals = goals;
  a->width = width;
  a->nq = nq;
  return a;
}

PyObject* bad_value() { return bad_value_type ? bad_value_type : PyExc_ValueError; }

void bind_answers(nb::module_& m) {
  answer_base = made_type(m, &answer_spec, "Answer");
  m.def(
      "set_answers",
      [](nb::tuple statuses, nb::object value_error) {
        status_words = statuses.release().ptr();
        bad_value_type = value_error.release().ptr();
      },
      nb::arg("statuses"), nb::arg("bad_value"), nb::sig("def set_answers(statuses: tuple[object, ...], bad_value: type) -> None"),
      "The status by its number, and the exception for bad values.");
}
