// Balls with a cone: from a quaternion to normalised swing-twist coordinates, and back.
#pragma once
#include "kernels/solver/work.h"

namespace manikin {
namespace MANIKIN_ISA {

// 2 atan2(s, c) for c >= 0. The angle is halved twice, so that its tangent is below 0.415, where a polynomial does (the coefficients
// are those of fdlibm's atan).
static inline double twice_arc(double s, double c) {
  const double half = s / (__builtin_sqrt(s * s + c * c) + c), t = half / (1.0 + __builtin_sqrt(1.0 + half * half));
  const double z = t * t, w = z * z;
  const double even = z * (3.33333333333329318027e-01 +
                           w * (1.42857142725034663711e-01 +
                                w * (9.09088713343650656196e-02 + w * (6.66107313738753120669e-02 + w * (4.97687799461593236017e-02 + w * 1.62858201153657823623e-02)))));
  const double odd = w * (-1.99999999998764832476e-01 +
                          w * (-1.11111104054623557880e-01 + w * (-7.69187620504482999495e-02 + w * (-5.83357013379057348645e-02 + w * -3.65315727442169155270e-02))));
  return 8.0 * (t - t * (even + odd));
}

// Normalised swing-twist coordinates of a ball's quaternion, brought inside the cone.
static void read_cone(const SolverNode& n, const Coordinate& twist, const double* q, double* x) {
  const double back[4] = {n.whole[0], -n.whole[1], -n.whole[2], -n.whole[3]};
  double m[4];
  quaternion_product(back, q, m);
  quaternion_product(m, n.basis, m);
  const double length = __builtin_sqrt(m[0] * m[0] + m[3] * m[3]);
  const double c = length > 1e-150 ? m[0] / length : 1.0, s = length > 1e-150 ? m[3] / length : 0.0;
  const double sx = m[1] * c - m[2] * s, sy = m[1] * s + m[2] * c, sine = __builtin_sqrt(sx * sx + sy * sy);
  const double k = sine < 1e-8 ? 2.0 : twice_arc(sine, length) / sine;
  double tau = (c < 0.0 ? twice_arc(-s, -c) : twice_arc(s, c)) - n.twist_middle;
  while (tau > kPi) tau -= 2.0 * kPi;
  while (tau <= -kPi) tau += 2.0 * kPi;
  x[0] = k * sx / n.swing[0];
  x[1] = k * sy / n.swing[1];
  const double far = __builtin_sqrt(x[0] * x[0] + x[1] * x[1]);
  if (far > 1.0) {
    x[0] /= far;
    x[1] /= far;
  }
  x[2] = n.half > 0.0 ? clamped(tau / n.half, twist.lower, twist.upper) : 0.0;
}

// Sine and cosine of half an angle from those of the angle; near half a turn from the angle itself.
static inline void halved(double angle, double sine, double cosine, double& s, double& c) {
  if (cosine > -0.9 && angle < kPi && angle > -kPi) {
    c = __builtin_sqrt(0.5 * (1.0 + cosine));
    s = 0.5 * sine / c;
  } else {
    s = __builtin_sin(0.5 * angle);
    c = __builtin_cos(0.5 * angle);
  }
}

// The quaternion of a cone whose angles, swing and twist, are the solver's, with their sines and cosines.
static void write_cone(const SolverNode& n, const double* x, const double* angle, const double* sine, const double* cosine, double* q) {
  double s, c;
  halved(angle[0], sine[0], cosine[0], s, c);
  const double k = angle[0] < 1e-8 ? 0.5 : s / angle[0];
  const double swing[4] = {c, k * n.swing[0] * x[0], k * n.swing[1] * x[1], 0.0};
  halved(angle[1], sine[1], cosine[1], s, c);
  const double twist[4] = {c * n.middle_cosine - s * n.middle_sine, 0.0, 0.0, s * n.middle_cosine + c * n.middle_sine};
  const double back[4] = {n.basis[0], -n.basis[1], -n.basis[2], -n.basis[3]};
  quaternion_product(n.whole, swing, q);
  quaternion_product(q, twist, q);
  quaternion_product(q, back, q);
}

// The same, from the coordinates alone.
static void write_cone(const SolverNode& n, const double* x, double* q) {
  const double X = n.swing[0] * x[0], Y = n.swing[1] * x[1], angle[2] = {__builtin_sqrt(X * X + Y * Y), n.half * x[2]};
  const double sine[2] = {__builtin_sin(angle[0]), __builtin_sin(angle[1])}, cosine[2] = {__builtin_cos(angle[0]), __builtin_cos(angle[1])};
  write_cone(n, x, angle, sine, cosine, q);
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
