// Strict priorities: weights in stages, and level after level if that is not enough.
//
// The total weight of a level does not change where the level should end, so a level with heavy goals or distant targets is made lighter. A level
// weighs 100 times the next until the solve has nearly converged, and 10,000 times after that. It weighs 1,000,000 times the next only if a goal
// above the lowest level still misses. If such a goal misses even then, all goals together have led to a local minimum. The levels are then solved
// one after the other, the first with restarts. If the levels below still pull too hard, the pose is moved until the levels above are met. If that
// fails too, the pose that the upper levels found alone is used.
#pragma once
#include <vector>

#include "solve/query/ask.h"
#include "solve/query/combination.h"

namespace manikin {

// A pose with its errors, and how it was found.
struct Found {
  std::vector<double> pose, errors;  // (nq), (goals)
  Ending ending;
};

// Returns the factor of the weights of a level with which every level weighs `factor` times the next.
double level_factor(int level, int levels, double factor);

// Computes the weights of one stage for the frames of a track: every level weighs 10,000 times the next. (goals) in and out.
void level_weights(const Combination& goals, const double* weights, double* out);

// Solves from a start (nq) within its limits; weights: (goals) as from `Combination::weigh`; at most `most` iterations.
Found solve_levels(const Combination& goals, const Ask& ask, const double* start, const double* targets, const double* weights, int most);

}  // namespace manikin
