// The swing and the twist of a rotation, for kernels and host code. Static, like math/quaternion.h. kinematics/swing_twist.py has the same formulas.
// They use only sums, products, quotients and square roots, so that NumPy gives the same bits as host code.
#pragma once

namespace manikin {

// If the cosine of half a swing is below this, the twist is undefined and is taken as 0.
static constexpr double kLostTwist = 1e-150;

// 2 atan2(s, c) for c >= 0. The angle is halved twice, so that its tangent is below 0.415, where a polynomial suffices (coefficients of fdlibm's
// atan).
static inline double twice_arc(double s, double c) {
  const double half = s / (__builtin_sqrt(s * s + c * c) + c), t = half / (1.0 + __builtin_sqrt(1.0 + half * half));
  const double z = t * t, w = z * z;
  const double even = z * (3.33333333333329318027e-01 +
                           w * (1.42857142725034663711e-01 +
                                w * (9.09088713343650656196e-02 +
                                     w * (6.66107313738753120669e-02 + w * (4.97687799461593236017e-02 + w * 1.62858201153657823623e-02)))));
  const double odd = w * (-1.99999999998764832476e-01 +
                          w * (-1.11111104054623557880e-01 +
                               w * (-7.69187620504482999495e-02 + w * (-5.83357013379057348645e-02 + w * -3.65315727442169155270e-02))));
  return 8.0 * (t - t * (even + odd));
}

struct SwingTwist {
  double cosine, sine;  // of half the twist
  double x, y;          // of the swing's quaternion, perpendicular to the axis
  double swing_sine;    // of half the swing: the length of (x, y)
  double swing_cosine;  // of half the swing, at least 0
};

// Decomposes the unit quaternion m = w, x, y, z, whose z is along the axis.
static inline SwingTwist swing_twist_of(const double* m) {
  const double length = __builtin_sqrt(m[0] * m[0] + m[3] * m[3]);
  const double c = length > kLostTwist ? m[0] / length : 1.0, s = length > kLostTwist ? m[3] / length : 0.0;
  const double sx = m[1] * c - m[2] * s, sy = m[1] * s + m[2] * c;  // with the twist removed, no component is left along the axis
  return {c, s, sx, sy, __builtin_sqrt(sx * sx + sy * sy), length};
}

// The twist, in radians: within half a turn, both ends included.
static inline double twist_of(const SwingTwist& t) { return t.cosine < 0.0 ? twice_arc(-t.sine, -t.cosine) : twice_arc(t.sine, t.cosine); }

}  // namespace manikin
