#include "bindings/arguments.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "bindings/answers.h"
#include "solve/query/matrices.h"

namespace nb = nanobind;
using manikin::Ask;
using manikin::Rows;
using numpy_arrays::Kind;
using numpy_arrays::View;

bool whole(PyObject* object, long long least, long long most, long long* out) {
  if (!PyLong_CheckExact(object)) return false;
  const long long value = PyLong_AsLongLong(object);
  if (value == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    return false;
  }
  *out = value;
  return value >= least && value <= most;
}

bool switched(PyObject* object, bool* out) {
  if (!object) return true;
  *out = object == Py_True;
  return object == Py_True || object == Py_False;
}

bool Options::read(const Arguments& given, const manikin::Query& query, Py_ssize_t rows, int restarts, bool gaps) {
  ask.restarts = restarts;
  ask.clock = manikin::seconds;
  if (given.value[kThreads] && !whole(given.value[kThreads], 1, std::numeric_limits<int>::max(), &threads)) return false;
  if (!given.named) return true;  // all other options are given by name
  return read_ask(given) && weights.read(query, given, rows) && preference.read(query, given, rows, gaps);
}

bool Options::read_ask(const Arguments& given) {
  constexpr long long most = std::numeric_limits<int>::max();
  long long number = ask.restarts;
  if (given.given(kRestarts) && !whole(given.value[kRestarts], 0, most, &number)) return false;
  ask.restarts = static_cast<int>(number);
  number = ask.most;
  if (given.value[kIterations] && !whole(given.value[kIterations], 0, most, &number)) return false;
  ask.most = static_cast<int>(number);
  if (!switched(given.value[kCompeting], &ask.competing) || !switched(given.value[kStartsNear], &near) || !switched(given.value[kStrict], &strict))
    return false;
  if (PyObject* seed = given.value[kSeed]) {
    if (!PyLong_CheckExact(seed)) return false;
    ask.seed = PyLong_AsUnsignedLongLong(seed);
    if (PyErr_Occurred()) {
      PyErr_Clear();
      return false;
    }
  }
  if (PyObject* budget = given.given(kBudget)) {
    const double left = PyFloat_CheckExact(budget) ? PyFloat_AsDouble(budget) : PyLong_CheckExact(budget) ? PyLong_AsDouble(budget) : -1.0;
    if (PyErr_Occurred()) PyErr_Clear();
    if (!(left >= 0.0)) return false;
    ask.deadline = manikin::seconds() + left;
  }
  if (PyObject* pick = given.value[kPick]) {
    if (!PyUnicode_Check(pick)) return false;
    const bool near = PyUnicode_CompareWithASCIIString(pick, "near") == 0;
    if (!near && PyUnicode_CompareWithASCIIString(pick, "first") != 0) return false;
    ask.pick = near ? manikin::Pick::kNear : manikin::Pick::kFirst;
  }
  return true;
}

bool Preference::read(const manikin::Query& query, const Arguments& given, Py_ssize_t rows, bool gaps) {
  if (!switched(given.value[kSettle], &settle)) return false;
  if (PyObject* object = given.given(kPrefer)) {
    const View view = numpy_arrays::view(object, Kind::kDouble);
    if (!view.fits(query.nq(), true) || (view.axes == 2 && view.shape[0] != rows)) return false;
    each = view.axes == 2;
    pose.assign(view.as<double>(), view.as<double>() + view.rows() * query.nq());
    for (Py_ssize_t b = 0; b < view.rows(); ++b) {
      double* const row = pose.data() + b * query.nq();
      const bool gap = gaps && each && std::all_of(row, row + query.nq(), [](double x) { return std::isnan(x); });
      if (!gap && query.limits().unusable(row) >= 0) return false;
      query.limits().bring_near(row);
    }
  }
  if (PyObject* object = given.given(kStiffness)) {
    const View view = numpy_arrays::view(object, Kind::kDouble);
    if (!view.fits(query.description().nv, false)) return false;
    stiffness.assign(view.as<double>(), view.as<double>() + view.shape[0]);
    for (const double s : stiffness)
      if (!(s >= 0.0 && s < HUGE_VAL)) return false;
  }
  return true;
}

void Preference::put(Ask& ask, Rows& rows) const {
  ask.settle = settle;
  ask.stiffness = stiffness.empty() ? nullptr : stiffness.data();
  rows.prefer = pose.empty() ? nullptr : pose.data();
  rows.each_prefer = each;
}

bool Hooks::begin(const Arguments& given, const manikin::Query& query, Ask& ask) {
  if (!given.given(kWatch) && query.description().callbacks.empty()) {
    ask.host = &interrupt;
    ask.stopped = Interrupt::stopped;
    return true;
  }
  try {
    const nb::object goals = query.description().callbacks.empty() ? nb::object(nb::make_tuple())
                                                                   : nb::object(nb::handle(given.self).attr("_callbacks"));
    python.emplace(query.nq(), query.description().callbacks, given.given(kWatch) ? nb::borrow(given.value[kWatch]) : nb::object(nb::none()), goals);
    python->put(ask);
    return true;
  } catch (nb::python_error& e) {
    e.restore();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_ValueError, e.what());
  }
  return false;
}

bool Hooks::raised() {
  if (python ? python->raised() : interrupt.raised()) {
    python ? python->restore() : interrupt.restore();
    return true;
  }
  return false;
}

bool Weights::read(const manikin::Query& query, const Arguments& given, Py_ssize_t rows) {
  PyObject *weights = given.given(kWeights), *on = given.given(kActive);
  if (!weights && !on) return true;
  usual = false;
  const Py_ssize_t goals = query.own_goals();
  View w, a;
  if (weights && (!(w = numpy_arrays::view(weights, Kind::kDouble)).fits(goals, true) || (w.axes == 2 && w.shape[0] != rows))) return false;
  if (on && (!(a = numpy_arrays::view(on, Kind::kBool)).fits(goals, true) || (a.axes == 2 && a.shape[0] != rows))) return false;
  each = w.axes == 2 || a.axes == 2;
  const Py_ssize_t count = (each ? rows : 1) * goals;
  weight.resize(static_cast<std::size_t>(count));
  active.resize(static_cast<std::size_t>(count));
  const double* own = query.description().goal_weight.data();
  for (Py_ssize_t k = 0; k < count; ++k) {
    const double value = weights ? w.as<double>()[w.axes == 2 ? k : k % goals] : own[k % goals];
    if (!(value >= 0.0 && value <= manikin::kLargestGoalWeight)) return false;
    const bool counts = !on || a.as<bool>()[a.axes == 2 ? k : k % goals];
    weight[static_cast<std::size_t>(k)] = counts ? value : 0.0;
    active[static_cast<std::size_t>(k)] = counts ? 1.0 : 0.0;
  }
  return true;
}

PyObject* Weights::array(Py_ssize_t goals, Py_ssize_t rows) const {
  if (usual) return nullptr;
  const Py_ssize_t shape[2] = {each ? rows : goals, goals};
  void* data;
  PyObject* out = numpy_arrays::made(Kind::kDouble, each ? 2 : 1, shape, &data);
  if (out)
    std::copy(weight.begin(), weight.end(), static_cast<double*>(data));
  else
    PyErr_Clear();
  return out;
}

bool copied_rows(const double* from, Py_ssize_t rows, Py_ssize_t width, double* to) {
  for (Py_ssize_t b = 0; b < rows; ++b) {
    std::copy_n(from + b * width, width, to + b * width);
    if (signalled(b)) return false;
  }
  return true;
}

bool converted_matrices(const manikin::Query& query, PyObject* object, bool many, View& targets, std::vector<double>& numbers) {
  if (!query.description().placements_only) return false;
  const numpy_arrays::Matrices given = numpy_arrays::matrices(object);
  const Py_ssize_t goals = query.own_goals();
  const int inner = goals == 1 ? 2 : 3, leading = given.axes - inner;  // axes of one row, and before it
  if (!given.data || leading < 0 || leading > (many ? 1 : 0)) return false;
  const Py_ssize_t* const shape = given.shape + leading;
  if (shape[inner - 1] != 4 || shape[inner - 2] != 4 || (inner == 3 && shape[0] != goals)) return false;
  const Py_ssize_t rows = leading == 1 ? given.shape[0] : 1, count = rows * goals;
  numbers.resize(static_cast<std::size_t>(std::max<Py_ssize_t>(7 * count, 1)));
  for (Py_ssize_t k = 0; k < count; ++k)
    if (!manikin::seven_numbers(given.data + 16 * k, numbers.data() + 7 * k)) return false;
  targets = View{};
  targets.data = numbers.data();
  targets.axes = 1 + leading;
  targets.shape[0] = leading == 1 ? rows : 7 * goals;
  targets.shape[1] = 7 * goals;
  return true;
}

bool explained_targets(const manikin::Query& query, const double* targets, const Weights& weights, Py_ssize_t row) {
  const std::string wrong = query.bad_targets(targets, weights.actives(row, query.own_goals()), static_cast<long>(row));
  if (wrong.empty()) return true;
  PyErr_SetString(bad_value(), wrong.c_str());
  return false;
}

static bool overlaps(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  const char *x = static_cast<const char*>(a), *y = static_cast<const char*>(b);
  return x < y + b_bytes && y < x + a_bytes;
}

bool seen_out(const Arguments& given, int nq, Py_ssize_t poses, const View& start, View& out) {
  const bool many = poses >= 0;
  if (!seen(given, kOut, nq, many, out)) return false;
  if (!out.data) return true;
  if (!out.writable || (many && (out.axes != 2 || out.shape[0] != poses))) return false;
  const std::size_t row = static_cast<std::size_t>(nq) * sizeof(double);
  return !start.data ||
         !overlaps(out.data, many ? row * static_cast<std::size_t>(poses) : row, start.data, row * static_cast<std::size_t>(start.rows()));
}

PyObject* failed(PyObject* left_over) {
  Py_XDECREF(left_over);
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
    return nullptr;
  }
}

PyObject* note_on_start(double outside) {
  char text[96];
  std::snprintf(text, sizeof text, "the start was outside its limits by %.3g and was clipped to them", outside);
  return Py_BuildValue("(s)", text);
}

PyObject* note_on_starts(const double* outside, Py_ssize_t count) {
  Py_ssize_t some = 0, worst = 0;
  for (Py_ssize_t b = 0; b < count; ++b) {
    some += outside[b] > 0.0;
    if (outside[b] > outside[worst]) worst = b;
  }
  if (some == 0) return nullptr;
  if (count == 1) return note_on_start(outside[0]);
  char text[160];
  std::snprintf(text, sizeof text, "starts outside their limits were clipped to them: %ld of %ld; start %ld was the furthest outside, by %.3g",
                static_cast<long>(some), static_cast<long>(count), static_cast<long>(worst), outside[worst]);
  return Py_BuildValue("(s)", text);
}
