// The net of natural starts, in single precision. reference/natural_net.py has the formulas.
#pragma once
#include <vector>

#include "kernels/net_layer.h"

namespace manikin {

// The arrays of a net, row by row; see NaturalArrays in reference/natural_arrays.py.
struct NaturalNetArrays {
  std::vector<double> mean, scale, W0, b0, W1, b1, W2, b2, W3, out;
};

class NaturalNet {
 public:
  // Throws std::invalid_argument if the shapes of the arrays do not match, or if a weight has more than seven significant bits.
  explicit NaturalNet(const NaturalNetArrays& arrays);

  // Computes y (kNaturalOutputs) for x (kNaturalInputs). Mirrored inputs give mirrored outputs, to the bit.
  void evaluate(const float* x, double* y) const;

 private:
  int width_;                                               // pairs of units of a hidden layer, padded
  std::vector<float> mean_, inverse_scale_, b0_, b1_, b2_;  // rows padded with zeros
  std::vector<NetRow> W0_, W1_, W2_, W3_;
  std::vector<double> out_;
};

}  // namespace manikin
