// The damped step within bounds, once for each instruction set. dispatch/bounded_step.h describes the arguments.
#pragma once
#include <cstddef>

namespace manikin {

#define MANIKIN_BOUNDED_STEP(isa)                                                                                                           \
  namespace isa {                                                                                                                           \
  std::size_t bounded_step_work(int m, int n);                                                                                              \
  int bounded_step(const double* J, int m, int n, const double* dX, double damping, const double* lower, const double* upper, double* step, \
                   double* work);                                                                                                           \
  }
MANIKIN_BOUNDED_STEP(base)
#ifdef MANIKIN_HAVE_V3
MANIKIN_BOUNDED_STEP(v3)
#endif

}  // namespace manikin
