// One call of a track from Python: its arguments, copied and checked, and its answer.
#pragma once
#include <vector>

#include "bindings/answers.h"
#include "bindings/arguments.h"
#include "bindings/constants.h"
#include "track/chosen.h"

// A few items inside the object, or many in a vector.
template <class T, std::size_t Few>
class Items {
 public:
  T* make(std::size_t count) {
    if (count <= Few) return few_;
    many_.resize(count);
    return many_.data();
  }

 private:
  T few_[Few];
  std::vector<T> many_;
};

class TrackCall {
 public:
  TrackCall() = default;
  TrackCall(const TrackCall&) = delete;
  TrackCall& operator=(const TrackCall&) = delete;

  // Reads the arguments and provides memory for the answer. Returns false if Python must handle the arguments, or with an exception.
  bool read(const Arguments& given, Asked& asked);
  const manikin::Ask& ask() const { return options_.ask; }
  long frames() const { return static_cast<long>(shape_.rows); }
  // Solves the frames with the hooks in `ask`. Needs no GIL.
  void run(const manikin::Ask& ask);
  // Makes the answer. Returns null with an exception if memory is exhausted.
  PyObject* answer();

 private:
  bool read_options(const Arguments& given);
  bool read_speed(PyObject* object);
  bool read_times(const Arguments& given);
  bool read_start(const numpy_arrays::View& start);
  bool read_targets(const numpy_arrays::View& targets, const numpy_arrays::View& before);

  Asked* asked_ = nullptr;
  const manikin::Query* query_ = nullptr;
  PyObject* owner_ = nullptr;  // this and the arrays of the caller are borrowed until the call returns
  PyObject *out_object_ = nullptr, *speed_object_ = nullptr;
  numpy_arrays::View out_, timed_;
  Options options_;
  manikin::TrackAsk how_;
  RowShape shape_;
  FrameRows rows_;
  bool starts_ = false;   // whether a start is given
  double brought_ = 0.0;  // how far it was outside its limits
  std::vector<double> weight_, speed_, took_;
  Items<double, kFewFrames> seconds_;
  Items<manikin::Ending, kFewFrames> endings_;
  manikin::Ending* ending_ = nullptr;  // (frames, and the frame before)
};
