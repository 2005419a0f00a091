// Finds joints of three hinges, which count by their rotation in a frame of a track.
#include <algorithm>
#include <cmath>
#include <vector>

#include "compile/compiled_problem.h"
#include "compile/constants.h"
#include "math/index.h"
#include "model/tree.h"

namespace manikin {
namespace {

// Which other triple of angles gives the same rotation, for three hinges without limits about axes a, b and c.
OtherTriple other_triple(const double* a, const double* b, const double* c) {
  const auto along = [](const double* u, const double* v) { return std::fabs(u[0] * v[0] + u[1] * v[1] + u[2] * v[2]); };
  if (!(along(a, b) < kSquareAxes && along(b, c) < kSquareAxes)) return kNoOther;
  return along(a, c) < kSquareAxes ? kThreeAxes : along(a, c) > 1.0 - kSquareAxes ? kSameAxis : kNoOther;
}

}  // namespace

// Finds joints of three hinges that all move independently, with nothing between them.
void CompiledProblem::add_triples(const ProblemArrays& a) {
  std::vector<int> of_number(at(a.tree.nq) + 1, -1);  // coordinates of hinges
  for (const Numbered& n : numbered_)
    if (nodes_[at(coordinates_[at(n.coordinate)].node)].op == kTurning) of_number[at(n.number)] = n.coordinate;
  for (int m = 0; m + 2 < a.tree.nq; ++m) {
    Triple t{{of_number[at(m)], of_number[at(m + 1)], of_number[at(m + 2)]}, kNoOther};
    bool triple = t.coordinate[0] >= 0 && nodes_[at(coordinates_[at(t.coordinate[0])].node)].source < 0;
    for (int k = 1; k < 3 && triple; ++k) {
      triple = t.coordinate[k] >= 0 && a.joint[m + k] == a.joint[m] && coordinates_[at(t.coordinate[k])].parent == t.coordinate[k - 1];
      if (!triple) break;
      const SolverNode& n = nodes_[at(coordinates_[at(t.coordinate[k])].node)];
      triple = n.plain && n.source < 0 && n.parent == coordinates_[at(t.coordinate[k - 1])].node && n.offset[0] == 0.0 && n.offset[1] == 0.0 &&
               n.offset[2] == 0.0;
    }
    if (!triple) continue;
    const auto axis = [&](int k) { return nodes_[at(coordinates_[at(t.coordinate[k])].node)].axis; };
    const bool endless = std::all_of(t.coordinate, t.coordinate + 3, [&](int i) {
      const Coordinate& c = coordinates_[at(i)];
      return std::isinf(c.lower) && std::isinf(c.upper);
    });
    if (endless) t.other = other_triple(axis(0), axis(1), axis(2));
    triples_.push_back(t);
  }
  problem_.triples = static_cast<int>(triples_.size());
  problem_.triple = triples_.data();
}

// Finds the same among the joints without influence on any goal. The hinges of one joint are at one place.
void CompiledProblem::join_unfelt(const ProblemArrays& a) {
  for (std::size_t i = 0; i + 2 < unfelt_.size(); ++i) {
    UnfeltJoint* three = &unfelt_[i];
    const bool triple = std::all_of(three, three + 3, [&](const UnfeltJoint& joint) {
      const long k = &joint - three;
      return turns(joint.kind) && joint.number == three->number + k && a.joint[joint.number] == a.joint[three->number];
    });
    if (!triple) continue;
    const bool endless = std::all_of(three, three + 3, [](const UnfeltJoint& joint) { return std::isinf(joint.lower) && std::isinf(joint.upper); });
    three->together = 3;
    if (endless) three->other = other_triple(three[0].axis, three[1].axis, three[2].axis);
    i += 2;
  }
}

}  // namespace manikin
