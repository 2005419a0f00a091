#include "solve/query/combination.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "math/index.h"
#include "solve/constants.h"
#include "solve/query/prefer.h"

namespace manikin {
namespace {

// (all members) the goal that each member stands for, -1 for members that are not chosen.
std::vector<int> goals_of(const Description& d, const std::vector<int>& members) {
  std::vector<int> out(d.member_goal.size(), -1);
  std::size_t first = 0;
  for (std::size_t g = 0; g < members.size(); ++g) {
    out[first + at(members[g])] = static_cast<int>(g);
    first += at(d.goal_members[g]);
  }
  return out;
}

}  // namespace

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

SolveOptions Combination::options(const Ask& ask, int restarts, int most, bool near, Scratch& scratch) const {
  SolveOptions out{};
  out.iterations = kIterationsAStart;
  out.most = most;
  out.restarts = restarts;
  out.tracking = near ? 1 : 0;
  out.seed = ask.seed;
  out.deadline = ask.deadline;
  out.clock = ask.clock;
  out.competing = ask.competing ? 1 : 0;
  out.prefer = ask.prefer;
  if (ask.stiffness) {
    scratch.stiffness.resize(static_cast<std::size_t>(solver_.problem().width));
    coordinate_stiffness(solver_.problem(), ask.stiffness, scratch.stiffness.data());
    out.stiffness = scratch.stiffness.data();
  }
  if (callback_.empty()) {
    out.host = ask.host;
    out.watch = ask.watch;
    out.stopped = ask.stopped;
    return out;
  }
  scratch.ask = &ask;
  scratch.callback = callback_.data();
  out.host = &scratch;
  if (ask.watch) out.watch = [](void* h, const Glance& at) { return static_cast<Scratch*>(h)->ask->watch(static_cast<Scratch*>(h)->ask->host, at); };
  if (ask.stopped) out.stopped = [](void* h) { return static_cast<Scratch*>(h)->ask->stopped(static_cast<Scratch*>(h)->ask->host); };
  if (ask.goal)
    out.goal = [](void* h, int which, const double* placements, const double* center, const double* pose, const double* target, double* error,
                  double* measure, double* derivative) {
      const Scratch& mine = *static_cast<Scratch*>(h);
      return mine.ask->goal(mine.ask->host, mine.callback[which], placements, center, pose, target, error, measure, derivative);
    };
  return out;
}

Combination::Combination(const Description& d, const Limits& limits, const std::vector<int>& members)
    : Combination(d, limits, members, goals_of(d, members)) {}

Combination::Combination(const Description& d, const Limits& limits, std::vector<int> members, const std::vector<int>& goal_of_member)
    : description_(d),
      limits_(limits),
      members_(std::move(members)),
      arrays_(d.parts.chosen(goal_of_member, d.nv)),
      compiled_(d.problem(arrays_)),
      solver_(compiled_) {
  const std::size_t goals = members_.size();
  tolerances_.resize(goals);
  shares_.resize(goals);
  in_sizes_.resize(goals);
  posture_.resize(goals);
  for (const int g : arrays_.posture_member) posture_[at(g)] = 1;
  // tolerances, shares and units of the goals that are chosen
  for (std::size_t m = 0; m < goal_of_member.size(); ++m) {
    if (goal_of_member[m] < 0) continue;
    const std::size_t g = at(goal_of_member[m]);
    tolerances_[g] = d.member_tolerance[m];
    shares_[g] = d.member_share[m];
    in_sizes_[g] = d.member_angular[m] ? d.angle_weight : 1.0 / d.size;
  }
  shared_ = std::any_of(shares_.begin(), shares_.end(), [](double s) { return s != 1.0; });
  levels_ = 1 + *std::max_element(d.goal_level.begin(), d.goal_level.end());
  // which measure of the core belongs to which goal
  const auto measured = [&](const std::vector<int>& goal, const std::vector<double>& tolerance) {
    for (std::size_t k = 0; k < goal.size(); ++k) {
      goal_of_.push_back(goal[k]);
      by_tolerance_.push_back(tolerances_[at(goal[k])] / tolerance[k]);
    }
  };
  measured(arrays_.part_member, arrays_.part_tolerance);
  measured(arrays_.link_member, arrays_.link_tolerance);
  measured(arrays_.posture_member, arrays_.posture_tolerance);
  for (std::size_t k = 0; k < d.callback_member.size(); ++k)
    if (goal_of_member[at(d.callback_member[k])] >= 0) callback_.push_back(static_cast<int>(k));
  if (!d.has_heading) return;
  HeadingArrays h = d.heading;  // points and orientations of the chosen members
  h.point_goal.clear(), h.point_target.clear(), h.point_effector.clear(), h.point.clear();
  h.axes_goal.clear(), h.axes_target.clear(), h.axes.clear();
  for (std::size_t k = 0; k < d.heading.point_goal.size(); ++k) {
    const int goal = goal_of_member[at(d.heading.point_goal[k])];
    if (goal < 0) continue;
    h.point_goal.push_back(goal);
    h.point_target.push_back(d.heading.point_target[k]);
    h.point_effector.push_back(d.heading.point_effector[k]);
    h.point.insert(h.point.end(), &d.heading.point[3 * k], &d.heading.point[3 * k] + 3);
  }
  for (std::size_t k = 0; k < d.heading.axes_goal.size(); ++k) {
    const int goal = goal_of_member[at(d.heading.axes_goal[k])];
    if (goal < 0) continue;
    h.axes_goal.push_back(goal);
    h.axes_target.push_back(d.heading.axes_target[k]);
    h.axes.insert(h.axes.end(), &d.heading.axes[9 * k], &d.heading.axes[9 * k] + 9);
  }
  heading_ = std::make_unique<Heading>(std::move(h));
}

void Combination::weigh(const double* weights, double* out) const {
  for (std::size_t g = 0; g < shares_.size(); ++g) out[g] = shared_ ? weights[g] * shares_[g] : weights[g];
}

void Combination::start(const double* targets, const double* weights, double* q) const {
  if (heading_)
    heading_->start(targets, weights, q);
  else
    std::copy(description_.rest.begin(), description_.rest.end(), q);
}

void Combination::give_errors(const double* measures, double* errors, long rows) const {
  const std::size_t count = goal_of_.size();
  std::fill(errors, errors + rows * goals(), 0.0);
  for (long row = 0; row < rows; ++row, measures += count, errors += goals())
    for (std::size_t k = 0; k < count; ++k) errors[goal_of_[k]] = std::max(errors[goal_of_[k]], measures[k] * by_tolerance_[k]);
}

SolveResult Combination::solve(const Ask& ask, int restarts, int most, bool near, const double* targets, const double* weights, double* q,
                               double* errors) const {
  thread_local std::vector<double> kept;
  std::vector<double> measures = std::move(kept);  // a hook may solve another problem on this thread
  measures.resize(goal_of_.size());
  Scratch scratch;
  SolveResult result;
  solver_.solve_one(options(ask, restarts, most, near, scratch), targets, weights, q, measures.data(), &result);
  limits_.follow(q);
  give_errors(measures.data(), errors);
  kept = std::move(measures);
  return result;
}

// Joints without influence on any goal take their preferred values first, since some of them carry a little of the mass that a balance goal uses.
bool Combination::settle(const Ask& ask, int most, const double* targets, const double* weights, double* q, double* errors,
                         SolveResult* result) const {
  std::vector<double> pose(q, q + nq()), measures(goal_of_.size());
  place_unfelt(compiled_, ask.prefer, ask.stiffness, pose.data());
  limits_.follow(pose.data());
  Scratch scratch;
  SolveOptions now = options(ask, 0, most, true, scratch);
  now.settle = 1;
  solver_.solve_general(now, targets, weights, pose.data(), measures.data(), result);
  if (result->status != 0) return false;
  limits_.follow(pose.data());
  std::copy(pose.begin(), pose.end(), q);
  give_errors(measures.data(), errors);
  return true;
}

SolveResult Combination::errors_at(const Ask& ask, const double* targets, const double* weights, const double* q, double* errors) const {
  std::vector<double> pose(q, q + nq());
  Ask only;  // without hooks: computing errors is not an iteration to watch
  only.clock = seconds;
  only.host = ask.host;
  only.goal = ask.goal;
  return solve(only, 0, 0, true, targets, weights, pose.data(), errors);
}

}  // namespace manikin
