// The damped step over limbs, four side by side. Included by solver.cpp only.
//
// The end of a limb feels its coordinates through t_i, their twists at the effector, and pulls on all of them with the same
// force y, since nothing else hangs on the way: step_i = z_i - f_i t_i . y, where f_i = 1/d_i and z_i = -u_i f_i (of a held
// coordinate f_i = 0 and z_i its step). With e + t v, the error after the twist v of what carries the limb,
//     y = Z (e + sum t_i z_i + t v),   Z = (1/w + sum f_i t_i t_i^T)^-1,
// of 3 rows for a position and 6 for a placement. To what carries it the limb is the term R^T Z R, R v = t v: the same
// numbers as those of the sweep over its coordinates (reference/recursive.py), without its chain of divisions.
#pragma once

static constexpr double kAbsent = 1e30;  // 1/w of a row that does not count

static inline Four gathered(const double* a, const int* at) { return Four{a[at[0]], a[at[1]], a[at[2]], a[at[3]]}; }

// Rows to columns.
static inline void transpose(Four& a, Four& b, Four& c, Four& d) {
  const Four p = arranged<0, 4, 2, 6>(a, b), q = arranged<1, 5, 3, 7>(a, b);
  const Four r = arranged<0, 4, 2, 6>(c, d), s = arranged<1, 5, 3, 7>(c, d);
  a = arranged<0, 1, 4, 5>(p, r);
  b = arranged<0, 1, 4, 5>(q, s);
  c = arranged<2, 3, 6, 7>(p, r);
  d = arranged<2, 3, 6, 7>(q, s);
}

static const Eight kRest = {};

static inline Twists four_twists(const Eight& i, const Eight& j, const Eight& k, const Eight& m) {
  Twists t;
  t.a[0] = low(i), t.a[1] = low(j), t.a[2] = low(k), t.a[3] = low(m);
  transpose(t.a[0], t.a[1], t.a[2], t.a[3]);
  const Four p = arranged<0, 4, 1, 5>(high(i), high(j)), q = arranged<0, 4, 1, 5>(high(k), high(m));
  t.a[4] = arranged<0, 1, 4, 5>(p, q);
  t.a[5] = arranged<2, 3, 6, 7>(p, q);
  return t;
}

// From the common point to x.
static inline void shift(Twists& t, const Four* x) {
  t.a[3] += t.a[1] * x[2] - t.a[2] * x[1];
  t.a[4] += t.a[2] * x[0] - t.a[0] * x[2];
  t.a[5] += t.a[0] * x[1] - t.a[1] * x[0];
}

// Errors and weights of the ends.
static void limbs_weigh(Work& w) {
  for (int k = 0; k < w.problem->bundles; ++k) {
    const Bundle& b = w.problem->bundle[k];
    LimbState& s = w.limb[k];
    for (int half = 0; half < 2; ++half) {
      const int* parts = half == 0 ? b.orientation : b.position;
      Four e[4], factor = {};
      for (int lane = 0; lane < 4; ++lane) {
        const int part = parts[b.alone ? 0 : lane];
        const bool counts = part >= 0 && w.part[part].weight > 0.0;
        factor[lane] = counts ? w.part[part].factor : 1.0 / kAbsent;
        e[lane] = counts ? four(w.part[part].e) : Four{0, 0, 0, 0};
      }
      transpose(e[0], e[1], e[2], e[3]);
      s.inverse[half] = 1.0 / factor;
      for (int r = 0; r < 3; ++r) s.e[3 * half + r] = e[r];
    }
  }
}

// The twists of all coordinates at their effectors.
static void limbs_linearise(Work& w) {
  const Problem& P = *w.problem;
  for (int k = 0; k < P.bundles; ++k) {
    const Bundle& b = P.bundle[k];
    LimbState& s = w.limb[k];
    Four x[4];
    for (int lane = 0; lane < 4; ++lane) {
      const int part = b.position[b.alone ? 0 : lane];
      x[lane] = part >= 0 ? effector(frame_of(w, P.part[part]), P.part[part].offset) - w.center : Four{0, 0, 0, 0};
    }
    transpose(x[0], x[1], x[2], x[3]);
    for (int j = 0; j < 3; ++j) s.x[j] = x[j];
    for (int step = b.first; step < b.first + b.steps; ++step) {
      const int* at = P.limb_coordinate + 4 * step;
      w.limb_twist[step] = four_twists(w.axis[at[0]], w.axis[at[1]], w.axis[at[2]], w.axis[at[3]]);
      shift(w.limb_twist[step], s.x);
    }
  }
  limbs_weigh(w);
}

// Z of N rows from the lower triangle of its inverse, row after row: L D L^T, then the inverse of L.
template <int N>
static inline void inverted(const Four* given, Four* Z) {
  Four S[N][N], X[N][N], pivot[N];
#pragma GCC unroll 6
  for (int i = 0; i < N; ++i)
#pragma GCC unroll 6
    for (int j = 0; j <= i; ++j) S[i][j] = given[i * (i + 1) / 2 + j];
#pragma GCC unroll 6
  for (int j = 0; j < N; ++j) {
    const Four least = given[j * (j + 3) / 2] * 1e-15, d = S[j][j];
    pivot[j] = 1.0 / where(d > least, d, least);
#pragma GCC unroll 6
    for (int i = j + 1; i < N; ++i) {
      const Four l = S[i][j] * pivot[j];
#pragma GCC unroll 6
      for (int k = j + 1; k <= i; ++k) S[i][k] -= l * S[k][j];
    }
#pragma GCC unroll 6
    for (int i = j + 1; i < N; ++i) S[i][j] *= pivot[j];
  }
#pragma GCC unroll 6
  for (int j = 0; j < N; ++j)
#pragma GCC unroll 6
    for (int i = j + 1; i < N; ++i) {
      Four sum = S[i][j];
#pragma GCC unroll 6
      for (int k = j + 1; k < i; ++k) sum += S[i][k] * X[k][j];
      X[i][j] = -sum;
    }
#pragma GCC unroll 6
  for (int i = 0; i < N; ++i)
#pragma GCC unroll 6
    for (int j = 0; j <= i; ++j) {  // sum over k >= i of X_ki X_kj / D_k
      Four sum = i == j ? pivot[i] : X[i][j] * pivot[i];
#pragma GCC unroll 6
      for (int k = i + 1; k < N; ++k) sum += X[k][i] * pivot[k] * X[k][j];
      Z[i * (i + 1) / 2 + j] = sum;
    }
}

static inline Four across(const Four& a) { return Four{} + (a[0] + a[1] + a[2] + a[3]); }

// The step's cost as what carries the limbs feels it: 6 x 6 and 6 numbers, put there for each lane.
static void limbs_put(Work& w, const Bundle& b, const Four A[3][3], const Four B[3][3], const Four C[3][3], const Four* torque, const Four* force) {
  Four low_of[7][4], high_of[7][4];
  const Four none = {0, 0, 0, 0};
  for (int j = 0; j < 3; ++j) {
    Four* a = low_of[j];
    a[0] = A[0][j], a[1] = A[1][j], a[2] = A[2][j], a[3] = B[j][0];
    transpose(a[0], a[1], a[2], a[3]);
    Four* c = low_of[3 + j];
    c[0] = B[0][j], c[1] = B[1][j], c[2] = B[2][j], c[3] = C[0][j];
    transpose(c[0], c[1], c[2], c[3]);
    Four pair[4] = {B[j][1], B[j][2], C[1][j], C[2][j]};
    transpose(pair[0], pair[1], pair[2], pair[3]);
    for (int lane = 0; lane < 4; ++lane) {
      high_of[j][lane] = arranged<0, 1, 4, 5>(pair[lane], none);
      high_of[3 + j][lane] = arranged<2, 3, 4, 5>(pair[lane], none);
    }
  }
  Four *p = low_of[6], *q = high_of[6];
  p[0] = torque[0], p[1] = torque[1], p[2] = torque[2], p[3] = force[0];
  transpose(p[0], p[1], p[2], p[3]);
  q[0] = force[1], q[1] = force[2], q[2] = q[3] = none;
  transpose(q[0], q[1], q[2], q[3]);
  for (int lane = 0; lane < b.lanes; ++lane) {
    if (b.above[lane] < 0) continue;
    Body& body = w.body[b.above[lane]];
    if (b.stores[lane]) {
      for (int j = 0; j < 6; ++j) {
        low(body.P[j]) = low_of[j][lane];
        high(body.P[j]) = high_of[j][lane];
      }
      low(body.p) = p[lane];
      high(body.p) = q[lane];
      continue;
    }
    for (int j = 0; j < 6; ++j) {
      low(body.P[j]) += low_of[j][lane];
      high(body.P[j]) += high_of[j][lane];
    }
    low(body.p) += p[lane];
    high(body.p) += q[lane];
  }
}

// Tips to root.
template <int N>
static void limb_back(Work& w, const Bundle& b, LimbState& s) {
  const Problem& P = *w.problem;
  const int skip = 6 - N;  // rows of a position are the last three
  Four S[N * (N + 1) / 2], e[N];
  for (int step = b.first; step < b.first + b.steps; ++step) {
    const int* at = P.limb_coordinate + 4 * step;
    Four f = 1.0 / gathered(w.stiff, at), z = -(gathered(w.pull, at) * f);
    if (w.held[at[0]] | w.held[at[1]] | w.held[at[2]] | w.held[at[3]])
      for (int lane = 0; lane < 4; ++lane) {
        if (w.held[at[lane]] == 0) continue;
        f[lane] = 0.0;
        z[lane] = w.held[at[lane]] < 0 ? w.lower[at[lane]] : w.upper[at[lane]];
      }
    w.limb_give[step] = f;
    w.limb_free[step] = z;
  }
#pragma GCC unroll 2
  for (int block = 0; block < N; block += 3)  // three rows by three columns at a time: their sums stay in registers
#pragma GCC unroll 2
    for (int column = 0; column <= block; column += 3) {
      Four sum[3][3], sum_e[3];
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) sum[i][j] = Four{0, 0, 0, 0};
        sum_e[i] = Four{0, 0, 0, 0};
      }
      for (int step = b.first; step < b.first + b.steps; ++step) {
        const Four *t = w.limb_twist[step].a + skip, f = w.limb_give[step], z = w.limb_free[step];
        for (int i = 0; i < 3; ++i) {
          const Four scaled = t[block + i] * f;
          for (int j = 0; j < (column == block ? i + 1 : 3); ++j) sum[i][j] += scaled * t[column + j];
          if (column == block) sum_e[i] += t[block + i] * z;
        }
      }
      for (int i = 0; i < 3; ++i) {
        const int row = block + i;
        for (int j = 0; j < (column == block ? i + 1 : 3); ++j) S[row * (row + 1) / 2 + column + j] = sum[i][j];
        if (column == block) e[row] = sum_e[i];
      }
    }
  if (b.alone) {
    for (Four& n : S) n = across(n);
    for (Four& n : e) n = across(n);
  }
  for (int i = 0; i < N; ++i) {
    S[i * (i + 3) / 2] += s.inverse[(i + skip) / 3];
    s.moved[i] = e[i] + s.e[i + skip];
  }
  inverted<N>(S, s.Z);
  if (b.above[0] < 0 && b.above[1] < 0 && b.above[2] < 0 && b.above[3] < 0) return;
  const Four *Z = s.Z, *x = s.x;
  const auto z = [Z](int i, int j) { return i >= j ? Z[i * (i + 1) / 2 + j] : Z[j * (j + 1) / 2 + i]; };
  Four A[3][3], B[3][3], C[3][3], torque[3], force[3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) C[i][j] = z(N - 3 + i, N - 3 + j);
  for (int j = 0; j < 3; ++j) {  // B = Zb + [x] C
    B[0][j] = x[1] * C[2][j] - x[2] * C[1][j];
    B[1][j] = x[2] * C[0][j] - x[0] * C[2][j];
    B[2][j] = x[0] * C[1][j] - x[1] * C[0][j];
  }
  if (N == 6)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) B[i][j] += z(i, 3 + j);
  for (int i = 0; i < 3; ++i) {  // A = Za + [x] Zb^T - B [x]
    A[i][0] = B[i][2] * x[1] - B[i][1] * x[2];
    A[i][1] = B[i][0] * x[2] - B[i][2] * x[0];
    A[i][2] = B[i][1] * x[0] - B[i][0] * x[1];
  }
  if (N == 6)
    for (int j = 0; j < 3; ++j) {
      A[0][j] += z(0, j) + x[1] * z(j, 5) - x[2] * z(j, 4);
      A[1][j] += z(1, j) + x[2] * z(j, 3) - x[0] * z(j, 5);
      A[2][j] += z(2, j) + x[0] * z(j, 4) - x[1] * z(j, 3);
    }
  Four y[N];
  for (int i = 0; i < N; ++i) {
    y[i] = z(i, 0) * s.moved[0];
    for (int j = 1; j < N; ++j) y[i] += z(i, j) * s.moved[j];
  }
  const Four* f = y + N - 3;
  for (int j = 0; j < 3; ++j) force[j] = f[j];
  torque[0] = x[1] * f[2] - x[2] * f[1];
  torque[1] = x[2] * f[0] - x[0] * f[2];
  torque[2] = x[0] * f[1] - x[1] * f[0];
  if (N == 6)
    for (int j = 0; j < 3; ++j) torque[j] += y[j];
  limbs_put(w, b, A, B, C, torque, force);
}

// A held coordinate that is to be freed, a free one that is to be held. Returns whether the active set changed.
static bool limb_judge(Work& w, int i, double force, bool last) {
  if (w.held[i] == 0) {
    if (!(w.step[i] < w.lower[i] || w.step[i] > w.upper[i])) return false;
    if (!last) w.held[i] = w.step[i] < w.lower[i] ? -1 : 1;
    return true;
  }
  w.multiplier[i] = w.pull[i] + force + w.stiff[i] * w.step[i];
  if (!(w.held[i] * w.multiplier[i] > 0.0)) return false;
  if (!last) w.held[i] = 0;
  return true;
}

// Root to tips. Returns whether the active set changed.
template <int N>
static bool limb_forth(Work& w, const Bundle& b, LimbState& s, bool last) {
  const Problem& P = *w.problem;
  const int skip = 6 - N;
  const auto carried = [&](int lane) -> const Eight& { const int i = b.above[b.alone ? 0 : lane]; return i >= 0 ? w.v[i] : kRest; };
  Twists v = four_twists(carried(0), carried(1), carried(2), carried(3));
  shift(v, s.x);
  const Four* error = v.a + skip;
  const auto z = [&](int i, int j) { return i >= j ? s.Z[i * (i + 1) / 2 + j] : s.Z[j * (j + 1) / 2 + i]; };
  Four r[N];
  for (int i = 0; i < N; ++i) r[i] = s.moved[i] + error[i];
  for (int i = 0; i < N; ++i) {
    Four sum = z(i, 0) * r[0];
    for (int j = 1; j < N; ++j) sum += z(i, j) * r[j];
    s.y[i] = sum;
  }
  bool changed = false;
  for (int step = b.first; step < b.first + b.steps; ++step) {
    const int* at = P.limb_coordinate + 4 * step;
    const Four* t = w.limb_twist[step].a + skip;
    Four force = t[0] * s.y[0];
    for (int j = 1; j < N; ++j) force += t[j] * s.y[j];
    const Four taken = w.limb_free[step] - w.limb_give[step] * force;
    for (int lane = 0; lane < 4; ++lane) w.step[at[lane]] = taken[lane];
    const FourBits out = (taken < gathered(w.lower, at)) | (taken > gathered(w.upper, at));
    if (any(out) || (w.held[at[0]] | w.held[at[1]] | w.held[at[2]] | w.held[at[3]]))
      for (int lane = 0; lane < 4; ++lane)
        if (at[lane] < P.coordinates && limb_judge(w, at[lane], force[lane], last)) changed = true;
  }
  return changed;
}

// The forces that go with twists which are not those of the step itself.
static void limbs_follow(Work& w) {
  const Problem& P = *w.problem;
  for (int k = 0; k < P.bundles; ++k) {
    const Bundle& b = P.bundle[k];
    LimbState& s = w.limb[k];
    const auto end = [&](int lane) -> const Eight& { const int part = b.position[b.alone ? 0 : lane]; return part >= 0 ? w.v[P.part[part].coordinate] : kRest; };
    Twists v = four_twists(end(0), end(1), end(2), end(3));
    shift(v, s.x);
    for (int i = 6 - b.rows, at = 0; i < 6; ++i) s.y[at++] = (s.e[i] + v.a[i]) / s.inverse[i / 3];
  }
}

// The cost of their goals that the linear model promises: y = w times the error there.
static double limbs_promised(const Work& w) {
  double sum = 0.0;
  for (int k = 0; k < w.problem->bundles; ++k) {
    const Bundle& b = w.problem->bundle[k];
    const LimbState& s = w.limb[k];
    const Four* y = s.y + b.rows - 3;
    Four each = (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]) * s.inverse[1];
    if (b.rows == 6) each += (s.y[0] * s.y[0] + s.y[1] * s.y[1] + s.y[2] * s.y[2]) * s.inverse[0];
    for (int lane = 0; lane < b.lanes; ++lane) sum += each[lane];
  }
  return sum;
}

static void limbs_back(Work& w) {
  const Problem& P = *w.problem;
  for (int k = 0; k < P.trunk_slots; ++k) w.body[P.slot_coordinate[P.trunk_slot[k]]] = w.term[P.trunk_slot[k]];
  for (int k = 0; k < P.bundles; ++k) {
    if (P.bundle[k].rows == 6) {
      limb_back<6>(w, P.bundle[k], w.limb[k]);
    } else {
      limb_back<3>(w, P.bundle[k], w.limb[k]);
    }
  }
}

static bool limbs_forth(Work& w, bool last) {
  bool changed = false;
  for (int k = 0; k < w.problem->bundles; ++k) {
    const Bundle& b = w.problem->bundle[k];
    changed |= b.rows == 6 ? limb_forth<6>(w, b, w.limb[k], last) : limb_forth<3>(w, b, w.limb[k], last);
  }
  return changed;
}

// An Eight in two registers.
struct Pair {
  Four low, high;
};

static inline Pair pair(const Eight& a) { return Pair{low(a), high(a)}; }
static inline void put_pair(Eight& a, const Pair& b) {
  low(a) = b.low;
  high(a) = b.high;
}
static inline Four products(const Pair& a, const Pair& b) { return a.low * b.low + a.high * b.high; }
static inline void add_scaled(Pair& a, const Pair& b, double k) {
  a.low += b.low * k;
  a.high += b.high * k;
}

// What is in no limb, tips to root, as in sweep_back: three coordinates one on the other share the way to the parent.
static void trunk_back(Work& w) {
  const Problem& P = *w.problem;
  for (int k = P.blocks - 1; k >= 0; --k) {
    const Block& block = P.block[k];
    BlockState& t = w.block[k];
    const Body& b = w.body[block.last];
    const int* at = block.coordinate;
    const double *n0 = w.axis[at[0]].n, *n1 = w.axis[at[1]].n, *n2 = w.axis[at[2]].n;
    const Pair s0 = pair(w.axis[at[0]]), s1 = pair(w.axis[at[1]]), s2 = pair(w.axis[at[2]]);
    Pair U0 = {kNone, kNone}, U1 = U0, U2 = U0, p = pair(b.p);
    for (int j = 0; j < 6; ++j) {
      const Pair column = pair(b.P[j]);
      add_scaled(U2, column, n2[j]);
      add_scaled(U1, column, n1[j]);
      add_scaled(U0, column, n0[j]);
    }
    const Four of2 = sums(products(s2, U2), products(s1, U2), products(s0, U2), products(s2, p));
    const Four of1 = sums(products(s1, U1), products(s0, U1), products(s0, U0), products(s1, p));
    const Four x = products(s0, p);
    double D2 = of2[0] + w.stiff[at[2]], tie12 = of2[1], tie02 = of2[2], u2 = of2[3] + w.pull[at[2]];
    double D1 = of1[0] + w.stiff[at[1]], tie01 = of1[1], D0 = of1[2] + w.stiff[at[0]], u1 = of1[3] + w.pull[at[1]];
    double u0 = (x[0] + x[2]) + (x[1] + x[3]) + w.pull[at[0]];
    const auto freed = [&](int i, double D) { return w.held[i] == 0 ? 1.0 / D : 0.0; };
    const auto alone = [&](int i, double u, double f) { return w.held[i] == 0 ? -u * f : w.held[i] < 0 ? w.lower[i] : w.upper[i]; };
    const double f2 = freed(at[2], D2), g2 = alone(at[2], u2, f2), m12 = f2 * tie12, m02 = f2 * tie02;
    D1 -= m12 * tie12;
    tie01 -= m02 * tie12;
    D0 -= m02 * tie02;
    u1 += tie12 * g2;
    u0 += tie02 * g2;
    add_scaled(U1, U2, -m12);
    add_scaled(U0, U2, -m02);
    const double f1 = freed(at[1], D1), g1 = alone(at[1], u1, f1), m01 = f1 * tie01;
    D0 -= m01 * tie01;
    u0 += tie01 * g1;
    add_scaled(U0, U1, -m01);
    const double f0 = freed(at[0], D0), g0 = alone(at[0], u0, f0);
    put_pair(t.U[0], U0);
    put_pair(t.U[1], U1);
    put_pair(t.U[2], U2);
    t.D[0] = D0, t.D[1] = D1, t.D[2] = D2;
    t.u[0] = u0, t.u[1] = u1, t.u[2] = u2;
    t.give[0] = f0, t.give[1] = f1, t.give[2] = f2;
    t.tie01 = tie01, t.tie02 = tie02, t.tie12 = tie12;
    if (block.parent < 0) continue;
    Body& a = w.body[block.parent];
    add_scaled(p, U2, g2);
    add_scaled(p, U1, g1);
    add_scaled(p, U0, g0);
    const Pair F0 = {U0.low * f0, U0.high * f0}, F1 = {U1.low * f1, U1.high * f1}, F2 = {U2.low * f2, U2.high * f2};
    for (int j = 0; j < 6; ++j) {
      Pair r = pair(b.P[j]);
      add_scaled(r, F2, -t.U[2].n[j]);
      add_scaled(r, F1, -t.U[1].n[j]);
      add_scaled(r, F0, -t.U[0].n[j]);
      if (!block.stores) {
        r.low += low(a.P[j]);
        r.high += high(a.P[j]);
      }
      put_pair(a.P[j], r);
    }
    if (!block.stores) {
      p.low += low(a.p);
      p.high += high(a.p);
    }
    put_pair(a.p, p);
  }
}

// The step of one coordinate by the force that it feels. Returns whether the active set changed.
static inline bool settled(Work& w, int i, double force, double D, double give, bool last, double& step) {
  step = -force * give;
  if (__builtin_expect(w.held[i] != 0, 0)) {
    step = w.held[i] < 0 ? w.lower[i] : w.upper[i];
    w.multiplier[i] = force + D * step;
    if (!(w.held[i] * w.multiplier[i] > 0.0)) return false;
    if (!last) w.held[i] = 0;  // the cost would fall inward
    return true;
  }
  if (__builtin_expect(!(step < w.lower[i] || step > w.upper[i]), 1)) return false;
  if (!last) w.held[i] = step < w.lower[i] ? -1 : 1;
  return true;
}

static bool trunk_forth(Work& w, bool last) {
  const Problem& P = *w.problem;
  bool changed = false;
  for (int k = 0; k < P.blocks; ++k) {
    const Block& block = P.block[k];
    const BlockState& t = w.block[k];
    Pair v = pair(block.parent >= 0 ? w.v[block.parent] : kRest);
    const int* at = block.coordinate;
    const Pair a0 = pair(w.axis[at[0]]), a1 = pair(w.axis[at[1]]), a2 = pair(w.axis[at[2]]);
    const Four felt = sums(products(pair(t.U[0]), v), products(pair(t.U[1]), v), products(pair(t.U[2]), v), kNone);
    double s0, s1, s2;
    changed |= settled(w, at[0], felt[0] + t.u[0], t.D[0], t.give[0], last, s0);
    changed |= settled(w, at[1], felt[1] + t.u[1] + t.tie01 * s0, t.D[1], t.give[1], last, s1);
    changed |= settled(w, at[2], felt[2] + t.u[2] + t.tie02 * s0 + t.tie12 * s1, t.D[2], t.give[2], last, s2);
    w.step[at[0]] = s0;
    w.step[at[1]] = s1;
    w.step[at[2]] = s2;
    add_scaled(v, a0, s0);
    add_scaled(v, a1, s1);
    add_scaled(v, a2, s2);
    put_pair(w.v[block.last], v);
  }
  return changed;
}

// The step, with the second-order term if asked for; false if that had to be left out.
static bool bounded_tree_step(Work& w, bool newton) {
  const Problem& P = *w.problem;
  for (int first = 0; first < P.coordinates; first += 8) {  // an infinite bound cannot hold
    long long eight;
    __builtin_memcpy(&eight, w.held + first, sizeof eight);
    if (eight == 0) continue;
    for (int i = first; i < first + 8; ++i)
      if (w.held[i] != 0 && __builtin_isinf(w.held[i] < 0 ? w.lower[i] : w.upper[i])) w.held[i] = 0;
  }
  const int most = w.newton ? kMostSweepsTracking : kMostSweeps;
  w.by_limbs = P.bundles > 0 && !newton;
  if (w.by_limbs) {
    for (int i = 0; i < P.width; i += 4) put_four(w.stiff + i, four(w.damping + i) + four(w.curvature + i));
    for (int sweep = 0; sweep < most; ++sweep) {
      limbs_back(w);
      trunk_back(w);
      ++w.sweeps;
      const bool trunk_left = trunk_forth(w, sweep + 1 == most), limbs_left = limbs_forth(w, sweep + 1 == most);
      if (!trunk_left && !limbs_left) return newton;
    }
    cut_off(w);
    limbs_follow(w);
    return newton;
  }
  for (int sweep = 0; sweep < most; ++sweep) {
    sweep_begin(w);
    if (!sweep_back(w, newton)) {
      newton = false;
      sweep_begin(w);
      sweep_back(w, false);
    }
    if (w.rows.count) rows_settle(w);
    ++w.sweeps;
    if (!sweep_forth(w, sweep + 1 == most)) return newton;
  }
  cut_off(w);
  return newton;
}
