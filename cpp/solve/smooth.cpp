#include "solve/smooth.h"

namespace manikin {

namespace {

// The band of W + RᵀR in lower form, `lanes` matrices side by side: the item (frame t, diagonal d, lane) is the entry of frames t and t + d.
std::vector<double> band_of(const DifferenceRows& rows, const double* weights, std::size_t frames, std::size_t lanes) {
  const std::size_t width = rows.width;
  std::vector<double> band(frames * width * lanes, 0.0);
  for (std::size_t t = 0; t < frames; ++t)
    for (std::size_t c = 0; c < lanes; ++c) band[t * width * lanes + c] = weights[t * lanes + c];
  for (std::size_t r = 0; r < rows.count; ++r) {
    const double* a = rows.coefficients + r * width;
    for (std::size_t j = 0; j < width; ++j)
      for (std::size_t i = j; i < width; ++i) {
        const double product = a[j] * a[i];
        double* entry = band.data() + ((rows.first[r] + j) * width + (i - j)) * lanes;
        for (std::size_t c = 0; c < lanes; ++c) entry[c] += product;
      }
  }
  return band;
}

// Factorises L D Lᵀ in place: diagonal 0 becomes D, and diagonal d the entries of L below it.
bool factor(std::vector<double>& band, std::size_t frames, std::size_t width, std::size_t lanes) {
  for (std::size_t t = 0; t < frames; ++t) {
    double* column = band.data() + t * width * lanes;
    for (std::size_t c = 0; c < lanes; ++c)
      if (!(column[c] > 0.0)) return false;
    const std::size_t most = width - 1 < frames - 1 - t ? width - 1 : frames - 1 - t;
    for (std::size_t i = 1; i <= most; ++i)
      for (std::size_t j = i; j <= most; ++j) {
        double* entry = column + i * width * lanes + (j - i) * lanes;
        for (std::size_t c = 0; c < lanes; ++c) entry[c] -= column[i * lanes + c] * column[j * lanes + c] / column[c];
      }
    for (std::size_t i = 1; i <= most; ++i)
      for (std::size_t c = 0; c < lanes; ++c) column[i * lanes + c] /= column[c];
  }
  return true;
}

// delta −= l · other for all columns; l is one number, or one for each column.
void subtract(double* delta, const double* l, const double* other, std::size_t columns, bool each) {
  if (each) {
    for (std::size_t c = 0; c < columns; ++c) delta[c] -= l[c] * other[c];
  } else {
    const double factor = *l;
    for (std::size_t c = 0; c < columns; ++c) delta[c] -= factor * other[c];
  }
}

}  // namespace

bool smooth_correction(const DifferenceRows& rows, const double* bent, const double* weights, bool each, const double* wish, std::size_t frames,
                       std::size_t columns, double* delta) {
  const std::size_t width = rows.width, lanes = each ? columns : 1;
  // The right-hand side, W wish − Rᵀ bent.
  for (std::size_t t = 0; t < frames; ++t)
    for (std::size_t c = 0; c < columns; ++c) {
      const double weight = each ? weights[t * columns + c] : weights[t];
      delta[t * columns + c] = wish == nullptr ? 0.0 : weight * wish[t * columns + c];
    }
  for (std::size_t r = 0; r < rows.count; ++r)
    for (std::size_t j = 0; j < width; ++j)
      subtract(delta + (rows.first[r] + j) * columns, rows.coefficients + r * width + j, bent + r * columns, columns, false);

  std::vector<double> band = band_of(rows, weights, frames, lanes);
  if (!factor(band, frames, width, lanes)) return false;
  for (std::size_t t = 0; t < frames; ++t)
    for (std::size_t d = 1; d < width && t + d < frames; ++d)
      subtract(delta + (t + d) * columns, band.data() + (t * width + d) * lanes, delta + t * columns, columns, each);
  for (std::size_t t = frames; t-- > 0;) {
    const double* pivot = band.data() + t * width * lanes;
    double* own = delta + t * columns;
    for (std::size_t c = 0; c < columns; ++c) own[c] /= pivot[each ? c : 0];
    for (std::size_t d = 1; d < width && t + d < frames; ++d) subtract(own, pivot + d * lanes, own + d * columns, columns, each);
  }
  return true;
}

}  // namespace manikin
