// Wide: as many doubles as a register of the instruction set holds. Like everything that kernels include, this header does not use the standard
// library: an inline function shared between object files could carry AVX code to a processor without it.
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

// Returns the numbers of `a` where `mask` is set, and those of `b` elsewhere.
template <class M, class V>
static inline V where(const M& mask, const V& a, const V& b) {
  return mask ? a : b;
}

// Returns the numbers of `a`, or of `a` followed by `b`, at the indices I.
#if defined(__clang__)
template <int... I, class V>
static inline V arranged(const V& a) {
  return __builtin_shufflevector(a, a, I...);
}
template <int... I, class V>
static inline V arranged(const V& a, const V& b) {
  return __builtin_shufflevector(a, b, I...);
}
#else  // GCC has __builtin_shufflevector only since version 12
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
