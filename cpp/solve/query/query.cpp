#include "solve/query/query.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "math/index.h"
#include "solve/constants.h"
#include "solve/query/shared_hooks.h"
#include "solve/query/shortfall.h"
#include "solve/threads.h"

namespace manikin {
namespace {

// Checks the poses of a description and returns it.
const Description& checked(const Description& d, const Limits& limits) {
  for (const auto* pose : {&d.rest, &d.heading.start})
    if (!pose->empty() && (limits.unusable(pose->data()) >= 0 || !(limits.violation(pose->data()) <= kRestOutside)))
      throw std::invalid_argument("compiled problem: the rest pose, or the start of a heading, is outside its limits");
  return d;
}

}  // namespace

Query::Query(const void* block, std::size_t bytes)
    : description_(NamedArrays(block, bytes)),
      limits_(description_.limits()),
      kinematics_(description_.tree()),
      choices_(checked(description_, limits_), limits_),
      only_(choices_.first()) {
  const auto none = [](const std::vector<double>& weights) { return std::find(weights.begin(), weights.end(), 0.0) != weights.end(); };
  unweighted_ = none(description_.goal_weight) || none(description_.member_share);
  plain_ = !unweighted_ && choices_.any_of().empty() && only_->weighs_plainly() && own_goals() == goals();
  arm_ = plain_ && only_->solver().arm().fits(description_.goal_weight.data());
}

// Starts and targets

double Query::bring_in(double* q) const {
  if (limits_.plainly_inside(q)) return 0.0;
  const int wrong = limits_.unusable(q);
  if (wrong >= 0) throw std::invalid_argument("start: number " + std::to_string(wrong) + " is not finite, or its quaternion is not of length 1");
  const double clipped = limits_.bring_near(q), outside = std::max(limits_.violation(q), clipped);
  if (outside > 0.0)
    limits_.clamp(q);
  else
    limits_.follow(q);
  return outside;
}

std::string Query::bad_targets(const double* targets, const double* weights, long row) const {
  const Description& d = description_;
  const auto sentence = [&](int goal, const char* what, int first, int count, const char* right) {
    std::string out = "targets of '" + d.goal_name[at(goal)] + "', row " + std::to_string(row) + ": " + what + "(";
    for (int k = first; k < first + count; ++k) {
      char number[32];
      std::snprintf(number, sizeof number, "%s%g", k > first ? ", " : "", targets[k]);
      out += number;
    }
    return out + ")" + right;
  };
  for (std::size_t m = 0; m < d.member_goal.size() && d.member_goal[m] < d.own_goals; ++m) {
    if (weights && !(weights[d.member_goal[m]] > 0.0)) continue;
    for (int k = d.member_target[m]; k < d.member_target[m + 1]; ++k)
      if (!std::isfinite(targets[k]))
        return sentence(d.member_goal[m], "", d.member_target[m], d.member_target[m + 1] - d.member_target[m], " is not finite");
  }
  const auto goal_at = [&](int k) {
    std::size_t m = 0;
    while (d.member_target[m + 1] <= k) ++m;
    return d.member_goal[m];
  };
  for (const int k : d.quaternion_at) {
    if (k >= width()) continue;
    const int goal = goal_at(k);
    if (weights && !(weights[goal] > 0.0)) continue;
    const double length = std::hypot(std::hypot(targets[k], targets[k + 1]), std::hypot(targets[k + 2], targets[k + 3]));
    if (!(std::fabs(length - 1.0) <= kUnitTolerance)) return sentence(goal, "quaternion ", k, 4, "; it needs length 1, in the order w, x, y, z");
  }
  for (const int k : d.direction_at) {
    if (k >= width()) continue;
    const int goal = goal_at(k);
    if (weights && !(weights[goal] > 0.0)) continue;
    if (!(std::max({std::fabs(targets[k]), std::fabs(targets[k + 1]), std::fabs(targets[k + 2])}) > kLeastDirection))
      return sentence(goal, "direction ", k, 3, "; it needs a vector of length above 0");
  }
  return "";
}

bool Query::plain_targets(const double* targets) const {
  double none = 0.0;
  for (int i = 0; i < width(); ++i) none += 0.0 * targets[i];
  if (!(none == 0.0)) return false;  // one number is not finite
  constexpr double low = (1.0 - kUnitTolerance) * (1.0 - kUnitTolerance), high = (1.0 + kUnitTolerance) * (1.0 + kUnitTolerance);
  for (const int k : description_.quaternion_at) {
    if (k >= width()) continue;
    const double* q = targets + k;
    const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!(square >= low && square <= high)) return false;
  }
  for (const int k : description_.direction_at)
    if (k < width() && !(std::max({std::fabs(targets[k]), std::fabs(targets[k + 1]), std::fabs(targets[k + 2])}) > kLeastDirection)) return false;
  return true;
}

// Appends the targets of closed loops to those of the caller. Targets of goals that do not count may be anything; they become 0.
void Query::whole_targets(const double* own, const double* weights, double* out) const {
  const std::vector<double>& all = description_.targets;
  std::copy(own ? own : all.data(), (own ? own : all.data()) + width(), out);
  std::copy(all.begin() + width(), all.end(), out + width());
  if (own && weights)
    for (int k = 0; k < width(); ++k)
      if (!std::isfinite(out[k])) out[k] = 0.0;
}

void Query::whole_weights(const double* own, double* out) const {
  std::copy(description_.goal_weight.begin(), description_.goal_weight.end(), out);
  if (own) std::copy(own, own + own_goals(), out);
}

void Query::information(const Ask& ask, const WholeRow& row, double* out) const {
  const Choices::Shared chosen = has_choices() ? choices_.combination(choices_.nearest(ask, row)) : only_;
  std::vector<double> weights(row.weights.size());
  chosen->weigh(row.weights.data(), weights.data());
  std::fill(out, out + description_.nv, 0.0);
  Scratch scratch;
  chosen->solver().information(chosen->options(ask, 0, 0, true, scratch), row.targets.data(), weights.data(), row.start, out);
}

// Rows

Found Query::solve_with(const Combination& goals, const Ask& ask, const WholeRow& row, int most) const {
  std::vector<double> start(at(nq())), weights(row.weights.size());
  choices_.start_of(goals, row, start.data());
  goals.weigh(row.weights.data(), weights.data());
  Found out;
  if (goals.levels() > 1) {
    out = solve_levels(goals, ask, start.data(), row.targets.data(), weights.data(), most);
  } else {
    out = Found{std::move(start), std::vector<double>(at(this->goals())), {}};
    const SolveResult result = goals.solve(ask, ask.restarts, most, false, row.targets.data(), weights.data(), out.pose.data(), out.errors.data());
    out.ending = Ending{result.status, result.iterations, result.starts, -1};
  }
  if (!ask.settle || out.ending.status != 0) return out;
  std::vector<double> ranked(weights.size());
  level_weights(goals, weights.data(), ranked.data());
  SolveResult settled;
  goals.settle(ask, std::max(most - out.ending.iterations, 0), row.targets.data(), ranked.data(), out.pose.data(), out.errors.data(), &settled);
  out.ending.iterations += settled.iterations;
  return out;
}

// Tries the nearest members first, then the others until all goals are reached. Otherwise returns the members that miss least.
Found Query::solve_row(const Ask& ask, const WholeRow& row, std::vector<int>& chosen) const {
  if (choices_.any_of().empty()) {
    chosen.assign(at(goals()), 0);
    return solve_with(*only_, ask, row, ask.most);
  }
  Choices::Shared best_goals;
  Found best;
  int used = 0;
  for (const auto& members : choices_.candidates(ask, row)) {
    if (best_goals && (best.ending.status == 0 || used >= ask.most || (ask.clock && ask.clock() > ask.deadline))) break;
    const Choices::Shared goals = choices_.combination(members);
    Found found = solve_with(*goals, ask, row, std::max(ask.most - used, 0));
    used += found.ending.iterations;
    const bool better = !best_goals || found.ending.status == 0 || misses_less(row.weights, *best_goals, best.errors, *goals, found.errors);
    if (better) {
      best = std::move(found);
      best_goals = goals;
    }
  }
  best.ending.iterations = used;
  chosen = best_goals->members();
  return best;
}

void Query::solve(const Ask& ask, const Rows& rows, const Answers& answers, int threads) const {
  if (arm_ && ask.pick == Pick::kFirst && !rows.each_weight && !rows.prefer && !ask.settle && solve_arms(ask, rows, answers, threads)) return;
  SharedHooks hooks(ask);
  std::atomic<long> next{0};
  on_threads(
      std::min<long>(threads, rows.count),
      [&](long) {  // each thread takes the next row until none is left
        WholeRow row{nullptr, std::vector<double>(at(description_.target_width)), std::vector<double>(at(goals()))};
        std::vector<int> chosen;
        for (long b = next.fetch_add(1); b < rows.count; b = next.fetch_add(1)) {
          row.start = rows.starts ? rows.starts + (rows.each_start ? b * nq() : 0) : nullptr;
          const double* weights = rows.weights ? rows.weights + (rows.each_weight ? b * own_goals() : 0) : nullptr;
          whole_targets(rows.targets ? rows.targets + (rows.each_target ? b * width() : 0) : nullptr, weights, row.targets.data());
          whole_weights(weights, row.weights.data());
          Ask mine = hooks.ask();
          if (rows.prefer) mine.prefer = rows.prefer + (rows.each_prefer ? b * nq() : 0);
          const bool stopped = hooks.stopped();
          if (hooks.abandoned()) return;
          const Found found = stopped ? not_begun(row, chosen) : solve_row(mine, row, chosen);
          std::copy(found.pose.begin(), found.pose.end(), answers.poses + b * nq());
          std::copy(found.errors.begin(), found.errors.end(), answers.errors + b * goals());
          std::copy(chosen.begin(), chosen.end(), answers.chosen + b * goals());
          answers.endings[b] = found.ending;
        }
      },
      [&] { hooks.stopped(); });
}

void Query::report_unweighted(const Ask& ask, const Rows& rows, const Answers& answers) const {
  if (!rows.weights && !unweighted_) return;
  std::vector<double> ones, targets, errors;
  for (long b = 0; b < rows.count && !(ask.stopped && ask.stopped(ask.host)); ++b) {
    const long own = rows.each_weight ? b * own_goals() : 0;
    const double *const weights = rows.weights ? rows.weights + own : description_.goal_weight.data(), *const active = rows.weights && rows.active
                                                                                                                           ? rows.active + own
                                                                                                                           : nullptr;
    double* const out = answers.errors + b * goals();
    const int* const chosen = answers.chosen + b * goals();
    const Choices::Shared members = has_choices() ? choices_.combination(std::vector<int>(chosen, chosen + goals())) : only_;
    const auto silent = [&](int g) { return !(weights[g] * members->share(g) > 0.0) && !(active && !(active[g] > 0.0)) && !std::isnan(out[g]); };
    bool any = false;
    for (int g = 0; g < own_goals() && !any; ++g) any = silent(g);
    if (!any) continue;
    ones.assign(at(goals()), 1.0);
    targets.resize(at(description_.target_width));
    errors.resize(at(goals()));
    whole_targets(rows.targets ? rows.targets + (rows.each_target ? b * width() : 0) : nullptr, weights, targets.data());
    members->errors_at(ask, targets.data(), ones.data(), answers.poses + b * nq(), errors.data());
    for (int g = 0; g < own_goals(); ++g)
      if (silent(g)) out[g] = errors[at(g)];
  }
}

// The answer for a row that was not started because a hook had ended the call: its start, and NaN as errors.
Found Query::not_begun(const WholeRow& row, std::vector<int>& chosen) const {
  chosen.assign(at(goals()), 0);
  Found out{std::vector<double>(at(nq())), std::vector<double>(at(goals()), std::numeric_limits<double>::quiet_NaN()), {}};
  choices_.start_of(*only_, row, out.pose.data());
  out.ending.status = 3;
  return out;
}

void Query::begin(const Rows& rows, double* q) const {
  WholeRow row{rows.starts, std::vector<double>(at(description_.target_width)), std::vector<double>(at(goals()))};
  whole_targets(rows.targets, rows.weights, row.targets.data());
  whole_weights(rows.weights, row.weights.data());
  choices_.start_of(*only_, row, q);
}

// Solves the rows of an arm in blocks; each takes the first pose found. Returns false if the problem is not that of an arm with these weights.
bool Query::solve_arms(const Ask& ask, const Rows& rows, const Answers& answers, int threads) const {
  // options and weights, the same for all rows
  const Combination& goals = *only_;
  std::vector<double> weights(at(this->goals()));
  whole_weights(rows.weights, weights.data());
  Scratch scratch;
  SharedHooks hooks(ask);
  const SolveOptions options = goals.options(hooks.ask(), ask.restarts, ask.most, false, scratch);
  if (rounds_of(ask.restarts) == 0 || !goals.solver().arm().takes(options, weights.data())) return false;
  const long wide = description_.target_width, measured = goals.solver().measures();
  std::fill(answers.chosen, answers.chosen + rows.count * this->goals(), 0);
  const bool as_given = rows.targets && rows.each_target && !rows.weights && width() == wide;  // the rows need no change
  // each thread takes the next group of rows until none is left
  std::atomic<long> next{0};
  on_threads(
      std::min<long>(threads, (rows.count + kArmRowsTogether - 1) / kArmRowsTogether),
      [&](long) {
        std::vector<double> targets(at(as_given ? 0 : kArmRowsTogether * wide)), measures(at(kArmRowsTogether * measured));
        std::vector<SolveResult> results(at(kArmRowsTogether));
        for (long first = next.fetch_add(kArmRowsTogether); first < rows.count; first = next.fetch_add(kArmRowsTogether)) {
          const long some = std::min(kArmRowsTogether, rows.count - first);
          const bool stopped = hooks.stopped();
          if (hooks.abandoned()) return;
          const double* wanted = as_given ? rows.targets + first * wide : targets.data();
          double* poses = answers.poses + first * nq();
          // targets and starts of the group
          for (long k = 0; k < some; ++k) {
            const long b = first + k;
            if (!as_given)
              whole_targets(rows.targets ? rows.targets + (rows.each_target ? b * width() : 0) : nullptr, rows.weights, targets.data() + k * wide);
            const double* start = rows.starts ? rows.starts + (rows.each_start ? b * nq() : 0) : nullptr;
            if (start)
              std::copy(start, start + nq(), poses + k * nq());
            else
              goals.start(wanted + k * wide, weights.data(), poses + k * nq());
          }
          if (stopped) {
            std::fill(answers.errors + first * this->goals(), answers.errors + (first + some) * this->goals(),
                      std::numeric_limits<double>::quiet_NaN());
            std::fill(answers.endings + first, answers.endings + first + some, Ending{3, 0, 0, -1});
            continue;
          }
          // solve it
          goals.solver().solve_arms(some, options, wanted, weights.data(), poses, measures.data(), results.data());
          goals.give_errors(measures.data(), answers.errors + first * this->goals(), some);
          for (long k = 0; k < some; ++k) {
            limits_.follow(poses + k * nq());
            answers.endings[first + k] = Ending{results[at(k)].status, results[at(k)].iterations, results[at(k)].starts, -1};
          }
        }
      },
      [&] { hooks.stopped(); });
  return true;
}

bool Query::solve_arm(const Ask& ask, const double* targets, ArmPlace& place, double* q, double* errors, Ending* ending) const {
  if (!arm_ || ask.restarts == 0 || ask.prefer || ask.settle) return false;
  const ArmSolver& arm = only_->solver().arm();
  ArmResult found;
  if (!arm.run(ask.most, ArmDraws{ask.seed, std::min(rounds_of(ask.restarts), 1), ask.host, ask.stopped}, targets, place, q, &found)) return false;
  double measures[2];
  arm.measure(found, measures);
  limits_.follow(q);
  only_->give_errors(measures, errors);
  *ending = Ending{0, found.iterations, found.starts, -1};
  return true;
}

Ending Query::run(const Ask& ask, bool near, bool strict, const double* targets, const double* weights, double* q, double* errors) const {
  if (strict && only_->levels() > 1) {
    const Found found = solve_levels(*only_, ask, q, targets, weights, ask.most);
    std::copy(found.pose.begin(), found.pose.end(), q);
    std::copy(found.errors.begin(), found.errors.end(), errors);
    return found.ending;
  }
  const SolveResult result = only_->solve(ask, ask.restarts, ask.most, near, targets, weights, q, errors);
  return Ending{result.status, result.iterations, result.starts, -1};
}

Ending Query::solve_plain(const Ask& ask, const double* targets, double* q, double* errors) const {
  const SolveResult result = only_->solve(ask, ask.restarts, ask.most, false, targets, description_.goal_weight.data(), q, errors);
  return Ending{result.status, result.iterations, result.starts, -1};
}

}  // namespace manikin
