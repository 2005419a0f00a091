// The second look at a track. A frame that only knows the one before comes late at the edge of reach: there joints have to turn
// fastest, and what they do in haste is undone a few frames on. So the frames around an edge, and those in which the figure goes over
// to another pose, are solved anew together: the errors of all of them against the squares of the turns from frame to frame, and no
// turn larger than its box.
//
// By alternating directions (Boyd et al. 2011): there are two copies of each frame's pose, one that reaches for the targets
// (any goals, within the limits: a solve of that frame, held near the path) and one on a smooth path that keeps to the boxes (for
// each joint a tridiagonal system). What they differ by adds up in a pull on both, until they are one.
#include <algorithm>
#include <cmath>
#include <vector>

#include "track/tracker.h"

namespace manikin {
namespace {

// kRoom for all that turns.
std::vector<double> rooms(const Problem& problem) {
  std::vector<double> room(static_cast<std::size_t>(problem.width + problem.triples), HUGE_VAL);
  for (int i = 0; i < problem.coordinates; ++i)
    if (problem.node[problem.coordinate[i].node].op != kSliding) room[static_cast<std::size_t>(i)] = kRoom;
  return room;
}

}  // namespace

// The smooth copies of a stretch of frames, between two that stay; or after one that stays, at the end of a track.
class Path {
 public:
  // poses: (count + 2, nq), of which the first and the last stay; dt: (count + 1) seconds between them; inside: the share of what
  // joints may move in that time; still: (count + 1, width), 1 where there is to be no turn. `ends`: the last one, and the turn to it, do not count.
  Path(const Joints& joints, long nq, long count, bool ends, const std::vector<double>& poses, const double* dt, double inside, const char* still)
      : joints_(joints), nq_(nq), count_(count), turns_count_(ends ? count : count + 1), width_(joints.width()), dt_(dt), inside_(inside), still_(still), poses_(poses) {
    const std::size_t turns = static_cast<std::size_t>((count + 1) * width_), frames = static_cast<std::size_t>(count);
    turns_.resize(turns);
    boxed_.resize(turns);
    pressure_.assign(turns, 0.0);
    pressed_.resize(turns);
    wishes_.resize(frames * static_cast<std::size_t>(width_));
    moves_.resize((frames + 2) * static_cast<std::size_t>(width_));
    upper_.resize(frames);
    right_.resize(frames);
  }

  double* pose(long i) { return poses_.data() + (i + 1) * nq_; }
  std::vector<double>& poses() { return poses_; }

  // Moves toward the poses wanted, by the weight that each has; returns by how much at most.
  double follow(const double* wanted, const std::vector<double>& firm) {
    for (long i = 0; i < turns_count_; ++i) joints_.way(pose(i - 1), pose(i), turns_.data() + i * width_);
    for (long i = 0; i < count_; ++i) joints_.way(pose(i), wanted + i * nq_, wishes_.data() + i * width_);
    std::fill(moves_.begin(), moves_.end(), 0.0);
    for (int press = 0; press < kPresses; ++press) {
      const bool free = !press_into_boxes();
      for (int k = 0; k < width_; ++k) move_joint(k, firm);
      if (free && press > 0) break;
    }
    double most = 0.0;
    for (double x : moves_) most = std::max(most, std::fabs(x));
    for (long i = 0; i < count_; ++i) joints_.go(pose(i), moves_.data() + (i + 1) * width_, 1.0, pose(i));
    return most;
  }

 private:
  // Turns beyond their box, as they are after the moves and with the pressure on them, are cut to it; what is cut off is the new
  // pressure. False if there were none.
  bool press_into_boxes() {
    bool any = false;
    for (long i = 0; i < turns_count_; ++i) {
      const double *before = moves_.data() + i * width_, *after = before + width_;
      for (const Joints::Joint& j : joints_.all()) {
        double turn[3], square = 0.0;
        for (int k = 0; k < j.width; ++k) {
          const long at = i * width_ + j.first + k;
          turn[k] = turns_[at] + after[j.first + k] - before[j.first + k] + pressure_[at];
          if (!still_[at]) square += turn[k] * turn[k];
        }
        const double most = inside_ * j.limit() * dt_[i];
        const bool beyond = square > most * most;
        const double share = beyond ? most / std::sqrt(square) : 1.0;
        for (int k = 0; k < j.width; ++k) {
          const long at = i * width_ + j.first + k;
          boxed_[at] = still_[at] ? 0.0 : share * turn[k];
          pressure_[at] = turn[k] - boxed_[at];
          pressed_[at] = beyond || still_[at];
          any |= pressed_[at] != 0;
        }
      }
    }
    return any;
  }

  // The moves of one joint's number k: least squares of what is wished, of the turns, and of those that are pressed into boxes.
  void move_joint(int k, const std::vector<double>& firm) {
    auto stiff = [&](long i) { return i < turns_count_ ? kSmooth + (pressed_[i * width_ + k] ? kFirm : 0.0) : 0.0; };
    auto pull = [&](long i) {
      const long at = i * width_ + k;
      if (i >= turns_count_) return 0.0;
      return kSmooth * turns_[at] + (pressed_[at] ? kFirm * (turns_[at] - boxed_[at] + pressure_[at]) : 0.0);
    };
    for (long i = 0; i < count_; ++i) {
      const double carried = i > 0 ? stiff(i) * upper_[i - 1] : 0.0;
      const double pivot = firm[i] + stiff(i) + stiff(i + 1) + carried;
      upper_[i] = -stiff(i + 1) / pivot;
      right_[i] = (firm[i] * wishes_[i * width_ + k] - pull(i) + pull(i + 1) + (i > 0 ? stiff(i) * right_[i - 1] : 0.0)) / pivot;
    }
    for (long i = count_ - 2; i >= 0; --i) right_[i] -= upper_[i] * right_[i + 1];
    for (long i = 0; i < count_; ++i) moves_[(i + 1) * width_ + k] = right_[i];
  }

  const Joints& joints_;
  const long nq_, count_, turns_count_;
  const int width_;
  const double* dt_;
  const double inside_;
  const char* still_;
  std::vector<double> poses_;
  std::vector<double> turns_, boxed_, pressure_;  // (count + 1, width) between the frames
  std::vector<char> pressed_;
  std::vector<double> wishes_, moves_;  // (count, width), and with the two that stay
  std::vector<double> upper_, right_;
};

namespace {

// The frames that are looked at again.
class Marks {
 public:
  explicit Marks(const Frames& f) : f_(f), marked_(static_cast<std::size_t>(f.count), 0) {}

  void around(long t, long frames) {  // the first frame is where the track begins
    for (long s = std::max<long>(1, t - frames); s <= std::min(f_.count - 1, t + frames); ++s) marked_[static_cast<std::size_t>(s)] = 1;
  }

  // The stretch of marked frames that begins at t or later: its last frame, and t set to its first; -1 if there is none. What counts
  // from a frame on is no matter of those before, so that it ends where other goals begin to count.
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

void mark_edges(const Frames& f, const Joints& joints, Marks& marks) {
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

// Calls `found(t, k)` where number k of the way from frame t - 1 to frame t is fro, between two that are to.
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

}  // namespace

// Frames that are solved anew together, and what comes of it.
struct SecondLook {
  SecondLook(const Frames& f, long first_, long last_)
      : first(first_), count(last_ - first_ + 1), ends(last_ + 1 == f.count), turns(ends ? count : count + 1),
        poses(f.pose(first_ - 1), f.pose(last_ + (ends ? 1 : 2))), measures(static_cast<std::size_t>(count * f.measured)),
        best(static_cast<std::size_t>(count), 0.0), slack(static_cast<std::size_t>(count), kReachSlack), weight(static_cast<std::size_t>(count), 1.0), out(static_cast<std::size_t>(count), 0),
        found(static_cast<std::size_t>(count)), iterations(static_cast<std::size_t>(count)) {
    if (ends) poses.insert(poses.end(), f.pose(last_), f.pose(last_ + 1));
  }

  long first, count;
  bool ends;                         // with the last frame of the track
  long turns;                        // between frames
  std::vector<double> poses;         // (count + 2, nq), with the two that stay
  std::vector<double> measures;
  std::vector<double> best, slack;   // the least error, in sizes, as far as is known; and by how much it may be exceeded
  std::vector<double> weight;        // of the errors of a frame
  std::vector<char> out;             // of reach
  std::vector<SolveResult> found;
  std::vector<int> iterations;
};

// Which frames of a stretch are out of reach, and how near they can come.
void Tracker::look_at(SecondLook& s) {
  std::vector<double> unused(static_cast<std::size_t>(f_.measured));
  for (long i = 0; i < s.count; ++i) {
    const long t = s.first + i;
    s.iterations[i] = f_.results[t].iterations;
    if (stopped()) return;
    if (f_.results[t].reached) continue;
    if (f_.going[static_cast<std::size_t>(t)]) {
      const std::vector<double> off = goals_off(f_.measure(t));
      const double far = *std::max_element(off.begin(), off.end()) / kAstray;
      s.weight[i] = 1.0 / (1.0 + far * far);
    }
    std::vector<double> q(f_.pose(t), f_.pose(t) + f_.nq);
    SolveOptions now = options_;
    now.tracking = 1;
    now.restarts = 0;
    SolveResult found = solve(now, t, q.data(), unused.data());
    s.iterations[i] += found.iterations;
    s.best[i] = std::sqrt(found.cost);
    s.out[i] = !found.reached;
    if (!found.reached) continue;
    found = solve(frame_options(t), t, q.data(), unused.data());  // reached, but by its tolerance only? one more step says
    s.iterations[i] += found.iterations;
    s.best[i] = std::sqrt(found.cost);
    s.out[i] = s.best[i] > kOnEdge;
    s.slack[i] = kReachSlack * kEdgeSlack;
  }
}

// The two copies of each pose brought together, from where the path is; `near` is the weight of the way between them. False if there
// are no iterations or no time left.
bool Tracker::settle(SecondLook& s, Path& path, double near) {
  const long nq = f_.nq;
  const int width = joints_.width();
  const double nearest = near;
  const std::vector<double> room = rooms(problem_);
  std::vector<double> pulls(static_cast<std::size_t>(s.count * width), 0.0), wanted(static_cast<std::size_t>(s.count * nq));
  std::vector<double> apart(static_cast<std::size_t>(width)), firm(static_cast<std::size_t>(s.count)), unused(static_cast<std::size_t>(f_.measured));
  auto pull = [&](long i) { return pulls.data() + i * width; };
  for (int round = 0; round < kRefineRounds; ++round) {
    for (long i = 0; i < s.count; ++i) {
      const long t = s.first + i;
      double *mine = s.poses.data() + (i + 1) * nq, *wish = wanted.data() + i * nq;
      SolveOptions now = options_;
      now.most = options_.most - s.iterations[i];
      if (now.most <= 0 || options_.clock() > options_.deadline || stopped()) return false;
      now.frame = now.tracking = 1;
      now.room = room.data();
      firm[i] = near * std::sqrt(s.weight[i]);
      now.hold = 0.5 * firm[i] / s.weight[i];
      joints_.go(path.pose(i), pull(i), -1.0, mine);
      s.found[i] = solve(now, t, mine, unused.data());
      s.iterations[i] += s.found[i].iterations;
      std::copy(mine, mine + nq, wish);
      joints_.go(mine, pull(i), 1.0, wish);
    }
    const double moved = path.follow(wanted.data(), firm);
    double most_apart = 0.0;
    for (long i = 0; i < s.count; ++i) {
      joints_.way(path.pose(i), wanted.data() + i * nq, pull(i));
      joints_.way(path.pose(i), s.poses.data() + (i + 1) * nq, apart.data());
      for (double x : apart) most_apart = std::max(most_apart, std::fabs(x));
    }
    if (most_apart < kAtRest && moved < kAtRest) break;
    double scale = 1.0;
    if (round % 10 == 9 && moved > kUneven * most_apart && near > kLeast * nearest) scale = 0.5;
    if (round % 10 == 9 && most_apart > kUneven * moved && near < nearest) scale = 2.0;
    near *= scale;
    for (long i = 0; i < s.count; ++i) {
      const double before = s.weight[i];
      if (s.out[i] && !f_.going[static_cast<std::size_t>(s.first + i)] && round >= kUnweighed && round < kWeighing) {
        const double off = (std::sqrt(s.found[i].cost) - s.best[i]) / s.slack[i];
        s.weight[i] = std::min(std::max(before * std::sqrt(std::min(std::max(off, 0.5), 2.0)), kLight), kHeavy);
      } else if (f_.results[s.first + i].reached && !s.found[i].reached && round >= kUnweighed && round < kWeighing) {
        s.weight[i] = std::min(kKeeping * before, kKept);
      }
      const double by = std::sqrt(before / s.weight[i]) / scale;  // the pull is in units of what it is weighed by
      for (int k = 0; k < width && by != 1.0; ++k) pull(i)[k] *= by;
    }
  }
  return true;
}

// Whether a stretch, with its errors, is better than the frames as they are: turns and needless errors count. Where joints were held
// still it may be a little worse instead, if fewer go to and fro.
bool Tracker::better(const SecondLook& s, bool stills) const {
  const long nq = f_.nq;
  double value = 0.0, old_value = 0.0, worse = 0.0;
  for (long i = 0; i < s.count; ++i) {
    if (f_.results[s.first + i].reached && !s.found[i].reached) return false;
    const double off = std::sqrt(s.found[i].cost), was = std::sqrt(f_.results[s.first + i].cost), least = s.best[i] + (s.out[i] ? s.slack[i] : 0.0);
    const double counts = s.out[i] ? kJudged : 1.0;
    value += counts * std::pow(std::max(0.0, off - least), 2);
    old_value += counts * std::pow(std::max(0.0, was - least), 2);
    worse = std::max(worse, off - was);
  }
  for (long i = 0; i < s.turns; ++i) {
    value += 0.5 * kSmooth * joints_.squares(s.poses.data() + i * nq, s.poses.data() + (i + 1) * nq);
    old_value += 0.5 * kSmooth * joints_.squares(f_.pose(s.first + i - 1), f_.pose(s.first + i));
  }
  if (!stills) return value <= old_value;
  if (value <= kMuchBetter * old_value) return true;
  if (worse > 2.0 * kReachSlack) return false;
  auto shaking = [&](const std::vector<double>& q) {
    long times = 0;
    find_shaking(q.data(), static_cast<long>(q.size()) / nq, nq, joints_, [&](long, std::size_t) { ++times; });
    return times;
  };
  const long from = std::max<long>(0, s.first - 3), to = std::min(f_.count, s.first + s.count + 3);
  const std::vector<double> before(f_.pose(from), f_.pose(to));
  std::vector<double> after = before;
  std::copy(s.poses.begin() + nq, s.poses.end() - nq, after.begin() + (s.first - from) * nq);
  return shaking(after) < shaking(before);
}

// The frames from `first` to `last`, solved together. False, and nothing changed, where that is no better, or there is no time for it.
bool Tracker::refine_stretch(long first, long last, double near, double inside, const std::vector<char>& still) {
  const long nq = f_.nq, width = joints_.width();
  SecondLook s(f_, first, last);
  look_at(s);
  Path path(joints_, nq, s.count, s.ends, s.poses, f_.dt + first, inside, still.data() + first * width);
  if (!settle(s, path, near)) return false;
  auto in_boxes = [&] {
    for (long i = 0; i < s.turns; ++i)
      if (!(joints_.haste(s.poses.data() + i * nq, s.poses.data() + (i + 1) * nq, f_.dt[first + i]) <= 1.0)) return false;
    return true;
  };
  if (!in_boxes()) {  // the smooth copies are, but for what the limits change
    s.poses = path.poses();
    for (long i = 1; i <= s.count; ++i) joints_.clamp(s.poses.data() + i * nq);
  }
  for (long i = 0; i < s.count; ++i) {  // what was reached is to stay so
    if (stopped()) return false;
    if (!f_.results[first + i].reached) continue;
    double* mine = s.poses.data() + (i + 1) * nq;
    SolveOptions now = frame_options(first + i);
    now.last = s.poses.data() + i * nq;
    now.hold = kSmooth;
    if (errors_inside(first + i, mine, measured_.data()).reached) continue;
    std::copy(mine, mine + nq, found_.begin());
    if (solve(now, first + i, found_.data(), measured_.data()).reached) std::copy(found_.begin(), found_.end(), mine);
  }
  for (long i = 0; i < s.count; ++i)
    s.found[i] = errors_inside(first + i, s.poses.data() + (i + 1) * nq, s.measures.data() + i * f_.measured);
  const bool stills = std::any_of(still.begin() + first * width, still.begin() + (first + s.turns) * width, [](char at) { return at != 0; });
  if (!in_boxes() || !better(s, stills)) return false;
  std::copy(s.poses.begin() + nq, s.poses.end() - nq, f_.pose(first));
  std::copy(s.measures.begin(), s.measures.end(), f_.measure(first));
  for (long i = 0; i < s.count; ++i) {
    f_.results[first + i] = s.found[i];
    f_.results[first + i].iterations = s.iterations[i];
  }
  return true;
}

// The same with more and more weight on the way between the two copies, as long as solves are left.
bool Tracker::refine_stretch(long first, long last, const std::vector<char>& still, long& left) {
  double near = kCopiesWeight;
  for (int tries = 0; tries < kTries; ++tries, near *= kNearer) {
    if ((left -= kRefineRounds * (last - first + 1)) < 0 || stopped()) return false;
    if (refine_stretch(first, last, near, kInside[tries], still)) return true;
  }
  return false;
}

void Tracker::refine() {
  if (f_.count < 3 || std::all_of(f_.results, f_.results + f_.count, [](const SolveResult& r) { return r.reached != 0; })) return;
  std::vector<char> still(static_cast<std::size_t>(f_.count) * static_cast<std::size_t>(joints_.width()), 0);
  long left = kMost + kShare * f_.count;
  for (int pass = 0; pass < kPasses; ++pass) {
    Marks marks(f_);
    if (pass == 0) mark_edges(f_, joints_, marks);
    bool shakes = pass == 0;
    find_shaking(f_.q, f_.count, f_.nq, joints_, [&](long t, std::size_t k) {
      marks.around(t, kAroundMissed);
      if (pass > 0) still[static_cast<std::size_t>(t) * static_cast<std::size_t>(joints_.width()) + k] = 1;  // most come to rest without
      shakes = true;
    });
    if (!shakes) return;
    for (long first = 1, last; (last = marks.next(first)) >= 0 && !stopped(); first = last + 1) {
      if (refine_stretch(first, last, still, left)) continue;
      // between the frames that are reached, where these cannot stay so
      long from = first, to = last;
      while (from < last && f_.results[from].reached) ++from;
      while (to > from && f_.results[to].reached) --to;
      if (from > first || to < last) refine_stretch(from, to, still, left);
    }
  }
}

}  // namespace manikin
