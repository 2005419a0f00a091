// The preferred pose of a solve, outside the kernels: weights in the solver's order, and joints that no goal feels.
#pragma once
#include "compile/compiled_problem.h"

namespace manikin {

// The weights of SolveOptions::stiffness from one for each step of the figure. per_step: (nv); out: (problem.width). A ball's
// three coordinates take those of its steps, about its own axes; coupled coordinates take none.
void coordinate_stiffness(const Problem& problem, const double* per_step, double* out);
// Joints that may move and that no goal feels take their preferred values, within their limits: the nearest to the preferred
// pose whatever the others do. prefer: (nq), none for the middle of the ranges; per_step: (nv), none for 1; joints of stiffness 0 stay.
void place_unfelt(const CompiledProblem& compiled, const double* prefer, const double* per_step, double* q);

}  // namespace manikin
