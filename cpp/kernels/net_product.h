// A layer of the net of natural starts, for two rows of numbers. Every sum is computed in the same order and without fused products, so the bits are
// the same on every processor.
#pragma once

#include "model/constants.h"

namespace manikin {

// A row of a block of columns. Rows begin at cache lines, because vectors that cross lines would take longer to load.
struct alignas(64) NetRow {
  float column[kNetTogether];
};

namespace base {
// Computes out = f(b + x W) and other_out = f(b + other W), with f(z) = z for z > 0 and slope z for other z. W (in, wide) is
// stored as wide / kNetTogether blocks (in, kNetTogether), one after the other.
void net_product(int in, int wide, const NetRow* W, const float* b, float slope, const float* x, const float* other, float* out, float* other_out);
}  // namespace base
#ifdef MANIKIN_HAVE_V3
namespace v3 {
void net_product(int in, int wide, const NetRow* W, const float* b, float slope, const float* x, const float* other, float* out, float* other_out);
}  // namespace v3
#endif

}  // namespace manikin
