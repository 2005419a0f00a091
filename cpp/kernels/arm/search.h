// One target: from the caller's start, then from eight starts at a time.
#pragma once
#include "kernels/arm/starts.h"
#include "kernels/arm/target.h"
#include "kernels/arm/pose.h"

namespace manikin {
namespace MANIKIN_ISA {

// Takes steps from r until the target is reached. Returns false if the steps stall.
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
    step_one<M>(arm, m, kArmLeastDamping, r);
    place<M>(arm, r);
  }
}

// Checks and refines a single-precision answer in doubles, wrapped and inside its limits.
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
    if (!arm.joint[i].boxed) d -= kTwoPi * __builtin_floor(d / kTwoPi + 0.5);
    sum += d * d;
  }
  return sum;
}

static inline bool any(const Bits8& m) { return lanes_of(m) != 0; }

// Descends from eight starts for one target together. After the first converges, one more step is taken. Of the starts that have converged then, the
// one nearest to the caller's start is kept.
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
    arm_step<M>(arm, r, kArmLeastDampingFloat, s.q);
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

static const char kMark = 0;  // identifies these kernels

static inline bool stopped(const ArmDraws& draws, int round) { return round % kAskEveryRounds == 0 && draws.stopped && draws.stopped(draws.host); }

// Returns the placement of the caller's start. It is already known if the start is the last returned pose.
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
static void solve_arm(const Arm& arm, const double* targets, const ArmDraws& draws, ArmPlace& kept, double* pose, ArmResult* result) {
  *result = ArmResult{0, 0, 1, 0.0, 0.0};
  const Wanted<double> exact = wanted_of(arm, targets);
  double start[kMostArm];
  read<M>(arm, pose, start);
  One& r = here<M>(arm, start, kept);
  Miss m;
  miss_of(aim_of(exact), r, m);
  if (m.error < kNearStart && descend<M>(arm, exact, kNearSteps, r, m, result->iterations)) {
    if (wrap(arm, start, numbers(r))) kept.arm = nullptr;  // the same place, but not to the last bit
    return give(arm, m.length, m.angle, numbers(r), pose, result);
  }
  kept.arm = nullptr;
  if (draws.rounds <= 0) return;
  const Wanted<float> w = narrowed(exact);
  Starts s;
  look_up<M>(arm, w, s);
  result->starts += 8;
  if (race<M>(arm, w, exact, kFirstStall, s, start, r, pose, result)) return;
  unsigned long long random = draws.seed;
  for (int round = 0; round < draws.rounds - 1 && !stopped(draws, round); ++round) {
    draw_starts<M>(arm, w, random, s);
    result->starts += 8;
    if (race<M>(arm, w, exact, kLaterStall, s, start, r, pose, result)) return;
  }
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
