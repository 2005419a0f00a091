// The product of two rows of numbers with a matrix, for the net of natural starts. Every sum is computed in the same order and without fused products,
// so the bits are the same on every processor.
#pragma once

#include "model/constants.h"

namespace manikin {

namespace base {
// Computes out += x W and other_out += other W. W (in, wide) is stored as wide / kNetTogether blocks (in, kNetTogether), one after the other.
void net_product(int in, int wide, const float* W, const float* x, const float* other, float* out, float* other_out);
}  // namespace base
#ifdef MANIKIN_HAVE_V3
namespace v3 {
void net_product(int in, int wide, const float* W, const float* x, const float* other, float* out, float* other_out);
}  // namespace v3
#endif

}  // namespace manikin
