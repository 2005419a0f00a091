// A layer of the net of natural starts, by the kernels in use.
#pragma once
#include "kernels/net_product.h"

namespace manikin {

// Computes out = f(b + x W) and other_out = f(b + other W), with f(z) = z for z > 0 and slope z for other z. W (in, wide) is stored as
// wide / kNetTogether blocks (in, kNetTogether), one after the other; wide is a multiple of kNetTogether.
void net_product(int in, int wide, const NetRow* W, const float* b, float slope, const float* x, const float* other, float* out, float* other_out);

}  // namespace manikin
