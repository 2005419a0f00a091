#include "solve/starts/three_angles.h"

#include <algorithm>
#include <cmath>

#include "math/mat3.h"
#include "math/vectors.h"
#include "solve/constants.h"

namespace manikin {

void perpendicular(const double* axis, double* out) {
  int least = 0;
  for (int j = 1; j < 3; ++j)
    if (std::fabs(axis[j]) < std::fabs(axis[least])) least = j;
  double helper[3] = {0, 0, 0};
  helper[least] = 1.0;
  across(helper, axis, out);
  const double length = std::sqrt(dot(out, out));
  for (int j = 0; j < 3; ++j) out[j] /= length;
}

void turn_about(const double* u, double cosine, double sine, double* out) {
  const double k = 1.0 - cosine;
  const double r[9] = {cosine + k * u[0] * u[0],      k * u[0] * u[1] - sine * u[2], k * u[0] * u[2] + sine * u[1],
                       k * u[0] * u[1] + sine * u[2], cosine + k * u[1] * u[1],      k * u[1] * u[2] - sine * u[0],
                       k * u[0] * u[2] - sine * u[1], k * u[1] * u[2] + sine * u[0], cosine + k * u[2] * u[2]};
  std::copy(r, r + 9, out);
}

void turn_by(const double* u, double angle, double* out) { turn_about(u, std::cos(angle), std::sin(angle), out); }

void angles_of(const double* axes, const double* wanted, const double* now, int side, double* angles) {
  const double *v1 = axes, *v2 = axes + 3, *v3 = axes + 6;
  double tip[3], b[3], first[9], second[9], back[9], rest[9], y[3], flat[3], to[3], turned[3], c[3];
  applied(wanted, v3, tip);
  cross(v2, v3, b);
  const double C = dot(v1, v2) * dot(v2, v3), A = dot(v1, v3) - C, B = dot(v1, b);
  const double level = (dot(v1, tip) - C) / std::hypot(A, B);
  angles[1] = std::atan2(B, A) + side * std::acos(std::min(std::max(level, -1.0), 1.0));
  turn_by(v2, angles[1], second);
  applied(second, v3, y);
  across(y, v1, flat);
  across(tip, v1, to);
  cross(flat, to, c);
  const bool same = std::sqrt(std::min(dot(flat, flat), dot(to, to))) < kLeastAcross;
  angles[0] = same ? now[0] : std::atan2(dot(v1, c), dot(flat, to));
  turn_by(v1, angles[0], first);
  product(first, second, rest);
  transposed(rest, back);
  product(back, wanted, rest);
  perpendicular(v3, flat);
  applied(rest, flat, turned);
  cross(flat, turned, c);
  angles[2] = std::atan2(dot(v3, c), dot(flat, turned));
}

bool bring_near(const double* now, const double* limits, double* angles) {
  for (int k = 0; k < 3; ++k) {
    angles[k] -= kTwoPi * std::nearbyint((angles[k] - now[k]) / kTwoPi);
    if (angles[k] < limits[2 * k]) angles[k] += kTwoPi;
    if (angles[k] > limits[2 * k + 1]) angles[k] -= kTwoPi;
    if (!(angles[k] >= limits[2 * k] && angles[k] <= limits[2 * k + 1])) return false;
  }
  return true;
}

void angles_within(const double* axes, const double* wanted, const double* now, const double* limits, double* angles) {
  double least = -1.0, best[3] = {0, 0, 0};
  for (const int side : {1, -1}) {
    double found[3], far = 0.0;
    angles_of(axes, wanted, now, side, found);
    if (!bring_near(now, limits, found)) continue;
    for (int k = 0; k < 3; ++k) far += std::fabs(found[k] - now[k]);
    if (least >= 0.0 && far >= least) continue;
    least = far;
    std::copy(found, found + 3, best);
  }
  const bool within = least >= 0.0;
  for (const int side : {1, -1}) {  // neither is within limits
    double found[3], away = 0.0, held[3];
    if (within) break;
    angles_of(axes, wanted, now, side, found);
    for (int k = 0; k < 3; ++k) {
      found[k] -= kTwoPi * std::nearbyint((found[k] - now[k]) / kTwoPi);
      held[k] = std::min(std::max(found[k], limits[2 * k]), limits[2 * k + 1]);
      away += std::fabs(found[k] - held[k]);
    }
    if (least >= 0.0 && away >= least) continue;
    least = away;
    std::copy(held, held + 3, best);
  }
  std::copy(best, best + 3, angles);
}

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

}  // namespace manikin
