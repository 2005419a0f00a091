// Python methods whose calls with plain arrays bypass Python.
//
// `@native_method("solve")` in front of `def solve(self, ...)` makes a method that answers natively from the query in `self._query`, provided that
// every argument has the form that the core takes: float64 arrays in C order, integers, None. If an argument must be converted or is wrong, the
// Python method is called instead. It converts the argument, raises an error, or calls `_core.solve`, which is the same function without a method to
// fall back to.
#pragma once
#include <nanobind/nanobind.h>

// Names of arguments, in the order of `Arguments::value`. Names from kBefore on belong to tracks.
enum Name : int {
  kStart,
  kTargets,
  kThreads,
  kWeights,
  kActive,
  kRestarts,
  kIterations,
  kBudget,
  kSeed,
  kOut,
  kPick,
  kPrefer,
  kStiffness,
  kSettle,
  kWatch,
  kCompeting,
  kBefore,
  kDt,
  kTimes,
  kMaxSpeed,
  kRefine,
  kEscape,
  kSeconds,
  kStay,
  kNames
};

struct Arguments {
  PyObject* self = nullptr;
  PyObject* value[kNames] = {};  // borrowed; null if not given
  bool named = false;            // whether some are given by name

  PyObject* given(Name name) const { return value[name] && value[name] != Py_None ? value[name] : nullptr; }
};

// Returns the arguments in a dict. Words that no method takes are left out.
Arguments arguments_in(PyObject* self, PyObject* dict);

// Returns an answer; null without an exception if Python must handle the arguments first.
using Native = PyObject* (*)(const Arguments& given, PyObject* query);

// `names`: how many of the names, from the first, the method takes.
void bind_door(nanobind::module_& m, const char* name, Native native, int positional, const Name* order, int names);

// The native methods of Solver (solve.cpp, solve_many.cpp, track.cpp).
PyObject* solve_door(const Arguments& given, PyObject* query);
PyObject* solve_many_door(const Arguments& given, PyObject* query);
PyObject* track_door(const Arguments& given, PyObject* query);
