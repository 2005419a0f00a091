// Giving up and taking the GIL. If the interpreter ends while a daemon thread is in a native call, CPython ends that thread when it takes the GIL, by
// unwinding its stack. C++ does not allow this in destructors, and the process would abort. Such a thread waits for the end of the process instead, as
// all threads do from Python 3.14 on.
#pragma once
#include <nanobind/nanobind.h>

#include <chrono>
#include <thread>

[[noreturn]] inline void wait_for_the_end() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

// The GIL is not held while this exists.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() {
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {
      wait_for_the_end();
    }
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

// The GIL is held while this exists.
class WithGil {
 public:
  WithGil() : state_(taken()) {}
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  static PyGILState_STATE taken() {
    try {
      return PyGILState_Ensure();
    } catch (...) {
      wait_for_the_end();
    }
  }
  PyGILState_STATE state_;
};
