// A vector of 32 bytes as two of 16, for processors with registers of 16 bytes.
//
// It behaves like the compilers' own vectors, but `where(mask, a, b)` replaces `mask ? a : b`. There GCC splits its own vectors of 32 bytes into
// single numbers and passes them through memory, which is two to four times as slow. Every function is always inlined, so that no object file exports
// one.
#pragma once
#include "math/wide.h"

namespace manikin {
namespace MANIKIN_ISA {

#define MANIKIN_INLINE inline __attribute__((always_inline))

typedef float FourFloats __attribute__((vector_size(16)));
typedef float FourFloatsUnaligned __attribute__((vector_size(16), aligned(4), may_alias));
typedef int FourInts __attribute__((vector_size(16)));

// The number type of a half, and the integer type of its comparisons.
template <class Half>
struct HalfOf;
template <>
struct HalfOf<Wide> {
  typedef double Number;
  typedef WideBits Mask;
};
template <>
struct HalfOf<WideBits> {
  typedef long long Number;
  typedef WideBits Mask;
};
template <>
struct HalfOf<FourFloats> {
  typedef float Number;
  typedef FourInts Mask;
};
template <>
struct HalfOf<FourInts> {
  typedef int Number;
  typedef FourInts Mask;
};

template <class Half>
struct Halves;

// One number of a vector, to read or set.
template <class Half>
struct Place {
  typedef typename HalfOf<Half>::Number Number;
  Halves<Half>& of;
  int k;

  MANIKIN_INLINE operator Number() const { return static_cast<const Halves<Half>&>(of)[k]; }
  MANIKIN_INLINE void operator=(Number x) {
    if (k < Halves<Half>::kEach)
      of.low[k] = x;
    else
      of.high[k - Halves<Half>::kEach] = x;
  }
  MANIKIN_INLINE void operator=(const Place& x) { *this = static_cast<Number>(x); }
  MANIKIN_INLINE void operator-=(Number x) { *this = *this - x; }
};

template <class Half>
struct __attribute__((may_alias, aligned(32))) Halves {  // may_alias: arrays of plain numbers are read as this type
  typedef typename HalfOf<Half>::Number Number;
  typedef Halves<typename HalfOf<Half>::Mask> Mask;
  static constexpr int kEach = sizeof(Half) / sizeof(Number);

  Half low, high;

  Halves() = default;
  MANIKIN_INLINE constexpr Halves(const Half& a, const Half& b) : low(a), high(b) {}
  MANIKIN_INLINE constexpr Halves(Number a, Number b, Number c, Number d) : low{a, b}, high{c, d} {}
  MANIKIN_INLINE constexpr Halves(Number a, Number b, Number c, Number d, Number e, Number f, Number g, Number h)
      : low{a, b, c, d}, high{e, f, g, h} {}
  template <class Other>
  MANIKIN_INLINE explicit operator Halves<Other>() const {  // the same bits
    return {(Other)low, (Other)high};
  }
  MANIKIN_INLINE Number operator[](int k) const { return k < kEach ? low[k] : high[k - kEach]; }
  MANIKIN_INLINE Place<Half> operator[](int k) { return {*this, k}; }

  friend MANIKIN_INLINE Halves operator-(const Halves& a) { return {-a.low, -a.high}; }
  friend MANIKIN_INLINE Halves operator~(const Halves& a) { return {~a.low, ~a.high}; }
  friend MANIKIN_INLINE Halves operator<<(const Halves& a, int by) { return {a.low << by, a.high << by}; }
#define MANIKIN_OPERATOR(sign)                                                                                                    \
  friend MANIKIN_INLINE Halves operator sign(const Halves& a, const Halves& b) { return {a.low sign b.low, a.high sign b.high}; } \
  friend MANIKIN_INLINE Halves operator sign(const Halves& a, Number b) { return {a.low sign b, a.high sign b}; }                 \
  friend MANIKIN_INLINE Halves operator sign(Number a, const Halves& b) { return {a sign b.low, a sign b.high}; }                 \
  template <class Other>                                                                                                          \
  MANIKIN_INLINE Halves& operator sign##=(const Other& b) {                                                                       \
    return *this = *this sign b;                                                                                                  \
  }
  MANIKIN_OPERATOR(+)
  MANIKIN_OPERATOR(-)
  MANIKIN_OPERATOR(*)
  MANIKIN_OPERATOR(/)
  MANIKIN_OPERATOR(&)
  MANIKIN_OPERATOR(|)
  MANIKIN_OPERATOR(^)
#undef MANIKIN_OPERATOR
#define MANIKIN_COMPARISON(sign)                                                                                 \
  friend MANIKIN_INLINE Mask operator sign(const Halves& a, const Halves& b) {                                   \
    return {(typename HalfOf<Half>::Mask)(a.low sign b.low), (typename HalfOf<Half>::Mask)(a.high sign b.high)}; \
  }                                                                                                              \
  friend MANIKIN_INLINE Mask operator sign(const Halves& a, Number b) {                                          \
    return {(typename HalfOf<Half>::Mask)(a.low sign b), (typename HalfOf<Half>::Mask)(a.high sign b)};          \
  }
  MANIKIN_COMPARISON(<)
  MANIKIN_COMPARISON(>)
  MANIKIN_COMPARISON(<=)
  MANIKIN_COMPARISON(>=)
  MANIKIN_COMPARISON(==)
  MANIKIN_COMPARISON(!=)
#undef MANIKIN_COMPARISON
};

// The same functions as in wide.h.
template <class Half>
static MANIKIN_INLINE Halves<Half> where(const typename Halves<Half>::Mask& mask, const Halves<Half>& a, const Halves<Half>& b) {
  return {mask.low ? a.low : b.low, mask.high ? a.high : b.high};
}

template <int... I, class Half>
static MANIKIN_INLINE Halves<Half> arranged(const Halves<Half>& a) {
  return Halves<Half>(a[I]...);
}
template <int... I, class Half>
static MANIKIN_INLINE Halves<Half> arranged(const Halves<Half>& a, const Halves<Half>& b) {
  constexpr int count = sizeof...(I);
  return Halves<Half>((I < count ? a[I % count] : b[I % count])...);
}

#undef MANIKIN_INLINE

}  // namespace MANIKIN_ISA
}  // namespace manikin
