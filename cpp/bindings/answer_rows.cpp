// Many answers: the base of `Solutions`.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "bindings/answers.h"
#include "bindings/constants.h"
#include "bindings/module.h"

namespace nb = nanobind;
using numpy_arrays::Kind;

namespace {

PyTypeObject* rows_base = nullptr;  // kept until the process ends

struct AnswerRows {
  PyObject_VAR_HEAD
  PyObject* object[kRowObjects];  // the arrays of packed rows are null until they are read
  RowShape shape;                 // of packed rows
  Limited limited;                // no frames once the note on them is written
  bool packed;
  double number[1];  // the arrays of packed rows, one after the other
};

AnswerRows* rows_of(PyObject* self) { return reinterpret_cast<AnswerRows*>(self); }

// An array of a track's answer.
struct RowArray {
  Kind kind;
  int axes;
  Py_ssize_t before, shape[2];  // the row of the frame before is not counted in the shape

  Py_ssize_t width() const { return axes == 2 ? shape[1] : 1; }
  Py_ssize_t numbers() const { return (before + shape[0]) * width(); }
  Py_ssize_t doubles() const { return kind == Kind::kInt ? (numbers() + 1) / 2 : numbers(); }  // the memory that it needs
};

// In the order of their place in packed rows.
const RowObject arrays[] = {kRowPoses, kRowErrors, kRowTargets, kRowOutside, kRowStarts, kRowCodes, kRowIterations, kRowChosen};

RowArray array_in(const RowShape& s, int which) {
  switch (which) {
    case kRowPoses: return {Kind::kDouble, 2, s.before, {s.rows, s.nq}};
    case kRowErrors: return {Kind::kDouble, 2, s.before, {s.rows, s.goals}};
    case kRowTargets: return {Kind::kDouble, 2, s.before, {s.rows, s.width}};
    case kRowChosen: return {Kind::kInt, 2, s.before, {s.rows, s.goals}};
    case kRowStarts: return {Kind::kDouble, 1, 0, {s.nq, 0}};
    case kRowOutside: return {Kind::kDouble, 1, 0, {s.rows, 0}};
    default: return {Kind::kInt, 1, 0, {s.rows, 0}};
  }
}

AnswerRows* empty_rows(PyObject* owner, Py_ssize_t numbers) {
  AnswerRows* self = PyObject_NewVar(AnswerRows, rows_base, numbers);
  if (!self) return nullptr;
  std::fill(self->object, self->object + kRowObjects, nullptr);
  self->object[kRowOwner] = Py_NewRef(owner);
  self->shape = {};
  self->limited = {};
  self->packed = false;
  return self;
}

// Makes an array of packed rows.
PyObject* unpacked(const AnswerRows& self, int which) {
  const double* from = self.number;
  for (const RowObject k : arrays) {
    const RowArray array = array_in(self.shape, k);
    if (k != which) {
      from += array.doubles();
      continue;
    }
    void* to;
    PyObject* made = numpy_arrays::made(array.kind, array.axes, array.shape, &to);
    if (!made) return nullptr;
    const Py_ssize_t skipped = array.before * array.width(), count = array.numbers() - skipped;
    if (array.kind == Kind::kInt)
      std::copy_n(reinterpret_cast<const int*>(from) + skipped, count, static_cast<int*>(to));
    else
      std::copy_n(from + skipped, count, static_cast<double*>(to));
    return made;
  }
  return Py_NewRef(Py_None);
}

// Adds the note on speed limits to the others. Returns false with an exception if that fails.
bool note_on_speeds(AnswerRows& rows) {
  const Limited limited = rows.limited;
  PyObject* const speeds = rows.object[kRowSpeeds];
  PyObject* const said = PyObject_CallMethod(rows.object[kRowOwner], "_note_on_speeds", "nniO", limited.frames, limited.first, limited.number,
                                             speeds ? speeds : Py_None);
  if (!said) return false;
  if (rows.limited.frames == 0) {  // another thread has written it meanwhile
    Py_DECREF(said);
    return true;
  }
  PyObject* const before = rows.object[kRowNotes];
  const Py_ssize_t others = before ? PyTuple_Size(before) : 0;
  PyObject* const all = PyTuple_New(others + 1);
  if (!all) {
    Py_DECREF(said);
    return false;
  }
  for (Py_ssize_t k = 0; k < others; ++k) PyTuple_SetItem(all, k, Py_NewRef(PyTuple_GetItem(before, k)));
  PyTuple_SetItem(all, others, said);
  rows.object[kRowNotes] = all;
  rows.limited = {};
  Py_XDECREF(before);
  return true;
}

PyObject* row_object(PyObject* self, void* which) {
  const int k = static_cast<int>(reinterpret_cast<std::intptr_t>(which));
  AnswerRows& rows = *rows_of(self);
  if (k == kRowNotes && rows.limited.frames > 0 && !note_on_speeds(rows)) return nullptr;
  if (rows.object[k]) return Py_NewRef(rows.object[k]);
  if (!rows.packed) return Py_NewRef(Py_None);
  PyObject* const made = unpacked(rows, k);
  if (made && made != Py_None) rows.object[k] = Py_NewRef(made);
  return made;
}

PyObject* create_rows(PyTypeObject*, PyObject* args, PyObject* names) {
  static const char* const words[] = {"owner",  "poses", "errors",  "codes",  "iterations", "start_violation",
                                      "chosen", "notes", "targets", "starts", "weights",    nullptr};
  PyObject* given[kRowObjects] = {};
  if (!PyArg_ParseTupleAndKeywords(args, names, "OOOOOOO|OOOO", const_cast<char**>(words), &given[0], &given[1], &given[2], &given[3], &given[4],
                                   &given[5], &given[6], &given[7], &given[8], &given[9], &given[10]))
    return nullptr;
  AnswerRows* self = empty_rows(given[kRowOwner], 0);
  if (!self) return nullptr;
  for (int k = kRowOwner + 1; k <= kRowWeights; ++k) self->object[k] = Py_XNewRef(given[k]);
  return reinterpret_cast<PyObject*>(self);
}

void destroy_rows(PyObject* self) {
  for (PyObject* object : rows_of(self)->object) Py_XDECREF(object);
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

// NOLINTNEXTLINE(performance-no-int-to-ptr): a getter's closure is a pointer; this one only carries a number
void* row(RowObject k) { return reinterpret_cast<void*>(static_cast<std::intptr_t>(k)); }

PyGetSetDef rows_getters[] = {
    {"_owner", row_object, nullptr, nullptr, row(kRowOwner)},
    {"poses", row_object, nullptr, "(B, nq) always finite and within limits.", row(kRowPoses)},
    {"errors", row_object, nullptr, "(B, goals) one norm for each goal, in lengths or radians; 0 where a goal is not active.", row(kRowErrors)},
    {"codes", row_object, nullptr, "(B,) the status of each row as a number: 0 is reached.", row(kRowCodes)},
    {"iterations", row_object, nullptr, "(B,) steps computed, all starts together.", row(kRowIterations)},
    {"start_violation", row_object, nullptr, "(B,) how far each start was outside its limits before it was clipped to them, in radians or lengths.",
     row(kRowOutside)},
    {"chosen", row_object, nullptr, "(B, goals) which member of each AnyOf was taken; 0 for other goals.", row(kRowChosen)},
    {"_notes", row_object, nullptr, nullptr, row(kRowNotes)},
    {"_targets", row_object, nullptr, nullptr, row(kRowTargets)},
    {"_starts", row_object, nullptr, nullptr, row(kRowStarts)},
    {"_weights", row_object, nullptr, nullptr, row(kRowWeights)},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyType_Slot rows_slots[] = {
    {Py_tp_doc, const_cast<char*>("Many poses that a solver found: the base of `Solutions`.")},
    {Py_tp_new, reinterpret_cast<void*>(create_rows)},
    {Py_tp_dealloc, reinterpret_cast<void*>(destroy_rows)},
    {Py_tp_getset, rows_getters},
    {0, nullptr},
};
PyType_Spec rows_spec = {"manikin.solution.Solutions", offsetof(AnswerRows, number), sizeof(double), Py_TPFLAGS_DEFAULT, rows_slots};

}  // namespace

PyObject* new_rows(PyObject* owner, PyObject* poses, PyObject* errors, PyObject* codes, PyObject* iterations, PyObject* start_violation,
                   PyObject* chosen, PyObject* notes, PyObject* targets, PyObject* starts, PyObject* weights) {
  PyObject* const given[kRowObjects] = {nullptr, poses, errors, codes, iterations, start_violation, chosen, notes, targets, starts, weights, nullptr};
  AnswerRows* self = empty_rows(owner, 0);
  if (!self) {
    for (PyObject* object : given) Py_XDECREF(object);
    return nullptr;
  }
  std::copy(given + kRowOwner + 1, given + kRowObjects, self->object + kRowOwner + 1);
  return reinterpret_cast<PyObject*>(self);
}

FrameRows::FrameRows(FrameRows&& other) noexcept : self_(std::exchange(other.self_, nullptr)) {
  std::copy(other.data_, other.data_ + kRowObjects, data_);
}

FrameRows::~FrameRows() { Py_XDECREF(self_); }

bool FrameRows::make(PyObject* owner, const RowShape& shape) {
  Py_ssize_t numbers = 0;
  for (const RowObject k : arrays) numbers += array_in(shape, k).doubles();
  const bool packed = numbers <= kPackedNumbers;
  AnswerRows* const self = empty_rows(owner, packed ? numbers : 0);
  if (!self) return false;
  self_ = reinterpret_cast<PyObject*>(self);
  self->packed = packed;
  self->shape = shape;
  double* next = self->number;
  for (const RowObject k : arrays) {
    const RowArray array = array_in(shape, k);
    if (packed) {
      data_[k] = next;
      next += array.doubles();
      continue;
    }
    const Py_ssize_t all[2] = {array.before + array.shape[0], array.shape[1]};
    self->object[k] = numpy_arrays::made(array.kind, array.axes, all, &data_[k]);
    if (!self->object[k]) return false;
  }
  return true;
}

PyObject* FrameRows::take(PyObject* out, PyObject* notes, PyObject* weights, const Limited& limited, PyObject* speeds) {
  AnswerRows& self = *rows_of(self_);
  self.object[kRowNotes] = notes;
  self.object[kRowWeights] = weights;
  self.object[kRowSpeeds] = speeds;
  self.limited = limited;
  if (out) {
    Py_XDECREF(self.object[kRowPoses]);
    self.object[kRowPoses] = out;
  }
  for (const RowObject k : arrays) {
    const RowArray array = array_in(self.shape, k);
    if (self.packed || array.before == 0 || (out && k == kRowPoses)) continue;
    PyObject* const rest = PySequence_GetSlice(self.object[k], array.before, array.before + array.shape[0]);
    if (!rest) return nullptr;
    Py_DECREF(self.object[k]);
    self.object[k] = rest;
  }
  return std::exchange(self_, nullptr);
}

void bind_answer_rows(nb::module_& m) { rows_base = made_type(m, &rows_spec, "AnswerRows"); }
