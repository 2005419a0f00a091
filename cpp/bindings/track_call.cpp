#include "bindings/track_call.h"

#include <algorithm>
#include <cmath>

#include "math/index.h"
#include "model/constants.h"

using manikin::at;
using manikin::Ending;
using manikin::Rows;
using numpy_arrays::Kind;
using numpy_arrays::View;

namespace {

// Converts the weight of staying near the previous frame from lengths per radian. Returns false unless the object is a number of at least 0.
bool stays(PyObject* object, double size, double* weight) {
  if (!PyFloat_CheckExact(object)) return false;
  const double length = PyFloat_AsDouble(object), share = length / size;
  if (!(length >= 0.0 && share * share < HUGE_VAL)) return false;
  if (length != std::sqrt(manikin::kPlainProx) * size) *weight = share * share;
  return true;
}

}  // namespace

bool TrackCall::read(const Arguments& given, Asked& asked) {
  asked_ = &asked;
  query_ = &asked.query;
  owner_ = given.self;
  const int nq = query_->nq(), width = query_->width();
  View start, targets, before;
  if (given.given(kTimes)) return false;
  std::vector<double> numbers;
  if (!seen(given, kStart, nq, false, start) || !seen_targets(given, *query_, true, targets, numbers) || !targets.data) return false;
  if (!seen(given, kBefore, width, false, before)) return false;
  how_.continues = before.data != nullptr;
  starts_ = start.data != nullptr;
  shape_ = RowShape{targets.rows(), how_.continues ? 1 : 0, nq, query_->goals(), width};
  if (!seen_out(given, nq, shape_.rows, start, out_)) return false;
  out_object_ = out_.data ? given.value[kOut] : nullptr;
  if (!read_options(given) || !read_times(given) || !rows_.make(owner_, shape_)) return false;
  ending_ = endings_.make(at(shape_.before + shape_.rows));
  return read_targets(targets, before) && read_start(start);
}

bool TrackCall::read_options(const Arguments& given) {
  if (!options_.read(given, *query_, shape_.rows, 0, true)) return false;
  if (!given.named) return true;  // options are given by name
  if (!switched(given.value[kRefine], &how_.refine) || !switched(given.value[kEscape], &how_.escape)) return false;
  if (!read_speed(given.given(kMaxSpeed)) || !seen(given, kSeconds, shape_.rows, false, timed_)) return false;
  if (timed_.data && !timed_.writable) return false;
  if (!given.given(kPrefer) && (options_.preference.settle || !options_.preference.stiffness.empty())) return false;
  PyObject* const stay = given.given(kStay);
  return !stay || stays(stay, query_->description().size, &how_.stay);
}

// Reads `max_speed`: one number for all joints that turn, or the speed of each number of a pose.
bool TrackCall::read_speed(PyObject* object) {
  if (!object) return true;
  if (PyFloat_CheckExact(object)) {
    speed_.resize(at(shape_.nq));
    const double every = PyFloat_AsDouble(object);
    if (!(every > 0.0) || !query_->description().speeds(every, speed_.data())) return false;
  } else {
    const View speed = numpy_arrays::view(object, Kind::kDouble);
    if (!speed.fits(shape_.nq, false)) return false;
    speed_.assign(speed.as<double>(), speed.as<double>() + shape_.nq);
  }
  how_.speed = speed_.data();
  speed_object_ = object;
  return true;
}

// Reads `dt`: one number, or for each frame the seconds since the previous one.
bool TrackCall::read_times(const Arguments& given) {
  const Py_ssize_t count = shape_.before + shape_.rows;
  double every = kFrameSeconds;
  View dt;
  if (PyObject* object = given.given(kDt)) {
    if (PyFloat_CheckExact(object)) {
      every = PyFloat_AsDouble(object);
      if (!(every > 0.0 && every < HUGE_VAL)) return false;
    } else if (!(dt = numpy_arrays::view(object, Kind::kDouble)).fits(count, false)) {
      return false;
    }
  }
  double* const seconds = seconds_.make(at(count));
  if (dt.data)
    std::copy_n(dt.as<double>(), count, seconds);
  else
    std::fill(seconds, seconds + count, every);
  how_.dt = seconds;
  if (timed_.data) {
    took_.resize(at(count));
    how_.seconds = took_.data();
  }
  return true;
}

bool TrackCall::read_targets(const View& targets, const View& before) {
  const Py_ssize_t width = shape_.width;
  double *const first = rows_.doubles(kRowTargets), *const wanted = first + shape_.before * width;
  if (!copied_rows(targets.as<double>(), shape_.rows, width, wanted)) return false;
  for (Py_ssize_t t = 0; t < shape_.rows; ++t)
    if (signalled(t) || !good_targets(*query_, wanted + t * width, options_.weights, t)) return false;
  if (!how_.continues) return true;
  const double* row = before.as<double>();  // missing targets of the previous frame are those of the next frame
  for (Py_ssize_t k = 0; k < width; ++k) first[k] = std::isfinite(row[k]) || shape_.rows == 0 ? row[k] : wanted[k];
  return good_targets(*query_, first, options_.weights, 0);
}

bool TrackCall::read_start(const View& start) {
  double* const outside = rows_.doubles(kRowOutside);
  std::fill(outside, outside + shape_.rows, 0.0);
  double* const begun = rows_.doubles(kRowStarts);
  if (!starts_) {  // `run` finds it for the first frame
    if (shape_.rows == 0) std::copy(query_->description().rest.begin(), query_->description().rest.end(), begun);
    return true;
  }
  std::copy_n(start.as<double>(), shape_.nq, begun);
  if (asked_->returned(begun)) return true;
  brought_ = brought_in(*query_, begun);
  if (brought_ < 0.0) return false;
  if (shape_.rows > 0) outside[0] = brought_;
  return true;
}

void TrackCall::run(const manikin::Ask& hooked) {
  const Py_ssize_t frames = shape_.rows;
  if (frames == 0) return;
  manikin::Ask ask = hooked;
  Rows rows;
  rows.count = static_cast<long>(shape_.before + frames);
  rows.starts = starts_ ? rows_.doubles(kRowStarts) : nullptr;
  rows.each_target = true;
  rows.targets = rows_.doubles(kRowTargets);
  options_.weights.put(rows);
  const Rows own = rows;                          // with the weights of the caller's frames
  if (how_.continues && options_.weights.each) {  // the previous frame has the weights of the next
    weight_.assign(options_.weights.weight.begin(), options_.weights.weight.begin() + query_->own_goals());
    weight_.insert(weight_.end(), options_.weights.weight.begin(), options_.weights.weight.end());
    rows.weights = weight_.data();
  }
  if (how_.continues && options_.preference.each)  // the previous frame is not solved
    options_.preference.pose.insert(options_.preference.pose.begin(), at(shape_.nq), 0.0);
  options_.preference.put(ask, rows);
  if (!starts_) query_->begin(rows, rows_.doubles(kRowStarts));
  manikin::Answers answers{rows_.doubles(kRowPoses), rows_.doubles(kRowErrors), ending_, rows_.ints(kRowChosen)};
  manikin::track(*query_, ask, how_, rows, answers);
  Rows solved = own;
  solved.count = frames;
  solved.targets += shape_.before * shape_.width;
  answers.poses += shape_.before * shape_.nq;
  answers.errors += shape_.before * shape_.goals;
  answers.endings += shape_.before;
  answers.chosen += shape_.before * shape_.goals;
  query_->report_unweighted(ask, solved, answers);
}

PyObject* TrackCall::answer() {
  const Py_ssize_t frames = shape_.rows;
  const double* const poses = rows_.doubles(kRowPoses) + shape_.before * shape_.nq;
  if (timed_.data) std::copy_n(took_.begin() + shape_.before, frames, static_cast<double*>(timed_.data));
  for (Py_ssize_t t = 0; t < frames; ++t) {
    rows_.ints(kRowCodes)[t] = ending_[t + shape_.before].status;
    rows_.ints(kRowIterations)[t] = ending_[t + shape_.before].iterations;
  }
  if (frames > 0) std::copy_n(poses + (frames - 1) * shape_.nq, shape_.nq, asked_->last.begin());
  if (out_.data) std::copy_n(poses, frames * shape_.nq, static_cast<double*>(out_.data));
  Limited limited;
  for (Py_ssize_t t = frames - 1; t >= 0; --t) {
    const int number = ending_[t + shape_.before].limited;
    if (number >= 0) limited = Limited{limited.frames + 1, t, number};
  }
  return rows_.take(Py_XNewRef(out_object_), brought_ > 0.0 ? note_on_start(brought_) : nullptr, options_.weights.array(query_->own_goals(), frames),
                    limited, limited.frames > 0 ? Py_XNewRef(speed_object_) : nullptr);
}
