#include "solve/starts/natural_net.h"

#include <algorithm>

#include "dispatch/net_product.h"
#include "math/index.h"
#include "model/require.h"
#include "solve/constants.h"

namespace manikin {
namespace {

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

int filled(int wide) { return (wide + kNetTogether - 1) / kNetTogether * kNetTogether; }

// Converts numbers to single precision and pads them with zeros.
std::vector<float> single(const std::vector<double>& numbers, int wide) {
  std::vector<float> out(numbers.begin(), numbers.end());
  out.resize(at(wide), 0.0f);
  return out;
}

// Converts a matrix (given / columns, columns) to single precision, pads it with zeros to (rows, wide), and stores it as net_product reads it.
std::vector<NetRow> blocks(const std::vector<double>& numbers, int rows, int columns, int wide) {
  std::vector<NetRow> out(at(wide / kNetTogether * rows), NetRow{});
  const int given = static_cast<int>(numbers.size()) / columns;
  for (int i = 0; i < given; ++i)
    for (int j = 0; j < columns; ++j)
      out[at(j / kNetTogether * rows + i)].column[j % kNetTogether] = static_cast<float>(numbers[at(i * columns + j)]);
  return out;
}

}  // namespace

NaturalNet::NaturalNet(const NaturalNetArrays& a) : width_(filled(static_cast<int>(a.b0.size()))), out_(a.out) {
  const std::size_t wide = a.b0.size();
  require(wide > 0 && wide <= kNaturalWidest && a.mean.size() == kNaturalInputs && a.scale.size() == kNaturalInputs &&
              a.W0.size() == kNaturalInputs * wide && a.W1.size() == wide * wide && a.b1.size() == wide && a.W2.size() == wide * wide &&
              a.b2.size() == wide && a.W3.size() == wide * kNaturalOutputs && a.out.size() == kNaturalOutputs,
          "the shapes of the arrays of a natural start do not match");
  mean_.assign(a.mean.begin(), a.mean.end());
  for (const double s : a.scale) inverse_scale_.push_back(static_cast<float>(1.0 / s));
  const int columns = static_cast<int>(wide);
  W0_ = blocks(a.W0, kNaturalInputs, columns, width_);
  b0_ = single(a.b0, width_);
  W1_ = blocks(a.W1, width_, columns, width_);
  b1_ = single(a.b1, width_);
  W2_ = blocks(a.W2, width_, columns, width_);
  b2_ = single(a.b2, width_);
  W3_ = blocks(a.W3, width_, kNaturalOutputs, kNaturalFilled);
}

void NaturalNet::evaluate(const float* x, double* y) const {
  float seen[2][kNaturalInputs], h[2][kNaturalWidest], g[2][kNaturalWidest], given[2][kNaturalFilled];
  std::copy(x, x + kNaturalInputs, seen[0]);
  mirrored_inputs(x, seen[1]);
  for (auto& side : seen)
    for (int i = 0; i < kNaturalInputs; ++i)
      side[i] = std::min(std::max((side[i] - mean_[at(i)]) * inverse_scale_[at(i)], -kNaturalMost), kNaturalMost);
  const auto layer = [&](int in, const std::vector<NetRow>& W, const std::vector<float>& b, const auto& from, auto& to) {
    net_product(in, width_, W.data(), b.data(), kNaturalSlope, from[0], from[1], to[0], to[1]);
  };
  layer(kNaturalInputs, W0_, b0_, seen, h);
  layer(width_, W1_, b1_, h, g);
  layer(width_, W2_, b2_, g, h);
  constexpr float none[kNaturalFilled] = {};
  net_product(width_, kNaturalFilled, W3_.data(), none, 1.0f, h[0], h[1], given[0], given[1]);
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
