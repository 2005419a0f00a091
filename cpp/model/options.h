// What a solve is asked for, and what it answers besides the pose.
#pragma once
#include "model/constants.h"

namespace manikin {

// What one iteration did. The pointer is valid until the watcher returns.
struct Glance {
  const double* q;  // (nq) pose before the step
  double cost;      // half the weighted sum of squared errors at that pose, lengths squared, as the solver weighs them in that iteration
  double damping;   // lambda, lengths per radian
  double step;      // norm of the step, radians and sizes
  int iteration;    // 1 for the first, counted over all starts of the query
  int moved;        // 1 if the step was taken
};

struct SolveOptions {
  int iterations;  // most iterations of one start
  int most;        // most iterations of all starts together
  int restarts;    // most starts after the first, in all; kUsualRestarts: as many as a search of this size needs
  int tracking;    // 1: the start is near; no nudge, no position first
  int frame;       // 1: a frame of a track, from the pose before; `room` says how far joints may move
  int bounded;     // 1: a run to a minimum ends as soon as little more is to be gained, and a search does not look twice at its start
  unsigned long long seed;
  double deadline;  // on `clock`, in seconds; infinite without one
  double (*clock)();
  // (width + triples) how far each coordinate, then each triple, may move in this frame: radians or sizes, infinite without a
  // limit. The three coordinates of a ball share the first one's, as the angle of its rotation. None: no limit.
  const double* room = nullptr;
  const double* last = nullptr;  // (nq) the pose that the room is measured from; none: the start
  double hold = 0.0;             // weight of staying near the start of the frame, where other frames say how limbs bend; 0: `prox`
  double prox = -1.0;            // weight of staying near the last frame; below 0: the usual one
  int frugal = 0;                // 1, with `bounded`: few steps use second derivatives, and a search ends where its goals are out of sight
  const double* bent = nullptr;  // (nq) pose that says to which side straight limbs bend; none: as is nearest
  // (nq) A pose to pull toward. The pull vanishes with the error. None: the middle of the ranges.
  const double* prefer = nullptr;
  // (width) The weight of each coordinate's pull, in the order of coordinate_stiffness (solve/prefer.h); 0 leaves a coordinate alone.
  // Only the ratios count. None: 1, and 0 for a free root.
  const double* stiffness = nullptr;
  // 1: where the goals are met, go on to the nearest pose to the preferred one (or to the middle of the ranges) that meets them.
  int settle = 0;
  // Hooks of the host. None of them changes a pose unless it ends the solve, which then has status 3 and the best pose so far.
  void* host = nullptr;                                   // first argument of the hooks
  bool (*watch)(void* host, const Glance& at) = nullptr;  // called once an iteration; false ends the solve
  bool (*stopped)(void* host) = nullptr;                  // called every few iterations and between frames; true ends the solve, and stays true
  // Evaluates callback `which`: placements (effectors, 4, 4) in the world, lengths of the figure; center (3) and pose (nq) or null;
  // target: where its numbers start in the row of targets. Writes error (rows) in lengths or radians, measure (one number for the error,
  // compared with the goal's tolerance) and, unless null, derivative (rows, columns). False ends the solve, and no callback is called again.
  bool (*goal)(void* host, int which, const double* placements, const double* center, const double* pose, const double* target, double* error,
               double* measure, double* derivative) = nullptr;
};

struct SolveResult {
  double cost;
  int reached;  // 1: all goals are met, or all but a posture of which no move of any joint brings more
  int status;   // 0 all goals are met, 1 stalled, 2 out of iterations, 3 out of time
  int iterations;
  int sweeps;
  int starts;
  int limited;  // in a track: the number in q whose speed limit holds back a frame that is missed, -1 if none does
};

}  // namespace manikin
