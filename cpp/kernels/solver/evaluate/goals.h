// Errors of the goals' parts, and their derivatives by the twist of the coordinate that carries them.
#pragma once
#include "kernels/solver/evaluate/forward.h"

namespace manikin {
namespace MANIKIN_ISA {

static inline Four effector(const Frame& f, const double* offset) { return f.p + f.x * offset[0] + f.y * offset[1] + f.z * offset[2]; }

static inline const Frame& frame_of(const Work& w, const Part& part) { return part.node >= 0 ? w.frame[part.node] : kWorld; }

static inline void quaternion_columns(const double* q, Frame& f) {
  const double w = q[0], x = q[1], y = q[2], z = q[3], k = 2.0 / (w * w + x * x + y * y + z * z);
  f.x = Four{1 - k * (y * y + z * z), k * (x * y + w * z), k * (x * z - w * y), 0};
  f.y = Four{k * (x * y - w * z), 1 - k * (x * x + z * z), k * (y * z + w * x), 0};
  f.z = Four{k * (x * z + w * y), k * (y * z - w * x), 1 - k * (x * x + y * y), 0};
}

// asin(s) / s for s^2 = z below 0.01, nearly to the last bit.
static inline double arc_by_sine(double z) {
  return 1.0 + z * (1.0 / 6 + z * (3.0 / 40 + z * (5.0 / 112 + z * (35.0 / 1152 + z * (63.0 / 2816 + z * (231.0 / 13312 + z * (143.0 / 10240)))))));
}

// The rotation vector of R R*^T if it is not small. Near half a turn the cross products lose its direction; there the direction is the column of (M +
// M^T)/2 - cos I = (1 - cos) n n^T with the largest diagonal.
[[gnu::noinline]] static Four large_rotation(const Frame& r, const Frame& t, const Four& twice, double square, double cosine) {
  const double sine = __builtin_sqrt(square);
  const double angle = __builtin_atan2(sine, cosine);
  if (cosine > -0.99) return twice * (0.5 * angle / sine);
  double m[3][3];  // M = R R*^T = sum over columns r t^T
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m[i][j] = r.x[i] * t.x[j] + r.y[i] * t.y[j] + r.z[i] * t.z[j];
  int k = 0;
  for (int i = 1; i < 3; ++i)
    if (m[i][i] > m[k][k]) k = i;
  Four n = {0.5 * (m[0][k] + m[k][0]), 0.5 * (m[1][k] + m[k][1]), 0.5 * (m[2][k] + m[k][2]), 0.0};
  n[k] -= cosine;
  n = n * (1.0 / length3(n));
  return dot3(n, twice) < 0.0 ? n * -angle : n * angle;
}

// The rotation vector of R R*^T.
static inline Four rotation_error(const Frame& r, const Frame& t) {
  const Four twice = cross3(t.x, r.x) + cross3(t.y, r.y) + cross3(t.z, r.z);  // 2 sin n
  const Four diagonal = t.x * r.x + t.y * r.y + t.z * r.z;
  const double square = 0.25 * dot3(twice, twice), cosine = 0.5 * (diagonal[0] + diagonal[1] + diagonal[2] - 1.0);
  if (__builtin_expect(square < 0.01 && cosine > 0.0, 1)) return twice * (0.5 * arc_by_sine(square));
  return large_rotation(r, t, twice, square, cosine);
}

// The direction that an aim should have, seen from the effector at x. A direction target is infinitely far away.
struct Sight {
  Four along;
  double distance;
};

static inline Sight sight_of(const Part& part, const double* target, const Four& x) {
  const Four away = part.flags ? three(target) : three(target) - x;
  const double length = length3(away);
  return {length > 1e-12 ? away * (1.0 / length) : away, part.flags ? __builtin_inf() : length};
}

// The axis of a swing or twist in the world: where it should be, and where it is.
struct Axes {
  Four wanted, present;
};

static inline Axes axes_of(const Part& part, const Frame& r, const Frame& t) {
  const double* a = part.axis;
  return {t.x * a[0] + t.y * a[1] + t.z * a[2], r.x * a[0] + r.y * a[1] + r.z * a[2]};
}

// The rotation vector that turns u to d, two unit vectors.
static inline Four turn_to(const Four& u, const Four& d) {
  const Four across = cross3(u, d);
  const double sine = length3(across), cosine = dot3(u, d);
  const double angle = __builtin_atan2(sine, cosine);
  if (sine > 1e-14) return across * (angle / sine);
  if (!(cosine < 0.0)) return Four{0, 0, 0, 0};
  const Four helper = __builtin_fabs(d[0]) < 0.6 ? Four{1, 0, 0, 0} : Four{0, 1, 0, 0};  // exactly opposite: any turn perpendicular to d works
  const Four n = cross3(d, helper);
  return n * (angle / length3(n));
}

// Whether the height above a plane is an error: on both sides, or on the forbidden one.
static inline bool counts_at(const Part& part, double height) { return part.flags == 0 || (part.flags == 1 ? height < 0.0 : height > 0.0); }

// Computes the error of a part that is neither an orientation nor a full position.
[[gnu::noinline]] static void other_error(const Work& w, const Part& part, PartState& s) {
  // the effector and its target
  const Frame& f = frame_of(w, part);
  const double* t = w.target + part.target;
  s.rows = 3;
  Four e = {0, 0, 0, 0};
  // the error of each kind, and its norm
  switch (part.kind) {
    case kPosition: {
      const Four x = effector(f, part.offset);
      s.rows = 0;
      for (int k = 0, at = 0; k < 3; ++k)
        if (part.flags >> k & 1) {
          s.e[s.rows++] = x[k] - t[at];
          ++at;
        }
      double square = 0.0;
      for (int k = 0; k < s.rows; ++k) square += s.e[k] * s.e[k];
      s.measure = __builtin_sqrt(square);
      return;
    }
    case kAim: {
      const Four x = effector(f, part.offset), d = f.x * part.axis[0] + f.y * part.axis[1] + f.z * part.axis[2];
      const Sight sight = sight_of(part, t, x);
      if (sight.distance > 1e-12) {
        e = turn_to(sight.along, d);
      }
      break;
    }
    case kSwing: {
      const Axes a = axes_of(part, f, w.wanted[&part - w.problem->part]);
      e = turn_to(a.wanted, a.present);
      break;
    }
    case kTwist: {  // the rotation from the target to here has a trace and an axial vector, which give the sine and cosine of its twist
      const Frame& to = w.wanted[&part - w.problem->part];
      const Axes a = axes_of(part, f, to);
      const Four axial = cross3(to.x, f.x) + cross3(to.y, f.y) + cross3(to.z, f.z), diagonal = to.x * f.x + to.y * f.y + to.z * f.z;
      const double along = dot3(a.wanted, a.present);
      s.rows = 1;
      s.e[0] = 1.0 + along > kUndefinedTwist ? __builtin_atan2(dot3(axial, a.wanted), diagonal[0] + diagonal[1] + diagonal[2] - along) : 0.0;
      s.measure = __builtin_fabs(s.e[0]);
      return;
    }
    case kLine: {
      const Four n = three(t + 3), away = effector(f, part.offset) - three(t);
      e = away - n * (dot3(n, away) / dot3(n, n));
      break;
    }
    case kPlane: {
      const Four x = effector(f, part.offset), n = three(t + 3);
      const double value = dot3(n, x - three(t)) / length3(n);
      s.e[0] = value;
      s.rows = counts_at(part, value) ? 1 : 0;
      s.measure = s.rows ? __builtin_fabs(value) : 0.0;
      return;
    }
  }
  put_four(s.e, e);
  s.measure = length3(e);
}

// Computes the error of one part in the present frames.
static inline void part_error(const Work& w, const Part& part, PartState& s) {
  Four e;
  if (part.kind == kOrientation) {
    e = rotation_error(frame_of(w, part), w.wanted[&part - w.problem->part]);
  } else if (part.kind == kPosition && part.flags == 7) {
    e = effector(frame_of(w, part), part.offset) - three(w.target + part.target);
  } else {
    other_error(w, part, s);
    return;
  }
  s.rows = 3;
  put_four(s.e, e);
  s.measure = length3(e);
}

// A row that depends on the linear velocity of a point (at `arm` from the common point) along l and on the rotation about a.
static inline Eight row_of(const Four& arm, const Four& l, const Four& a) {
  const Four m = cross3(arm, l) + a;
  return Eight{{m[0], m[1], m[2], l[0], l[1], l[2], 0.0, 0.0}};
}

static void part_rows(const Work& w, const Part& part, PartState& s) {
  const Four unit[3] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}, none = {0, 0, 0, 0};
  // the effector and its target
  const Frame& f = frame_of(w, part);
  const double* t = w.target + part.target;
  // the rows of each kind: how the error changes with the velocity of the effector
  switch (part.kind) {
    case kPosition: {
      const Four arm = effector(f, part.offset) - w.center;
      for (int k = 0, at = 0; k < 3; ++k)
        if (part.flags >> k & 1) s.row[at++] = row_of(arm, unit[k], none);
      break;
    }
    case kOrientation:  // the plain rotation vector has the exact gradient of its square, since J^T phi = phi
      for (int k = 0; k < 3; ++k) s.row[k] = row_of(none, none, unit[k]);
      break;
    case kAim: {
      const Four x = effector(f, part.offset), arm = x - w.center;
      const Sight sight = sight_of(part, t, x);
      if (sight.distance <= 1e-12) {
        for (int k = 0; k < 3; ++k) s.row[k] = Eight{};
        break;
      }
      const Four u = sight.along;
      for (int k = 0; k < 3; ++k)  // (I - u u^T) omega + u x v / distance
        s.row[k] = row_of(arm, cross3(unit[k], u) * (1.0 / sight.distance), unit[k] - u * u[k]);
      break;
    }
    case kSwing: {
      const Four u = axes_of(part, f, w.wanted[&part - w.problem->part]).wanted;
      for (int k = 0; k < 3; ++k) s.row[k] = row_of(none, none, unit[k] - u * u[k]);
      break;
    }
    case kTwist: {
      const Axes a = axes_of(part, f, w.wanted[&part - w.problem->part]);
      const double both = 1.0 + dot3(a.wanted, a.present);
      s.row[0] = both > kUndefinedTwist ? row_of(none, none, (a.wanted + a.present) * (1.0 / both)) : Eight{};
      break;
    }
    case kLine: {
      const Four arm = effector(f, part.offset) - w.center, n = three(t + 3);
      for (int k = 0; k < 3; ++k) s.row[k] = row_of(arm, unit[k] - n * (n[k] / dot3(n, n)), none);
      break;
    }
    case kPlane: {
      const Four arm = effector(f, part.offset) - w.center, n = three(t + 3);
      s.row[0] = row_of(arm, n * (1.0 / length3(n)), none);
      s.rows = counts_at(part, s.e[0]) ? 1 : 0;  // a step may have changed it
      break;
    }
  }
}

// The transpose of the derivative of a rotation vector by a turn, times a vector. With -phi, the derivative itself.
static inline Four unturned(const Four& phi, const Four& by) {
  const double square = dot3(phi, phi), angle = __builtin_sqrt(square);
  const double c = angle < kSeriesAngle ? 1.0 / 12.0 + square / 720.0 + square * square / 30240.0
                                        : (1.0 - 0.5 * angle / __builtin_tan(0.5 * angle)) / square;
  const Four once = cross3(phi, by);
  return by + once * 0.5 + cross3(phi, once) * c;
}

// The rows of the turn from u, seen at a distance, to d.
static inline void rows_of_turn(const Four& u, const Four& d, double distance, const Four& arm, PartState& s) {
  const Four w = cross3(u, d);
  const double sine = length3(w), cosine = dot3(u, d), angle = s.measure, near = sine * sine, turned = angle * angle;
  const bool behind = cosine < 0.0 && sine < kBehind;
  const double ratio = cosine > 0.0 && sine < 1e-3 ? 1.0 + near / 6.0 + 3.0 * near * near / 40.0 : angle / sine;
  const double slope = cosine > 0.0 && angle < kSeriesAngle ? 1.0 / 3.0 + 2.0 * turned / 15.0 + 17.0 * turned * turned / 420.0
                                                            : (sine - angle * cosine) / (sine * near);
  const Four axis = three(s.e) * (1.0 / angle);
  for (int r = 0; r < 3; ++r) {  // e = ratio w changes by  ratio dw - slope w d(u . d)
    const Four by_turn = behind ? axis * axis[r] : cross3(d, cross3(kUnit[r], u)) * ratio + w * (slope * w[r]);
    const Four by_sight = behind ? cross3(u, axis) * axis[r] : cross3(d, kUnit[r]) * ratio - d * (slope * w[r]);
    s.row[r] = row_of(arm, (u * dot3(u, by_sight) - by_sight) * (1.0 / distance), by_turn);
  }
}

// Replaces the rows of a rotation vector, which have the exact gradient of the square of the error, by its exact derivative.
static inline void exact_rows(const Work& w, const Part& part, PartState& s) {
  const Frame& f = frame_of(w, part);
  if (part.kind == kOrientation) {
    for (int r = 0; r < 3; ++r) s.row[r] = row_of(kNone, kNone, unturned(three(s.e), kUnit[r]));
  } else if (part.kind == kAim) {
    const Four x = effector(f, part.offset);
    const Sight sight = sight_of(part, w.target + part.target, x);
    if (sight.distance > 1e-12)
      rows_of_turn(sight.along, f.x * part.axis[0] + f.y * part.axis[1] + f.z * part.axis[2], sight.distance, x - w.center, s);
  } else if (part.kind == kSwing) {
    const Axes a = axes_of(part, f, w.wanted[&part - w.problem->part]);
    rows_of_turn(a.wanted, a.present, __builtin_inf(), kNone, s);
  }
}

static void all_errors(Work& w) {
  const Problem& P = *w.problem;
  for (int k = 0; k < P.parts; ++k)
    if (w.part[k].weight > 0.0) part_error(w, P.part[k], w.part[k]);
}

// Computes the rows of all parts; with `limbs` also those of limbs.
static void all_rows(Work& w, bool limbs) {
  for (int k = 0; k < w.problem->parts; ++k)
    if (w.part[k].weight > 0.0 && (limbs || !w.problem->part_limb[k])) part_rows(w, w.problem->part[k], w.part[k]);
}

// Adds the terms of the parts to the coordinates that carry them: P += f D^T D, p += f D^T e.
static void gather_terms(Work& w, bool limbs) {
  const Problem& P = *w.problem;
  const int slots = limbs ? P.slots : P.trunk_slots;
  for (int k = 0; k < slots; ++k) w.term[limbs ? k : P.trunk_slot[k]] = Body{};
  for (int k = 0; k < P.parts; ++k) {
    const PartState& s = w.part[k];
    if (!(s.weight > 0.0) || P.part[k].slot < 0 || !(limbs || !P.part_limb[k])) continue;
    Body& b = w.term[P.part[k].slot];
    for (int r = 0; r < s.rows; ++r) {
      const double* d = s.row[r].n;
      const Four low = *reinterpret_cast<const Four*>(d) * s.factor, high = *reinterpret_cast<const Four*>(d + 4) * s.factor;
      for (int j = 0; j < 6; ++j) {
        *reinterpret_cast<Four*>(b.P[j].n) += low * d[j];
        *reinterpret_cast<Four*>(b.P[j].n + 4) += high * d[j];
      }
      *reinterpret_cast<Four*>(b.p.n) += low * s.e[r];
      *reinterpret_cast<Four*>(b.p.n + 4) += high * s.e[r];
    }
  }
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
