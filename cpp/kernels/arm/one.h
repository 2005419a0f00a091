// One arm at a time, in doubles: the numbers of its joints side by side in vectors, and its axes and origins as vectors of four of which three are
// used. The mathematics is that of step.h.
#pragma once
#include "kernels/arm/step.h"
#include "model/arm_calm.h"

namespace manikin {
namespace MANIKIN_ISA {

static constexpr int kWides = kMostArm / MANIKIN_LANES;  // vectors that hold one number for each joint

// The placement of an arm. The bits depend only on the pose: `place` is compiled once for each type of arm.
struct One {
  Wide q[kWides];
  Four axis[kMostArm], at[kMostArm];
  Four x, y, z, p;  // of the last joint's space, and the placed point
};
static_assert(sizeof(One) <= sizeof(ArmPlace::memory), "an arm's place must fit the memory that callers keep for it");

// The distance of the arm from its target.
struct Miss {
  Vec<double> e_length, e_angle;
  double length, angle, error;
};

static inline const Wide& wide(const double* from, int k) { return reinterpret_cast<const Wide*>(from)[k]; }
static inline Four four(double x, double y, double z) { return Four{x, y, z, 0.0}; }
static inline Four four(const Vec<double>& v) {
  return (Four)((FourBits)Four{v.x, v.y, v.z, v.z} & FourBits{-1, -1, -1, 0});  // avoids a move between registers that valgrind does not support
}

// The target, as vectors of four.
struct Aim {
  Four p, x, y, z;
};
static inline Aim aim_of(const Wanted<double>& w) { return {four(w.p), four(w.x), four(w.y), four(w.z)}; }

static inline bool none(const WideBits& m) {
#if MANIKIN_LANES == 4
  return __builtin_ia32_movmskpd256((Wide)m) == 0;
#else
  return (m[0] | m[1]) == 0;
#endif
}

template <class M>
static __attribute__((noinline)) void place(const Arm& arm, One& r) {
  const ArmSide& side = arm.side;
  alignas(32) double sine[kMostArm], cosine[kMostArm];
  for (int k = 0; k < kWides; ++k) {
    const Wide angle = wide(side.theta, k) + (M::slides ? r.q[k] * wide(side.hinge, k) : r.q[k]);
    Wide s, c;
    sincos_reduced(angle, s, c);
    if (__builtin_expect(!none(~((angle < kLargestAngle) & (angle > -kLargestAngle))), 0)) sincos_lanes(angle, s, c);
    reinterpret_cast<Wide*>(sine)[k] = s;
    reinterpret_cast<Wide*>(cosine)[k] = c;
  }
  auto offset = [&](int i) { return M::slides && arm.joint[i].slides ? arm.joint[i].d + r.q[i / MANIKIN_LANES][i % MANIKIN_LANES] : arm.joint[i].d; };
  Four x = four(cosine[0], sine[0], 0.0), y = four(-sine[0], cosine[0], 0.0), z = four(0.0, 0.0, 1.0), o = four(0.0, 0.0, offset(0));
  r.axis[0] = z;
  r.at[0] = o;
  for (int i = 1; i < M::count; ++i) {
    const ArmJoint& j = arm.joint[i];
    o += x * j.a;
    // the first product of a sum is fused with it, so the products are ordered by when their numbers are available
    const Four across = y * j.cosine + z * j.sine, down = y * j.sine;
    z = z * j.cosine - down;
    o += z * offset(i);
    y = across * cosine[i] - x * sine[i];
    x = across * sine[i] + x * cosine[i];
    r.axis[i] = z;
    r.at[i] = o;
  }
  r.x = x, r.y = y, r.z = z;
  r.p = o + x * arm.tool[0] + y * arm.tool[1] + z * arm.tool[2];
}

// (a0 + a1 + a2 + a3, b0 + ..., c0 + ..., d0 + ...)
static inline Four sums(const Four& a, const Four& b, const Four& c, const Four& d) {
#if MANIKIN_LANES == 4
  const Four ab = arranged<0, 4, 2, 6>(a, b) + arranged<1, 5, 3, 7>(a, b);
  const Four cd = arranged<0, 4, 2, 6>(c, d) + arranged<1, 5, 3, 7>(c, d);
  return arranged<0, 1, 4, 5>(ab, cd) + arranged<2, 3, 6, 7>(ab, cd);
#else
  auto sum = [](const Four& v) { return (v[0] + v[2]) + (v[1] + v[3]); };
  return Four{sum(a), sum(b), sum(c), sum(d)};
#endif
}

static inline Four across(const Four& a, const Four& b) {
#if MANIKIN_LANES == 4
  const Four c = a * arranged<1, 2, 0, 3>(b) - arranged<1, 2, 0, 3>(a) * b;
  return arranged<1, 2, 0, 3>(c);
#else
  return Four{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0], 0.0};
#endif
}

// Computes the sum of the cross products of the axes with the wanted axes. Its numbers are in any order, since only squares are used.
static inline Four turn_of(const Aim& w, const One& r, Vec<double>& twice) {
#if MANIKIN_LANES == 4
  auto ahead = [](const Four& v) { return arranged<1, 2, 0, 3>(v); };
  const Four a = r.x * ahead(w.x) + r.y * ahead(w.y) + r.z * ahead(w.z), b = ahead(r.x) * w.x + ahead(r.y) * w.y + ahead(r.z) * w.z, c = a - b;
  twice = {c[1], c[2], c[0]};
#else
  const Four c = across(r.x, w.x) + across(r.y, w.y) + across(r.z, w.z);
  twice = {c[0], c[1], c[2]};
#endif
  return c;
}

static inline __attribute__((always_inline)) void miss_of(const Aim& w, const One& r, Miss& m) {
  const Four away = w.p - r.p;
  Vec<double> twice;
  const Four turn = turn_of(w, r, twice);
  const Four sum = sums(r.x * w.x + r.y * w.y + r.z * w.z, turn * turn, away * away, Four{});
  const double trace = sum[0];
  // 1 / sqrt(1 + trace); near the target by its series, because root and quotient have a long latency
  const double u = 0.25 * (3.0 - trace);
  const double k = __builtin_fabs(u) < 1e-3 ? 0.5 + u * (0.25 + u * (0.1875 + u * (0.15625 + u * 0.13671875)))
                                            : 1.0 / __builtin_sqrt(largest(1.0 + trace, 1e-4));
  m.e_length = Vec<double>{away[0], away[1], away[2]} * kLengthWeight;
  m.e_angle = twice * k;
  m.length = sum[2];
  m.angle = trace < -0.98 ? 4.0 : sum[1] * (k * k);
  m.error = m.length * (kLengthWeight * kLengthWeight) + m.angle;
}

// Whether a joint is at a bound.
static inline bool at_bound(const Arm& arm, const One& r) {
  WideBits any = {};
  for (int k = 0; k < kWides; ++k) any |= (r.q[k] <= wide(arm.side.lower, k)) | (r.q[k] >= wide(arm.side.upper, k));
  long long all = 0;
  for (int k = 0; k < MANIKIN_LANES; ++k) all |= any[k];
  return all != 0;
}

// Like arm_step: moves r.q by the damped step. With `leans`, it also moves by `lean` of the way to the comfortable pose, in the directions that do
// not move the end.
template <class M, bool leans = false>
static inline __attribute__((always_inline)) void step_one(const Arm& arm, const Miss& m, double least, One& r, double lean = 0.0) {
  // columns of the Jacobian; joints that push against their limits do not take part
  Four linear[M::count], angular[M::count];
  for (int i = 0; i < M::count; ++i) {
    const bool slides = M::slides && arm.joint[i].slides;
    linear[i] = slides ? r.axis[i] * kLengthWeight : across(r.axis[i], (r.p - r.at[i]) * kLengthWeight);
    angular[i] = slides ? Four{} : r.axis[i];
  }
  if (__builtin_expect(at_bound(arm, r), 0)) {
    for (int i = 0; i < M::count; ++i) {
      const double number = r.q[i / MANIKIN_LANES][i % MANIKIN_LANES];
      const Four push = linear[i] * four(m.e_length.x, m.e_length.y, m.e_length.z) + angular[i] * four(m.e_angle.x, m.e_angle.y, m.e_angle.z);
      const double along = push[0] + push[1] + push[2];
      if ((number <= arm.side.lower[i] && along < 0.0) || (number >= arm.side.upper[i] && along > 0.0)) linear[i] = angular[i] = Four{};
    }
  }
  // rows of A and C, columns of B; the first joint turns about z
  Four A[3] = {linear[0] * linear[0][0], linear[0] * linear[0][1], Four{}}, B[3] = {Four{}, Four{}, linear[0]}, C[3] = {Four{}, Four{}, angular[0]};
  for (int i = 1; i < M::count; ++i) {
    const Four &l = linear[i], &a = angular[i];
    for (int k = 0; k < 3; ++k) A[k] += l * l[k], B[k] += l * a[k], C[k] += a * a[k];
  }
  const double lambda = damping_at(m.error, kArmDamping, least);
  const Blocks<double> blocks = {{A[0][0] + lambda, A[0][1], A[0][2], A[1][1] + lambda, A[1][2], A[2][2] + lambda},
                                 {{B[0][0], B[0][1], B[0][2]}, {B[1][0], B[1][1], B[1][2]}, {B[2][0], B[2][1], B[2][2]}},
                                 {C[0][0] + lambda, C[0][1], C[0][2], C[1][1] + lambda, C[1][2], C[2][2] + lambda}};
  Vec<double> yl, ya, e_length = m.e_length, e_angle = m.e_angle;
  alignas(32) double leaning[kMostArm];
  // the lean toward easy angles, and what it changes
  if (leans) {
    Wide way[kWides], square = {};
    for (int k = 0; k < kWides; ++k) {
      way[k] = (wide(arm.side.ease, k) - r.q[k]) * wide(arm.side.leans, k);
      square = largest(square, way[k] * way[k]);
    }
    double far = 0.0;  // square of the largest
    for (int k = 0; k < MANIKIN_LANES; ++k) far = largest(far, square[k]);
    const double share = lean * lean * far > kMostLean * kMostLean ? kMostLean / __builtin_sqrt(far) : lean;
    for (int k = 0; k < kWides; ++k) *reinterpret_cast<Wide*>(leaning + k * MANIKIN_LANES) = way[k] * share;
    Four l = linear[0] * leaning[0], a = angular[0] * leaning[0];
    for (int i = 1; i < M::count; ++i) l += linear[i] * leaning[i], a += angular[i] * leaning[i];
    e_length = {e_length.x - l[0], e_length.y - l[1], e_length.z - l[2]};
    e_angle = {e_angle.x - a[0], e_angle.y - a[1], e_angle.z - a[2]};
  }
  // damped step, not longer than allowed, within the limits
  solve_blocks(blocks, e_length, e_angle, yl, ya);
  Four part[kMostArm];
  for (int i = 0; i < kMostArm; ++i) part[i] = i < M::count ? linear[i] * four(yl.x, yl.y, yl.z) + angular[i] * four(ya.x, ya.y, ya.z) : Four{};
  const Four step[2] = {sums(part[0], part[1], part[2], part[3]), sums(part[4], part[5], part[6], part[7])};
  double most = kLongest;
  for (int i = 0; i < M::count; ++i) most = largest(most, __builtin_fabs(step[i / 4][i % 4]));
  const double share = most > kLongest ? kLongest / most : 1.0;
  for (int k = 0; k < kWides; ++k) {
    Wide next = r.q[k] + reinterpret_cast<const Wide*>(step)[k] * share;
    if (leans) next += wide(leaning, k);
    const Wide low = wide(arm.side.lower, k), high = wide(arm.side.upper, k);
    const Wide raised = next < low ? low : next;
    r.q[k] = raised > high ? high : raised;
  }
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
