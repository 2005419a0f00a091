// Python methods whose calls with plain arrays bypass Python.
//
// `@native_method("solve")` in front of `def solve(self, ...)` makes a method that answers natively from the query in `self._query`, provided that
// every argument has the form that the core takes: float64 arrays in C order, integers, None. If an argument must be converted or is wrong, the
// Python method is called instead. It converts the argument, raises an error, or calls `_core.solve`, which is the same function without a method to
// fall back to.
#pragma once
#include <nanobind/nanobind.h>

// Names of arguments, in the order of `Arguments::value`. The table in door.cpp says which calls take each.
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
  kStartsNear,
  kStrict,
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

// The calls that take an argument. Methods of Solver do not take internal ones.
enum Uses : unsigned { kInSolve = 1, kInMany = 2, kInTrack = 4, kInternal = 8 };

// `use`: the bit of the call.
void bind_door(nanobind::module_& m, const char* name, Native native, int positional, const Name* order, Uses use);

// The native methods of Solver (solve.cpp, solve_many.cpp, track.cpp).
PyObject* solve_door(const Arguments& given, PyObject* query);
PyObject* solve_many_door(const Arguments& given, PyObject* query);
PyObject* track_door(const Arguments& given, PyObject* query);
