#include "track/arm_track.h"

#include <algorithm>
#include <cmath>

#include "dispatch/backend.h"
#include "model/arm_calm.h"
#include "solve/constants.h"
#include "track/constants.h"

namespace manikin {
namespace {

double apart(const double* a, const double* b, int count, double sign) {
  double square = 0.0;
  for (int k = 0; k < count; ++k) square += (a[k] - sign * b[k]) * (a[k] - sign * b[k]);
  return square;
}

// Returns how far the targets of an arm moved between two rows, in sizes. Turns count as in the cost.
double arm_moved(const Arm& arm, const double* before, const double* after) {
  const double *q = before + arm.orientation, *r = after + arm.orientation;
  const double length = apart(before + arm.position, after + arm.position, 3, 1.0) / (arm.size * arm.size);
  const double turn = 0.4 * 0.4 * std::min(apart(q, r, 4, 1.0), apart(q, r, 4, -1.0));  // the chord is half the angle, for either sign
  const double most = std::sqrt(std::max(length, turn));
  return std::isfinite(most) ? most : 0.0;
}

}  // namespace

// Returns how far the joints of an arm may turn in `dt` seconds, at most `calm`.
ArmRoom ArmTrack::room(double dt, double calm) const {
  const Arm& arm = solver_.arm()->arm();
  ArmRoom out;
  std::fill(out.most, out.most + kMostArm, calm);
  for (int i = 0; i < problem_.coordinates; ++i)
    for (int k = 0; k < arm.count; ++k)
      if (arm.joint[k].number == speeds_.number(i) && !arm.joint[k].slides)
        out.most[k] = std::min(calm, speeds_[i] < HUGE_VAL ? speeds_[i] * dt : HUGE_VAL);
  return out;
}

long ArmTrack::follow_many(long frames, const SolveOptions& options, const double* dt, const double* targets, const double* weights, double* q,
                           double* measures, SolveResult* results) {
  if (!solver_.fits(weights) || options.most < kArmLeastIterations || options.deadline < HUGE_VAL) return 0;
  const ArmRoom speed = room(1.0, HUGE_VAL);
  ArmResult found[kArmFramesTogether];
  long done = 0;
  const long measured = problem_.parts + problem_.links + problem_.postures;
  for (bool goes_on = true; goes_on && done < frames && !(options.stopped && options.stopped(options.host));) {
    const long most = std::min(kArmFramesTogether, frames - done);
    const long some = arm_kernels().follow_many(solver_.arm()->arm(), most, targets + done * problem_.target_width, problem_.target_width, speed,
                                                dt + done, place_, q + done * problem_.nq, problem_.nq, found);
    for (long k = 0; k < some; ++k) solver_.tell(found[k], measures + (done + k) * measured, results + done + k);
    done += some;
    goes_on = some == most;
  }
  return done;
}

bool ArmTrack::follow(const SolveOptions& options, double dt, const double* targets_before, const double* targets, const double* weights, double* q,
                      double* measures, SolveResult* result) {
  if (!solver_.fits(weights) || options.most < kArmLeastIterations || (options.deadline < HUGE_VAL && options.clock() > options.deadline))
    return false;
  const Arm& arm = solver_.arm()->arm();
  const double moved = arm_moved(arm, targets_before, targets);
  const ArmRoom calm = room(dt, calm_of_frame(moved));
  ArmResult found;
  int steps = 0;
  auto tried = [&](const ArmRoom& most, double lean, double damping) {
    arm_kernels().follow(arm, targets, most, lean, damping, place_, q, &found);
    found.iterations = steps += found.iterations;
    return found.reached != 0;
  };
  // First as in follow_many, then with more damping (for singular poses) up to the speed limits, then with less lean or none.
  const ArmRoom whole = room(dt, kMostTrustedTurn);
  const double lean = lean_of_frame(moved);
  const bool reached = tried(calm, lean, kCalmDamping) || tried(whole, lean, kNearDamping) || tried(whole, kLessLean * lean, kNearDamping) ||
                       tried(calm, 0.0, kCalmDamping) || tried(whole, 0.0, kNearDamping);
  if (reached) solver_.tell(found, measures, result);
  return reached;
}

}  // namespace manikin
