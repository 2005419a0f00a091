// The frames of an arm: as long as steps alone do, its kernels follow the targets.
#pragma once
#include "solve/arm_solver.h"
#include "track/speeds.h"

namespace manikin {

class ArmTrack {
 public:
  ArmTrack(const Problem& problem, const ArmSolver& solver, const Speeds& speeds) : problem_(problem), solver_(solver), speeds_(speeds) {}

  // Frames from row 0 on, as long as each does with calm steps; how many. `dt`: (frames) seconds since the frame before.
  long follow_many(long frames, const SolveOptions& options, const double* dt, const double* targets, const double* weights, double* q,
                   double* measures, SolveResult* results);
  // A frame, from the pose of the one before in q; false, and nothing changed, where it does not do with steps alone.
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
