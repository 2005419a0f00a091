// Frames that move on toward the preferred pose, among the poses that reach their goals.
//
// The pose wished for in a frame lies between the previous pose and the preferred one. Its share of the way is 1 - exp(-dt / kSettleSeconds). So joints
// that the goals leave free approach the preferred pose with that time constant, at any frame rate. They do not jump if the preferred pose does. A frame
// ends at the pose nearest to the wished one that reaches the goals. In a missed frame, only the joints that no goal feels move on.
#include <algorithm>
#include <cmath>

#include "solve/query/prefer.h"
#include "track/tracker.h"

namespace manikin {

double Tracker::settling_share(long t) const { return 1.0 - std::exp(-f_.dt[t] / kSettleSeconds); }

// Before the first frame: the joints that no goal feels take their preferred values, and the preferred pose is the wished one.
void Tracker::settle_first() {
  wished_.assign(preferred(0), preferred(0) + f_.nq);
  joints_.to_nearest_turns(start_, wished_.data());
  place_unfelt(solver_.compiled(), wished_.data(), track_.stiffness, f_.pose(0));
}

// Moves the wished pose so that it lies at a share of the way from another pose.
void Tracker::go_part(const double* from, double share) {
  way_.resize(static_cast<std::size_t>(joints_.width()));
  joints_.way(from, wished_.data(), way_.data());
  joints_.go(from, way_.data(), share, wished_.data());
}

// Returns the pose from which frame t starts: the previous pose, in which the joints that no goal feels have moved. Also computes the wished pose.
const double* Tracker::begin_settling(long t, const double* before) {
  const double share = settling_share(t), *preferred_now = preferred(t);
  begun_.assign(before, before + f_.nq);
  room_.resize(static_cast<std::size_t>(f_.nq));
  for (std::size_t k = 0; k < room_.size(); ++k) room_[k] = track_.speed[k] * f_.dt[t];
  move_unfelt(solver_.compiled(), preferred_now, track_.stiffness, share, room_.data(), begun_.data());
  wished_.assign(preferred_now, preferred_now + f_.nq);
  joints_.to_nearest_turns(before, wished_.data());
  go_part(before, share);
  return begun_.data();
}

// Moves the pose of a reached frame to the nearest one to the wished pose that reaches the goals, within the speed limits.
void Tracker::settle_frame(long t, const double* before) {
  SolveResult& result = f_.results[t];
  SolveOptions now = options_;
  now.tracking = now.settle = 1;
  now.restarts = 0;
  now.prefer = wished_.data();
  for (int tries = 0; tries < kSettleTries; ++tries) {
    now.most = std::min(options_.most - result.iterations, kSettleMost);
    if (now.most <= 0 || stopped()) return;
    if (tries > 0) go_part(f_.pose(t), kSettlePart);
    std::copy(f_.pose(t), f_.pose(t) + f_.nq, found_.begin());
    SolveResult found = solve(now, t, found_.data(), measured_.data());
    found.iterations += result.iterations;
    result.iterations = found.iterations;
    if (!found.reached || joints_.haste(before, found_.data(), f_.dt[t]) > kWithin) continue;
    found.starts = result.starts;
    std::copy(found_.begin(), found_.end(), f_.pose(t));
    std::copy(measured_.begin(), measured_.end(), f_.measure(t));
    result = found;
    return;
  }
}

}  // namespace manikin
