// What a caller asks of a query besides start, targets and weights, and what is found for one row.
#pragma once
#include <limits>

#include "model/options.h"

namespace manikin {

// Which of several poses that reach a target is wanted of an arm: the one nearest to the start, or the first that is found.
enum class Pick { kNear, kFirst };

struct Ask {
  int restarts = kUsualRestarts;                              // most other starts of one search, where the first ends in a local minimum
  int most = 1000000;                                         // most iterations of a row, all its starts together
  unsigned long long seed = 0;                                // of the random starts
  double deadline = std::numeric_limits<double>::infinity();  // on `clock`, in seconds
  double (*clock)() = nullptr;
  Pick pick = Pick::kNear;
  // A pose (nq) to pull toward, with a stiffness for each step of the figure (nv); see SolveOptions. None: the middle of the ranges, 1.
  const double* prefer = nullptr;
  const double* stiffness = nullptr;
  bool settle = false;  // whether a pose that meets the goals goes on to the nearest one to the preferred pose
  // Hooks of the host, as in SolveOptions; `which` counts the goals that the host evaluates in the order of all members.
  // Where `stopped` ends a track that nobody watches, the frames that were not begun stay unwritten: the host takes no answer.
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
