// The frames of a track: their targets, weights and results.
#pragma once
#include <algorithm>
#include <limits>
#include <vector>

#include "model/options.h"

namespace manikin {

// The result of a frame that was not started because a hook had ended the call.
constexpr SolveResult kNotBegun = {std::numeric_limits<double>::infinity(), 0, 3, 0, 0, 0, -1};

// The options of a track, in addition to those of each frame.
struct TrackOptions {
  const double* dt;                // (frames) seconds since the previous frame
  const double* speed;             // (nq) speed limit of each joint in radians or lengths per second, infinite if none; of a ball at its first number
  const int* levels;               // (goals) priority levels, 0 first; null if all are equal
  bool continues;                  // whether the start is the pose of the first frame
  bool refine, escape;             // see tracker.h
  double* seconds = nullptr;       // (frames) out, unless null: how long each frame took, before `escape` and `refine`
  const double* prefer = nullptr;  // (nq), or (frames, nq) with each_prefer: poses to pull toward in plain frames. NaN: none in this frame
  bool each_prefer = false;
  double stay = -1.0;                 // weight of staying near the last frame; below 0: the default
  bool settle = false;                // whether frames move on toward the preferred pose, see settle.cpp
  const double* stiffness = nullptr;  // (nv) with `settle`: as in place_unfelt
};

struct Frames {
  long count, nq, target_width, goals, measured;
  const double* dt;  // (count) seconds since the previous frame
  const double *targets, *weights;
  bool one_weights;  // whether all frames have the same weights
  double *q, *measures;
  SolveResult* results;
  std::vector<char> going;  // whether a frame moves toward another pose

  const double* target(long t) const { return targets + t * target_width; }
  const double* weight(long t) const { return weights + (one_weights ? 0 : t * goals); }
  // Whether the weights differ from those of the previous frame. Later frames then have no influence on earlier ones.
  bool begins_anew(long t) const { return !one_weights && !std::equal(weight(t), weight(t) + goals, weight(t - 1)); }
  double* pose(long t) const { return q + t * nq; }
  double* measure(long t) const { return measures + t * measured; }

  // Completes the answer after a hook has ended the call. Frames that were not started have a result with 0 starts, and nothing else has been written
  // for them. They get NaN as measures and the pose of the frame before; the first frame gets `start`.
  void fill_not_begun(const double* start) const {
    for (long t = 0; t < count; ++t) {
      if (results[t].starts > 0) continue;
      std::fill(measure(t), measure(t + 1), std::numeric_limits<double>::quiet_NaN());
      const double* before = t > 0 ? pose(t - 1) : start;
      std::copy(before, before + nq, pose(t));
    }
  }
};

// A pose that a figure moves to, updated from frame to frame; empty if there is none.
struct OtherPose {
  std::vector<double> q;
  bool reaches = true;  // whether it reaches the targets; otherwise it only comes nearer
  long frames = 0;      // how many frames the move has taken
};

}  // namespace manikin
