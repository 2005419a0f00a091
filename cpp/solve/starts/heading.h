// A start that faces the targets: the start pose of a figure, turned about the vertical and moved. reference/heading.py is the Python version and has
// the formulas.
#pragma once
#include <vector>

namespace manikin {

// A start pose, the root that carries it, and the points of the goals; see HeadingArrays in reference/heading.py.
struct HeadingArrays {
  std::vector<double> start;  // (nq)
  double up[3];
  double size, arm, most;
  int slide[3];
  double to_slides[9];     // row by row
  double slide_limits[6];  // (3, 2)
  double pivot[3];
  std::vector<int> turn;                                      // one number for a ball, three for angles
  std::vector<double> turn_axes;                              // (turns, 3)
  std::vector<double> turn_limits;                            // (angles, 2)
  std::vector<int> point_goal, point_target, point_effector;  // (points)
  std::vector<double> point;                                  // (points, 3)
  std::vector<int> axes_goal, axes_target;                    // (orientations)
  std::vector<double> axes;                                   // (orientations, 3, 3) row by row
};

class Heading {
 public:
  explicit Heading(HeadingArrays arrays);  // throws std::invalid_argument if the shapes of the arrays do not match

  int nq() const { return static_cast<int>(on_.start.size()); }
  int least_goals() const { return least_goals_; }      // least number of weights
  int least_targets() const { return least_targets_; }  // least length of a row of targets

  // q (nq): the start for a row of targets. Goals of weight 0 do not count, and their targets are not read.
  void start(const double* targets, const double* weights, double* q) const;

 private:
  bool placed(const double* targets, const double* weights, double* q) const;
  bool put_turn(double cosine, double sine, double* q) const;
  bool put_angles(double cosine, double sine, double* q) const;

  HeadingArrays on_;
  int least_goals_, least_targets_;
};

}  // namespace manikin
