// When a problem is left to the kernels of arms: one query, and one frame of a track.
#include <algorithm>
#include <cmath>
#include <vector>

#include "compile/arm.h"
#include "compile/solver.h"
#include "dispatch/backend.h"
#include "model/arm_calm.h"
#include "solve/constants.h"
#include "solve/speeds.h"

namespace manikin {
namespace {

double apart(const double* a, const double* b, int count, double sign) {
  double square = 0.0;
  for (int k = 0; k < count; ++k) square += (a[k] - sign * b[k]) * (a[k] - sign * b[k]);
  return square;
}

// How far the targets of an arm went between two rows, in sizes; turns count as in the cost.
double arm_moved(const Arm& arm, const double* before, const double* after) {
  const double *q = before + arm.orientation, *r = after + arm.orientation;
  const double length = apart(before + arm.position, after + arm.position, 3, 1.0) / (arm.size * arm.size);
  const double turn = 0.4 * 0.4 * std::min(apart(q, r, 4, 1.0), apart(q, r, 4, -1.0));  // the chord is half the angle, whichever sign
  const double most = std::sqrt(std::max(length, turn));
  return std::isfinite(most) ? most : 0.0;
}

// The kernels of arms follow eight starts at a time.
int rounds_of(int restarts) { return restarts / 8 + (restarts % 8 > 0); }

}  // namespace

bool Solver::is_arm(const double* weights) const { return arm_ && weights[parts_[0].goal] > 0.0 && weights[parts_[1].goal] > 0.0; }

bool Solver::takes_arms(const SolveOptions& options, const double* weights) const {
  return options.restarts > 0 && !options.tracking && !options.prefer && !options.settle && is_arm(weights);
}

void Solver::solved_arm(const ArmResult& found, double* measures, SolveResult* result) const {
  for (std::size_t k = 0; k < 2; ++k) measures[k] = parts_[k].kind == kPosition ? found.length : found.angle;
  *result = SolveResult{0.0, 1, 0, found.iterations, 0, found.starts, -1};
}

bool Solver::solve_arm(const SolveOptions& options, const double* targets, const double* weights, int restarts, ArmPlace& place, double* q,
                       double* measures, SolveResult* result) const {
  if (!takes_arms(options, weights)) return false;
  const bool counted = options.most < kArmLeastIterations;  // a pose that took more iterations than are allowed is none
  std::vector<double> start;
  if (counted) start.assign(q, q + problem_.nq);
  ArmResult found;
  arm_kernels().solve(arm_->with_table(), targets, ArmDraws{options.seed, rounds_of(restarts), options.host, options.stopped}, place, q, &found);
  if (counted && found.iterations > options.most) {
    std::copy(start.begin(), start.end(), q);
    return false;
  }
  if (found.reached) solved_arm(found, measures, result);
  return found.reached != 0;
}

void Solver::solve_arms(long count, const SolveOptions& options, const double* targets, const double* weights, double* q, double* measures,
                        SolveResult* results) const {
  const std::vector<double> starts(q, q + (options.most < kArmLeastIterations ? count * problem_.nq : 0));
  std::vector<ArmResult> found(static_cast<std::size_t>(count));
  arm_kernels().solve_many(arm_->with_table(), count, targets, problem_.target_width, ArmDraws{options.seed, rounds_of(options.restarts), options.host, options.stopped}, q, problem_.nq, found.data());
  for (long b = 0; b < count; ++b) {
    const ArmResult& one = found[static_cast<std::size_t>(b)];
    if (one.reached && one.iterations <= options.most) {
      solved_arm(one, measures + b * this->measures(), results + b);
      continue;
    }
    if (!starts.empty()) std::copy(starts.data() + b * problem_.nq, starts.data() + (b + 1) * problem_.nq, q + b * problem_.nq);
    solve_general(options, targets + b * problem_.target_width, weights, q + b * problem_.nq, measures + b * this->measures(), results + b);
  }
}

// The same with a watcher. The kernels of arms try many poses side by side, so what they do is shown as one step from the start.
bool Solver::watch_arm(const SolveOptions& options, const double* targets, const double* weights, double* q, double* measures, SolveResult* result) const {
  const std::vector<double> start(q, q + problem_.nq);
  ArmPlace place;
  if (!solve_arm(options, targets, weights, options.restarts, place, q, measures, result)) return false;
  SolveOptions errors_only{};
  errors_only.tracking = 1;
  errors_only.deadline = HUGE_VAL;
  std::vector<double> pose = start, unused(static_cast<std::size_t>(this->measures()));
  SolveResult at_start;
  solve_one(errors_only, targets, weights, pose.data(), unused.data(), &at_start);
  double square = 0.0;
  for (const Numbered& n : numbered_) square += std::pow((q[n.number] - start[static_cast<std::size_t>(n.number)]) / n.unit, 2);
  const double cost = 0.5 * at_start.cost * problem_.size * problem_.size;
  options.watch(options.host, Glance{start.data(), cost, 0.0, std::sqrt(square), result->iterations, 1});
  return true;
}

namespace {

// How fast the joints of an arm may turn, times `dt`; no more than `calm`.
ArmRoom room_of(const Problem& problem, const Arm& arm, const Speeds& speeds, double dt, double calm) {
  ArmRoom room;
  std::fill(room.most, room.most + kMostArm, calm);
  for (int i = 0; i < problem.coordinates; ++i)
    for (int k = 0; k < arm.count; ++k)
      if (arm.joint[k].number == speeds.number(i) && !arm.joint[k].slides) room.most[k] = std::min(calm, speeds[i] < HUGE_VAL ? speeds[i] * dt : HUGE_VAL);
  return room;
}

}  // namespace

long Solver::follow_arm(long frames, const SolveOptions& options, const Speeds& speeds, const double* dt, const double* targets, const double* weights,
                        ArmPlace& place, double* q, double* measures, SolveResult* results) const {
  if (!is_arm(weights) || options.most < kArmLeastIterations || options.deadline < HUGE_VAL) return 0;
  const ArmRoom speed = room_of(problem_, arm_->arm(), speeds, 1.0, HUGE_VAL);
  ArmResult found[kArmFramesTogether];
  long done = 0;
  for (bool goes_on = true; goes_on && done < frames && !(options.stopped && options.stopped(options.host));) {
    const long most = std::min(kArmFramesTogether, frames - done);
    const long some = arm_kernels().follow_many(arm_->arm(), most, targets + done * problem_.target_width, problem_.target_width, speed, dt + done, place,
                                                q + done * problem_.nq, problem_.nq, found);
    for (long k = 0; k < some; ++k) solved_arm(found[k], measures + (done + k) * this->measures(), results + done + k);
    done += some;
    goes_on = some == most;
  }
  return done;
}

bool Solver::follow_arm(const SolveOptions& options, const Speeds& speeds, double dt, const double* targets_before, const double* targets, const double* weights,
                        ArmPlace& place, double* q, double* measures, SolveResult* result) const {
  if (!is_arm(weights) || options.most < kArmLeastIterations || (options.deadline < HUGE_VAL && options.clock() > options.deadline)) return false;
  const Arm& arm = arm_->arm();
  const double moved = arm_moved(arm, targets_before, targets);
  const ArmRoom calm = room_of(problem_, arm, speeds, dt, calm_of_frame(moved));
  ArmResult found;
  int steps = 0;
  auto tried = [&](const ArmRoom& room, double lean, double damping) {
    arm_kernels().follow(arm, targets, room, lean, damping, place, q, &found);
    found.iterations = steps += found.iterations;
    return found.reached != 0;
  };
  // as frames that are done together; near singular poses damped more, as fast as joints may turn; where leaning asks too much, without
  const ArmRoom whole = room_of(problem_, arm, speeds, dt, kMostTrustedTurn);
  const double lean = lean_of_frame(moved);
  const bool reached = tried(calm, lean, kCalmDamping) || tried(whole, lean, kNearDamping) || tried(whole, kLessLean * lean, kNearDamping) ||
                       tried(calm, 0.0, kCalmDamping) || tried(whole, 0.0, kNearDamping);
  if (reached) solved_arm(found, measures, result);
  return reached;
}

}  // namespace manikin
