// The arguments of a native call. Everything is copied before it is checked, since another thread may write to the caller's arrays meanwhile. If
// `read` returns false, Python must handle the arguments.
#pragma once
#include <nanobind/nanobind.h>

#include <cstring>
#include <optional>
#include <vector>

#include "bindings/constants.h"
#include "bindings/door.h"
#include "bindings/hooks.h"
#include "bindings/numpy_arrays.h"
#include "solve/query/query.h"

// A query with data kept between calls. Used while the GIL is held.
struct Asked {
  Asked(const char* block, std::size_t bytes) : query(block, bytes), last(query.description().rest) {}

  // Whether this is the pose that the last call returned. It is then within its limits.
  bool returned(const double* q) const { return last.empty() || std::memcmp(q, last.data(), last.size() * sizeof(double)) == 0; }

  manikin::Query query;
  std::vector<double> last;  // a returned pose, probably the start of the next call
  manikin::ArmPlace place;   // where an arm was left
};

// Returns the query of a native method; null if the object is something else. Used while the GIL is held.
Asked* asked_query(PyObject* held);

// Reads an integer within a range. Returns false if the object is something else.
bool whole(PyObject* object, long long least, long long most, long long* out);
// Reads a boolean. Returns false if the object is something else.
bool switched(PyObject* object, bool* out);
// A preferred pose with its stiffness.
struct Preference {
  std::vector<double> pose, stiffness;  // (nq) or (rows, nq), (nv)
  bool each = false, settle = false;

  // With `gaps`, a row of NaN means that the row has no preferred pose.
  bool read(const manikin::Query& query, const Arguments& given, Py_ssize_t rows, bool gaps = false);
  bool any() const { return settle || !pose.empty() || !stiffness.empty(); }
  void put(manikin::Ask& ask, manikin::Rows& rows) const;
};

// Ctrl-C, a watcher and goals in Python during a call.
struct Hooks {
  Interrupt interrupt;
  std::optional<PythonHooks> python;

  Hooks() {}  // an implicit constructor would be constexpr, and GCC would fill the memory of `python` with zeros
  // Sets the hooks in `ask`. Returns false with an exception if the owner's goals cannot be read.
  bool begin(const Arguments& given, const manikin::Query& query, manikin::Ask& ask);
  // Whether Python raised an exception meanwhile; it is then set as the current exception.
  bool raised();
};

// Weights of goals, 0 for goals that are not active.
struct Weights {
  std::vector<double> weight;  // (own goals), or (rows, own goals)
  std::vector<double> active;  // the same, 1 or 0: the goals whose targets are checked
  bool each = false;
  bool usual = true;  // whether all goals are active with their default weights

  bool read(const manikin::Query& query, const Arguments& given, Py_ssize_t rows);
  void put(manikin::Rows& rows) const {
    rows.weights = usual ? nullptr : weight.data();
    rows.active = usual ? nullptr : active.data();
    rows.each_weight = each;
  }
  const double* actives(Py_ssize_t row, Py_ssize_t goals) const { return usual ? nullptr : active.data() + (each ? row * goals : 0); }
  // Returns the weights as an array for the answer; null for the default weights.
  PyObject* array(Py_ssize_t goals, Py_ssize_t rows) const;
};

// The options of a call: everything besides starts, targets and `out`. Every call reads them here.
struct Options {
  manikin::Ask ask;
  Weights weights;
  Preference preference;
  long long threads = 1;
  bool near = false, strict = false;  // of a run, see Query::run

  // Reads the options of a call with this many rows. `restarts`: if none are given. With `gaps`, see Preference.
  bool read(const Arguments& given, const manikin::Query& query, Py_ssize_t rows, int restarts = manikin::kUsualRestarts, bool gaps = false);
  void put(manikin::Rows& rows) {
    weights.put(rows);
    preference.put(ask, rows);
  }

 private:
  bool read_ask(const Arguments& given);
};

// Reads an argument as rows of `numbers` numbers, or as one row if `many` is false. Returns true if it fits or is not given.
inline bool seen(const Arguments& given, Name name, Py_ssize_t numbers, bool many, numpy_arrays::View& view) {
  PyObject* const object = given.given(name);
  return !object || (view = numpy_arrays::view(object, numpy_arrays::Kind::kDouble)).fits(numbers, many);
}
// Reads targets: rows of numbers, or one row if `many` is false. Placements may also be matrices, (…, 4, 4) for one goal and (…, goals, 4, 4) for
// several. These are converted to `numbers`, which the view then shows.
bool converted_matrices(const manikin::Query& query, PyObject* object, bool many, numpy_arrays::View& targets, std::vector<double>& numbers);
inline bool seen_targets(const Arguments& given, const manikin::Query& query, bool many, numpy_arrays::View& targets, std::vector<double>& numbers) {
  return seen(given, kTargets, query.width(), many, targets) || converted_matrices(query, given.value[kTargets], many, targets, numbers);
}
// Reads `out=` for this many poses of nq numbers, or for one with -1. Returns true if it is writable and does not overlap the start, or is not given.
bool seen_out(const Arguments& given, int nq, Py_ssize_t poses, const numpy_arrays::View& start, numpy_arrays::View& out);

// Whether a signal handler raised an exception. Called for each row, it asks Python once in many rows.
inline bool signalled(Py_ssize_t row) { return row % kRowsBetween == kRowsBetween - 1 && PyErr_CheckSignals() != 0; }
// Copies rows. Returns false if a signal handler raised an exception.
bool copied_rows(const double* from, Py_ssize_t rows, Py_ssize_t width, double* to);

// Whether targets are valid; raises BadValue otherwise. `explained_targets` is the part for targets that are not plainly valid.
bool explained_targets(const manikin::Query& query, const double* targets, const Weights& weights, Py_ssize_t row);
inline bool good_targets(const manikin::Query& query, const double* targets, const Weights& weights, Py_ssize_t row) {
  return query.plain_targets(targets) || explained_targets(query, targets, weights, row);
}
// Clips a start to its limits. Returns how far it was outside, or -1 if it cannot be used.
inline double brought_in(const manikin::Query& query, double* q) {
  return query.limits().plainly_inside(q) ? 0.0 : query.limits().unusable(q) >= 0 ? -1.0 : query.bring_in(q);
}

// Converts the current C++ exception to a Python exception and releases `left_over`. Always returns null.
PyObject* failed(PyObject* left_over);
// Returns a tuple of notes about clipped starts; null if there are none.
PyObject* note_on_start(double outside);
PyObject* note_on_starts(const double* outside, Py_ssize_t count);

// Arrays of many rows during their construction. Arrays that are not handed over are released.
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
