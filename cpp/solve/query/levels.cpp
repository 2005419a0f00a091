#include "solve/query/levels.h"

#include <algorithm>
#include <cmath>

#include "math/index.h"
#include "solve/constants.h"

namespace manikin {
namespace {

// Divides the weights by the heaviest one if that is below 1, so that weights of 0.001 are solved like weights of 1. Closed loops keep theirs.
std::vector<double> related(const Combination& goals, const double* weights) {
  std::vector<double> out(weights, weights + goals.goals());
  const auto end = out.begin() + goals.own_goals();
  const double heaviest = end == out.begin() ? 0.0 : *std::max_element(out.begin(), end);
  if (heaviest > 0.0 && heaviest < 1.0) std::transform(out.begin(), end, out.begin(), [&](double weight) { return weight / heaviest; });
  return out;
}

// One row while it goes through the stages.
class Row {
 public:
  Row(const Combination& goals, const Ask& ask, const double* targets, const double* weights, int most)
      : goals_(goals), ask_(ask), targets_(targets), weights_(related(goals, weights)), most_(most) {}

  Found solve(const double* start) {
    calm(start, weights_, 1, goals_.levels() - 1);
    if (!(ask_.restarts != 0 && posture_last() && two_stages(start, 0))) two_stages(start, ask_.restarts);
    if (misses(goals_.levels() - 2)) again(kSpareStage);
    if (misses(goals_.levels() - 2)) one_by_one(start);
    return std::move(best_);
  }

 private:
  std::vector<double> staged(const std::vector<double>& weights, double factor) const {
    std::vector<double> out(weights);
    for (int g = 0; g < goals_.goals(); ++g) out[at(g)] *= level_factor(goals_.level(g), goals_.levels(), factor);
    return out;
  }

  // Runs a solve with the remaining iterations of the row and counts the used ones.
  Found run(const double* start, const std::vector<double>& weights, int restarts, bool near) {
    Found out{std::vector<double>(start, start + goals_.nq()), std::vector<double>(at(goals_.goals())), {}};
    const int most = std::min(std::max(most_ - used_, 0),
                              kUsableIterations + (restarts < 0 ? kUsableRestarts : std::min(restarts, 1 << 20)) * kUsableIterationsARestart);
    const SolveResult result = goals_.solve(ask_, restarts, most, near, targets_, weights.data(), out.pose.data(), out.errors.data());
    used_ += result.iterations;
    starts_ += result.starts;
    out.ending = Ending{result.status, used_, starts_, -1};
    return out;
  }

  // Whether the lowest level has only postures.
  bool posture_last() const {
    for (int g = 0; g < goals_.goals(); ++g)
      if (goals_.level(g) == goals_.levels() - 1 && !goals_.is_posture(g)) return false;
    return true;
  }

  // Runs two stages from a start. Returns whether the levels above the lowest are met. If the lowest level has only postures, they are then at the
  // minimum that the levels above allow, and other starts would only find another minimum.
  bool two_stages(const double* start, int restarts) {
    best_ = run(start, staged(weights_, kFirstStage), restarts, false);
    if (best_.ending.status != 0) again(kSecondStage);
    return !misses(goals_.levels() - 2);
  }

  // Continues from the best pose with other level factors.
  void again(double factor) { best_ = run(best_.pose.data(), staged(weights_, factor), 0, true); }

  // Whether a goal of this level or of a higher priority is missed.
  bool misses(int last_level) const { return !kept(best_.errors, last_level); }

  bool kept(const std::vector<double>& errors, int last_level) const {
    for (int g = 0; g < goals_.goals(); ++g)
      if (goals_.level(g) <= last_level && weights_[at(g)] > 0.0 && errors[at(g)] > goals_.tolerances()[at(g)]) return false;
    return true;
  }

  // Limits the pull of goals of some levels to that of a goal of weight 1 at a distance of one size. The ratios within a level stay the same. Without
  // this, heavy goals or distant targets would pull the levels above off their targets.
  void calm(const double* pose, std::vector<double>& weights, int first_level, int last_level) {
    std::vector<double> errors(weights.size());
    goals_.errors_at(ask_, targets_, weights.data(), pose, errors.data());
    for (int level = first_level; level <= last_level; ++level) {
      double pull = 1.0;
      for (int g = 0; g < goals_.goals(); ++g)
        if (goals_.level(g) == level) pull = std::max(pull, weights[at(g)] * errors[at(g)] * goals_.in_sizes(g));
      for (int g = 0; g < goals_.goals(); ++g)
        if (goals_.level(g) == level) weights[at(g)] /= pull;
    }
  }

  // Solves level after level, the first with restarts.
  void one_by_one(const double* start) {
    const int last = goals_.levels() - 1;
    std::vector<double> calmed(weights_), pose(start, start + goals_.nq());
    Found alone;
    bool met = false;
    for (int level = 0; level <= last; ++level) {
      if (level > 0) calm(pose.data(), calmed, level, level);
      std::vector<double> ranked(calmed);
      for (int g = 0; g < goals_.goals(); ++g)
        ranked[at(g)] *= goals_.level(g) <= level ? level_factor(goals_.level(g), level + 1, kSecondStage) : 0.0;
      Found found = run(pose.data(), ranked, level == 0 ? ask_.restarts : 0, level > 0);
      pose = found.pose;
      if (level == last) break;
      met = kept(found.errors, level);
      alone = std::move(found);
    }
    Found other = run(pose.data(), staged(calmed, kSpareStage), 0, true);
    if (kept(other.errors, last - 1)) best_ = std::move(other);
    hold();
    if (met && misses(last - 1)) {  // the pose that the levels above found alone
      best_.pose = alone.pose;
      best_.ending.status = measure(best_.pose.data(), best_.errors);
    }
    best_.ending.iterations = used_;
    best_.ending.starts = starts_;
  }

  // Computes the errors of all goals at a pose, and returns the resulting status.
  int measure(const double* pose, std::vector<double>& errors) const {
    return goals_.errors_at(ask_, targets_, weights_.data(), pose, errors.data()).status;
  }

  // If an upper level misses, moves the pose until that level is met, without the levels below. Repeats this with fewer levels while one misses.
  void hold() {
    for (int cut = goals_.levels() - 2; cut >= 0 && misses(cut); --cut) {
      std::vector<double> above = staged(weights_, kSecondStage);
      for (int g = 0; g < goals_.goals(); ++g)
        if (goals_.level(g) > cut) above[at(g)] = 0.0;
      Found found = run(best_.pose.data(), above, 0, true);
      if (!kept(found.errors, cut)) continue;
      const int status = best_.ending.status, measured = measure(found.pose.data(), found.errors);
      best_.pose = std::move(found.pose);
      best_.errors = std::move(found.errors);
      best_.ending.status = measured == 0 ? 0 : status;
    }
  }

  const Combination& goals_;
  const Ask& ask_;
  const double* targets_;
  std::vector<double> weights_;
  int most_, used_ = 0, starts_ = 0;
  Found best_;
};

}  // namespace

double level_factor(int level, int levels, double factor) {
  const int most = std::min(levels - 1, static_cast<int>(std::log(kWidestLevels) / std::log(factor)));
  return std::pow(factor, std::max(most - level, 0));
}

void level_weights(const Combination& goals, const double* weights, double* out) {
  if (goals.levels() == 1) {
    std::copy(weights, weights + goals.goals(), out);
    return;
  }
  const std::vector<double> own = related(goals, weights);
  for (int g = 0; g < goals.goals(); ++g) out[g] = own[at(g)] * level_factor(goals.level(g), goals.levels(), kSecondStage);
}

Found solve_levels(const Combination& goals, const Ask& ask, const double* start, const double* targets, const double* weights, int most) {
  return Row(goals, ask, targets, weights, most).solve(start);
}

}  // namespace manikin
