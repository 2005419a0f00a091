// Arms, compiled once for each instruction set, like solver.cpp, and free of the standard library.
#include "manikin/arm.h"

namespace manikin {
namespace MANIKIN_ISA {

#include "lanes.h"
#include "arm_calm.h"
#include "arm_math.h"
#include "arm_step.h"
#include "arm_one.h"
#include "arm_starts.h"

static constexpr double kNear = 0.25;            // squared error below which the caller's start is tried first
static constexpr int kNearSteps = 8;
static constexpr int kLaneSteps = 20;
static constexpr int kPolish = 6;
static constexpr float kFirstStall = 0.5f;       // of the squared error two steps before: more, and a start is given up
static constexpr float kLaterStall = 0.8f;
static constexpr int kFollowSteps = 4;
static const char kMark = 0;                     // of these kernels
static constexpr double kLeastDamping = 1e-6, kLeastDampingFloat = 1e-7;

// What a target asks of the last joint's space, in the base. p in sizes; V is a double or lanes of them.
template <class V>
static inline Wanted<V> wanted_by(const Arm& arm, const Vec<V>& p, const V& w, const V& x, const V& y, const V& z) {
  const V k = 2.0 / (w * w + x * x + y * y + z * z);
  const V R[9] = {1.0 - k * (y * y + z * z), k * (x * y - w * z),       k * (x * z + w * y),
                  k * (x * y + w * z),       1.0 - k * (x * x + z * z), k * (y * z - w * x),
                  k * (x * z - w * y),       k * (y * z + w * x),       1.0 - k * (x * x + y * y)};
  // base^T (target turn^T): the columns that the last joint's space is to have, in the base
  V M[9];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) M[3 * i + j] = R[3 * i] * arm.turn[3 * j] + R[3 * i + 1] * arm.turn[3 * j + 1] + R[3 * i + 2] * arm.turn[3 * j + 2];
  auto local = [&](const V& a, const V& b, const V& c) {
    const double* B = arm.base;  // columns
    return Vec<V>{B[0] * a + B[1] * b + B[2] * c, B[3] * a + B[4] * b + B[5] * c, B[6] * a + B[7] * b + B[8] * c};
  };
  return {local(p.x - arm.origin[0], p.y - arm.origin[1], p.z - arm.origin[2]), local(M[0], M[3], M[6]), local(M[1], M[4], M[7]), local(M[2], M[5], M[8])};
}

static Wanted<double> wanted_of(const Arm& arm, const double* targets) {
  const double *p = targets + arm.position, *q = targets + arm.orientation, k = 1.0 / arm.size;
  return wanted_by(arm, Vec<double>{p[0] * k, p[1] * k, p[2] * k}, q[0], q[1], q[2], q[3]);
}

static Vec<float> narrowed(const Vec<double>& v) { return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)}; }
static Wanted<float> narrowed(const Wanted<double>& w) { return {narrowed(w.p), narrowed(w.x), narrowed(w.y), narrowed(w.z)}; }

static Vec<Eight8> splat8(const Vec<float>& v) { return {Eight8{} + v.x, Eight8{} + v.y, Eight8{} + v.z}; }

static inline bool within(const ArmLimits& limits, const Miss& m) { return m.length <= limits.length && m.angle <= limits.angle; }

// Joints that go around are brought to the turn nearest to the start, inside their limits. Whether one was turned.
static bool wrap(const Arm& arm, const double* start, double* q) {
  const double turn = 6.283185307179586;
  bool turned = false;
  for (int i = 0; i < arm.count; ++i) {
    const ArmJoint& j = arm.joint[i];
    if (j.boxed) continue;
    double next = q[i];
    if (!(__builtin_fabs(next - start[i]) < 3.14)) next -= turn * __builtin_floor((next - start[i]) / turn + 0.5);
    if (next > j.highest) next -= turn * __builtin_ceil((next - j.highest) / turn);
    if (next < j.lowest) next += turn * __builtin_ceil((j.lowest - next) / turn);
    turned |= next != q[i];
    q[i] = next;
  }
  return turned;
}

static inline void give_errors(const Arm& arm, double length, double angle, ArmResult* result) {
  const double chord = __builtin_sqrt(angle);  // 2 asin of half of it
  result->reached = 1;
  result->length = __builtin_sqrt(length) * arm.size;
  result->angle = angle < 1e-3 ? chord * (1.0 + angle * (1.0 / 24.0 + angle * (3.0 / 640.0 + angle * (5.0 / 7168.0))))
                               : 2.0 * __builtin_asin(chord < 2.0 ? 0.5 * chord : 1.0);
}

static void give(const Arm& arm, double length, double angle, const double* q, double* pose, ArmResult* result) {
  for (int i = 0; i < arm.count; ++i) {
    const ArmJoint& j = arm.joint[i];
    const double number = q[i] * j.unit;
    pose[j.number] = number < j.lowest ? j.lowest : number > j.highest ? j.highest : number;
  }
  give_errors(arm, length, angle, result);
}

static inline double* numbers(One& r) { return reinterpret_cast<double*>(r.q); }

// The start (nq) as the kernels have it, inside its limits.
template <class M>
static void read(const Arm& arm, const double* pose, double* q) {
  for (int i = 0; i < arm.count; ++i) {
    const ArmJoint& j = arm.joint[i];
    const double number = M::slides ? pose[j.number] / j.unit : pose[j.number];
    q[i] = number < arm.side.lower[i] ? arm.side.lower[i] : number > arm.side.upper[i] ? arm.side.upper[i] : number;
  }
}

// Steps from where r is until the target is reached; false if that stalls.
template <class M>
static bool descend(const Arm& arm, const Wanted<double>& w, int most, One& r, Miss& m, int& iterations) {
  const Aim aim = aim_of(w);
  double before = 1e300, last = 1e300;
  for (int k = 0;; ++k) {
    miss_of(aim, r, m);
    ++iterations;
    if (within(arm.limits, m)) return true;
    if (k >= most || !(m.error <= 0.5 * before)) return false;
    before = last;
    last = m.error;
    step_one<M>(arm, m, kLeastDamping, r);
    place<M>(arm, r);
  }
}

// The answer of floats made sure in doubles, wrapped and inside its limits.
template <class M>
static bool certify(const Arm& arm, const Wanted<double>& w, const double* start, One& r, double* pose, ArmResult* result) {
  Miss m;
  place<M>(arm, r);
  if (!descend<M>(arm, w, kPolish, r, m, result->iterations)) return false;
  wrap(arm, start, numbers(r));
  give(arm, m.length, m.angle, numbers(r), pose, result);
  return true;
}

template <class M>
static double distance(const Arm& arm, const double* start, const double* q) {
  double sum = 0.0;
  for (int i = 0; i < arm.count; ++i) {
    double d = q[i] - start[i];
    if (!arm.joint[i].boxed) d -= 6.283185307179586 * __builtin_floor(d / 6.283185307179586 + 0.5);
    sum += d * d;
  }
  return sum;
}

static inline bool any(const Bits8& m) { return lanes_of(m) != 0; }

// Eight starts of one target together. One step more is taken after the first has arrived, and of those that have then the one
// nearest to the caller's start is kept.
template <class M>
static bool race(const Arm& arm, const Wanted<float>& wanted, const Wanted<double>& exact, float stall, Starts& s, const double* start, One& one,
                 double* pose, ArmResult* result) {
  const Wanted<Eight8> w = {splat8(wanted.p), splat8(wanted.x), splat8(wanted.y), splat8(wanted.z)};
  Eight8 before = Eight8{} + 1e30f, last = before, kept[kMostArm];
  Bits8 alive = Bits8{} - 1, done = {};
  for (int i = 0; i < M::count; ++i) kept[i] = s.q[i];
  bool arrived = false;
  for (int k = 0; k < kLaneSteps; ++k) {
    Reached<Eight8> r;
    arm_forward<M>(arm, s.q, r);
    arm_error(w, r);
    ++result->iterations;
    const Bits8 there = (r.length <= arm.limits.float_length) & (r.angle <= arm.limits.float_angle);
    for (int i = 0; i < M::count; ++i) kept[i] = pick(there, s.q[i], kept[i]);
    done |= there;
    if (arrived) break;
    arrived = any(there);
    alive &= (r.error <= stall * before) | there;
    if (!any(alive)) break;
    before = last;
    last = r.error;
    arm_step<M>(arm, r, kLeastDampingFloat, s.q);
  }
  while (any(done)) {
    double least = 1e300, q[kMostArm] = {}, best[kMostArm] = {};
    int chosen = -1;
    for (int lane = 0; lane < 8; ++lane) {
      if (!done[lane]) continue;
      for (int i = 0; i < M::count; ++i) q[i] = kept[i][lane];
      const double d = distance<M>(arm, start, q);
      if (chosen >= 0 && !(d < least)) continue;
      least = d;
      chosen = lane;
      for (int i = 0; i < M::count; ++i) best[i] = q[i];
    }
    done[chosen] = 0;
    __builtin_memset(one.q, 0, sizeof one.q);
    __builtin_memcpy(one.q, best, sizeof(double) * M::count);
    if (certify<M>(arm, exact, start, one, pose, result)) return true;
  }
  return false;
}

// Where the caller's start is: known if it is what was given out last.
template <class M>
static One& here(const Arm& arm, const double* start, ArmPlace& kept) {
  One& r = *reinterpret_cast<One*>(kept.memory);
  const bool known = kept.arm == &arm && kept.of == &kMark && __builtin_memcmp(r.q, start, sizeof(double) * M::count) == 0;
  if (!known) {
    __builtin_memset(r.q, 0, sizeof r.q);
    __builtin_memcpy(r.q, start, sizeof(double) * M::count);
    place<M>(arm, r);
  }
  kept.arm = &arm;
  kept.of = &kMark;
  return r;
}

template <class M>
static void solve_arm(const Arm& arm, const double* targets, unsigned long long seed, int rounds, ArmPlace& kept, double* pose, ArmResult* result) {
  *result = ArmResult{0, 0, 1, 0.0, 0.0};
  const Wanted<double> exact = wanted_of(arm, targets);
  double start[kMostArm];
  read<M>(arm, pose, start);
  One& r = here<M>(arm, start, kept);
  Miss m;
  miss_of(aim_of(exact), r, m);
  if (m.error < kNear && descend<M>(arm, exact, kNearSteps, r, m, result->iterations)) {
    if (wrap(arm, start, numbers(r))) kept.arm = nullptr;  // the same place, but not to the last bit
    return give(arm, m.length, m.angle, numbers(r), pose, result);
  }
  kept.arm = nullptr;
  const Wanted<float> w = narrowed(exact);
  Starts s;
  look_up<M>(arm, w, s);
  result->starts += 8;
  if (race<M>(arm, w, exact, kFirstStall, s, start, r, pose, result)) return;
  unsigned long long random = seed;
  for (int round = 0; round < rounds; ++round) {
    draw_starts<M>(arm, w, random, s);
    result->starts += 8;
    if (race<M>(arm, w, exact, kLaterStall, s, start, r, pose, result)) return;
  }
}

#include "arm_batch.h"

template <class M>
static void follow_arm(const Arm& arm, const double* targets, const ArmRoom& room, double lean, double least, ArmPlace& kept, double* pose, ArmResult* result) {
  *result = ArmResult{0, 0, 1, 0.0, 0.0};
  const Aim aim = aim_of(wanted_of(arm, targets));
  double start[kMostArm];
  read<M>(arm, pose, start);
  One& r = here<M>(arm, start, kept);
  Miss m;
  miss_of(aim, r, m);
  for (int k = 0; k < kFollowSteps; ++k) {
    const double before = m.error;
    if (k == 0 && lean > 0.0) {
      step_one<M, true>(arm, m, least, r, lean);
    } else {
      step_one<M>(arm, m, least, r);
    }
    bool far = false;
    for (int i = 0; i < M::count; ++i) {
      const double number = numbers(r)[i];
      if (M::slides && arm.joint[i].slides) continue;
      // beyond its limits a turn less would be the same place, but it is a whole turn away
      far |= !(__builtin_fabs(number - start[i]) <= room.most[i]) || !(number >= arm.side.lowest[i] && number <= arm.side.highest[i]);
    }
    if (far) break;
    place<M>(arm, r);
    miss_of(aim, r, m);
    ++result->iterations;
    if (within(arm.limits, m)) return give(arm, m.length, m.angle, numbers(r), pose, result);
    if (!(m.error <= 0.5 * before) && (k > 0 || lean == 0.0)) break;  // leaning may cost in the first step
  }
  kept.arm = nullptr;
}

#include "arm_frames.h"

// By the make of the arm.
#define MANIKIN_BY_MAKE(function, arm, ...)                                                                  \
  switch (2 * (arm).count + (arm).slides) {                                                                  \
    case 12: return function<Make<6, false>>(arm, __VA_ARGS__);                                              \
    case 13: return function<Make<6, true>>(arm, __VA_ARGS__);                                               \
    case 14: return function<Make<7, false>>(arm, __VA_ARGS__);                                              \
    case 15: return function<Make<7, true>>(arm, __VA_ARGS__);                                               \
    case 16: return function<Make<8, false>>(arm, __VA_ARGS__);                                              \
    default: return function<Make<8, true>>(arm, __VA_ARGS__);                                               \
  }

static void solve(const Arm& arm, const double* targets, unsigned long long seed, int rounds, ArmPlace& kept, double* pose, ArmResult* result) {
  MANIKIN_BY_MAKE(solve_arm, arm, targets, seed, rounds, kept, pose, result)
}

static void solve_many(const Arm& arm, long count, const double* targets, int width, unsigned long long seed, int rounds, double* poses, int nq,
                       ArmResult* results) {
  MANIKIN_BY_MAKE(solve_rows, arm, count, targets, width, seed, rounds, poses, nq, results)
}

static void follow(const Arm& arm, const double* targets, const ArmRoom& room, double lean, double least, ArmPlace& kept, double* pose, ArmResult* result) {
  MANIKIN_BY_MAKE(follow_arm, arm, targets, room, lean, least, kept, pose, result)
}

static long follow_many(const Arm& arm, long frames, const double* targets, int width, const ArmRoom& speed, const double* dt, ArmPlace& kept, double* poses,
                        int nq, ArmResult* results) {
  MANIKIN_BY_MAKE(follow_frames, arm, frames, targets, width, speed, dt, kept, poses, nq, results)
}

static const ArmKernels kArm = {solve, solve_many, follow, follow_many};

}  // namespace MANIKIN_ISA

#define MANIKIN_JOIN_(a, b) a##b
#define MANIKIN_JOIN(a, b) MANIKIN_JOIN_(a, b)
const ArmKernels& MANIKIN_JOIN(arm_, MANIKIN_ISA)() { return MANIKIN_ISA::kArm; }

}  // namespace manikin
