#include "solve/starts/natural_net.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "dispatch/net_layer.h"
#include "math/index.h"
#include "model/require.h"
#include "solve/constants.h"

namespace manikin {
namespace {

// The halves of a row of numbers. Numbers `first` and `second` give one number of a half: of the symmetric half their mean, of the antisymmetric half
// half of their difference, with the sign that the second has in the mirror image. A number that is its own mirror image has first = second.
struct Halves {
  int symmetric, antisymmetric;
  int first[2][kNaturalSymmetric], second[2][kNaturalSymmetric];
  float sign[2][kNaturalSymmetric];

  constexpr void add(int number, int image, float of) {
    if (image < number) return;
    if (image > number || of > 0.0f) put(0, symmetric++, number, image, of);
    if (image > number || of < 0.0f) put(1, antisymmetric++, number, image, -of);
  }
  constexpr void put(int half, int k, int number, int image, float of) { first[half][k] = number, second[half][k] = image, sign[half][k] = of; }
};

constexpr Halves halves_of_inputs() {
  Halves h{};
  constexpr float places[3] = {-1, 1, 1}, columns[6] = {1, -1, -1, -1, 1, 1};
  for (int e = 0; e < kNaturalEffectors; ++e)
    for (int j = 0; j < 3; ++j) h.add(3 * e + j, 3 * kNaturalSwap[e] + j, places[j]);
  for (int e = 0; e < kNaturalEffectors; ++e)
    for (int j = 0; j < 6; ++j) h.add(18 + 6 * e + j, 18 + 6 * kNaturalSwap[e] + j, columns[j]);
  for (int first = 54; first < 66; first += kNaturalEffectors)
    for (int e = 0; e < kNaturalEffectors; ++e) h.add(first + e, first + kNaturalSwap[e], 1.0f);
  for (int i = 66; i < kNaturalInputs; ++i) h.add(i, i, 1.0f);
  return h;
}

constexpr Halves halves_of_outputs() {
  Halves h{};
  for (int part = 0; part < kNaturalParts; ++part) {
    const int other = part < 3 ? part : part < 10 ? part + 7 : part - 7;
    for (int j = 0; j < 3; ++j) h.add(3 * part + j, 3 * other + j, j == 0 ? 1.0f : -1.0f);
  }
  constexpr float signs[9] = {1, -1, -1, -1, 1, 1, -1, 1, 1};
  for (int k = 0; k < 9; ++k) h.add(51 + k, 51 + k, signs[k]);
  return h;
}

constexpr Halves kInputs = halves_of_inputs(), kOutputs = halves_of_outputs();
static_assert(kInputs.symmetric == kNaturalSymmetric && kInputs.symmetric + kInputs.antisymmetric == kNaturalInputs);
static_assert(kOutputs.symmetric == kNaturalSymmetricOut && kOutputs.symmetric + kOutputs.antisymmetric == kNaturalOutputs);

int filled(int wide) { return (wide + kNetTogether - 1) / kNetTogether * kNetTogether; }

// Converts numbers to single precision and pads them with zeros.
std::vector<float> single(const std::vector<double>& numbers, int wide) {
  std::vector<float> out(numbers.begin(), numbers.end());
  out.resize(at(wide), 0.0f);
  return out;
}

// Rounds to 17 significant bits, as net_layer needs.
float rounded(float number) {
  std::uint32_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  bits = (bits + kNetRoundingHalf) & ~kNetRounding;
  std::memcpy(&number, &bits, sizeof bits);
  return number;
}

// The upper 16 bits of a weight in single precision.
std::uint32_t bits_of(double weight) {
  const float number = static_cast<float>(weight);
  std::uint32_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  require((bits & 0x1ffffu) == 0 && static_cast<double>(number) == weight,
          "a weight of the net of natural starts has more than seven significant bits");
  return bits >> 16;
}

// Converts a matrix to the form that net_layer reads, with rows and columns padded by zeros. The first `symmetric` rows, or columns, belong to the
// symmetric half.
class Blocks {
 public:
  Blocks(int rows, int wide) : rows_(rows), out_(at(wide / kNetTogether * rows), NetRow{}) {}

  static std::vector<NetRow> by_rows(const std::vector<double>& W, int symmetric, int columns, int rows, int wide, double factor) {
    Blocks out(rows, wide);
    const int given = static_cast<int>(W.size()) / columns;
    for (int i = 0; i < given; ++i)
      for (int j = 0; j < columns; ++j) out.put(i < symmetric ? i : i - symmetric, j, i >= symmetric, factor * W[at(i * columns + j)]);
    return std::move(out.out_);
  }
  static std::vector<NetRow> by_columns(const std::vector<double>& W, int symmetric, int columns, int rows, int wide, double factor) {
    Blocks out(rows, wide);
    const int given = static_cast<int>(W.size()) / columns;
    for (int i = 0; i < given; ++i)
      for (int j = 0; j < columns; ++j) out.put(i, j < symmetric ? j : j - symmetric, j >= symmetric, factor * W[at(i * columns + j)]);
    return std::move(out.out_);
  }

 private:
  void put(int i, int j, bool antisymmetric, double weight) {
    out_[at(j / kNetTogether * rows_ + i)].column[j % kNetTogether] |= bits_of(weight) << (antisymmetric ? 16 : 0);
  }

  int rows_;
  std::vector<NetRow> out_;
};

}  // namespace

NaturalNet::NaturalNet(const NaturalNetArrays& a) : width_(filled(static_cast<int>(a.b0.size()))), out_(a.out) {
  const std::size_t wide = a.b0.size();
  require(wide > 0 && wide <= kNaturalWidest && a.mean.size() == kNaturalInputs && a.scale.size() == kNaturalInputs &&
              a.W0.size() == kNaturalInputs * wide && a.W1.size() == 2 * wide * wide && a.b1.size() == wide && a.W2.size() == 2 * wide * wide &&
              a.b2.size() == wide && a.W3.size() == wide * kNaturalOutputs && a.out.size() == kNaturalOutputs,
          "the shapes of the arrays of a natural start do not match");
  mean_.assign(a.mean.begin(), a.mean.end());
  for (const double s : a.scale) inverse_scale_.push_back(static_cast<float>(1.0 / s));
  const int columns = static_cast<int>(wide);
  // net_layer gives sums and differences of pairs, so the next matrix has the factor 1/2 of the halves
  W0_ = Blocks::by_rows(a.W0, kNaturalSymmetric, columns, kNaturalSymmetric, width_, 1.0);
  b0_ = single(a.b0, width_);
  W1_ = Blocks::by_rows(a.W1, columns, columns, width_, width_, 0.5);
  b1_ = single(a.b1, width_);
  W2_ = Blocks::by_rows(a.W2, columns, columns, width_, width_, 0.5);
  b2_ = single(a.b2, width_);
  W3_ = Blocks::by_columns(a.W3, kNaturalSymmetricOut, kNaturalOutputs, width_, kNetTogether, 0.25);
}

void NaturalNet::evaluate(const float* x, double* y) const {
  float s[kNaturalWidest], d[kNaturalWidest] = {}, sum[kNaturalWidest], difference[kNaturalWidest];
  const auto split = [&](int half, int count, int before, float* to) {
    for (int k = 0; k < count; ++k) {
      const float number = 0.5f * (x[kInputs.first[half][k]] + kInputs.sign[half][k] * x[kInputs.second[half][k]]);
      const float scaled = (number - mean_[at(before + k)]) * inverse_scale_[at(before + k)];
      to[k] = rounded(std::min(std::max(scaled, -kNaturalMost), kNaturalMost));
    }
  };
  split(0, kInputs.symmetric, 0, s);
  split(1, kInputs.antisymmetric, kInputs.symmetric, d);
  net_layer(kNaturalSymmetric, width_, W0_.data(), b0_.data(), kNaturalSlope, s, d, sum, difference);
  net_layer(width_, width_, W1_.data(), b1_.data(), kNaturalSlope, sum, difference, s, d);
  net_layer(width_, width_, W2_.data(), b2_.data(), kNaturalSlope, s, d, sum, difference);
  constexpr float none[kNetTogether] = {};
  net_layer(width_, kNetTogether, W3_.data(), none, 1.0f, sum, difference, s, d);
  std::fill(y, y + kNaturalOutputs, 0.0);
  const auto join = [&](int half, int count, const float* from) {
    for (int k = 0; k < count; ++k) {
      const int first = kOutputs.first[half][k], second = kOutputs.second[half][k];
      y[first] += from[k];
      if (second != first) y[second] += kOutputs.sign[half][k] * from[k];
    }
  };
  join(0, kOutputs.symmetric, s);
  join(1, kOutputs.antisymmetric, d);
  for (int k = 0; k < kNaturalOutputs; ++k) y[k] += out_[at(k)];
}

}  // namespace manikin
