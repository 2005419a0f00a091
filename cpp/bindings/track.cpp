// The native method of Solver.track.
#include "bindings/module.h"
#include "bindings/track_call.h"

namespace nb = nanobind;

// Solves frames one after the other. `dt` is (frames) seconds since the previous frame, `max_speed` (nq) radians or lengths per second. If the track
// is continued, the previous frame counts as the first in both.
PyObject* track_door(const Arguments& given, PyObject* held) {
  Asked* const asked = asked_query(held);
  if (!asked) return nullptr;
  Hooks hooks;
  try {
    TrackCall call;
    if (!call.read(given, *asked)) return nullptr;
    manikin::Ask ask = call.ask();
    if (!hooks.begin(given, asked->query, ask)) return nullptr;
    {
      nb::gil_scoped_release release;
      call.run(ask);
    }
    return hooks.raised() ? nullptr : call.answer();
  } catch (...) {
    return failed(nullptr);
  }
}
