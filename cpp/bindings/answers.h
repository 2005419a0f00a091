// The answers that Python sees: `Answer` (one pose) and `AnswerRows` (many). src/manikin/solution/ adds their methods and names them Solution and
// Solutions. They are not base classes: objects of a Python class would take part in garbage collection, which costs as much as the solve of an
// arm.
#pragma once
#include <nanobind/nanobind.h>

// One answer, with little overhead: arrays other than the pose are created when they are read.
struct Answer {
  PyObject_VAR_HEAD
  PyObject* pose;
  PyObject* errors;  // null until it is read
  PyObject* notes;   // a tuple, null if there are no notes
  PyObject* chosen;  // a tuple, null without alternatives
  PyObject* owner;   // the solver that made it; it has the figure and the goals
  PyObject* extra;   // an object that Python keeps with it, or null
  double start_violation;
  int code, iterations;
  int goals, width, nq;  // number of errors, targets and numbers of the start
  double number[1];      // errors, targets, start

  double* target_numbers() { return number + goals; }
  double* start_numbers() { return number + goals + width; }
};

// Creates an answer. It takes ownership of the pose and a reference to the owner. Returns null with an exception if memory is exhausted.
Answer* new_answer(PyObject* pose, PyObject* owner, int goals, int width, int nq);
// Creates many answers. It takes ownership of every object but the owner. `notes` and `weights` may be null.
PyObject* new_rows(PyObject* owner, PyObject* poses, PyObject* errors, PyObject* codes, PyObject* iterations, PyObject* start_violation,
                   PyObject* chosen, PyObject* notes, PyObject* targets, PyObject* starts, PyObject* weights);
// The exception type for a bad value.
PyObject* bad_value();
