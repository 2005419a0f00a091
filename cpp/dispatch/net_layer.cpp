#include "dispatch/net_layer.h"

#include "dispatch/backend.h"

namespace manikin {

void net_layer(int in, int wide, const NetRow* W, const float* b, float slope, const float* s, const float* d, float* sum, float* difference) {
#ifdef MANIKIN_HAVE_V3
  if (&kernels() == &kernels_v3()) return v3::net_layer(in, wide, W, b, slope, s, d, sum, difference);
#endif
  base::net_layer(in, wide, W, b, slope, s, d, sum, difference);
}

}  // namespace manikin
