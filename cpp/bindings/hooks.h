// Hooks of the solver that call Python: a watcher, goals, and Ctrl-C.
#pragma once
#include <nanobind/nanobind.h>

#include <vector>

#include "bindings/interrupt.h"
#include "model/goals.h"
#include "solve/query/ask.h"

// Constructed and destroyed with the GIL. The solver may call the hooks without the GIL, from any thread. An exception in a hook ends the solve.
class PythonHooks {
 public:
  // watch: None, or a function that is called once in each iteration with (pose, cost, damping, step, iteration, moved). False ends the solve, and
  // the watcher is then not called again from any thread. goals: an iterable with one function for each callback. Its arguments are (placements,
  // centre of mass or None, pose or None, target, whether the error is needed, whether the derivative is needed). It returns (error, measure,
  // derivative), with None for results that are not needed.
  PythonHooks(int nq, const std::vector<manikin::Callback>& callbacks, nanobind::object watch, const nanobind::object& goals);

  // Sets the hooks in `ask`.
  void put(manikin::Ask& ask);
  // Throws the exception that Python raised, if any.
  void rethrow() { interrupt_.rethrow(); }
  bool raised() const { return interrupt_.raised(); }
  // Sets the exception that Python raised as the current one, for a caller that then returns null.
  void restore() { interrupt_.restore(); }

 private:
  // The last evaluation of a goal: the solver first needs the error of a pose, and its derivative only if the step is accepted.
  struct Seen {
    std::vector<double> read, error;
    double measure;
  };

  static bool stopped(void* host);
  static bool watch(void* host, const manikin::Glance& at);
  static bool goal(void* host, int which, const double* placements, const double* center, const double* pose, const double* target, double* error,
                   double* measure, double* derivative);
  bool evaluate(int which, const double* placements, const double* center, const double* pose, const double* target, double* error, double* measure,
                double* derivative);

  const int nq_;
  const std::vector<manikin::Callback>& callbacks_;
  Interrupt interrupt_;
  nanobind::object watch_;
  bool ended_ = false;  // whether the watcher has returned False; accessed with the GIL
  std::vector<nanobind::object> goals_;
  std::vector<Seen> seen_;
};
