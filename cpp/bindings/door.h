// Methods of Python whose calls with plain arrays do not go through Python.
//
// `@native_method("solve")` in front of `def solve(self, ...)` makes a method that answers natively, from the query in `self._query`, where
// every argument is as the core takes it: float64 arrays in C order, whole numbers, None. Where one is not, where something is to be
// converted or is wrong, the method in Python is called; it converts, complains, or calls `_core.solve`, which is the same without a
// method to fall back to.
#pragma once
#include <nanobind/nanobind.h>

// Names of arguments, in the order of `Arguments::value`; those from kBefore on are of tracks.
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
  kBefore,
  kDt,
  kTimes,
  kMaxSpeed,
  kRefine,
  kEscape,
  kSeconds,
  kHold,
  kNames
};

struct Arguments {
  PyObject* self = nullptr;
  PyObject* value[kNames] = {};  // borrowed; null where it is not given
  bool named = false;            // whether some are given by name

  PyObject* given(Name name) const { return value[name] && value[name] != Py_None ? value[name] : nullptr; }
};

// An answer; null without an exception where Python must look at the arguments first.
using Native = PyObject* (*)(const Arguments& given, PyObject* query);

// `names`: how many of the names, from the first, the method takes.
void bind_door(nanobind::module_& m, const char* name, Native native, int positional, const Name* order, int names);

// The calls of Solver (solve.cpp, solve_many.cpp, track.cpp).
PyObject* solve_door(const Arguments& given, PyObject* query);
PyObject* solve_many_door(const Arguments& given, PyObject* query);
PyObject* track_door(const Arguments& given, PyObject* query);
