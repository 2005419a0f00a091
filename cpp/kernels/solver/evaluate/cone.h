// Balls with a cone: conversion between a quaternion and normalised swing-twist coordinates.
#pragma once
#include "kernels/solver/constants.h"
#include "kernels/solver/work.h"
#include "math/swing_twist.h"

namespace manikin {
namespace MANIKIN_ISA {

// At a swing of half a turn each twist is right, with a swing about another axis. Takes the one that is inside the cone: the middle twist in a cone
// that is open on all sides, else the one whose swing is about the axis of the wider half angle.
static SwingTwist half_turned(const SolverNode& n, const double* m) {
  const double length = __builtin_sqrt(m[1] * m[1] + m[2] * m[2]);
  double c = m[1] / length, s = -m[2] / length;
  if (n.swing[1] > n.swing[0]) {
    c = m[2] / length;
    s = m[1] / length;
  } else if (n.swing[1] == n.swing[0]) {
    c = n.middle_cosine;
    s = n.middle_sine;
  }
  const double sx = m[1] * c - m[2] * s, sy = m[1] * s + m[2] * c;
  return {c, s, sx, sy, __builtin_sqrt(sx * sx + sy * sy), __builtin_sqrt(m[0] * m[0] + m[3] * m[3])};
}

// Computes normalised swing-twist coordinates of a ball's quaternion, which may be outside the cone.
static inline void read_ball(const SolverNode& n, const double* q, double* x) {
  const double back[4] = {n.whole[0], -n.whole[1], -n.whole[2], -n.whole[3]};
  double m[4];
  quaternion_product(back, q, m);
  quaternion_product(m, n.basis, m);
  SwingTwist t = swing_twist_of(m);
  if (t.swing_cosine < kHalfTurn) t = half_turned(n, m);
  const double k = t.swing_sine < 1e-8 ? 2.0 : twice_arc(t.swing_sine, t.swing_cosine) / t.swing_sine;
  double tau = twist_of(t) - n.twist_middle;  // the middle is within half a turn
  if (tau > kPi) tau -= 2.0 * kPi;
  if (tau <= -kPi) tau += 2.0 * kPi;
  x[0] = k * t.x / n.swing[0];
  x[1] = k * t.y / n.swing[1];
  x[2] = n.half > 0.0 ? tau / n.half : 0.0;
}

// The same, moved inside the cone.
static void read_cone(const SolverNode& n, const Coordinate& twist, const double* q, double* x) {
  read_ball(n, q, x);
  const double far = __builtin_sqrt(x[0] * x[0] + x[1] * x[1]);
  if (far > 1.0) {
    x[0] /= far;
    x[1] /= far;
  }
  if (n.half > 0.0) x[2] = clamped(x[2], twist.lower, twist.upper);
}

// Sine and cosine of half an angle from those of the angle; near half a turn from the angle itself.
static inline void halved(double angle, double sine, double cosine, double& s, double& c) {
  if (cosine > -0.9 && angle < kPi && angle > -kPi) {
    c = __builtin_sqrt(0.5 * (1.0 + cosine));
    s = 0.5 * sine / c;
  } else {
    s = __builtin_sin(0.5 * angle);
    c = __builtin_cos(0.5 * angle);
  }
}

// Computes the quaternion of a cone from the solver's swing and twist angles, with their sines and cosines.
static void write_cone(const SolverNode& n, const double* x, const double* angle, const double* sine, const double* cosine, double* q) {
  double s, c;
  halved(angle[0], sine[0], cosine[0], s, c);
  const double k = angle[0] < 1e-8 ? 0.5 : s / angle[0];
  const double swing[4] = {c, k * n.swing[0] * x[0], k * n.swing[1] * x[1], 0.0};
  halved(angle[1], sine[1], cosine[1], s, c);
  const double twist[4] = {c * n.middle_cosine - s * n.middle_sine, 0.0, 0.0, s * n.middle_cosine + c * n.middle_sine};
  const double back[4] = {n.basis[0], -n.basis[1], -n.basis[2], -n.basis[3]};
  quaternion_product(n.whole, swing, q);
  quaternion_product(q, twist, q);
  quaternion_product(q, back, q);
}

// The same, from the coordinates alone.
static void write_cone(const SolverNode& n, const double* x, double* q) {
  const double X = n.swing[0] * x[0], Y = n.swing[1] * x[1], angle[2] = {__builtin_sqrt(X * X + Y * Y), n.half * x[2]};
  const double sine[2] = {__builtin_sin(angle[0]), __builtin_sin(angle[1])}, cosine[2] = {__builtin_cos(angle[0]), __builtin_cos(angle[1])};
  write_cone(n, x, angle, sine, cosine, q);
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
