#include "solve/arm_solver.h"

#include <algorithm>
#include <vector>

#include "dispatch/backend.h"
#include "solve/constants.h"

namespace manikin {

bool ArmSolver::solve(const SolveOptions& options, const double* targets, const double* weights, int rounds, ArmPlace& place, double* q,
                      double* measures, SolveResult* result) const {
  if (!takes(options, weights)) return false;
  const bool counted = options.most < kArmLeastIterations;  // a pose that took more iterations than allowed does not count
  std::vector<double> start;
  if (counted) start.assign(q, q + problem_.nq);
  ArmResult found;
  arm_kernels().solve(arm_->with_table(), targets, ArmDraws{options.seed, rounds, options.host, options.stopped}, place, q, &found);
  if (counted && found.iterations > options.most) {
    std::copy(start.begin(), start.end(), q);
    return false;
  }
  if (found.reached) tell(found, measures, result);
  return found.reached != 0;
}

}  // namespace manikin
