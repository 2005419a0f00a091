// Placements, Jacobians, centre of mass and their derivatives over lanes of poses.
//
// This file is compiled once for each instruction set, with MANIKIN_ISA as the name of the namespace, and includes no
// standard library (see lanes.h). The twin to read first is src/manikin/reference/kinematics.py.
#include "manikin/kernels.h"

namespace manikin {
namespace MANIKIN_ISA {

#include "lanes.h"
#include "kernels_math.h"

// World rotation (rows first) and origin of a node, in lanes.
template <class V>
struct Frame {
  V r[9];
  V p[3];
};

template <class V>
struct Scratch {
  Frame<V>* frame;  // (nodes)
  V* sine;          // (turn_count)
  V* cosine;        // (turn_count)
  V* six;           // (nodes, 6)

  Scratch(const Tree& tree, void* memory) {
    frame = static_cast<Frame<V>*>(memory);
    six = reinterpret_cast<V*>(frame + tree.nodes);
    sine = six + 6 * tree.nodes;
    cosine = sine + tree.turn_count + MANIKIN_LANES;  // room for a last, partly filled vector
  }
};

static long scratch_bytes(const Tree& tree) {
  return static_cast<long>(sizeof(Wide)) * (18l * tree.nodes + 2l * (tree.turn_count + MANIKIN_LANES));  // the most any needs
}

// The rows of a block: lane l reads pose l, and the last pose again where the block is not full.
template <class V>
struct Block {
  static constexpr int lanes = LanesOf<V>::count;
  const double* row[lanes];
  int full;  // lanes that hold a pose of their own

  Block(const double* values, long width, long first, long count) {
    full = static_cast<int>(count - first < lanes ? count - first : lanes);
    for (int l = 0; l < lanes; ++l) row[l] = values + width * (first + (l < full ? l : full - 1));
  }
  V load(long k) const {
    V x;
    for (int l = 0; l < lanes; ++l) set(x, l, row[l][k]);
    return x;
  }
};

template <>
inline double Block<double>::load(long k) const { return row[0][k]; }

// Sine and cosine of every turn, before anything else: one pose fills the lanes with its joints, a block with its poses.
static inline void all_sincos(const Tree& tree, const Block<double>& q, double* sine, double* cosine) {
  for (int k = 0; k < tree.turn_count; k += MANIKIN_LANES) {
    Wide x, s, c;
    for (int l = 0; l < MANIKIN_LANES; ++l) x[l] = k + l < tree.turn_count ? q.row[0][tree.turn_number[k + l]] : 0.0;
    sincos_lanes(x, s, c);
    *reinterpret_cast<WideUnaligned*>(sine + k) = s;
    *reinterpret_cast<WideUnaligned*>(cosine + k) = c;
  }
}

static inline void all_sincos(const Tree& tree, const Block<Wide>& q, Wide* sine, Wide* cosine) {
  for (int k = 0; k < tree.turn_count; ++k) sincos_lanes(q.load(tree.turn_number[k]), sine[k], cosine[k]);
}

// Placement of one node from that of its parent.
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

// A 4x4 matrix of each lane, rows first, `stride` doubles from one lane's to the next.
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
    for (int i = 0; i < 3; ++i) {  // a row of four lanes is transposed in registers and stored whole
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

#include "kernels_alone.h"

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
static void jacobian_block(const Tree& tree, const Block<V>& q, const Choice& choice, const double* point, double* out,
                           const Scratch<V>& work) {
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

// Runs a body over blocks of lanes; a single pose goes alone, through the same code on doubles.
template <class Body>
static inline void over_blocks(const Tree& tree, const Poses& poses, void* scratch, const Body& body) {
  if (poses.count == 1) {
    const Scratch<double> work(tree, scratch);
    body(Block<double>(poses.q, tree.nq, 0, 1), 0l, work);
    return;
  }
  const Scratch<Wide> work(tree, scratch);
  for (long first = 0; first < poses.count; first += MANIKIN_LANES)
    body(Block<Wide>(poses.q, tree.nq, first, poses.count), first, work);
}

static void placements(const Tree& tree, Poses poses, Choice choice, double* out, void* scratch) {
#if MANIKIN_LANES == 4
  if (poses.count == 1) {
    placements_alone(tree, poses.q, choice, out, scratch);
    return;
  }
#endif
  const long width = 16l * (choice.segments ? choice.segment_count : tree.segments);
  over_blocks(tree, poses, scratch, [&](const auto& q, long first, const auto& work) {
    placements_block(tree, q, choice, out + first * width, work);
  });
}

static void jacobian(const Tree& tree, Poses poses, Choice choice, const double* point, double* out, void* scratch) {
  over_blocks(tree, poses, scratch, [&](const auto& q, long first, const auto& work) {
    jacobian_block(tree, q, choice, point, out + first * 6 * tree.nv, work);
  });
}

static void center_of_mass(const Tree& tree, Poses poses, double* out, void* scratch) {
  over_blocks(tree, poses, scratch, [&](const auto& q, long first, const auto& work) {
    center_of_mass_block(tree, q, out + 3 * first, work);
  });
}

static void com_jacobian(const Tree& tree, Poses poses, double* out, void* scratch) {
  over_blocks(tree, poses, scratch, [&](const auto& q, long first, const auto& work) {
    com_jacobian_block(tree, q, out + first * 3 * tree.nv, work);
  });
}

template <class V>
static Block<V> beside(const Block<V>&, const double* values, long width, long first, long count) {
  return Block<V>(values, width, first, count);
}

static void jvp(const Tree& tree, Poses poses, const double* v, double* out, void* scratch) {
  over_blocks(tree, poses, scratch, [&](const auto& q, long first, const auto& work) {
    jvp_block(tree, q, beside(q, v, tree.nv, first, poses.count), out + first * 16 * tree.segments, work);
  });
}

static void vjp(const Tree& tree, Poses poses, const double* cotangent, double* out, void* scratch) {
  const long width = 16l * tree.segments;
  over_blocks(tree, poses, scratch, [&](const auto& q, long first, const auto& work) {
    vjp_block(tree, q, beside(q, cotangent, width, first, poses.count), out + first * tree.nv, work);
  });
}

#define MANIKIN_TEXT_(x) #x
#define MANIKIN_TEXT(x) MANIKIN_TEXT_(x)
static const Kernels kTable = {MANIKIN_TEXT(MANIKIN_ISA), MANIKIN_LANES, scratch_bytes, placements, jacobian,
                               center_of_mass, com_jacobian, jvp, vjp};

}  // namespace MANIKIN_ISA

#define MANIKIN_JOIN_(a, b) a##b
#define MANIKIN_JOIN(a, b) MANIKIN_JOIN_(a, b)
const Kernels& MANIKIN_JOIN(kernels_, MANIKIN_ISA)() { return MANIKIN_ISA::kTable; }

}  // namespace manikin
