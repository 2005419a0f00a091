// The kernels of arms at work: which queries are left to them, and one query.
#pragma once
#include "compile/arm.h"
#include "compile/compiled_problem.h"
#include "model/options.h"
#include "solve/constants.h"

namespace manikin {

// The kernels of arms follow eight starts at a time, as long as eight are left.
inline int rounds_of(int restarts) { return restarts < 0 ? kArmRounds : restarts / kArmStarts; }
// What is left of the restarts after so many rounds.
inline int restarts_after(int restarts, int rounds) { return restarts < 0 ? restarts : restarts - rounds * kArmStarts; }

class ArmSolver {
 public:
  explicit ArmSolver(const CompiledProblem& compiled) : problem_(compiled.problem()), arm_(compiled.arm()) {}

  // The compiled arm; none where the problem is not that of an arm.
  const CompiledArm* arm() const { return arm_; }
  // Whether these weights leave the problem that of an arm.
  bool fits(const double* weights) const { return arm_ && weights[problem_.part[0].goal] > 0.0 && weights[problem_.part[1].goal] > 0.0; }
  // Whether such a query is left to the kernels of arms.
  bool takes(const SolveOptions& options, const double* weights) const {
    return options.restarts != 0 && !options.tracking && !options.prefer && !options.settle && fits(weights);
  }

  // One query with at most so many rounds of other starts; false, and nothing changed, where it is not for arms or no pose is found.
  // `place` is where the arm was left.
  bool solve(const SolveOptions& options, const double* targets, const double* weights, int rounds, ArmPlace& place, double* q, double* measures,
             SolveResult* result) const;
  // What was found by the kernels of arms, as every solver tells it.
  void tell(const ArmResult& found, double* measures, SolveResult* result) const {
    for (int k = 0; k < 2; ++k) measures[k] = problem_.part[k].kind == kPosition ? found.length : found.angle;
    *result = SolveResult{0.0, 1, 0, found.iterations, 0, found.starts, -1};
  }

 private:
  const Problem& problem_;
  const CompiledArm* arm_;
};

}  // namespace manikin
