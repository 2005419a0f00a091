#include "kernels/net_layer.h"

namespace manikin {
namespace MANIKIN_ISA {
namespace {

// The sums of both halves of `columns` columns fit the registers.
struct Tile {
#ifdef __AVX__
  static constexpr int lanes = 8;
#else
  static constexpr int lanes = 4;
#endif
  static constexpr int vectors = 4, columns = vectors * lanes;
};
typedef float Lanes __attribute__((vector_size(4 * Tile::lanes), aligned(4), may_alias));
typedef unsigned Bits __attribute__((vector_size(4 * Tile::lanes), aligned(4), may_alias));

Lanes rectified(Lanes z, float slope) { return z > 0.0f ? z : slope * z; }

// Rounds to 17 significant bits.
Lanes rounded(Lanes z) { return reinterpret_cast<Lanes>((reinterpret_cast<Bits>(z) + kNetRoundingHalf) & ~kNetRounding); }

}  // namespace

void net_layer(int in, int wide, const NetRow* W, const float* b, float slope, const float* s, const float* d, float* sum, float* difference) {
  for (int first = 0; first < wide; first += Tile::columns) {
    const NetRow* at = W + first / kNetTogether * in;
    const int within = first % kNetTogether;
    Lanes p[Tile::vectors], q[Tile::vectors];
    for (int k = 0; k < Tile::vectors; ++k) {
      p[k] = *reinterpret_cast<const Lanes*>(b + first + Tile::lanes * k);
      q[k] = Lanes{};
    }
    for (int i = 0; i < in; ++i, ++at) {
      for (int k = 0; k < Tile::vectors; ++k) {
        const Bits both = *reinterpret_cast<const Bits*>(at->column + within + Tile::lanes * k);
        p[k] += s[i] * reinterpret_cast<Lanes>(both << 16);
        q[k] += d[i] * reinterpret_cast<Lanes>(both & 0xffff0000u);
      }
    }
    for (int k = 0; k < Tile::vectors; ++k) {
      const Lanes u = rectified(p[k] + q[k], slope), v = rectified(p[k] - q[k], slope);
      *reinterpret_cast<Lanes*>(sum + first + Tile::lanes * k) = rounded(u + v);
      *reinterpret_cast<Lanes*>(difference + first + Tile::lanes * k) = rounded(u - v);
    }
  }
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
