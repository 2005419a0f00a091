// What Solver.solve gives: a type of its own, by the C API. An instance of nanobind would be entered into a table of all instances
// and taken out again, which costs more than the rest of it.
#pragma once
#include <nanobind/nanobind.h>

// The type `Pose`, and how the statuses are set.
void bind_pose(nanobind::module_& m);

// A new one, with room for errors (goals), which are to be written. Takes the reference to `pose`. Null with an exception
// where there is no memory.
PyObject* new_pose(PyObject* pose, Py_ssize_t goals, double** errors);
// How it ended.
void set_ending(PyObject* pose, int code, int iterations);
