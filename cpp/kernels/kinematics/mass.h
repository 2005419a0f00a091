// Centre of mass and its Jacobian, for a block.
#pragma once
#include "kernels/kinematics/jacobian.h"

namespace manikin {
namespace MANIKIN_ISA {

template <class V>
static inline void weighted_center(const Tree& tree, const Scratch<V>& work, int s, V* out) {
  const Frame<V>& f = work.frame[tree.segment_node[s]];
  rotate(f.r, tree.center + 3 * s, out);
  for (int k = 0; k < 3; ++k) out[k] = (out[k] + f.p[k]) * tree.mass_share[s];
}

template <class V>
static void center_of_mass_block(const Tree& tree, const Block<V>& q, double* out, const Scratch<V>& work) {
  forward(tree, q, tree.everything, tree.nodes, work);
  V sum[3] = {V{}, V{}, V{}};
  for (int s = 0; s < tree.segments; ++s) {
    V x[3];
    weighted_center(tree, work, s, x);
    for (int k = 0; k < 3; ++k) sum[k] += x[k];
  }
  for (int l = 0; l < q.full; ++l)
    for (int k = 0; k < 3; ++k) out[3 * l + k] = get(sum[k], l);
}

// A step moves all mass below its node: column = a x (moment of the subtree - share of the subtree * origin).
template <class V>
static void com_jacobian_block(const Tree& tree, const Block<V>& q, double* out, const Scratch<V>& work) {
  forward(tree, q, tree.everything, tree.nodes, work);
  V* moment = work.six;
  for (int i = 0; i < 3 * tree.nodes; ++i) moment[i] = V{};
  for (int s = 0; s < tree.segments; ++s) weighted_center(tree, work, s, moment + 3 * tree.segment_node[s]);
  const long stride = 3l * tree.nv;
  for (long k = 0; k < stride * q.full; ++k) out[k] = 0.0;
  for (int i = tree.nodes - 1; i >= 0; --i) {
    const Node& n = tree.node[i];
    const Frame<V>& f = work.frame[i];
    const double share = tree.subtree_share[i];
    for (int c = 0; c < step_count(n); ++c) {
      V axis[3], linear[3];
      world_axis(n, f, c, axis);
      if (n.op == kSlide) {
        for (int k = 0; k < 3; ++k) linear[k] = axis[k] * share;
      } else {
        const V arm[3] = {moment[3 * i] - share * f.p[0], moment[3 * i + 1] - share * f.p[1], moment[3 * i + 2] - share * f.p[2]};
        cross(axis, arm, linear);
      }
      for (int k = 0; k < 3; ++k) add(out + static_cast<long>(k) * tree.nv + n.step + c, stride, q.full, linear[k] * n.ratio);
    }
    if (n.parent >= 0)
      for (int k = 0; k < 3; ++k) moment[3 * n.parent + k] += moment[3 * i + k];
  }
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
