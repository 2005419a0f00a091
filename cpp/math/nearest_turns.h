// Angles of the same rotation that are nearest to given ones, for kernels and host code. Static: see quaternion.h.
#pragma once

namespace manikin {

// The angle nearest to `from` that differs from `to` by whole turns.
static inline double nearest_turn(double from, double to) {
  constexpr double turn = 6.283185307179586;
  return to - turn * __builtin_floor((to - from) / turn + 0.5);
}

// The same for the three angles of one joint whose middle axis is square to the others. Two triples, up to whole turns, give the same rotation:
// (a, b, c) and (a + pi, pi - b, c + pi), or (a + pi, -b, c + pi) if the first and the last axis are the same. Changes `to` to the nearest one; on a
// tie it keeps the first.
static inline void nearest_triple(const double* from, bool same_axis, double* to) {
  constexpr double half = 3.141592653589793;
  const double other[3] = {nearest_turn(from[0], to[0] + half), nearest_turn(from[1], same_axis ? -to[1] : half - to[1]),
                           nearest_turn(from[2], to[2] + half)};
  double here = 0.0, there = 0.0;
  for (int k = 0; k < 3; ++k) {
    to[k] = nearest_turn(from[k], to[k]);
    here += __builtin_fabs(to[k] - from[k]);
    there += __builtin_fabs(other[k] - from[k]);
  }
  for (int k = 0; k < 3 && there < here; ++k) to[k] = other[k];
}

}  // namespace manikin
