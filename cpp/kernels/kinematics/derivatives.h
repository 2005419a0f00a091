// Products with the derivative of placements, from either side.
#pragma once
#include "kernels/kinematics/jacobian.h"

namespace manikin {
namespace MANIKIN_ISA {

// Angular velocity and velocity of the origin pass from parent to child.
template <class V>
static void jvp_block(const Tree& tree, const Block<V>& q, const Block<V>& v, double* out, const Scratch<V>& work) {
  forward(tree, q, tree.everything, tree.nodes, work);
  const long stride = 16l * tree.segments;
  for (int i = 0; i < tree.nodes; ++i) {
    const Node& n = tree.node[i];
    const Frame<V>& f = work.frame[i];
    V* spin = work.six + 6 * i;
    V* speed = spin + 3;
    for (int k = 0; k < 6; ++k) spin[k] = V{};
    if (n.parent >= 0) {
      const V* above = work.six + 6 * n.parent;
      const Frame<V>& parent = work.frame[n.parent];
      const V arm[3] = {f.p[0] - parent.p[0], f.p[1] - parent.p[1], f.p[2] - parent.p[2]};
      cross(above, arm, speed);
      for (int k = 0; k < 3; ++k) {
        spin[k] = above[k];
        speed[k] += above[3 + k];
      }
    }
    for (int c = 0; c < step_count(n); ++c) {
      V axis[3];
      world_axis(n, f, c, axis);
      const V rate = v.load(n.step + c) * n.ratio;
      V* moved = n.op == kSlide ? speed : spin;
      for (int k = 0; k < 3; ++k) moved[k] += axis[k] * rate;
    }
    if (n.segment < 0) continue;
    V turned[9];  // [spin]x R, column by column
    for (int c = 0; c < 3; ++c) {
      const V column[3] = {f.r[c], f.r[3 + c], f.r[6 + c]};
      V moved[3];
      cross(spin, column, moved);
      for (int k = 0; k < 3; ++k) turned[3 * k + c] = moved[k];
    }
    store_matrix(turned, speed, 0.0, out + 16 * n.segment, stride, q.full);
  }
}

// Cotangents act like torques and forces, which are summed from the tips to the root.
template <class V>
static void vjp_block(const Tree& tree, const Block<V>& q, const Block<V>& cotangent, double* out, const Scratch<V>& work) {
  forward(tree, q, tree.everything, tree.nodes, work);
  for (int i = 0; i < 6 * tree.nodes; ++i) work.six[i] = V{};
  for (int s = 0; s < tree.segments; ++s) {
    const Frame<V>& f = work.frame[tree.segment_node[s]];
    V* torque = work.six + 6 * tree.segment_node[s];
    for (int c = 0; c < 3; ++c) {
      const V column[3] = {f.r[c], f.r[3 + c], f.r[6 + c]};
      const V pull[3] = {cotangent.load(16 * s + c), cotangent.load(16 * s + 4 + c), cotangent.load(16 * s + 8 + c)};
      V moment[3];
      cross(column, pull, moment);
      for (int k = 0; k < 3; ++k) torque[k] += moment[k];
    }
    for (int k = 0; k < 3; ++k) torque[3 + k] += cotangent.load(16 * s + 4 * k + 3);
  }
  for (long k = 0; k < static_cast<long>(tree.nv) * q.full; ++k) out[k] = 0.0;
  for (int i = tree.nodes - 1; i >= 0; --i) {
    const Node& n = tree.node[i];
    const Frame<V>& f = work.frame[i];
    const V* torque = work.six + 6 * i;
    const V* force = torque + 3;
    for (int c = 0; c < step_count(n); ++c) {
      V axis[3];
      world_axis(n, f, c, axis);
      const V* felt = n.op == kSlide ? force : torque;
      add(out + n.step + c, tree.nv, q.full, (axis[0] * felt[0] + axis[1] * felt[1] + axis[2] * felt[2]) * n.ratio);
    }
    if (n.parent >= 0) {
      const Frame<V>& parent = work.frame[n.parent];
      V* above = work.six + 6 * n.parent;
      const V arm[3] = {f.p[0] - parent.p[0], f.p[1] - parent.p[1], f.p[2] - parent.p[2]};
      V moment[3];
      cross(arm, force, moment);
      for (int k = 0; k < 3; ++k) {
        above[k] += torque[k] + moment[k];
        above[3 + k] += force[k];
      }
    }
  }
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
