// NumPy arrays, read and created through NumPy's C API. The API is looked up when the module is loaded, so the build needs no NumPy headers, and one
// binary supports NumPy 1.24 and later, including 2.x. This code reads only fields that NumPy's own macros read inline, so they cannot change within
// these versions. With an unknown NumPy, arrays are read by the buffer protocol and created by numpy.empty, which is slower by a few hundred
// nanoseconds.
#pragma once
#include <nanobind/nanobind.h>

namespace numpy_arrays {

enum class Kind { kDouble, kInt, kBool };  // float64, int32, bool

// Looks up the C API; called once, when the module is loaded.
void look_up();
// Selects whether the C API is used; false has the same effect as an unknown NumPy.
bool use(bool api);

// A view of an array in C order, with native bytes, aligned, and not of a subclass.
struct View {
  void* data = nullptr;  // null if the object is something else; valid as long as the object
  int axes = 0;
  Py_ssize_t shape[2] = {0, 0};
  bool writable = false;

  // Whether the shape is (width) or, with `rows`, (any, width).
  bool fits(Py_ssize_t width, bool rows) const { return data && (axes == 1 || (rows && axes == 2)) && shape[axes - 1] == width; }
  Py_ssize_t rows() const { return axes == 2 ? shape[0] : 1; }
  template <class T>
  const T* as() const {
    return static_cast<const T*>(data);
  }
};
View view(PyObject* object, Kind kind);

// A view of matrices: an array of doubles like the above, with two to four axes.
struct Matrices {
  const double* data = nullptr;
  int axes = 0;
  Py_ssize_t shape[4] = {0, 0, 0, 0};
};
Matrices matrices(PyObject* object);

// Creates an array of one or two axes with uninitialised numbers. Returns null with an exception if memory is exhausted.
PyObject* made(Kind kind, int axes, const Py_ssize_t* shape, void** data);
inline PyObject* made(Py_ssize_t count, double** data) { return made(Kind::kDouble, 1, &count, reinterpret_cast<void**>(data)); }

}  // namespace numpy_arrays
