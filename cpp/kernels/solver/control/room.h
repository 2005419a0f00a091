// The room of a frame: how far joints are from the last frame, and the return of poses to the allowed range.
#pragma once
#include "kernels/solver/evaluate/cone.h"
#include "kernels/solver/evaluate/goals.h"

namespace manikin {
namespace MANIKIN_ISA {

// The sum of squares of w.away, with the weights of the coordinates. Also stores the largest of these distances.
static inline double measured_away(Work& w) {
  const Problem& P = *w.problem;
  Four sum = {0, 0, 0, 0}, most = {0, 0, 0, 0};
  for (int i = 0; i < P.width; i += 4) {
    const Four d = four(w.away + i);
    sum += four(P.all.weight + i) * d * d;
    most = where(d > most, d, most);
    most = where(-d > most, -d, most);
  }
  w.farthest = 0.0;
  for (int j = 0; j < 4; ++j) w.farthest = most[j] > w.farthest ? most[j] : w.farthest;
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

// Puts the distance of a ball from `last` in w.away. i: its first coordinate.
static inline void ball_away(Work& w, const State& s, const SolverNode& n, int i) {
  double* d = w.away + i;
  if (n.op == kCone) {
    const double* x = s.x + i;
    const double reach = __builtin_sqrt(x[0] * x[0] + x[1] * x[1]);
    const double n1 = reach > 1e-6 ? x[0] / reach : 1.0, n2 = reach > 1e-6 ? x[1] / reach : 0.0;
    const double a = d[0], b = d[1];
    d[0] = n1 * a + n2 * b;
    d[1] = n1 * b - n2 * a;
    return;
  }
  const double *p = w.last.turn + 4 * n.turn, *q = s.turn + 4 * n.turn;
  double r[4] = {p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3], p[0] * q[1] - p[1] * q[0] - p[2] * q[3] + p[3] * q[2],
                 p[0] * q[2] + p[1] * q[3] - p[2] * q[0] - p[3] * q[1], p[0] * q[3] - p[1] * q[2] + p[2] * q[1] - p[3] * q[0]};
  const double square = r[1] * r[1] + r[2] * r[2] + r[3] * r[3];
  double angle;  // from its sine
  if (square < 0.01) {
    angle = 2.0 * arc_by_sine(square);
  } else {
    const double sine = __builtin_sqrt(square);
    angle = 2.0 * __builtin_atan2(sine, __builtin_fabs(r[0])) / sine;
  }
  if (r[0] < 0.0) angle = -angle;
  for (int j = 0; j < 3; ++j) d[j] = angle * r[j + 1];
}

// Computes the distance of a state from `last`: in w.away along the directions of the steps, and as a weighted sum of squares.
static double away_from_last(Work& w, const State& s) {
  const Problem& P = *w.problem;
  for (int i = 0; i < P.width; i += 4) put_four(w.away + i, four(s.x + i) - four(w.last.x + i));
  for (int k = 0; k < P.balls; ++k) ball_away(w, s, P.node[P.coordinate[P.ball[k]].node], P.ball[k]);
  return measured_away(w);
}

// The same for a state without cones that is one step from `last`. The distance of a loose ball is then its step, unless the step is almost half a
// turn.
static double step_from_last(Work& w, const State& s) {
  const Problem& P = *w.problem;
  for (int i = 0; i < P.width; i += 4) put_four(w.away + i, four(s.x + i) - four(w.last.x + i));
  for (int k = 0; k < P.balls; ++k) {
    const int i = P.ball[k];
    const double* v = w.step + i;
    if (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] < kAlmostHalfTurn) {
      for (int j = 0; j < 3; ++j) w.away[i + j] = v[j];
    } else {
      ball_away(w, s, P.node[P.coordinate[i].node], i);
    }
  }
  return measured_away(w);
}

// The same for the state `last` itself.
static void stay_at_last(Work& w) {
  for (int i = 0; i < w.problem->width; i += 4) put_four(w.away + i, kNone);
  w.farthest = 0.0;
}

// Whether no loose ball and no triple can be beyond its room: a rotation is never larger than the sum of its three angles.
static inline bool well_inside(const Work& w) { return 3.0 * w.farthest <= w.track.least_room; }

// Computes the bounds of the step. In a frame, no coordinate moves by more than its room since the last frame.
static void bounds(Work& w, const State& s, bool frame) {
  const Problem& P = *w.problem;
  for (int i = 0; i < P.width; i += 4) {
    Four lower = four(P.all.lower + i) - four(s.x + i), upper = four(P.all.upper + i) - four(s.x + i);
    if (frame) {
      const Four most = four(w.track.room + i), low = -most - four(w.away + i), high = most - four(w.away + i);
      const Four inner = where(low < upper, low, upper);
      lower = where(inner > lower, inner, lower);
      const Four outer = where(high > lower, high, lower);
      upper = where(outer < upper, outer, upper);
    }
    put_four(w.lower + i, lower);
    put_four(w.upper + i, upper);
  }
  for (int k = 0; k < P.balls; ++k) {
    const int i = P.ball[k];
    if (P.node[P.coordinate[i].node].op != kCone) continue;  // a step of 1 turns a loose ball by a radian
    const double reach = __builtin_sqrt(s.x[i] * s.x[i] + s.x[i + 1] * s.x[i + 1]);
    w.lower[i] = -1.0 - reach;
    w.upper[i] = 1.0 - reach;
    w.lower[i + 1] = -1.0;
    w.upper[i + 1] = 1.0;
    if (!frame) continue;
    double radians[4] = {1.0, 1.0, 1.0, 1.0};  // for a step of 1
    for (int j = 0; j < 3; ++j) radians[j] = dot3(four(w.axis[i + j].n), four(w.axis[i + j].n));
    for (double& r : radians) r = __builtin_sqrt(r);
    const Four turn = four(radians), small = Four{1e-6, 1e-6, 1e-6, 1e-6};
    const Four most = w.track.room[i] / where(turn > small, turn, small);
    for (int j = i; j < i + 3; ++j) {
      const double low = -most[j - i] - w.away[j], high = most[j - i] - w.away[j];
      if (low > w.lower[j]) w.lower[j] = low < w.upper[j] ? low : w.upper[j];
      if (high < w.upper[j]) w.upper[j] = high > w.lower[j] ? high : w.lower[j];
    }
  }
  for (int k = 0; k < P.locks; ++k) w.lower[P.lock[k]] = w.upper[P.lock[k]] = 0.0;
}

// The angle between two orientations.
static double angle_between(const double* p, const double* q) {
  const double side = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3] < 0.0 ? -1.0 : 1.0;
  double square = 0.0;
  for (int k = 0; k < 4; ++k) square += (q[k] - side * p[k]) * (q[k] - side * p[k]);
  const double half = 0.5 * __builtin_sqrt(square);
  return 4.0 * __builtin_asin(half < 1.0 ? half : 1.0);
}

// The orientation that three hinges of one joint make, without the constant turns before the first and after the last.
static void triple_turn(const Problem& P, const Triple& t, const double* x, double* q) {
  for (int k = 0; k < 3; ++k) {
    const double* axis = P.node[P.coordinate[t.coordinate[k]].node].axis;
    const double half = 0.5 * x[t.coordinate[k]], s = __builtin_sin(half);
    const double r[4] = {__builtin_cos(half), s * axis[0], s * axis[1], s * axis[2]};
    if (k == 0) {
      for (int j = 0; j < 4; ++j) q[j] = r[j];
    } else {
      quaternion_product(q, r, q);
    }
  }
}

// Brings joints of three hinges that turned further than their room since the last frame back to it, along the way they came. Returns false if there
// were none.
static bool hold_triples(const Work& w, State& s) {
  const Problem& P = *w.problem;
  bool any = false;
  if (well_inside(w)) return any;
  for (int t = 0; t < P.triples; ++t) {
    const double room = w.track.room[P.width + t];
    const int* c = P.triple[t].coordinate;
    // a rotation is never larger than the sum of its angles
    if (!(__builtin_fabs(w.away[c[0]]) + __builtin_fabs(w.away[c[1]]) + __builtin_fabs(w.away[c[2]]) > room)) continue;
    double p[4], q[4];
    triple_turn(P, P.triple[t], w.last.x, p);
    for (int tries = 0; tries < kHoldTries; ++tries) {
      triple_turn(P, P.triple[t], s.x, q);
      const double share = room / (angle_between(p, q) + 1e-300);
      if (!(share < 1.0)) break;
      any = true;
      const double part = tries < kHoldTries - 1 ? kHoldShare * share : 0.0;
      for (int k = 0; k < 3; ++k) s.x[c[k]] = w.last.x[c[k]] + part * (s.x[c[k]] - w.last.x[c[k]]);
    }
  }
  return any;
}

// Brings balls that turned further than their room since the last frame, by all three steps together, back to it. Returns false if there were none.
static bool hold_balls(const Work& w, State& s) {
  const Problem& P = *w.problem;
  bool any = false;
  if (well_inside(w) && !P.cones) return any;
  // each ball that has turned farther than its room
  for (int b = 0; b < P.balls; ++b) {
    const int i = P.ball[b];
    const SolverNode& n = P.node[P.coordinate[i].node];
    const double room = w.track.room[i];
    if (n.op == kCone) {  // a rotation is never larger than its changes of swing and twist together
      const double *x = s.x + i, *last = w.last.x + i;
      const double sx = n.swing[0] * (x[0] - last[0]), sy = n.swing[1] * (x[1] - last[1]), twist = n.half * __builtin_fabs(x[2] - last[2]);
      const double left = room - twist;
      if (left >= 0.0 && sx * sx + sy * sy <= left * left) continue;
    } else if (w.away[i] * w.away[i] + w.away[i + 1] * w.away[i + 1] + w.away[i + 2] * w.away[i + 2] <= room * room) {
      continue;
    }
    // goes back toward the last pose until it is within
    if (n.op == kCone) {  // the axes are those at the start of the step, so the turn is measured
      double p[4], q[4];
      write_cone(n, w.last.x + i, p);
      for (int tries = 0; tries < kHoldTries; ++tries) {
        write_cone(n, s.x + i, q);
        const double share = room / (angle_between(p, q) + 1e-300);
        if (!(share < 1.0)) break;
        any = true;
        for (int j = i; j < i + 3; ++j)
          s.x[j] = w.last.x[j] + (tries == kHoldTries - 1 ? 0.0 : tries > 1 ? kHoldShare * share : share) * (s.x[j] - w.last.x[j]);
      }
    } else {
      double* q = s.turn + 4 * n.turn;
      const double* p = w.last.turn + 4 * n.turn;
      for (int tries = 0; tries < kHoldTries; ++tries) {
        const double near = room / (angle_between(p, q) + 1e-300);
        if (!(near < 1.0)) break;
        any = true;
        const double share = tries > 1 ? kHoldShare * near : near;
        const double side = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3] < 0.0 ? -share : share;
        double square = 0.0;
        for (int k = 0; k < 4; ++k) {
          q[k] = (1.0 - share) * p[k] + side * q[k];
          square += q[k] * q[k];
        }
        for (int k = 0; k < 4; ++k) q[k] /= __builtin_sqrt(square);
      }
    }
  }
  return any;
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
