// The end of an arm: its placement for numbers q, its Jacobian, and its distance from a singular pose.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "model/arm.h"

namespace manikin {
namespace arm_end {

using Vector = std::array<double, 3>;

inline Vector operator+(const Vector& a, const Vector& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Vector operator-(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Vector operator*(const Vector& a, double k) { return {a[0] * k, a[1] * k, a[2] * k}; }
inline double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vector cross(const Vector& a, const Vector& b) { return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}; }
inline double length(const Vector& a) { return std::sqrt(dot(a, a)); }
inline Vector unit(const Vector& a) { return a * (1.0 / length(a)); }

struct Placement {
  Vector x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1}, p{0, 0, 0};
  Vector turned(const Vector& v) const { return x * v[0] + y * v[1] + z * v[2]; }
};

// The end of the chain in its base for numbers q: origin and axes of the last joint's space, and the Jacobian.
struct End {
  Placement at;
  double J[6][kMostArm];
};

inline End end_of(const Arm& arm, const double* q) {
  End end{};
  Placement& f = end.at;
  Vector axis[kMostArm], point[kMostArm];
  for (int i = 0; i < arm.count; ++i) {
    const ArmJoint& j = arm.joint[i];
    if (i > 0) {
      f.p = f.p + f.x * j.a;
      const Vector y = f.y;
      f.y = y * j.cosine + f.z * j.sine;
      f.z = f.z * j.cosine - y * j.sine;
    }
    const double theta = j.theta + (j.slides ? 0.0 : q[i]), c = std::cos(theta), s = std::sin(theta);
    const Vector x = f.x;
    f.x = x * c + f.y * s;
    f.y = f.y * c - x * s;
    f.p = f.p + f.z * (j.d + (j.slides ? q[i] : 0.0));
    axis[i] = f.z;
    point[i] = f.p;
  }
  for (int i = 0; i < arm.count; ++i) {
    const Vector linear = arm.joint[i].slides ? axis[i] : cross(axis[i], f.p - point[i]);
    for (int k = 0; k < 3; ++k) {
      end.J[k][i] = 2.0 * linear[static_cast<std::size_t>(k)];
      end.J[k + 3][i] = arm.joint[i].slides ? 0.0 : axis[i][static_cast<std::size_t>(k)];
    }
  }
  return end;
}

// sigma^2 is at least 1 / |(J J^T)^-1|. The estimate uses the trace of the inverse, computed by Cholesky.
inline double least_singular(const double (*J)[kMostArm], int n) {
  double A[6][6], L[6][6] = {}, trace = 0.0;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) A[i][j] = std::inner_product(J[i], J[i] + n, J[j], i == j ? 1e-12 : 0.0);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j <= i; ++j) {
      double s = A[i][j];
      for (int k = 0; k < j; ++k) s -= L[i][k] * L[j][k];
      L[i][j] = i == j ? std::sqrt(std::max(s, 1e-18)) : s / L[j][j];
    }
  for (int c = 0; c < 6; ++c) {  // the columns of the inverse of L
    double x[6] = {};
    for (int i = c; i < 6; ++i) {
      double s = i == c ? 1.0 : 0.0;
      for (int k = c; k < i; ++k) s -= L[i][k] * x[k];
      x[i] = s / L[i][i];
      trace += x[i] * x[i];
    }
  }
  return 1.0 / std::sqrt(trace);
}

}  // namespace arm_end
}  // namespace manikin
