// A figure that is caught: its targets are missed, although in another pose they would be reached, or missed by less. It takes the way
// that leads there, from where both ways are nearest, or goes over.
#include <algorithm>
#include <cmath>
#include <vector>

#include "frame_box.h"
#include "frames.h"
#include "joints.h"
#include "manikin/backend.h"
#include "manikin/solver.h"

namespace manikin {
namespace {

constexpr int kOtherStarts = 10;
constexpr long kFarBack = 120;         // frames
constexpr double kMuchNearer = 0.7;    // of how far another pose is now: where it was so near, it goes over
constexpr double kGain = 6e-4;         // sizes by which targets must be missed by less before a figure goes over to another pose,
constexpr double kGainTurn = 0.3;      // and as much more for each so many radians that it has to turn, if that is within
constexpr double kSoon = 8.0;          // missed frames, and less the longer they are missed
constexpr long kPaysBack = 300;        // frames within which being nearer must make up for being off on the way, where nothing is reached
constexpr double kIdle = 1e-12;        // sizes squared by which the cost may grow if a joint stays
constexpr double kRadian = 0.2;        // sizes that a radian counts like
constexpr double kSpared = 0.03;       // sizes by which other goals may be off more on the way,
constexpr int kLooks = 9;              // in so many parts of it
constexpr double kAtLimit = 1e-3, kUnfold = 0.8;  // radians
constexpr int kShorter = 5;            // tries to keep to the box on the way there

// A step from a pose toward another that no joint turns by more than `box`; whether it arrives.
bool toward(const Joints& joints, const double* from, const double* to, double box, double* q) {
  double share = std::min(1.0, box / (joints.turned(from, to) + 1e-300));
  for (int tries = 0; tries < kShorter; ++tries) {
    joints.on_the_way(solver_kernels(), from, to, share, q);
    const double turned = joints.turned(from, q);
    if (turned <= box) break;
    share *= 0.999 * box / turned;  // inside a cone the way is longer
  }
  return share == 1.0;
}

double most(const std::vector<double>& off) { return *std::max_element(off.begin(), off.end()); }

}  // namespace

// How far each goal is off, in sizes.
std::vector<double> Solver::goals_off(const double* measure) const {
  std::vector<double> off(static_cast<std::size_t>(problem_.goals), 0.0);
  auto note = [&](int goal, bool angle, double by) {
    double& most = off[static_cast<std::size_t>(goal)];
    most = std::max(most, angle ? by * kRadian : by / problem_.size);
  };
  for (std::size_t k = 0; k < parts_.size(); ++k) note(parts_[k].goal, is_angle(parts_[k]), measure[k]);
  for (std::size_t k = 0; k < links_.size(); ++k) note(links_[k].goal, is_angle(links_[k]), measure[parts_.size() + k]);
  return off;
}

// The errors of a pose as it is.
SolveResult Solver::errors_at(const double* target, const double* weight, double* q, double* measure, void* workspace) const {
  SolveOptions here{};
  here.tracking = 1;
  here.deadline = 1e308;
  SolveResult result;
  solver_kernels().solve(problem_, here, target, weight, q, measure, &result, workspace);
  return result;
}

// How much further than at frame t the goal that is off most there will be off on the straight way to another pose, in sizes, in the
// middle; infinite if that does not spare the other goals.
double Solver::off_on_the_way(long t, long target_of, const double* to, const Joints& joints, const Frames& f, void* workspace) const {
  const std::vector<double> off = goals_off(f.measure(t));
  const std::size_t worst = static_cast<std::size_t>(std::max_element(off.begin(), off.end()) - off.begin());
  std::vector<double> q(f.pose(t), f.pose(t) + f.nq), here(static_cast<std::size_t>(f.measured));
  double sum = 0.0;
  for (int k = 1; k < kLooks; ++k) {
    joints.on_the_way(solver_kernels(), f.pose(t), to, static_cast<double>(k) / kLooks, q.data());
    errors_at(f.target(target_of), f.weight(target_of), q.data(), here.data(), workspace);
    const std::vector<double> then = goals_off(here.data());
    for (std::size_t g = 0; g < off.size(); ++g)
      if (g != worst && then[g] > off[g] + kSpared) return HUGE_VAL;
    sum += std::max(0.0, then[worst] - off[worst]);
  }
  return sum / (kLooks - 1);
}

// Hinges at a limit one by one turned away from it, and the pose solved from there: true for the first that reaches and leads back.
bool Solver::unfold(long t, const SolveOptions& options, const Joints& joints, Frames& f, OtherPose& other, void* workspace) const {
  const double* mine = f.pose(t);
  std::vector<double> unused(static_cast<std::size_t>(f.measured));
  for (const SolverNode& n : nodes_) {
    if (n.op != kTurning || n.coordinate < 0) continue;
    const Coordinate& c = problem_.coordinate[n.coordinate];
    const double x = mine[n.number];
    if (!c.bounded || (x > c.lower + kAtLimit && x < c.upper - kAtLimit)) continue;
    other.q.assign(mine, mine + f.nq);
    other.q[static_cast<std::size_t>(n.number)] = x < c.middle ? std::min(x + kUnfold, c.middle) : std::max(x - kUnfold, c.middle);
    SolveOptions now = options;
    now.tracking = 1;
    now.frame = now.restarts = 0;
    SolveResult found;
    solver_kernels().solve(problem_, now, f.target(t), f.weight(t), other.q.data(), unused.data(), &found, workspace);
    f.results[t].iterations += found.iterations;
    if (found.reached && go_back(t, options, joints, f, other, workspace)) return true;
  }
  return false;
}

// Joints of the other pose that make no difference to its cost stay as they are in frame t.
void Solver::keep_idle(long t, double cost, const Frames& f, OtherPose& other, void* workspace) const {
  std::vector<double> q = other.q, unused(static_cast<std::size_t>(f.measured));
  for (const SolverNode& n : nodes_) {
    if (n.coordinate < 0) continue;
    const int width = n.op == kLoose || n.op == kCone ? 4 : 1;
    std::copy(f.pose(t) + n.number, f.pose(t) + n.number + width, q.begin() + n.number);
    const bool idle = errors_at(f.target(t), f.weight(t), q.data(), unused.data(), workspace).cost <= cost + kIdle;
    std::vector<double>&kept = idle ? q : other.q, &changed = idle ? other.q : q;
    std::copy(kept.begin() + n.number, kept.begin() + n.number + width, changed.begin() + n.number);
  }
}

// Frame t is missed: whether there is another pose, and the way to it was taken or is to be taken from the next frame on.
bool Solver::find_way(long t, int missed, const SolveOptions& options, const Joints& joints, Frames& f, OtherPose& other, void* workspace) const {
  other.reaches = true;
  if (unfold(t, options, joints, f, other, workspace)) return true;
  const double* mine = f.pose(t);
  std::vector<double> measure(static_cast<std::size_t>(f.measured));
  SolveOptions now = options;
  now.restarts = kOtherStarts;
  now.tracking = 0;
  SolveResult found;
  other.q.assign(mine, mine + f.nq);
  solve_one(now, f.target(t), f.weight(t), other.q.data(), measure.data(), &found);
  f.results[t].iterations += found.iterations;
  keep_idle(t, found.cost, f, other, workspace);
  other.reaches = found.reached;
  const double gain = most(goals_off(f.measure(t))) - most(goals_off(measure.data())), turn = joints.turned(mine, other.q.data());
  const bool worth = found.cost < f.results[t].cost && gain > kGain * (1.0 + turn / kGainTurn * std::min(1.0, kSoon / missed));
  if ((found.reached || worth) && go_back(t, options, joints, f, other, workspace)) return true;
  const double off = worth ? off_on_the_way(t, t, other.q.data(), joints, f, workspace) : HUGE_VAL;
  if (!(off < HUGE_VAL) || (!found.reached && turn / kBox * off > static_cast<double>(std::min(f.count - t, kPaysBack)) * gain)) other.q.clear();
  return false;
}

// A figure is caught at frame t because it passed a straight limb, or a pose like it, on the wrong side: from the other pose the
// frames are followed back until one is worse than it was. Where both ways are nearest it goes over, and on that way from there on.
// False, and nothing changed, if that is no nearer than at frame t. The other pose is emptied if the way is arrived at by frame t.
bool Solver::go_back(long t, const SolveOptions& options, const Joints& joints, Frames& f, OtherPose& other, void* workspace) const {
  const long least = std::max<long>(1, t - kFarBack), nq = f.nq;
  const std::size_t count = static_cast<std::size_t>(t - least + 1);
  std::vector<double> poses(count * static_cast<std::size_t>(nq)), measures(count * static_cast<std::size_t>(f.measured));
  std::vector<SolveResult> ends(count);
  auto pose_at = [&](long s) { return poses.data() + (s - least) * nq; };
  auto measure_at = [&](long s) { return measures.data() + (s - least) * f.measured; };
  SolveOptions now = options;
  now.tracking = now.frame = 1;
  now.restarts = 0;
  const double* after = other.q.data();
  long nearest = t;
  double near = 0.0;
  for (long s = t; s >= least && !f.going[static_cast<std::size_t>(s)]; --s) {
    SolveResult& end = ends[static_cast<std::size_t>(s - least)];
    std::copy(after, after + nq, pose_at(s));
    now.strained = f.results[s].reached ? 0 : 1;
    now.moved = s < t ? moved(f.target(s + 1), f.target(s), f.weight(s + 1), f.weight(s)) : 0.0;
    solver_kernels().solve(problem_, now, f.target(s), f.weight(s), pose_at(s), measure_at(s), &end, workspace);
    if (!end.reached && (f.results[s].reached || !(end.cost <= f.results[s].cost))) break;
    const double apart = joints.turned(f.pose(s - 1), pose_at(s));
    if (s == t || apart < near) {
      near = apart;
      nearest = s;
    }
    after = pose_at(s);
    if (f.begins_anew(s)) break;
  }
  if (nearest == t || !(near < kMuchNearer * joints.turned(f.pose(t - 1), pose_at(t)))) return false;
  if (!(off_on_the_way(nearest - 1, nearest, pose_at(nearest), joints, f, workspace) < HUGE_VAL)) return false;
  bool there = false;
  for (long s = nearest; s <= t; ++s) {
    const int iterations = f.results[s].iterations;
    double* mine = f.pose(s);
    if (!there) {
      const double box = box_of_frame(moved(f.target(s - 1), f.target(s), f.weight(s - 1), f.weight(s)));
      f.going[static_cast<std::size_t>(s)] = 1;
      there = toward(joints, f.pose(s - 1), pose_at(s), std::max(kBox, box), mine);
      f.results[s] = errors_at(f.target(s), f.weight(s), mine, f.measure(s), workspace);
    } else {
      std::copy(pose_at(s), pose_at(s) + nq, mine);
      std::copy(measure_at(s), measure_at(s) + f.measured, f.measure(s));
      f.results[s] = ends[static_cast<std::size_t>(s - least)];
    }
    f.results[s].iterations += iterations;
  }
  other.q.assign(pose_at(t), pose_at(t) + nq);
  if (there) other.q.clear();
  return true;
}

// Frame t: toward the other pose, which is brought along with the targets, by what the box of a frame allows. False if they are not
// reached any more: then there is no way to go. The other pose is emptied where it is arrived at.
bool Solver::go_over(long t, const SolveOptions& frame, const Joints& joints, Frames& f, OtherPose& other, void* workspace) const {
  SolveOptions now = frame;
  now.frame = 1;
  SolveResult& result = f.results[t];
  solver_kernels().solve(problem_, now, f.target(t), f.weight(t), other.q.data(), f.measure(t), &result, workspace);
  if (other.reaches && !result.reached) {
    other.q.clear();
    return false;
  }
  const int iterations = result.iterations;
  const double box = std::max(box_of_frame(frame.moved), kBox);  // as fast as it may, also where targets rest
  if (toward(joints, f.pose(t - 1), other.q.data(), box, f.pose(t))) other.q.clear();
  result = errors_at(f.target(t), f.weight(t), f.pose(t), f.measure(t), workspace);
  result.iterations += iterations;
  f.going[static_cast<std::size_t>(t)] = 1;
  return true;
}

}  // namespace manikin
