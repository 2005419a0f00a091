// Balance: the centre of mass above the hull of the contacts.
#pragma once
#include "kernels/solver/evaluate/row_sink.h"

namespace manikin {
namespace MANIKIN_ISA {

struct Ground {
  double u, v;
};

// Finds the corners of the convex hull, counter-clockwise, as indices (Andrew's monotone chain): two for a line, one for a point.
static int hull(const Ground* p, int count, int* corners) {
  int order[kMostContacts] = {};
  for (int i = 0; i < count; ++i) {  // insertion sort, since there are few
    int k = i;
    for (; k > 0 && (p[order[k - 1]].u > p[i].u || (p[order[k - 1]].u == p[i].u && p[order[k - 1]].v > p[i].v)); --k) order[k] = order[k - 1];
    order[k] = i;
  }
  double low = p[0].v, high = p[0].v;
  for (int i = 1; i < count; ++i) {
    low = p[i].v < low ? p[i].v : low;
    high = p[i].v > high ? p[i].v : high;
  }
  const double wide = p[order[count - 1]].u - p[order[0]].u, extent = wide > high - low ? wide : high - low;
  corners[0] = order[0];
  if (extent == 0.0) return 1;
  const double least = 1e-12 * extent * extent;
  int total = 0;
  for (int side = 0; side < 2; ++side) {
    const int base = total;
    for (int i = 0; i < count; ++i) {
      const int next = order[side == 0 ? i : count - 1 - i];
      while (total - base >= 2) {
        const Ground &a = p[corners[total - 2]], &b = p[corners[total - 1]], &c = p[next];
        if ((b.u - a.u) * (c.v - a.v) - (b.v - a.v) * (c.u - a.u) > least) break;
        --total;
      }
      corners[total++] = next;
    }
    --total;  // the last of one side is the first of the other
  }
  return total;
}

// Computes the centre of mass, in sizes; with `put` also the moments of the mass that coordinates carry.
static Four center_of_mass(Work& w, bool put) {
  const Problem& P = *w.problem;
  Four center = kNone;
  if (put)
    for (int i = 0; i < P.coordinates; ++i) w.moment[i] = kNone;
  for (int k = 0; k < P.masses; ++k) {
    const Weighted& m = P.mass[k];
    const Four x = effector(frame_at(w, m.node), m.point);
    center += x * m.share;
    const int c = P.node_coordinate[m.node];
    if (!put || c < 0) continue;
    Four arm = x - w.center;
    arm[3] = 1.0;
    w.moment[c] += arm * m.share;
  }
  return center;
}

static void balance(RowSink& sink, const Link& link, LinkState& s) {
  const Work& w = sink.w;
  const Problem& P = *w.problem;
  // contacts and centre of mass on the ground
  const Four center = center_of_mass(sink.w, sink.put);
  Four contact[kMostContacts];
  const int i1 = (link.flags + 1) % 3, i2 = (link.flags + 2) % 3;
  Ground p[kMostContacts] = {};
  const Weighted* own = P.contact + link.first[0];
  for (int k = 0; k < link.count[0]; ++k) {
    contact[k] = effector(frame_at(w, own[k].node), own[k].point);
    p[k] = Ground{contact[k][i1], contact[k][i2]};
  }
  const Ground c = {center[i1], center[i2]};
  // corners of the support
  int corners[2 * kMostContacts];
  const int count = hull(p, link.count[0], corners);
  s.measure = 0.0;
  auto on_ground = [&](double u, double v) {
    Four d = kNone;
    d[i1] = u;
    d[i2] = v;
    return d;
  };
  // a row along (nu, nv) at the centre of mass, and along others at contacts i and j
  auto add = [&](double value, double nu, double nv, int i, double iu, double iv, int j, double ju, double jv) {
    value += link.margin;
    if (value > s.measure) s.measure = value;
    const int row = sink.open(value, s.factor, true);
    if (row < 0) return;
    sink.feel_mass(row, on_ground(nu, nv));
    sink.feel(row, own[i].node, contact[i], on_ground(iu, iv), kNone);
    sink.feel(row, own[j].node, contact[j], on_ground(ju, jv), kNone);
  };
  // rows: one support point, or the distance from each edge
  if (count == 1) {
    const int i = corners[0];
    const double axes[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    for (const auto& n : axes) add(n[0] * (c.u - p[i].u) + n[1] * (c.v - p[i].v), n[0], n[1], i, -n[0], -n[1], i, 0, 0);
    return;
  }
  for (int k = 0; k < count; ++k) {
    const int i = corners[k], j = corners[(k + 1) % count];
    const double du = p[j].u - p[i].u, dv = p[j].v - p[i].v, length = __builtin_sqrt(du * du + dv * dv);
    const double tu = du / length, tv = dv / length, nu = tv, nv = -tu;  // along the edge, outward
    const double t = (tu * (c.u - p[i].u) + tv * (c.v - p[i].v)) / length;
    add(nu * (c.u - p[i].u) + nv * (c.v - p[i].v), nu, nv, i, (t - 1) * nu, (t - 1) * nv, j, -t * nu, -t * nv);
    if (count == 2) {  // on a line: each end gets a cap
      const double g = (nu * (c.u - p[j].u) + nv * (c.v - p[j].v)) / length;
      add(tu * (c.u - p[j].u) + tv * (c.v - p[j].v), tu, tv, j, g * nu - tu, g * nv - tv, i, -g * nu, -g * nv);
    }
  }
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
