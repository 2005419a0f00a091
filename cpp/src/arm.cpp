// Arms, compiled once for each instruction set, like solver.cpp, and free of the standard library.
#include "manikin/arm.h"

namespace manikin {
namespace MANIKIN_ISA {

#include "lanes.h"
#include "arm_math.h"
#include "arm_step.h"
#include "arm_starts.h"

static constexpr double kNear = 0.25;            // squared error below which the caller's start is tried first
static constexpr int kNearSteps = 8;
static constexpr int kLaneSteps = 20;
static constexpr int kPolish = 6;
static constexpr float kFirstStall = 0.5f;       // of the squared error two steps before: more, and a start is given up
static constexpr float kLaterStall = 0.8f;
static constexpr double kLeastDamping = 1e-6, kLeastDampingFloat = 1e-7;
static constexpr double kFloatLength = 3e-5, kFloatAngle = 1e-4;  // what floats are asked for at most; doubles do the rest

static Wanted<double> wanted_of(const Arm& arm, const double* targets) {
  const double *p = targets + arm.position, *q = targets + arm.orientation;
  const double w = q[0], x = q[1], y = q[2], z = q[3], k = 2.0 / (w * w + x * x + y * y + z * z);
  const double R[9] = {1 - k * (y * y + z * z), k * (x * y - w * z),     k * (x * z + w * y),
                       k * (x * y + w * z),     1 - k * (x * x + z * z), k * (y * z - w * x),
                       k * (x * z - w * y),     k * (y * z + w * x),     1 - k * (x * x + y * y)};
  // base^T (target turn^T): the columns that the last joint's space is to have, in the base
  double M[9], away[3];
  for (int i = 0; i < 3; ++i) {
    away[i] = p[i] / arm.size - arm.origin[i];
    for (int j = 0; j < 3; ++j) M[3 * i + j] = R[3 * i] * arm.turn[3 * j] + R[3 * i + 1] * arm.turn[3 * j + 1] + R[3 * i + 2] * arm.turn[3 * j + 2];
  }
  auto local = [&](double a, double b, double c) {
    const double* B = arm.base;  // columns
    return Vec<double>{B[0] * a + B[1] * b + B[2] * c, B[3] * a + B[4] * b + B[5] * c, B[6] * a + B[7] * b + B[8] * c};
  };
  return {local(away[0], away[1], away[2]), local(M[0], M[3], M[6]), local(M[1], M[4], M[7]), local(M[2], M[5], M[8])};
}

static Vec<float> narrowed(const Vec<double>& v) { return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)}; }
static Wanted<float> narrowed(const Wanted<double>& w) { return {narrowed(w.p), narrowed(w.x), narrowed(w.y), narrowed(w.z)}; }

static Vec<Eight8> splat8(const Vec<float>& v) { return {Eight8{} + v.x, Eight8{} + v.y, Eight8{} + v.z}; }

struct Limits {
  double length, angle;          // squares
  float float_length, float_angle;
};

static Limits limits_of(const Arm& arm) {
  const double half = 2.0 * __builtin_sin(0.5 * (arm.allowed_angle < 3.0 ? arm.allowed_angle : 3.0));
  const double l = arm.allowed_length > kFloatLength ? arm.allowed_length : kFloatLength, a = half > kFloatAngle ? half : kFloatAngle;
  const double sure = 1.0 - 1e-9;
  return {sure * arm.allowed_length * arm.allowed_length, sure * half * half, static_cast<float>(0.8 * l * l), static_cast<float>(0.8 * a * a)};
}

static inline bool within(const Limits& limits, const Reached<double>& r) { return r.length <= limits.length && r.angle <= limits.angle; }

// Joints that go around are brought to the turn nearest to the start, inside their limits.
static void wrap(const Arm& arm, const double* start, double* q) {
  const double turn = 6.283185307179586;
  for (int i = 0; i < arm.count; ++i) {
    const ArmJoint& j = arm.joint[i];
    if (j.boxed) continue;
    q[i] -= turn * __builtin_floor((q[i] - start[i]) / turn + 0.5);
    const double low = j.lowest / j.unit, high = j.highest / j.unit;
    if (q[i] > high) q[i] -= turn * __builtin_ceil((q[i] - high) / turn);
    if (q[i] < low) q[i] += turn * __builtin_ceil((low - q[i]) / turn);
  }
}

static void give(const Arm& arm, double length, double angle, const double* q, double* pose, ArmResult* result) {
  for (int i = 0; i < arm.count; ++i) {
    const ArmJoint& j = arm.joint[i];
    const double number = q[i] * j.unit;
    pose[j.number] = number < j.lowest ? j.lowest : number > j.highest ? j.highest : number;
  }
  const double sine = 0.5 * __builtin_sqrt(angle);
  result->reached = 1;
  result->length = __builtin_sqrt(length) * arm.size;
  result->angle = 2.0 * __builtin_asin(sine < 1.0 ? sine : 1.0);
}

static void read(const Arm& arm, const double* pose, double* q) {
  for (int i = 0; i < arm.count; ++i) q[i] = pose[arm.joint[i].number] / arm.joint[i].unit;
}

// Steps in doubles from q until the target is reached; false if that stalls.
static bool descend(const Arm& arm, const Wanted<double>& w, const Limits& limits, int most, double* q, Reached<double>& r, int& iterations) {
  double before = 1e300, last = 1e300;
  for (int k = 0;; ++k) {
    arm_forward(arm, q, r);
    arm_error(w, r);
    ++iterations;
    if (within(limits, r)) return true;
    if (k >= most || !(r.error <= 0.5 * before)) return false;
    before = last;
    last = r.error;
    arm_step(arm, r, kLeastDamping, q);
  }
}

// The answer of floats made sure in doubles, wrapped and inside its limits.
static bool certify(const Arm& arm, const Wanted<double>& w, const Limits& limits, const double* start, double* q, double* pose, ArmResult* result) {
  Reached<double> r;
  if (!descend(arm, w, limits, kPolish, q, r, result->iterations)) return false;
  wrap(arm, start, q);
  give(arm, r.length, r.angle, q, pose, result);
  return true;
}

static double distance(const Arm& arm, const double* start, const double* q) {
  double sum = 0.0;
  for (int i = 0; i < arm.count; ++i) {
    double d = q[i] - start[i];
    if (!arm.joint[i].boxed) d -= 6.283185307179586 * __builtin_floor(d / 6.283185307179586 + 0.5);
    sum += d * d;
  }
  return sum;
}

static inline bool any(const Bits8& m) {
  int all = 0;
  for (int k = 0; k < 8; ++k) all |= m[k];
  return all != 0;
}

// Eight starts of one target together. One step more is taken after the first has arrived, and of those that have then the one
// nearest to the caller's start is kept.
static bool race(const Arm& arm, const Wanted<float>& wanted, const Wanted<double>& exact, const Limits& limits, float stall, Starts& s,
                 const double* start, double* pose, ArmResult* result) {
  const Wanted<Eight8> w = {splat8(wanted.p), splat8(wanted.x), splat8(wanted.y), splat8(wanted.z)};
  Eight8 before = Eight8{} + 1e30f, last = before, kept[kMostArm];
  Bits8 alive = Bits8{} - 1, done = {};
  for (int i = 0; i < arm.count; ++i) kept[i] = s.q[i];
  bool arrived = false;
  for (int k = 0; k < kLaneSteps; ++k) {
    Reached<Eight8> r;
    arm_forward(arm, s.q, r);
    arm_error(w, r);
    ++result->iterations;
    const Bits8 there = (r.length <= limits.float_length) & (r.angle <= limits.float_angle);
    for (int i = 0; i < arm.count; ++i) kept[i] = pick(there, s.q[i], kept[i]);
    done |= there;
    if (arrived) break;
    arrived = any(there);
    alive &= (r.error <= stall * before) | there;
    if (!any(alive)) break;
    before = last;
    last = r.error;
    arm_step(arm, r, kLeastDampingFloat, s.q);
  }
  while (any(done)) {
    double least = 1e300, q[kMostArm], best[kMostArm];
    int chosen = -1;
    for (int lane = 0; lane < 8; ++lane) {
      if (!done[lane]) continue;
      for (int i = 0; i < arm.count; ++i) q[i] = kept[i][lane];
      const double d = distance(arm, start, q);
      if (chosen >= 0 && !(d < least)) continue;
      least = d;
      chosen = lane;
      for (int i = 0; i < arm.count; ++i) best[i] = q[i];
    }
    done[chosen] = 0;
    if (certify(arm, exact, limits, start, best, pose, result)) return true;
  }
  return false;
}

static void inside(const Arm& arm, double* q) {
  for (int i = 0; i < arm.count; ++i) {
    const ArmJoint& j = arm.joint[i];
    if (j.boxed) q[i] = q[i] < j.lower ? j.lower : q[i] > j.upper ? j.upper : q[i];
  }
}

static void solve(const Arm& arm, const double* targets, unsigned long long seed, int rounds, double* pose, ArmResult* result) {
  *result = ArmResult{0, 0, 1, 0.0, 0.0};
  const Limits limits = limits_of(arm);
  const Wanted<double> exact = wanted_of(arm, targets);
  double start[kMostArm], q[kMostArm];
  read(arm, pose, start);
  inside(arm, start);
  Reached<double> r;
  arm_forward(arm, start, r);
  arm_error(exact, r);
  if (r.error < kNear) {
    for (int i = 0; i < arm.count; ++i) q[i] = start[i];
    if (descend(arm, exact, limits, kNearSteps, q, r, result->iterations)) {
      wrap(arm, start, q);
      return give(arm, r.length, r.angle, q, pose, result);
    }
  }
  const Wanted<float> w = narrowed(exact);
  Starts s;
  look_up(arm, w, s);
  result->starts += 8;
  if (race(arm, w, exact, limits, kFirstStall, s, start, pose, result)) return;
  unsigned long long random = seed;
  for (int round = 0; round < rounds; ++round) {
    draw_starts(arm, w, random, s);
    result->starts += 8;
    if (race(arm, w, exact, limits, kLaterStall, s, start, pose, result)) return;
  }
}

#include "arm_batch.h"

static void follow(const Arm& arm, const double* targets, double box, double* pose, ArmResult* result) {
  *result = ArmResult{0, 0, 1, 0.0, 0.0};
  const Limits limits = limits_of(arm);
  const Wanted<double> exact = wanted_of(arm, targets);
  double start[kMostArm], q[kMostArm];
  read(arm, pose, start);
  inside(arm, start);
  for (int i = 0; i < arm.count; ++i) q[i] = start[i];
  Reached<double> r;
  arm_forward(arm, q, r);
  arm_error(exact, r);
  for (int k = 0; k < 4; ++k) {
    const double before = r.error;
    arm_step(arm, r, kLeastDamping, q);
    for (int i = 0; i < arm.count; ++i)
      if (!arm.joint[i].slides && !(__builtin_fabs(q[i] - start[i]) <= box)) return;
    arm_forward(arm, q, r);
    arm_error(exact, r);
    ++result->iterations;
    if (within(limits, r)) {
      wrap(arm, start, q);
      return give(arm, r.length, r.angle, q, pose, result);
    }
    if (!(r.error <= 0.5 * before)) return;
  }
}

static const ArmKernels kArm = {solve, solve_many, follow};

}  // namespace MANIKIN_ISA

#define MANIKIN_JOIN_(a, b) a##b
#define MANIKIN_JOIN(a, b) MANIKIN_JOIN_(a, b)
const ArmKernels& MANIKIN_JOIN(arm_, MANIKIN_ISA)() { return MANIKIN_ISA::kArm; }

}  // namespace manikin
