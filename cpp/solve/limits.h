// The limits of a figure at work: whether a pose can be used, how far it is outside its limits, and the pose brought inside. The twin is
// src/manikin/figure/range.py with src/manikin/kinematics/swing_twist.py, which have the formulas.
#pragma once
#include <vector>

namespace manikin {

class Description;

// The limits of the numbers of a pose; see Description for what each is.
struct LimitArrays {
  std::vector<double> lower, upper;
  std::vector<int> balls, cone_number;
  std::vector<double> cone_reference, cone_basis, cone_swing, cone_twist;
  std::vector<int> coupled, coupled_source;
  std::vector<double> coupled_ratio, coupled_shift;
};

class Limits {
 public:
  explicit Limits(const Description& figure);
  explicit Limits(const LimitArrays& arrays);

  // The first number of a pose that is not finite, or the first of a quaternion that is not of length 1; -1 where there is none.
  int unusable(const double* q) const;
  // The largest excess over any limit, in radians or lengths; 0 where all hold.
  double violation(const double* q) const;
  // Numbers to the nearer end of their range, balls radially onto their cone; coupled numbers follow.
  void clamp(double* q) const;
  // Coupled numbers set from the ones they follow.
  void follow(double* q) const;
  // Whether a pose is known to be usable and within its limits. False where that must be looked at more closely.
  bool plainly_inside(const double* q) const;

 private:
  struct Cone {
    int number;
    double inverse_reference[4];
    double basis[9];            // rows e1, e2, a
    double swing[2], twist[2];  // half angles; range
  };
  void decompose(const Cone& cone, const double* q, double* coordinates) const;
  static double excess(const Cone& cone, const double* coordinates);

  std::vector<double> lower_, upper_;
  std::vector<double> lowest_, highest_;  // the same, finite
  std::vector<int> balls_;
  std::vector<Cone> cones_;
  std::vector<int> coupled_, source_;
  std::vector<double> ratio_, shift_;
};

}  // namespace manikin
