#include "solve/starts/natural.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "math/mat3.h"
#include "math/quaternion.h"
#include "math/vectors.h"
#include "solve/constants.h"
#include "solve/starts/three_angles.h"

namespace manikin {
namespace {

void require(bool holds) {
  if (!holds) throw std::invalid_argument("the arrays of a natural start do not fit each other");
}

void back_applied(const double* a, const double* x, double* out) {
  const double r[3] = {a[0] * x[0] + a[3] * x[1] + a[6] * x[2], a[1] * x[0] + a[4] * x[1] + a[7] * x[2], a[2] * x[0] + a[5] * x[1] + a[8] * x[2]};
  std::copy(r, r + 3, out);
}

void inverse_of(const double* q, double* out) {
  out[0] = q[0];
  for (int k = 1; k < 4; ++k) out[k] = -q[k];
}

// exp(w / 2)
void from_vector(const double* w, double* q) {
  const double angle = std::sqrt(dot(w, w));
  const double factor = angle < kSmallSine ? 0.5 - angle * angle / 48.0 : std::sin(0.5 * angle) / angle;
  q[0] = std::cos(0.5 * angle);
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

// Computes the quaternion of a rotation, given row by row, from its largest component.
void quaternion_of(const double* r, double* q) {
  const double trace = r[0] + r[4] + r[8];
  const double four[4] = {1.0 + trace, 1.0 + 2.0 * r[0] - trace, 1.0 + 2.0 * r[4] - trace, 1.0 + 2.0 * r[8] - trace};
  const int largest = static_cast<int>(std::max_element(four, four + 4) - four);
  switch (largest) {
    case 0: q[0] = four[0], q[1] = r[7] - r[5], q[2] = r[2] - r[6], q[3] = r[3] - r[1]; break;
    case 1: q[0] = r[7] - r[5], q[1] = four[1], q[2] = r[1] + r[3], q[3] = r[2] + r[6]; break;
    case 2: q[0] = r[2] - r[6], q[1] = r[1] + r[3], q[2] = four[2], q[3] = r[5] + r[7]; break;
    default: q[0] = r[3] - r[1], q[1] = r[2] + r[6], q[2] = r[5] + r[7], q[3] = four[3];
  }
  const double length = std::sqrt(q[0] * q[0] + dot(q + 1, q + 1)) * (q[0] < 0.0 ? -1.0 : 1.0);
  for (int k = 0; k < 4; ++k) q[k] /= length;
}

// Computes the inputs of the net for the mirrored body.
void mirrored_inputs(const float* x, float* out) {
  for (int e = 0; e < kNaturalEffectors; ++e) {
    const float *place = x + 3 * kNaturalSwap[e], *axes = x + 18 + 6 * kNaturalSwap[e];
    const float places[3] = {-place[0], place[1], place[2]}, columns[6] = {axes[0], -axes[1], -axes[2], -axes[3], axes[4], axes[5]};
    std::copy(places, places + 3, out + 3 * e);
    std::copy(columns, columns + 6, out + 18 + 6 * e);
    out[54 + e] = x[54 + kNaturalSwap[e]];
    out[60 + e] = x[60 + kNaturalSwap[e]];
  }
  std::copy(x + 66, x + kNaturalInputs, out + 66);
}

// Four numbers at a time. Every processor executes the same instructions, so the bits are the same.
typedef float Four __attribute__((vector_size(16), aligned(4), may_alias));

int filled(int wide) { return (wide + kNaturalTogether - 1) / kNaturalTogether * kNaturalTogether; }

// Computes out += x W for two rows of numbers at once; W has `wide` columns, a multiple of kNaturalTogether.
void add_product(int in, int wide, const float* W, const float* x, const float* other, float* out, float* other_out) {
  for (int first = 0; first < wide; first += kNaturalTogether) {
    Four one[4], two[4];
    for (int k = 0; k < 4; ++k) {
      one[k] = *reinterpret_cast<const Four*>(out + first + 4 * k);
      two[k] = *reinterpret_cast<const Four*>(other_out + first + 4 * k);
    }
    for (int i = 0; i < in; ++i) {
      const Four a = {x[i], x[i], x[i], x[i]}, b = {other[i], other[i], other[i], other[i]};
      const Four* row = reinterpret_cast<const Four*>(W + i * wide + first);
      for (int k = 0; k < 4; ++k) {
        one[k] += a * row[k];
        two[k] += b * row[k];
      }
    }
    for (int k = 0; k < 4; ++k) {
      *reinterpret_cast<Four*>(out + first + 4 * k) = one[k];
      *reinterpret_cast<Four*>(other_out + first + 4 * k) = two[k];
    }
  }
}

void rectify(int wide, float* h) {
  for (int j = 0; j < wide; ++j) h[j] = h[j] > 0.0f ? h[j] : kNaturalSlope * h[j];
}

// Converts a matrix to single precision and pads its rows with zeros.
std::vector<float> single(const std::vector<double>& numbers, int rows, int columns, int wide) {
  std::vector<float> out(at(rows * wide), 0.0f);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) out[at(i * wide + j)] = static_cast<float>(numbers[at(i * columns + j)]);
  return out;
}

}  // namespace

struct Natural::Read {
  float x[kNaturalInputs];
  double turn[9], center[3];
};

Natural::Natural(NaturalArrays arrays) : on_(std::move(arrays)), limits_(on_.limits), width_(0), least_goals_(0), least_targets_(0) {
  const std::size_t wide = on_.b0.size(), joints = on_.joint_kind.size(), points = on_.point_goal.size(), turns = on_.axes_goal.size(),
                    numbers = on_.start.size();
  require(wide > 0 && wide <= kNaturalWidest && on_.mean.size() == kNaturalInputs && on_.scale.size() == kNaturalInputs &&
          on_.W0.size() == kNaturalInputs * wide && on_.W1.size() == wide * wide && on_.b1.size() == wide &&
          on_.W2.size() == wide * kNaturalOutputs && on_.out.size() == kNaturalOutputs);
  require(on_.joint_number.size() == joints && on_.joint_part.size() == joints && on_.joint_left.size() == 4 * joints &&
          on_.joint_right.size() == 4 * joints && on_.joint_axes.size() == 9 * joints && on_.joint_limits.size() == 6 * joints &&
          (on_.turn.size() == 1 || on_.turn.size() == 3) && on_.leg > 0.0);
  require(on_.point_target.size() == points && on_.point_slot.size() == points && on_.point_offset.size() == 3 * points &&
          on_.point.size() == 3 * points && on_.axes_target.size() == turns && on_.axes_slot.size() == turns && on_.axes_right.size() == 4 * turns &&
          on_.axes.size() == 9 * turns);
  const LimitArrays& l = on_.limits;
  const std::size_t cones = l.cone_number.size(), led = l.coupled.size();
  require(l.lower.size() == numbers && l.upper.size() == numbers && l.cone_reference.size() == 4 * cones && l.cone_basis.size() == 9 * cones &&
          l.cone_swing.size() == 2 * cones && l.cone_twist.size() == 2 * cones && l.coupled_source.size() == led && l.coupled_ratio.size() == led &&
          l.coupled_shift.size() == led);
  const auto within = [&](int number, int count) { return number >= 0 && number + count <= nq(); };
  for (const int n : on_.slide) require(within(n, 1));
  for (const int n : on_.turn) require(within(n, on_.turn.size() == 1 ? 4 : 1));
  for (const int n : l.cone_number) require(within(n, 4));
  for (std::size_t k = 0; k < led; ++k) require(within(l.coupled[k], 1) && within(l.coupled_source[k], 1));
  for (std::size_t k = 0; k < joints; ++k) {
    const int kind = on_.joint_kind[k];
    require(kind >= kNaturalBall && kind <= kNaturalThree && within(on_.joint_number[k], kind == kNaturalBall ? 4 : kind) && on_.joint_part[k] >= 0 &&
            on_.joint_part[k] < kNaturalParts);
    int whole = 0;
    for (std::size_t j = k; j < joints; ++j)
      whole += on_.joint_part[j] == on_.joint_part[k] && (on_.joint_kind[j] == kNaturalBall || on_.joint_kind[j] == kNaturalThree);
    whole_.push_back(whole);
  }
  const auto grow = [&](const std::vector<int>& goal, const std::vector<int>& target, const std::vector<int>& slot, int numbers_each) {
    for (std::size_t k = 0; k < goal.size(); ++k) {
      require(goal[k] >= 0 && target[k] >= 0 && slot[k] >= -1 && slot[k] < kNaturalEffectors);
      least_goals_ = std::max(least_goals_, goal[k] + 1);
      least_targets_ = std::max(least_targets_, target[k] + numbers_each);
    }
  };
  grow(on_.point_goal, on_.point_target, on_.point_slot, 3);
  grow(on_.axes_goal, on_.axes_target, on_.axes_slot, 4);
  mean_.assign(on_.mean.begin(), on_.mean.end());
  for (const double s : on_.scale) inverse_scale_.push_back(static_cast<float>(1.0 / s));
  const int columns = static_cast<int>(wide);
  width_ = filled(columns);
  std::vector<double> second(at(width_ * columns), 0.0), third(at(width_ * kNaturalOutputs), 0.0);  // with rows for the padded columns
  std::copy(on_.W1.begin(), on_.W1.end(), second.begin());
  std::copy(on_.W2.begin(), on_.W2.end(), third.begin());
  W0_ = single(on_.W0, kNaturalInputs, columns, width_);
  b0_ = single(on_.b0, 1, columns, width_);
  W1_ = single(second, width_, columns, width_);
  b1_ = single(on_.b1, 1, columns, width_);
  W2_ = single(third, width_, kNaturalOutputs, kNaturalFilled);
}

void Natural::start(const double* targets, const double* weights, double* q) const {
  std::copy(on_.start.begin(), on_.start.end(), q);
  Read told;
  if (!read(targets, weights, told)) return;
  double y[kNaturalOutputs], columns[9], axes[9], place[3];
  evaluate(told.x, y);
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

bool Natural::read(const double* targets, const double* weights, Read& out) const {
  const std::size_t points = on_.point_goal.size(), turns = on_.axes_goal.size();
  const double most = kNaturalFarthest * on_.leg;
  // for each effector, the point and the orientation that determine it: the heaviest, and the first of equals
  int slot[kNaturalEffectors], facing[kNaturalEffectors], known = 0;
  std::fill(slot, slot + kNaturalEffectors, -1);
  std::fill(facing, facing + kNaturalEffectors, -1);
  const auto choose = [&](const std::vector<int>& own, const std::vector<int>& goal, int* chosen) {
    for (std::size_t k = 0; k < own.size(); ++k) {
      if (own[k] < 0 || !(weights[goal[k]] > 0.0)) continue;
      int& best = chosen[own[k]];
      if (best < 0 || weights[goal[k]] > weights[goal[at(best)]]) best = static_cast<int>(k);
    }
  };
  choose(on_.point_slot, on_.point_goal, slot);
  choose(on_.axes_slot, on_.axes_goal, facing);
  for (const int k : slot) known += k >= 0;
  if (known == 0) return false;

  // the heading
  const auto target_at = [&](std::size_t k, double* to) {
    double t[3];
    for (int j = 0; j < 3; ++j) t[j] = std::min(std::max(targets[on_.point_target[k] + j], -most), most);
    back_applied(on_.frame, t, to);
    for (int j = 0; j < 3; ++j) to[j] /= on_.leg;
  };
  const auto wanted_at = [&](std::size_t k, double* rows) {
    double r[9], back[9];
    matrix_of(targets + on_.axes_target[k], r);
    transposed(on_.frame, back);
    product(back, r, rows);
  };
  double middle[2][3] = {}, C = 0.0, S = 0.0;
  int count = 0;
  for (std::size_t k = 0; k < points; ++k) {
    if (!(weights[on_.point_goal[k]] > 0.0)) continue;
    double t[3];
    target_at(k, t);
    for (int j = 0; j < 3; ++j) middle[0][j] += on_.point[3 * k + at(j)], middle[1][j] += t[j];
    ++count;
  }
  for (int j = 0; j < 3; ++j) middle[0][j] /= count, middle[1][j] /= count;
  for (std::size_t k = 0; k < points; ++k) {
    if (!(weights[on_.point_goal[k]] > 0.0)) continue;
    double b[3], a[3];
    target_at(k, b);
    for (int j = 0; j < 3; ++j) a[j] = on_.point[3 * k + at(j)] - middle[0][j], b[j] -= middle[1][j];
    C += a[0] * b[0] + a[2] * b[2];
    S += a[2] * b[0] - a[0] * b[2];
  }
  for (std::size_t k = 0; k < turns; ++k) {
    if (!(weights[on_.axes_goal[k]] > 0.0)) continue;
    double b[9];
    wanted_at(k, b);
    const double* a = &on_.axes[9 * k];
    for (int j = 0; j < 3; ++j) {
      C += kNaturalArm * kNaturalArm * (a[j] * b[j] + a[6 + j] * b[6 + j]);
      S += kNaturalArm * kNaturalArm * (a[6 + j] * b[j] - a[j] * b[6 + j]);
    }
  }
  double length = std::hypot(C, S);
  if (length < kNaturalFade) {
    C += kNaturalFade - length;
    length = std::hypot(C, S);
  }
  const double cosine = length > 0.0 ? C / length : 1.0, sine = length > 0.0 ? S / length : 0.0;
  const double turn[9] = {cosine, 0, sine, 0, 1, 0, -sine, 0, cosine};
  std::copy(turn, turn + 9, out.turn);

  // the inputs of the net
  std::fill(out.x, out.x + kNaturalInputs, 0.0f);
  double places[kNaturalEffectors][3];
  std::fill(out.center, out.center + 3, 0.0);
  for (int e = 0; e < kNaturalEffectors; ++e) {
    double axes[9], offset[3];
    if (facing[e] >= 0) {
      double r[9], right[9];
      wanted_at(at(facing[e]), r);
      matrix_of(&on_.axes_right[at(4 * facing[e])], right);
      product(r, right, axes);
      for (int j = 0; j < 2; ++j) {
        const double column[3] = {axes[j], axes[3 + j], axes[6 + j]};
        double own[3];
        back_applied(turn, column, own);
        for (int i = 0; i < 3; ++i) out.x[18 + 6 * e + 3 * j + i] = static_cast<float>(own[i]);
      }
      out.x[60 + e] = 1.0f;
    } else {
      product(turn, &on_.slot_axes[9 * e], axes);
    }
    if (slot[e] < 0) continue;
    target_at(at(slot[e]), places[e]);
    applied(axes, &on_.point_offset[at(3 * slot[e])], offset);
    for (int j = 0; j < 3; ++j) {
      places[e][j] -= offset[j] / on_.leg;
      out.center[j] += places[e][j] / known;
    }
    out.x[54 + e] = 1.0f;
  }
  for (int e = 0; e < kNaturalEffectors; ++e) {
    if (slot[e] < 0) continue;
    double away[3];
    for (int j = 0; j < 3; ++j) away[j] = places[e][j] - out.center[j];
    back_applied(turn, away, away);
    for (int j = 0; j < 3; ++j) out.x[3 * e + j] = static_cast<float>(away[j]);
  }
  if (std::isfinite(on_.floor)) {
    out.x[66] = static_cast<float>(out.center[1] - on_.floor / on_.leg);
    out.x[67] = 1.0f;
  }
  return true;
}

// Computes the mean of the outputs for x and for the mirrored x.
void Natural::evaluate(const float* x, double* y) const {
  float seen[2][kNaturalInputs], h[2][kNaturalWidest], g[2][kNaturalWidest], given[2][kNaturalFilled] = {};
  std::copy(x, x + kNaturalInputs, seen[0]);
  mirrored_inputs(x, seen[1]);
  for (auto& side : seen)
    for (int i = 0; i < kNaturalInputs; ++i)
      side[i] = std::min(std::max((side[i] - mean_[at(i)]) * inverse_scale_[at(i)], -kNaturalMost), kNaturalMost);
  for (auto& side : h) std::copy(b0_.begin(), b0_.end(), side);
  add_product(kNaturalInputs, width_, W0_.data(), seen[0], seen[1], h[0], h[1]);
  for (auto& side : h) rectify(width_, side);
  for (auto& side : g) std::copy(b1_.begin(), b1_.end(), side);
  add_product(width_, width_, W1_.data(), h[0], h[1], g[0], g[1]);
  for (auto& side : g) rectify(width_, side);
  add_product(width_, kNaturalFilled, W2_.data(), g[0], g[1], given[0], given[1]);
  const auto put = [&](int to, int from, float sign) {
    y[to] = 0.5 * (static_cast<double>(given[0][to]) + static_cast<double>(sign * given[1][from])) + on_.out[at(to)];
  };
  for (int part = 0; part < kNaturalParts; ++part) {
    const int other = part < 3 ? part : part < 10 ? part + 7 : part - 7;
    for (int j = 0; j < 3; ++j) put(3 * part + j, 3 * other + j, j == 0 ? 1.0f : -1.0f);
  }
  constexpr float signs[9] = {1, -1, -1, -1, 1, 1, -1, 1, 1};
  for (int k = 0; k < 9; ++k) put(51 + k, 51 + k, signs[k]);
}

void Natural::put_parts(const double* y, double* q) const {
  int part = -1;
  double left[4] = {1, 0, 0, 0};
  for (std::size_t k = 0; k < on_.joint_kind.size(); ++k) {
    const int kind = on_.joint_kind[k];
    double* number = q + on_.joint_number[k];
    const double *before = &on_.joint_left[4 * k], *after = &on_.joint_right[4 * k];
    if (on_.joint_part[k] != part) {
      part = on_.joint_part[k];
      from_vector(y + 3 * part, left);
    }
    double A[4], L[4], back[4];
    std::copy(left, left + 4, A);
    if ((kind == kNaturalBall || kind == kNaturalThree) && whole_[k] > 1) part_of(left, 1.0 / whole_[k], A);
    quaternion_product(before, A, L);
    quaternion_product(L, after, L);
    if (kind == kNaturalBall) {
      const double length = std::sqrt(L[0] * L[0] + dot(L + 1, L + 1));
      for (int j = 0; j < 4; ++j) number[j] = L[j] / length;
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
