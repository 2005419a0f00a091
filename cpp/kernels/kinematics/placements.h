// Forward kinematics of a block.
#pragma once
#include "kernels/kinematics/block.h"
#include "kernels/kinematics/table.h"
#include "math/rotations.h"

namespace manikin {
namespace MANIKIN_ISA {

// Computes the placement of one node from that of its parent.
template <class V>
static inline void place(const Node& n, const Block<V>& q, const Scratch<V>& work, Frame<V>& f) {
  if (n.parent < 0) {
    for (int k = 0; k < 9; ++k) f.r[k] = splat<V>(n.rotation[k]);
    for (int k = 0; k < 3; ++k) f.p[k] = splat<V>(n.offset[k]);
  } else {
    const Frame<V>& parent = work.frame[n.parent];
    V moved[3];
    rotate(parent.r, n.offset, moved);
    for (int k = 0; k < 3; ++k) f.p[k] = parent.p[k] + moved[k];
    if (n.rotated) {
      multiply(parent.r, n.rotation, f.r);
    } else {
      for (int k = 0; k < 9; ++k) f.r[k] = parent.r[k];
    }
  }
  switch (n.op) {
    case kSlide: {
      V along[3];
      rotate(f.r, n.axis, along);
      const V x = q.load(n.number);
      for (int k = 0; k < 3; ++k) f.p[k] += along[k] * x;
      break;
    }
    case kTurn: {
      V turn[9];
      axis_turn(n.axis, work.sine[n.turn], work.cosine[n.turn], turn);
      turn_by(f.r, turn);
      break;
    }
    case kTurnX: turn_columns(f.r, 1, 2, work.sine[n.turn], work.cosine[n.turn]); break;
    case kTurnY: turn_columns(f.r, 2, 0, work.sine[n.turn], work.cosine[n.turn]); break;
    case kTurnZ: turn_columns(f.r, 0, 1, work.sine[n.turn], work.cosine[n.turn]); break;
    case kBall: {
      V turn[9];
      quaternion_turn(q.load(n.number), q.load(n.number + 1), q.load(n.number + 2), q.load(n.number + 3), turn);
      turn_by(f.r, turn);
      break;
    }
    default: break;
  }
}

template <class V>
static inline void forward(const Tree& tree, const Block<V>& q, const int* order, int count, const Scratch<V>& work) {
  all_sincos(tree, q, work.sine, work.cosine);
  for (int k = 0; k < count; ++k) place(tree.node[order[k]], q, work, work.frame[order[k]]);
}

// Stores a 4x4 matrix for each lane, rows first, with `stride` doubles between lanes.
static inline void store_matrix(const double* r, const double* p, double corner, double* out, long, int) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) out[4 * i + j] = r[3 * i + j];
    out[4 * i + 3] = p[i];
    out[12 + i] = 0.0;
  }
  out[15] = corner;
}

static inline void store_matrix(const Wide* r, const Wide* p, double corner, double* out, long stride, int full) {
#if MANIKIN_LANES == 4
  if (full == 4) {
    for (int i = 0; i < 3; ++i) {  // a row of four lanes is transposed in registers and stored at once
      const Wide a = r[3 * i], b = r[3 * i + 1], c = r[3 * i + 2], d = p[i];
      const Wide ab0 = arranged<0, 4, 2, 6>(a, b), ab1 = arranged<1, 5, 3, 7>(a, b);
      const Wide cd0 = arranged<0, 4, 2, 6>(c, d), cd1 = arranged<1, 5, 3, 7>(c, d);
      *reinterpret_cast<WideUnaligned*>(out + 4 * i) = arranged<0, 1, 4, 5>(ab0, cd0);
      *reinterpret_cast<WideUnaligned*>(out + stride + 4 * i) = arranged<0, 1, 4, 5>(ab1, cd1);
      *reinterpret_cast<WideUnaligned*>(out + 2 * stride + 4 * i) = arranged<2, 3, 6, 7>(ab0, cd0);
      *reinterpret_cast<WideUnaligned*>(out + 3 * stride + 4 * i) = arranged<2, 3, 6, 7>(ab1, cd1);
    }
    for (int l = 0; l < 4; ++l) *reinterpret_cast<WideUnaligned*>(out + l * stride + 12) = Wide{0.0, 0.0, 0.0, corner};
    return;
  }
#endif
  for (int l = 0; l < full; ++l) {
    double one_r[9], one_p[3];
    for (int k = 0; k < 9; ++k) one_r[k] = r[k][l];
    for (int k = 0; k < 3; ++k) one_p[k] = p[k][l];
    store_matrix(one_r, one_p, corner, out + l * stride, 0, 1);
  }
}

template <class V>
static void placements_block(const Tree& tree, const Block<V>& q, const Choice& choice, double* out, const Scratch<V>& work) {
  all_sincos(tree, q, work.sine, work.cosine);
  const long stride = 16l * (choice.segments ? choice.segment_count : tree.segments);
  if (choice.segments) {
    for (int k = 0; k < choice.order_count; ++k) place(tree.node[choice.order[k]], q, work, work.frame[choice.order[k]]);
    for (int s = 0; s < choice.segment_count; ++s) {
      const Frame<V>& f = work.frame[tree.segment_node[choice.segments[s]]];
      store_matrix(f.r, f.p, 1.0, out + 16 * s, stride, q.full);
    }
    return;
  }
  for (int i = 0; i < tree.nodes; ++i) {  // stored while it is still in registers
    const Node& n = tree.node[i];
    Frame<V>& f = work.frame[i];
    place(n, q, work, f);
    if (n.segment >= 0) store_matrix(f.r, f.p, 1.0, out + 16 * n.segment, stride, q.full);
  }
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
