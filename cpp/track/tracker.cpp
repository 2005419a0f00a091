// Frames one after the other.
#include "track/tracker.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace manikin {
Tracker::Tracker(const Solver& solver, const SolveOptions& options, const TrackOptions& track, const Frames& frames, const double* start,
                 Ready& ready)
    : solver_(solver),
      problem_(solver.problem()),
      kernel_(*ready.kernels),
      options_(options),
      track_(track),
      f_(frames),
      start_(start),
      speeds_(ready.speeds),
      arm_(ready.arm),
      joints_(ready.joints),
      workspace_(ready.workspace),
      found_(ready.found),
      measured_(ready.measured),
      weights_(ready.weights) {
  solver_.require_goals(options_);
  if (!passes()) return;
  kept_.resize(static_cast<std::size_t>(f_.goals));
  f_.going.assign(static_cast<std::size_t>(f_.count), 0);
}

void Tracker::run() {
  plain();
  if (options_.restarts > 0 || !passes() || stopped()) return;
  const Kept frugal = keep();
  thorough_ = true;
  plain();
  pass();
  if (!stopped() && !loses(0, f_.count - 1, frugal.results)) return;
  take_back(frugal);
  std::fill(f_.going.begin(), f_.going.end(), 0);
  pass();
}

// Runs the offline passes over the finished plain frames.
void Tracker::pass() {
  if (track_.refine && !stopped()) finer();
  if (track_.escape && !stopped()) escape();
  if (track_.refine && !stopped()) refine();
}

Tracker::Kept Tracker::keep() const {
  return {{f_.results, f_.results + f_.count}, {f_.q, f_.q + f_.count * f_.nq}, {f_.measures, f_.measures + f_.count * f_.measured}};
}

void Tracker::take_back(const Kept& kept) {
  std::copy(kept.results.begin(), kept.results.end(), f_.results);
  std::copy(kept.poses.begin(), kept.poses.end(), f_.q);
  std::copy(kept.measures.begin(), kept.measures.end(), f_.measures);
}

SolveResult Tracker::solve(const SolveOptions& options, long t, double* q, double* measure) {
  SolveResult result;
  kernel_.solve(problem_, options, f_.target(t), f_.weight(t), q, measure, &result, workspace_.start);
  result.limited = -1;
  return result;
}

// Clips a pose to its limits and computes its errors.
SolveResult Tracker::errors_inside(long t, double* q, double* measure) {
  SolveOptions here{};
  here.tracking = 1;
  here.deadline = 1e308;
  here.host = options_.host;
  here.goal = options_.goal;
  return solve(here, t, q, measure);
}

// Computes the errors of a pose that is within its limits. The pose is not written back, because that would change its last bits.
SolveResult Tracker::errors_at(long t, const double* q, double* measure) {
  looked_at_.assign(q, q + f_.nq);
  return errors_inside(t, looked_at_.data(), measure);
}

// The result of the frame before in a plain track. The caller has its errors, and no frame depends on them.
SolveResult Tracker::known() {
  std::fill(f_.measure(0), f_.measure(1), 0.0);
  return SolveResult{0.0, 1, 0, 0, 0, 1, -1};
}

SolveOptions Tracker::frame_options(long t) {
  SolveOptions now = options_;
  now.frame = now.tracking = 1;
  now.restarts = 0;
  now.prefer = pulled_to(t);
  now.prox = track_.stay;
  now.bounded = fine_ ? 0 : 1;
  now.frugal = thorough_ ? 0 : 1;
  now.room = speeds_.room(f_.dt[t]);
  now.least_room = speeds_.least_room();
  return now;
}

// Solves every frame to its minimum, with straight limbs bent to their earlier side: a better basis for `refine`. Restores the earlier frames if a
// reached frame would be missed.
void Tracker::finer() {
  if (std::all_of(f_.results, f_.results + f_.count, [](const SolveResult& r) { return r.reached != 0; })) return;
  const Kept before = keep();
  fine_ = true;
  plain();
  fine_ = false;
  if (stopped() || loses(0, f_.count - 1, before.results)) take_back(before);
}

// Whether one of these frames is missed although another track reaches it.
bool Tracker::loses(long first, long last, const std::vector<SolveResult>& other) const {
  for (long t = first; t <= last; ++t)
    if (other[static_cast<std::size_t>(t)].reached && !f_.results[t].reached) return true;
  return false;
}

// Divides the time since the last call evenly among the frames from `first` up to t.
void Tracker::note_time(long first, long t) {
  if (!track_.seconds || thorough_) return;
  const double now = options_.clock();
  std::fill(track_.seconds + first, track_.seconds + t, (now - clocked_) / static_cast<double>(t - first));
  clocked_ = now;
}

void Tracker::plain() {
  long missed_at = -kEased - 1;  // the last missed frame
  if (track_.seconds && !thorough_) clocked_ = options_.clock();
  for (long t = 0; t < f_.count; ++t) {
    if ((t > 0 || !track_.continues) && stopped()) return leave(t);
    if (t == 0) {
      double* mine = f_.pose(t);
      std::copy(start_, start_ + f_.nq, mine);
      if (settles(0) && !track_.continues) settle_first();
      SolveOptions first = options_;
      first.tracking = 1;
      first.prefer = pulled_to(0);
      first.settle = settles(0) ? 1 : 0;
      f_.results[0] = !track_.continues ? solve(first, 0, mine, f_.measure(0)) : passes() ? errors_at(0, mine, f_.measure(0)) : known();
      note_time(0, 1);
      continue;
    }
    if (f_.one_weights && !steered()) {
      const long calm = arm_.follow_many(f_.count - t, options_, f_.dt + t, f_.target(t - 1), f_.weights, f_.pose(t - 1), f_.measure(t),
                                         f_.results + t);
      if (calm > 0) note_time(t, t + calm);
      if ((t += calm) == f_.count) break;
      if (stopped()) return leave(t);
    }
    if (fine_) {
      if (!f_.results[t - 1].reached) missed_at = t - 1;
      const bool eased = t - missed_at > kEased;
      if (eased) bent_ = t > kEased ? f_.pose(t - kEased) : start_;
    }
    const bool bends = fine_ && t - missed_at <= kEased && (t < 2 || joints_.turned(f_.pose(t - 2), f_.pose(t - 1)) < kStraight);
    const double* bent = bent_;
    if (!bends) bent_ = nullptr;
    follow(t, f_.pose(t - 1));
    bent_ = bent;
    note_time(t, t + 1);
  }
}

// Solves frame t from the pose `before`.
void Tracker::follow(long t, const double* before) {
  double *mine = f_.pose(t), *measure = f_.measure(t);
  SolveResult& result = f_.results[t];
  if (settles(t)) before = begin_settling(t, before);
  std::copy(before, before + f_.nq, mine);
  if (!steered() && arm_.follow(options_, f_.dt[t], f_.target(t - 1), f_.target(t), f_.weight(t), mine, measure, &result)) return;
  SolveOptions now = frame_options(t);
  now.bent = bent_;
  result = solve(now, t, mine, measure);
  if (track_.levels) follow_levels(t, before);
  if (!result.reached) search(t, before);
  if (!result.reached && options_.restarts > 0) jump(t, before);
  if (!result.reached) note_limit(t, before);
  if (settles(t) && result.reached) settle_frame(t, before);
}

// Whether all active goals up to a priority level are met.
bool Tracker::met(const double* measure, const double* weight, int last_level) const {
  const auto misses = [&](int goal, bool angle, double tolerance, double by) {
    return weight[goal] > 0.0 && track_.levels[goal] <= last_level && !(by <= tolerance * (angle ? 1.0 : problem_.size));
  };
  for (int k = 0; k < problem_.parts; ++k)
    if (misses(problem_.part[k].goal, is_angle(problem_.part[k]), problem_.part[k].tolerance, measure[k])) return false;
  for (int k = 0; k < problem_.links; ++k)
    if (misses(problem_.link[k].goal, is_angle(problem_.link[k]), problem_.link[k].tolerance, measure[problem_.parts + k])) return false;
  for (int k = 0; k < problem_.postures; ++k)
    if (misses(problem_.posture[k].goal, true, problem_.posture[k].tolerance, measure[problem_.parts + problem_.links + k])) return false;
  return true;
}

// Applies priorities in frame t. If a goal above the lowest level misses, the pose is moved until it is met, without the levels below. This is
// repeated for as many levels as can be met, at least the first if possible.
void Tracker::follow_levels(long t, const double* before) {
  const int* levels = track_.levels;
  const double* weight = f_.weight(t);
  SolveResult& result = f_.results[t];
  for (int cut = *std::max_element(levels, levels + f_.goals) - 1; cut >= 0 && !met(f_.measure(t), weight, cut); --cut) {
    for (long g = 0; g < f_.goals; ++g) weights_[static_cast<std::size_t>(g)] = levels[g] <= cut ? weight[g] : 0.0;
    std::copy(f_.pose(t), f_.pose(t) + f_.nq, found_.begin());
    SolveOptions now = frame_options(t);
    now.last = before;
    now.hold = kHardlyHeld;
    now.frugal = 0;
    now.most = options_.most - result.iterations;
    SolveResult found;
    kernel_.solve(problem_, now, f_.target(t), weights_.data(), found_.data(), measured_.data(), &found, workspace_.start);
    const int iterations = result.iterations + found.iterations;
    if (met(measured_.data(), weight, cut)) {
      std::copy(found_.begin(), found_.end(), f_.pose(t));
      const int status = result.status;
      result = errors_at(t, f_.pose(t), f_.measure(t));
      if (!result.reached) result.status = status;
    }
    result.iterations = iterations;
  }
}

// Solves a missed frame again as a single pose, without speed limits and without restarts. The result is used if it reaches the goals and no joint
// exceeds its speed limit.
void Tracker::search(long t, const double* before) {
  SolveResult& result = f_.results[t];
  SolveOptions now = options_;
  now.tracking = now.restarts = 0;
  now.prefer = pulled_to(t);
  now.bounded = 1;
  now.frugal = thorough_ ? 0 : 1;
  now.most = options_.most - result.iterations;
  if (now.most < kLeastSearch || now.competing) return;
  std::copy(before, before + f_.nq, found_.begin());
  SolveResult found;
  if (track_.levels) {  // levels with closer weights leave more ways open
    SolveResult nearer;
    for (long g = 0; g < f_.goals; ++g) weights_[static_cast<std::size_t>(g)] = f_.weight(t)[g] * std::pow(kLevelNearer, track_.levels[g]);
    kernel_.solve(problem_, now, f_.target(t), weights_.data(), found_.data(), measured_.data(), &nearer, workspace_.start);
    now.tracking = 1;
    now.most -= nearer.iterations;
    found = solve(now, t, found_.data(), measured_.data());
    found.iterations += nearer.iterations;
  } else {
    found = solve(now, t, found_.data(), measured_.data());
  }
  found.iterations += result.iterations;
  found.starts += result.starts;
  result.iterations = found.iterations;
  result.starts = found.starts;
  if (!found.reached || joints_.haste(before, found_.data(), f_.dt[t]) > kWithin) return;
  std::copy(found_.begin(), found_.end(), f_.pose(t));
  std::copy(measured_.begin(), measured_.end(), f_.measure(t));
  result = found;
}

// With restarts, searches a missed frame again. Speed limits do not apply.
void Tracker::jump(long t, const double* before) {
  SolveResult& result = f_.results[t];
  SolveOptions now = options_;
  now.tracking = 1;
  now.prefer = pulled_to(t);
  now.most = options_.most - result.iterations;
  const int iterations = result.iterations;
  std::copy(before, before + f_.nq, f_.pose(t));
  result = solve(now, t, f_.pose(t), f_.measure(t));
  result.iterations += iterations;
}

// Records which joint would have to move faster in a missed frame.
void Tracker::note_limit(long t, const double* before) {
  int number = -1;
  if (joints_.haste(before, f_.pose(t), f_.dt[t], &number) >= kAtSpeedLimit) f_.results[t].limited = number;
}

}  // namespace manikin
