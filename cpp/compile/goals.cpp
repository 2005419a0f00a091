// Compiles the parts of goals, and postures.
#include <limits>
#include <vector>

#include "compile/compiled_problem.h"
#include "compile/constants.h"
#include "math/mat3.h"
#include "model/require.h"

namespace manikin {
// Sets the scale of a target that is a length.
void CompiledProblem::scale_target(int k) {
  target_scale_[at(k)] = 1.0 / problem_.size;
  target_most_[at(k)] = kFarthest;
}

void CompiledProblem::add_parts(const ProblemArrays& a, const std::vector<int>& place) {
  target_scale_.assign(at(a.target_width), 1.0);
  target_most_.assign(at(a.target_width), kInfinity);
  bool robust = false;
  for (long k = 0; k < a.parts; ++k) {
    Part p{};
    p.kind = a.part_kind[k];
    require(p.kind >= 0 && p.kind < kPartKinds, "kind of goal out of range");
    const PartFacts& facts = kParts[p.kind];
    p.goal = a.part_goal[k];
    require(p.goal >= 0 && p.goal < a.goals, "goal index out of range");
    p.target = a.part_target[k];
    p.flags = a.part_flags[k];
    require(p.flags >= 0 && p.flags <= facts.flags, "flags of a goal out of range");
    int width = facts.width;
    if (p.kind == kPosition) width = (p.flags & 1) + (p.flags >> 1 & 1) + (p.flags >> 2 & 1);
    require(p.target >= 0 && p.target + width <= a.target_width, "target of a goal out of range");
    for (int j = 0; j < facts.lengths[p.flags != 0] && j < width; ++j) scale_target(p.target + j);
    p.node = place[at(a.tree.segment[a.part_segment[k]])];
    p.coordinate = node_coordinate_[at(p.node)];
    p.slot = p.coordinate >= 0 ? coordinate_slot_[at(p.coordinate)] : -1;
    for (int j = 0; j < 3; ++j) {
      p.offset[j] = a.part_offset[3 * k + j] / a.size;
      p.axis[j] = a.part_axis[3 * k + j];
    }
    const bool angle = is_angle(p);
    p.tolerance = a.part_tolerance[k] / (angle ? 1.0 : a.size);
    p.share = a.part_share[k];
    if (is_one_sided(p)) side_.push_back(static_cast<int>(k));
    parts_.push_back(p);
    robust_.push_back(Robust{a.part_loss[k], a.part_scale[k] / (angle ? 1.0 : a.size)});
    if (a.part_loss[k] != kNoLoss) robust = true;
  }
  problem_.robust = robust ? robust_.data() : nullptr;
}

void CompiledProblem::add_postures(const ProblemArrays& a, const std::vector<int>& place) {
  const std::size_t wide = coordinates_.size(), count = static_cast<std::size_t>(a.postures);
  stiffness_.assign(count * wide, 0.0);
  for (std::size_t p = 0; p < count; ++p) {
    const int goal = a.posture_goal[p], target = a.posture_target[p];
    require(goal >= 0 && goal < a.goals, "goal index out of range");
    require(target >= 0 && target + a.tree.nq <= a.target_width, "target of a posture out of range");
    const double* given = a.posture_stiffness + p * static_cast<std::size_t>(a.tree.nv);
    for (int i = 0; i < a.tree.nodes; ++i) {
      const int me = place[at(i)];
      if (me < 0 || nodes_[at(me)].number < 0 || a.tree.source[i] >= 0) continue;
      const SolverNode& n = nodes_[at(me)];
      if (n.coordinate < 0) {
        still_.push_back(StillJoint{me, given[a.tree.step[i]] * n.unit * n.unit});
        continue;
      }
      const int steps = n.op == kCone || n.op == kLoose ? 3 : 1;
      for (int k = 0; k < steps; ++k) stiffness_[p * wide + at(n.coordinate + k)] = given[a.tree.step[i] + k] * n.unit * n.unit;
    }
    postures_.push_back(Posture{goal, target, a.posture_tolerance[p], nullptr, 0, nullptr});
  }
  const std::size_t still = count ? still_.size() / count : 0;  // the same joints for each posture
  for (std::size_t p = 0; p < count; ++p) {
    postures_[p].stiffness = stiffness_.data() + p * wide;
    postures_[p].still = static_cast<int>(still);
    postures_[p].still_joint = still_.data() + p * still;
  }
  problem_.postures = static_cast<int>(count);
  problem_.posture = postures_.data();
}

}  // namespace manikin
