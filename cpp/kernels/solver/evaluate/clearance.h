// Keeps solids apart. The Python versions are goals/clearance.py and kinematics/capsules.py. Boxes are in boxes.h.
#pragma once
#include "kernels/solver/evaluate/boxes.h"
#include "kernels/solver/evaluate/row_sink.h"

namespace manikin {
namespace MANIKIN_ISA {

// Finds the s and t in [-1, 1] at which c + s u and d + t v are nearest: inside the square, or on one of its four edges.
static void nearest_on_lines(const Four& c, const Four& u, const Four& d, const Four& v, double& s, double& t) {
  const Four w = c - d;
  const double A = dot3(u, u), E = dot3(v, v), B = dot3(u, v), C = dot3(u, w), F = dot3(v, w);
  const double determinant = A * E - B * B;
  const bool parallel = determinant <= 1e-14 * A * E;
  const double over_A = A > 0.0 ? 1.0 / A : 0.0, over_E = E > 0.0 ? 1.0 / E : 0.0;
  const double up = within_one((B - C) * over_A), down = within_one((-B - C) * over_A);
  double s0, t0;
  if (parallel) {  // the middle of the overlapping stretch
    s0 = 0.5 * (up + down);
    t0 = within_one((F + B * s0) * over_E);
  } else {
    s0 = (B * F - E * C) / determinant;
    t0 = (A * F - B * C) / determinant;
  }
  const double ss[5] = {s0, 1.0, -1.0, up, down}, ts[5] = {t0, within_one((F + B) * over_E), within_one((F - B) * over_E), 1.0, -1.0};
  double least = __builtin_inf();
  for (int k = 0; k < 5; ++k) {
    double square = ss[k] * (ss[k] * A + 2.0 * (C - ts[k] * B)) + ts[k] * (ts[k] * E - 2.0 * F);
    if (k == 0) {
      if (__builtin_fabs(s0) > 1.0 || __builtin_fabs(t0) > 1.0) continue;
      square -= 8.9e-16 * (A + E + dot3(w, w));  // prefers the inside in a tie
    }
    if (square < least) {
      least = square;
      s = ss[k];
      t = ts[k];
    }
  }
}

// A unit vector perpendicular to both lines, on the side of `toward`: the direction out where two lines cross.
static Four way_out(const Four& u, const Four& v, const Four& toward) {
  Four n = cross3(u, v);
  if (dot3(n, n) <= 1e-28 * dot3(u, u) * dot3(v, v)) {
    const Four line = dot3(u, u) > 0.0 ? u : v;
    const double square = dot3(line, line);
    n = square > 0.0 ? toward - line * (dot3(line, toward) / square) : toward;
    if (!(dot3(n, n) > 1e-20 * (square + dot3(toward, toward)))) {
      const Four helper = __builtin_fabs(line[0]) <= __builtin_fabs(line[1]) && __builtin_fabs(line[0]) <= __builtin_fabs(line[2]) ? Four{1, 0, 0, 0}
                          : __builtin_fabs(line[1]) <= __builtin_fabs(line[2])                                                     ? Four{0, 1, 0, 0}
                                                                                                                                   : Four{0, 0, 1, 0};
      n = square > 0.0 ? cross3(line, helper) : Four{0.5773502691896258, 0.5773502691896258, 0.5773502691896258, 0};
    }
  }
  if (dot3(n, toward) < 0.0) n = kNone - n;
  return n * (1.0 / length3(n));
}

namespace {  // so that no method becomes a symbol that another instruction set could use

// The kMostNear worst of the pairs that are near each other.
struct Nearest {
  Near* all;
  int count = 0, least = 0;
  double value[kMostNear];  // of all of them

  void keep(const Near& one) {
    if (count < kMostNear) {
      value[count] = one.value;
      all[count++] = one;
      if (count == kMostNear) find_least();
    } else if (one.value > value[least]) {
      value[least] = one.value;
      all[least] = one;
      find_least();
    }
  }
  void find_least() {
    least = 0;
    for (int k = 1; k < count; ++k)
      if (value[k] < value[least]) least = k;
  }
};

}  // namespace

// The distance of a pair in which the second solid is a box.
static Near near_box(const Work& w, const Apart& pair, const Solid& a, const Solid& b) {
  auto core = [&](int k, const Solid& solid) {
    const Four* more = w.solid_edge + solid.more;
    return solid.more < 0 ? core_of(w.solid_center[k], w.solid_edge[k], kNone, kNone, false)
                          : core_of(w.solid_center[k], w.solid_edge[k], more[0], more[1], true);
  };
  Four n = kNone, x, y;
  const double apart = box_distance(core(pair.a, a), core(pair.b, b), n, x, y);
  return Near{pair.margin - (apart - a.radius), a.node, b.node, 0, n, x + n * a.radius, y, 0.0};
}

// Opens the row of a pair.
static void apart_row(RowSink& sink, const Near& near, double factor) {
  const int row = sink.open(near.value, factor, true);
  sink.feel(row, near.node_a, near.on_a, near.n, kNone);
  sink.feel(row, near.node_b, near.on_b, kNone - near.n, kNone);
}

// Whether the sphere around a solid is too far from a box: a cheap bound, because the sphere around a table is large.
static bool far_from_box(const Work& w, const Apart& pair, const Solid& a, const Solid& b) {
  const Four between = w.solid_center[pair.a] - w.solid_center[pair.b];
  const Four edges[3] = {w.solid_edge[pair.b], w.solid_edge[b.more], w.solid_edge[b.more + 1]};
  double square = 0.0;
  for (const Four& edge : edges) {
    const double length = dot3(edge, edge), beyond = __builtin_fabs(dot3(between, edge)) - length;
    if (beyond > 0.0 && length > 0.0) square += beyond * beyond / length;
  }
  const double bound = kClearanceNearby + pair.margin + a.extent;
  return bound > 0.0 && square > kSurelyFar * bound * bound;
}

// Whether two capsules are too far apart along the line through their centres: a cheap bound. It is not inlined, because its products would change how
// those of nearest_on_lines are fused.
__attribute__((noinline)) static bool far_along(const Four& between, const Four& u, const Four& v, double bound) {
  const double square = dot3(between, between), gap = square - __builtin_fabs(dot3(u, between)) - __builtin_fabs(dot3(v, between));
  return bound > 0.0 && gap > 0.0 && gap * gap > kSurelyFar * bound * bound * square;
}

// Computes how near a pair is. Returns whether the two are near each other.
static bool look_at(const Work& w, int which, Near& near) {
  const Problem& P = *w.problem;
  const Apart& pair = P.apart[which];
  const Solid &a = P.solid[pair.a], &b = P.solid[pair.b];
  if (b.more >= 0) {
    if (far_from_box(w, pair, a, b)) return false;
    near = near_box(w, pair, a, b);
    near.pair = which;
    return near.value > -kClearanceNearby;
  }
  const Four u = w.solid_edge[pair.a], v = w.solid_edge[pair.b];
  const Four between = w.solid_center[pair.b] - w.solid_center[pair.a];
  if (far_along(between, u, v, kClearanceNearby + pair.margin + a.radius + b.radius)) return false;
  double at_a = 0.0, at_b = 0.0;
  nearest_on_lines(w.solid_center[pair.a], u, w.solid_center[pair.b], v, at_a, at_b);
  const Four x = w.solid_center[pair.a] + u * at_a, y = w.solid_center[pair.b] + v * at_b, away = y - x;
  const double apart = length3(away), value = pair.margin - (apart - a.radius - b.radius);
  if (value <= -kClearanceNearby) return false;
  const Four n = apart > 1e-10 * (a.extent + b.extent) ? away * (1.0 / apart) : way_out(u, v, between);
  near = Near{value, a.node, b.node, which, n, x + n * a.radius, y - n * b.radius, 0.0};
  return true;
}

// Places the solids of a clearance.
static void place_solids(Work& w, const Link& link) {
  const Problem& P = *w.problem;
  for (int k = link.first[0]; k < link.first[0] + link.count[0]; ++k) {
    const Solid& solid = P.solid[k];
    const Frame& f = frame_at(w, solid.node);
    auto turned = [&](const double* edge) { return f.x * edge[0] + f.y * edge[1] + f.z * edge[2]; };
    w.solid_center[k] = effector(f, solid.center);
    for (int j = 0; j < 3; ++j) w.solid_at[j][k] = w.solid_center[k][j];
    w.solid_edge[k] = turned(solid.edge[0]);
    if (solid.more < 0) continue;
    w.solid_edge[solid.more] = turned(solid.edge[1]);
    w.solid_edge[solid.more + 1] = turned(solid.edge[2]);
  }
}

// Finds the places of a fan whose enclosing spheres are near each other, and puts them into w.close; returns how many there are.
static int close_of(Work& w, const Fan& fan) {
  const Four a = w.solid_center[fan.a];
  const double *x = w.solid_at[0] + fan.b, *y = w.solid_at[1] + fan.b, *z = w.solid_at[2] + fan.b, *reach = w.problem->reach + fan.first;
  int* const close = w.close;
  int count = 0;
  for (int j = 0; j < fan.count; j += 4) {
    const Four dx = four(x + j) - a[0], dy = four(y + j) - a[1], dz = four(z + j) - a[2];
    int lanes = 15 ^ lanes_of(dx * dx + dy * dy + dz * dz >= four(reach + j));  // also if it is NaN
    for (; lanes != 0; lanes &= lanes - 1) close[count++] = fan.first + j + __builtin_ctz(static_cast<unsigned>(lanes));
  }
  return count;
}

// Finds the pairs that are near each other, and puts them into w.near. Returns false as soon as the sum of the squares of overlaps is surely above
// `enough`.
static bool find_near(Work& w, const Link& link, double enough) {
  const Problem& P = *w.problem;
  w.near_of = nullptr;  // until all are found
  place_solids(w, link);
  const double surely = kSurelyMore * enough;
  double overlaps = 0.0;
  Near near;
  // the pairs that overlapped last are likely to overlap again
  for (int k = 0; surely < __builtin_inf() && k < w.touches; ++k) {
    const int pair = w.touching[k];
    if (pair < link.first[1] || pair >= link.first[1] + link.count[1]) continue;
    if (look_at(w, pair, near) && near.value > 0.0) overlaps += near.value * near.value;
    if (overlaps > surely) return false;
  }
  overlaps = 0.0;
  int counted = 0;  // at most the kMostNear worst count in the cost
  Nearest nearest;
  nearest.all = w.near;
  const auto keep = [&] {
    nearest.keep(near);
    if (near.value > 0.0 && counted++ < kMostNear) overlaps += near.value * near.value;
    return !(overlaps > surely);
  };
  // all pairs of solids that may be near, and the points above half-spaces
  const int end = link.first[1] + link.count[1], fans = link.count[1] > 0 ? P.apart[end - 1].fan + 1 : 0;
  for (int k = fans > 0 ? P.apart[link.first[1]].fan : 0; k < fans; ++k) {
    const Fan& fan = P.fan[k];
    const int close = close_of(w, fan);
    for (int j = 0; j < close; ++j) {
      const int pair = P.pair_at[w.close[j]];
      if (pair >= 0 && look_at(w, pair, near) && !keep()) return false;
    }
  }
  for (int k = link.first[2]; k < link.first[2] + link.count[2]; ++k) {  // the half-space is a, and does not move
    const Corner& c = P.corner[k];
    const Four n = three(c.normal), x = effector(frame_at(w, c.node), c.point);
    near = Near{c.margin - (dot3(n, x) - c.level - c.radius), -1, c.node, -1, n, x, x - n * c.radius, 0.0};
    if (near.value > -kClearanceNearby && !keep()) return false;
  }
  // what the next look begins with
  w.near_count = nearest.count;
  w.near_of = &link;
  w.touches = 0;
  for (int k = 0; k < nearest.count; ++k)
    if (nearest.value[k] > 0.0 && w.near[k].pair >= 0) w.touching[w.touches++] = w.near[k].pair;
  return true;
}

// Ends with any cost above `enough` once the cost is surely above it.
static void clearance(RowSink& sink, const Link& link, LinkState& s, double enough) {
  Work& w = sink.w;
  if (w.near_of != &link && !find_near(w, link, enough / s.factor)) {  // otherwise they are those of the present frames
    sink.cost = __builtin_inf();
    return;
  }
  s.measure = 0.0;
  for (int k = 0; k < w.near_count; ++k) {
    const Near& near = w.near[k];
    if (near.value > s.measure) s.measure = near.value;
    if (!sink.put || w.settle.on || near.value > -kClearanceSoon) {
      apart_row(sink, near, s.factor);
    } else {
      w.waiting[w.waits] = near;
      w.waiting[w.waits++].factor = s.factor;
    }
  }
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
