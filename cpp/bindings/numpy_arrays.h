// Arrays of NumPy, read and made through its C API, which is looked up when the module is loaded: no headers of NumPy are
// needed to build, and one binary serves NumPy 1.24 and later, 2.x too. What is read here is what NumPy's own macros read
// inline, so it cannot change within these versions. Of a NumPy that is unknown, arrays are read by the buffer protocol and made by
// numpy.empty, which is slower by some hundred nanoseconds.
#pragma once
#include <nanobind/nanobind.h>

namespace numpy_arrays {

// Finds the C API; called once, with the module.
void look_up();
// Whether the C API is used; false leaves it aside, as an unknown NumPy would.
bool use(bool api);

// The numbers of a float64 array of one axis, C order, native bytes, `count` of them; null where an object is something else.
// They are there as long as the object is.
const double* plain(PyObject* object, Py_ssize_t count);
// The same for an array of two axes, `width` numbers in a row; sets how many rows there are.
const double* plain_rows(PyObject* object, Py_ssize_t width, Py_ssize_t* rows);
// A new array (count), its numbers not set; null with an exception where there is no memory.
PyObject* made(Py_ssize_t count, double** data);

}  // namespace numpy_arrays
