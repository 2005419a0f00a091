// The frames of a track: what is asked of each, and what was found.
#pragma once
#include <algorithm>
#include <vector>

#include "model/options.h"

namespace manikin {

struct Frames {
  long count, nq, target_width, goals, measured;
  const double* dt;    // (count) seconds since the frame before
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
};

// A pose that a figure goes over to, brought along from frame to frame; empty if there is none.
struct OtherPose {
  std::vector<double> q;
  bool reaches = true;  // the targets; else it misses them by less
  long frames = 0;      // on the way there
};

}  // namespace manikin
