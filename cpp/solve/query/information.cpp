#include "solve/query/information.h"

#include <algorithm>
#include <cmath>

#include "math/index.h"
#include "math/mat3.h"
#include "math/quaternion.h"
#include "math/vectors.h"
#include "model/loss.h"
#include "solve/constants.h"
#include "solve/starts/three_angles.h"

namespace manikin {
namespace {

using Rows = Information::Rows;

int steps_of(const Node& n) { return n.op == kBall ? 3 : 1; }

// L(phi) of goals/orientation.py, for the rotation vector phi from the target to the effector.
void orientation_rows(const double* R, const double* target, Rows& rows) {
  double is[4], turn[4];
  quaternion_of(R, is);
  const double back[4] = {target[0], -target[1], -target[2], -target[3]};
  quaternion_product(is, back, turn);
  const double sine = std::sqrt(dot(turn + 1, turn + 1)), sign = turn[0] < 0.0 ? -1.0 : 1.0;
  const double angle = 2.0 * std::atan2(sine, sign * turn[0]), factor = sine < kSmallSine ? 2.0 + sine * sine / 3.0 : angle / sine;
  const double phi[3] = {sign * factor * turn[1], sign * factor * turn[2], sign * factor * turn[3]}, square = dot(phi, phi);
  const double c = angle < kSeriesAngle ? 1.0 / 12.0 + square / 720.0 + square * square / 30240.0
                                        : (1.0 - 0.5 * angle / std::tan(0.5 * angle)) / square;
  rows.count = 3;
  rows.error = angle;
  for (int k = 0; k < 3; ++k) {
    double unit[3] = {0.0, 0.0, 0.0}, once[3], twice[3];
    unit[k] = 1.0;
    cross(phi, unit, once);  // column k of [phi]x
    cross(phi, once, twice);
    for (int r = 0; r < 3; ++r) rows.row[r][3 + k] = unit[r] - 0.5 * once[r] + c * twice[r];
  }
}

// The derivative of goals/aim.py. `d` is the axis in the world and x the effector.
void aim_rows(const double* target, bool direction, const double* d, const double* x, Rows& rows) {
  double u[3], distance = HUGE_VAL;
  for (int k = 0; k < 3; ++k) u[k] = direction ? target[k] : target[k] - x[k];
  const double length = std::sqrt(dot(u, u));
  if (!direction) {
    distance = length;
    if (distance <= kAtEffector * (std::sqrt(dot(target, target)) + std::sqrt(dot(x, x)))) return;
  }
  for (double& k : u) k /= length;
  double w[3];
  cross(u, d, w);
  const double sine = std::sqrt(dot(w, w)), cosine = dot(u, d), angle = std::atan2(sine, cosine);
  rows.count = 3;
  rows.error = angle;
  const bool behind = cosine < 0.0 && sine < kBehind;
  double axis[3];  // of the turn, if the point is behind
  if (behind && sine > kNoAxis) {
    for (int k = 0; k < 3; ++k) axis[k] = w[k] / sine;
  } else {
    perpendicular(d, axis);
  }
  const double near = sine * sine, ratio = cosine > 0.0 && sine < 1e-3 ? 1.0 + near / 6.0 + 3.0 * near * near / 40.0 : angle / sine;
  const double turned = angle * angle;
  const double slope = cosine > 0.0 && angle < kSeriesAngle ? 1.0 / 3.0 + 2.0 * turned / 15.0 + 17.0 * turned * turned / 420.0
                                                            : (sine - angle * cosine) / (sine * sine * sine);
  for (int k = 0; k < 6; ++k) {  // columns: linear velocities move u, angular ones d
    double unit[3] = {0.0, 0.0, 0.0}, du[3] = {0.0, 0.0, 0.0}, dd[3] = {0.0, 0.0, 0.0}, one[3], two[3];
    unit[k % 3] = 1.0;
    if (k < 3)
      for (int j = 0; j < 3; ++j) du[j] = (u[j] * u[k] - unit[j]) / distance;
    else
      cross(unit, d, dd);
    if (behind) {
      cross(u, du, one);
      const double turn = k < 3 ? -dot(axis, one) : axis[k - 3];
      for (int r = 0; r < 3; ++r) rows.row[r][k] = axis[r] * turn;
      continue;
    }
    cross(du, d, one);
    cross(u, dd, two);
    const double dc = dot(du, d) + dot(u, dd);
    for (int r = 0; r < 3; ++r) rows.row[r][k] = ratio * (one[r] + two[r]) - slope * w[r] * dc;
  }
}

// The derivative of goals/swing_and_twist.py. `axis` is in the segment's space. Parts about an axis have no loss, so their error is not needed.
void axis_rows(bool swing, const double* axis, const double* R, const double* target, Rows& rows) {
  double wanted[9], u[3], d[3];
  matrix_of(target, wanted);
  applied(wanted, axis, u);
  applied(R, axis, d);
  if (swing) {
    aim_rows(u, true, d, nullptr, rows);
    return;
  }
  rows.count = 1;
  const double both = 1.0 + dot(u, d);
  for (int k = 0; k < 3; ++k) rows.row[0][3 + k] = both > kUndefinedTwist ? (u[k] + d[k]) / both : 0.0;
}

}  // namespace

Information::Information(const Description& description, const Kinematics& kinematics) : description_(description), kinematics_(kinematics) {
  const GoalArrays& p = description_.parts;
  const Tree& tree = kinematics_.tree();
  std::vector<char> needed(at(tree.nodes), 0);
  for (std::size_t k = 0; k < p.part_kind.size(); ++k) {
    if (description_.goal_members[at(description_.member_goal[at(p.part_member[k])])] > 1) continue;
    parts_.push_back(static_cast<int>(k));
    for (int i = tree.segment_node[p.part_segment[k]]; i >= 0 && !needed[at(i)]; i = tree.node[i].parent) needed[at(i)] = 1;
  }
  for (int i = 0; i < tree.nodes; ++i) {
    if (needed[at(i)]) order_.push_back(i);
    coupled_ = coupled_ || tree.node[i].source >= 0;
  }
}

void Information::forward(const double* q, std::vector<Frame>& frame) const {
  const Tree& tree = kinematics_.tree();
  for (const int i : order_) {
    const Node& n = tree.node[i];
    Frame& f = frame[at(i)];
    if (n.parent < 0) {
      std::copy(n.rotation, n.rotation + 9, f.R);
      std::copy(n.offset, n.offset + 3, f.p);
    } else {
      const Frame& above = frame[at(n.parent)];
      product(above.R, n.rotation, f.R);
      applied(above.R, n.offset, f.p);
      for (int k = 0; k < 3; ++k) f.p[k] += above.p[k];
    }
    double move[9];
    if (n.op == kSlide) {
      applied(f.R, n.axis, move);
      for (int k = 0; k < 3; ++k) f.p[k] += move[k] * q[n.number];
    } else if (n.op != kFixed) {
      if (n.op == kBall)
        matrix_of(q + n.number, move);
      else
        turn_by(n.axis, q[n.number], move);
      product(f.R, move, f.R);
    }
  }
}

// The derivative of a part's error at an effector with rotation R at x.
Information::Rows Information::rows_of(std::size_t part, const double* R, const double* x, const double* target) const {
  const GoalArrays& p = description_.parts;
  const int kind = p.part_kind[part], flags = p.part_flags[part];
  Rows rows;
  if (kind == kPosition) {
    for (int j = 0; j < 3; ++j) {
      if (!(flags >> j & 1)) continue;
      rows.error = std::hypot(rows.error, x[j] - target[rows.count]);
      rows.row[rows.count++][j] = 1.0;
    }
  } else if (kind == kOrientation) {
    orientation_rows(R, target, rows);
  } else if (kind == kAim) {
    double axis[3];
    applied(R, &p.part_axis[3 * part], axis);
    aim_rows(target, flags != 0, axis, x, rows);
  } else if (kind == kSwing || kind == kTwist) {
    axis_rows(kind == kSwing, &p.part_axis[3 * part], R, target, rows);
  } else {
    const double *n = target + 3, square = dot(n, n), away[3] = {x[0] - target[0], x[1] - target[1], x[2] - target[2]}, height = dot(n, away);
    const bool plane = kind == kPlane, met = plane && ((flags == 1 && height >= 0.0) || (flags == 2 && height <= 0.0));
    rows.count = met ? 0 : plane ? 1 : 3;
    rows.error = plane ? std::fabs(height) / std::sqrt(square) : std::sqrt(std::max(dot(away, away) - height * height / square, 0.0));
    for (int r = 0; r < rows.count; ++r)
      for (int j = 0; j < 3; ++j) rows.row[r][j] = plane ? n[j] / std::sqrt(square) : (r == j ? 1.0 : 0.0) - n[r] * n[j] / square;
  }
  return rows;
}

// Adds the columns (nv, 3) of a node for rows at x.
void Information::add_columns(const Node& n, const Frame& joint, const double* x, const Rows& rows, double* columns) {
  const double away[3] = {x[0] - joint.p[0], x[1] - joint.p[1], x[2] - joint.p[2]};
  for (int c = 0; c < steps_of(n); ++c) {
    double axis[3], velocity[6] = {};
    if (n.op == kBall) {
      for (int j = 0; j < 3; ++j) axis[j] = joint.R[3 * j + c];
    } else {
      applied(joint.R, n.axis, axis);
    }
    if (n.op == kSlide) {
      std::copy(axis, axis + 3, velocity);
    } else {
      cross(axis, away, velocity);
      std::copy(axis, axis + 3, velocity + 3);
    }
    double* sum = columns + 3 * (n.step + c);
    for (int r = 0; r < rows.count; ++r) sum[r] += n.ratio * (dot(rows.row[r], velocity) + dot(rows.row[r] + 3, velocity + 3));
  }
}

// Adds the information of the position x of an effector. The derivative of its error is its velocity.
void Information::add_position(int node, const std::vector<Frame>& frame, const double* x, double factor, double* out) const {
  const Tree& tree = kinematics_.tree();
  for (int i = node; i >= 0; i = tree.node[i].parent) {
    const Node& n = tree.node[i];
    if (!moves(n)) continue;
    const Frame& joint = frame[at(i)];
    const double away[3] = {x[0] - joint.p[0], x[1] - joint.p[1], x[2] - joint.p[2]};
    for (int c = 0; c < steps_of(n); ++c) {
      double axis[3] = {joint.R[c], joint.R[3 + c], joint.R[6 + c]}, velocity[3];
      if (n.op != kBall) applied(joint.R, n.axis, axis);
      if (n.op != kSlide) cross(axis, away, velocity);
      const double* moved = n.op == kSlide ? axis : velocity;
      out[n.step + c] += factor * dot(moved, moved);
    }
  }
}

void Information::compute(const double* q, const double* targets, const double* weights, double* out) const {
  const Description& d = description_;
  const GoalArrays& p = d.parts;
  const Tree& tree = kinematics_.tree();
  std::fill(out, out + d.nv, 0.0);
  std::vector<Frame> frame(at(tree.nodes));
  std::vector<double> columns(3 * at(d.nv), 0.0);  // (nv, 3) the derivative of one part
  forward(q, frame);
  const double angle = d.angle_weight * d.size;
  for (const int k : parts_) {
    const std::size_t part = at(k);
    const double weight = weights[d.member_goal[at(p.part_member[part])]];
    if (!(weight > 0.0)) continue;
    const int node = tree.segment_node[p.part_segment[part]];
    const Frame& f = frame[at(node)];
    double x[3];
    applied(f.R, &p.part_offset[3 * part], x);
    for (int j = 0; j < 3; ++j) x[j] += f.p[j];
    if (p.part_kind[part] == kPosition && p.part_flags[part] == 7 && p.part_loss[part] == kNoLoss && !coupled_) {
      add_position(node, frame, x, weight * p.part_share[part], out);
      continue;
    }
    const Rows rows = rows_of(part, f.R, x, targets + p.part_target[part]);
    const bool angular = p.part_kind[part] == kOrientation || p.part_kind[part] == kAim || p.part_kind[part] >= kSwing;
    const double factor = weight * p.part_share[part] * loss_of(p.part_loss[part], p.part_scale[part], rows.error).slope *
                          (angular ? angle * angle : 1.0);
    for (int i = node; i >= 0; i = tree.node[i].parent)
      if (moves(tree.node[i])) add_columns(tree.node[i], frame[at(i)], x, rows, columns.data());
    // coupled joints share a step, so their columns are summed before they are squared
    for (int i = node; i >= 0; i = tree.node[i].parent) {
      const Node& n = tree.node[i];
      for (int step = n.step; moves(n) && step < n.step + steps_of(n); ++step) {
        double* sum = &columns[3 * at(step)];
        out[step] += factor * dot(sum, sum);
        std::fill(sum, sum + 3, 0.0);
      }
    }
  }
}

bool Information::moves(const Node& n) const { return n.op != kFixed && description_.moving[at(n.source >= 0 ? n.source : n.number)] != 0; }

}  // namespace manikin
