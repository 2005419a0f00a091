#include "kernels/net_product.h"

namespace manikin {
namespace MANIKIN_ISA {
namespace {

#ifdef __AVX__
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif
typedef float Lanes __attribute__((vector_size(4 * kLanes), aligned(4), may_alias));
constexpr int kVectors = 4, kColumns = kVectors * kLanes;  // the sums of so many columns and two rows fit the registers

}  // namespace

void net_product(int in, int wide, const float* W, const float* x, const float* other, float* out, float* other_out) {
  for (int first = 0; first < wide; first += kColumns) {
    const float* at = W + first / kNetTogether * kNetTogether * in + first % kNetTogether;
    Lanes one[kVectors], two[kVectors];
    for (int k = 0; k < kVectors; ++k) {
      one[k] = *reinterpret_cast<const Lanes*>(out + first + kLanes * k);
      two[k] = *reinterpret_cast<const Lanes*>(other_out + first + kLanes * k);
    }
    for (int i = 0; i < in; ++i, at += kNetTogether) {
      for (int k = 0; k < kVectors; ++k) {
        const Lanes column = *reinterpret_cast<const Lanes*>(at + kLanes * k);
        one[k] += x[i] * column;
        two[k] += other[i] * column;
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
