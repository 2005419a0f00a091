// The native method of Solver.track, and tracks on threads for Solver.track_many.
#include <deque>
#include <stdexcept>
#include <vector>

#include "bindings/gil.h"
#include "bindings/module.h"
#include "bindings/track_call.h"
#include "math/index.h"
#include "track/many.h"

namespace nb = nanobind;

namespace {

// Throws the current exception with the number of the clip in front, or a TypeError.
[[noreturn]] void raise_for(std::size_t clip) {
  if (PyErr_Occurred()) {
    const nb::python_error said;
    PyErr_Format(said.type().ptr(), "clip %zu: %S", clip, said.value().ptr());
  } else {
    PyErr_Format(PyExc_TypeError, "clip %zu: an argument does not have the form that the native core expects", clip);
  }
  nb::raise_python_error();
}

nb::list track_many(const nb::object& owner, const nb::list& calls, int threads) {
  const nb::object held = owner.attr("_query");
  Asked* const asked = asked_query(held.ptr());
  if (!asked) throw std::invalid_argument("the owner has no query");
  std::deque<TrackCall> clips;
  std::vector<long> frames;
  nb::list out;
  if (calls.size() == 0) return out;
  for (const nb::handle call : calls) {
    if (!clips.emplace_back().read(arguments_in(owner.ptr(), call.ptr()), *asked)) raise_for(clips.size() - 1);
    frames.push_back(clips.back().frames());
  }
  Hooks hooks;
  manikin::Ask ask = clips.front().ask();
  if (!hooks.begin(arguments_in(owner.ptr(), calls[0].ptr()), asked->query, ask)) nb::raise_python_error();
  {
    const WithoutGil released;
    manikin::track_many(frames, threads, ask, [&](long k, const manikin::Ask& mine) { clips[manikin::at(k)].run(mine); });
  }
  if (hooks.raised()) nb::raise_python_error();
  for (TrackCall& clip : clips) {
    PyObject* const found = clip.answer();
    if (!found) nb::raise_python_error();
    out.append(nb::steal(found));
  }
  return out;
}

}  // namespace

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
      const WithoutGil released;
      call.run(ask);
    }
    return hooks.raised() ? nullptr : call.answer();
  } catch (...) {
    return failed(nullptr);
  }
}

void bind_track_many(nb::module_& m) {
  m.def("track_many", &track_many, nb::arg("owner"), nb::arg("calls"), nb::arg("threads"),
        nb::sig("def track_many(owner: object, calls: list[dict[str, object]], threads: int) -> list[AnswerRows]"),
        "Several tracks on threads: `calls` has the arguments of `track` for each, by name. They share the options other than those of frames.");
}
