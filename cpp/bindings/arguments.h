// What a native call is given, as the doors take it: everything is copied before it is looked at, since another thread may write into the
// caller's arrays meanwhile. Where `read` gives false, Python must look at the arguments.
#pragma once
#include <nanobind/nanobind.h>

#include <optional>
#include <vector>

#include "bindings/door.h"
#include "bindings/hooks.h"
#include "bindings/numpy_arrays.h"
#include "solve/query.h"

// A query with what is remembered from call to call. Used while the GIL is held.
struct Asked {
  Asked(const char* block, std::size_t bytes) : query(block, bytes), last(query.description().rest) {}

  manikin::Query query;
  std::vector<double> last;  // a pose that was given out, so it is within limits, and probably the start of the next call
  manikin::ArmPlace place;   // where an arm was left
};

// The query behind a door; null where it is something else. Used while the GIL is held.
Asked* asked_query(PyObject* held);

// A whole number within a range; false where an object is something else.
bool whole(PyObject* object, long long least, long long most, long long* out);
// A switch; false where an object is something else.
bool switched(PyObject* object, bool* out);
// What all calls have in common.
bool asked_of(const Arguments& given, int restarts, manikin::Ask& ask);

// A preferred pose with its stiffness.
struct Preference {
  std::vector<double> pose, stiffness;  // (nq) or (rows, nq), (nv)
  bool each = false, settle = false;

  bool read(const manikin::Query& query, const Arguments& given, Py_ssize_t rows);
  bool any() const { return settle || !pose.empty() || !stiffness.empty(); }
  void put(manikin::Ask& ask, manikin::Rows& rows) const;
};

// Ctrl-C, a watcher and goals in Python during a call.
struct Hooks {
  Interrupt interrupt;
  std::optional<PythonHooks> python;

  // Puts them into what is asked; false with an exception where the owner's goals cannot be had.
  bool begin(const Arguments& given, const manikin::Query& query, manikin::Ask& ask);
  // Whether Python raised something meanwhile; it is set as the exception then.
  bool raised();
};

// Weights of goals, 0 where they are not active.
struct Weights {
  std::vector<double> weight;  // (own goals), or (rows, own goals)
  std::vector<double> active;  // the same, 1 or 0: whose targets are looked at
  bool each = false;
  bool usual = true;  // the goals' own, all of them active

  bool read(const manikin::Query& query, const Arguments& given, Py_ssize_t rows);
  const double* weights() const { return usual ? nullptr : weight.data(); }
  const double* actives(Py_ssize_t row, Py_ssize_t goals) const { return usual ? nullptr : active.data() + (each ? row * goals : 0); }
  // An array of them for the answer; none where they are the goals' own.
  PyObject* array(Py_ssize_t goals, Py_ssize_t rows) const;
};

// An argument as rows of `numbers` numbers, or with `many` false as one row; true where it fits, or is not given.
inline bool seen(const Arguments& given, Name name, Py_ssize_t numbers, bool many, numpy_arrays::View& view) {
  PyObject* const object = given.given(name);
  return !object || (view = numpy_arrays::view(object, numpy_arrays::Kind::kDouble)).fits(numbers, many);
}
// `out=` for so many poses of nq numbers, or with -1 for one; true where it can be written and shares no memory with the start, or is not given.
bool seen_out(const Arguments& given, int nq, Py_ssize_t poses, const numpy_arrays::View& start, numpy_arrays::View& out);

// Whether targets are good; raises BadValue where they are not.
bool good_targets(const manikin::Query& query, const double* targets, const Weights& weights, Py_ssize_t row);
// A start brought inside its limits; how far it was outside, or -1 where it cannot be used.
double brought_in(const manikin::Query& query, double* q);

// The exception in flight as one of Python; gives up what is left over. Always null.
PyObject* failed(PyObject* left_over);
// What to say of starts that were brought in: a tuple; null where there is nothing to say.
PyObject* note_on_start(double outside);
PyObject* note_on_starts(const double* outside, Py_ssize_t count);

// Arrays of many rows while they are made; what is not handed over is given up.
struct Made {
  enum Which { kPoses, kErrors, kCodes, kSteps, kOutside, kMembers, kWanted, kBegun, kCount };
  PyObject* array[kCount] = {};
  void* data[kCount] = {};

  bool make(Which which, numpy_arrays::Kind kind, int axes, Py_ssize_t rows, Py_ssize_t width) {
    const Py_ssize_t shape[2] = {rows, width};
    array[which] = numpy_arrays::made(kind, axes, axes == 1 && width > 0 ? shape + 1 : shape, &data[which]);
    return array[which] != nullptr;
  }
  double* doubles(Which which) const { return static_cast<double*>(data[which]); }
  int* ints(Which which) const { return static_cast<int*>(data[which]); }
  PyObject* take(Which which) {
    PyObject* out = array[which];
    array[which] = nullptr;
    return out;
  }
  ~Made() {
    for (PyObject* one : array) Py_XDECREF(one);
  }
};
