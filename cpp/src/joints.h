// Poses joint by joint: how far they are apart, and what is between them.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "manikin/problem.h"

namespace manikin {

class Joints {
 public:
  Joints(const Problem& problem, const std::vector<SolverNode>& nodes) : nodes_(nodes), coordinate_(problem.coordinate) {}

  // The pose at which a frame begins, and the radians that each joint has from there until it is further from a neighbour than that
  // frame's box: `beyond` times the way from where it is to the middle of its neighbours, or the middle where that leaves no room.
  void begin(const double* before, const double* after, const double* mine, double beyond, double box_before, double box_after, double* out,
             double* room) const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const SolverNode& n = nodes_[i];
      room[i] = 0.0;
      if (n.coordinate < 0) continue;
      const int j = n.number;
      double middle[4];
      between(n, before + j, after + j, 0.5, middle);
      between(n, mine + j, middle, beyond, out + j);
      if (unbounded(n)) continue;
      auto left = [&](const double* x) { return std::min(box_before - apart(n, before + j, x), box_after - apart(n, x, after + j)); };
      const double there = left(out + j), half = left(middle);
      const bool beyond_it = there >= std::min(half, kLeastRoom);
      if (!beyond_it) std::copy(middle, middle + (ball(n) ? 4 : 1), out + j);
      room[i] = std::max(0.0, beyond_it ? there : half);
    }
  }

  // Radians that the joint turns that turns most.
  double turned(const double* a, const double* b) const {
    double most = 0.0;
    for (const SolverNode& n : nodes_)
      if (n.coordinate >= 0 && !unbounded(n)) most = std::max(most, apart(n, a + n.number, b + n.number));
    return most;
  }

  // The sum of the squares of all turns and slides.
  double squares(const double* a, const double* b) const {
    double sum = 0.0;
    for (const SolverNode& n : nodes_) {
      if (n.coordinate < 0) continue;
      const double d = apart(n, a + n.number, b + n.number) / n.unit;
      sum += d * d;
    }
    return sum;
  }

  // share of the way from a to b, inside the limits; the numbers that do not move are left as they are.
  void on_the_way(const SolverKernels& kernel, const double* a, const double* b, double share, double* out) const {
    for (const SolverNode& n : nodes_) {
      if (n.coordinate < 0) continue;
      const int j = n.number;
      if (n.op == kCone) {
        kernel.along_cone(n, coordinate_[n.coordinate + 2], a + j, b + j, share, out + j);
      } else {
        between(n, a + j, b + j, share, out + j);
      }
    }
  }

 private:
  static constexpr double kLeastRoom = 1e-4;  // radians

  static bool ball(const SolverNode& n) { return n.op == kLoose || n.op == kCone; }
  static double side(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0 ? -1.0 : 1.0; }

  // slides do not turn, those of a free root neither
  static bool unbounded(const SolverNode& n) { return n.op == kSliding; }

  static void between(const SolverNode& n, const double* a, const double* b, double share, double* out) {
    if (!ball(n)) {
      out[0] = a[0] + share * (b[0] - a[0]);
      return;
    }
    const double cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3], far = std::acos(std::min(1.0, std::fabs(cosine)));
    double mine = 1.0 - share, other = share;
    if (far > 0.1) {  // else the chord is as good as the arc
      mine = std::sin((1.0 - share) * far) / std::sin(far);
      other = std::sin(share * far) / std::sin(far);
    }
    if (cosine < 0.0) other = -other;
    double square = 0.0;
    for (int k = 0; k < 4; ++k) {
      out[k] = mine * a[k] + other * b[k];
      square += out[k] * out[k];
    }
    for (int k = 0; k < 4; ++k) out[k] /= std::sqrt(square);
  }

  static double apart(const SolverNode& n, const double* a, const double* b) {
    if (!ball(n)) return std::fabs(b[0] - a[0]);
    const double same = side(a, b);
    double square = 0.0;
    for (int k = 0; k < 4; ++k) square += (b[k] - same * a[k]) * (b[k] - same * a[k]);
    return 4.0 * std::asin(std::min(1.0, 0.5 * std::sqrt(square)));
  }

  const std::vector<SolverNode>& nodes_;
  const Coordinate* coordinate_;
};

}  // namespace manikin
