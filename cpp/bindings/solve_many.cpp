// The native method of Solver.solve_many.
#include <algorithm>
#include <vector>

#include "bindings/answers.h"
#include "bindings/arguments.h"
#include "bindings/constants.h"
#include "bindings/gil.h"
#include "bindings/module.h"

using manikin::Ask;
using manikin::Ending;
using manikin::Rows;
using numpy_arrays::Kind;
using numpy_arrays::View;

PyObject* solve_many_door(const Arguments& given, PyObject* held) {
  Asked* const asked = asked_query(held);
  if (!asked) return nullptr;
  const manikin::Query& query = asked->query;
  const int nq = query.nq(), goals = query.goals(), width = query.width();
  Options options;
  Ask& ask = options.ask;
  const Weights& weights = options.weights;
  View start, targets, out;
  std::vector<double> numbers;
  // the arguments; others than plain ones are left to Python
  if (!seen(given, kStart, nq, true, start) || !seen_targets(given, query, true, targets, numbers)) return nullptr;
  const bool rows_of_starts = start.axes == 2 && start.shape[0] != 1, rows_of_targets = targets.axes == 2 && targets.shape[0] != 1;
  const Py_ssize_t count = rows_of_targets ? targets.shape[0] : rows_of_starts ? start.shape[0] : 1;
  if (rows_of_starts && start.shape[0] != count) return nullptr;
  if (!options.read(given, query, count) || !seen_out(given, nq, count, start, out)) return nullptr;

  // arrays of the answer, with copies of targets and starts that are checked there
  Made made;
  const Py_ssize_t starts = !start.data ? 0 : rows_of_starts ? count : 1, wanted = !targets.data ? 0 : rows_of_targets ? count : 1;
  if (!made.make(Made::kPoses, Kind::kDouble, 2, count, nq) || !made.make(Made::kErrors, Kind::kDouble, 2, count, goals) ||
      !made.make(Made::kCodes, Kind::kInt, 1, count, 0) || !made.make(Made::kSteps, Kind::kInt, 1, count, 0) ||
      !made.make(Made::kOutside, Kind::kDouble, 1, count, 0) || !made.make(Made::kMembers, Kind::kInt, 2, count, goals) ||
      (targets.data && !made.make(Made::kWanted, Kind::kDouble, 2, wanted, width)) ||
      (start.data && !made.make(Made::kBegun, Kind::kDouble, 2, starts, nq)))
    return nullptr;
  double* outside = made.doubles(Made::kOutside);
  std::fill(outside, outside + count, 0.0);
  if (targets.data) {
    if (!copied_rows(targets.as<double>(), wanted, width, made.doubles(Made::kWanted))) return nullptr;
    for (Py_ssize_t b = 0; b < (weights.each ? count : wanted); ++b)
      if (signalled(b) || !good_targets(query, made.doubles(Made::kWanted) + (wanted == 1 ? 0 : b) * width, weights, b)) return nullptr;
  }
  if (start.data) {
    if (!copied_rows(start.as<double>(), starts, nq, made.doubles(Made::kBegun))) return nullptr;
    for (Py_ssize_t b = 0; b < starts; ++b) {
      if (signalled(b)) return nullptr;
      const double by = brought_in(query, made.doubles(Made::kBegun) + b * nq);
      if (by < 0.0) return nullptr;
      if (by > 0.0) std::fill(outside + b, starts == 1 ? outside + count : outside + b + 1, by);  // no row, if there are no targets
    }
  }
  // solve
  Hooks hooks;
  if (!hooks.begin(given, query, ask)) return nullptr;
  std::vector<Ending> endings;
  try {
    endings.resize(static_cast<std::size_t>(count));
    Rows rows;
    rows.count = static_cast<long>(count);
    rows.starts = made.doubles(Made::kBegun);
    rows.each_start = starts > 1;
    rows.targets = made.doubles(Made::kWanted);
    rows.each_target = wanted > 1;
    options.put(rows);
    const manikin::Answers answers{made.doubles(Made::kPoses), made.doubles(Made::kErrors), endings.data(), made.ints(Made::kMembers)};
    const WithoutGil released;
    query.solve(ask, rows, answers, static_cast<int>(options.threads));
    query.report_unweighted(ask, rows, answers);
  } catch (...) {
    return failed(nullptr);
  }
  if (hooks.raised()) return nullptr;
  // the answer
  for (Py_ssize_t b = 0; b < count; ++b) {
    made.ints(Made::kCodes)[b] = endings[static_cast<std::size_t>(b)].status;
    made.ints(Made::kSteps)[b] = endings[static_cast<std::size_t>(b)].iterations;
  }
  PyObject* notes = note_on_starts(outside, starts > 1 ? count : std::min<Py_ssize_t>(count, 1));
  PyObject* poses;
  if (out.data) {
    std::copy(made.doubles(Made::kPoses), made.doubles(Made::kPoses) + count * nq, static_cast<double*>(out.data));
    poses = Py_NewRef(given.value[kOut]);
  } else {
    poses = made.take(Made::kPoses);
  }
  return new_rows(given.self, poses, made.take(Made::kErrors), made.take(Made::kCodes), made.take(Made::kSteps), made.take(Made::kOutside),
                  made.take(Made::kMembers), notes, made.take(Made::kWanted), made.take(Made::kBegun), weights.array(query.own_goals(), count));
}
