// The frames of a track: what is asked of each, and what was found.
#pragma once
#include <algorithm>
#include <limits>
#include <vector>

#include "model/options.h"

namespace manikin {

// The result of a frame that was not begun, since a hook had ended the call.
constexpr SolveResult kNotBegun = {std::numeric_limits<double>::infinity(), 0, 3, 0, 0, 0, -1};

// What a track is allowed, besides what each of its frames is.
struct TrackOptions {
  const double* dt;                // (frames) seconds since the frame before
  const double* speed;             // (nq) radians or lengths a second that a joint may move, infinite without a limit; of a ball at its first number
  const int* levels;               // (goals) levels of priority, 0 first; none where all have the same
  bool continues;                  // the start is the pose of the first frame
  bool refine, escape;             // see tracker.h
  double* seconds = nullptr;       // (frames) out, where given: how long each frame took, before `escape` and `refine`
  const double* prefer = nullptr;  // (nq), or (frames, nq) with each_prefer: poses to pull toward in plain frames
  bool each_prefer = false;
  double hold = -1.0;  // weight of staying near the last frame; below 0: the usual one
};

struct Frames {
  long count, nq, target_width, goals, measured;
  const double* dt;  // (count) seconds since the frame before
  const double *targets, *weights;
  bool one_weights;  // the same in every frame
  double *q, *measures;
  SolveResult* results;
  std::vector<char> going;  // toward another pose

  const double* target(long t) const { return targets + t * target_width; }
  const double* weight(long t) const { return weights + (one_weights ? 0 : t * goals); }
  // Whether other goals count than in the frame before, or with other weights: what is after that is no matter of the frames before.
  bool begins_anew(long t) const { return !one_weights && !std::equal(weight(t), weight(t) + goals, weight(t - 1)); }
  double* pose(long t) const { return q + t * nq; }
  double* measure(long t) const { return measures + t * measured; }

  // After a call that a hook ended: frames that were not begun have a result with 0 starts, and nothing else is written for them.
  // This gives them measures that are not numbers and the pose of the frame before, the first that of `start`.
  void fill_not_begun(const double* start) const {
    for (long t = 0; t < count; ++t) {
      if (results[t].starts > 0) continue;
      std::fill(measure(t), measure(t + 1), std::numeric_limits<double>::quiet_NaN());
      const double* before = t > 0 ? pose(t - 1) : start;
      std::copy(before, before + nq, pose(t));
    }
  }
};

// A pose that a figure escapes to, brought along from frame to frame; empty if there is none.
struct OtherPose {
  std::vector<double> q;
  bool reaches = true;  // the targets; else it misses them by less
  long frames = 0;      // on the way there
};

}  // namespace manikin
