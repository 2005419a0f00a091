// Goals that depend on several branches: relative placements, distances between effectors, poles. Each gives rows, and for each row the wrenches with
// which it acts on coordinates.
#pragma once
#include "kernels/solver/evaluate/row_sink.h"

namespace manikin {
namespace MANIKIN_ISA {

static void relative_position(RowSink& sink, const Link& link, LinkState& s) {
  const Work& w = sink.w;
  const double* t = w.target + link.target;
  const Frame &e = frame_at(w, link.node[1]), &f = frame_at(w, link.node[0]);
  const Four held = effector(e, link.offset[1]) + e.x * t[0] + e.y * t[1] + e.z * t[2];
  const Four x = effector(f, link.offset[0]), apart = x - held;
  s.measure = length3(apart);
  for (int k = 0; k < 3; ++k) {
    const int row = sink.open(apart[k], s.factor, false);
    sink.feel(row, link.node[0], x, kUnit[k], kNone);
    sink.feel(row, link.node[1], held, kNone - kUnit[k], kNone);
  }
}

// The rotation vector from the wanted rotation to the present one.
static inline Four relative_turn(const Work& w, const Link& link) {
  const Frame &e = frame_at(w, link.node[1]), &f = frame_at(w, link.node[0]);
  Frame turn, wanted;
  quaternion_columns(w.target + link.target, turn);
  const double r[9] = {turn.x[0], turn.y[0], turn.z[0], turn.x[1], turn.y[1], turn.z[1], turn.x[2], turn.y[2], turn.z[2]};
  times(e, r, wanted);
  return rotation_error(f, wanted);
}

static void relative_orientation(RowSink& sink, const Link& link, LinkState& s) {
  const Four phi = relative_turn(sink.w, link);
  s.measure = length3(phi);
  for (int k = 0; k < 3; ++k) {
    const int row = sink.open(phi[k], s.factor, false);
    sink.feel(row, link.node[0], kNone, kNone, kUnit[k]);
    sink.feel(row, link.node[1], kNone, kNone, kNone - kUnit[k]);
  }
}

static void pair_distance(RowSink& sink, const Link& link, LinkState& s) {
  const Work& w = sink.w;
  const Four x = effector(frame_at(w, link.node[0]), link.offset[0]), y = effector(frame_at(w, link.node[1]), link.offset[1]);
  const Four apart = x - y;
  const double far = length3(apart), over = far - w.target[link.target];
  const double sign = link.flags == 1 ? -1.0 : 1.0, value = sign * over;
  s.measure = link.flags ? (value > 0.0 ? value : 0.0) : __builtin_fabs(over);
  const Four u = (far > 1e-12 ? apart * (1.0 / far) : Four{0.5773502691896258, 0.5773502691896258, 0.5773502691896258, 0}) * sign;
  const int row = sink.open(value, s.factor, link.flags != 0);
  sink.feel(row, link.node[0], x, u, kNone);
  sink.feel(row, link.node[1], y, kNone - u, kNone);
  // The distance curves perpendicular to u. If it is too long, this curvature stabilises a stretched limb, in the second-order term only.
  if (!w.run.second_order || !sink.put || !(over > kCurved * far)) return;
  const Four side = cross3(u, kUnit[u[0] * u[0] < 0.5 ? 0 : 1]), v = side * (1.0 / length3(side)), across[2] = {v, cross3(u, v)};
  for (const Four& l : across) {
    const int extra = sink.open(0.0, s.factor * over / far, false);
    sink.feel(extra, link.node[0], x, l, kNone);
    sink.feel(extra, link.node[1], y, kNone - l, kNone);
  }
}

// Computes the angle about the line from root to tip between the middle joint and the pole, and its derivative with the pole fixed.
static void pole(RowSink& sink, const Link& link, LinkState& s) {
  const Work& w = sink.w;
  const Four a = effector(frame_at(w, link.node[0]), link.offset[0]), b = effector(frame_at(w, link.node[1]), link.offset[1]);
  const Four c = effector(frame_at(w, link.node[2]), link.offset[2]), q = three(w.target + link.target);
  const Four line = c - a;
  const double length = length3(line);
  s.measure = 0.0;
  if (length < 1e-9) return;
  const Four n = line * (1.0 / length), to_b = b - a, to_q = q - a;
  const Four across_b = to_b - n * dot3(n, to_b), across_q = to_q - n * dot3(n, to_q);
  const double rb = length3(across_b), rq = length3(across_q);
  if (rb < 1e-9 || rq < 1e-9) return;  // a stretched limb, or a pole on the line, has no side
  const double angle = __builtin_atan2(dot3(n, cross3(across_q, across_b)), dot3(across_q, across_b));
  s.measure = __builtin_fabs(angle);
  const int row = sink.open(angle, s.factor, false);
  // d angle = (n x across_b)/rb^2 . (db - db_line) - the same of the pole; a point p of the line moves with (1-t) da + t dc
  const Four kb = cross3(n, across_b) * (1.0 / (rb * rb)), kq = cross3(n, across_q) * (1.0 / (rq * rq));
  const double tb = dot3(n, to_b) / length, tq = dot3(n, to_q) / length;
  sink.feel(row, link.node[1], b, kb, kNone);
  sink.feel(row, link.node[0], a, kq * (1.0 - tq) - kb * (1.0 - tb), kNone);
  sink.feel(row, link.node[2], c, kq * tq - kb * tb, kNone);
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
