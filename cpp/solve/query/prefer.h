// The preferred pose of a solve, outside the kernels: weights in the solver's order, and joints without influence on any goal.
#pragma once
#include "compile/compiled_problem.h"

namespace manikin {

// Computes SolveOptions::stiffness from one weight for each step of the figure. per_step: (nv); out: (problem.width). The three coordinates of a ball
// take the weights of its steps about its own axes. Coupled coordinates take none.
void coordinate_stiffness(const Problem& problem, const double* per_step, double* out);
// Sets movable joints without influence on any goal to their preferred values, within their limits. This is the nearest choice, whatever the other
// joints do. prefer: (nq), null for the middle of the ranges; per_step: (nv), null for 1; joints of stiffness 0 keep their values.
void place_unfelt(const CompiledProblem& compiled, const double* prefer, const double* per_step, double* q);
// Moves these joints only a share of the way from their values in q, and by at most `most`: (nq) radians or lengths, of a ball at its first number.
void move_unfelt(const CompiledProblem& compiled, const double* prefer, const double* per_step, double share, const double* most, double* q);

}  // namespace manikin
