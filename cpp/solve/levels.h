// Strict priorities: weights in stages, and level after level where that is not enough.
//
// How heavy a level is as a whole makes no difference to where it should end, so a level whose goals are heavy or far away is made
// lighter. A level then weighs a hundred times the next until nearly converged, after that ten thousand times, and a million times only
// where a goal above the lowest level still misses. If it misses even then, all goals together have led into a local minimum; then the
// levels are solved one after the other, the first with restarts. Where the levels below still pull too hard, the pose is brought to
// where the levels above are met; and if that is nowhere near, the pose that these found by themselves is taken.
#pragma once
#include <vector>

#include "solve/ask.h"
#include "solve/combination.h"

namespace manikin {

// A pose with its errors, and how it was found.
struct Found {
  std::vector<double> pose, errors;  // (nq), (goals)
  Ending ending;
};

// What the weights of a goal are multiplied with so that every level weighs `factor` times the next.
double level_factor(int level, int levels, double factor);

// The weights of one stage, as the frames of a track have them: every level ten thousand times the next. (goals) in and out.
void level_weights(const Combination& goals, const double* weights, double* out);

// From a start (nq) within its limits; weights: (goals) as `Combination::weigh` gives them; `most` iterations.
Found solve_levels(const Combination& goals, const Ask& ask, const double* start, const double* targets, const double* weights, int most);

}  // namespace manikin
