// Frames one after the other.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "arm_build.h"
#include "frame_box.h"
#include "joints.h"
#include "manikin/backend.h"
#include "manikin/solver.h"
#include "workspace.h"

namespace manikin {
namespace {

constexpr double kBegins = 2.5e-3;     // sizes that the target of a goal counts as having moved where the goal did not count before

constexpr int kLost = 8;               // frames missed, one after the other, after which another way to reach the targets is looked for,
constexpr int kLostAgain = 64;         // again at twice as many, and then every so many
constexpr int kOtherStarts = 10;
constexpr long kFarBack = 120;         // frames
constexpr double kMuchNearer = 0.7;    // of how far another pose is now: where it was so near, it goes over
constexpr double kFarOff = 0.05;       // sizes by which a goal must be off before a figure goes over to another pose
constexpr double kRadian = 0.2;        // sizes that a radian counts like
constexpr double kSpared = 0.03;       // sizes by which other goals may be off more on the way,
constexpr int kLooks = 9;              // in so many parts of it
constexpr double kAtLimit = 1e-3, kUnfold = 0.8;  // radians
constexpr int kShorter = 5;            // tries to keep to the box on the way there

bool look_again(int missed) {
  for (int at = kLost; at < kLostAgain; at *= 2)
    if (missed == at) return true;
  return missed > 0 && missed % kLostAgain == 0;
}

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

// Hinges at a limit one by one turned away from it, and the pose solved from there: true for the first that reaches and suits.
template <class Suits>
bool Solver::unfold(const SolveOptions& options, const double* target, const double* weight, const double* mine, void* workspace,
                    std::vector<double>& other, const Suits& suits) const {
  const SolverKernels& kernel = solver_kernels();
  std::vector<double> unused(static_cast<std::size_t>(this->measures()));
  for (const SolverNode& n : nodes_) {
    if (n.op != kTurning || n.coordinate < 0) continue;
    const Coordinate& c = problem_.coordinate[n.coordinate];
    const double x = mine[n.number];
    if (!c.bounded || (x > c.lower + kAtLimit && x < c.upper - kAtLimit)) continue;
    other.assign(mine, mine + problem_.nq);
    other[static_cast<std::size_t>(n.number)] = x < c.middle ? std::min(x + kUnfold, c.middle) : std::max(x - kUnfold, c.middle);
    SolveOptions now = options;
    now.tracking = 1;
    now.frame = now.restarts = 0;
    SolveResult found;
    kernel.solve(problem_, now, target, weight, other.data(), unused.data(), &found, workspace);
    if (found.reached && suits()) return true;
  }
  return false;
}

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

// Whether a goal is off by so much that going over to another pose is worth it.
bool Solver::far_off(const double* measure) const {
  const std::vector<double> off = goals_off(measure);
  return *std::max_element(off.begin(), off.end()) > kFarOff;
}

// Whether the straight way between two poses spares the goals, but for the one that is off most where it begins, with errors `measure`.
bool Solver::spares(const Joints& joints, const double* from, const double* to, const double* measure, const double* target, const double* weight,
                    void* workspace) const {
  const std::vector<double> off = goals_off(measure);
  const std::size_t worst = static_cast<std::size_t>(std::max_element(off.begin(), off.end()) - off.begin());
  std::vector<double> q(from, from + problem_.nq), here(static_cast<std::size_t>(this->measures()));
  for (int k = 1; k < kLooks; ++k) {
    joints.on_the_way(solver_kernels(), from, to, static_cast<double>(k) / kLooks, q.data());
    errors_at(target, weight, q.data(), here.data(), workspace);
    const std::vector<double> then = goals_off(here.data());
    for (std::size_t g = 0; g < off.size(); ++g)
      if (g != worst && then[g] > off[g] + kSpared) return false;
  }
  return true;
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

// A figure is caught at frame t because it passed a straight limb, or a pose like it, on the wrong side: from `other`, a pose that
// reaches, the frames are followed back until one is worse than it was. Where both ways are nearest it goes over, and on that way from
// there on. False, and nothing changed, if that is no nearer than at frame t. `other` is emptied if the way is arrived at by frame t.
bool Solver::go_back(long t, const SolveOptions& options, const Joints& joints, const double* targets, const double* weights, bool one_weights,
                     std::vector<char>& going, std::vector<double>& other, double* q, double* measures, SolveResult* results,
                     void* workspace) const {
  const SolverKernels& kernel = solver_kernels();
  const long nq = problem_.nq, width = problem_.target_width, counted = this->measures(), least = std::max<long>(1, t - kFarBack);
  const std::size_t most = static_cast<std::size_t>(t - least + 1);
  std::vector<double> poses(most * static_cast<std::size_t>(nq)), found(most * static_cast<std::size_t>(counted));
  std::vector<SolveResult> ends(most);
  auto weights_at = [&](long s) { return weights + (one_weights ? 0 : s * problem_.goals); };
  auto pose_at = [&](long s) { return poses.data() + (s - least) * nq; };
  SolveOptions now = options;
  now.tracking = now.frame = 1;
  now.restarts = 0;
  const double* after = other.data();
  long nearest = t;
  double near = 0.0;
  for (long s = t; s >= least && !going[static_cast<std::size_t>(s)]; --s) {
    const std::size_t at = static_cast<std::size_t>(s - least);
    std::copy(after, after + nq, pose_at(s));
    now.strained = results[s].reached ? 0 : 1;
    now.moved = s < t ? moved(targets + (s + 1) * width, targets + s * width, weights_at(s + 1), weights_at(s)) : 0.0;
    kernel.solve(problem_, now, targets + s * width, weights_at(s), pose_at(s), found.data() + at * static_cast<std::size_t>(counted),
                 ends.data() + at, workspace);
    if (!ends[at].reached && (results[s].reached || !(ends[at].cost <= results[s].cost))) break;
    const double apart = joints.turned(q + (s - 1) * nq, pose_at(s));
    if (s == t || apart < near) {
      near = apart;
      nearest = s;
    }
    after = pose_at(s);
  }
  if (nearest == t || !(near < kMuchNearer * joints.turned(q + (t - 1) * nq, pose_at(t)))) return false;
  if (!spares(joints, q + (nearest - 1) * nq, pose_at(nearest), measures + (nearest - 1) * counted, targets + nearest * width, weights_at(nearest), workspace))
    return false;
  bool there = false;
  for (long s = nearest; s <= t; ++s) {
    const std::size_t at = static_cast<std::size_t>(s - least);
    const int iterations = results[s].iterations;
    double* mine = q + s * nq;
    if (!there) {
      const double box = box_of_frame(moved(targets + (s - 1) * width, targets + s * width, weights_at(s - 1), weights_at(s)));
      going[static_cast<std::size_t>(s)] = 1;
      there = toward(joints, mine - nq, pose_at(s), std::max(kBox, box), mine);
      results[s] = errors_at(targets + s * width, weights_at(s), mine, measures + s * counted, workspace);
    } else {
      std::copy(pose_at(s), pose_at(s) + nq, mine);
      std::copy(found.data() + at * static_cast<std::size_t>(counted), found.data() + (at + 1) * static_cast<std::size_t>(counted), measures + s * counted);
      results[s] = ends[at];
    }
    results[s].iterations += iterations;
  }
  other.assign(pose_at(t), pose_at(t) + nq);
  if (there) other.clear();
  return true;
}

// Toward `other`, a pose that reached the targets of the frame before and is brought to reach those of this one, by what the box
// of a frame allows. False if it does not reach them: then there is no way to go. `other` is emptied where it is arrived at.
bool Solver::go_over(const SolveOptions& frame, const Joints& joints, const double* target, const double* weight, const double* before, double* q,
                     double* measure, SolveResult* result, void* workspace, std::vector<double>& other) const {
  const SolverKernels& kernel = solver_kernels();
  SolveOptions now = frame;
  now.frame = 1;
  kernel.solve(problem_, now, target, weight, other.data(), measure, result, workspace);
  if (!result->reached) {
    other.clear();
    return false;
  }
  const int iterations = result->iterations;
  const double box = std::max(box_of_frame(frame.moved), kBox);  // as fast as it may, also where targets rest
  if (toward(joints, before, other.data(), box, q)) other.clear();
  *result = errors_at(target, weight, q, measure, workspace);
  result->iterations += iterations;
  return true;
}

void Solver::track(long frames, const SolveOptions& options, const double* start, const double* targets, const double* weights,
                   bool one_weights, double* q, double* measures, SolveResult* results) const {
  const SolverKernels& kernel = solver_kernels();
  const Workspace workspace(kernel.workspace_bytes(problem_));
  const std::size_t pose = static_cast<std::size_t>(problem_.nq) * sizeof(double);
  const Joints joints(problem_, nodes_);
  ArmPlace place;        // where an arm was left
  bool goes_on = false;  // whether the workspace is as the frame before left it
  int missed = 0;        // frames, one after the other
  std::vector<double> other, unused(static_cast<std::size_t>(this->measures()));
  std::vector<char> going(static_cast<std::size_t>(frames), 0);  // toward another pose
  for (long t = 0; t < frames; ++t) {
    if (t > 0 && one_weights && other.empty()) {
      const long calm = follow_arm(frames - t, options, targets + (t - 1) * problem_.target_width, weights, place, q + (t - 1) * problem_.nq,
                                   measures + t * this->measures(), results + t);
      if (calm > 0) missed = 0, goes_on = false;
      if ((t += calm) == frames) break;
    }
    double* mine = q + t * problem_.nq;
    const double* before = t > 0 ? mine - problem_.nq : start;
    if (problem_.nq > 0) std::memcpy(mine, before, pose);
    const double* target = targets + t * problem_.target_width;
    const double* weight = weights + (one_weights ? 0 : t * problem_.goals);
    const double* weight_before = one_weights || t == 0 ? weight : weight - problem_.goals;
    SolveOptions now = options;
    now.frame = t == 0 ? 0 : goes_on ? 2 : 1;
    goes_on = false;
    now.strained = t > 0 && !results[t - 1].reached ? 1 : 0;
    now.tracking = 1;
    now.restarts = t > 0 ? 0 : options.restarts;
    now.moved = t > 0 ? moved(target - problem_.target_width, target, weight_before, weight) : 0.0;
    double* measure = measures + t * this->measures();
    if (!other.empty() && go_over(now, joints, target, weight, before, mine, measure, results + t, workspace.start, other)) {
      going[static_cast<std::size_t>(t)] = 1;
      continue;
    }
    if (t > 0 && follow_arm(now, target, weight, place, mine, measure, results + t)) {
      missed = 0;
      continue;
    }
    kernel.solve(problem_, now, target, weight, mine, measure, results + t, workspace.start);
    goes_on = t > 0;
    if (t > 0 && options.restarts > 0 && !results[t].reached) {  // on request only: it may jump
      goes_on = false;
      now.frame = 0;
      now.restarts = options.restarts;
      if (problem_.nq > 0) std::memcpy(mine, before, pose);
      kernel.solve(problem_, now, target, weight, mine, measure, results + t, workspace.start);
    }
    missed = results[t].reached ? 0 : missed + 1;
    if (options.restarts > 0 || !look_again(missed) || results[t].iterations >= options.most) continue;
    // caught where the targets are not reached: if they are in another pose, then it takes the way that leads there, or goes over
    goes_on = false;
    auto leads_back = [&] {
      return go_back(t, options, joints, targets, weights, one_weights, going, other, q, measures, results, workspace.start);
    };
    if (unfold(options, target, weight, mine, workspace.start, other, leads_back)) {
      missed = 0;
      continue;
    }
    now = options;
    now.restarts = kOtherStarts;
    now.tracking = 0;
    SolveResult found;
    other.assign(mine, mine + problem_.nq);
    solve_one(now, target, weight, other.data(), unused.data(), &found);
    results[t].iterations += found.iterations;
    if (found.reached && leads_back()) {
      missed = 0;
    } else if (!found.reached || !far_off(measure) || !spares(joints, mine, other.data(), measure, target, weight, workspace.start)) {
      other.clear();
    }
  }
  if (options.restarts == 0) smooth(frames, options, targets, weights, one_weights, going, q, measures, results, workspace.start);
}

}  // namespace manikin
