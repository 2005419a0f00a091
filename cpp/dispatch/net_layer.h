// A layer of the net of natural starts, by the kernels in use.
#pragma once
#include "kernels/net_layer.h"

namespace manikin {

// Computes the layer of base::net_layer.
void net_layer(int in, int wide, const NetRow* W, const float* b, float slope, const float* s, const float* d, float* sum, float* difference);

}  // namespace manikin
