// Selects the frames of a track that are solved again.
#pragma once
#include <algorithm>
#include <vector>

#include "track/constants.h"
#include "track/frames.h"
#include "track/joints.h"

namespace manikin {

// A set of marked frames.
class Marks {
 public:
  explicit Marks(const Frames& f) : f_(f), marked_(static_cast<std::size_t>(f.count), 0) {}

  void around(long t, long frames) {  // the first frame is never marked, because the track starts there
    for (long s = std::max<long>(1, t - frames); s <= std::min(f_.count - 1, t + frames); ++s) marked_[static_cast<std::size_t>(s)] = 1;
  }

  // Finds the next stretch of marked frames at or after t. Sets t to its first frame and returns its last; -1 if there is none. A stretch ends where
  // the weights of the goals change, because later frames have no influence on earlier ones there.
  long next(long& t) const {
    while (t < f_.count && !open(t)) ++t;
    if (t >= f_.count) return -1;
    long last = t;
    while (last + 1 < f_.count && open(last + 1)) ++last;
    return last;
  }

 private:
  bool open(long t) const { return marked_[static_cast<std::size_t>(t)] && (t + 1 == f_.count || !f_.begins_anew(t + 1)); }

  const Frames& f_;
  std::vector<char> marked_;
};

// Marks the frames around the edges of reach, and the frames that move toward another pose.
inline void mark_edges(const Frames& f, const Joints& joints, Marks& marks) {
  std::vector<double> haste(static_cast<std::size_t>(f.count), -1.0);
  auto haste_at = [&](long t) {
    double& h = haste[static_cast<std::size_t>(t)];
    if (h < 0.0) h = joints.haste(f.pose(t - 1), f.pose(t), f.dt[t]);
    return h;
  };
  auto brisk = [&](long t) {
    for (long s = std::max<long>(1, t - kAroundMissed); s <= std::min(f.count - 1, t + kAroundMissed); ++s)
      if (haste_at(s) >= kBrisk) return true;
    return false;
  };
  for (long t = 0; t < f.count;) {
    long end = t;
    while (end < f.count && !f.results[end].reached) ++end;
    if (end - t >= kStretch) {
      if (t > 0 && brisk(t)) marks.around(t, kAround);
      if (end < f.count && brisk(end)) marks.around(end, kAround);
      for (long s = std::max<long>(1, t); s < end; ++s)
        if (haste_at(s) >= kFull) marks.around(s, kAroundMissed);
    }
    t = std::max(end, t + 1);
  }
  for (long t = 0; t < f.count; ++t)
    if (f.going[static_cast<std::size_t>(t)]) marks.around(t, kAroundMissed);
}

// Calls `found(t, k)` if number k of the difference between frames t - 1 and t has the opposite sign of those before and after it.
template <class Found>
void find_shaking(const double* poses, long frames, long nq, const Joints& joints, const Found& found) {
  const std::size_t width = static_cast<std::size_t>(joints.width());
  std::vector<double> turns(3 * width);  // the last three
  auto turn = [&](long t) { return turns.data() + static_cast<std::size_t>(t % 3) * width; };
  for (long t = 1; t < frames; ++t) {
    joints.way(poses + (t - 1) * nq, poses + t * nq, turn(t));
    if (t < 3) continue;
    const double *after = turn(t), *now = turn(t - 1), *before = turn(t - 2);
    for (std::size_t k = 0; k < width; ++k) {
      const double side = now[k] > 0.0 ? 1.0 : -1.0;
      if (side * now[k] > kShake && side * before[k] < -kShake && side * after[k] < -kShake) found(t - 1, k);
    }
  }
}

}  // namespace manikin
