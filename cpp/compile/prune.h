// Which nodes of a figure a problem needs, and in which order.
#pragma once
#include <vector>

#include "model/arrays.h"

namespace manikin {

// Which nodes are above a goal (1), or only above mass that a balance goal feels (2).
std::vector<char> felt(const ProblemArrays& a);

// The nodes of the problem, breadth-first: neighbours in the loops then belong to different limbs and overlap in the pipeline.
std::vector<int> breadth_first(const ProblemArrays& a, const std::vector<char>& needed);

}  // namespace manikin
