#include "bindings/numpy_arrays.h"

namespace nb = nanobind;

namespace numpy_arrays {
namespace {

// The first fields of PyArrayObject and PyArray_Descr.
struct Array {
  PyObject_HEAD
  char* data;
  int axes;
  Py_ssize_t* shape;
  Py_ssize_t* strides;
  PyObject* base;
  PyObject* type;
  int flags;
};
struct Type {
  PyObject_HEAD
  PyTypeObject* scalar;
  char kind, letter, order, other;
  int number;
};

constexpr int kNumber[] = {12, 5, 0};              // NPY_DOUBLE, NPY_INT, NPY_BOOL
constexpr const char kFormat[] = {'d', 'i', '?'};  // the same in the buffer protocol
constexpr const char* kName[] = {"float64", "int32", "bool"};
constexpr int kPlain = 0x0001 | 0x0100;  // C order, aligned
constexpr int kWritable = 0x0400;
constexpr unsigned kOne = 0x01000009, kTwo = 0x02000000;  // versions of the binary interface: NumPy 1.x, 2.x

using NewArray = PyObject* (*)(PyTypeObject*, PyObject*, int, const Py_ssize_t*, const Py_ssize_t*, void*, int, PyObject*);

struct Api {
  PyTypeObject* array = nullptr;
  PyObject* type[3] = {nullptr, nullptr, nullptr};  // by Kind
  NewArray create = nullptr;
};
Api api;
bool in_use = false;

void** table() {
  for (const char* name : {"numpy._core._multiarray_umath", "numpy.core._multiarray_umath"}) {
    PyObject* module = PyImport_ImportModule(name);
    PyObject* capsule = module ? PyObject_GetAttrString(module, "_ARRAY_API") : nullptr;
    void* found = capsule ? PyCapsule_GetPointer(capsule, nullptr) : nullptr;
    Py_XDECREF(capsule);
    Py_XDECREF(module);
    if (found) return static_cast<void**>(found);
    PyErr_Clear();
  }
  return nullptr;
}

// Calls found(buffer) for an array in C order with the right type of numbers.
template <class Found>
void with_buffer(PyObject* object, Kind kind, const Found& found) {
  Py_buffer buffer;
  if (PyObject_GetBuffer(object, &buffer, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return;
  }
  const char* format = buffer.format ? buffer.format : "B";
  if (format[0] == kFormat[static_cast<int>(kind)] && format[1] == 0) found(buffer);
  PyBuffer_Release(&buffer);
}

View by_buffer(PyObject* object, Kind kind) {
  View out;
  with_buffer(object, kind, [&](const Py_buffer& buffer) {
    if (buffer.ndim != 1 && buffer.ndim != 2) return;
    out.data = buffer.buf;
    out.axes = buffer.ndim;
    for (int k = 0; k < buffer.ndim; ++k) out.shape[k] = buffer.shape[k];
    out.writable = !buffer.readonly;
  });
  return out;
}

}  // namespace

void look_up() {
  api.array = reinterpret_cast<PyTypeObject*>(nb::object(nb::module_::import_("numpy").attr("ndarray")).release().ptr());  // never released
  void** const entry = table();
  if (!entry) return;
  const unsigned version = reinterpret_cast<unsigned (*)()>(entry[0])();
  if (version != kOne && version != kTwo) return;
  in_use = true;
  for (int k = 0; k < 3; ++k) {
    api.type[k] = reinterpret_cast<PyObject* (*)(int)>(entry[45])(kNumber[k]);
    in_use = in_use && api.type[k];
  }
  api.create = reinterpret_cast<NewArray>(entry[94]);
  if (!in_use) PyErr_Clear();
}

bool use(bool wanted) { return in_use = wanted && api.type[2]; }

View view(PyObject* object, Kind kind) {
  if (Py_TYPE(object) != api.array) return {};  // not a subclass: a mask would be lost
  if (!in_use) return by_buffer(object, kind);
  const Array* a = reinterpret_cast<const Array*>(object);
  const Type* t = reinterpret_cast<const Type*>(a->type);
  const int which = static_cast<int>(kind);
  const bool fits = a->type == api.type[which] || (t->number == kNumber[which] && (t->order == '=' || t->order == '|'));
  if (!fits || a->axes < 1 || a->axes > 2 || (a->flags & kPlain) != kPlain) return {};
  return View{a->data, a->axes, {a->shape[0], a->axes == 2 ? a->shape[1] : 0}, (a->flags & kWritable) != 0};
}

Matrices matrices(PyObject* object) {
  Matrices out;
  if (Py_TYPE(object) != api.array) return out;
  with_buffer(object, Kind::kDouble, [&](const Py_buffer& buffer) {
    if (buffer.ndim < 2 || buffer.ndim > 4) return;
    out.data = static_cast<const double*>(buffer.buf);
    out.axes = buffer.ndim;
    for (int k = 0; k < buffer.ndim; ++k) out.shape[k] = buffer.shape[k];
  });
  return out;
}

PyObject* made(Kind kind, int axes, const Py_ssize_t* shape, void** data) {
  const int which = static_cast<int>(kind);
  if (in_use) {
    Py_INCREF(api.type[which]);  // the new array takes this reference
    PyObject* array = api.create(api.array, api.type[which], axes, shape, nullptr, nullptr, 0, nullptr);
    if (array) *data = reinterpret_cast<Array*>(array)->data;
    return array;
  }
  nb::object empty = nb::module_::import_("numpy").attr("empty");
  nb::object array = axes == 1 ? empty(shape[0], kName[which]) : empty(nb::make_tuple(shape[0], shape[1]), kName[which]);
  *data = by_buffer(array.ptr(), kind).data;
  if (!*data && (shape[0] != 0)) {
    PyErr_SetString(PyExc_RuntimeError, "numpy.empty returned an array of another type");
    return nullptr;
  }
  return array.release().ptr();
}

}  // namespace numpy_arrays
