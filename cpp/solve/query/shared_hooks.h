// The hooks of a call that solves many rows or frames on one or more threads. Once a hook has ended one row, `stopped` is true for all. The host's
// `stopped` is called on the calling thread only. If the host has stopped the call, or one of its goals has failed, the call is abandoned: the host
// does not read the answers.
#pragma once
#include <atomic>
#include <thread>

#include "solve/query/ask.h"

namespace manikin {

class SharedHooks {
 public:
  explicit SharedHooks(const Ask& outer) : outer_(outer), inner_(outer) {
    if (!outer.watch && !outer.stopped && !outer.goal) return;
    inner_.host = this;
    inner_.stopped = [](void* self) { return static_cast<SharedHooks*>(self)->stopped(); };
    if (outer.watch) inner_.watch = [](void* self, const Glance& at) { return static_cast<SharedHooks*>(self)->watch(at); };
    if (outer.goal) inner_.goal = goal;
  }
  SharedHooks(const SharedHooks&) = delete;
  SharedHooks& operator=(const SharedHooks&) = delete;

  // The options for each row.
  const Ask& ask() const { return inner_; }

  bool stopped() {
    if (!abandoned_ && outer_.stopped && std::this_thread::get_id() == caller_ && outer_.stopped(outer_.host)) stop_ = abandoned_ = true;
    return stop_;
  }
  bool abandoned() const { return abandoned_; }

 private:
  bool watch(const Glance& at) {
    const bool goes_on = !stop_ && outer_.watch(outer_.host, at);
    if (!goes_on) stop_ = true;
    return goes_on;
  }
  static bool goal(void* self, int which, const double* placements, const double* center, const double* pose, const double* target, double* error,
                   double* measure, double* derivative) {
    SharedHooks& hooks = *static_cast<SharedHooks*>(self);
    const bool done = hooks.outer_.goal(hooks.outer_.host, which, placements, center, pose, target, error, measure, derivative);
    if (!done) hooks.stop_ = hooks.abandoned_ = true;
    return done;
  }

  const Ask& outer_;
  Ask inner_;
  const std::thread::id caller_ = std::this_thread::get_id();
  std::atomic<bool> stop_{false}, abandoned_{false};
};

}  // namespace manikin
