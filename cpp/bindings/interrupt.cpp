#include "bindings/interrupt.h"

#include "bindings/constants.h"
#include "bindings/gil.h"

namespace nb = nanobind;
using Clock = std::chrono::steady_clock;

bool Interrupt::stopped(void* host) {
  Interrupt& self = *static_cast<Interrupt*>(host);
  if (self.raised_) return true;
  const Clock::time_point now = Clock::now();
  if (now < self.next_) return false;
  const bool first = self.next_ == Clock::time_point{};
  self.next_ = now + std::chrono::milliseconds(kSignalMilliseconds);
  if (first) return false;
  const WithGil taken;
  if (PyErr_CheckSignals() != 0) self.keep();
  return self.raised_.has_value();
}

void Interrupt::keep() {
  if (raised_)
    PyErr_Clear();
  else
    raised_.emplace();  // takes the current exception
}

void Interrupt::rethrow() {
  if (!raised_) return;
  raised_->restore();
  nb::raise_python_error();
}
