#include "numpy_arrays.h"

namespace nb = nanobind;

namespace numpy_arrays {
namespace {

// The beginnings of PyArrayObject and PyArray_Descr.
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

constexpr int kDouble = 12;                        // NPY_DOUBLE
constexpr int kPlain = 0x0001 | 0x0100;            // C order, aligned
constexpr unsigned kOne = 0x01000009, kTwo = 0x02000000;  // versions of the binary interface: NumPy 1.x, 2.x

using NewArray = PyObject* (*)(PyTypeObject*, PyObject*, int, const Py_ssize_t*, const Py_ssize_t*, void*, int, PyObject*);

struct Api {
  PyTypeObject* array = nullptr;
  PyObject* type = nullptr;  // of float64
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

// (count) or, where rows are counted, (any, count).
const double* by_buffer(PyObject* object, Py_ssize_t count, Py_ssize_t* rows = nullptr) {
  if (Py_TYPE(object) != api.array) return nullptr;  // not of a subclass: a mask would be lost
  Py_buffer view;
  if (PyObject_GetBuffer(object, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return nullptr;
  }
  const char* format = view.format ? view.format : "B";
  const bool fits = format[0] == 'd' && format[1] == 0 && view.ndim == (rows ? 2 : 1) && view.shape[rows ? 1 : 0] == count;
  if (fits && rows) *rows = view.shape[0];
  const double* data = fits ? static_cast<const double*>(view.buf) : nullptr;
  PyBuffer_Release(&view);
  return data;
}

// An array of doubles in C order, or null.
const Array* doubles(PyObject* object, int axes) {
  if (Py_TYPE(object) != api.array) return nullptr;
  const Array* a = reinterpret_cast<const Array*>(object);
  const Type* t = reinterpret_cast<const Type*>(a->type);
  const bool fits = a->type == api.type || (t->number == kDouble && t->order == '=');
  return fits && a->axes == axes && (a->flags & kPlain) == kPlain ? a : nullptr;
}

}  // namespace

void look_up() {
  api.array = reinterpret_cast<PyTypeObject*>(nb::object(nb::module_::import_("numpy").attr("ndarray")).release().ptr());  // kept for good
  void** const entry = table();
  if (!entry) return;
  const unsigned version = reinterpret_cast<unsigned (*)()>(entry[0])();
  if (version != kOne && version != kTwo) return;
  api.type = reinterpret_cast<PyObject* (*)(int)>(entry[45])(kDouble);
  api.create = reinterpret_cast<NewArray>(entry[94]);
  in_use = api.type != nullptr;
  if (!in_use) PyErr_Clear();
}

bool use(bool wanted) { return in_use = wanted && api.type; }

const double* plain(PyObject* object, Py_ssize_t count) {
  if (!in_use) return by_buffer(object, count);
  const Array* a = doubles(object, 1);
  return a && a->shape[0] == count ? reinterpret_cast<const double*>(a->data) : nullptr;
}

const double* plain_rows(PyObject* object, Py_ssize_t width, Py_ssize_t* rows) {
  if (!in_use) return by_buffer(object, width, rows);
  const Array* a = doubles(object, 2);
  if (!a || a->shape[1] != width) return nullptr;
  *rows = a->shape[0];
  return reinterpret_cast<const double*>(a->data);
}

PyObject* made(Py_ssize_t count, double** data) {
  if (in_use) {
    Py_INCREF(api.type);  // the new array takes it
    PyObject* array = api.create(api.array, api.type, 1, &count, nullptr, nullptr, 0, nullptr);
    if (array) *data = reinterpret_cast<double*>(reinterpret_cast<Array*>(array)->data);
    return array;
  }
  nb::object array = nb::module_::import_("numpy").attr("empty")(count);
  *data = const_cast<double*>(by_buffer(array.ptr(), count));
  if (!*data) {
    PyErr_SetString(PyExc_RuntimeError, "numpy.empty gave something else than a float64 array");
    return nullptr;
  }
  return array.release().ptr();
}

}  // namespace numpy_arrays
