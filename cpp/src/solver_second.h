// The second-order term of the cost, exact for goals on points, for orientations, for relative positions and for distances
// that are too long (the direction's own change is rows of its own there, see pair_distance); other goals keep Gauss-Newton's
// part.
// Its twin is reference/recursive.py. Included by solver.cpp only.
//
// A goal pulls its segment with a wrench W. The gradient by coordinate j is s_j . W, and a coordinate i further out does not
// move s_j, so that H_ji = s_j . dW[s_i]. Gauss-Newton's part of dW is in P; what is left is a torque, of a force f at the
// point p it is dp x f. It adds to U_i as it stands, and so costs the sweeps nothing. Where goals are far out of reach it is
// what keeps a stretched limb from swinging: Gauss-Newton's steps overshoot there.
#pragma once

// The rotation vector e of a turn changes by J w under a turn w: J less one, times the factor.
static void second_of_orientation(const PartState& s, Second& b) {
  const Four e = three(s.e);
  const double angle = s.measure;
  const double c = angle < 1e-3 ? 1.0 / 12.0 : (1.0 - 0.5 * angle / __builtin_tan(0.5 * angle)) / (angle * angle);
  for (int j = 0; j < 3; ++j) {
    Four unit = {0, 0, 0, 0};
    unit[j] = 1.0;
    const Four once = cross3(e, unit);
    b.turn[j] += (cross3(e, once) * c - once * 0.5) * s.factor;
  }
}

static void second_of_force(const Four& f, const Four& arm, Second& b) {
  const double along = dot3(arm, f);
  b.force += f;
  for (int j = 0; j < 3; ++j) {
    b.turn[j] += arm * f[j];
    b.turn[j][j] -= along;
  }
}

static void second_of_point(const PartState& s, const Four& arm, Second& b) {
  Four f = {0, 0, 0, 0};
  for (int r = 0; r < s.rows; ++r) f += Four{s.row[r].n[3], s.row[r].n[4], s.row[r].n[5], 0.0} * (s.factor * s.e[r]);
  second_of_force(f, arm, b);
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
  const int a = w.problem->node_coordinate[link.node[0]], b = link.node[1] < 0 ? -1 : w.problem->node_coordinate[link.node[1]];
  if (a >= 0) second_of_force(f, x - w.center, w.second[a]);
  if (b >= 0) second_of_force(kNone - f, y - w.center, w.second[b]);
}

static void second_order(Work& w) {
  const Problem& P = *w.problem;
  for (int i = 0; i < P.coordinates; ++i) w.second[i] = Second{};
  for (int k = 0; k < P.parts; ++k) {
    const Part& part = P.part[k];
    if (!(w.part[k].weight > 0.0) || part.coordinate < 0 || part.kind == kAim) continue;
    Second& b = w.second[part.coordinate];
    if (part.kind == kOrientation) {
      second_of_orientation(w.part[k], b);
    } else {
      second_of_point(w.part[k], effector(frame_of(w, part), part.offset) - w.center, b);
    }
  }
  for (int k = 0; k < P.links; ++k) second_of_link(w, P.link[k], w.link[k]);
  for (int i = P.coordinates - 1; i >= 0; --i) {
    const Second& b = w.second[i];
    const double* s = w.axis[i].n;
    w.bend[i] = b.turn[0] * s[0] + b.turn[1] * s[1] + b.turn[2] * s[2] + cross3(Four{s[3], s[4], s[5], 0.0}, b.force);
    const int parent = P.coordinate[i].parent;
    if (parent < 0) continue;
    Second& a = w.second[parent];
    a.force += b.force;
    for (int j = 0; j < 3; ++j) a.turn[j] += b.turn[j];
  }
}

// What it adds to the promised cost after the step whose twists are in v.
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
