// The Jacobian of a point, for a block.
#pragma once
#include "kernels/kinematics/placements.h"

namespace manikin {
namespace MANIKIN_ISA {

// The world axis of a slide or turn, or of step c of a ball.
template <class V>
static inline void world_axis(const Node& n, const Frame<V>& f, int c, V* axis) {
  if (n.op == kBall) {
    for (int k = 0; k < 3; ++k) axis[k] = f.r[3 * k + c];
  } else {
    rotate(f.r, n.axis, axis);
  }
}

static inline int step_count(const Node& n) { return n.op == kFixed ? 0 : n.op == kBall ? 3 : 1; }

template <class V>
static inline void add(double* out, long stride, int full, const V& value) {
  for (int l = 0; l < full; ++l) out[l * stride] += get(value, l);
}

template <class V>
static void jacobian_block(const Tree& tree, const Block<V>& q, const Choice& choice, const double* point, double* out, const Scratch<V>& work) {
  forward(tree, q, choice.order, choice.order_count, work);
  const Frame<V>& end = work.frame[tree.segment_node[choice.segments[0]]];
  const long stride = 6l * tree.nv;
  for (long k = 0; k < stride * q.full; ++k) out[k] = 0.0;
  V x[3];
  rotate(end.r, point, x);
  for (int k = 0; k < 3; ++k) x[k] += end.p[k];
  for (int k = 0; k < choice.order_count; ++k) {
    const Node& n = tree.node[choice.order[k]];
    const Frame<V>& f = work.frame[choice.order[k]];
    for (int c = 0; c < step_count(n); ++c) {
      V axis[3], linear[3];
      world_axis(n, f, c, axis);
      for (int i = 0; i < 3; ++i) axis[i] = axis[i] * n.ratio;
      double* column = out + n.step + c;
      if (n.op == kSlide) {
        for (int i = 0; i < 3; ++i) add(column + static_cast<long>(i) * tree.nv, stride, q.full, axis[i]);
        continue;
      }
      const V arm[3] = {x[0] - f.p[0], x[1] - f.p[1], x[2] - f.p[2]};
      cross(axis, arm, linear);
      for (int i = 0; i < 3; ++i) {
        add(column + static_cast<long>(i) * tree.nv, stride, q.full, linear[i]);
        add(column + static_cast<long>(i + 3) * tree.nv, stride, q.full, axis[i]);
      }
    }
  }
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
