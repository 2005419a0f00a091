// The base of `Solver`: an object that holds its query where native methods find it without a lookup by name.
#pragma once
#include <nanobind/nanobind.h>

// Returns the query of an object as a new reference: what a QueryHolder holds, or else the attribute `_query`. Null with an exception if there is
// none.
PyObject* query_of(PyObject* object);
