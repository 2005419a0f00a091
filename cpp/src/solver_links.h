// Goals that feel several branches: relative placements, distances between effectors, poles, balance. Each gives rows, and
// for each row the wrenches with which it acts on coordinates. Included by solver.cpp only.
#pragma once

static constexpr int kMostContacts = 64;
static constexpr double kStiff = 1e9;  // weight of a coupling
static constexpr double kCurved = 1e-6;  // part of a distance that it is too long by, above which its curvature counts

static inline const Frame& frame_at(const Work& w, int node) { return node >= 0 ? w.frame[node] : kWorld; }

// Where rows go while goals are linearised; without `put` only the values count.
struct RowSink {
  Work& w;
  bool put;
  double cost;

  int open(double value, double factor, bool sided) {
    if (!sided || value > 0.0) cost += factor * value * value;
    if (!put) return -1;
    Rows& r = w.rows;
    if (r.count % 4 == 0) clear_block(r.count / 4);
    r.value[r.count] = value;
    r.weight[r.count] = factor;
    r.sided[r.count] = sided;
    return r.count++;
  }
  void clear_block(int block) const {
    const Rows& r = w.rows;
    for (long k = 0; k < 6l * w.problem->coordinates; ++k) r.g[k * r.most_blocks + block] = Four{0, 0, 0, 0};
    for (long k = 0; k < w.problem->coordinates; ++k) r.h[k * r.most_blocks + block] = Four{0, 0, 0, 0};
  }
  // The row feels the velocity of a point of a node along l, and the turning of the node about a.
  void feel(int row, int node, const Four& point, const Four& l, const Four& a) const {
    if (!put || node < 0) return;
    const int c = w.problem->node_coordinate[node];
    if (c < 0) return;
    const Eight d = row_of(point - w.center, l, a);
    Four* g = w.rows.g + static_cast<long>(c) * 6 * w.rows.most_blocks;
    for (int j = 0; j < 6; ++j) reinterpret_cast<double*>(g + j * w.rows.most_blocks)[row] += d.n[j];
  }
  // The row feels the velocity of the centre of mass along n: a force on every coordinate that carries mass.
  void feel_mass(int row, const Four& n) const {
    for (int c = 0; c < w.problem->coordinates; ++c) {
      const Four m = w.moment[c];
      if (m[3] == 0.0) continue;
      const Four torque = cross3(m, n);
      double* g = reinterpret_cast<double*>(w.rows.g + static_cast<long>(c) * 6 * w.rows.most_blocks) + row;
      const long stride = 4l * w.rows.most_blocks;
      for (int j = 0; j < 3; ++j) {
        g[j * stride] += torque[j];
        g[(j + 3) * stride] += n[j] * m[3];
      }
    }
  }
};

static const Four kUnit[3] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
static const Four kNone = {0, 0, 0, 0};

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

static void relative_orientation(RowSink& sink, const Link& link, LinkState& s) {
  const Work& w = sink.w;
  const Frame &e = frame_at(w, link.node[1]), &f = frame_at(w, link.node[0]);
  Frame turn, wanted;
  quaternion_columns(w.target + link.target, turn);
  const double r[9] = {turn.x[0], turn.y[0], turn.z[0], turn.x[1], turn.y[1], turn.z[1], turn.x[2], turn.y[2], turn.z[2]};
  times(e, r, wanted);
  const Four phi = rotation_error(f, wanted);
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
  // Across u the distance curves: where it is too long that holds a stretched limb, in the second-order term only.
  if (!w.newton || !sink.put || !(over > kCurved * far)) return;
  const Four side = cross3(u, kUnit[u[0] * u[0] < 0.5 ? 0 : 1]), v = side * (1.0 / length3(side)), across[2] = {v, cross3(u, v)};
  for (const Four& l : across) {
    const int extra = sink.open(0.0, s.factor * over / far, false);
    sink.feel(extra, link.node[0], x, l, kNone);
    sink.feel(extra, link.node[1], y, kNone - l, kNone);
  }
}

// The angle about the line from root to tip between the middle joint and the pole; its derivative with the pole at rest.
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
  if (rb < 1e-9 || rq < 1e-9) return;  // a stretched limb, or a pole on the line: no side to speak of
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

struct Ground {
  double u, v;
};

// Corners of the convex hull, counter-clockwise, as indices (Andrew's monotone chain): two for a line, one for a point.
static int hull(const Ground* p, int count, int* corners) {
  int order[kMostContacts] = {};
  for (int i = 0; i < count; ++i) {  // insertion sort: there are few
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

static void balance(RowSink& sink, const Link& link, LinkState& s) {
  Work& w = sink.w;
  const Problem& P = *w.problem;
  Four center = kNone, contact[kMostContacts];
  if (sink.put)
    for (int i = 0; i < P.coordinates; ++i) w.moment[i] = kNone;
  for (int k = 0; k < P.masses; ++k) {
    const Weighted& m = P.mass[k];
    const Four x = effector(frame_at(w, m.node), m.point);
    center += x * m.share;
    const int c = P.node_coordinate[m.node];
    if (!sink.put || c < 0) continue;
    Four arm = x - w.center;
    arm[3] = 1.0;
    w.moment[c] += arm * m.share;
  }
  const int i1 = (link.flags + 1) % 3, i2 = (link.flags + 2) % 3;
  Ground p[kMostContacts] = {};
  const Weighted* own = P.contact + link.first[0];
  for (int k = 0; k < link.count[0]; ++k) {
    contact[k] = effector(frame_at(w, own[k].node), own[k].point);
    p[k] = Ground{contact[k][i1], contact[k][i2]};
  }
  const Ground c = {center[i1], center[i2]};
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

static void clearance(RowSink& sink, const Link& link, LinkState& s);  // solver_clearance.h


// Errors of all links and their share of the cost; with `put` also their rows.
static double all_links(Work& w, bool put) {
  const Problem& P = *w.problem;
  if (P.links == 0 && P.couplings == 0) return 0.0;
  RowSink sink = {w, put, 0.0};
  if (put) {
    w.rows.count = 0;
    for (int k = 0; k < P.couplings; ++k) {  // dx = ratio dx_source, as good as exactly
      const SolverNode& n = P.node[P.coupled[k]];
      const int row = sink.open(0.0, kStiff, false);
      reinterpret_cast<double*>(w.rows.h + static_cast<long>(n.coordinate) * w.rows.most_blocks)[row] += 1.0;
      reinterpret_cast<double*>(w.rows.h + static_cast<long>(n.source) * w.rows.most_blocks)[row] -= n.ratio;
    }
  }
  for (int k = 0; k < P.links; ++k) {
    const Link& link = P.link[k];
    LinkState& s = w.link[k];
    if (!(s.weight > 0.0)) continue;
    s.factor = s.weight * (is_angle(link) ? kAngleWeight * kAngleWeight * w.angle_factor : 1.0);
    switch (link.kind) {
      case kRelativePosition: relative_position(sink, link, s); break;
      case kRelativeOrientation: relative_orientation(sink, link, s); break;
      case kPairDistance: pair_distance(sink, link, s); break;
      case kPole: pole(sink, link, s); break;
      case kBalance: balance(sink, link, s); break;
      case kClearance: clearance(sink, link, s); break;
    }
  }
  if (put) {
    w.rows.blocks = (w.rows.count + 3) / 4;
    for (int r = w.rows.count; r < 4 * w.rows.blocks; ++r) {
      w.rows.value[r] = 0.0;
      w.rows.weight[r] = 0.0;
      w.rows.sided[r] = 0;
    }
  }
  return sink.cost;
}

static bool links_met(const Work& w) {
  for (int k = 0; k < w.problem->links; ++k)
    if (w.link[k].weight > 0.0 && !w.link[k].aside && !(w.link[k].measure <= w.problem->link[k].tolerance)) return false;
  return true;
}
