#include "solve/query/choices.h"

#include <algorithm>
#include <numeric>

#include "math/index.h"
#include "solve/constants.h"

namespace manikin {
namespace {

// Returns a description in which every member is a separate goal, all of one level.
std::unique_ptr<Description> alone(const Description& d) {
  auto out = std::make_unique<Description>(d);
  out->goals = static_cast<int>(d.member_goal.size());
  out->own_goals = out->goals;
  out->own_width = d.target_width;
  out->goal_level.assign(d.member_goal.size(), 0);
  out->goal_members.assign(d.member_goal.size(), 1);
  out->goal_weight.assign(d.member_goal.size(), 1.0);
  out->goal_name.assign(d.member_goal.size(), "");
  out->member_share.assign(d.member_goal.size(), 1.0);
  for (std::size_t m = 0; m < d.member_goal.size(); ++m) out->member_goal[m] = static_cast<int>(m);
  out->has_heading = false;
  return out;
}

}  // namespace

Choices::Choices(const Description& description, const Limits& limits) : description_(description), limits_(limits) {
  int first = 0;
  for (int g = 0; g < description_.goals; ++g) {
    first_member_.push_back(first);
    if (description_.goal_members[at(g)] > 1) any_of_.push_back(g);
    first += description_.goal_members[at(g)];
  }
  first_ = std::make_shared<const Combination>(description_, limits_, std::vector<int>(at(description_.goals), 0));
  if (any_of_.empty()) return;
  compiled_.push_back(first_);
  members_alone_ = alone(description_);
  everything_ = std::make_unique<Combination>(*members_alone_, limits_, std::vector<int>(description_.member_goal.size(), 0));
}

Choices::Shared Choices::combination(const std::vector<int>& members) const {
  if (any_of_.empty()) return first_;
  const std::lock_guard<std::mutex> guard(lock_);
  for (const Shared& one : compiled_)
    if (one->members() == members) return one;
  if (compiled_.size() >= kMostCombinations) compiled_.clear();
  compiled_.push_back(std::make_shared<const Combination>(description_, limits_, members));
  return compiled_.back();
}

// Returns the distance of the chosen AnyOf members (or of those in `asked`) at their start: the sum of their errors in units of tolerance.
double Choices::far_off(const Ask& ask, const std::vector<int>& members, const WholeRow& row, std::vector<double>& start,
                        const std::vector<int>* asked) const {
  const std::size_t all = description_.member_goal.size();
  start.resize(at(description_.nq));
  if (row.start)
    std::copy(row.start, row.start + description_.nq, start.begin());
  else if (description_.has_heading)
    start_of(*combination(members), row, start.data());
  else
    std::copy(description_.rest.begin(), description_.rest.end(), start.begin());
  std::vector<double> weights(all, 1.0), errors(all);
  everything_->errors_at(ask, row.targets.data(), weights.data(), start.data(), errors.data());
  double far = 0.0;
  for (const int g : asked ? *asked : any_of_) {
    if (!(row.weights[at(g)] > 0.0)) continue;
    const std::size_t m = at(first_member_[at(g)] + members[at(g)]);
    far += errors[m] / description_.member_tolerance[m];
  }
  return far;
}

std::vector<int> Choices::nearest(const Ask& ask, const WholeRow& row) const {
  std::vector<int> members(at(description_.goals), 0);
  std::vector<double> weights(description_.member_goal.size()), errors(weights.size());
  for (std::size_t m = 0; m < weights.size(); ++m) weights[m] = row.weights[at(description_.member_goal[m])] > 0.0 ? 1.0 : 0.0;
  everything_->errors_at(ask, row.targets.data(), weights.data(), row.start, errors.data());
  for (const int g : any_of_) {
    const std::size_t first = at(first_member_[at(g)]);
    const auto far = [&](int k) { return errors[first + at(k)] / description_.member_tolerance[first + at(k)]; };
    for (int k = 1; k < description_.goal_members[at(g)]; ++k)
      if (far(k) < far(members[at(g)])) members[at(g)] = k;
  }
  return members;
}

// Returns the combinations of members to try, the nearest at the start first.
std::vector<std::vector<int>> Choices::candidates(const Ask& ask, const WholeRow& row) const {
  std::vector<std::vector<int>> order(at(description_.goals), std::vector<int>{0});
  std::size_t count = 1;
  std::vector<double> start;
  // all members of each AnyOf
  for (const int g : any_of_) {
    std::vector<int>& places = order[at(g)];
    places.resize(at(description_.goal_members[at(g)]));
    std::iota(places.begin(), places.end(), 0);
    count *= std::min(places.size(), kMostCombinations);
    count = std::min(count, kMostCombinations + 1);
  }
  if (count > kMostCombinations) {  // too many: only the nearest members are combined
    for (const int g : any_of_) {
      std::vector<double> far;
      for (const int place : order[at(g)]) {
        std::vector<int> members(at(description_.goals), 0);
        members[at(g)] = place;
        far.push_back(far_off(ask, members, row, start));
      }
      std::stable_sort(order[at(g)].begin(), order[at(g)].end(), [&](int a, int b) { return far[at(a)] < far[at(b)]; });
    }
  }
  // combinations, counted like digits
  std::vector<std::vector<int>> out;
  std::vector<std::size_t> digit(at(description_.goals), 0);
  for (bool more = true; more && out.size() < kMostCombinations;) {
    std::vector<int> members(at(description_.goals));
    for (std::size_t g = 0; g < members.size(); ++g) members[g] = order[g][digit[g]];
    out.push_back(std::move(members));
    more = false;
    for (std::size_t g = digit.size(); g-- > 0 && !more;) {
      more = ++digit[g] < order[g].size();
      if (!more) digit[g] = 0;
    }
  }
  // the nearest first
  std::vector<double> far;
  for (const auto& members : out) far.push_back(far_off(ask, members, row, start));
  std::vector<std::size_t> by_far(out.size());
  std::iota(by_far.begin(), by_far.end(), 0);
  std::stable_sort(by_far.begin(), by_far.end(), [&](std::size_t a, std::size_t b) { return far[a] < far[b]; });
  std::vector<std::vector<int>> sorted;
  for (const std::size_t k : by_far) sorted.push_back(out[k]);
  return sorted;
}

void Choices::start_of(const Combination& goals, const WholeRow& row, double* q) const {
  if (row.start) {
    std::copy(row.start, row.start + description_.nq, q);
    return;
  }
  std::vector<double> weights(row.weights.size());
  goals.weigh(row.weights.data(), weights.data());
  goals.start(row.targets.data(), weights.data(), q);
}

}  // namespace manikin
