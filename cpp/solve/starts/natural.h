// A start that resembles a human pose: a small net predicts the rest of the body from a few effectors. reference/natural.py is the Python version and
// has the formulas. Here the net is evaluated in single precision.
#pragma once
#include <vector>

#include "solve/constants.h"
#include "solve/limits.h"
#include "solve/starts/natural_net.h"

namespace manikin {

// A net, a figure and the points of the goals; see NaturalArrays in reference/natural_arrays.py.
struct NaturalArrays {
  NaturalNetArrays net;
  std::vector<double> center;  // (parts, 4)
  std::vector<double> start;   // (nq)
  double frame[9];             // row by row
  double leg;
  double proportions[kNaturalProportions];
  std::vector<int> part_before;                           // (parts)
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
  std::vector<int> aim_goal, aim_target, aim_far;         // (aims)
  std::vector<double> aim_axis, aim_point;                // (aims, 3)
  double slot_axes[54];                                   // (6, 3, 3)
  double floor;                                           // NaN if unknown
  LimitArrays limits;
};

class Natural {
 public:
  explicit Natural(NaturalArrays arrays);  // throws std::invalid_argument if the shapes of the arrays do not match

  int nq() const { return static_cast<int>(on_.start.size()); }
  int least_goals() const { return least_goals_; }      // least number of weights
  int least_targets() const { return least_targets_; }  // least length of a row of targets

  // q (nq): the start for a row of targets, within limits. Targets of goals of weight 0 are not read.
  void start(const double* targets, const double* weights, double* q) const;

 private:
  // The targets of one row, as the net reads them.
  struct Read {
    float x[kNaturalInputs];
    double turn[9], center[3];
  };

  // An aim of the head, in the frame at rest; see reference/natural_gaze.py.
  struct Gaze {
    double axis[3], away[3], ray[3];
  };

  bool read(const double* targets, const double* weights, Read& out) const;
  bool gaze_of(const double* targets, const double* weights, const double* here, const double* mean, Gaze& out) const;
  bool gaze_axes(const Gaze& gaze, const double* turn, double* axes) const;
  void turn_of(int part, const double* y, double* turn) const;
  void put_parts(const double* y, double* q) const;
  void put_root(const double* axes, const double* place, double* q) const;

  NaturalArrays on_;
  Limits limits_;
  NaturalNet net_;
  int least_goals_, least_targets_;
  std::vector<int> whole_;   // (joints) number of three-axis joints from this joint to the end of its part
  std::vector<char> plain_;  // (parts) whether its center is the identity, all of its joints are balls, and it takes no other part's turn
};

}  // namespace manikin
