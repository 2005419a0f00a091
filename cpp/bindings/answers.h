// The answers that Python sees: `Answer` (one pose) and `AnswerRows` (many). src/manikin/solution/ adds their methods and names them Solution and
// Solutions. They are not base classes: objects of a Python class would take part in garbage collection, which costs as much as the solve of an
// arm.
#pragma once
#include <nanobind/nanobind.h>

#include "bindings/numpy_arrays.h"

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

// The objects of many answers, in the order in which `AnswerRows` holds them.
enum RowObject : int {
  kRowOwner,
  kRowPoses,
  kRowErrors,
  kRowCodes,
  kRowIterations,
  kRowOutside,
  kRowChosen,
  kRowNotes,
  kRowTargets,
  kRowStarts,
  kRowWeights,
  kRowSpeeds,  // speed limits for the note on them; Python does not read it
  kRowObjects
};

// The frames of a track that are missed because of a speed limit: how many, the first, and the number in q that is at its limit there.
struct Limited {
  Py_ssize_t frames = 0, first = 0;
  int number = -1;
};

// The number of rows and of the numbers in each.
struct RowShape {
  Py_ssize_t rows = 0;
  Py_ssize_t before = 0;  // 1: poses, errors, targets and members begin with the row of the frame before, which is not part of the answer
  int nq = 0, goals = 0, width = 0;
};

// The answer of a track while it is computed. Few rows are stored in the object itself, and arrays are made of them when they are read. Many rows are
// stored in arrays from the beginning.
class FrameRows {
 public:
  FrameRows() = default;
  FrameRows(const FrameRows&) = delete;
  FrameRows& operator=(const FrameRows&) = delete;
  FrameRows(FrameRows&& other) noexcept;
  ~FrameRows();

  // Provides memory for all arrays. Returns false with an exception if memory is exhausted.
  bool make(PyObject* owner, const RowShape& shape);
  double* doubles(RowObject which) const { return static_cast<double*>(data_[which]); }
  int* ints(RowObject which) const { return static_cast<int*>(data_[which]); }
  // Hands over the answer, with `out` in place of the poses unless it is null. Takes ownership of the objects; each may be null. The note on `limited`
  // names joints, so the owner writes it when notes are read; `speeds` are the limits that it gets.
  PyObject* take(PyObject* out, PyObject* notes, PyObject* weights, const Limited& limited, PyObject* speeds);

 private:
  PyObject* self_ = nullptr;
  void* data_[kRowObjects] = {};
};

// Makes a type and adds it to the module. The type is kept until the process ends.
PyTypeObject* made_type(nanobind::module_& m, PyType_Spec* spec, const char* name);
// The exception type for a bad value.
PyObject* bad_value();
