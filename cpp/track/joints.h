// Poses joint by joint: the distance between two poses, and poses between them.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/solver/table.h"
#include "math/nearest_turns.h"
#include "math/quaternion.h"
#include "math/turns.h"
#include "model/problem.h"
#include "track/speeds.h"

namespace manikin {

class Joints {
 public:
  Joints(const Problem& problem, const Speeds& speeds) : problem_(problem), speeds_(speeds), coordinate_(problem.coordinate) {
    for (int i = 0; i < problem.nodes; ++i) {
      const SolverNode& n = problem.node[i];
      if (n.coordinate < 0) continue;
      const bool ball = n.op == kLoose || n.op == kCone;
      joints_.push_back(Joint{&n, n.number, width_, ball ? 3 : 1, n.op != kSliding, speeds[n.coordinate]});
      width_ += ball ? 3 : 1;
    }
    std::vector<int> triple(static_cast<std::size_t>(problem.coordinates), -1);
    for (int t = 0; t < problem.triples; ++t)
      for (const int c : problem.triple[t].coordinate) triple[static_cast<std::size_t>(c)] = t;
    for (Joint& j : joints_) {
      const int t = triple[static_cast<std::size_t>(j.node->coordinate)];
      if (t >= 0) j.slowly = speeds[problem.width + t];
    }
  }

  // The numbers of a joint in a pose, and in the difference between two poses: one number, or the three of a ball's rotation vector.
  struct Joint {
    const SolverNode* node;
    int number, first, width;
    bool turns;                // false for slides, including those of a free root
    double speed;              // radians or sizes per second, infinite without a limit; the hinges of a triple share one limit
    double slowly = HUGE_VAL;  // that limit, for a triple

    double limit() const { return std::min(speed, slowly); }
  };
  const std::vector<Joint>& all() const { return joints_; }
  int width() const { return width_; }

  // Computes the difference from pose a to pose b: turns in radians, slides in sizes.
  void way(const double* a, const double* b, double* out) const {
    for (const Joint& j : joints_) {
      if (j.width == 3) {
        turn_between(a + j.number, b + j.number, out + j.first);
      } else {
        out[j.first] = (b[j.number] - a[j.number]) / j.node->unit;
      }
    }
  }

  // Moves pose a by `share` of a difference, without regard to limits. `out` may be a.
  void go(const double* a, const double* way, double share, double* out) const {
    for (const Joint& j : joints_) {
      const double* w = way + j.first;
      if (j.width == 3) {
        const double turn[3] = {share * w[0], share * w[1], share * w[2]};
        turned_by(turn, a + j.number, out + j.number);
      } else {
        out[j.number] = a[j.number] + share * w[0] * j.node->unit;
      }
    }
  }

  // Changes angles of hinges without limits in `to` to those of the same rotations that are nearest to the angles of `from`.
  void to_nearest_turns(const double* from, double* to) const {
    for (const Joint& j : joints_) {
      const Coordinate& c = coordinate_[j.node->coordinate];
      if (j.width == 1 && j.turns && std::isinf(c.lower) && std::isinf(c.upper)) to[j.number] = nearest_turn(from[j.number], to[j.number]);
    }
    for (int t = 0; t < problem_.triples; ++t) {
      const Triple& triple = problem_.triple[t];
      if (triple.other == kNoOther) continue;
      const int first = speeds_.number(triple.coordinate[0]);  // the three numbers are consecutive
      nearest_triple(from + first, triple.other == kSameAxis, to + first);
    }
  }

  // Clips hinges and slides to their limits.
  void clamp(double* q) const {
    for (const Joint& j : joints_) {
      const Coordinate& c = coordinate_[j.node->coordinate];
      if (j.width == 1) q[j.number] = std::min(std::max(q[j.number], c.lowest), c.highest);
    }
  }

  // Gives cones with a held twist or swing that of another pose.
  void keep_held(const SolverKernels& kernel, const double* from, double* q) const {
    for (const Joint& j : joints_)
      if (j.node->moving > kMoves) kernel.keep_held(*j.node, coordinate_[j.node->coordinate + 2], from + j.number, q + j.number);
  }

  // Returns the largest turn of any joint, in radians.
  double turned(const double* a, const double* b) const {
    double most = 0.0;
    for (const Joint& j : joints_)
      if (j.turns) most = std::max(most, apart(j, a + j.number, b + j.number));
    return most;
  }

  // Returns the largest speed of any joint from a to b within `dt` seconds, as a fraction of its speed limit. `number` receives the joint's place in
  // a pose, or -1 if no joint with a limit moves.
  double haste(const double* a, const double* b, double dt, int* number = nullptr) const {
    double most = 0.0;
    int which = -1;
    auto note = [&](double moved, double speed, int of) {
      const double share = speed < HUGE_VAL ? moved / (speed * dt) : 0.0;
      if (!(share > most)) return;
      most = share;
      which = of;
    };
    for (const Joint& j : joints_) note(apart(j, a + j.number, b + j.number) / j.node->unit, j.speed, j.number);
    for (int t = 0; t < problem_.triples; ++t) {
      double p[4], q[4];
      triple_turn(problem_.triple[t], a, p);
      triple_turn(problem_.triple[t], b, q);
      note(angle_between(p, q), speeds_[problem_.width + t], speeds_.number(problem_.triple[t].coordinate[0]));
    }
    if (number) *number = which;
    return most;
  }

  // Returns the sum of the squares of all turns and slides.
  double squares(const double* a, const double* b) const {
    double sum = 0.0;
    for (const Joint& j : joints_) {
      const double d = apart(j, a + j.number, b + j.number) / j.node->unit;
      sum += d * d;
    }
    return sum;
  }

  // Computes the pose at `share` of the way from a to b, inside the limits. Numbers that do not move keep their values.
  void on_the_way(const SolverKernels& kernel, const double* a, const double* b, double share, double* out) const {
    for (const Joint& j : joints_) {
      const double *from = a + j.number, *to = b + j.number;
      if (j.node->op == kCone) {
        kernel.along_cone(*j.node, coordinate_[j.node->coordinate + 2], from, to, share, out + j.number);
      } else if (j.width == 3) {
        double turn[3];
        turn_between(from, to, turn);
        for (double& x : turn) x *= share;
        turned_by(turn, from, out + j.number);
      } else {
        out[j.number] = *from + share * (*to - *from);
      }
    }
  }

 private:
  void triple_turn(const Triple& t, const double* pose, double* q) const {
    for (int k = 0; k < 3; ++k) {
      const SolverNode& n = problem_.node[coordinate_[t.coordinate[k]].node];
      const double half = 0.5 * pose[n.number], s = std::sin(half), w = std::cos(half), *u = n.axis;
      const double b[4] = {w, s * u[0], s * u[1], s * u[2]};
      if (k == 0) {
        std::copy(b, b + 4, q);
        continue;
      }
      quaternion_product(q, b, q);
    }
  }

  static double apart(const Joint& j, const double* a, const double* b) { return j.width == 1 ? std::fabs(b[0] - a[0]) : angle_between(a, b); }

  const Problem& problem_;
  const Speeds& speeds_;
  const Coordinate* coordinate_;
  std::vector<Joint> joints_;
  int width_ = 0;
};

}  // namespace manikin
