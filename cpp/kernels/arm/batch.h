// Many targets, eight at a time. Each vector lane takes the next target as soon as its target is reached. The work before and after that is done for
// eight targets together, or for four in doubles.
#pragma once
#include "kernels/arm/search.h"

namespace manikin {
namespace MANIKIN_ISA {

// Targets in progress; target k is at index k % kRing.
struct alignas(32) Ring {
  float p[3][kRing], x[3][kRing], y[3][kRing], z[3][kRing];  // the targets, in floats
  float first[kMostArm][kRing];                              // where lanes start: the caller's start if it is near, else a table entry
  float feature[5][kRing];
  int near[kRing], entry[kRing];  // whether the lane starts at the caller's start; the lane of `nearest` that it starts with
  double wanted[12][kRing];
  double start[kMostArm][kRing];
  double found[kMostArm][kRing];
  int left[kRing / 8];  // unfinished targets of each group
};

struct alignas(32) Lanes {
  float q[kMostArm][8], p[3][8], x[3][8], y[3][8], z[3][8], before[8], last[8];
  int steps[8], all[8];  // of this candidate, and in total
  Starts starts[8];      // filled when a lane needs other starts; the distance of a start that was tried is infinite
  int tried[8];          // number of table candidates tried; -1 while the caller's start is tried
  int looked[8];         // whether `starts` is filled
  long query[8];         // -1 for an idle lane
};

static inline Eight8& eight(float* at) { return *reinterpret_cast<Eight8*>(at); }
static inline const Eight8& eight(const float* at) { return *reinterpret_cast<const Eight8*>(at); }
static inline Vec<Eight8> load3(const float (*from)[8]) { return {eight(from[0]), eight(from[1]), eight(from[2])}; }
static inline Vec<Eight8> load3(const float (*from)[kRing], int at) { return {eight(from[0] + at), eight(from[1] + at), eight(from[2] + at)}; }

static inline Wanted<float> narrow_at(const Ring& ring, int at) {
  auto part = [&](const float(*v)[kRing]) { return Vec<float>{v[0][at], v[1][at], v[2][at]}; };
  return {part(ring.p), part(ring.x), part(ring.y), part(ring.z)};
}
static inline Wanted<double> wanted_at(const Ring& ring, int at) {
  auto part = [&](int k) { return Vec<double>{ring.wanted[k][at], ring.wanted[k + 1][at], ring.wanted[k + 2][at]}; };
  return {part(0), part(3), part(6), part(9)};
}

// Reads the targets and starts of a group, in doubles.
template <class M>
static void read_group(const Arm& arm, int rows, const double* targets, int width, const double* poses, int nq, int at, Ring& ring) {
  const double shrink = 1.0 / arm.size;
  for (int first = 0; first < 8; first += MANIKIN_LANES) {
    alignas(32) double number[7][MANIKIN_LANES];
    for (int k = 0; k < MANIKIN_LANES; ++k) {
      const int row = first + k < rows ? first + k : rows - 1;  // the last group is filled up with its last row
      const double *p = targets + static_cast<long>(row) * width + arm.position, *q = targets + static_cast<long>(row) * width + arm.orientation;
      for (int c = 0; c < 3; ++c) number[c][k] = p[c];
      for (int c = 0; c < 4; ++c) number[3 + c][k] = q[c];
    }
    auto lanes = [&](int c) { return *reinterpret_cast<const Wide*>(number[c]); };
    const Wanted<Wide> w = wanted_by(arm, Vec<Wide>{lanes(0) * shrink, lanes(1) * shrink, lanes(2) * shrink}, lanes(3), lanes(4), lanes(5), lanes(6));
    const Vec<Wide>* const parts[4] = {&w.p, &w.x, &w.y, &w.z};
    float(*const narrow[4])[kRing] = {ring.p, ring.x, ring.y, ring.z};
    for (int v = 0; v < 4; ++v) {
      const Wide* const of[3] = {&parts[v]->x, &parts[v]->y, &parts[v]->z};
      for (int c = 0; c < 3; ++c) {
        *reinterpret_cast<Wide*>(ring.wanted[3 * v + c] + at + first) = *of[c];
        for (int k = 0; k < MANIKIN_LANES; ++k) narrow[v][c][at + first + k] = static_cast<float>((*of[c])[k]);
      }
    }
  }
  for (int k = 0; k < 8; ++k) {
    double q[kMostArm];
    read<M>(arm, poses + static_cast<long>(k < rows ? k : rows - 1) * nq, q);
    for (int i = 0; i < M::count; ++i) {
      ring.start[i][at + k] = q[i];
      ring.first[i][at + k] = static_cast<float>(q[i]);
    }
  }
}

// Computes where the lanes of a group start.
template <class M>
static void begin_group(const Arm& arm, int at, Ring& ring) {
  const Wanted<Eight8> w = {load3(ring.p, at), load3(ring.x, at), load3(ring.y, at), load3(ring.z, at)};
  Eight8 q[kMostArm];
  for (int i = 0; i < M::count; ++i) q[i] = eight(ring.first[i] + at);
  Reached<Eight8> r;
  arm_forward<M>(arm, q, r);
  arm_error(w, r);
  const Bits8 near = r.error < static_cast<float>(kNearStart);
  const Vec<Eight8> o = last_origin(arm, w);
  const Azimuth<Eight8> a = azimuth_of(o.x, o.y);
  const Features<Eight8> features = features_of(w, o, a);
  for (int f = 0; f < 5; ++f) eight(ring.feature[f] + at) = features.of[f];
  Nearest taken = {};
  for (int k = 0; k < 8; ++k) {
    ring.near[at + k] = near[k];
    if (near[k]) continue;
    const float feature[5] = {ring.feature[0][at + k], ring.feature[1][at + k], ring.feature[2][at + k], ring.feature[3][at + k],
                              ring.feature[4][at + k]};
    const Nearest found = nearest(arm.table, feature);
    const int best = least_lane(found.distance);
    ring.entry[at + k] = best;
    taken.index[k] = found.index[best];
  }
  Starts s;
  entries<M>(arm, w, a, taken, s);
  for (int i = 0; i < M::count; ++i) eight(ring.first[i] + at) = pick(near, q[i], s.q[i]);
}

// Gives a target to a lane.
template <class M>
static inline void take(const Ring& ring, long query, Lanes& s, int lane) {
  const int at = static_cast<int>(query % kRing);
  for (int c = 0; c < 3; ++c) {
    s.p[c][lane] = ring.p[c][at];
    s.x[c][lane] = ring.x[c][at];
    s.y[c][lane] = ring.y[c][at];
    s.z[c][lane] = ring.z[c][at];
  }
  for (int i = 0; i < M::count; ++i) s.q[i][lane] = ring.first[i][at];
  s.before[lane] = s.last[lane] = 1e30f;
  s.steps[lane] = s.all[lane] = s.looked[lane] = 0;
  s.tried[lane] = ring.near[at] ? -1 : 0;
  s.query[lane] = query;
}

// Takes the next candidate of a lane's target. Returns false if there is none.
template <class M>
static bool next_candidate(const Arm& arm, const Ring& ring, Lanes& s, int lane) {
  const int at = static_cast<int>(s.query[lane] % kRing);
  Starts& starts = s.starts[lane];
  if (!s.looked[lane]) {
    const float feature[5] = {ring.feature[0][at], ring.feature[1][at], ring.feature[2][at], ring.feature[3][at], ring.feature[4][at]};
    const Wanted<float> w = narrow_at(ring, at);
    const Vec<float> o = last_origin(arm, w);
    entries<M>(arm, w, azimuth_of(o.x, o.y), nearest(arm.table, feature), starts);
    if (s.tried[lane] == 0) starts.distance[ring.entry[at]] = 1e38f;
    s.looked[lane] = 1;
  }
  if (++s.tried[lane] >= 8) return false;
  const int best = least_lane(starts.distance);
  starts.distance[best] = 1e38f;
  for (int i = 0; i < M::count; ++i) s.q[i][lane] = starts.q[i][best];
  s.before[lane] = s.last[lane] = 1e30f;
  s.steps[lane] = 0;
  return true;
}

// Tries random starts, with all lanes on one target.
template <class M>
static void draw_for(const Arm& arm, const Wanted<double>& exact, const double* start, const ArmDraws& draws, double* pose, ArmResult* result) {
  One one;
  const Wanted<float> w = narrowed(exact);
  unsigned long long random = draws.seed;
  Starts drawn;
  for (int round = 0; round < draws.rounds - 1 && !stopped(draws, round); ++round) {
    draw_starts<M>(arm, w, random, drawn);
    result->starts += 8;
    if (race<M>(arm, w, exact, kLaterStall, drawn, start, one, pose, result)) return;
  }
}

// Checks and refines the answers of a group in doubles. On input and output, results[k].reached tells which answers exist; it is 0 if nothing was
// found.
template <class M>
static void make_sure(const Arm& arm, int rows, int at, const Ring& ring, const ArmDraws& draws, double* poses, int nq, ArmResult* results) {
  // errors of the poses that were found, in lanes
  for (int first = 0; first < rows; first += MANIKIN_LANES) {
    const int here = at + first;
    auto part = [&](int k) {
      return Vec<Wide>{*reinterpret_cast<const Wide*>(ring.wanted[k] + here), *reinterpret_cast<const Wide*>(ring.wanted[k + 1] + here),
                       *reinterpret_cast<const Wide*>(ring.wanted[k + 2] + here)};
    };
    Wide q[kMostArm];
    for (int i = 0; i < M::count; ++i) q[i] = *reinterpret_cast<const Wide*>(ring.found[i] + here);
    const Wanted<Wide> w = {part(0), part(3), part(6), part(9)};
    Reached<Wide> r;
    arm_forward<M>(arm, q, r);
    arm_error(w, r);
    // the same as wrap and give, for several lanes
    Wide begun[kMostArm], number[kMostArm];
    const double turn = kTwoPi, shift = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
    for (int i = 0; i < M::count; ++i) {
      const ArmJoint& j = arm.joint[i];
      begun[i] = *reinterpret_cast<const Wide*>(ring.start[i] + here);
      number[i] = M::slides ? q[i] * j.unit : q[i];
      if (!j.boxed) {  // the turn nearest to the start; outside the limits one turn is enough, since the joint can make a full turn
        number[i] -= turn * (((number[i] - begun[i]) * (1.0 / turn) + shift) - shift);
        number[i] = number[i] > j.highest ? number[i] - turn : number[i];
        number[i] = number[i] < j.lowest ? number[i] + turn : number[i];
      }
      number[i] = number[i] < j.lowest ? Wide{} + j.lowest : number[i];
      number[i] = number[i] > j.highest ? Wide{} + j.highest : number[i];
    }
    // those that are surely reached are written
    const Wide length = root(r.length) * arm.size, chord = root(r.angle);
    const Wide angle = chord * (1.0 + r.angle * (1.0 / 24.0 + r.angle * (3.0 / 640.0 + r.angle * (5.0 / 7168.0))));
    const WideBits good = (r.length <= arm.limits.length) & (r.angle <= arm.limits.angle), plain = good & (r.angle < 1e-3);
    for (int k = 0; k < MANIKIN_LANES && first + k < rows; ++k) {
      ArmResult& result = results[first + k];
      double* const pose = poses + static_cast<long>(first + k) * nq;
      if (result.reached && plain[k]) {
        ++result.iterations;
        result.length = length[k];
        result.angle = angle[k];
        for (int i = 0; i < M::count; ++i) pose[arm.joint[i].number] = number[i][k];
        continue;
      }
      // the others are certified one by one, or start again from random poses
      One one = {};
      double start[kMostArm];
      for (int i = 0; i < M::count; ++i) {
        numbers(one)[i] = q[i][k];
        start[i] = begun[i][k];
      }
      const bool found = result.reached != 0;
      result.reached = 0;
      result.iterations += found ? 1 : 0;
      if (found && good[k]) {
        wrap(arm, start, numbers(one));
        give(arm, r.length[k], r.angle[k], numbers(one), pose, &result);
      } else if (!found || !certify<M>(arm, wanted_at(ring, here + k), start, one, pose, &result)) {
        draw_for<M>(arm, wanted_at(ring, here + k), start, draws, pose, &result);
      }
    }
  }
}

template <class M>
static void solve_rows(const Arm& arm, long count, const double* targets, int width, const ArmDraws& draws, double* poses, int nq,
                       ArmResult* results) {
  Ring ring;
  Lanes s = {};
  long next = 0, ready = 0;  // targets that lanes have taken, and that are ready
  auto rows_of = [&](long first) { return static_cast<int>(count - first < 8 ? count - first : 8); };
  // gives the next target to a lane
  auto load = [&](int lane) {
    s.query[lane] = -1;
    if (next == ready && ready < count && (ready < kRing || ring.left[ready / 8 % (kRing / 8)] == 0)) {
      const int at = static_cast<int>(ready % kRing), rows = rows_of(ready);
      read_group<M>(arm, rows, targets + ready * width, width, poses + ready * nq, nq, at, ring);
      begin_group<M>(arm, at, ring);
      ring.left[at / 8] = rows;
      for (int k = 0; k < rows; ++k) results[ready + k] = ArmResult{0, 0, ring.near[at + k] ? 1 : 2, 0.0, 0.0};
      ready += rows;
    }
    if (next < ready) take<M>(ring, next++, s, lane);
    return s.query[lane] >= 0;
  };
  unsigned busy = 0;  // lanes with a target
  for (int lane = 0; lane < 8; ++lane) busy |= (load(lane) ? 1u : 0u) << lane;
  // one step of all lanes
  while (busy) {
    Eight8 q[kMostArm];
    for (int i = 0; i < M::count; ++i) q[i] = eight(s.q[i]);
    const Wanted<Eight8> w = {load3(s.p), load3(s.x), load3(s.y), load3(s.z)};
    Reached<Eight8> r;
    arm_forward<M>(arm, q, r);
    arm_error(w, r);
    Bits8& steps = *reinterpret_cast<Bits8*>(s.steps);
    steps += 1;
    *reinterpret_cast<Bits8*>(s.all) += 1;
    // there: converged after the next step; lost: the error is above half of that two steps earlier, or the steps are used up
    const Bits8 there = (r.error < kSoonThere) | ((r.length <= arm.limits.float_length) & (r.angle <= arm.limits.float_angle));
    const Bits8 lost = ~(r.error <= kFirstStall * eight(s.before)) | (steps >= kLaneSteps);
    eight(s.before) = eight(s.last);
    eight(s.last) = r.error;
    arm_step<M>(arm, r, kArmLeastDampingFloat, q);
    for (int i = 0; i < M::count; ++i) eight(s.q[i]) = q[i];
    // lanes that have arrived, or are lost: the next candidate, the next target
    const unsigned arrived = lanes_of(there) & busy;
    for (unsigned event = lanes_of(there | lost) & busy; event; event &= event - 1) {
      const int lane = __builtin_ctz(event);
      const long k = s.query[lane];
      const int at = static_cast<int>(k % kRing);
      if (arrived >> lane & 1) {
        for (int i = 0; i < M::count; ++i) ring.found[i][at] = s.q[i][lane];
        results[k].reached = 1;
      } else {
        ++results[k].starts;
        if (next_candidate<M>(arm, ring, s, lane)) continue;
        for (int i = 0; i < M::count; ++i) ring.found[i][at] = ring.start[i][at];
      }
      results[k].iterations = s.all[lane];
      if (--ring.left[at / 8] == 0) {
        const long first = k - k % 8;
        make_sure<M>(arm, rows_of(first), at - at % 8, ring, draws, poses + first * nq, nq, results + first);
      }
      if (!load(lane)) busy &= ~(1u << lane);
    }
    if (next < count && busy != 0xffu)  // lanes that waited for a group to end
      for (int lane = 0; lane < 8; ++lane)
        if (!(busy >> lane & 1) && load(lane)) busy |= 1u << lane;
  }
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
