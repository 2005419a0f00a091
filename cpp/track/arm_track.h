// The frames of an arm. The arm kernels follow the targets as long as single steps suffice.
#pragma once
#include "solve/arm_solver.h"
#include "track/speeds.h"

namespace manikin {

class ArmTrack {
 public:
  ArmTrack(const Problem& problem, const ArmSolver& solver, const Speeds& speeds) : problem_(problem), solver_(solver), speeds_(speeds) {}

  // Follows frames from row 0 on while each succeeds with calm steps. Returns how many succeeded. `dt`: (frames) seconds since the previous frame.
  long follow_many(long frames, const SolveOptions& options, const double* dt, const double* targets, const double* weights, double* q,
                   double* measures, SolveResult* results);
  // Solves one frame from the previous pose in q. Returns false and changes nothing if steps alone do not suffice.
  bool follow(const SolveOptions& options, double dt, const double* targets_before, const double* targets, const double* weights, double* q,
              double* measures, SolveResult* result);

 private:
  ArmRoom room(double dt, double calm) const;

  const Problem& problem_;
  const ArmSolver& solver_;
  const Speeds& speeds_;
  ArmPlace place_;  // where the arm was left
};

}  // namespace manikin
