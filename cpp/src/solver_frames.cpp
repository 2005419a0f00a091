// Frames one after the other.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "arm_build.h"
#include "frames.h"
#include "joints.h"
#include "manikin/backend.h"
#include "manikin/solver.h"
#include "workspace.h"

namespace manikin {
namespace {

constexpr double kBegins = 2.5e-3;     // sizes that the target of a goal counts as having moved where the goal did not count before
constexpr long kEased = 8;             // frames after the last one missed
constexpr double kStraight = 0.03;     // radians that joints of a stretched figure turn in a frame, at most
constexpr int kLost = 8;               // frames missed, one after the other, after which another pose is looked for,
constexpr int kLostAgain = 64;         // again at twice as many, and then every so many

bool look_again(int missed) {
  for (int at = kLost; at < kLostAgain; at *= 2)
    if (missed == at) return true;
  return missed > 0 && missed % kLostAgain == 0;
}

}  // namespace

// How far a target that counts went, in sizes; turns count as in the cost. Where a goal begins to count its target was nowhere
// before: joints may then turn as fast as they do for a target that moves, not as far as it is away.
double Solver::moved(const double* before, const double* after, const double* weights_before, const double* weights) const {
  if (weights_before == weights && is_arm(weights)) return arm_moved(arm_->arm(), before, after);  // the same, sooner
  double far = 0.0, turned = 0.0, most = 0.0;  // squares of the largest way and chord
  auto counts = [&](int goal) {
    if (!(weights[goal] > 0.0)) return false;
    if (weights_before[goal] > 0.0) return true;
    most = kBegins;
    return false;
  };
  auto way = [&](const double* a, const double* b, int width) {
    double square = 0.0;
    for (int k = 0; k < width; ++k) square += (b[k] - a[k]) * (b[k] - a[k]);
    far = std::max(far, square);
  };
  // the chord between two quaternions is half the angle, whichever sign they have
  auto chord = [&](const double* a, const double* b) {
    double square = 0.0, other = 0.0;
    for (int k = 0; k < 4; ++k) {
      square += (b[k] - a[k]) * (b[k] - a[k]);
      other += (b[k] + a[k]) * (b[k] + a[k]);
    }
    turned = std::max(turned, std::min(square, other));
  };
  for (const Part& p : parts_) {
    if (!counts(p.goal)) continue;
    const double *a = before + p.target, *b = after + p.target;
    if (p.kind == kOrientation) {
      chord(a, b);
    } else if (p.kind == kPosition && p.flags != 7) {
      way(a, b, (p.flags & 1) + (p.flags >> 1 & 1) + (p.flags >> 2 & 1));
    } else {
      way(a, b, 3);
    }
  }
  const int widths[] = {3, 4, 1, 3, 0, 0};
  for (const Link& l : links_) {
    if (!counts(l.goal)) continue;
    if (l.kind == kRelativeOrientation) {
      chord(before + l.target, after + l.target);
    } else {
      way(before + l.target, after + l.target, widths[l.kind]);
    }
  }
  most = std::max(most, std::max(std::sqrt(far) * (1.0 / problem_.size), std::sqrt(turned) * (2.0 * 0.2)));
  return std::isfinite(most) ? most : 0.0;
}

void Solver::track(long frames, const SolveOptions& options, bool continues, const double* start, const double* targets, const double* weights,
                   bool one_weights, double* q, double* measures, SolveResult* results) const {
  const SolverKernels& kernel = solver_kernels();
  const Workspace workspace(kernel.workspace_bytes(problem_));
  const std::size_t pose = static_cast<std::size_t>(problem_.nq) * sizeof(double);
  const Joints joints(problem_, nodes_);
  Frames f{frames, problem_.nq, problem_.target_width, problem_.goals, this->measures(), targets, weights, one_weights, q, measures, results, {}};
  f.going.assign(static_cast<std::size_t>(frames), 0);
  ArmPlace place;        // where an arm was left
  bool goes_on = false;  // whether the workspace is as the frame before left it
  int missed = 0;        // frames, one after the other
  long missed_at = -kEased - 1;  // the last one
  const double* bent = start;  // a pose before frames were missed: it says to which side straight limbs bend again
  OtherPose other;
  for (long t = 0; t < frames; ++t) {
    if (t > 0 && !results[t - 1].reached) missed_at = t - 1;
    const bool eased = t - missed_at > kEased;
    if (t > 0 && eased && one_weights && other.q.empty()) {
      const long calm = follow_arm(frames - t, options, f.target(t - 1), weights, place, f.pose(t - 1), f.measure(t), results + t);
      if (calm > 0) missed = 0, goes_on = false;
      if ((t += calm) == frames) break;
    }
    double *mine = f.pose(t), *measure = f.measure(t);
    const double* before = t > 0 ? f.pose(t - 1) : start;
    if (problem_.nq > 0) std::memcpy(mine, before, pose);
    if (t == 0 && continues) {
      results[t] = errors_at(f.target(t), f.weight(t), mine, measure, workspace.start);
      continue;
    }
    SolveOptions now = options;
    now.frame = t == 0 ? 0 : goes_on ? 2 : 1;
    goes_on = false;
    now.strained = t > 0 && missed_at == t - 1 ? 1 : 0;
    if (eased) bent = t > kEased ? f.pose(t - kEased) : start;
    const bool bends = !eased && (t < 2 || joints.turned(f.pose(t - 2), before) < kStraight);  // from here on, if at all
    now.bent = bends ? bent : nullptr;
    now.tracking = 1;
    now.restarts = t > 0 ? 0 : options.restarts;
    now.moved = t > 0 ? moved(f.target(t - 1), f.target(t), f.weight(t - 1), f.weight(t)) : 0.0;
    if (!other.q.empty() && go_over(t, now, joints, f, other, workspace.start)) continue;
    if (t > 0 && eased && follow_arm(now, f.target(t), f.weight(t), place, mine, measure, results + t)) {
      missed = 0;
      continue;
    }
    kernel.solve(problem_, now, f.target(t), f.weight(t), mine, measure, results + t, workspace.start);
    goes_on = t > 0;
    if (t > 0 && options.restarts > 0 && !results[t].reached) {  // on request only: it may jump
      goes_on = false;
      now.frame = 0;
      now.restarts = options.restarts;
      if (problem_.nq > 0) std::memcpy(mine, before, pose);
      kernel.solve(problem_, now, f.target(t), f.weight(t), mine, measure, results + t, workspace.start);
    }
    missed = results[t].reached ? 0 : missed + 1;
    const bool last = t == frames - 1 && missed > 0 && t > kLost;  // then there is no later frame to look from
    if (options.restarts > 0 || !(look_again(missed) || last) || results[t].iterations >= options.most) continue;
    goes_on = false;
    if (find_way(t, missed, options, joints, f, other, workspace.start)) missed = 0;
  }
  if (options.restarts == 0) smooth(options, joints, f, workspace.start);
}

}  // namespace manikin
