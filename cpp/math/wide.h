// Wide: as many doubles as a register of the instruction set holds. Free of the standard library, like all that kernels include:
// an inline function shared between object files could otherwise carry AVX code to a processor without it.
#pragma once
#include "math/isa.h"

#if defined(__AVX2__)
#define MANIKIN_LANES 4
#else
#define MANIKIN_LANES 2
#endif

namespace manikin {
namespace MANIKIN_ISA {

typedef double Wide __attribute__((vector_size(8 * MANIKIN_LANES)));
typedef double WideUnaligned __attribute__((vector_size(8 * MANIKIN_LANES), aligned(8), may_alias));
typedef long long WideBits __attribute__((vector_size(8 * MANIKIN_LANES)));

// Where `mask` is set the numbers of `a`, elsewhere those of `b`.
template <class M, class V>
static inline V where(const M& mask, const V& a, const V& b) {
  return mask ? a : b;
}

// The numbers of `a`, or of `a` followed by `b`, at the places I.
#if defined(__clang__)
template <int... I, class V>
static inline V arranged(const V& a) {
  return __builtin_shufflevector(a, a, I...);
}
template <int... I, class V>
static inline V arranged(const V& a, const V& b) {
  return __builtin_shufflevector(a, b, I...);
}
#else  // GCC has __builtin_shufflevector only from version 12 on
template <int... I, class V>
static inline V arranged(const V& a) {
  return __builtin_shuffle(a, decltype(a < a){I...});
}
template <int... I, class V>
static inline V arranged(const V& a, const V& b) {
  return __builtin_shuffle(a, b, decltype(a < b){I...});
}
#endif

}  // namespace MANIKIN_ISA
}  // namespace manikin
