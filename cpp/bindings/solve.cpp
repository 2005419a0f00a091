// The native method of Solver.solve.
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
using numpy_arrays::View;

PyObject* solve_door(const Arguments& given, PyObject* held) {
  Asked* const asked = asked_query(held);
  if (!asked) return nullptr;
  const manikin::Query& query = asked->query;
  const int nq = query.nq(), goals = query.goals(), width = query.width();
  // the arguments; others than plain ones are left to Python
  Options options;
  Ask& ask = options.ask;
  const Weights& weights = options.weights;
  View start, targets, out;
  std::vector<double> numbers;
  if (!seen(given, kStart, nq, false, start) || !seen_targets(given, query, false, targets, numbers)) return nullptr;
  if (!options.read(given, query, 1) || (given.named && !seen_out(given, nq, -1, start, out))) return nullptr;

  double* pose;
  PyObject* array = numpy_arrays::made(nq, &pose);
  Answer* answer = array ? new_answer(array, given.self, goals, width, nq) : nullptr;
  if (!answer) return nullptr;
  PyObject* const made = reinterpret_cast<PyObject*>(answer);
  // everything is copied before it is checked: another thread may write to the caller's arrays meanwhile
  double *wanted = answer->target_numbers(), *begin = answer->start_numbers();
  std::copy_n(targets.data ? targets.as<double>() : query.targets(), width, wanted);
  if (targets.data && !good_targets(query, wanted, weights, 0)) {
    Py_DECREF(made);
    return nullptr;
  }
  const bool plain = query.is_plain() && weights.usual && ask.pick == manikin::Pick::kNear && !options.preference.any();
  // the start
  Hooks hooks;
  if (!hooks.begin(given, query, ask)) {
    Py_DECREF(made);
    return nullptr;
  }
  if (start.data) {
    std::copy(start.as<double>(), start.as<double>() + nq, pose);
    if (!asked->returned(pose)) {
      answer->start_violation = brought_in(query, pose);
      if (answer->start_violation < 0.0) {
        Py_DECREF(made);
        return nullptr;
      }
    }
  } else if (plain) {
    query.start(wanted, pose);
  }
  if (start.data || plain) std::copy(pose, pose + nq, begin);
  // solve
  std::vector<int> chosen;
  Ending ending;
  try {
    if (plain) {
      if (ask.watch || !query.solve_arm(ask, wanted, asked->place, pose, answer->number, &ending)) {
        const WithoutGil released;
        ending = query.solve_plain(ask, wanted, pose, answer->number);
      }
    } else {
      chosen.resize(static_cast<std::size_t>(goals));
      Rows rows;
      rows.starts = start.data ? begin : nullptr;
      rows.targets = wanted;
      options.put(rows);
      const WithoutGil released;
      if (!start.data) query.begin(rows, begin);
      const manikin::Answers answers{pose, answer->number, &ending, chosen.data()};
      query.solve(ask, rows, answers, 1);
      query.report_unweighted(ask, rows, answers);
    }
  } catch (...) {
    return failed(made);
  }
  if (hooks.raised()) {
    Py_DECREF(made);
    return nullptr;
  }
  // the answer
  std::copy(pose, pose + nq, asked->last.begin());
  answer->code = ending.status;
  answer->iterations = ending.iterations;
  if (query.has_choices()) {
    answer->chosen = PyTuple_New(goals);
    for (int g = 0; answer->chosen && g < goals; ++g) PyTuple_SetItem(answer->chosen, g, PyLong_FromLong(chosen[static_cast<std::size_t>(g)]));
  }
  if (answer->start_violation > 0.0) answer->notes = note_on_start(answer->start_violation);
  if (!weights.usual)
    if (PyObject* own = weights.array(query.own_goals(), 1)) answer->extra = Py_BuildValue("{s:N}", "weights", own);
  if (out.data) {
    std::copy(pose, pose + nq, static_cast<double*>(out.data));
    Py_DECREF(answer->pose);
    answer->pose = Py_NewRef(given.value[kOut]);
  }
  if (PyErr_Occurred()) {
    Py_DECREF(made);
    return nullptr;
  }
  return made;
}
