// The options of a query besides start, targets and weights, and the ending of a row.
#pragma once
#include <limits>

#include "model/options.h"

namespace manikin {

// Which pose of an arm is returned if several reach a target: the one nearest to the start, or the first found.
enum class Pick { kNear, kFirst };

struct Ask {
  int restarts = kUsualRestarts;                              // most other starts of one search, if the first ends in a local minimum
  int most = 1000000;                                         // most iterations of a row, over all its starts
  unsigned long long seed = 0;                                // for the random starts
  double deadline = std::numeric_limits<double>::infinity();  // on `clock`, in seconds
  double (*clock)() = nullptr;
  Pick pick = Pick::kNear;
  // A pose (nq) to pull toward, with a stiffness for each step of the figure (nv); see SolveOptions. Null: the middle of the ranges, and stiffness 1.
  const double* prefer = nullptr;
  const double* stiffness = nullptr;
  bool competing = false;  // whether goals compete, as in SolveOptions
  bool settle = false;     // whether a pose that meets the goals moves on to the one nearest to the preferred pose
  // Hooks of the host, as in SolveOptions. `which` numbers the goals that the host evaluates, in the order of all members. If `stopped` ends a track
  // without a watcher, the frames that were not started stay unwritten, because the host does not use the answer.
  void* host = nullptr;
  bool (*watch)(void* host, const Glance& at) = nullptr;
  bool (*stopped)(void* host) = nullptr;
  bool (*goal)(void* host, int which, const double* placements, const double* center, const double* pose, const double* target, double* error,
               double* measure, double* derivative) = nullptr;
};

// Seconds on a steady clock.
double seconds();

// How a row ended.
struct Ending {
  int status = 1;  // 0 reached, 1 stalled, 2 out of iterations, 3 out of time
  int iterations = 0;
  int starts = 0;
  int limited = -1;  // in a track: the number in q whose speed limit holds back a frame that is missed
};

}  // namespace manikin
