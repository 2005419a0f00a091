// The product of rows with a matrix, by the kernels in use.
#pragma once
#include "kernels/net_product.h"

namespace manikin {

// Computes out += x W and other_out += other W. W (in, wide) is stored as wide / kNetTogether blocks (in, kNetTogether), one after the
// other; wide is a multiple of kNetTogether.
void net_product(int in, int wide, const float* W, const float* x, const float* other, float* out, float* other_out);

}  // namespace manikin
