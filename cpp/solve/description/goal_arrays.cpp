#include "solve/description/goal_arrays.h"

#include <type_traits>

#include "math/index.h"
#include "model/goals.h"

namespace manikin {
namespace {

const std::vector<int>& array_of(const NamedArrays& block, const char* name, int) { return block.ints(name); }
const std::vector<double>& array_of(const NamedArrays& block, const char* name, double) { return block.doubles(name); }
const std::vector<int>& array_of(const NamedArrays& block, const char* name, int, std::size_t count) { return block.ints(name, count); }
const std::vector<double>& array_of(const NamedArrays& block, const char* name, double, std::size_t count) { return block.doubles(name, count); }

}  // namespace

void GoalArrays::read(const NamedArrays& block, int nv) {
  std::size_t rows[kGoalGroups] = {};
  bool counted[kGoalGroups] = {};
#define X(type, name, group, width)                                                                 \
  if (!counted[group]) rows[group] = array_of(block, #name, type{}).size() / at(width ? width : 1); \
  counted[group] = true;                                                                            \
  name = array_of(block, #name, type{}, rows[group] * at(width ? width : nv));
  MANIKIN_GOAL_ARRAYS(X)
#undef X
}

template <GoalRows kGroup>
void GoalArrays::take(const GoalArrays& from, std::size_t first, std::size_t count, int nv) {
#define X(type, name, group, width)                                                         \
  if (group == kGroup) {                                                                    \
    const auto row = from.name.begin() + static_cast<long>(first * at(width ? width : nv)); \
    name.insert(name.end(), row, row + static_cast<long>(count * at(width ? width : nv)));  \
  }
  MANIKIN_GOAL_ARRAYS(X)
#undef X
}

GoalArrays GoalArrays::chosen(const std::vector<int>& goal, int nv) const {
  GoalArrays out;
  for (std::size_t k = 0; k < part_kind.size(); ++k) {
    const int g = goal[at(part_member[k])];
    if (g < 0) continue;
    out.take<kPartRows>(*this, k, 1, nv);
    out.part_member.back() = g;
  }
  std::size_t solid = 0, apart = 0, corner = 0, contact = 0, effector = 0, called = 0;
  for (std::size_t k = 0; k < link_kind.size(); ++k) {
    const int g = goal[at(link_member[k])], kind = link_kind[k];
    const std::size_t count[3] = {at(link_counts[3 * k]), at(link_counts[3 * k + 1]), at(link_counts[3 * k + 2])};
    if (g >= 0) {
      out.take<kLinkRows>(*this, k, 1, nv);
      out.link_member.back() = g;
    }
    const auto next = [&](auto rows, std::size_t& first, std::size_t some) {  // the rows that belong to this link
      if (g >= 0) out.take<decltype(rows)::value>(*this, first, some, nv);
      first += some;
    };
    if (kind == kClearance) {
      next(std::integral_constant<GoalRows, kSolidRows>{}, solid, count[0]);
      next(std::integral_constant<GoalRows, kApartRows>{}, apart, count[1]);
      next(std::integral_constant<GoalRows, kCornerRows>{}, corner, count[2]);
    } else if (kind == kBalance) {
      next(std::integral_constant<GoalRows, kContactRows>{}, contact, count[0]);
    } else if (kind == kCallback) {
      next(std::integral_constant<GoalRows, kEffectorRows>{}, effector, count[0]);
      next(std::integral_constant<GoalRows, kCalledRows>{}, called, count[1]);
    }
  }
  for (std::size_t k = 0; k < posture_member.size(); ++k) {
    const int g = goal[at(posture_member[k])];
    if (g < 0) continue;
    out.take<kPostureRows>(*this, k, 1, nv);
    out.posture_member.back() = g;
  }
  return out;
}

}  // namespace manikin
