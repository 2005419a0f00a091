// The answers that Python sees: `Answer` (one pose) and `AnswerRows` (many). solution.py gives them their methods and their names, Solution
// and Solutions. They are no base classes: objects of a class in Python would take part in garbage collection, which costs as much as an arm.
#pragma once
#include <nanobind/nanobind.h>

// One answer, as light as it can be: arrays other than the pose are made when they are looked at.
struct Answer {
  PyObject_VAR_HEAD
  PyObject* pose;
  PyObject* errors;  // none until it is looked at
  PyObject* notes;   // a tuple, none where there is nothing to say
  PyObject* chosen;  // a tuple, none where there is nothing to choose
  PyObject* owner;   // who asked: it knows the figure and the goals
  PyObject* extra;   // what Python keeps with it, none where there is nothing
  double start_violation;
  int code, iterations;
  int goals, width, nq;  // how many of the numbers are errors, targets and the start
  double number[1];      // errors, targets, start

  double* target_numbers() { return number + goals; }
  double* start_numbers() { return number + goals + width; }
};

// A new answer; it takes over the pose and holds the owner. Null with an exception where there is no memory.
Answer* new_answer(PyObject* pose, PyObject* owner, int goals, int width, int nq);
// Many; every object but the owner is taken over. `notes` and `weights` may be null.
PyObject* new_rows(PyObject* owner, PyObject* poses, PyObject* errors, PyObject* codes, PyObject* iterations, PyObject* start_violation,
                   PyObject* chosen, PyObject* notes, PyObject* targets, PyObject* starts, PyObject* weights);
// The exception that names a bad value.
PyObject* bad_value();
