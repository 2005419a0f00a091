#include "solve/arm_solver.h"

#include <algorithm>
#include <vector>

#include "dispatch/backend.h"
#include "solve/constants.h"

namespace manikin {

bool ArmSolver::run(int most, const ArmDraws& draws, const double* targets, ArmPlace& place, double* q, ArmResult* found) const {
  if (most >= kArmLeastIterations) {
    arm_kernels().solve(arm_->with_table(), targets, draws, place, q, found);
    return found->reached != 0;
  }
  const std::vector<double> start(q, q + problem_.nq);  // a pose that took more iterations than allowed does not count
  arm_kernels().solve(arm_->with_table(), targets, draws, place, q, found);
  if (found->iterations <= most) return found->reached != 0;
  std::copy(start.begin(), start.end(), q);
  return false;
}

bool ArmSolver::solve(const SolveOptions& options, const double* targets, const double* weights, int rounds, ArmPlace& place, double* q,
                      double* measures, SolveResult* result) const {
  ArmResult found;
  if (!takes(options, weights) || !run(options.most, ArmDraws{options.seed, rounds, options.host, options.stopped}, targets, place, q, &found))
    return false;
  tell(found, measures, result);
  return true;
}

}  // namespace manikin
