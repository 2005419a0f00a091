// The second-order term of the cost. It is exact for goals on points, for orientations, for relative positions and for distances that are too long
// (there separate rows represent the change of the direction, see pair_distance). Other goals keep Gauss-Newton's part. The Python version is
// reference/recursive.py.
//
// A goal pulls its segment with a wrench W. The gradient by coordinate j is s_j . W. A coordinate i further out does not move s_j, so that H_ji = s_j
// . dW[s_i]. Gauss-Newton's part of dW is in P. The rest is a torque: for a force f at the point p it is dp x f. It is added directly to U_i, so the
// sweeps cost no more. If goals are far out of reach, this term keeps a stretched limb from swinging, because Gauss-Newton's steps overshoot there.
#pragma once
#include "kernels/solver/evaluate/row_sink.h"

namespace manikin {
namespace MANIKIN_ISA {

// Under a turn w, the rotation vector e changes by J w. Computes J - 1, times the factor.
static void second_of_orientation(const Four& e, double angle, double factor, Second& b) {
  const double c = angle < 1e-3 ? 1.0 / 12.0 : (1.0 - 0.5 * angle / __builtin_tan(0.5 * angle)) / (angle * angle);
  for (int j = 0; j < 3; ++j) {
    Four unit = {0, 0, 0, 0};
    unit[j] = 1.0;
    const Four once = cross3(e, unit);
    b.turn[j] += (cross3(e, once) * c - once * 0.5) * factor;
  }
}

// A twist or wrench plus a torque and a force.
static Eight plus(const Eight& a, const Four& torque, const Four& force) {
  const double* n = a.n;
  return Eight{{n[0] + torque[0], n[1] + torque[1], n[2] + torque[2], n[3] + force[0], n[4] + force[1], n[5] + force[2], 0.0, 0.0}};
}

static void second_of_point(const PartState& s, const double* e, const Four& arm, Second& b) {
  Four f = {0, 0, 0, 0};
  for (int r = 0; r < s.rows; ++r) f += Four{s.row[r].n[3], s.row[r].n[4], s.row[r].n[5], 0.0} * (s.factor * e[r]);
  second_of_force(f, arm, b);
}

// Near its target the cost of an aim is that of  1 - u . d,  where u points from the effector to the target at a distance rho, and d is the axis. Its
// gradient by the position is  (1 - u u^T) d / rho,  by the direction -u. Its curvature beyond that of the rows is a torque, and a symmetric part
// that is added to the term of the rows. This is used only while settling, where aims are met.
static void second_of_aim(Work& w, const Part& part, const double* e, double factor, Second& b) {
  const Four x = effector(frame_of(w, part), part.offset), arm = x - w.center;
  const Four away = three(w.target + part.target) - x;
  const double rho = length3(away);
  if (!(rho > 1e-12)) return;
  const Four u = away * (1.0 / rho), off = cross3(three(e), u), d = u + off;  // for small errors e
  const double cosine = dot3(u, d);
  const auto across = [&](const Four& a) { return a - u * dot3(u, a); };
  second_of_force(across(d) * (factor / rho), arm, b);
  for (int j = 0; j < 3; ++j) {
    b.turn[j] -= off * (u[j] * factor);
    b.turn[j][j] -= (1.0 - cosine) * factor;
  }
  // with v the velocity of the effector and w its rotation:  v . A v + 2 v . B w,  B w = across(w x off) / rho
  Body& term = w.settle.curved[part.slot];
  for (int j = 0; j < 6; ++j) {
    Four turning = kNone, moving = kNone;  // of a unit twist
    if (j < 3) {
      turning[j] = 1.0;
      moving = cross3(turning, arm);
    } else {
      moving[j - 3] = 1.0;
    }
    const Four A = (d * dot3(u, moving) + u * dot3(d, moving) + moving * (cosine - 1.0) - u * ((3.0 * cosine - 1.0) * dot3(u, moving))) *
                   (1.0 / (rho * rho));
    const Four force = (A + across(cross3(turning, off)) * (1.0 / rho)) * (factor * w.settle.scale);
    const Four torque = cross3(off, across(moving)) * (factor * w.settle.scale / rho) + cross3(arm, force);
    term.P[j] = plus(term.P[j], torque, force);
  }
}

// A link between two points pulls them with forces f and -f.
static void second_of_link(Work& w, const Link& link, const LinkState& s) {
  if (!(s.weight > 0.0) || (link.kind != kRelativePosition && link.kind != kPairDistance)) return;
  const Frame& other = frame_at(w, link.node[1]);
  const Four x = effector(frame_at(w, link.node[0]), link.offset[0]);
  Four y = effector(other, link.offset[1]), f;
  if (link.kind == kRelativePosition) {
    const double* t = w.target + link.target;
    y += other.x * t[0] + other.y * t[1] + other.z * t[2];
    f = (x - y) * s.factor;
  } else {
    const Four apart = x - y;
    const double far = length3(apart), over = far - w.target[link.target];
    if (!(far > 1e-12) || (link.flags == 1 && over > 0.0) || (link.flags == 2 && over < 0.0)) return;
    f = apart * (s.factor * over / far);
  }
  auto coordinate = [&](int node) { return node < 0 ? -1 : w.problem->node_coordinate[node]; };
  const int a = coordinate(link.node[0]), b = coordinate(link.node[1]);
  if (a >= 0) second_of_force(f, x - w.center, w.second[a]);
  if (b >= 0) second_of_force(kNone - f, y - w.center, w.second[b]);
}

// Computes the terms of the parts again after `rows` of some of them has changed.
static void gather_again(Work& w) {
  const Problem& P = *w.problem;
  gather_terms(w, !w.limbs.taken);
  if (!w.settle.on) return;
  for (int k = 0; k < P.slots; ++k) w.settle.curved[k] = w.term[k];
  for (int k = 0; k < P.parts; ++k) {
    const Part& part = P.part[k];
    Second unused = {};
    if (part.kind == kAim && w.part[k].weight > 0.0 && part.coordinate >= 0) second_of_aim(w, part, w.settle.model + 4 * k, w.part[k].factor, unused);
  }
}

static void second_order(Work& w) {
  const Problem& P = *w.problem;
  if (w.settle.on) {  // the links have added their pull there already
    for (int k = 0; k < P.slots; ++k) w.settle.curved[k] = w.term[k];
  } else {
    for (int i = 0; i < P.coordinates; ++i) w.second[i] = Second{};
  }
  for (int k = 0; k < P.parts; ++k) {
    const Part& part = P.part[k];
    if (!(w.part[k].weight > 0.0) || part.coordinate < 0) continue;
    Second& b = w.second[part.coordinate];
    const PartState& s = w.part[k];
    const double* e = w.settle.on ? w.settle.model + 4 * k : s.e;
    if (part.kind == kAim) {
      if (w.settle.on) second_of_aim(w, part, e, s.factor, b);
    } else if (part.kind == kOrientation) {
      second_of_orientation(three(e), w.settle.on ? length3(three(e)) : s.measure, s.factor, b);
    } else {
      second_of_point(s, e, effector(frame_of(w, part), part.offset) - w.center, b);
    }
  }
  for (int k = 0; k < P.links; ++k) second_of_link(w, P.link[k], w.link[k]);
  for (int i = P.coordinates - 1; i >= 0; --i) {
    const Second& b = w.second[i];
    const double* s = w.axis[i].n;
    w.bend[i] = b.turn[0] * s[0] + b.turn[1] * s[1] + b.turn[2] * s[2] + cross3(Four{s[3], s[4], s[5], 0.0}, b.force);
    if (w.settle.on) w.bend[i] = w.bend[i] * w.settle.scale;
    const int parent = P.coordinate[i].parent;
    if (parent < 0) continue;
    Second& a = w.second[parent];
    a.force += b.force;
    for (int j = 0; j < 3; ++j) a.turn[j] += b.turn[j];
  }
}

// The amount that it adds to the promised cost after the step with twists v.
static double second_promised(const Work& w) {
  double sum = 0.0;
  for (int i = 0; i < w.problem->coordinates; ++i) {
    const int parent = w.problem->coordinate[i].parent;
    Four turning = *reinterpret_cast<const Four*>(w.axis[i].n) * w.step[i];
    if (parent >= 0) turning += *reinterpret_cast<const Four*>(w.v[parent].n) * 2.0;
    sum += w.step[i] * dot3(w.bend[i], turning);
  }
  return sum;
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
