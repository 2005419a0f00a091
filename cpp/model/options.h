// The options of a solve, and its results besides the pose.
#pragma once
#include "model/constants.h"

namespace manikin {

// A description of one iteration. The pointer is valid until the watcher returns.
struct Glance {
  const double* q;  // (nq) pose before the step
  double cost;      // half the weighted sum of squared errors at that pose, lengths squared, with the weights of that iteration
  double damping;   // lambda, in lengths per radian
  double step;      // norm of the step, in radians and sizes
  int iteration;    // 1 for the first, counted over all starts of the query
  int moved;        // 1 if the step was accepted
};

struct SolveOptions {
  int iterations;  // most iterations of one start
  int most;        // most iterations of all starts together
  int restarts;    // most starts after the first in total; kUsualRestarts: the default for this size
  int tracking;    // 1: the start is near, so there is no nudge and no phase with positions first
  int frame;       // 1: a frame of a track, solved from the previous pose; `room` limits the movement
  int bounded;     // 1: a run to a minimum ends as soon as little can be gained, and a search is not compared with its start
  unsigned long long seed;
  double deadline;  // on `clock`, in seconds; infinite without one
  double (*clock)();
  int competing = 0;  // 1: goals compete, so no pose meets them all; a near start runs straight to a minimum, until little can be gained
  // (width + triples) how far each coordinate, then each triple, may move in this frame: radians or sizes, infinite without a limit. The three
  // coordinates of a ball share the first one's value, as the angle of its rotation. Null: no limit.
  const double* room = nullptr;
  double least_room = 0.0;       // at most the least entry of `room`; 0 if it is not known
  const double* last = nullptr;  // (nq) the pose from which the room is measured; null: the start
  double hold = 0.0;             // weight of staying near the start of the frame if other frames decide how limbs bend; 0: `prox`
  double prox = -1.0;            // weight of staying near the last frame; below 0: the default
  int frugal = 0;                // 1, with `bounded`: few steps use second derivatives, and a search ends if a few steps cannot meet its goals
  const double* bent = nullptr;  // (nq) pose that decides the side on which straight limbs bend; null: the nearest side
  // (nq) A pose to pull toward. The pull vanishes with the error. Null: the middle of the ranges.
  const double* prefer = nullptr;
  // (width) The weight of each coordinate's pull, in the order of coordinate_stiffness (solve/query/prefer.h); a coordinate with 0 is not pulled. Only the
  // ratios count. Null: 1, and 0 for a free root.
  const double* stiffness = nullptr;
  // 1: if the goals are met, continue to the pose nearest to the preferred one (or to the middle of the ranges) that meets them.
  int settle = 0;
  // Hooks of the host. A hook changes the pose only by ending the solve, which then has status 3 and the best pose so far.
  void* host = nullptr;                                   // first argument of the hooks
  bool (*watch)(void* host, const Glance& at) = nullptr;  // called once in each iteration; false ends the solve
  bool (*stopped)(void* host) = nullptr;                  // called every few iterations and between frames; true ends the solve, and stays true
  // Evaluates callback `which`. Inputs: placements (effectors, 4, 4) in the world, in lengths of the figure; center (3) and pose (nq), or null;
  // target: index of its first number in the row of targets. Writes error (rows) in lengths or radians, measure (one number for the error, compared
  // with the goal's tolerance) and, unless null, derivative (rows, columns). False ends the solve, and no callback is called again.
  bool (*goal)(void* host, int which, const double* placements, const double* center, const double* pose, const double* target, double* error,
               double* measure, double* derivative) = nullptr;
};

struct SolveResult {
  double cost;  // with all weights divided by `weight_unit`
  int reached;  // 1: all goals are met, or all but a posture that no joint can improve
  int status;   // 0 all goals are met, 1 stalled, 2 out of iterations, 3 out of time
  int iterations;
  int sweeps;
  int starts;
  int limited;  // in a track: index in q of the joint whose speed limit causes a missed frame, -1 if none
  double weight_unit = 1.0;
};

}  // namespace manikin
