#include "dispatch/bounded_step.h"

#include "dispatch/backend.h"
#include "kernels/bounded_step.h"

namespace manikin {

std::size_t bounded_step_work(int m, int n) { return base::bounded_step_work(m, n); }

int bounded_step(const double* J, int m, int n, const double* dX, double damping, const double* lower, const double* upper, double* step,
                 double* work) {
#ifdef MANIKIN_HAVE_V3
  if (&kernels() == &kernels_v3()) return v3::bounded_step(J, m, n, dX, damping, lower, upper, step, work);
#endif
  return base::bounded_step(J, m, n, dX, damping, lower, upper, step, work);
}

}  // namespace manikin
