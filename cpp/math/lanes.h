// Lanes: the vector type in which several poses are computed together, with sine and cosine.
#pragma once
#include "math/halves.h"
#include "math/wide.h"

namespace manikin {
namespace MANIKIN_ISA {

// Four numbers of one pose, and eight floats, for every instruction set. The bit types are those of comparisons.
#if MANIKIN_LANES == 4
typedef double Four __attribute__((vector_size(32)));
typedef decltype(Four{} < Four{}) FourBits;
typedef float Eight8 __attribute__((vector_size(32)));
typedef int Bits8 __attribute__((vector_size(32)));
#else
typedef Halves<Wide> Four;
typedef Halves<WideBits> FourBits;
typedef Halves<FourFloats> Eight8;
typedef Halves<FourInts> Bits8;
#endif

// A vector at any address.
template <class V>
static inline V loaded(const void* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}

template <class V>
struct LanesOf;
template <>
struct LanesOf<double> {
  static constexpr int count = 1;
  typedef long long Bits;
};
template <>
struct LanesOf<Wide> {
  static constexpr int count = MANIKIN_LANES;
  typedef WideBits Bits;
};

template <class V>
static inline V splat(double x) {
  return V{} + x;
}

static inline double get(double x, int) { return x; }
// NOLINTNEXTLINE(clang-analyzer-core.uninitialized.UndefReturn): the analyzer does not know that V{} is a vector of zeros
static inline double get(const Wide& x, int lane) { return x[lane]; }
static inline void set(double& x, int, double value) { x = value; }
static inline void set(Wide& x, int lane, double value) { x[lane] = value; }

static inline long long bits_of(double x) {
  long long b;
  __builtin_memcpy(&b, &x, sizeof b);
  return b;
}
static inline double from_bits(long long b) {
  double x;
  __builtin_memcpy(&x, &b, sizeof x);
  return x;
}
static inline WideBits bits_of(const Wide& x) { return (WideBits)x; }
static inline Wide from_bits(const WideBits& b) { return (Wide)b; }

// Sine and cosine for |x| below kLargestAngle, in radians. The nearest multiple of pi/2 is subtracted in three parts (Cody and Waite), the rest goes
// through the polynomials of fdlibm, and the quadrant swaps the two and sets their signs. The error is about 1 ulp.
static constexpr double kLargestAngle = 1.0e5;

template <class V>
static inline void sincos_reduced(const V& x, V& sine, V& cosine) {
  typedef typename LanesOf<V>::Bits Bits;
  const double kShift = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer in the low bits
  const V shifted = x * 0.63661977236758134308 + kShift;
  const Bits quadrant = bits_of(shifted);
  const V n = shifted - kShift;
  V r = x - n * 1.57079632673412561417e+00;  // pi/2 in parts of 33 bits, so that n * part is exact
  r = r - n * 6.07710050630396597660e-11;
  r = r - n * 2.02226624879595063154e-21;
  const V z = r * r;
  const V s = r + r * z *
                      (-1.66666666666666324348e-01 +
                       z * (8.33333333332248946124e-03 +
                            z * (-1.98412698298579493134e-04 +
                                 z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
  const V c = 1.0 - 0.5 * z +
              z * z *
                  (4.16666666666666019037e-02 +
                   z * (-1.38888888888741095749e-03 +
                        z * (2.48015872894767294178e-05 +
                             z * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
  const Bits swap = -(quadrant & 1);  // all ones if sine and cosine are swapped
  const Bits sb = bits_of(s), cb = bits_of(c);
  const Bits sign_s = (quadrant & 2) << 62, sign_c = ((quadrant + 1) & 2) << 62;
  sine = from_bits(((sb & ~swap) | (cb & swap)) ^ sign_s);
  cosine = from_bits(((cb & ~swap) | (sb & swap)) ^ sign_c);
}

static inline bool beyond(double x) { return !(__builtin_fabs(x) < kLargestAngle); }

// Whether a number of the vector is beyond.
static inline bool beyond(const Wide& x) {
  const WideBits far = ~(WideBits)(from_bits(bits_of(x) & 0x7fffffffffffffff) < kLargestAngle);
#if defined(__AVX__)
  return __builtin_ia32_movmskpd256((Wide)far) != 0;
#elif defined(__SSE2__)
  return __builtin_ia32_movmskpd((Wide)far) != 0;
#else
  long long any = 0;
  for (int lane = 0; lane < MANIKIN_LANES; ++lane) any |= far[lane];
  return any != 0;
#endif
}

template <class V>
static inline void sincos_lanes(const V& x, V& sine, V& cosine) {
  sincos_reduced(x, sine, cosine);
  if (__builtin_expect(!beyond(x), 1)) return;
  for (int lane = 0; lane < LanesOf<V>::count; ++lane) {
    const double angle = get(x, lane);
    if (beyond(angle)) {  // rare: the C library handles any number of turns
      set(sine, lane, __builtin_sin(angle));
      set(cosine, lane, __builtin_cos(angle));
    }
  }
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
