// The placement of an arm, its distance from the target, and the damped step toward it.
#pragma once
#include "kernels/arm/constants.h"
#include "kernels/arm/math.h"
#include "kernels/damping.h"
#include "model/arm.h"

namespace manikin {
namespace MANIKIN_ISA {

// The wanted placement of the end, in the chain's base: the placed point, and the axes of the last joint's space.
template <class V>
struct Wanted {
  Vec<V> p, x, y, z;
};

static inline const ArmNumbers<double>& joint(const Arm& arm, int i, double) { return arm.joint[i]; }
static inline const ArmNumbers<float>& joint(const Arm& arm, int i, float) { return arm.narrow[i]; }

template <class V>
struct Reached {
  Vec<V> axis[kMostArm], at[kMostArm];
  Vec<V> x, y, z, o, p;  // of the last joint's space, its origin, and the placed point
  Vec<V> e_length, e_angle;
  V length, angle, error;  // squares: unweighted length, angle as 2 sin(angle / 2), and their weighted sum
};

// The type of an arm: the number of joints, and whether some of them slide.
template <int Count, bool Slides>
struct Make {
  static constexpr int count = Count;
  static constexpr bool slides = Slides;
};

// The first joint is a hinge about the z axis of the base, and its origin lies on that axis.
template <class M, class V>
static inline void arm_forward(const Arm& arm, const V* q, Reached<V>& r) {
  typedef typename Kind<V>::Scalar S;
  const V none = V{} + S(0), one = V{} + S(1);
  V s0, c0;
  sincos_of(q[0] + joint(arm, 0, S()).theta, s0, c0);
  Vec<V> x = {c0, s0, none}, y = {-s0, c0, none}, z = {none, none, one}, o = {none, none, none + joint(arm, 0, S()).d};
  r.axis[0] = z;
  r.at[0] = o;
  for (int i = 1; i < M::count; ++i) {
    const ArmNumbers<S>& j = joint(arm, i, S());
    o = o + x * j.a;
    const Vec<V> before = y;
    y = y * j.cosine + z * j.sine;
    z = z * j.cosine - before * j.sine;
    if (M::slides && j.slides) {
      if (j.theta != S(0)) {
        const S s = S(__builtin_sin(j.theta)), c = S(__builtin_cos(j.theta));
        const Vec<V> before = x;
        x = x * c + y * s;
        y = y * c - before * s;
      }
      o = o + z * (q[i] + j.d);
    } else {
      V s, c;
      sincos_of(q[i] + j.theta, s, c);
      const Vec<V> before = x;
      x = x * c + y * s;
      y = y * c - before * s;
      o = o + z * j.d;
    }
    r.axis[i] = z;
    r.at[i] = o;
  }
  r.x = x, r.y = y, r.z = z, r.o = o;
  r.p = o + x * S(arm.tool[0]) + y * S(arm.tool[1]) + z * S(arm.tool[2]);
}

template <class V>
static inline void arm_error(const Wanted<V>& w, Reached<V>& r) {
  typedef typename Kind<V>::Scalar S;
  const Vec<V> away = w.p - r.p;
  const Vec<V> twice = cross(r.x, w.x) + cross(r.y, w.y) + cross(r.z, w.z);
  const V trace = dot(r.x, w.x) + dot(r.y, w.y) + dot(r.z, w.z);
  const V k = 1 / root(largest(1 + trace, V{} + S(1e-4)));  // 2 sin n / (2 cos of the half angle) = 2 sin of the half angle, n
  r.e_length = away * S(kLengthWeight);
  r.e_angle = twice * k;
  r.length = dot(away, away);
  // near half a turn the cross products vanish, and their length would look like a small angle
  r.angle = pick(trace < S(-0.98), V{} + S(4), dot(r.e_angle, r.e_angle));
  r.error = r.length * S(kLengthWeight * kLengthWeight) + r.angle;
}

// The matrix of a step in blocks of three: [A B; B^T C].
template <class V>
struct Blocks {
  Sym<V> A;
  Vec<V> B[3];  // columns
  Sym<V> C;
};

// Solves [A B; B^T C] (yl, ya) = (l, a). The divisions by determinants come as late as possible, because quotients have the longest latency.
template <class V>
static inline __attribute__((always_inline)) void solve_blocks(const Blocks<V>& M, const Vec<V>& l, const Vec<V>& a, Vec<V>& yl, Vec<V>& ya) {
  V det;
  const Sym<V> inner = adjugate(M.A, det);
  const V k = 1 / det;
  const Vec<V> column[3] = {inner * M.B[0], inner * M.B[1], inner * M.B[2]}, first = inner * l;
  const Sym<V> S = {M.C.xx - k * dot(M.B[0], column[0]), M.C.xy - k * dot(M.B[0], column[1]), M.C.xz - k * dot(M.B[0], column[2]),
                    M.C.yy - k * dot(M.B[1], column[1]), M.C.yz - k * dot(M.B[1], column[2]), M.C.zz - k * dot(M.B[2], column[2])};
  const Vec<V> left = {a.x - k * dot(M.B[0], first), a.y - k * dot(M.B[1], first), a.z - k * dot(M.B[2], first)};
  const Sym<V> outer = adjugate(S, det);
  ya = (outer * left) * (1 / det);
  yl = (first - column[0] * ya.x - column[1] * ya.y - column[2] * ya.z) * k;
}

// Moves q by the damped step: (J J^T + lambda) y = e, dq = J^T y, in blocks of three. Joints at a bound that would leave it do not take part. Steps
// past a bound are clipped.
template <class M, class V>
static inline void arm_step(const Arm& arm, const Reached<V>& r, double least, V* q) {
  typedef typename Kind<V>::Scalar S;
  Vec<V> linear[M::count], angular[M::count];
  const V lambda = damping_at(r.error, S(kArmDamping), S(least));
  const V none = V{} + S(0), one = V{} + S(1);
  // columns of the Jacobian; joints that push against their limits do not take part
#pragma GCC unroll 8
  for (int i = 0; i < M::count; ++i) {
    const ArmNumbers<S>& j = joint(arm, i, S());
    const bool slides = M::slides && j.slides;
    const Vec<V> arrow = r.p - r.at[i];
    Vec<V> l = (i == 0 ? Vec<V>{-arrow.y, arrow.x, none} : slides ? r.axis[i] : cross(r.axis[i], arrow)) * S(kLengthWeight);
    Vec<V> a = i == 0 ? Vec<V>{none, none, one} : slides ? Vec<V>{none, none, none} : r.axis[i];
    if (j.boxed) {
      const V push = dot(l, r.e_length) + dot(a, r.e_angle);
      const auto stuck = either(both(q[i] <= j.lower, push < S(0)), both(q[i] >= j.upper, push > S(0)));
      l = {drop(stuck, l.x), drop(stuck, l.y), drop(stuck, l.z)};
      a = {drop(stuck, a.x), drop(stuck, a.y), drop(stuck, a.z)};
    }
    linear[i] = l, angular[i] = a;
  }
  // block by block, because all blocks at once would not fit in the registers
  Sym<V> A = {lambda, none, none, lambda, none, lambda}, C = A;
  {
    const Vec<V>& l = linear[0];
    A.xx += l.x * l.x, A.xy = l.x * l.y, A.yy += l.y * l.y;
  }
  for (int i = 1; i < M::count; ++i) {
    const Vec<V>& l = linear[i];
    A.xx += l.x * l.x, A.xy += l.x * l.y, A.xz += l.x * l.z, A.yy += l.y * l.y, A.yz += l.y * l.z, A.zz += l.z * l.z;
  }
  C.zz += angular[0].z;  // 1, or 0 if the joint does not take part
  for (int i = 1; i < M::count; ++i) {
    const Vec<V>& a = angular[i];
    C.xx += a.x * a.x, C.xy += a.x * a.y, C.xz += a.x * a.z, C.yy += a.y * a.y, C.yz += a.y * a.z, C.zz += a.z * a.z;
  }
  Vec<V> B[3] = {{none, none, none}, {none, none, none}, linear[0]};
  for (int i = 1; i < M::count; ++i) {
    const Vec<V>&l = linear[i], &a = angular[i];
    B[0] = B[0] + l * a.x, B[1] = B[1] + l * a.y, B[2] = B[2] + l * a.z;
  }
  // damped step, not longer than allowed, within the limits
  Vec<V> yl, ya;
  solve_blocks(Blocks<V>{A, {B[0], B[1], B[2]}, C}, r.e_length, r.e_angle, yl, ya);
  V step[M::count], most = V{} + S(kLongest);
  for (int i = 0; i < M::count; ++i) {
    const Vec<V>&l = linear[i], &a = angular[i];
    step[i] = i == 0 ? l.x * yl.x + l.y * yl.y + a.z * ya.z : dot(l, yl) + dot(a, ya);
    most = largest(most, absolute(step[i]));
  }
  const V share = S(kLongest) / most;
  for (int i = 0; i < M::count; ++i) {
    const ArmNumbers<S>& j = joint(arm, i, S());
    V next = q[i] + step[i] * share;
    if (j.boxed) {
      next = smallest(all_of(j.upper), largest(all_of(j.lower), next));
    }
    q[i] = next;
  }
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
