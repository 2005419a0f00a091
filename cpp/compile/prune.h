// Which nodes of a figure a problem needs, and in which order.
#pragma once
#include <vector>

#include "model/arrays.h"

namespace manikin {

// Marks nodes above a goal (1), and nodes that are only above mass that a balance goal uses (2).
std::vector<char> felt(const ProblemArrays& a);

// Returns the nodes of the problem, breadth-first. Neighbours in the loops then belong to different limbs and overlap in the pipeline.
std::vector<int> breadth_first(const ProblemArrays& a, const std::vector<char>& needed);

}  // namespace manikin
