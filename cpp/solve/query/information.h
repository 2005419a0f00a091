// The information of goals about the steps of a figure at a pose: the diagonal of J^T W J. The Python version is `information` in problem/evaluation.py.
#pragma once
#include <cstddef>
#include <vector>

#include "solve/description/description.h"
#include "solve/kinematics.h"

namespace manikin {

// It covers the parts of goals without alternatives. The host adds links, postures, callbacks and the members of an AnyOf. It ignores held parts of
// balls: the host computes everything itself if there are any.
class Information {
 public:
  // The derivative of an error: its rows times the linear (first three columns) and the angular velocity of the effector.
  struct Rows {
    int count = 0;
    double row[3][6] = {};
    double error = 0.0;  // the length of the error
  };

  Information(const Description& description, const Kinematics& kinematics);  // borrows both; the goals must have been compiled

  // Writes out (nv), in lengths squared per step squared. targets (target_width) and weights (goals) are those of a whole row; goals of weight 0 do
  // not count, and outliers of robust goals count little. Steps that may not move have 0.
  void compute(const double* q, const double* targets, const double* weights, double* out) const;

 private:
  struct Frame {
    double R[9], p[3];  // of a node in the world, after its motion; R row by row
  };
  void forward(const double* q, std::vector<Frame>& frame) const;
  Rows rows_of(std::size_t part, const double* R, const double* x, const double* target) const;
  static void add_columns(const Node& n, const Frame& joint, const double* x, const Rows& rows, double* columns);
  void add_position(int node, const std::vector<Frame>& frame, const double* x, double factor, double* out) const;
  bool moves(const Node& n) const;

  const Description& description_;
  const Kinematics& kinematics_;
  std::vector<int> order_;  // the nodes that carry parts and those above them, parents first
  std::vector<int> parts_;  // indices of the parts that count
  bool coupled_ = false;    // whether a joint follows another
};

}  // namespace manikin
