// The members that the goals of a description can be met by: every choice of them is a combination, compiled when it is first used.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "solve/ask.h"
#include "solve/combination.h"
#include "solve/description.h"
#include "solve/limits.h"

namespace manikin {

// What is asked of one row, complete: the targets and weights of closed loops are among them.
struct WholeRow {
  const double* start;          // (nq), or none
  std::vector<double> targets;  // (target_width)
  std::vector<double> weights;  // (goals)
};

class Choices {
 public:
  using Shared = std::shared_ptr<const Combination>;

  Choices(const Description& description, const Limits& limits);  // borrows both

  // Goals with several members.
  const std::vector<int>& any_of() const { return any_of_; }
  // The first member of every goal; where there is nothing to choose, the only combination.
  const Shared& first() const { return first_; }
  Shared combination(const std::vector<int>& members) const;
  // The combinations of members to try, the nearest at the start first.
  std::vector<std::vector<int>> candidates(const Ask& ask, const WholeRow& row) const;
  // How far the chosen members of AnyOf goals (or of those that are asked for) are at the start that goes with them: the sum of their
  // errors in units of tolerance.
  double far_off(const Ask& ask, const std::vector<int>& members, const WholeRow& row, std::vector<double>& start,
                 const std::vector<int>* asked = nullptr) const;
  // q (nq): where a row begins.
  void start_of(const Combination& goals, const WholeRow& row, double* q) const;

 private:
  const Description& description_;
  const Limits& limits_;
  std::vector<int> first_member_;  // (goals)
  std::vector<int> any_of_;
  Shared first_;
  std::unique_ptr<Combination> everything_;  // every member a goal, to see how far each is; where there is something to choose
  std::unique_ptr<Description> members_alone_;
  mutable std::mutex lock_;
  mutable std::vector<Shared> compiled_;  // combinations that were asked for
};

}  // namespace manikin
