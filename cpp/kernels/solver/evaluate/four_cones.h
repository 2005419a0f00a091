// Four cones at a time: the conversions of evaluate/cone.h in lanes.
#pragma once
#include "kernels/solver/work.h"
#include "math/swing_twist.h"

namespace manikin {
namespace MANIKIN_ISA {

static inline Four square_root(const Four& x) {
  alignas(32) double r[4];
  put_four(r, x);
  for (double& one : r) one = __builtin_sqrt(one);
  return four(r);
}

// out = a b, in each lane; out may be a or b.
static inline void four_products(const Four* a, const Four* b, Four* out) {
  const Four r[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                     a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
  for (int k = 0; k < 4; ++k) out[k] = r[k];
}

// Four rows become four columns.
static inline void transpose(Four* a) {
  const Four lo01 = arranged<0, 4, 2, 6>(a[0], a[1]), hi01 = arranged<1, 5, 3, 7>(a[0], a[1]);
  const Four lo23 = arranged<0, 4, 2, 6>(a[2], a[3]), hi23 = arranged<1, 5, 3, 7>(a[2], a[3]);
  a[0] = arranged<0, 1, 4, 5>(lo01, lo23);
  a[1] = arranged<0, 1, 4, 5>(hi01, hi23);
  a[2] = arranged<2, 3, 6, 7>(lo01, lo23);
  a[3] = arranged<2, 3, 6, 7>(hi01, hi23);
}

// The same as in math/swing_twist.h.
static inline Four twice_arcs(const Four& s, const Four& c) {
  const Four half = s / (square_root(s * s + c * c) + c), t = half / (1.0 + square_root(1.0 + half * half));
  const Four z = t * t, w = z * z;
  const Four even = z * (3.33333333333329318027e-01 +
                         w * (1.42857142725034663711e-01 +
                              w * (9.09088713343650656196e-02 +
                                   w * (6.66107313738753120669e-02 + w * (4.97687799461593236017e-02 + w * 1.62858201153657823623e-02)))));
  const Four odd = w * (-1.99999999998764832476e-01 +
                        w * (-1.11111104054623557880e-01 +
                             w * (-7.69187620504482999495e-02 + w * (-5.83357013379057348645e-02 + w * -3.65315727442169155270e-02))));
  return 8.0 * (t - t * (even + odd));
}

// Reads the quaternions of four cones from a pose, one in each lane.
static inline void load_turns(const FourCones& c, const double* q, Four* turn) {
  for (int lane = 0; lane < 4; ++lane) turn[lane] = four(q + c.number[lane]);
  transpose(turn);
}

static inline void load_cones(const FourCones& c, const double* from, Four* x) {
  for (int k = 0; k < 3; ++k) {
    const int* i = c.coordinate;
    x[k] = Four{from[i[0] + k], from[i[1] + k], from[i[2] + k], from[i[3] + k]};
  }
}

static inline void store_cones(const FourCones& c, const Four* x, double* to) {
  for (int k = 0; k < 3; ++k)
    for (int lane = 0; lane < 4; ++lane) to[c.coordinate[lane] + k] = x[k][lane];
}

// Computes normalised swing-twist coordinates of quaternions, moved inside their cones.
static void read_cones(const FourCones& c, const Four* q, Four* x) {
  const Four none = kNone, one = none + 1.0, pi = none + kPi;
  const Four back[4] = {four(c.whole[0]), -four(c.whole[1]), -four(c.whole[2]), -four(c.whole[3])};
  const Four basis[4] = {four(c.basis[0]), four(c.basis[1]), four(c.basis[2]), four(c.basis[3])};
  Four m[4];
  four_products(back, q, m);
  four_products(m, basis, m);
  const Four length = square_root(m[0] * m[0] + m[3] * m[3]), lost = none + kLostTwist;
  const Four cosine = where(length > lost, m[0] / length, one), sine = where(length > lost, m[3] / length, none);
  const Four sx = m[1] * cosine - m[2] * sine, sy = m[1] * sine + m[2] * cosine;
  const Four swing_sine = square_root(sx * sx + sy * sy);
  const Four k = where(swing_sine < none + 1e-8, none + 2.0, twice_arcs(swing_sine, length) / swing_sine);
  Four tau = twice_arcs(where(cosine < none, -sine, sine), where(cosine < none, -cosine, cosine)) - four(c.twist_middle);
  if (any(tau > pi)) tau = where(tau > pi, tau - 2.0 * kPi, tau);
  if (any(tau <= -pi)) tau = where(tau <= -pi, tau + 2.0 * kPi, tau);
  x[0] = k * sx / four(c.swing[0]);
  x[1] = k * sy / four(c.swing[1]);
  const Four far = square_root(x[0] * x[0] + x[1] * x[1]);
  if (any(far > one)) {
    x[0] = where(far > one, x[0] / far, x[0]);
    x[1] = where(far > one, x[1] / far, x[1]);
  }
  const Four half = four(c.half);
  x[2] = where(half > none, clamped_four(tau / half, four(c.lower), four(c.upper)), none);
}

static inline void sines_and_cosines(const Four& angle, Four& sine, Four& cosine) {
  alignas(32) double x[4], s[4], c[4];
  put_four(x, angle);
  for (int k = 0; k < 4; k += MANIKIN_LANES) {
    Wide one, other;
    sincos_lanes(*reinterpret_cast<const Wide*>(x + k), one, other);
    *reinterpret_cast<Wide*>(s + k) = one;
    *reinterpret_cast<Wide*>(c + k) = other;
  }
  sine = four(s);
  cosine = four(c);
}

// Computes the quaternions of normalised swing-twist coordinates.
static void write_cones(const FourCones& c, const Four* x, Four* q) {
  const Four X = four(c.swing[0]) * x[0], Y = four(c.swing[1]) * x[1], theta = square_root(X * X + Y * Y);
  Four sine, cosine;
  sines_and_cosines(0.5 * theta, sine, cosine);
  const Four k = where(theta < kNone + 1e-8, kNone + 0.5, sine / theta);
  const Four swing[4] = {cosine, k * X, k * Y, kNone};
  sines_and_cosines(0.5 * four(c.half) * x[2], sine, cosine);
  const Four middle_sine = four(c.middle_sine), middle_cosine = four(c.middle_cosine);
  const Four twist[4] = {cosine * middle_cosine - sine * middle_sine, kNone, kNone, sine * middle_cosine + cosine * middle_sine};
  const Four whole[4] = {four(c.whole[0]), four(c.whole[1]), four(c.whole[2]), four(c.whole[3])};
  const Four back[4] = {four(c.basis[0]), -four(c.basis[1]), -four(c.basis[2]), -four(c.basis[3])};
  four_products(whole, swing, q);
  four_products(q, twist, q);
  four_products(q, back, q);
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
