// A start as a person would take it: the rest of a body regressed from a few of its effectors by a small net. The twin is
// reference/natural.py, which has the formulas; here the net counts in single precision.
#pragma once
#include <vector>

#include "solve/limits.h"

namespace manikin {

// A net, a figure and the points that goals ask for; see NaturalArrays of the twin.
struct NaturalArrays {
  std::vector<double> mean, scale, W0, b0, W1, b1, W2, out;  // row by row
  std::vector<double> start;                                 // (nq)
  double frame[9];                                           // row by row
  double leg;
  std::vector<int> joint_kind, joint_number, joint_part;  // (joints)
  std::vector<double> joint_left, joint_right;            // (joints, 4)
  std::vector<double> joint_axes, joint_limits;           // (joints, 3, 3), (joints, 3, 2)
  int slide[3];
  double to_slides[9], pivot[3];
  std::vector<int> turn;  // one number for a ball, three for angles
  double turn_axes[9], turn_limits[6];
  double pelvis[3], pelvis_axes[4];
  std::vector<int> point_goal, point_target, point_slot;  // (points)
  std::vector<double> point_offset, point;                // (points, 3)
  std::vector<int> axes_goal, axes_target, axes_slot;     // (orientations)
  std::vector<double> axes_right, axes;                   // (orientations, 4), (orientations, 3, 3)
  double slot_axes[54];                                   // (6, 3, 3)
  double floor;                                           // not a number where it is not known
  LimitArrays limits;
};

class Natural {
 public:
  explicit Natural(NaturalArrays arrays);  // throws std::invalid_argument on arrays that do not fit each other

  int nq() const { return static_cast<int>(on_.start.size()); }
  int least_goals() const { return least_goals_; }      // weights must have as many, and
  int least_targets() const { return least_targets_; }  // a row of targets as many

  // q (nq): the start for a row of targets, within limits. What goals of weight 0 ask for is not read.
  void start(const double* targets, const double* weights, double* q) const;

 private:
  struct Read;

  bool read(const double* targets, const double* weights, Read& out) const;
  void evaluate(const float* x, double* y) const;
  void put_parts(const double* y, double* q) const;
  void put_root(const double* axes, const double* place, double* q) const;

  NaturalArrays on_;
  Limits limits_;
  int width_, least_goals_, least_targets_;
  std::vector<float> mean_, inverse_scale_, W0_, b0_, W1_, b1_, W2_;  // of the net, rows filled up with zeros
  std::vector<int> whole_;  // (joints) how many joints from this one to the end of its part turn about three axes
};

}  // namespace manikin
