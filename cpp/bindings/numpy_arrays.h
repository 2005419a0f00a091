// Arrays of NumPy, read and made through its C API, which is looked up when the module is loaded: no headers of NumPy are
// needed to build, and one binary serves NumPy 1.24 and later, 2.x too. What is read here is what NumPy's own macros read
// inline, so it cannot change within these versions. Of a NumPy that is unknown, arrays are read by the buffer protocol and made by
// numpy.empty, which is slower by some hundred nanoseconds.
#pragma once
#include <nanobind/nanobind.h>

namespace numpy_arrays {

enum class Kind { kDouble, kInt, kBool };  // float64, int32, bool

// Finds the C API; called once, with the module.
void look_up();
// Whether the C API is used; false leaves it aside, as an unknown NumPy would.
bool use(bool api);

// What is known of an array: C order, native bytes, aligned, no subclass.
struct View {
  void* data = nullptr;  // null where an object is something else. It is there as long as the object is.
  int axes = 0;
  Py_ssize_t shape[2] = {0, 0};
  bool writable = false;

  // Whether it is (width) or, where rows may be, (any, width).
  bool fits(Py_ssize_t width, bool rows) const { return data && (axes == 1 || (rows && axes == 2)) && shape[axes - 1] == width; }
  Py_ssize_t rows() const { return axes == 2 ? shape[0] : 1; }
  template <class T>
  const T* as() const {
    return static_cast<const T*>(data);
  }
};
View view(PyObject* object, Kind kind);

// A new array of one or two axes, its numbers not set; null with an exception where there is no memory.
PyObject* made(Kind kind, int axes, const Py_ssize_t* shape, void** data);
inline PyObject* made(Py_ssize_t count, double** data) { return made(Kind::kDouble, 1, &count, reinterpret_cast<void**>(data)); }

}  // namespace numpy_arrays
