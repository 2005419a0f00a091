// The placements of the nodes in a state: the forward kinematics of the solver.
#pragma once
#include "kernels/solver/work.h"

namespace manikin {
namespace MANIKIN_ISA {

// Collects the angles whose sines are needed: one for a hinge, two for a cone (size of the swing, twist).
static inline void gather_angles(Work& w, const State& s) {
  const Problem& P = *w.problem;
  for (int k = 0; k < P.angle_stretches; ++k) {
    const Stretch& run = P.angle_stretch[k];
    int j = 0;
    for (; j + 4 <= run.count; j += 4) put_four(w.angle + run.to + j, four(s.x + run.from + j));
    for (; j < run.count; ++j) w.angle[run.to + j] = s.x[run.from + j];
  }
  for (int k = 0; k < P.odd_angles; ++k) {
    const SolverNode& n = P.node[P.odd_angle[k]];
    if (n.op == kCone) {
      const double* x = s.x + n.coordinate;
      const double X = n.swing[0] * x[0], Y = n.swing[1] * x[1];
      w.angle[n.angle] = __builtin_sqrt(X * X + Y * Y);
      w.angle[n.angle + 1] = n.half * x[2];
    } else {
      w.angle[n.angle] = w.fixed[P.odd_angle[k]];
    }
  }
  for (int k = 0; k < P.angles; k += MANIKIN_LANES) {
    Wide sine, cosine;
    sincos_lanes(*reinterpret_cast<const Wide*>(w.angle + k), sine, cosine);
    *reinterpret_cast<Wide*>(w.sine + k) = sine;
    *reinterpret_cast<Wide*>(w.cosine + k) = cosine;
  }
}

static inline void times(const Frame& a, const double* r, Frame& f) {
  f.x = a.x * r[0] + a.y * r[3] + a.z * r[6];
  f.y = a.x * r[1] + a.y * r[4] + a.z * r[7];
  f.z = a.x * r[2] + a.y * r[5] + a.z * r[8];
}

static inline void turned(Four& a, Four& b, double s, double c) {
  const Four x = a, y = b;
  a = c * x + s * y;
  b = c * y - s * x;
}

static const Frame kWorld = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 0}};

// Places any single node.
static void place(Work& w, const State& s, int i) {
  const SolverNode& n = w.problem->node[i];
  // the frame before the joint moves: of the parent, with offset and rotation
  const Frame& a = n.parent >= 0 ? w.frame[n.parent] : kWorld;
  Frame f;
  f.p = a.p + a.x * n.offset[0] + a.y * n.offset[1] + a.z * n.offset[2];
  if (n.plain) {
    f.x = a.x;
    f.y = a.y;
    f.z = a.z;
  } else {
    times(a, n.rotation, f);
  }
  // the joint's motion
  switch (n.op) {
    case kSliding: {
      const double x = n.coordinate >= 0 ? s.x[n.coordinate] : w.fixed[i];
      f.p += (f.x * n.axis[0] + f.y * n.axis[1] + f.z * n.axis[2]) * x;
      break;
    }
    case kTurning: {
      const double sine = w.sine[n.angle], cosine = w.cosine[n.angle];
      const double* r = n.axis;
      if (n.coordinate >= 0) w.turning[n.coordinate] = f.x * r[0] + f.y * r[1] + f.z * r[2];
      if (r[2] == 1.0) {
        turned(f.x, f.y, sine, cosine);
      } else if (r[0] == 1.0) {
        turned(f.y, f.z, sine, cosine);
      } else if (r[1] == 1.0) {
        turned(f.z, f.x, sine, cosine);
      } else {
        const double t = 1.0 - cosine;
        const double turn[9] = {cosine + r[0] * r[0] * t,      r[0] * r[1] * t - r[2] * sine, r[0] * r[2] * t + r[1] * sine,
                                r[0] * r[1] * t + r[2] * sine, cosine + r[1] * r[1] * t,      r[1] * r[2] * t - r[0] * sine,
                                r[0] * r[2] * t - r[1] * sine, r[1] * r[2] * t + r[0] * sine, cosine + r[2] * r[2] * t};
        const Frame g = f;
        times(g, turn, f);
      }
      break;
    }
    case kLoose: {
      const double* q = s.turn + 4 * n.turn;
      const double ww = q[0], x = q[1], y = q[2], z = q[3];
      const double k = 2.0 / (ww * ww + x * x + y * y + z * z);
      const double turn[9] = {1 - k * (y * y + z * z), k * (x * y - ww * z), k * (x * z + ww * y), k * (x * y + ww * z),   1 - k * (x * x + z * z),
                              k * (y * z - ww * x),    k * (x * z - ww * y), k * (y * z + ww * x), 1 - k * (x * x + y * y)};
      const Frame g = f;
      times(g, turn, f);
      break;
    }
    case kCone: {
      w.before[i] = f;
      const double* c = s.x + n.coordinate;
      const double X = n.swing[0] * c[0], Y = n.swing[1] * c[1], theta = w.angle[n.angle];
      const double sine = w.sine[n.angle], cosine = w.cosine[n.angle];
      const double A = theta > 1e-10 ? sine / theta : 1.0, B = (1.0 - cosine) / (theta * theta + 1e-24);
      const double swing[9] = {cosine + B * X * X, B * X * Y, A * Y, B * X * Y, cosine + B * Y * Y, -A * X, -A * Y, A * X, cosine};
      const Frame g = f;
      times(g, swing, f);
      turned(f.x, f.y, w.sine[n.angle + 1], w.cosine[n.angle + 1]);
      const Frame h = f;
      times(h, n.after, f);
      break;
    }
    default: break;
  }
  w.frame[i] = f;
}

static void forward(Work& w, const State& s) {
  const Problem& P = *w.problem;
  w.posed = &s;
  w.near_of = nullptr;
  w.posture_known = false;
  gather_angles(w, s);
  for (int k = 0; k < P.moves; ++k) {
    const Move& m = P.move[k];
    if (m.count == 0) {
      place(w, s, m.node);
      continue;
    }
    // the frame before the hinges of the move, turned so that their axes are its own
    const Frame& a = m.parent >= 0 ? w.frame[m.parent] : kWorld;
    Frame f;
    f.p = a.p + a.x * m.offset[0] + a.y * m.offset[1] + a.z * m.offset[2];
    if (m.turned) {
      times(a, m.before, f);
    } else {
      f.x = a.x;
      f.y = a.y;
      f.z = a.z;
    }
    // the hinges one after the other
    for (int j = 0; j < m.count; ++j) {
      const double sine = w.sine[m.angle[j]] * m.sign[j], cosine = w.cosine[m.angle[j]];
      Four& axis = w.turning[m.coordinate[j]];
      if (m.axis[j] == 0) {
        axis = f.x * m.sign[j];
        turned(f.y, f.z, sine, cosine);
      } else if (m.axis[j] == 1) {
        axis = f.y * m.sign[j];
        turned(f.z, f.x, sine, cosine);
      } else {
        axis = f.z * m.sign[j];
        turned(f.x, f.y, sine, cosine);
      }
    }
    if (m.back) {
      const Frame g = f;
      times(g, m.after, f);
    }
    w.frame[m.node] = f;
  }
}

// Computes the twist of a turn about a at `arm` from the common point; the fourth numbers are 0.
static inline void put_turn(Eight& to, const Four& arm, const Four& a) {
#if defined(__AVX2__)
  const Four around = arm * arranged<1, 2, 0, 3>(a) - arranged<1, 2, 0, 3>(arm) * a;  // z, x, y
  put_four(to.n, arranged<0, 1, 2, 5>(a, around));
  put_four(to.n + 4, arranged<2, 0, 3, 3>(around));
#else
  const Four linear = cross3(arm, a);
  to = Eight{{a[0], a[1], a[2], linear[0], linear[1], linear[2], 0.0, 0.0}};
#endif
}

// Computes the twist of each coordinate at the common point.
static void columns(Work& w, const State& s) {
  const Problem& P = *w.problem;
  w.center = P.nodes > 0 ? w.frame[P.center_node].p : Four{0, 0, 0, 0};
  for (int k = 0; k < P.moves; ++k) {
    const Move& m = P.move[k];
    const Frame& f = w.frame[m.node];
    const Four arm = f.p - w.center;
    for (int j = 0; j < m.count; ++j) put_turn(w.axis[m.coordinate[j]], arm, w.turning[m.coordinate[j]]);
    if (m.count > 0) continue;
    const SolverNode& n = P.node[m.node];
    const int i = n.coordinate;
    if (i < 0) continue;
    if (n.op == kCone) {
      const double *x = s.x + i, r1 = n.swing[0], r2 = n.swing[1];
      const double X = r1 * x[0], Y = r2 * x[1], theta = w.angle[n.angle], square = theta * theta + 1e-24;
      const double cosine = w.cosine[n.angle], A = theta > 1e-10 ? w.sine[n.angle] / theta : 1.0;
      const double B = (1.0 - cosine) / square, C = (1.0 - A) / square;
      const double reach = __builtin_sqrt(x[0] * x[0] + x[1] * x[1]);
      const double n1 = reach > 1e-6 ? x[0] / reach : 1.0, n2 = reach > 1e-6 ? x[1] / reach : 0.0;
      const Frame& b = w.before[m.node];
      for (int side = 0; side < 2; ++side) {  // normal to the rim, then along it
        const double u1 = r1 * (side == 0 ? n1 : -n2), u2 = r2 * (side == 0 ? n2 : n1), mixed = X * u2 - Y * u1;
        put_turn(w.axis[i + side], arm, b.x * (u1 + C * mixed * Y) + b.y * (u2 - C * mixed * X) + b.z * (B * mixed));
      }
      put_turn(w.axis[i + 2], arm, (b.x * (A * Y) + b.y * (-A * X) + b.z * cosine) * n.half);
    } else if (n.op == kLoose) {
      put_turn(w.axis[i], arm, f.x);
      put_turn(w.axis[i + 1], arm, f.y);
      put_turn(w.axis[i + 2], arm, f.z);
    } else if (n.op == kTurning) {
      put_turn(w.axis[i], arm, w.turning[i]);
    } else {
      const Four a = f.x * n.axis[0] + f.y * n.axis[1] + f.z * n.axis[2];
      w.axis[i] = Eight{{0.0, 0.0, 0.0, a[0], a[1], a[2], 0.0, 0.0}};
    }
  }
  for (int k = 0; k < P.locks; ++k) w.axis[P.lock[k]] = Eight{};  // no goal moves it
}

// Sets coupled coordinates from those that they follow.
static inline void follow(const Work& w, State& s) {
  for (int k = 0; k < w.problem->couplings; ++k) {
    const SolverNode& n = w.problem->node[w.problem->coupled[k]];
    s.x[n.coordinate] = n.ratio * s.x[n.source] + n.shift;
  }
}

// Sets `to` to `from` after the step, within every limit. A step that leaves a cone because of its curvature is projected back.
static void take_step(const Work& w, const State& from, const double* step, State& to) {
  const Problem& P = *w.problem;
  for (int k = 0; k < 4 * P.turns; ++k) to.turn[k] = from.turn[k];  // balls that cannot move keep their turn
  for (int i = 0; i < P.width; i += 4) {
    const Four x = four(from.x + i) + four(step + i), low = four(P.all.lower + i), high = four(P.all.upper + i);
    put_four(to.x + i, where(x < low, low, where(x > high, high, x)));
  }
  for (int b = 0; b < P.balls; ++b) {
    const int i = P.ball[b];
    const SolverNode& n = P.node[P.coordinate[i].node];
    if (n.op == kCone) {
      const double* x = from.x + i;
      const double reach = __builtin_sqrt(x[0] * x[0] + x[1] * x[1]);
      const double n1 = reach > 1e-6 ? x[0] / reach : 1.0, n2 = reach > 1e-6 ? x[1] / reach : 0.0;
      double a = x[0] + n1 * step[i] - n2 * step[i + 1], b = x[1] + n2 * step[i] + n1 * step[i + 1];
      const double far = __builtin_sqrt(a * a + b * b);
      if (far > 1.0) {
        a /= far;
        b /= far;
      }
      to.x[i] = a;
      to.x[i + 1] = b;
    } else {
      const double *q = from.turn + 4 * n.turn, *v = step + i;
      const double angle = __builtin_sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
      const double k = angle < 1e-4 ? 0.5 - angle * angle / 48.0 : __builtin_sin(0.5 * angle) / angle;
      const double e[4] = {__builtin_cos(0.5 * angle), k * v[0], k * v[1], k * v[2]};
      double r[4] = {q[0] * e[0] - q[1] * e[1] - q[2] * e[2] - q[3] * e[3], q[0] * e[1] + q[1] * e[0] + q[2] * e[3] - q[3] * e[2],
                     q[0] * e[2] - q[1] * e[3] + q[2] * e[0] + q[3] * e[1], q[0] * e[3] + q[1] * e[2] - q[2] * e[1] + q[3] * e[0]};
      const double size = __builtin_sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
      for (int j = 0; j < 4; ++j) to.turn[4 * n.turn + j] = r[j] / size;
      for (int j = i; j < i + 3; ++j) to.x[j] = 0.0;
    }
  }
  follow(w, to);
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
