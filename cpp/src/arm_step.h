// Where an arm is, how far from its target, and the damped step toward it. Included by arm.cpp only.
#pragma once

static constexpr double kLengthWeight = 3.0;   // a size counts like this many radians
static constexpr double kDamping = 1e-2;       // per squared error
static constexpr double kLongest = 1.5;        // radians that a joint turns in one step

// Where the end is to be, in the chain's own base: the placed point, and the axes of the last joint's space.
template <class V>
struct Wanted {
  Vec<V> p, x, y, z;
};

static inline const ArmNumbers<double>& joint(const Arm& arm, int i, double) { return arm.joint[i]; }
static inline const ArmNumbers<float>& joint(const Arm& arm, int i, float) { return arm.narrow[i]; }

template <class V>
struct Reached {
  Vec<V> axis[kMostArm], at[kMostArm];
  Vec<V> x, y, z, o, p;   // of the last joint's space, its origin, and the placed point
  Vec<V> e_length, e_angle;
  V length, angle, error;  // squares: unweighted length, angle (2 sin of half of it), and their weighted sum
};

template <class V>
static inline void arm_forward(const Arm& arm, const V* q, Reached<V>& r) {
  typedef typename Kind<V>::Scalar S;
  const V none = V{} + S(0), one = V{} + S(1);
  Vec<V> x = {one, none, none}, y = {none, one, none}, z = {none, none, one}, o = {none, none, none};
  for (int i = 0; i < arm.count; ++i) {
    const ArmNumbers<S>& j = joint(arm, i, S());
    if (i > 0) {
      o = o + x * j.a;
      const Vec<V> before = y;
      y = y * j.cosine + z * j.sine;
      z = z * j.cosine - before * j.sine;
    }
    if (j.slides) {
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
  const V k = 1 / root(largest(1 + trace, V{} + S(1e-4)));  // 2 sin n / (2 cos of the half) = 2 sin of the half, n
  r.e_length = away * S(kLengthWeight);
  r.e_angle = twice * k;
  r.length = dot(away, away);
  // near half a turn the cross products vanish: their length would pass for a small angle
  r.angle = pick(trace < S(-0.98), V{} + S(4), dot(r.e_angle, r.e_angle));
  r.error = r.length * S(kLengthWeight * kLengthWeight) + r.angle;
}

// q moves by the damped step: (J J^T + lambda) y = e, dq = J^T y, by blocks of three. Joints at a bound that would leave it do
// not take part; what goes past a bound is cut off.
template <class V>
static inline void arm_step(const Arm& arm, const Reached<V>& r, double least, V* q) {
  typedef typename Kind<V>::Scalar S;
  Vec<V> linear[kMostArm], angular[kMostArm];
  const V lambda = r.error * S(kDamping) + S(least);
  const V none = V{} + S(0);
  for (int i = 0; i < arm.count; ++i) {
    const ArmNumbers<S>& j = joint(arm, i, S());
    Vec<V> l = j.slides ? r.axis[i] * S(kLengthWeight) : cross(r.axis[i], r.p - r.at[i]) * S(kLengthWeight);
    Vec<V> a = j.slides ? Vec<V>{none, none, none} : r.axis[i];
    if (j.boxed) {
      const V push = dot(l, r.e_length) + dot(a, r.e_angle);
      const auto stuck = either(both(q[i] <= j.lower, push < S(0)), both(q[i] >= j.upper, push > S(0)));
      l = {drop(stuck, l.x), drop(stuck, l.y), drop(stuck, l.z)};
      a = {drop(stuck, a.x), drop(stuck, a.y), drop(stuck, a.z)};
    }
    linear[i] = l, angular[i] = a;
  }
  // block by block: all at once would not fit the registers
  Sym<V> A = {lambda, none, none, lambda, none, lambda}, C = A;
  V B[3][3] = {{none, none, none}, {none, none, none}, {none, none, none}};
  for (int i = 0; i < arm.count; ++i) {
    const Vec<V>& l = linear[i];
    A.xx += l.x * l.x, A.xy += l.x * l.y, A.xz += l.x * l.z, A.yy += l.y * l.y, A.yz += l.y * l.z, A.zz += l.z * l.z;
  }
  for (int i = 0; i < arm.count; ++i) {
    const Vec<V>& a = angular[i];
    C.xx += a.x * a.x, C.xy += a.x * a.y, C.xz += a.x * a.z, C.yy += a.y * a.y, C.yz += a.y * a.z, C.zz += a.z * a.z;
  }
  for (int i = 0; i < arm.count; ++i) {
    const Vec<V>&l = linear[i], &a = angular[i];
    B[0][0] += l.x * a.x, B[0][1] += l.x * a.y, B[0][2] += l.x * a.z;
    B[1][0] += l.y * a.x, B[1][1] += l.y * a.y, B[1][2] += l.y * a.z;
    B[2][0] += l.z * a.x, B[2][1] += l.z * a.y, B[2][2] += l.z * a.z;
  }
  const Sym<V> inner = inverse(A);
  Vec<V> column[3];  // inner B
  for (int k = 0; k < 3; ++k) column[k] = inner * Vec<V>{B[0][k], B[1][k], B[2][k]};
  auto through = [&](int k, const Vec<V>& v) { return B[0][k] * v.x + B[1][k] * v.y + B[2][k] * v.z; };
  C.xx -= through(0, column[0]), C.xy -= through(0, column[1]), C.xz -= through(0, column[2]);
  C.yy -= through(1, column[1]), C.yz -= through(1, column[2]), C.zz -= through(2, column[2]);
  const Vec<V> first = inner * r.e_length;
  const Vec<V> left = {r.e_angle.x - through(0, first), r.e_angle.y - through(1, first), r.e_angle.z - through(2, first)};
  const Vec<V> ya = inverse(C) * left;
  const Vec<V> yl = first - column[0] * ya.x - column[1] * ya.y - column[2] * ya.z;
  V step[kMostArm], most = V{} + S(kLongest);
  for (int i = 0; i < arm.count; ++i) {
    step[i] = dot(linear[i], yl) + dot(angular[i], ya);
    most = largest(most, absolute(step[i]));
  }
  const V share = S(kLongest) / most;
  for (int i = 0; i < arm.count; ++i) {
    const ArmNumbers<S>& j = joint(arm, i, S());
    V next = q[i] + step[i] * share;
    if (j.boxed) {
      next = pick(next < j.lower, V{} + j.lower, next);
      next = pick(next > j.upper, V{} + j.upper, next);
    }
    q[i] = next;
  }
}
