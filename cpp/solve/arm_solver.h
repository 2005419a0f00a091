// Runs the arm kernels: which queries they take, and the solve of one query.
#pragma once
#include "compile/arm.h"
#include "compile/compiled_problem.h"
#include "model/options.h"
#include "solve/constants.h"

namespace manikin {

// The arm kernels follow eight starts at a time, as long as eight are left.
inline int rounds_of(int restarts) { return restarts < 0 ? kArmRounds : restarts / kArmStarts; }
// Number of restarts that are left after this many rounds.
inline int restarts_after(int restarts, int rounds) { return restarts < 0 ? restarts : restarts - rounds * kArmStarts; }

class ArmSolver {
 public:
  explicit ArmSolver(const CompiledProblem& compiled) : problem_(compiled.problem()), arm_(compiled.arm()) {}

  // The compiled arm; null if the problem is not that of an arm.
  const CompiledArm* arm() const { return arm_; }
  // Whether the problem is that of an arm with these weights.
  bool fits(const double* weights) const { return arm_ && weights[problem_.part[0].goal] > 0.0 && weights[problem_.part[1].goal] > 0.0; }
  // Whether the arm kernels take this query.
  bool takes(const SolveOptions& options, const double* weights) const {
    return options.restarts != 0 && !options.tracking && !options.prefer && !options.settle && fits(weights);
  }

  // Runs the kernels once. Returns false with q unchanged if no pose is found within `most` iterations. `place` is where the arm was left.
  bool run(int most, const ArmDraws& draws, const double* targets, ArmPlace& place, double* q, ArmResult* found) const;
  // Solves one query with at most `rounds` rounds of other starts. Returns false and changes nothing if the query is not for arms or no pose is
  // found. `place` is where the arm was left.
  bool solve(const SolveOptions& options, const double* targets, const double* weights, int rounds, ArmPlace& place, double* q, double* measures,
             SolveResult* result) const;
  // Puts the errors of a result of the arm kernels in the order of the parts: measures (2).
  void measure(const ArmResult& found, double* measures) const {
    for (int k = 0; k < 2; ++k) measures[k] = problem_.part[k].kind == kPosition ? found.length : found.angle;
  }
  // Converts a result of the arm kernels to the form that all solvers return.
  void tell(const ArmResult& found, double* measures, SolveResult* result) const {
    measure(found, measures);
    *result = SolveResult{0.0, 1, 0, found.iterations, 0, found.starts, -1};
  }

 private:
  const Problem& problem_;
  const CompiledArm* arm_;
};

}  // namespace manikin
