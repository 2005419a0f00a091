// Vectors of four numbers: three of space and an unused one, or four of one kind.
#pragma once
#include "math/lanes.h"

namespace manikin {
namespace MANIKIN_ISA {

static const Four kUnit[3] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
static const Four kNone = {0, 0, 0, 0};

static inline Four four(const double* a) { return loaded<Four>(a); }
static inline void put_four(double* a, const Four& x) { __builtin_memcpy(a, &x, sizeof x); }

static inline bool any(const FourBits& b) {
#if defined(__AVX__)
  return __builtin_ia32_movmskpd256(reinterpret_cast<const Four&>(b)) != 0;
#else
  return (b[0] | b[1] | b[2] | b[3]) != 0;
#endif
}

// One bit for each of four lanes.
static inline int lanes_of(const FourBits& b) {
#if defined(__AVX__)
  return __builtin_ia32_movmskpd256(reinterpret_cast<const Four&>(b));
#else
  return static_cast<int>((b[0] & 1) | (b[1] & 2) | (b[2] & 4) | (b[3] & 8));
#endif
}

// Returns the sums of the numbers of each of four vectors.
static inline Four sums(const Four& a, const Four& b, const Four& c, const Four& d) {
  const Four ab = arranged<0, 4, 2, 6>(a, b) + arranged<1, 5, 3, 7>(a, b);
  const Four cd = arranged<0, 4, 2, 6>(c, d) + arranged<1, 5, 3, 7>(c, d);
  return arranged<0, 1, 4, 5>(ab, cd) + arranged<2, 3, 6, 7>(ab, cd);
}

static inline double dot3(const Four& a, const Four& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static inline double length3(const Four& a) { return __builtin_sqrt(dot3(a, a)); }
static inline Four cross3(const Four& a, const Four& b) {
#if defined(__AVX2__)
  return arranged<1, 2, 0, 3>(a * arranged<1, 2, 0, 3>(b) - arranged<1, 2, 0, 3>(a) * b);
#else
  return Four{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0], 0.0};
#endif
}
static inline Four three(const double* a) { return Four{a[0], a[1], a[2], 0.0}; }

static inline Four clamped_four(const Four& x, const Four& lower, const Four& upper) {
  const Four below = where(x > upper, upper, x);
  return where(x < lower, lower, below);
}
static inline double clamped(double x, double lower, double upper) { return x < lower ? lower : x > upper ? upper : x; }

}  // namespace MANIKIN_ISA
}  // namespace manikin
