// Blocks of poses that are computed together, one in each lane, and their work memory.
#pragma once
#include "math/lanes.h"
#include "model/tree.h"

namespace manikin {
namespace MANIKIN_ISA {

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
  return static_cast<long>(sizeof(Wide)) * (18l * tree.nodes + 2l * (tree.turn_count + MANIKIN_LANES));  // the most that any kernel needs
}

// The rows of a block. Lane l reads pose l; if the block is not full, the other lanes read the last pose again.
template <class V>
struct Block {
  static constexpr int lanes = LanesOf<V>::count;
  const double* row[lanes];
  int full;  // number of lanes with a separate pose

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
inline double Block<double>::load(long k) const {
  return row[0][k];
}

// Computes sine and cosine of every turn first. A single pose fills the lanes with its joints, a block with its poses.
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

}  // namespace MANIKIN_ISA
}  // namespace manikin
