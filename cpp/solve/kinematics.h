// A tree of nodes that owns its arrays, checks poses, and runs the kernels on several threads.
#pragma once
#include <vector>

#include "model/arrays.h"
#include "model/tree.h"

namespace manikin {

class Kinematics {
 public:
  explicit Kinematics(const TreeArrays& arrays);  // throws std::invalid_argument on indices out of range
  Kinematics(const Kinematics&) = delete;
  Kinematics& operator=(const Kinematics&) = delete;

  const Tree& tree() const { return tree_; }

  // Whether all numbers are finite and all quaternions have length 1 within 1e-6.
  bool sound(const double* q, long count) const;

  void placements(const double* q, long count, const int* segments, int segment_count, double* out, int threads) const;
  void jacobian(const double* q, long count, int segment, const double* point, double* out, int threads) const;
  void center_of_mass(const double* q, long count, double* out, int threads) const;
  void com_jacobian(const double* q, long count, double* out, int threads) const;
  void jvp(const double* q, const double* v, long count, double* out, int threads) const;
  void vjp(const double* q, const double* cotangent, long count, double* out, int threads) const;
  void integrate(const double* q, const double* v, long count, double* out) const;
  void difference(const double* q0, const double* q1, long count, double* out) const;

 private:
  std::vector<int> order_to(const int* segments, int count) const;

  Tree tree_;
  std::vector<Node> nodes_;
  std::vector<int> segment_node_, turn_number_, everything_, balls_;
  std::vector<double> mass_share_, center_, subtree_share_;
};

}  // namespace manikin
