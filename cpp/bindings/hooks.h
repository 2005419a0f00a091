// Hooks of the solver that call Python: a watcher, goals, and Ctrl-C.
#pragma once
#include <nanobind/nanobind.h>

#include <vector>

#include "bindings/interrupt.h"
#include "model/goals.h"
#include "solve/ask.h"

// Made and destroyed with the GIL; the solver may call the hooks without it, from any thread. An exception in a hook ends the solve.
class PythonHooks {
 public:
  // watch: None, or called once an iteration with (pose, cost, damping, step, iteration, moved); False ends the solve, and then it is not called again from any thread.
  // goals: an iterable with one for each of the callbacks, called with (placements, centre of mass or None, pose or None, target, whether the error
  // is needed, whether the derivative is needed) for (error, measure, derivative), None where one is not needed.
  PythonHooks(int nq, const std::vector<manikin::Callback>& callbacks, nanobind::object watch, const nanobind::object& goals);

  // Puts the hooks into what is asked.
  void put(manikin::Ask& ask);
  // Throws what Python raised, if anything.
  void rethrow() { interrupt_.rethrow(); }
  bool raised() const { return interrupt_.raised(); }
  // Gives what Python raised back to it, for a caller that then returns null.
  void restore() { interrupt_.restore(); }

 private:
  // The last evaluation of a goal: the solver asks for the error of a pose, and for its derivative once the step there is taken.
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
  bool ended_ = false;  // whether the watcher has returned False; read and written with the GIL
  std::vector<nanobind::object> goals_;
  std::vector<Seen> seen_;
};
