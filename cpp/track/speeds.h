// Speed limits of joints, and the resulting limits on the move from one frame of a track to the next.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "model/problem.h"

namespace manikin {

class Speeds {
 public:
  // speed: (nq) radians or lengths per second, infinite without a limit; of a ball at its first number.
  Speeds(const Problem& problem, const double* speed)
      : number_(static_cast<std::size_t>(problem.coordinates)),
        speed_(static_cast<std::size_t>(problem.width + problem.triples), HUGE_VAL),
        room_(speed_) {
    for (int i = 0; i < problem.coordinates; ++i) {
      const Coordinate& c = problem.coordinate[i];
      const SolverNode& n = problem.node[c.node];
      number_[at(i)] = n.number;
      double own = speed[n.number] / n.unit;
      if (n.source >= 0) {  // a coupled joint slows down the joint it follows
        double& leader = speed_[at(n.source)];
        leader = std::min(leader, own / std::max(std::fabs(n.ratio), 1e-300));
        own = HUGE_VAL;
      }
      speed_[at(i)] = std::min(speed_[at(i)], own);
    }
    for (int t = 0; t < problem.triples; ++t) {
      const int* c = problem.triple[t].coordinate;
      speed_[at(problem.width + t)] = speed_[at(c[0])];
      for (int k = 0; k < 3; ++k) speed_[at(c[k])] = HUGE_VAL;
    }
  }

  // Speed of a coordinate, or of triple t at index `width + t`, in radians or sizes per second.
  double operator[](int i) const { return speed_[at(i)]; }
  int number(int coordinate) const { return number_[at(coordinate)]; }

  // (width + triples) how far each may move in `dt` seconds, in the form of SolveOptions::room. Valid until the next call.
  const double* room(double dt) {
    if (dt != dt_) {
      for (std::size_t i = 0; i < speed_.size(); ++i) room_[i] = speed_[i] < HUGE_VAL ? speed_[i] * dt : HUGE_VAL;
      least_ = room_.empty() ? HUGE_VAL : *std::min_element(room_.begin(), room_.end());
    }
    dt_ = dt;
    return room_.data();
  }
  // The least entry of `room`.
  double least_room() const { return least_; }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  std::vector<int> number_;
  std::vector<double> speed_, room_;
  double dt_ = -1.0, least_ = HUGE_VAL;
};

}  // namespace manikin
