// The information of goals about the steps of a figure, see SolverKernels. It has its own translation unit, because GCC's code for `solve` depends on
// how often the functions of the solver are used.
#pragma once
#include "math/isa.h"
#include "model/options.h"
#include "model/problem.h"

namespace manikin {
namespace MANIKIN_ISA {

void information(const Problem& problem, const SolveOptions& options, const double* targets, const double* weights, const double* q, double* out,
                 void* workspace);

}  // namespace MANIKIN_ISA
}  // namespace manikin
