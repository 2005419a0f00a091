// Robust losses: how the error d of a part counts in the cost if its target may be far off. Static, for kernels and host code. The Python version, with
// the formulas, is manikin/reference/robust.py.
#pragma once
#include "model/constants.h"

namespace manikin {

enum LossKind : int { kNoLoss = 0, kGemanMcClure = 1, kHuber = 2 };

struct Robust {
  int kind;
  double scale;  // in sizes or radians
};

struct Loss {
  double value;  // replaces d^2 in the cost
  double slope;  // its derivative by d^2, from kLeastSlope to 1: the factor of the goal's weight
};

static inline Loss loss_of(int kind, double c, double d) {
  const double square = d * d;
  if (kind == kNoLoss || !(c < 1e150)) return {square, 1.0};
  if (kind == kHuber) {
    if (d <= c) return {square, 1.0};
    const double last = c / kLeastSlope;
    if (d < last) return {c * (2.0 * d - c), c / d};
    return {c * (2.0 * last - c) + kLeastSlope * (square - last * last), kLeastSlope};
  }
  const double share = c * c / (c * c + square);
  if (share * share > kLeastSlope) return {share * square, share * share};
  const double last = c * c * (1.0 / kLeastSlopeRoot - 1.0);
  return {c * c * last / (c * c + last) + kLeastSlope * (square - last), kLeastSlope};
}

}  // namespace manikin
