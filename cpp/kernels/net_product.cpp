#include "kernels/net_product.h"

namespace manikin {
namespace MANIKIN_ISA {
namespace {

// The sums of `columns` columns and two rows fit the registers.
struct Tile {
#ifdef __AVX__
  static constexpr int lanes = 8;
#else
  static constexpr int lanes = 4;
#endif
  static constexpr int vectors = 4, columns = vectors * lanes;
};
typedef float Lanes __attribute__((vector_size(4 * Tile::lanes), aligned(4), may_alias));

Lanes rectified(Lanes z, float slope) { return z > 0.0f ? z : slope * z; }

}  // namespace

void net_product(int in, int wide, const NetRow* W, const float* b, float slope, const float* x, const float* other, float* out, float* other_out) {
  for (int first = 0; first < wide; first += Tile::columns) {
    const NetRow* at = W + first / kNetTogether * in;
    const int within = first % kNetTogether;
    Lanes one[Tile::vectors], two[Tile::vectors];
    for (int k = 0; k < Tile::vectors; ++k) one[k] = two[k] = *reinterpret_cast<const Lanes*>(b + first + Tile::lanes * k);
    for (int i = 0; i < in; ++i, ++at) {
      for (int k = 0; k < Tile::vectors; ++k) {
        const Lanes column = *reinterpret_cast<const Lanes*>(at->column + within + Tile::lanes * k);
        one[k] += x[i] * column;
        two[k] += other[i] * column;
      }
    }
    for (int k = 0; k < Tile::vectors; ++k) {
      *reinterpret_cast<Lanes*>(out + first + Tile::lanes * k) = rectified(one[k], slope);
      *reinterpret_cast<Lanes*>(other_out + first + Tile::lanes * k) = rectified(two[k], slope);
    }
  }
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
