// A layer of the net of natural starts. Its bits are the same on every processor: every sum is computed in the same order, and every product is
// exact, so it does not matter whether the compiler fuses products and sums. Weights have at most 7 significant bits, inputs at most 17, and the
// slope is a power of 2.
#pragma once

#include "model/constants.h"

namespace manikin {

// A row of a block of columns. The lower 16 bits of a number are the upper 16 bits of a float: the weight of the symmetric half. Its upper 16 bits
// are those of the weight of the antisymmetric half. Rows begin at cache lines, because vectors that cross lines would take longer to load.
struct alignas(64) NetRow {
  unsigned column[kNetTogether];
};
static_assert(sizeof(unsigned) == sizeof(float));

namespace base {
// Computes p = b + s A and q = d B, then sum = f(p + q) + f(p - q) and difference = f(p + q) - f(p - q), with f(z) = z for z > 0 and slope z for
// other z. Sums and differences are rounded to 17 significant bits. A and B (in, wide) are stored together as wide / kNetTogether blocks
// (in, kNetTogether), one after the other.
void net_layer(int in, int wide, const NetRow* W, const float* b, float slope, const float* s, const float* d, float* sum, float* difference);
}  // namespace base
#ifdef MANIKIN_HAVE_V3
namespace v3 {
void net_layer(int in, int wide, const NetRow* W, const float* b, float slope, const float* s, const float* d, float* sum, float* difference);
}  // namespace v3
#endif

}  // namespace manikin
