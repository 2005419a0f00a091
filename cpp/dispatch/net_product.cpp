#include "dispatch/net_product.h"

#include "dispatch/backend.h"

namespace manikin {

void net_product(int in, int wide, const NetRow* W, const float* b, float slope, const float* x, const float* other, float* out, float* other_out) {
#ifdef MANIKIN_HAVE_V3
  if (&kernels() == &kernels_v3()) return v3::net_product(in, wide, W, b, slope, x, other, out, other_out);
#endif
  base::net_product(in, wide, W, b, slope, x, other, out, other_out);
}

}  // namespace manikin
