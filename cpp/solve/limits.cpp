#include "solve/limits.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/quaternion.h"
#include "math/swing_twist.h"
#include "solve/constants.h"

namespace manikin {
namespace {

bool unit(const double* q) {
  const double length = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));  // a sum of squares might overflow
  return std::fabs(length - 1.0) <= kUnitTolerance;
}

// The remainder with the sign of the divisor, like numpy.mod.
double around(double x) {
  const double r = std::fmod(x, kTwoPi);
  return r < 0.0 ? r + kTwoPi : r;
}

}  // namespace

Limits::Limits(const LimitArrays& f)
    : lower_(f.lower),
      upper_(f.upper),
      balls_(f.balls),
      turning_(f.turning),
      coupled_(f.coupled),
      source_(f.coupled_source),
      ratio_(f.coupled_ratio),
      shift_(f.coupled_shift),
      farthest_(f.farthest),
      only_ranges_(f.balls.empty() && f.cone_number.empty() && f.coupled.empty()) {
  constexpr double most = std::numeric_limits<double>::max();
  for (const double x : lower_) lowest_.push_back(std::max(x, -most));
  for (const double x : upper_) highest_.push_back(std::min(x, most));
  const auto narrow = [this](std::size_t i, double far) {
    lowest_[i] = std::max(lowest_[i], -far);
    highest_[i] = std::min(highest_[i], far);
  };
  for (const int i : turning_) narrow(static_cast<std::size_t>(i), kFarthestAngle);
  for (std::size_t i = 0; i < farthest_.size(); ++i) narrow(i, farthest_[i]);
  for (std::size_t c = 0; c < f.cone_number.size(); ++c) {
    Cone cone;
    cone.number = f.cone_number[c];
    for (std::size_t k = 0; k < 4; ++k) cone.inverse_reference[k] = f.cone_reference[4 * c + k] * (k == 0 ? 1.0 : -1.0);
    for (std::size_t k = 0; k < 9; ++k) cone.basis[k] = f.cone_basis[9 * c + k];
    for (std::size_t k = 0; k < 2; ++k) {
      cone.swing[k] = f.cone_swing[2 * c + k];
      cone.twist[k] = f.cone_twist[2 * c + k];
      const double least = std::max(cone.swing[k], kNarrowest);
      cone.inverse_swing[k] = 1.0 / (least * least);
    }
    const double middle = 0.5 * (cone.twist[0] + cone.twist[1]), half = 0.5 * (cone.twist[1] - cone.twist[0]);
    cone.middle[0] = std::cos(middle);
    cone.middle[1] = std::sin(middle);
    const bool whole = cone.twist[0] <= -kPi && cone.twist[1] >= kPi, once = cone.twist[0] >= -kPi && cone.twist[1] <= kPi;
    cone.least_cosine = whole ? -2.0 : once ? std::cos(half) + kSureMargin : 2.0;
    cones_.push_back(cone);
  }
}

int Limits::unusable(const double* q) const {
  for (std::size_t i = 0; i < lower_.size(); ++i)
    if (!std::isfinite(q[i])) return static_cast<int>(i);
  for (const int i : balls_)
    if (!unit(q + i)) return i;
  return -1;
}

double Limits::bring_near(double* q) const {
  for (const int i : turning_) {
    if (std::fabs(q[i]) <= kFarthestAngle) continue;
    const double low = lower_[static_cast<std::size_t>(i)], high = upper_[static_cast<std::size_t>(i)];
    double angle = std::atan2(std::sin(q[i]), std::cos(q[i]));
    if (angle < low)
      angle += kTwoPi * std::ceil((low - angle) / kTwoPi);
    else if (angle > high)
      angle -= kTwoPi * std::ceil((angle - high) / kTwoPi);
    if (angle >= low && angle <= high) q[i] = angle;
  }
  double most = 0.0;
  for (std::size_t i = 0; i < farthest_.size(); ++i) {
    const double over = std::fabs(q[i]) - farthest_[i];
    if (!(over > 0.0)) continue;
    most = std::max(most, over);
    q[i] = std::copysign(farthest_[i], q[i]);
  }
  return most;
}

// Computes a ball's rotation from the reference, in the basis of the cone.
void Limits::turned(const Cone& cone, const double* q, double* v) {
  double m[4];
  quaternion_product(cone.inverse_reference, q, m);
  v[0] = m[0];
  for (int k = 0; k < 3; ++k) v[k + 1] = cone.basis[3 * k] * m[1] + cone.basis[3 * k + 1] * m[2] + cone.basis[3 * k + 2] * m[3];
}

// With s the sine of half the swing, the swing is 2 asin(s) <= 2 s + s³ / 3 + (pi - 7/3) s⁵, since the terms of the series of asin are positive and
// both sides are pi at s = 1. `sine` is s².
bool Limits::surely_inside(const Cone& cone, const double* q) {
  double v[4];
  turned(cone, q, v);
  const double w = v[0], x = v[1], y = v[2], z = v[3], along = w * w + z * z, across = x * x + y * y, length = along + across;
  const double cosine = (w * w - z * z) * cone.middle[0] + 2.0 * w * z * cone.middle[1];
  const double sx = x * w - y * z, sy = x * z + y * w, sine = across / length, factor = 2.0 + sine * (1.0 / 3.0 + (kPi - 7.0 / 3.0) * sine);
  const double square = factor * factor * (sx * sx * cone.inverse_swing[0] + sy * sy * cone.inverse_swing[1]);
  return along > kSureMargin * length && cosine >= cone.least_cosine * along && square <= (1.0 - kSureMargin) * along * length;
}

// Computes (sigma1, sigma2, tau) of a ball's rotation.
void Limits::decompose(const Cone& cone, const double* q, double* out) const {
  double v[4];
  turned(cone, q, v);
  const SwingTwist t = swing_twist_of(v);
  const double sine = t.swing_sine, factor = sine < kSmallSine ? 2.0 + sine * sine / 3.0 : twice_arc(sine, t.swing_cosine) / sine;
  double twist = twist_of(t);
  if (twist <= -kPi) twist += kTwoPi;
  out[0] = factor * t.x;
  out[1] = factor * t.y;
  out[2] = twist;
}

double Limits::excess(const Cone& cone, const double* x) {
  const double r1 = std::max(cone.swing[0], kNarrowest), r2 = std::max(cone.swing[1], kNarrowest);
  const double ratio = std::hypot(x[0] / r1, x[1] / r2), length = std::hypot(x[0], x[1]);
  const double known = std::max(std::cos(0.5 * length), 1e-300);
  const double safe_ratio = std::max(ratio, 1.0), safe_length = length > 0.0 ? length : 1.0;
  const double along = safe_ratio / safe_length;
  const double across = std::fabs(x[0] * x[1] * (1.0 / (r2 * r2) - 1.0 / (r1 * r1))) / (safe_length * safe_ratio);
  const bool outside = (ratio - 1.0) * known > kRounding * (along * known + across);
  const bool twisted = !(x[2] >= cone.twist[0] && x[2] <= cone.twist[1]);
  const double by = twisted ? std::min(around(cone.twist[0] - x[2]), around(x[2] - cone.twist[1])) : 0.0;
  return std::max(outside ? length * (1.0 - 1.0 / safe_ratio) : 0.0, by * known > kRounding ? by : 0.0);
}

double Limits::violation(const double* q) const {
  double worst = 0.0;
  std::vector<char> led(lower_.size(), 0);
  for (std::size_t k = 0; k < coupled_.size(); ++k) {
    const double wanted = ratio_[k] * q[source_[k]], size = std::max(std::fabs(wanted) + std::fabs(shift_[k]), 1.0), number = q[coupled_[k]];
    const double apart = std::fabs(wanted + shift_[k] - number);
    const std::size_t i = static_cast<std::size_t>(coupled_[k]);
    const double outside = std::max(std::max(lower_[i] - number, number - upper_[i]), 0.0);
    led[i] = 1;
    if (apart > kRounding * size) worst = std::max(worst, apart);
    if (outside > kRounding * size) worst = std::max(worst, outside);
  }
  for (std::size_t i = 0; i < lower_.size(); ++i)
    if (!led[i]) worst = std::max(worst, std::max(lower_[i] - q[i], q[i] - upper_[i]));
  for (const Cone& cone : cones_) {
    double x[3];
    decompose(cone, q + cone.number, x);
    worst = std::max(worst, excess(cone, x));
  }
  return worst;
}

void Limits::clamp(double* q) const {
  for (std::size_t i = 0; i < lower_.size(); ++i) q[i] = std::min(std::max(q[i], lower_[i]), upper_[i]);
  for (const Cone& cone : cones_) {
    if (surely_inside(cone, q + cone.number)) continue;
    double x[3];
    decompose(cone, q + cone.number, x);
    if (!(excess(cone, x) > 0.0)) continue;
    const double factor = 1.0 / std::max(std::hypot(x[0] / cone.swing[0], x[1] / cone.swing[1]), 1.0);
    double twist = x[2];
    if (!(twist >= cone.twist[0] && twist <= cone.twist[1]))
      twist = around(cone.twist[0] - twist) < around(twist - cone.twist[1]) ? cone.twist[0] : cone.twist[1];
    // swing, then twist, in the reference frame
    const double s1 = factor * x[0], s2 = factor * x[1], angle = std::hypot(s1, s2), half = 0.5 * angle;
    const double k = angle < kSmallSine ? 0.5 - angle * angle / 48.0 : std::sin(half) / angle;
    double swing[4] = {std::cos(half), 0, 0, 0}, turn[4] = {std::cos(0.5 * twist), 0, 0, 0};
    for (int j = 0; j < 3; ++j) {
      swing[1 + j] = k * (s1 * cone.basis[j] + s2 * cone.basis[3 + j]);
      turn[1 + j] = std::sin(0.5 * twist) * cone.basis[6 + j];
    }
    const double reference[4] = {cone.inverse_reference[0], -cone.inverse_reference[1], -cone.inverse_reference[2], -cone.inverse_reference[3]};
    quaternion_product(swing, turn, swing);
    quaternion_product(reference, swing, q + cone.number);
  }
  follow(q);
}

bool Limits::joints_inside(const double* q) const {
  for (const int i : balls_) {
    const double square = q[i] * q[i] + q[i + 1] * q[i + 1] + q[i + 2] * q[i + 2] + q[i + 3] * q[i + 3];
    if (!(square >= (1.0 - kUnitTolerance) * (1.0 - kUnitTolerance) && square <= (1.0 + kUnitTolerance) * (1.0 + kUnitTolerance))) return false;
  }
  for (const Cone& cone : cones_) {
    if (surely_inside(cone, q + cone.number)) continue;
    double x[3];
    decompose(cone, q + cone.number, x);
    if (excess(cone, x) > 0.0) return false;
  }
  for (std::size_t k = 0; k < coupled_.size(); ++k)
    if (q[coupled_[k]] != ratio_[k] * q[source_[k]] + shift_[k]) return false;
  return true;
}

}  // namespace manikin
