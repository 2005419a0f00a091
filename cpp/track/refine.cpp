// The second pass over a track. A frame that knows only the frame before it reacts late at the edge of reach. There the joints must turn fastest, and
// part of this motion is undone a few frames later. So the frames around an edge, and those that move toward another pose, are solved again together.
// The cost is the errors of all these frames plus the squared turns from frame to frame, with no turn above its speed limit.
//
// The method is the alternating direction method of multipliers (Boyd et al. 2011). Each frame has two copies of its pose. One copy reaches for the
// targets (any goals, within the limits): it is the solve of that frame, held near the path. The other lies on a smooth path within the speed limits:
// a tridiagonal system for each joint. The differences add up to a pull on both copies until they agree.
#include <algorithm>
#include <cmath>
#include <vector>

#include "track/marks.h"
#include "track/path.h"
#include "track/tracker.h"

namespace manikin {
namespace {

// Returns kRoom for every coordinate that turns.
std::vector<double> rooms(const Problem& problem) {
  std::vector<double> room(static_cast<std::size_t>(problem.width + problem.triples), HUGE_VAL);
  for (int i = 0; i < problem.coordinates; ++i)
    if (problem.node[problem.coordinate[i].node].op != kSliding) room[static_cast<std::size_t>(i)] = kRoom;
  return room;
}

}  // namespace

// Frames that are solved together again, with the results.
struct SecondLook {
  SecondLook(const Frames& f, long first_, long last_)
      : first(first_),
        count(last_ - first_ + 1),
        ends(last_ + 1 == f.count),
        turns(ends ? count : count + 1),
        poses(f.pose(first_ - 1), f.pose(last_ + (ends ? 1 : 2))),
        measures(static_cast<std::size_t>(count * f.measured)),
        best(static_cast<std::size_t>(count), 0.0),
        slack(static_cast<std::size_t>(count), kReachSlack),
        weight(static_cast<std::size_t>(count), 1.0),
        out(static_cast<std::size_t>(count), 0),
        found(static_cast<std::size_t>(count)),
        iterations(static_cast<std::size_t>(count)) {
    if (ends) poses.insert(poses.end(), f.pose(last_), f.pose(last_ + 1));
  }

  long first, count;
  bool ends;                  // whether it includes the last frame of the track
  long turns;                 // number of turns between frames
  std::vector<double> poses;  // (count + 2, nq), with the two fixed poses
  std::vector<double> measures;
  std::vector<double> best, slack;  // the least known error, in sizes, and the allowed excess
  std::vector<double> weight;       // of the errors of a frame
  std::vector<char> out;            // whether a frame is out of reach
  std::vector<SolveResult> found;
  std::vector<int> iterations;
};

// Finds which frames of a stretch are out of reach, and how near they can come.
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
    s.out[i] = static_cast<char>(!found.reached);
    if (!found.reached) continue;
    found = solve(frame_options(t), t, q.data(), unused.data());  // it may be reached only within its tolerance: one more step shows this
    s.iterations[i] += found.iterations;
    s.best[i] = std::sqrt(found.cost);
    s.out[i] = static_cast<char>(s.best[i] > kOnEdge);
    s.slack[i] = kReachSlack * kEdgeSlack;
  }
}

// Brings the two copies of each pose together in at most this many rounds, starting from the path. `near` is the weight of their squared difference.
// Returns false if no iterations or no time are left.
bool Tracker::settle(SecondLook& s, Path& path, double near, int rounds) {
  const long nq = f_.nq;
  const int width = joints_.width();
  const double nearest = near;
  const std::vector<double> room = rooms(problem_);
  std::vector<double> pulls(static_cast<std::size_t>(s.count * width), 0.0), wanted(static_cast<std::size_t>(s.count * nq));
  std::vector<double> apart(static_cast<std::size_t>(width)), firm(static_cast<std::size_t>(s.count)), unused(static_cast<std::size_t>(f_.measured));
  auto pull = [&](long i) { return pulls.data() + i * width; };
  for (int round = 0; round < rounds; ++round) {
    // one copy of each pose goes toward its goals
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
      joints_.keep_held(kernel_, f_.pose(s.first - 1), mine);
      s.found[i] = solve(now, t, mine, unused.data());
      s.iterations[i] += s.found[i].iterations;
      std::copy(mine, mine + nq, wish);
      joints_.go(mine, pull(i), 1.0, wish);
    }
    // the other follows it, within the limits of speed
    const double moved = path.follow(wanted.data(), firm);
    double most_apart = 0.0;
    for (long i = 0; i < s.count; ++i) {
      joints_.way(path.pose(i), wanted.data() + i * nq, pull(i));
      joints_.way(path.pose(i), s.poses.data() + (i + 1) * nq, apart.data());
      for (double x : apart) most_apart = std::max(most_apart, std::fabs(x));
    }
    if (most_apart < kAtRest && moved < kAtRest) break;
    // the weight grows or shrinks with the copy that moves more; frames that miss count more
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
      const double by = std::sqrt(before / s.weight[i]) / scale;  // the pull is in units of its weight
      for (int k = 0; k < width && by != 1.0; ++k) pull(i)[k] *= by;
    }
  }
  return true;
}

// Whether a stretch is better than the earlier frames, by its turns and its excess errors. If joints were held still, fewer joints must shake, and the
// stretch may then be slightly worse.
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
  if (value > old_value && worse > 2.0 * kReachSlack) return false;
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

// Solves the frames from `first` to `last` together. Returns false and changes nothing if the result is not better or no time is left.
bool Tracker::refine_stretch(long first, long last, double near, double inside, int rounds, const std::vector<char>& still) {
  const long nq = f_.nq, width = joints_.width();
  SecondLook s(f_, first, last);
  look_at(s);
  Path path(joints_, nq, s.count, s.ends, s.poses, f_.dt + first, inside, still.data() + first * width);
  if (!settle(s, path, near, rounds)) return false;
  auto in_boxes = [&] {
    for (long i = 0; i < s.turns; ++i)
      if (!(joints_.haste(s.poses.data() + i * nq, s.poses.data() + (i + 1) * nq, f_.dt[first + i]) <= 1.0)) return false;
    return true;
  };
  if (!in_boxes()) {  // the smooth copies are within the speed limits, but clipping to joint limits can change that
    s.poses = path.poses();
    for (long i = 1; i <= s.count; ++i) {
      joints_.clamp(s.poses.data() + i * nq);
      joints_.keep_held(kernel_, f_.pose(first - 1), s.poses.data() + i * nq);
    }
  }
  for (long i = 0; i < s.count; ++i) {  // frames that were reached must stay reached
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
  for (long i = 0; i < s.count; ++i) s.found[i] = errors_inside(first + i, s.poses.data() + (i + 1) * nq, s.measures.data() + i * f_.measured);
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

// Repeats this with growing weight on the difference between the two copies, as long as solves are left.
bool Tracker::refine_stretch(long first, long last, int rounds, const std::vector<char>& still, long& left) {
  double near = kCopiesWeight;
  for (int tries = 0; tries < kTries; ++tries, near *= kNearer) {
    if ((left -= rounds * (last - first + 1)) < 0 || stopped()) return false;
    if (refine_stretch(first, last, near, kInside[tries], rounds, still)) return true;
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
    const int rounds = kRefineRounds << pass;  // joints that still shake may only need more rounds
    find_shaking(f_.q, f_.count, f_.nq, joints_, [&](long t, std::size_t k) {
      marks.around(t, kAroundMissed);
      if (pass > 0) still[static_cast<std::size_t>(t) * static_cast<std::size_t>(joints_.width()) + k] = 1;  // most joints stop shaking without this
      shakes = true;
    });
    if (!shakes) return;
    for (long first = 1, last; (last = marks.next(first)) >= 0 && !stopped(); first = last + 1) {
      if (refine_stretch(first, last, rounds, still, left)) continue;
      // if the reached frames at both ends cannot stay reached, solve only the frames between them
      long from = first, to = last;
      while (from < last && f_.results[from].reached) ++from;
      while (to > from && f_.results[to].reached) --to;
      if (from > first || to < last) refine_stretch(from, to, rounds, still, left);
    }
  }
}

}  // namespace manikin
