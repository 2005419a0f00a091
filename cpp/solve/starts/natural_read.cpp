// Reads the targets of goals: the heading of the body, and the inputs of the net relative to it.
#include <algorithm>
#include <cmath>

#include "math/mat3.h"
#include "math/vectors.h"
#include "solve/constants.h"
#include "solve/starts/natural.h"

namespace manikin {

// Reads the heaviest aim, and the first of equals. The target of a point is relative to `here`, which is at `mean` in the mean pose.
bool Natural::gaze_of(const double* targets, const double* weights, const double* here, const double* mean, Gaze& out) const {
  int aim = -1;
  for (std::size_t k = 0; k < on_.aim_goal.size(); ++k) {
    const double weight = weights[on_.aim_goal[k]];
    if (weight > 0.0 && (aim < 0 || weight > weights[on_.aim_goal[at(aim)]])) aim = static_cast<int>(k);
  }
  if (aim < 0) return false;
  const std::size_t k = at(3 * aim);
  const double* target = targets + on_.aim_target[at(aim)];
  applied(&on_.slot_axes[9 * kNaturalHead], &on_.aim_axis[k], out.axis);
  if (on_.aim_far[at(aim)]) {
    back_applied(on_.frame, target, out.away);
    std::fill(out.ray, out.ray + 3, 0.0);
    return true;
  }
  const double most = kNaturalFarthest * on_.leg;
  double t[3];
  for (int j = 0; j < 3; ++j) t[j] = std::min(std::max(target[j], -most), most);
  back_applied(on_.frame, t, out.away);
  for (int j = 0; j < 3; ++j) out.away[j] = out.away[j] / on_.leg - here[j], out.ray[j] = on_.aim_point[k + at(j)] - mean[j];
  return true;
}

// Computes the axes of the head: those of the mean pose, turned by the heading and then by the shortest turn that takes the axis to the target.
bool Natural::gaze_axes(const Gaze& gaze, const double* turn, double* axes) const {
  double d[3], u[3], w[3], mean[9];
  applied(turn, gaze.axis, d);
  applied(turn, gaze.ray, u);
  for (int j = 0; j < 3; ++j) u[j] = gaze.away[j] - u[j];
  const double length = std::sqrt(dot(u, u));
  if (length <= kNaturalNearest) return false;
  for (int j = 0; j < 3; ++j) u[j] /= length;
  const double cosine = dot(d, u);
  if (1.0 + cosine < kNaturalBehind) return false;
  cross(d, u, w);
  product(turn, &on_.slot_axes[9 * kNaturalHead], mean);
  for (int j = 0; j < 3; ++j) {
    const double column[3] = {mean[j], mean[3 + j], mean[6 + j]}, along = dot(w, column) / (1.0 + cosine);
    double around[3];
    cross(w, column, around);
    for (int i = 0; i < 3; ++i) axes[3 * i + j] = cosine * column[i] + around[i] + along * w[i];
  }
  return true;
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
  Gaze gaze;
  bool gazes = false;
  if (!on_.aim_goal.empty() && facing[kNaturalHead] < 0) {
    const int head = slot[kNaturalHead];
    double here[3];
    if (head >= 0) target_at(at(head), here);
    gazes = head >= 0 ? gaze_of(targets, weights, here, &on_.point[at(3 * head)], gaze) : gaze_of(targets, weights, middle[1], middle[0], gaze);
  }
  if (gazes) {
    const double away = std::sqrt(dot(gaze.away, gaze.away)), scale = away > kNaturalNearest ? kNaturalArm * kNaturalArm / away : 0.0;
    C += scale * (gaze.axis[0] * gaze.away[0] + gaze.axis[2] * gaze.away[2]);
    S += scale * (gaze.axis[2] * gaze.away[0] - gaze.axis[0] * gaze.away[2]);
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
    bool faces = facing[e] >= 0;
    if (faces) {
      double r[9], right[9];
      wanted_at(at(facing[e]), r);
      matrix_of(&on_.axes_right[at(4 * facing[e])], right);
      product(r, right, axes);
    } else if (gazes && e == kNaturalHead) {
      faces = gaze_axes(gaze, turn, axes);
    }
    if (faces) {
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
  for (int k = 0; k < kNaturalProportions; ++k) out.x[68 + k] = static_cast<float>(on_.proportions[k]);
  return true;
}

}  // namespace manikin
