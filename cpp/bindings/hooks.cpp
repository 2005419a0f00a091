#include "bindings/hooks.h"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <initializer_list>
#include <stdexcept>

#include "bindings/gil.h"

namespace nb = nanobind;
using manikin::Callback;

namespace {

using Row = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Returns a new array with these numbers; None if `from` is null.
nb::object copied(const double* from, std::initializer_list<std::size_t> shape) {
  if (!from) return nb::none();
  std::size_t count = 1;
  for (const std::size_t n : shape) count *= n;
  double* const data = new double[std::max<std::size_t>(count, 1)];
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  std::copy(from, from + count, data);
  return nb::cast(nb::ndarray<nb::numpy, double>(data, shape, owner));
}

std::size_t size(int n) { return static_cast<std::size_t>(n); }

}  // namespace

PythonHooks::PythonHooks(int nq, const std::vector<Callback>& callbacks, nb::object watch, const nb::object& goals)
    : nq_(nq), callbacks_(callbacks), watch_(std::move(watch)) {
  for (nb::handle goal : goals) goals_.push_back(nb::borrow(goal));
  if (goals_.size() != callbacks.size()) throw std::invalid_argument("goals must hold one callable for each goal in Python");
  seen_.resize(goals_.size());
}

void PythonHooks::put(manikin::Ask& ask) {
  ask.host = this;
  ask.stopped = stopped;
  ask.watch = watch_.is_none() ? nullptr : watch;
  ask.goal = goals_.empty() ? nullptr : goal;
}

bool PythonHooks::stopped(void* host) { return Interrupt::stopped(&static_cast<PythonHooks*>(host)->interrupt_); }

bool PythonHooks::watch(void* host, const manikin::Glance& at) {
  PythonHooks& self = *static_cast<PythonHooks*>(host);
  const WithGil taken;
  if (self.ended_ || self.interrupt_.raised()) return false;
  try {
    const nb::object said = self.watch_(copied(at.q, {size(self.nq_)}), at.cost, at.damping, at.step, at.iteration, at.moved != 0);
    self.ended_ = said.ptr() == Py_False;
    return !self.ended_;
  } catch (nb::python_error& e) {
    e.restore();
    self.interrupt_.keep();
    return false;
  }
}

bool PythonHooks::goal(void* host, int which, const double* placements, const double* center, const double* pose, const double* target, double* error,
                       double* measure, double* derivative) {
  PythonHooks& self = *static_cast<PythonHooks*>(host);
  const WithGil taken;
  if (self.interrupt_.raised()) return false;
  try {
    return self.evaluate(which, placements, center, pose, target, error, measure, derivative);
  } catch (nb::python_error& e) {
    e.restore();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_ValueError, e.what());
  }
  self.interrupt_.keep();
  return false;
}

bool PythonHooks::evaluate(int which, const double* placements, const double* center, const double* pose, const double* target, double* error,
                           double* measure, double* derivative) {
  const Callback& c = callbacks_[size(which)];
  Seen& seen = seen_[size(which)];
  // the inputs of the goal
  std::vector<double> read(placements, placements + 16 * c.effectors);
  if (center) read.insert(read.end(), center, center + 3);
  if (pose) read.insert(read.end(), pose, pose + nq_);
  read.insert(read.end(), target, target + c.width);
  const bool known = !seen.error.empty() && read == seen.read;
  if (known) {  // before the call: while Python runs, another thread may evaluate the goal and replace what was seen
    std::copy(seen.error.begin(), seen.error.end(), error);
    *measure = seen.measure;
  }
  if (!known || derivative) {
    const nb::object said = goals_[size(which)](copied(placements, {size(c.effectors), 4, 4}), copied(center, {3}), copied(pose, {size(nq_)}),
                                                copied(target, {size(c.width)}), nb::bool_(!known), nb::bool_(derivative != nullptr));
    const nb::tuple parts = nb::cast<nb::tuple>(said);
    if (!known) {
      const Row given = nb::cast<Row>(parts[0]);
      if (given.size() != size(c.rows)) throw std::invalid_argument("the error of a goal has the wrong shape");
      *measure = nb::cast<double>(parts[1]);
      std::copy(given.data(), given.data() + given.size(), error);
      seen.measure = *measure;
      seen.error.assign(error, error + given.size());
      seen.read = std::move(read);
    }
    if (derivative) {
      const Rows given = nb::cast<Rows>(parts[2]);
      if (given.shape(0) != size(c.rows) || given.shape(1) != size(c.columns))
        throw std::invalid_argument("the derivative of a goal has the wrong shape");
      std::copy(given.data(), given.data() + given.size(), derivative);
    }
  }
  return true;
}
