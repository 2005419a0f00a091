#include "solve/starts/natural.h"

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
namespace {

void require_fit(bool holds) { require(holds, "the shapes of the arrays of a natural start do not match"); }

// Checks the sizes of the arrays and returns them.
NaturalArrays fitting(NaturalArrays a) {
  const std::size_t joints = a.joint_kind.size(), points = a.point_goal.size(), turns = a.axes_goal.size(), numbers = a.start.size();
  require_fit(a.joint_number.size() == joints && a.joint_part.size() == joints && a.joint_left.size() == 4 * joints &&
              a.joint_right.size() == 4 * joints && a.joint_axes.size() == 9 * joints && a.joint_limits.size() == 6 * joints &&
              (a.turn.size() == 1 || a.turn.size() == 3) && a.leg > 0.0 && a.center.size() == 4 * kNaturalParts &&
              a.part_before.size() == kNaturalParts);
  require_fit(a.point_target.size() == points && a.point_slot.size() == points && a.point_offset.size() == 3 * points &&
              a.point.size() == 3 * points && a.axes_target.size() == turns && a.axes_slot.size() == turns && a.axes_right.size() == 4 * turns &&
              a.axes.size() == 9 * turns);
  const std::size_t aims = a.aim_goal.size();
  require_fit(a.aim_target.size() == aims && a.aim_far.size() == aims && a.aim_axis.size() == 3 * aims && a.aim_point.size() == 3 * aims);
  const LimitArrays& l = a.limits;
  const std::size_t cones = l.cone_number.size(), led = l.coupled.size();
  require_fit(l.lower.size() == numbers && l.upper.size() == numbers && l.cone_reference.size() == 4 * cones && l.cone_basis.size() == 9 * cones &&
              l.cone_swing.size() == 2 * cones && l.cone_twist.size() == 2 * cones && l.coupled_source.size() == led &&
              l.coupled_ratio.size() == led && l.coupled_shift.size() == led);
  return a;
}

void inverse_of(const double* q, double* out) {
  out[0] = q[0];
  for (int k = 1; k < 4; ++k) out[k] = -q[k];
}

// exp(w / 2)
void from_vector(const double* w, double* q) {
  const double angle = std::sqrt(dot(w, w)), sine = std::sin(0.5 * angle), cosine = std::cos(0.5 * angle);
  const double factor = angle < kSmallSine ? 0.5 - angle * angle / 48.0 : sine / angle;
  q[0] = cosine;
  for (int k = 0; k < 3; ++k) q[1 + k] = factor * w[k];
}

// Computes the shortest turn of a quaternion, scaled by `share`.
void part_of(const double* q, double share, double* out) {
  const double sign = q[0] < 0.0 ? -1.0 : 1.0, sine = std::sqrt(dot(q + 1, q + 1));
  const double factor = sine < kSmallSine ? 2.0 + sine * sine / 3.0 : 2.0 * std::atan2(sine, sign * q[0]) / sine;
  double w[3];
  for (int k = 0; k < 3; ++k) w[k] = share * sign * factor * q[1 + k];
  from_vector(w, out);
}

}  // namespace

Natural::Natural(NaturalArrays arrays) : on_(fitting(std::move(arrays))), limits_(on_.limits), net_(on_.net), least_goals_(0), least_targets_(0) {
  const std::size_t joints = on_.joint_kind.size();
  const LimitArrays& l = on_.limits;
  const auto within = [&](int number, int count) { return number >= 0 && number + count <= nq(); };
  for (int part = 0; part < kNaturalParts; ++part) require_fit(on_.part_before[at(part)] < part);  // so the chains end
  for (const int n : on_.slide) require_fit(within(n, 1));
  for (const int n : on_.turn) require_fit(within(n, on_.turn.size() == 1 ? 4 : 1));
  for (const int n : l.cone_number) require_fit(within(n, 4));
  for (std::size_t k = 0; k < l.coupled.size(); ++k) require_fit(within(l.coupled[k], 1) && within(l.coupled_source[k], 1));
  for (std::size_t k = 0; k < joints; ++k) {
    const int kind = on_.joint_kind[k];
    require_fit(kind >= kNaturalBall && kind <= kNaturalThree && within(on_.joint_number[k], kind == kNaturalBall ? 4 : kind) &&
                on_.joint_part[k] >= 0 && on_.joint_part[k] < kNaturalParts);
    int whole = 0;
    for (std::size_t j = k; j < joints; ++j)
      whole += on_.joint_part[j] == on_.joint_part[k] && (on_.joint_kind[j] == kNaturalBall || on_.joint_kind[j] == kNaturalThree);
    whole_.push_back(whole);
  }
  for (int part = 0; part < kNaturalParts; ++part) {
    const double* c = &on_.center[at(4 * part)];
    plain_.push_back(on_.part_before[at(part)] < 0 && c[0] == 1.0 && c[1] == 0.0 && c[2] == 0.0 && c[3] == 0.0);
  }
  for (std::size_t k = 0; k < joints; ++k)
    if (on_.joint_kind[k] != kNaturalBall) plain_[at(on_.joint_part[k])] = false;
  const auto grow = [&](const std::vector<int>& goal, const std::vector<int>& target, const std::vector<int>& slot, int numbers_each) {
    for (std::size_t k = 0; k < goal.size(); ++k) {
      require_fit(goal[k] >= 0 && target[k] >= 0 && slot[k] >= -1 && slot[k] < kNaturalEffectors);
      least_goals_ = std::max(least_goals_, goal[k] + 1);
      least_targets_ = std::max(least_targets_, target[k] + numbers_each);
    }
  };
  grow(on_.point_goal, on_.point_target, on_.point_slot, 3);
  grow(on_.axes_goal, on_.axes_target, on_.axes_slot, 4);
  grow(on_.aim_goal, on_.aim_target, std::vector<int>(on_.aim_goal.size(), kNaturalHead), 3);
}

void Natural::start(const double* targets, const double* weights, double* q) const {
  std::copy(on_.start.begin(), on_.start.end(), q);
  Read told;
  if (!read(targets, weights, told)) return;
  double y[kNaturalOutputs], columns[9], axes[9], place[3];
  net_.evaluate(told.x, y);
  put_parts(y, q);
  // orthonormalises two columns of a rotation (Gram-Schmidt)
  double a[3], b[3], c[3];
  const double length = std::max(std::sqrt(dot(y + 51, y + 51)), kNaturalShortest);
  for (int k = 0; k < 3; ++k) a[k] = y[51 + k] / length;
  across(y + 54, a, b);
  const double second = std::max(std::sqrt(dot(b, b)), kNaturalShortest);
  for (int k = 0; k < 3; ++k) b[k] /= second;
  cross(a, b, c);
  for (int k = 0; k < 3; ++k) columns[3 * k] = a[k], columns[3 * k + 1] = b[k], columns[3 * k + 2] = c[k];
  product(told.turn, columns, axes);
  product(on_.frame, axes, axes);
  applied(told.turn, y + 57, place);
  for (int k = 0; k < 3; ++k) place[k] = on_.leg * (place[k] + told.center[k]);
  applied(on_.frame, place, place);
  put_root(axes, place, q);
  limits_.clamp(q);
}

void Natural::turn_of(int part, const double* y, double* turn) const {
  double own[4];
  from_vector(y + 3 * part, own);
  quaternion_product(&on_.center[at(4 * part)], own, turn);
  for (int before = on_.part_before[at(part)]; before >= 0; before = on_.part_before[at(before)]) {
    from_vector(y + 3 * before, own);
    quaternion_product(&on_.center[at(4 * before)], own, own);
    quaternion_product(own, turn, turn);
  }
}

void Natural::put_parts(const double* y, double* q) const {
  int part = -1;
  bool even = false;              // all joints of the part are balls and have the same turn
  double left[4] = {1, 0, 0, 0};  // what remains of the turn of the part; if even, the turn of each joint
  // joint by joint; a joint takes its share of the turn of its part
  for (std::size_t k = 0; k < on_.joint_kind.size(); ++k) {
    const int kind = on_.joint_kind[k];
    double* number = q + on_.joint_number[k];
    const double *before = &on_.joint_left[4 * k], *after = &on_.joint_right[4 * k];
    if (on_.joint_part[k] != part) {
      part = on_.joint_part[k];
      const double* w = y + 3 * part;
      even = plain_[at(part)] && dot(w, w) < kPi * kPi;  // a longer vector is not the shortest turn
      if (even) {
        const double share[3] = {w[0] / whole_[k], w[1] / whole_[k], w[2] / whole_[k]};
        from_vector(share, left);
      } else {
        turn_of(part, y, left);
      }
    }
    // the turn in the axes of the joint
    double A[4], L[4], back[4];
    std::copy(left, left + 4, A);
    if (!even && (kind == kNaturalBall || kind == kNaturalThree) && whole_[k] > 1) part_of(left, 1.0 / whole_[k], A);
    quaternion_product(before, A, L);
    quaternion_product(L, after, L);
    const bool last = even || k + 1 == on_.joint_kind.size() || on_.joint_part[k + 1] != part;
    // as a quaternion, or as angles within limits
    if (kind == kNaturalBall) {
      const double factor = 1.0 / std::sqrt(L[0] * L[0] + dot(L + 1, L + 1));
      for (int j = 0; j < 4; ++j) number[j] = factor * L[j];
    } else {
      const double *axes = &on_.joint_axes[9 * k], *limits = &on_.joint_limits[6 * k];
      if (kind == kNaturalThree) {
        double wanted[9];
        matrix_of(L, wanted);
        angles_within(axes, wanted, &on_.start[at(on_.joint_number[k])], limits, number);
      } else {
        double rest[4];
        std::copy(L, L + 4, rest);
        for (int j = 0; j < kind; ++j) {
          double angle = 2.0 * std::atan2(dot(rest + 1, axes + 3 * j), rest[0]);
          angle -= kTwoPi * std::nearbyint(angle / kTwoPi);
          const double turn[4] = {std::cos(-0.5 * angle), std::sin(-0.5 * angle) * axes[3 * j], std::sin(-0.5 * angle) * axes[3 * j + 1],
                                  std::sin(-0.5 * angle) * axes[3 * j + 2]};
          quaternion_product(turn, rest, rest);
          number[j] = std::min(std::max(angle, limits[2 * j]), limits[2 * j + 1]);
        }
      }
      if (last) continue;
      L[0] = 1.0, L[1] = L[2] = L[3] = 0.0;
      for (int j = 0; j < kind; ++j) {
        const double half = 0.5 * number[j],
                     turn[4] = {std::cos(half), std::sin(half) * axes[3 * j], std::sin(half) * axes[3 * j + 1], std::sin(half) * axes[3 * j + 2]};
        quaternion_product(L, turn, L);
      }
      double ends[4];
      inverse_of(after, ends);
      quaternion_product(L, ends, A);
      inverse_of(before, ends);
      quaternion_product(ends, A, A);
    }
    if (last) continue;
    // what remains for the next joint of the part
    inverse_of(A, back);
    quaternion_product(back, left, left);
  }
}

void Natural::put_root(const double* axes, const double* place, double* q) const {
  double now[9], back[9], turn[9], arm[3], shift[3];
  matrix_of(on_.pelvis_axes, now);
  transposed(now, back);
  product(axes, back, turn);
  if (on_.turn.size() == 1) {
    double own[9], a[4], *b = q + on_.turn[0];
    product(on_.turn_axes, turn, own);
    transposed(on_.turn_axes, back);
    product(own, back, own);
    quaternion_of(own, a);
    quaternion_product(a, b, b);
  } else {
    double wanted[9], one[9], angles[3], found[3];
    std::copy(turn, turn + 9, wanted);
    for (int k = 0; k < 3; ++k) {
      angles[k] = q[on_.turn[at(k)]];
      turn_by(on_.turn_axes + 3 * k, angles[k], one);
      product(wanted, one, wanted);
    }
    angles_within(on_.turn_axes, wanted, angles, on_.turn_limits, found);
    for (int k = 0; k < 3; ++k) q[on_.turn[at(k)]] = found[k];
  }
  for (int k = 0; k < 3; ++k) arm[k] = on_.pelvis[k] - on_.pivot[k];
  applied(turn, arm, arm);
  for (int k = 0; k < 3; ++k) shift[k] = place[k] - on_.pivot[k] - arm[k];
  for (int k = 0; k < 3; ++k) q[on_.slide[k]] += dot(on_.to_slides + 3 * k, shift);
}

}  // namespace manikin
