// What a thread keeps from one track to the next, so that a track of one frame costs little more than that frame.
#pragma once
#include <memory>
#include <vector>

#include "dispatch/backend.h"
#include "model/options.h"
#include "solve/solver.h"
#include "solve/workspace.h"
#include "track/arm_track.h"
#include "track/joints.h"
#include "track/speeds.h"

namespace manikin {

// Memory for the tracks of one compiled problem with given speed limits, and what is computed once from these two. No result depends on what an
// earlier track left in it.
struct Ready {
  Ready(const Solver& solver, const SolverKernels& kernel, const double* speed);
  Ready(const Ready&) = delete;
  Ready& operator=(const Ready&) = delete;

  bool fits(const Solver& solver, const SolverKernels& kernel, const double* speed) const;

  const unsigned long long serial;  // of the problem
  const SolverKernels* const kernels;
  const std::vector<double> speed;  // (nq) radians or lengths per second
  const long bytes;                 // of the workspace
  Speeds speeds;
  ArmTrack arm;
  const Joints joints;
  const Workspace workspace;
  std::vector<double> found, measured, weights;  // (nq), (measures), (goals): scratch for another try at a frame
  std::vector<double> measures;                  // (frames, measures)
  std::vector<SolveResult> results;              // (frames)
};

// Holds the `Ready` of a problem during a track. A hook that tracks the same problem on this thread meanwhile gets another one.
class Borrowed {
 public:
  Borrowed(const Solver& solver, const double* speed);
  ~Borrowed();
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

  Ready& operator*() const { return *ready_; }
  Ready* operator->() const { return ready_.get(); }

 private:
  std::unique_ptr<Ready> ready_;
};

}  // namespace manikin
