// One query at a time, with as little around it as there can be: checks, workspace and couplings.
#pragma once
#include <vector>

#include "manikin/arm.h"
#include "manikin/heading.h"
#include "manikin/solver.h"

namespace manikin {

// What a solver needs besides the problem to take a pose and a row of targets as they come.
struct QuickArrays {
  const double* rest;                 // (nq)
  const double *lower, *upper;        // (nq)
  std::vector<int> balls;             // where quaternions start in a pose
  std::vector<int> cones;             // where the quaternions of balls with limits start in a pose
  const double* cone_numbers;         // (cones, 12) reference times basis, basis, half angles of the swing, range of the twist
  const double* weights;              // (goals)
  std::vector<int> quaternions;       // where they start in a row of targets
  std::vector<int> directions;
  std::vector<double> own_targets;    // (target_width) the goals' own
  int width;                          // how many of these a caller gives; the others are of closed loops
  std::vector<int> goal_of;           // (measures) which goal, and
  std::vector<double> share;          // (measures) by what its measure is multiplied for the error of that goal
  std::vector<int> coupled, source;   // numbers that follow another, in order
  std::vector<double> ratio, shift;
  const Heading* heading;             // of the rest pose; null where no targets turn it
};

class Quick {
 public:
  Quick(const Solver& solver, const QuickArrays& arrays);

  int nq() const { return solver_.problem().nq; }
  int goals() const { return solver_.problem().goals; }
  int width() const { return width_; }
  const double* targets() const { return own_targets_.data(); }

  // q (nq): where a query without a start begins.
  void start(const double* targets, double* q) const;
  // Whether a pose is known to be finite, with unit quaternions and within its limits. Not on two threads at a time.
  bool sound_pose(const double* q) const;
  // A pose that was given out is such a pose, and probably the start of the next frame. Not on two threads at a time.
  void remember(const double* q) const;
  // Whether a row of targets (width) is finite, with unit quaternions and directions that are not zero.
  bool sound_targets(const double* targets) const;

  // Arms that reach their target within some microseconds; false where it is left to `solve`, which may take longer. Not on two
  // threads at a time.
  bool solve_soon(const SolveOptions& options, const double* targets, double* q, double* errors, SolveResult* result) const;
  // q (nq): start on the way in, pose on the way out; errors (goals).
  void solve(const SolveOptions& options, const double* targets, double* q, double* errors, SolveResult* result) const;

 private:
  void give_errors(const double* measures, double* errors) const;

  const Solver& solver_;
  const Heading* heading_;
  int width_;
  std::vector<double> rest_, lower_, upper_, cone_numbers_, weights_, own_targets_, share_, ratio_, shift_;
  std::vector<int> balls_, cones_, quaternions_, directions_, goal_of_, coupled_, source_;
  mutable std::vector<double> last_;  // remembered
  mutable ArmPlace place_;            // of the pose that an arm was left in
  bool arm_;
};

}  // namespace manikin
