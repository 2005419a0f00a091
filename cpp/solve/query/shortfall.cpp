#include "solve/query/shortfall.h"

#include <algorithm>
#include <cmath>

#include "solve/constants.h"

namespace manikin {
namespace {

double shortfall(int level, const std::vector<double>& weights, const Combination& goals, const std::vector<double>& errors) {
  double sum = 0.0;
  for (std::size_t g = 0; g < errors.size(); ++g) {
    if (goals.level(static_cast<int>(g)) != level) continue;
    const double ratio = std::min(errors[g] / goals.tolerances()[g], kLargestRatio);
    if (ratio > 1.0) sum += weights[g] * ratio * ratio;
  }
  return sum;
}

}  // namespace

bool misses_less(const std::vector<double>& weights, const Combination& one, const std::vector<double>& errors, const Combination& other,
                 const std::vector<double>& other_errors) {
  for (int level = 0; level < one.levels(); ++level) {
    const double a = shortfall(level, weights, one, errors), b = shortfall(level, weights, other, other_errors);
    const double margin = kSameShortfall * std::max(a, b);
    if (b < a - margin) return true;
    if (!(std::fabs(a - b) <= margin)) return false;
  }
  return false;
}

}  // namespace manikin
