#include "kernels/net_product.h"

namespace manikin {
namespace MANIKIN_ISA {
namespace {

#ifdef __AVX__
constexpr int kLanes = 8, kBlocks = 1;
#else
constexpr int kLanes = 4, kBlocks = 2;  // twice half of the columns, because there are fewer registers
#endif
typedef float Lanes __attribute__((vector_size(4 * kLanes), aligned(4), may_alias));
constexpr int kVectors = kNetTogether / kLanes / kBlocks;

}  // namespace

void net_product(int in, int wide, const float* W, const float* x, const float* other, float* out, float* other_out) {
  for (int first = 0; first < wide; first += kVectors * kLanes) {
    Lanes one[kVectors], two[kVectors];
    for (int k = 0; k < kVectors; ++k) {
      one[k] = *reinterpret_cast<const Lanes*>(out + first + kLanes * k);
      two[k] = *reinterpret_cast<const Lanes*>(other_out + first + kLanes * k);
    }
    for (int i = 0; i < in; ++i) {
      const Lanes* row = reinterpret_cast<const Lanes*>(W + i * wide + first);
      for (int k = 0; k < kVectors; ++k) {
        one[k] += x[i] * row[k];
        two[k] += other[i] * row[k];
      }
    }
    for (int k = 0; k < kVectors; ++k) {
      *reinterpret_cast<Lanes*>(out + first + kLanes * k) = one[k];
      *reinterpret_cast<Lanes*>(other_out + first + kLanes * k) = two[k];
    }
  }
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
