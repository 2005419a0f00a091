#include "solve/starts/heading.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "math/mat3.h"
#include "math/quaternion.h"
#include "math/vectors.h"
#include "model/require.h"
#include "solve/constants.h"
#include "solve/starts/three_angles.h"

namespace manikin {

Heading::Heading(HeadingArrays arrays) : on_(std::move(arrays)), least_goals_(0), least_targets_(0) {
  const std::size_t points = on_.point_goal.size(), turns = on_.axes_goal.size(), angles = on_.turn.size();
  require(on_.point_target.size() == points && on_.point_effector.size() == points && on_.point.size() == 3 * points &&
              on_.axes_target.size() == turns && on_.axes.size() == 9 * turns && (angles == 1 || angles == 3) && on_.turn_axes.size() == 3 * angles &&
              on_.turn_limits.size() == (angles == 3 ? 6u : 0u) && on_.size > 0.0,
          "the shapes of the arrays of a heading do not match");
  for (const int n : on_.slide) require(n >= 0 && n < nq(), "a slide of a heading is out of range");
  for (const int n : on_.turn) require(n >= 0 && n + (angles == 1 ? 4 : 1) <= nq(), "a turn of a heading is out of range");
  auto grow = [&](const std::vector<int>& goal, const std::vector<int>& target, int width) {
    for (std::size_t k = 0; k < goal.size(); ++k) {
      require(goal[k] >= 0 && target[k] >= 0, "a goal or target of a heading is out of range");
      least_goals_ = std::max(least_goals_, goal[k] + 1);
      least_targets_ = std::max(least_targets_, target[k] + width);
    }
  };
  grow(on_.point_goal, on_.point_target, 3);
  grow(on_.axes_goal, on_.axes_target, 4);
}

void Heading::start(const double* targets, const double* weights, double* q) const {
  std::copy(on_.start.begin(), on_.start.end(), q);
  if (!placed(targets, weights, q)) std::copy(on_.start.begin(), on_.start.end(), q);
}

bool Heading::placed(const double* targets, const double* weights, double* q) const {
  const std::size_t points = on_.point_goal.size();
  const double* up = on_.up;
  auto target = [&](std::size_t k, double* out) {
    for (int j = 0; j < 3; ++j) out[j] = std::min(std::max(targets[on_.point_target[k] + j], -on_.most), on_.most);
  };

  // the number of effectors, and the means: plain for the spread, weighted for the move
  int effectors = 0, count = 0;
  double heaviest = 0.0, total = 0.0, t[3];
  double plain[2][3] = {}, middle[3] = {0, 0, 0}, wanted[3] = {0, 0, 0};
  for (std::size_t k = 0; k < points; ++k) heaviest = std::max(heaviest, weights[on_.point_goal[k]]);
  for (std::size_t k = 0; k < points; ++k) {
    if (!(weights[on_.point_goal[k]] > 0.0)) continue;
    bool again = false;  // whether another goal has the same effector
    for (std::size_t j = 0; j < k; ++j) again |= on_.point_effector[j] == on_.point_effector[k] && weights[on_.point_goal[j]] > 0.0;
    effectors += !again;
    ++count;
    const double weight = weights[on_.point_goal[k]] / heaviest, *p = &on_.point[3 * k];
    target(k, t);
    total += weight;
    for (int j = 0; j < 3; ++j) {
      plain[0][j] += p[j];
      plain[1][j] += t[j];
      middle[j] += weight * p[j];
      wanted[j] += weight * t[j];
    }
  }
  if (effectors < kLeastEffectors) return false;
  for (int j = 0; j < 3; ++j) {
    plain[0][j] /= count;
    plain[1][j] /= count;
    middle[j] /= total;
    wanted[j] /= total;
  }

  // the sums: the spread of the points, and the direction in which they are turned
  double spread[2] = {0, 0}, square[2] = {0, 0}, cosine = 0.0, sine = 0.0;
  auto add = [&](const double* is, const double* to, double weight) {
    double a[3], b[3], c[3];
    across(is, up, a);
    across(to, up, b);
    cross(a, b, c);
    cosine += weight * dot(a, b);
    sine += weight * dot(c, up);
    square[0] += weight * dot(a, a);
    square[1] += weight * dot(b, b);
  };
  for (std::size_t k = 0; k < points; ++k) {
    if (!(weights[on_.point_goal[k]] > 0.0)) continue;
    double both[2][3], away[3], flat[3];
    std::copy(&on_.point[3 * k], &on_.point[3 * k] + 3, both[0]);
    target(k, both[1]);
    for (int side = 0; side < 2; ++side) {
      for (int j = 0; j < 3; ++j) away[j] = both[side][j] - plain[side][j];
      across(away, up, flat);
      spread[side] += dot(flat, flat);
    }
    for (int j = 0; j < 3; ++j) both[0][j] -= middle[j], both[1][j] -= wanted[j];
    add(both[0], both[1], weights[on_.point_goal[k]] / heaviest);
  }
  for (const double sum : spread)
    if (std::sqrt(sum / count) < kLeastSpread * on_.size) return false;
  for (std::size_t k = 0; k < on_.axes_goal.size(); ++k) {
    if (!(weights[on_.axes_goal[k]] > 0.0)) continue;
    double rows[9], is[9], to[9];
    matrix_of(targets + on_.axes_target[k], rows);
    transposed(&on_.axes[9 * k], is);
    transposed(rows, to);
    for (int j = 0; j < 3; ++j) add(is + 3 * j, to + 3 * j, on_.arm * on_.arm * (weights[on_.axes_goal[k]] / heaviest));
  }
  const double length = std::hypot(cosine, sine);
  const bool turns = length > kLeastSense * std::sqrt(square[0] * square[1]);
  cosine = turns ? cosine / length : 1.0;
  sine = turns ? sine / length : 0.0;

  // turns and moves the root
  if (!put_turn(cosine, sine, q)) return false;
  double arm[3], turn[9], shift[3];
  for (int j = 0; j < 3; ++j) arm[j] = on_.pivot[j] - middle[j];
  turn_about(up, cosine, sine, turn);
  applied(turn, arm, arm);
  for (int j = 0; j < 3; ++j) shift[j] = wanted[j] + arm[j] - on_.pivot[j];
  for (int k = 0; k < 3; ++k) {
    double& number = q[on_.slide[k]];
    number = std::min(std::max(number + dot(on_.to_slides + 3 * k, shift), on_.slide_limits[2 * k]), on_.slide_limits[2 * k + 1]);
  }
  return true;
}

bool Heading::put_turn(double cosine, double sine, double* q) const {
  if (on_.turn.size() == 3) return put_angles(cosine, sine, q);
  double c = std::sqrt(0.5 * (1.0 + std::fabs(cosine))), s = 0.5 * std::fabs(sine) / c;
  if (cosine < 0.0) std::swap(c, s);
  s = std::copysign(s, sine);
  const double* axis = on_.turn_axes.data();
  const double a[4] = {c, s * axis[0], s * axis[1], s * axis[2]};
  double* b = q + on_.turn[0];
  quaternion_product(a, b, b);
  return true;
}

bool Heading::put_angles(double cosine, double sine, double* q) const {
  const double* axes = on_.turn_axes.data();
  double now[3], wanted[9], one[9], best[3] = {0, 0, 0}, least = -1.0;
  turn_about(on_.up, cosine, sine, wanted);
  for (int k = 0; k < 3; ++k) {
    now[k] = q[on_.turn[at(k)]];
    turn_by(axes + 3 * k, now[k], one);
    product(wanted, one, wanted);
  }
  for (const int side : {1, -1}) {
    double angles[3], far = 0.0;
    angles_of(axes, wanted, now, side, angles);
    if (!bring_near(now, on_.turn_limits.data(), angles)) continue;
    for (int k = 0; k < 3; ++k) far += std::fabs(angles[k] - now[k]);
    if (least >= 0.0 && far >= least) continue;
    least = far;
    std::copy(angles, angles + 3, best);
  }
  if (least < 0.0) return false;
  for (int k = 0; k < 3; ++k) q[on_.turn[at(k)]] = best[k];
  return true;
}

}  // namespace manikin
