// The net of natural starts, in single precision. reference/natural_net.py has the formulas.
#pragma once
#include <vector>

namespace manikin {

// The arrays of a net, row by row; see NaturalArrays in reference/natural_arrays.py.
struct NaturalNetArrays {
  std::vector<double> mean, scale, W0, b0, W1, b1, W2, b2, W3, out;
};

class NaturalNet {
 public:
  explicit NaturalNet(const NaturalNetArrays& arrays);  // throws std::invalid_argument if the shapes of the arrays do not match

  // Computes y (kNaturalOutputs), the mean of the outputs for x (kNaturalInputs) and for the mirrored x.
  void evaluate(const float* x, double* y) const;

 private:
  int width_;
  std::vector<float> mean_, inverse_scale_, W0_, b0_, W1_, b1_, W2_, b2_, W3_;  // rows padded with zeros
  std::vector<double> out_;
};

}  // namespace manikin
