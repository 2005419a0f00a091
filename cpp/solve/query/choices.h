// The members that can meet the goals of a description. Each choice of members is a combination, which is compiled when it is first used.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "solve/query/ask.h"
#include "solve/query/combination.h"
#include "solve/description/description.h"
#include "solve/limits.h"

namespace manikin {

// A complete row: its targets and weights include those of closed loops.
struct WholeRow {
  const double* start;          // (nq), or null
  std::vector<double> targets;  // (target_width)
  std::vector<double> weights;  // (goals)
};

class Choices {
 public:
  using Shared = std::shared_ptr<const Combination>;

  Choices(const Description& description, const Limits& limits);  // borrows both

  // Goals with several members.
  const std::vector<int>& any_of() const { return any_of_; }
  // The first member of every goal. Without alternatives, this is the only combination.
  const Shared& first() const { return first_; }
  Shared combination(const std::vector<int>& members) const;
  // Returns the member of each goal that is nearest at the start of a row, in units of its tolerance; only with alternatives.
  std::vector<int> nearest(const Ask& ask, const WholeRow& row) const;
  // Returns the combinations of members to try, the nearest at the start first.
  std::vector<std::vector<int>> candidates(const Ask& ask, const WholeRow& row) const;
  // Returns the distance of the chosen AnyOf members (or of those in `asked`) at their start: the sum of their errors in units of tolerance.
  double far_off(const Ask& ask, const std::vector<int>& members, const WholeRow& row, std::vector<double>& start,
                 const std::vector<int>* asked = nullptr) const;
  // Writes the start of a row to q (nq).
  void start_of(const Combination& goals, const WholeRow& row, double* q) const;

 private:
  const Description& description_;
  const Limits& limits_;
  std::vector<int> first_member_;  // (goals)
  std::vector<int> any_of_;
  Shared first_;
  std::unique_ptr<Combination> everything_;  // every member as a goal, to compute their distances; only with alternatives
  std::unique_ptr<Description> members_alone_;
  mutable std::mutex lock_;
  mutable std::vector<Shared> compiled_;  // combinations in use
};

}  // namespace manikin
