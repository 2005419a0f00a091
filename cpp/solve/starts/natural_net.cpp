#include "solve/starts/natural_net.h"

#include <algorithm>

#include "math/halves.h"
#include "math/index.h"
#include "model/require.h"
#include "solve/constants.h"

namespace manikin {
namespace {

// Every processor executes the same instructions, so the bits are the same.
using MANIKIN_ISA::FourFloatsUnaligned;

// Computes the inputs of the net for the mirrored body.
void mirrored_inputs(const float* x, float* out) {
  for (int e = 0; e < kNaturalEffectors; ++e) {
    const float *place = x + 3 * kNaturalSwap[e], *axes = x + 18 + 6 * kNaturalSwap[e];
    const float places[3] = {-place[0], place[1], place[2]}, columns[6] = {axes[0], -axes[1], -axes[2], -axes[3], axes[4], axes[5]};
    std::copy(places, places + 3, out + 3 * e);
    std::copy(columns, columns + 6, out + 18 + 6 * e);
    out[54 + e] = x[54 + kNaturalSwap[e]];
    out[60 + e] = x[60 + kNaturalSwap[e]];
  }
  std::copy(x + 66, x + kNaturalInputs, out + 66);
}

int filled(int wide) { return (wide + kNaturalTogether - 1) / kNaturalTogether * kNaturalTogether; }

// Computes out += x W for two rows of numbers at once; W has `wide` columns, a multiple of kNaturalTogether.
void add_product(int in, int wide, const float* W, const float* x, const float* other, float* out, float* other_out) {
  for (int first = 0; first < wide; first += kNaturalTogether) {
    FourFloatsUnaligned one[4], two[4];
    for (int k = 0; k < 4; ++k) {
      one[k] = *reinterpret_cast<const FourFloatsUnaligned*>(out + first + 4 * k);
      two[k] = *reinterpret_cast<const FourFloatsUnaligned*>(other_out + first + 4 * k);
    }
    for (int i = 0; i < in; ++i) {
      const FourFloatsUnaligned a = {x[i], x[i], x[i], x[i]}, b = {other[i], other[i], other[i], other[i]};
      const FourFloatsUnaligned* row = reinterpret_cast<const FourFloatsUnaligned*>(W + i * wide + first);
      for (int k = 0; k < 4; ++k) {
        one[k] += a * row[k];
        two[k] += b * row[k];
      }
    }
    for (int k = 0; k < 4; ++k) {
      *reinterpret_cast<FourFloatsUnaligned*>(out + first + 4 * k) = one[k];
      *reinterpret_cast<FourFloatsUnaligned*>(other_out + first + 4 * k) = two[k];
    }
  }
}

void rectify(int wide, float* h) {
  for (int j = 0; j < wide; ++j) h[j] = h[j] > 0.0f ? h[j] : kNaturalSlope * h[j];
}

// Converts a matrix to single precision and pads its rows with zeros.
std::vector<float> single(const std::vector<double>& numbers, int rows, int columns, int wide) {
  std::vector<float> out(at(rows * wide), 0.0f);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) out[at(i * wide + j)] = static_cast<float>(numbers[at(i * columns + j)]);
  return out;
}

}  // namespace

NaturalNet::NaturalNet(const NaturalNetArrays& a) : width_(filled(static_cast<int>(a.b0.size()))), out_(a.out) {
  const std::size_t wide = a.b0.size();
  require(wide > 0 && wide <= kNaturalWidest && a.mean.size() == kNaturalInputs && a.scale.size() == kNaturalInputs &&
              a.W0.size() == kNaturalInputs * wide && a.W1.size() == wide * wide && a.b1.size() == wide && a.W2.size() == wide * kNaturalOutputs &&
              a.out.size() == kNaturalOutputs,
          "the shapes of the arrays of a natural start do not match");
  mean_.assign(a.mean.begin(), a.mean.end());
  for (const double s : a.scale) inverse_scale_.push_back(static_cast<float>(1.0 / s));
  const int columns = static_cast<int>(wide);
  std::vector<double> second(at(width_ * columns), 0.0), third(at(width_ * kNaturalOutputs), 0.0);  // with rows for the padded columns
  std::copy(a.W1.begin(), a.W1.end(), second.begin());
  std::copy(a.W2.begin(), a.W2.end(), third.begin());
  W0_ = single(a.W0, kNaturalInputs, columns, width_);
  b0_ = single(a.b0, 1, columns, width_);
  W1_ = single(second, width_, columns, width_);
  b1_ = single(a.b1, 1, columns, width_);
  W2_ = single(third, width_, kNaturalOutputs, kNaturalFilled);
}

void NaturalNet::evaluate(const float* x, double* y) const {
  float seen[2][kNaturalInputs], h[2][kNaturalWidest], g[2][kNaturalWidest], given[2][kNaturalFilled] = {};
  std::copy(x, x + kNaturalInputs, seen[0]);
  mirrored_inputs(x, seen[1]);
  for (auto& side : seen)
    for (int i = 0; i < kNaturalInputs; ++i)
      side[i] = std::min(std::max((side[i] - mean_[at(i)]) * inverse_scale_[at(i)], -kNaturalMost), kNaturalMost);
  for (auto& side : h) std::copy(b0_.begin(), b0_.end(), side);
  add_product(kNaturalInputs, width_, W0_.data(), seen[0], seen[1], h[0], h[1]);
  for (auto& side : h) rectify(width_, side);
  for (auto& side : g) std::copy(b1_.begin(), b1_.end(), side);
  add_product(width_, width_, W1_.data(), h[0], h[1], g[0], g[1]);
  for (auto& side : g) rectify(width_, side);
  add_product(width_, kNaturalFilled, W2_.data(), g[0], g[1], given[0], given[1]);
  const auto put = [&](int to, int from, float sign) {
    y[to] = 0.5 * (static_cast<double>(given[0][to]) + static_cast<double>(sign * given[1][from])) + out_[at(to)];
  };
  for (int part = 0; part < kNaturalParts; ++part) {
    const int other = part < 3 ? part : part < 10 ? part + 7 : part - 7;
    for (int j = 0; j < 3; ++j) put(3 * part + j, 3 * other + j, j == 0 ? 1.0f : -1.0f);
  }
  constexpr float signs[9] = {1, -1, -1, -1, 1, 1, -1, 1, 1};
  for (int k = 0; k < 9; ++k) put(51 + k, 51 + k, signs[k]);
}

}  // namespace manikin
