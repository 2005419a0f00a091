// Which of two poses misses less if both miss: goals of a higher priority count first.
//
//   S_l = sum of w (|e| / tolerance)^2   over the goals of level l that are not within their tolerance
//
// Two poses are compared level by level, the first level first. Relative differences below a thousandth count as equal.
#pragma once
#include <vector>

#include "solve/query/combination.h"

namespace manikin {

// Whether `other` misses less than `one`: errors (goals) with the members of each, weights (goals).
bool misses_less(const std::vector<double>& weights, const Combination& one, const std::vector<double>& errors, const Combination& other,
                 const std::vector<double>& other_errors);

}  // namespace manikin
