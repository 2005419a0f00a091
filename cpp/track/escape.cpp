// Escapes from a pose in which the figure is caught: the targets are missed although another pose would reach them or come nearer. The track either
// switches to the other pose in an earlier frame, where both are nearest to each other, or moves to it from the present frame.
#include <algorithm>
#include <cmath>
#include <vector>

#include "track/tracker.h"

namespace manikin {
namespace {

double most(const std::vector<double>& off) { return *std::max_element(off.begin(), off.end()); }

bool look_again(int missed) {
  for (int at = kLost; at < kLostAgain; at *= 2)
    if (missed == at) return true;
  return missed > 0 && missed % kLostAgain == 0;
}

// The frames before an attempt, to restore them.
struct Attempt {
  long t, first;  // the frame of the attempt, and the first frame that it may have changed
  int missed;
  std::vector<double> poses, measures;
  std::vector<SolveResult> results;
  std::vector<char> going;
};

}  // namespace

// Steps from one pose toward another without exceeding a speed limit. Returns whether the step arrives.
bool Tracker::toward(long t, const double* from, const double* to, double* q) const {
  double share = std::min(1.0, 1.0 / (joints_.haste(from, to, f_.dt[t]) + 1e-300));
  for (int tries = 0; tries < kShorter; ++tries) {
    joints_.on_the_way(kernel_, from, to, share, q);
    const double haste = joints_.haste(from, q, f_.dt[t]);
    if (haste <= 1.0) break;
    share *= 0.999 / haste;  // inside a cone the way is longer
  }
  return share == 1.0;
}

// Repeats the track with attempts to leave poses in which it is caught. An attempt is undone if it misses a frame that the plain track reaches.
void Tracker::escape() {
  // the plain track is kept, to compare with and to go back to
  const std::vector<SolveResult> plain(f_.results, f_.results + f_.count);
  const std::vector<double> plain_poses(f_.q, f_.q + f_.count * f_.nq), plain_measures(f_.measures, f_.measures + f_.count * f_.measured);
  bent_ = nullptr;
  std::vector<char> tried(static_cast<std::size_t>(f_.count), 0);
  std::vector<Attempt> attempts;
  OtherPose other;
  int missed = 0, made = 0;
  bool same = true;  // whether the track equals the plain one: no attempt has been kept
  // frame by frame: go on, and look for another pose where frames have been missed
  for (long t = 1; t < f_.count && !stopped(); ++t) {
    if (!other.q.empty() && escape_toward(t, other)) {
      same = false;
    } else if (!same) {
      follow(t, f_.pose(t - 1));
    }
    missed = f_.results[t].reached ? 0 : missed + 1;
    const bool last = t == f_.count - 1 && missed > 0 && t > kLost;  // there is no later frame from which to search
    if (!loses(t, t, plain) && (look_again(missed) || last) && other.q.empty() && !tried[static_cast<std::size_t>(t)] && made < kMostAttempts &&
        f_.results[t].iterations < options_.most) {
      tried[static_cast<std::size_t>(t)] = 1;
      ++made;
      const long first = std::max<long>(1, t - kFarBack);
      attempts.push_back(Attempt{t,
                                 first,
                                 missed,
                                 {f_.pose(first), f_.pose(t + 1)},
                                 {f_.measure(first), f_.measure(t + 1)},
                                 {f_.results + first, f_.results + t + 1},
                                 {f_.going.begin() + first, f_.going.begin() + t + 1}});
      const bool back = find_escape(t, missed, other);
      if (!back && other.q.empty()) {
        attempts.pop_back();  // no other pose was found, and nothing has changed
        continue;
      }
      same = false;
      if (back) missed = 0;
      if (!loses(first, t, plain)) continue;
    } else if (!loses(t, t, plain)) {
      continue;
    }
    // an attempt that loses a reached frame is undone
    const Attempt& undone = attempts.back();
    std::copy(undone.poses.begin(), undone.poses.end(), f_.pose(undone.first));
    std::copy(undone.measures.begin(), undone.measures.end(), f_.measure(undone.first));
    std::copy(undone.results.begin(), undone.results.end(), f_.results + undone.first);
    std::copy(undone.going.begin(), undone.going.end(), f_.going.begin() + undone.first);
    std::fill(f_.going.begin() + undone.t + 1, f_.going.end(), 0);
    t = undone.t;
    missed = undone.missed;
    attempts.pop_back();
    other.q.clear();
    same = attempts.empty();
    if (!same) continue;
    std::copy(plain_poses.begin() + (t + 1) * f_.nq, plain_poses.end(), f_.pose(t + 1));
    std::copy(plain_measures.begin() + (t + 1) * f_.measured, plain_measures.end(), f_.measure(t + 1));
    std::copy(plain.begin() + t + 1, plain.end(), f_.results + t + 1);
  }
  // interrupted: the plain track
  if (!stopped()) return;
  std::copy(plain_poses.begin(), plain_poses.end(), f_.q);
  std::copy(plain_measures.begin(), plain_measures.end(), f_.measures);
  std::copy(plain.begin(), plain.end(), f_.results);
}

// Returns the error of each goal, in sizes.
std::vector<double> Tracker::goals_off(const double* measure) const {
  std::vector<double> off(static_cast<std::size_t>(problem_.goals), 0.0);
  auto note = [&](int goal, bool angle, double by) {
    double& most = off[static_cast<std::size_t>(goal)];
    most = std::max(most, angle ? by * problem_.angle_weight : by / problem_.size);
  };
  for (int k = 0; k < problem_.parts; ++k) note(problem_.part[k].goal, is_angle(problem_.part[k]), measure[k]);
  for (int k = 0; k < problem_.links; ++k) note(problem_.link[k].goal, is_angle(problem_.link[k]), measure[problem_.parts + k]);
  return off;
}

// Sets the weight of the goal with the largest error at frame t to 0 for the move to another pose. The other goals keep their weights.
void Tracker::note_kept(long t) {
  const std::vector<double> off = goals_off(f_.measure(t));
  std::copy(f_.weight(t), f_.weight(t) + f_.goals, kept_.begin());
  kept_[static_cast<std::size_t>(std::max_element(off.begin(), off.end()) - off.begin())] = 0.0;
}

// Moves an intermediate pose until the kept goals are met. No joint moves further from `before` than its speed limit allows.
void Tracker::keep_goals(long t, const double* before, double* q) {
  if (std::all_of(kept_.begin(), kept_.end(), [](double w) { return w == 0.0; })) return;
  SolveOptions now = frame_options(t);
  now.last = before;
  now.hold = kHardlyHeld;
  now.bounded = 1;
  SolveResult unused;
  kernel_.solve(problem_, now, f_.target(t), kept_.data(), q, measured_.data(), &unused, workspace_.start);
}

// Considers the goal with the largest error at frame t. Returns the mean increase of its error during the move to another pose, in sizes; infinite if
// another goal suffers by more than kSpared.
double Tracker::off_on_the_way(long t, long target_of, const double* to) {
  note_kept(t);
  const std::vector<double> off = goals_off(f_.measure(t));
  const std::size_t worst = static_cast<std::size_t>(std::max_element(off.begin(), off.end()) - off.begin());
  std::vector<double> q(f_.pose(t), f_.pose(t) + f_.nq), next = q, here(static_cast<std::size_t>(f_.measured));
  double sum = 0.0;
  for (int k = 1; k < kLooks; ++k) {
    joints_.on_the_way(kernel_, q.data(), to, 1.0 / (kLooks - k + 1), next.data());
    q = next;
    keep_goals(target_of, next.data(), q.data());
    errors_inside(target_of, q.data(), here.data());
    const std::vector<double> then = goals_off(here.data());
    for (std::size_t g = 0; g < off.size(); ++g)
      if (g != worst && then[g] > off[g] + kSpared) return HUGE_VAL;
    sum += std::max(0.0, then[worst] - off[worst]);
  }
  return sum / (kLooks - 1);
}

// Turns hinges away from their limits one by one and solves the pose from there. Returns true for the first result that reaches the targets and for
// which escape_earlier succeeds.
bool Tracker::unfold(long t, OtherPose& other) {
  const double* mine = f_.pose(t);
  std::vector<double> unused(static_cast<std::size_t>(f_.measured));
  for (int i = 0; i < problem_.nodes; ++i) {
    const SolverNode& n = problem_.node[i];
    if (n.op != kTurning || n.coordinate < 0) continue;
    const Coordinate& c = problem_.coordinate[n.coordinate];
    const double x = mine[n.number];
    if (!c.bounded || (x > c.lower + kAtBound && x < c.upper - kAtBound)) continue;
    other.q.assign(mine, mine + f_.nq);
    other.q[static_cast<std::size_t>(n.number)] = x < c.middle ? std::min(x + kUnfold, c.middle) : std::max(x - kUnfold, c.middle);
    SolveOptions now = options_;
    now.tracking = 1;
    now.frame = now.restarts = 0;
    const SolveResult found = solve(now, t, other.q.data(), unused.data());
    f_.results[t].iterations += found.iterations;
    if (found.reached && escape_earlier(t, other)) return true;
    if (stopped()) return false;
  }
  return false;
}

// Sets joints of the other pose that make no difference to its cost to their values in frame t.
void Tracker::keep_idle(long t, double cost, OtherPose& other) {
  std::vector<double> q = other.q, unused(static_cast<std::size_t>(f_.measured));
  for (int i = 0; i < problem_.nodes; ++i) {
    const SolverNode& n = problem_.node[i];
    if (n.coordinate < 0) continue;
    if (stopped()) return;
    const int width = n.op == kLoose || n.op == kCone ? 4 : 1;
    std::copy(f_.pose(t) + n.number, f_.pose(t) + n.number + width, q.begin() + n.number);
    const bool idle = errors_inside(t, q.data(), unused.data()).cost <= cost + kIdle;
    std::vector<double>&kept = idle ? q : other.q, &changed = idle ? other.q : q;
    std::copy(kept.begin() + n.number, kept.begin() + n.number + width, changed.begin() + n.number);
  }
}

// Searches for another pose after frame t is missed. Returns true if the track has switched to it, or will move toward it from the next frame on.
bool Tracker::find_escape(long t, int missed, OtherPose& other) {
  other.reaches = true;
  if (unfold(t, other)) return true;
  const double* mine = f_.pose(t);
  std::vector<double> measure(static_cast<std::size_t>(f_.measured));
  SolveOptions now = options_;
  now.restarts = kOtherStarts;
  now.tracking = 0;
  SolveResult found;
  other.q.assign(mine, mine + f_.nq);
  other.frames = 0;
  for (std::size_t g = 0; g < weights_.size(); ++g)  // levels with closer weights leave more ways open
    weights_[g] = f_.weight(t)[g] * (track_.levels ? std::pow(kLevelNearer, track_.levels[g]) : 1.0);
  solver_.solve_one(now, f_.target(t), weights_.data(), other.q.data(), measure.data(), &found);
  if (track_.levels && !found.reached) {
    now.tracking = 1;
    now.restarts = 0;
    const int iterations = found.iterations;
    found = solve(now, t, other.q.data(), measure.data());
    found.iterations += iterations;
  } else if (track_.levels) {
    found.cost = errors_inside(t, other.q.data(), measure.data()).cost;
  }
  f_.results[t].iterations += found.iterations;
  keep_idle(t, found.cost, other);
  other.reaches = found.reached;
  const double gain = most(goals_off(f_.measure(t))) - most(goals_off(measure.data())), turn = joints_.turned(mine, other.q.data());
  const bool worth = found.cost < f_.results[t].cost &&
                     gain > (found.reached ? kReaches : 1.0) * kGain * (1.0 + turn / kGainTurn * std::min(1.0, kSoon / missed));
  if ((found.reached || worth) && escape_earlier(t, other)) return true;
  const double off = worth ? off_on_the_way(t, t, other.q.data()) : HUGE_VAL;
  if (!(off < HUGE_VAL) ||
      (!found.reached && joints_.haste(mine, other.q.data(), f_.dt[t]) * off > static_cast<double>(std::min(f_.count - t, kPaysBack)) * gain))
    other.q.clear();
  return false;
}

// Handles a figure that is caught at frame t because it passed a straight limb, or a similar pose, on the wrong side. Follows the frames back from
// the other pose until one is worse than before. Switches to the other pose in the frame where both tracks are nearest, and follows it from there on.
// Returns false and changes nothing if no earlier frame is nearer than frame t, or if the move would miss a reached frame. Empties the other pose if
// frame t arrives at it.
bool Tracker::escape_earlier(long t, OtherPose& other) {
  // the other pose, followed back in time until it is nearest to the track
  const long least = std::max<long>(1, t - kFarBack), nq = f_.nq;
  const std::size_t count = static_cast<std::size_t>(t - least + 1);
  std::vector<double> poses(count * static_cast<std::size_t>(nq)), measures(count * static_cast<std::size_t>(f_.measured));
  std::vector<SolveResult> ends(count);
  auto pose_at = [&](long s) { return poses.data() + (s - least) * nq; };
  auto measure_at = [&](long s) { return measures.data() + (s - least) * f_.measured; };
  const double* after = other.q.data();
  long nearest = t;
  double near = 0.0;
  for (long s = t; s >= least && !f_.going[static_cast<std::size_t>(s)]; --s) {
    SolveResult& end = ends[static_cast<std::size_t>(s - least)];
    std::copy(after, after + nq, pose_at(s));
    end = solve(frame_options(s), s, pose_at(s), measure_at(s));
    if (!end.reached && (f_.results[s].reached || !(end.cost <= f_.results[s].cost))) break;
    const double apart = joints_.turned(f_.pose(s - 1), pose_at(s));
    if (s == t || apart < near) {
      near = apart;
      nearest = s;
    }
    after = pose_at(s);
    if (f_.begins_anew(s)) break;
  }
  if (nearest == t || !(near < kMuchNearer * joints_.turned(f_.pose(t - 1), pose_at(t)))) return false;
  if (!(off_on_the_way(nearest - 1, nearest, pose_at(nearest)) < HUGE_VAL)) return false;
  // the move, in place of the frames of the other track; where it has arrived, these stay as they are
  bool there = false;
  const std::vector<double> arrival(pose_at(t), pose_at(t) + nq);
  std::vector<double> mine(f_.pose(nearest - 1), f_.pose(nearest));
  long arrived = nearest;
  for (long s = nearest; s <= t && !there; ++s, ++arrived) {
    const std::vector<double> before = mine;
    there = toward(s, before.data(), pose_at(s), mine.data());
    if (!there) keep_goals(s, before.data(), mine.data());
    SolveResult& end = ends[static_cast<std::size_t>(s - least)];
    end = errors_inside(s, mine.data(), measure_at(s));
    if (f_.results[s].reached && !end.reached) return false;
    std::copy(mine.begin(), mine.end(), pose_at(s));
  }
  // write the move
  for (long s = nearest; s <= t; ++s) {
    const int iterations = f_.results[s].iterations;
    std::copy(pose_at(s), pose_at(s) + nq, f_.pose(s));
    std::copy(measure_at(s), measure_at(s) + f_.measured, f_.measure(s));
    f_.results[s] = ends[static_cast<std::size_t>(s - least)];
    f_.results[s].iterations += iterations;
    if (s < arrived) f_.going[static_cast<std::size_t>(s)] = 1;
  }
  other.q = arrival;
  if (there) other.q.clear();
  return true;
}

// Solves frame t: the other pose follows the targets, and the figure moves toward it as fast as the speed limits allow. Returns false if the other
// pose fails to follow the targets; the move then ends. Empties the other pose on arrival.
bool Tracker::escape_toward(long t, OtherPose& other) {
  SolveResult& result = f_.results[t];
  result = solve(frame_options(t), t, other.q.data(), f_.measure(t));
  if (other.reaches && !result.reached) {
    other.q.clear();
    return false;
  }
  const int iterations = result.iterations;
  std::copy(f_.pose(t - 1), f_.pose(t), f_.pose(t));
  if (toward(t, f_.pose(t - 1), other.q.data(), f_.pose(t))) {
    other.q.clear();
  } else {
    keep_goals(t, f_.pose(t - 1), f_.pose(t));
  }
  if (++other.frames > kPaysBack) other.q.clear();
  result = errors_inside(t, f_.pose(t), f_.measure(t));
  result.iterations += iterations;
  f_.going[static_cast<std::size_t>(t)] = 1;
  return true;
}

}  // namespace manikin
