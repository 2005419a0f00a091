// Placements of a single pose.
#pragma once
#include "kernels/kinematics/placements.h"

namespace manikin {
namespace MANIKIN_ISA {

#if MANIKIN_LANES == 4
// A single pose. The four columns of a placement (three axes, origin) are separate vectors, so that a product takes nine operations instead of
// thirty-six. This is used only if a register holds four numbers; otherwise plain doubles are faster.
struct Columns {
  Wide x, y, z, p;
};

static inline void place_alone(const Node& n, const double* q, const double* sine, const double* cosine, const Columns* all, Columns& f) {
  // the frame before the joint moves: of the parent, with offset and rotation
  if (n.parent < 0) {
    const double* r = n.rotation;
    f = Columns{Wide{r[0], r[3], r[6], 0.0}, Wide{r[1], r[4], r[7], 0.0}, Wide{r[2], r[5], r[8], 0.0},
                Wide{n.offset[0], n.offset[1], n.offset[2], 1.0}};
  } else {
    const Columns& a = all[n.parent];
    f.p = a.p + a.x * n.offset[0] + a.y * n.offset[1] + a.z * n.offset[2];
    if (n.rotated) {
      const double* r = n.rotation;
      f.x = a.x * r[0] + a.y * r[3] + a.z * r[6];
      f.y = a.x * r[1] + a.y * r[4] + a.z * r[7];
      f.z = a.x * r[2] + a.y * r[5] + a.z * r[8];
    } else {
      f.x = a.x;
      f.y = a.y;
      f.z = a.z;
    }
  }
  // the joint's motion
  const Wide x = f.x, y = f.y, z = f.z;
  switch (n.op) {
    case kSlide: f.p += (x * n.axis[0] + y * n.axis[1] + z * n.axis[2]) * q[n.number]; break;
    case kTurnX: {
      const double s = sine[n.turn], c = cosine[n.turn];
      f.y = c * y + s * z;
      f.z = c * z - s * y;
      break;
    }
    case kTurnY: {
      const double s = sine[n.turn], c = cosine[n.turn];
      f.z = c * z + s * x;
      f.x = c * x - s * z;
      break;
    }
    case kTurnZ: {
      const double s = sine[n.turn], c = cosine[n.turn];
      f.x = c * x + s * y;
      f.y = c * y - s * x;
      break;
    }
    case kTurn:
    case kBall: {
      double turn[9];
      if (n.op == kTurn) {
        axis_turn(n.axis, sine[n.turn], cosine[n.turn], turn);
      } else {
        quaternion_turn(q[n.number], q[n.number + 1], q[n.number + 2], q[n.number + 3], turn);
      }
      f.x = x * turn[0] + y * turn[3] + z * turn[6];
      f.y = x * turn[1] + y * turn[4] + z * turn[7];
      f.z = x * turn[2] + y * turn[5] + z * turn[8];
      break;
    }
    default: break;
  }
}

static inline void store_columns(const Columns& f, double* out) {
  const Wide xy0 = arranged<0, 4, 2, 6>(f.x, f.y), xy1 = arranged<1, 5, 3, 7>(f.x, f.y);
  const Wide zp0 = arranged<0, 4, 2, 6>(f.z, f.p), zp1 = arranged<1, 5, 3, 7>(f.z, f.p);
  *reinterpret_cast<WideUnaligned*>(out) = arranged<0, 1, 4, 5>(xy0, zp0);
  *reinterpret_cast<WideUnaligned*>(out + 4) = arranged<0, 1, 4, 5>(xy1, zp1);
  *reinterpret_cast<WideUnaligned*>(out + 8) = arranged<2, 3, 6, 7>(xy0, zp0);
  *reinterpret_cast<WideUnaligned*>(out + 12) = arranged<2, 3, 6, 7>(xy1, zp1);
}

static void placements_alone(const Tree& tree, const double* q, const Choice& choice, double* out, void* scratch) {
  Columns* all = static_cast<Columns*>(scratch);
  double* sine = reinterpret_cast<double*>(all + tree.nodes);
  double* cosine = sine + tree.turn_count + MANIKIN_LANES;
  all_sincos(tree, Block<double>(q, tree.nq, 0, 1), sine, cosine);
  if (choice.segments) {
    for (int k = 0; k < choice.order_count; ++k) place_alone(tree.node[choice.order[k]], q, sine, cosine, all, all[choice.order[k]]);
    for (int s = 0; s < choice.segment_count; ++s) store_columns(all[tree.segment_node[choice.segments[s]]], out + 16 * s);
    return;
  }
  for (int i = 0; i < tree.nodes; ++i) {
    const Node& n = tree.node[i];
    place_alone(n, q, sine, cosine, all, all[i]);
    if (n.segment >= 0) store_columns(all[i], out + 16 * n.segment);
  }
}

#endif

}  // namespace MANIKIN_ISA
}  // namespace manikin
