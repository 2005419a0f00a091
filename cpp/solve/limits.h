// The limits of a figure: whether a pose is usable, how far it exceeds its limits, and the pose clipped to them. The Python version is
// src/manikin/figure/range.py with src/manikin/kinematics/swing_twist.py, which have the formulas.
#pragma once
#include <cstddef>
#include <vector>

namespace manikin {

// The limits of the numbers of a pose; Description (solve/description/description.h) describes each array.
struct LimitArrays {
  std::vector<double> lower, upper;
  std::vector<int> balls, cone_number;
  std::vector<double> cone_reference, cone_basis, cone_swing, cone_twist;
  std::vector<int> coupled, coupled_source;
  std::vector<double> coupled_ratio, coupled_shift;
  std::vector<int> turning;      // angles of which whole turns change nothing: they neither follow nor lead another number
  std::vector<double> farthest;  // (nq) largest size of the other lengths and angles, infinite for numbers that follow and for quaternions
};

class Limits {
 public:
  explicit Limits(const LimitArrays& arrays);

  // Returns the index of the first number that is not finite, or of the first quaternion whose length is not 1; -1 if there is none.
  int unusable(const double* q) const;
  // Returns the largest excess over any limit, in radians or lengths; 0 if there is none.
  double violation(const double* q) const;
  // Clips numbers to the nearer end of their range and balls radially to their cone. Coupled numbers follow.
  void clamp(double* q) const;
  // Sets coupled numbers from the numbers that they follow.
  void follow(double* q) const {
    for (std::size_t k = 0; k < coupled_.size(); ++k) q[coupled_[k]] = ratio_[k] * q[source_[k]] + shift_[k];
  }
  // Brings numbers near that have no digits left to tell where the joint is. Angles of very many turns become the same angle with the fewest turns that
  // the limits allow. Lengths, and angles that lead other numbers, are clipped. Returns by how much numbers were clipped, in radians or lengths.
  double bring_near(double* q) const;
  // Whether a pose is certainly usable and within its limits. False means that the exact checks are needed.
  bool plainly_inside(const double* q) const {
    const double *lowest = lowest_.data(), *highest = highest_.data();
    for (std::size_t i = 0, count = lowest_.size(); i < count; ++i)
      if (!(q[i] >= lowest[i] && q[i] <= highest[i])) return false;  // the bounds are finite, so numbers within them are finite too
    return only_ranges_ || joints_inside(q);
  }

 private:
  struct Cone {
    int number;
    double inverse_reference[4];
    double basis[9];            // rows e1, e2, a
    double swing[2], twist[2];  // half angles; range
    double inverse_swing[2];    // 1 / swing²
    double middle[2];           // cosine and sine of the middle of the range of twist
    double least_cosine;        // a twist is within its range if the cosine of its distance from the middle is at least this
  };
  // Does the same for balls and coupled numbers, apart from their ranges.
  bool joints_inside(const double* q) const;
  static void turned(const Cone& cone, const double* q, double* quaternion);
  // Whether a ball is within its cone by a margin. It uses no trigonometric function, so it costs a fraction of the exact check. False means that
  // the exact check is needed.
  static bool surely_inside(const Cone& cone, const double* q);
  void decompose(const Cone& cone, const double* q, double* coordinates) const;
  static double excess(const Cone& cone, const double* coordinates);

  std::vector<double> lower_, upper_;
  std::vector<double> lowest_, highest_;  // the same, with finite values, and not beyond what `bring_near` leaves alone
  std::vector<int> balls_, turning_;
  std::vector<Cone> cones_;
  std::vector<int> coupled_, source_;
  std::vector<double> ratio_, shift_, farthest_;
  bool only_ranges_;  // whether there are no balls and no coupled numbers
};

}  // namespace manikin
