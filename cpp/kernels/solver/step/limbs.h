// The damped step over limbs, four side by side.
//
// The end of a limb depends on its coordinates through t_i, their twists at the effector. It pulls on all of them with the same force y, since
// nothing else is attached between: step_i = z_i - f_i t_i . y, where f_i = 1/d_i and z_i = -u_i f_i (for a held coordinate f_i = 0, and z_i is its
// step). With e + t v, the error after the twist v of the body that carries the limb,
//     y = Z (e + sum t_i z_i + t v),   Z = (1/w + sum f_i t_i t_i^T)^-1,
// with 3 rows for a position and 6 for a placement. For the body that carries it, the limb is the term R^T Z R, R v = t v: the same numbers as those
// of the sweep over its coordinates (reference/recursive.py), without its chain of divisions.
#pragma once
#include "kernels/solver/evaluate/goals.h"
#include "kernels/solver/step/four_limbs.h"
#include "kernels/solver/step/sweeps.h"

namespace manikin {
namespace MANIKIN_ISA {

// Computes errors and weights of the ends.
static void limbs_weigh(Work& w) {
  for (int k = 0; k < w.problem->bundles; ++k) {
    const Bundle& b = w.problem->bundle[k];
    LimbState& s = w.limbs.end[k];
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

// Computes the twists of all coordinates at their effectors.
static void limbs_linearise(Work& w) {
  const Problem& P = *w.problem;
  for (int k = 0; k < P.bundles; ++k) {
    const Bundle& b = P.bundle[k];
    LimbState& s = w.limbs.end[k];
    Four x[4];
    for (int lane = 0; lane < 4; ++lane) {
      const int part = b.position[b.alone ? 0 : lane];
      x[lane] = part >= 0 ? effector(frame_of(w, P.part[part]), P.part[part].offset) - w.center : Four{0, 0, 0, 0};
    }
    transpose(x[0], x[1], x[2], x[3]);
    for (int j = 0; j < 3; ++j) s.x[j] = x[j];
    for (int step = b.first; step < b.first + b.steps; ++step) {
      const int* at = P.limb_coordinate + 4 * step;
      w.limbs.twist[step] = four_twists(w.axis[at[0]], w.axis[at[1]], w.axis[at[2]], w.axis[at[3]]);
      shift(w.limbs.twist[step], s.x);
    }
  }
  limbs_weigh(w);
}

// Adds the step's cost to the coordinates that carry the limbs: 6 x 6 and 6 numbers for each lane.
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

// Sweeps from tips to root.
template <int N>
static void limb_back(Work& w, const Bundle& b, LimbState& s) {
  const Problem& P = *w.problem;
  const int skip = 6 - N;  // rows of a position are the last three
  // how far each coordinate gives way; held ones do not
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
    w.limbs.give[step] = f;
    w.limbs.free[step] = z;
  }
// the rows of all lanes: S = T diag(give) Tᵀ
#pragma GCC unroll 2
  for (int block = 0; block < N; block += 3)  // three rows by three columns at a time, so that their sums stay in registers
#pragma GCC unroll 2
    for (int column = 0; column <= block; column += 3) {
      Four sum[3][3], sum_e[3];
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) sum[i][j] = Four{0, 0, 0, 0};
        sum_e[i] = Four{0, 0, 0, 0};
      }
      for (int step = b.first; step < b.first + b.steps; ++step) {
        const Four *t = w.limbs.twist[step].a + skip, f = w.limbs.give[step], z = w.limbs.free[step];
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
  // their inverse, with the stiffness of the goals
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
  // what the limb adds to the coordinate above
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

// Decides whether a held coordinate is freed or a free one is held. Returns whether the active set changed.
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

// Sweeps from root to tips. Returns whether the active set changed.
template <int N>
static bool limb_forth(Work& w, const Bundle& b, LimbState& s, bool last) {
  const Problem& P = *w.problem;
  const int skip = 6 - N;
  const auto carried = [&](int lane) -> const Eight& {
    const int i = b.above[b.alone ? 0 : lane];
    return i >= 0 ? w.v[i] : kNoTwist;
  };
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
    const Four* t = w.limbs.twist[step].a + skip;
    Four force = t[0] * s.y[0];
    for (int j = 1; j < N; ++j) force += t[j] * s.y[j];
    const Four taken = w.limbs.free[step] - w.limbs.give[step] * force;
    for (int lane = 0; lane < 4; ++lane) w.step[at[lane]] = taken[lane];
    const FourBits out = (taken < gathered(w.lower, at)) | (taken > gathered(w.upper, at));
    if (any(out) || (w.held[at[0]] | w.held[at[1]] | w.held[at[2]] | w.held[at[3]]))
      for (int lane = 0; lane < 4; ++lane)
        if (at[lane] < P.coordinates && limb_judge(w, at[lane], force[lane], last)) changed = true;
  }
  return changed;
}

// Computes the forces for twists that are not those of the step itself.
static void limbs_follow(Work& w) {
  const Problem& P = *w.problem;
  for (int k = 0; k < P.bundles; ++k) {
    const Bundle& b = P.bundle[k];
    LimbState& s = w.limbs.end[k];
    const auto end = [&](int lane) -> const Eight& {
      const int part = b.position[b.alone ? 0 : lane];
      return part >= 0 ? w.v[P.part[part].coordinate] : kNoTwist;
    };
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
    const LimbState& s = w.limbs.end[k];
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
      limb_back<6>(w, P.bundle[k], w.limbs.end[k]);
    } else {
      limb_back<3>(w, P.bundle[k], w.limbs.end[k]);
    }
  }
}

static bool limbs_forth(Work& w, bool last) {
  bool changed = false;
  for (int k = 0; k < w.problem->bundles; ++k) {
    const Bundle& b = w.problem->bundle[k];
    changed |= b.rows == 6 ? limb_forth<6>(w, b, w.limbs.end[k], last) : limb_forth<3>(w, b, w.limbs.end[k], last);
  }
  return changed;
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
