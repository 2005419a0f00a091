#include "bindings/query_holder.h"

#include <structmember.h>

#include <cstddef>

#include "bindings/answers.h"
#include "bindings/module.h"

namespace nb = nanobind;

namespace {

PyTypeObject* holder_type = nullptr;  // kept until the process ends
PyObject* query_word = nullptr;       // "_query", likewise

struct Holder {
  PyObject_HEAD
  PyObject* query;  // null until it is set
};

Holder* of(PyObject* self) { return reinterpret_cast<Holder*>(self); }

int visit_holder(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(of(self)->query);
  return 0;
}

int clear_holder(PyObject* self) {
  Py_CLEAR(of(self)->query);
  return 0;
}

void destroy_holder(PyObject* self) {
  PyTypeObject* const mine = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear_holder(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(mine, Py_tp_free))(self);
  Py_DECREF(mine);
}

PyMemberDef holder_members[] = {
    {"_query", T_OBJECT_EX, offsetof(Holder, query), 0, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot holder_slots[] = {
    {Py_tp_doc, const_cast<char*>("The base of `Solver`. It holds the query of the native methods.")},
    {Py_tp_dealloc, reinterpret_cast<void*>(destroy_holder)},
    {Py_tp_traverse, reinterpret_cast<void*>(visit_holder)},
    {Py_tp_clear, reinterpret_cast<void*>(clear_holder)},
    {Py_tp_members, holder_members},
    {0, nullptr},
};
PyType_Spec holder_spec = {"manikin._core.QueryHolder", sizeof(Holder), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                           holder_slots};

}  // namespace

PyObject* query_of(PyObject* object) {
  if (PyObject_TypeCheck(object, holder_type) && of(object)->query) return Py_NewRef(of(object)->query);
  return PyObject_GetAttr(object, query_word);
}

void bind_query_holder(nb::module_& m) {
  query_word = PyUnicode_InternFromString("_query");
  holder_type = made_type(m, &holder_spec, "QueryHolder");
}
