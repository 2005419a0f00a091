// The arithmetic of arms, on one double or on eight floats.
#pragma once
#include "math/lanes.h"

namespace manikin {
namespace MANIKIN_ISA {

template <class V>
struct Kind;
template <>
struct Kind<float> {
  typedef float Scalar;
  typedef bool Mask;
};
template <>
struct Kind<double> {
  typedef double Scalar;
  typedef bool Mask;
};
template <>
struct Kind<Wide> {
  typedef double Scalar;
  typedef WideBits Mask;
};
template <>
struct Kind<Eight8> {
  typedef float Scalar;
  typedef Bits8 Mask;
};

static inline double pick(bool mask, double a, double b) { return mask ? a : b; }
static inline Eight8 pick(const Bits8& mask, const Eight8& a, const Eight8& b) { return (Eight8)(((Bits8)a & mask) | ((Bits8)b & ~mask)); }
static inline Wide pick(const WideBits& mask, const Wide& a, const Wide& b) { return (Wide)(((WideBits)a & mask) | ((WideBits)b & ~mask)); }
static inline Wide largest(const Wide& a, const Wide& b) { return a > b ? a : b; }
static inline Wide root(const Wide& a) {
  Wide r;
  for (int k = 0; k < MANIKIN_LANES; ++k) r[k] = __builtin_sqrt(a[k]);
  return r;
}
static inline double drop(bool mask, double a) { return mask ? 0.0 : a; }
static inline Eight8 drop(const Bits8& mask, const Eight8& a) { return (Eight8)((Bits8)a & ~mask); }
static inline double largest(double a, double b) { return a > b ? a : b; }
// One instruction with the same bits as a > b ? a : b and a < b ? a : b, also for NaN.
#if defined(__AVX2__)
static inline Eight8 largest(const Eight8& a, const Eight8& b) { return __builtin_ia32_maxps256(a, b); }
static inline Eight8 smallest(const Eight8& a, const Eight8& b) { return __builtin_ia32_minps256(a, b); }
#else
static inline Eight8 largest(const Eight8& a, const Eight8& b) { return where(a > b, a, b); }
static inline Eight8 smallest(const Eight8& a, const Eight8& b) { return where(a < b, a, b); }
#endif
static inline Eight8 all_of(float x) { return Eight8{x, x, x, x, x, x, x, x}; }
static inline float largest(float a, float b) { return a > b ? a : b; }
static inline float pick(bool mask, float a, float b) { return mask ? a : b; }
static inline float root(float a) { return __builtin_sqrtf(a); }
static inline double absolute(double a) { return __builtin_fabs(a); }
static inline Eight8 absolute(const Eight8& a) { return (Eight8)((Bits8)a & 0x7fffffff); }
static inline double root(double a) { return __builtin_sqrt(a); }
static inline Eight8 root(const Eight8& a) {
  Eight8 r;
  for (int k = 0; k < 8; ++k) r[k] = __builtin_sqrtf(a[k]);
  return r;
}
// Returns a bit for each lane whose mask is set.
static inline unsigned lanes_of(const Bits8& m) {
#if defined(__AVX2__)
  return static_cast<unsigned>(__builtin_ia32_movmskps256((Eight8)m));
#else
  unsigned all = 0;
  for (int k = 0; k < 8; ++k) all |= (m[k] ? 1u : 0u) << k;
  return all;
#endif
}
// Returns the lane with the smallest number; the first of equals, and lane 0 if all are NaN.
static inline int least_lane(const Eight8& v) {
  Eight8 m = smallest(v, arranged<4, 5, 6, 7, 0, 1, 2, 3>(v));
  m = smallest(m, arranged<2, 3, 0, 1, 6, 7, 4, 5>(m));
  m = smallest(m, arranged<1, 0, 3, 2, 5, 4, 7, 6>(m));
  const unsigned at = lanes_of(v == m);
  return at ? __builtin_ctz(at) : 0;
}
static inline bool both(bool a, bool b) { return a && b; }
static inline Bits8 both(const Bits8& a, const Bits8& b) { return a & b; }
static inline bool either(bool a, bool b) { return a || b; }
static inline Bits8 either(const Bits8& a, const Bits8& b) { return a | b; }

static inline void sincos_of(double x, double& sine, double& cosine) { sincos_lanes(x, sine, cosine); }
static inline void sincos_of(const Wide& x, Wide& sine, Wide& cosine) { sincos_lanes(x, sine, cosine); }

// For |x| below a few hundred turns; the error is about 1e-7.
static inline void sincos_of(const Eight8& x, Eight8& sine, Eight8& cosine) {
  const Eight8 shifted = x * 0.636619772f + 12582912.0f;  // 1.5 * 2^23: the nearest integer is in the low bits
  const Bits8 quadrant = (Bits8)shifted;
  const Eight8 n = shifted - 12582912.0f;
  Eight8 r = x - n * 1.5703125f;
  r = r - n * 4.837512969970703125e-4f;
  r = r - n * 7.54978995489188216e-8f;
  const Eight8 z = r * r;
  const Eight8 s = r + r * z * (-1.6666654611e-1f + z * (8.3321608736e-3f + z * -1.9515295891e-4f));
  const Eight8 c = 1.0f - 0.5f * z + z * z * (4.166664568298827e-2f + z * (-1.388731625493765e-3f + z * 2.443315711809948e-5f));
  const Bits8 swap = -(quadrant & 1), sb = (Bits8)s, cb = (Bits8)c;
  sine = (Eight8)(((sb & ~swap) | (cb & swap)) ^ ((quadrant & 2) << 30));
  cosine = (Eight8)(((cb & ~swap) | (sb & swap)) ^ (((quadrant + 1) & 2) << 30));
}

template <class V>
struct Vec {
  V x, y, z;
};
template <class V>
static inline Vec<V> operator+(const Vec<V>& a, const Vec<V>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class V>
static inline Vec<V> operator-(const Vec<V>& a, const Vec<V>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class V, class S>
static inline Vec<V> operator*(const Vec<V>& a, const S& k) {
  return {a.x * k, a.y * k, a.z * k};
}
template <class V>
static inline V dot(const Vec<V>& a, const Vec<V>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class V>
static inline Vec<V> cross(const Vec<V>& a, const Vec<V>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// A symmetric 3x3 matrix.
template <class V>
struct Sym {
  V xx, xy, xz, yy, yz, zz;
};
template <class V>
static inline Vec<V> operator*(const Sym<V>& m, const Vec<V>& v) {
  return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z, m.xz * v.x + m.yz * v.y + m.zz * v.z};
}
// The inverse times the determinant.
template <class V>
static inline Sym<V> adjugate(const Sym<V>& m, V& determinant) {
  const V a = m.yy * m.zz - m.yz * m.yz, b = m.xz * m.yz - m.xy * m.zz, c = m.xy * m.yz - m.xz * m.yy;
  determinant = m.xx * a + m.xy * b + m.xz * c;
  return {a, b, c, m.xx * m.zz - m.xz * m.xz, m.xy * m.xz - m.xx * m.yz, m.xx * m.yy - m.xy * m.xy};
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
