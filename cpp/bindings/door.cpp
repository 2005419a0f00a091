#include "bindings/door.h"

#include <nanobind/stl/string.h>
#include <structmember.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <string>

#include "bindings/query_holder.h"

namespace nb = nanobind;

namespace {

struct Word {
  const char* text;
  unsigned uses;
};
constexpr unsigned kInAll = kInSolve | kInMany | kInTrack;
constexpr Word kWords[kNames] = {{"start", kInAll},     {"targets", kInAll},     {"threads", kInMany},          {"weights", kInAll},
                                 {"active", kInAll},    {"restarts", kInAll},    {"iterations", kInAll},        {"budget", kInAll},
                                 {"seed", kInAll},      {"out", kInAll},         {"pick", kInSolve | kInMany},  {"prefer", kInAll},
                                 {"stiffness", kInAll}, {"settle", kInAll},      {"watch", kInAll | kInternal}, {"competing", kInAll | kInternal},
                                 {"near", kInternal},   {"strict", kInternal},   {"before", kInTrack},          {"dt", kInTrack},
                                 {"times", kInTrack},   {"max_speed", kInTrack}, {"refine", kInTrack},          {"escape", kInTrack},
                                 {"seconds", kInTrack}, {"stay", kInTrack}};
PyObject* words[kNames];  // interned
PyTypeObject* method_type = nullptr;
PyObject* bound_type = nullptr;  // types.MethodType; the stable ABI has no PyMethod_New

struct Way {
  Native native;
  int positional;
  Uses use;
  Name order[3];
};
std::map<std::string, Way>& ways() {
  static std::map<std::string, Way> all;
  return all;
}

struct Method {
  PyObject_HEAD
  vectorcallfunc call;
  PyObject* function;  // null without a method to fall back to
  const Way* way;
};

// Collects the arguments by name. Returns false if one is unknown or given twice.
bool taken(const Way& way, bool internal, PyObject* const* args, Py_ssize_t count, PyObject* names, Arguments& out) {
  if (count < 1 || count > 1 + way.positional) return false;
  out.self = args[0];
  for (Py_ssize_t k = 1; k < count; ++k) out.value[way.order[k - 1]] = args[k];
  const Py_ssize_t named = names ? PyTuple_Size(names) : 0;
  out.named = named > 0;
  for (Py_ssize_t k = 0; k < named; ++k) {
    PyObject* const word = PyTuple_GetItem(names, k);  // keywords in calls are interned
    const long at = std::find(words, words + kNames, word) - words;
    if (at >= kNames || !(kWords[at].uses & way.use) || (!internal && kWords[at].uses & kInternal) || out.value[at]) return false;
    out.value[at] = args[count + k];
  }
  return true;
}

PyObject* call_method(PyObject* self, PyObject* const* args, std::size_t flags, PyObject* names) {
  const Method* method = reinterpret_cast<Method*>(self);
  Arguments given;
  if (taken(*method->way, !method->function, args, PyVectorcall_NARGS(flags), names, given)) {
    PyObject* const query = query_of(given.self);
    if (!query) return nullptr;
    PyObject* const found = method->way->native(given, query);
    Py_DECREF(query);
    if (found || PyErr_Occurred()) return found;
  }
  if (method->function) return PyObject_Vectorcall(method->function, args, flags, names);
  PyErr_SetString(PyExc_TypeError, "an argument does not have the form that the native core expects");
  return nullptr;
}

PyObject* bind_method(PyObject* self, PyObject* object, PyObject*) {
  return !object || object == Py_None ? Py_NewRef(self) : PyObject_CallFunctionObjArgs(bound_type, self, object, nullptr);
}

PyObject* attribute_of(PyObject* self, PyObject* name) {
  PyObject* own = PyObject_GenericGetAttr(self, name);  // __get__, __call__, __wrapped__
  PyObject* const function = reinterpret_cast<Method*>(self)->function;
  if (own || !function || !PyErr_ExceptionMatches(PyExc_AttributeError)) return own;
  PyErr_Clear();
  return PyObject_GetAttr(function, name);  // __name__, __module__, ...
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

PyObject* doc_of(PyObject* self, void*) {
  PyObject* const function = reinterpret_cast<Method*>(self)->function;
  return function ? PyObject_GetAttrString(function, "__doc__") : Py_NewRef(Py_None);
}

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

PyType_Spec method_spec = {"manikin._core.NativeMethod", sizeof(Method), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR, method_slots};

nb::object made_method(const Way& way, PyObject* function) {
  Method* made = PyObject_GC_New(Method, method_type);
  if (!made) nb::raise_python_error();
  made->call = call_method;
  made->function = Py_XNewRef(function);
  made->way = &way;
  PyObject_GC_Track(made);
  return nb::steal(reinterpret_cast<PyObject*>(made));
}

}  // namespace

Arguments arguments_in(PyObject* self, PyObject* dict) {
  Arguments out;
  out.self = self;
  out.named = true;
  for (int k = 0; k < kNames; ++k) out.value[k] = PyDict_GetItemWithError(dict, words[k]);
  return out;
}

void bind_doors(nb::module_& m) {
  for (int k = 0; k < kNames; ++k) words[k] = PyUnicode_InternFromString(kWords[k].text);
  method_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&method_spec));
  if (!method_type) nb::raise_python_error();
  bound_type = nb::object(nb::module_::import_("types").attr("MethodType")).release().ptr();
  m.def(
      "native_method",
      [](const nb::object& function) {
        const std::string name = nb::cast<std::string>(function.attr("__name__"));
        const auto way = ways().find(name);
        if (way == ways().end()) throw std::invalid_argument("the native core has no method '" + name + "'");
        return made_method(way->second, function.ptr());
      },
      nb::arg("function"), nb::sig("def native_method(function: object) -> object"),
      "The method. Calls whose arguments have the form that the native core expects are answered natively, by the query in `self._query`.");
}

void bind_door(nb::module_& m, const char* name, Native native, int positional, const Name* order, Uses use) {
  Way way{native, positional, use, {}};
  std::copy(order, order + positional, way.order);
  m.attr(name) = made_method(ways()[name] = way, nullptr);
}
