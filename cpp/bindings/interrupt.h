// Python exceptions and Ctrl-C during a native call that runs without the GIL.
#pragma once
#include <nanobind/nanobind.h>

#include <chrono>
#include <optional>

class Interrupt {
 public:
  // Hook for SolveOptions::stopped; `host` is an Interrupt. True from the first exception on. Lets Python handle signals: every call reads the clock,
  // and the GIL is taken every 50 ms.
  static bool stopped(void* host);

  // Stores the exception that Python has just raised, unless one is stored already. Needs the GIL.
  void keep();
  bool raised() const { return raised_.has_value(); }
  // Sets the stored exception as the current one, for a caller that then returns null. Needs the GIL.
  void restore() { raised_->restore(); }
  // Throws the stored exception, if there is one. Needs the GIL.
  void rethrow();

 private:
  std::chrono::steady_clock::time_point next_{};  // when the GIL is taken again; unset until the first call
  std::optional<nanobind::python_error> raised_;
};
