// The native method of Solver.track.
#include <algorithm>
#include <cmath>
#include <vector>

#include "bindings/answers.h"
#include "bindings/arguments.h"
#include "bindings/constants.h"
#include "bindings/module.h"
#include "model/constants.h"
#include "track/chosen.h"

namespace nb = nanobind;
using manikin::Ask;
using manikin::Ending;
using manikin::Rows;
using numpy_arrays::Kind;
using numpy_arrays::View;

namespace {

// Converts the weight of staying near the previous frame from lengths per radian. Returns false unless the object is a number of at least 0.
bool held_near(PyObject* object, double size, double* weight) {
  if (!PyFloat_CheckExact(object)) return false;
  const double length = PyFloat_AsDouble(object), share = length / size;
  if (!(length >= 0.0 && share * share < HUGE_VAL)) return false;
  if (length != std::sqrt(manikin::kPlainProx) * size) *weight = share * share;
  return true;
}

}  // namespace

// Solves frames one after the other. `dt` is (frames) seconds since the previous frame, `max_speed` (nq) radians or lengths per second. If the track
// is continued, the previous frame counts as the first in both.
PyObject* track_door(const Arguments& given, PyObject* held) {
  Asked* const asked = asked_query(held);
  if (!asked) return nullptr;
  const manikin::Query& query = asked->query;
  const int nq = query.nq(), goals = query.goals(), width = query.width();
  Ask ask;
  Weights weights;
  View start, targets, before, out, dt, speed, timed;
  Preference preference;
  manikin::TrackAsk how;
  if (given.given(kTimes) || given.value[kSettle] || given.value[kThreads] || given.value[kPick]) return nullptr;
  if (!seen(given, kStart, nq, false, start) || !seen(given, kTargets, width, true, targets) || targets.axes != 2) return nullptr;
  if (!seen(given, kBefore, width, false, before)) return nullptr;
  if (!switched(given.value[kRefine], &how.refine) || !switched(given.value[kEscape], &how.escape)) return nullptr;
  how.continues = before.data != nullptr;
  const Py_ssize_t frames = targets.shape[0], first = how.continues ? 1 : 0, count = frames + first;
  double every = kFrameSeconds;
  if (PyObject* object = given.given(kDt)) {
    if (PyFloat_CheckExact(object)) {
      every = PyFloat_AsDouble(object);
      if (!(every > 0.0 && every < HUGE_VAL)) return nullptr;
    } else if (!(dt = numpy_arrays::view(object, Kind::kDouble)).fits(count, false)) {
      return nullptr;
    }
  }
  if (!seen(given, kMaxSpeed, nq, false, speed) || !seen(given, kSeconds, frames, false, timed) || (timed.data && !timed.writable)) return nullptr;
  if (!asked_of(given, 0, ask) || !weights.read(query, given, frames) || !preference.read(query, given, frames)) return nullptr;
  if (!preference.stiffness.empty() && preference.pose.empty()) return nullptr;
  if (PyObject* object = given.given(kHold))
    if (!held_near(object, query.description().size, &how.hold)) return nullptr;
  if (!seen_out(given, nq, frames, start, out)) return nullptr;

  Made made;
  if (!made.make(Made::kPoses, Kind::kDouble, 2, frames, nq) || !made.make(Made::kErrors, Kind::kDouble, 2, frames, goals) ||
      !made.make(Made::kCodes, Kind::kInt, 1, frames, 0) || !made.make(Made::kSteps, Kind::kInt, 1, frames, 0) ||
      !made.make(Made::kOutside, Kind::kDouble, 1, frames, 0) || !made.make(Made::kMembers, Kind::kInt, 2, frames, goals) ||
      !made.make(Made::kWanted, Kind::kDouble, 2, frames, width) || !made.make(Made::kBegun, Kind::kDouble, 1, nq, 0))
    return nullptr;
  double* outside = made.doubles(Made::kOutside);
  std::fill(outside, outside + frames, 0.0);
  std::copy(targets.as<double>(), targets.as<double>() + frames * width, made.doubles(Made::kWanted));
  for (Py_ssize_t t = 0; t < frames; ++t)
    if (!good_targets(query, made.doubles(Made::kWanted) + t * width, weights, t)) return nullptr;
  double brought = 0.0;
  if (start.data) {
    std::copy(start.as<double>(), start.as<double>() + nq, made.doubles(Made::kBegun));
    brought = brought_in(query, made.doubles(Made::kBegun));
    if (brought < 0.0) return nullptr;
    if (frames > 0) outside[0] = brought;
  }
  Hooks hooks;
  if (!hooks.begin(given, query, ask)) return nullptr;
  std::vector<Ending> endings;
  try {
    std::vector<double> rows_wanted, poses, errors, weight, seconds(static_cast<std::size_t>(count), every);
    std::vector<double> took(timed.data ? static_cast<std::size_t>(count) : 0);
    if (timed.data) how.seconds = took.data();
    std::vector<int> members;
    endings.resize(static_cast<std::size_t>(count));
    if (dt.data) std::copy(dt.as<double>(), dt.as<double>() + count, seconds.begin());
    const std::vector<double> speeds(speed.data ? speed.as<double>() : nullptr, speed.data ? speed.as<double>() + nq : nullptr);
    how.dt = seconds.data();
    how.speed = speed.data ? speeds.data() : nullptr;
    Rows rows;
    rows.count = static_cast<long>(count);
    rows.starts = start.data ? made.doubles(Made::kBegun) : nullptr;
    rows.each_target = true;
    rows.targets = made.doubles(Made::kWanted);
    rows.weights = weights.weights();
    rows.each_weight = weights.each;
    if (how.continues && preference.each && frames > 0)  // the previous frame is not solved
      preference.pose.insert(preference.pose.begin(), nq, 0.0);
    preference.put(ask, rows);
    manikin::Answers answers{made.doubles(Made::kPoses), made.doubles(Made::kErrors), endings.data(), made.ints(Made::kMembers)};
    if (how.continues) {  // the previous frame comes first; its missing targets are those of the next frame
      const double *row = before.as<double>(), *next = made.doubles(Made::kWanted);
      for (int k = 0; k < width; ++k) rows_wanted.push_back(std::isfinite(row[k]) || frames == 0 ? row[k] : next[k]);
      if (!good_targets(query, rows_wanted.data(), weights, 0)) return nullptr;
      rows_wanted.insert(rows_wanted.end(), next, next + frames * width);
      rows.targets = rows_wanted.data();
      if (weights.each) {
        weight.assign(weights.weight.begin(), weights.weight.begin() + (frames > 0 ? query.own_goals() : 0));
        weight.insert(weight.end(), weights.weight.begin(), weights.weight.end());
        rows.weights = weight.data();
      }
      poses.resize(static_cast<std::size_t>(count * nq));
      errors.resize(static_cast<std::size_t>(count * goals));
      members.resize(static_cast<std::size_t>(count * goals));
      answers = manikin::Answers{poses.data(), errors.data(), endings.data(), members.data()};
    }
    if (frames > 0) {
      nb::gil_scoped_release release;
      if (!start.data) query.begin(rows, made.doubles(Made::kBegun));
      manikin::track(query, ask, how, rows, answers);
    }
    if (timed.data) std::copy(took.begin() + first, took.end(), static_cast<double*>(timed.data));
    if (how.continues) {
      std::copy(poses.begin() + nq, poses.end(), made.doubles(Made::kPoses));
      std::copy(errors.begin() + goals, errors.end(), made.doubles(Made::kErrors));
      std::copy(members.begin() + goals, members.end(), made.ints(Made::kMembers));
    }
  } catch (...) {
    return failed(nullptr);
  }
  if (hooks.raised()) return nullptr;
  Py_ssize_t limited = 0, limited_at = 0;
  int number = -1;
  for (Py_ssize_t t = 0; t < frames; ++t) {
    const Ending& ending = endings[static_cast<std::size_t>(t + first)];
    made.ints(Made::kCodes)[t] = ending.status;
    made.ints(Made::kSteps)[t] = ending.iterations;
    if (ending.limited < 0) continue;
    if (limited++ == 0) limited_at = t, number = ending.limited;
  }
  PyObject* notes = brought > 0.0 ? note_on_start(brought) : nullptr;
  if (limited > 0) {  // this note needs the names of joints
    PyObject* said = PyObject_CallMethod(given.self, "_note_on_speeds", "nniO", limited, limited_at, number,
                                         speed.data ? given.value[kMaxSpeed] : Py_None);
    PyObject* both = said ? PyTuple_New(notes ? 2 : 1) : nullptr;
    if (!both) {
      Py_XDECREF(said);
      Py_XDECREF(notes);
      return nullptr;
    }
    if (notes) PyTuple_SetItem(both, 0, Py_NewRef(PyTuple_GetItem(notes, 0)));
    PyTuple_SetItem(both, notes ? 1 : 0, said);
    Py_XDECREF(notes);
    notes = both;
  }
  PyObject* poses;
  if (out.data) {
    std::copy(made.doubles(Made::kPoses), made.doubles(Made::kPoses) + frames * nq, static_cast<double*>(out.data));
    poses = Py_NewRef(given.value[kOut]);
  } else {
    poses = made.take(Made::kPoses);
  }
  return new_rows(given.self, poses, made.take(Made::kErrors), made.take(Made::kCodes), made.take(Made::kSteps), made.take(Made::kOutside),
                  made.take(Made::kMembers), notes, made.take(Made::kWanted), made.take(Made::kBegun), weights.array(query.own_goals(), frames));
}
