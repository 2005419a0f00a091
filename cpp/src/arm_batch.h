// Many targets: eight at a time, each in a lane of its own that takes the next target as soon as its own is reached.
// Included by arm.cpp only.
#pragma once

struct alignas(32) Lanes {
  float q[kMostArm][8], p[3][8], x[3][8], y[3][8], z[3][8], before[8], last[8];
  Starts starts[8];          // of each lane's target; the distance of one that was tried is infinite
  Wanted<double> wanted[8];
  double start[8][kMostArm];  // the caller's
  int tried[8];               // -1 while the caller's start is tried
  long query[8];              // -1 where a lane has nothing left to do
};

static inline Vec<Eight8> load3(const float (*from)[8]) {
  return {*reinterpret_cast<const Eight8*>(from[0]), *reinterpret_cast<const Eight8*>(from[1]), *reinterpret_cast<const Eight8*>(from[2])};
}
static inline void set3(float (*to)[8], int lane, const Vec<float>& v) {
  to[0][lane] = v.x;
  to[1][lane] = v.y;
  to[2][lane] = v.z;
}

// The next candidate of a lane's target; false if there is none.
static bool next_candidate(const Arm& arm, Lanes& s, int lane) {
  if (++s.tried[lane] >= 8) return false;
  float* distance = reinterpret_cast<float*>(&s.starts[lane].distance);
  int best = 0;
  for (int c = 1; c < 8; ++c)
    if (distance[c] < distance[best]) best = c;
  distance[best] = 1e38f;
  for (int i = 0; i < arm.count; ++i) s.q[i][lane] = reinterpret_cast<const float*>(&s.starts[lane].q[i])[best];
  s.before[lane] = s.last[lane] = 1e30f;
  return true;
}

template <class M>
static void take_query(const Arm& arm, const double* targets, const double* pose, Lanes& s, int lane) {
  const Wanted<double>& exact = s.wanted[lane] = wanted_of(arm, targets);
  const Wanted<float> w = narrowed(exact);
  set3(s.p, lane, w.p);
  set3(s.x, lane, w.x);
  set3(s.y, lane, w.y);
  set3(s.z, lane, w.z);
  look_up(arm, w, s.starts[lane]);
  read<M>(arm, pose, s.start[lane]);
  for (int i = 0; i < arm.count; ++i) s.q[i][lane] = static_cast<float>(s.start[lane][i]);
  s.before[lane] = s.last[lane] = 1e30f;
  s.tried[lane] = -1;
}

// Answers of the lanes that wait to be made sure in doubles, several together.
struct Waiting {
  int count;
  double q[kMostArm][MANIKIN_LANES];
  Wanted<double> wanted[MANIKIN_LANES];
  double start[MANIKIN_LANES][kMostArm];
  long query[MANIKIN_LANES];
};

static void wait_for(const Arm& arm, const Lanes& s, int lane, const Eight8* here, Waiting& w) {
  const int at = w.count++;
  for (int i = 0; i < arm.count; ++i) {
    w.q[i][at] = here[i][lane];
    w.start[at][i] = s.start[lane][i];
  }
  w.wanted[at] = s.wanted[lane];
  w.query[at] = s.query[lane];
}

// Random starts, all lanes for one target.
template <class M>
static void draw_for(const Arm& arm, const Wanted<double>& exact, const double* start, unsigned long long seed, int rounds, double* pose,
                     ArmResult* result) {
  One one;
  const Wanted<float> w = narrowed(exact);
  unsigned long long random = seed;
  Starts drawn;
  for (int round = 0; round < rounds; ++round) {
    draw_starts<M>(arm, w, random, drawn);
    result->starts += 8;
    if (race<M>(arm, w, exact, kLaterStall, drawn, start, one, pose, result)) return;
  }
}

template <class M>
static void make_sure(const Arm& arm, const ArmLimits& limits, unsigned long long seed, int rounds, double* poses, int nq, ArmResult* results, Waiting& w) {
  for (int k = w.count; k < MANIKIN_LANES && w.count > 0; ++k) {  // lanes that nobody waits in do as the first
    for (int i = 0; i < arm.count; ++i) w.q[i][k] = w.q[i][0];
    w.wanted[k] = w.wanted[0];
  }
  Wide q[kMostArm];
  for (int i = 0; i < arm.count; ++i)
    for (int k = 0; k < MANIKIN_LANES; ++k) q[i][k] = w.q[i][k];
  auto gather = [&](auto part) {
    Vec<Wide> v;
    for (int k = 0; k < MANIKIN_LANES; ++k) {
      const Vec<double>& from = part(w.wanted[k]);
      v.x[k] = from.x, v.y[k] = from.y, v.z[k] = from.z;
    }
    return v;
  };
  const Wanted<Wide> wanted = {gather([](const Wanted<double>& t) -> const Vec<double>& { return t.p; }),
                               gather([](const Wanted<double>& t) -> const Vec<double>& { return t.x; }),
                               gather([](const Wanted<double>& t) -> const Vec<double>& { return t.y; }),
                               gather([](const Wanted<double>& t) -> const Vec<double>& { return t.z; })};
  Reached<Wide> r;
  arm_forward<M>(arm, q, r);
  arm_error(wanted, r);
  for (int k = 0; k < w.count; ++k) {
    const long query = w.query[k];
    One one;
    __builtin_memset(one.q, 0, sizeof one.q);
    double* const found = numbers(one);
    for (int i = 0; i < M::count; ++i) found[i] = w.q[i][k];
    ++results[query].iterations;
    if (r.length[k] <= limits.length && r.angle[k] <= limits.angle) {
      wrap(arm, w.start[k], found);
      give(arm, r.length[k], r.angle[k], found, poses + query * nq, results + query);
    } else if (!certify<M>(arm, w.wanted[k], w.start[k], one, poses + query * nq, results + query)) {
      draw_for<M>(arm, w.wanted[k], w.start[k], seed, rounds, poses + query * nq, results + query);
    }
  }
  w.count = 0;
}

template <class M>
static void solve_rows(const Arm& arm, long count, const double* targets, int target_width, unsigned long long seed, int rounds, double* poses,
                       int nq, ArmResult* results) {
  const ArmLimits& limits = arm.limits;
  Lanes s = {};
  Waiting waiting;
  waiting.count = 0;
  long next = 0;
  int busy = 0;
  Bits8 steps = {}, all = {};  // of this candidate, and of all
  auto load = [&](int lane) {
    s.query[lane] = next < count ? next++ : -1;
    steps[lane] = all[lane] = 0;
    if (s.query[lane] < 0) return;
    results[s.query[lane]] = ArmResult{0, 0, 1, 0.0, 0.0};
    take_query<M>(arm, targets + s.query[lane] * target_width, poses + s.query[lane] * nq, s, lane);
    ++busy;
  };
  for (int lane = 0; lane < 8; ++lane) load(lane);
  while (busy > 0) {
    Eight8 q[kMostArm], here[kMostArm];
    for (int i = 0; i < arm.count; ++i) q[i] = here[i] = *reinterpret_cast<const Eight8*>(s.q[i]);
    const Wanted<Eight8> w = {load3(s.p), load3(s.x), load3(s.y), load3(s.z)};
    Reached<Eight8> r;
    arm_forward<M>(arm, q, r);
    arm_error(w, r);
    const Eight8 before = *reinterpret_cast<const Eight8*>(s.before), last = *reinterpret_cast<const Eight8*>(s.last);
    const Bits8 there = (r.length <= limits.float_length) & (r.angle <= limits.float_angle);
    const Bits8 first = *reinterpret_cast<const Bits8*>(s.tried) < 0;
    steps += 1;
    all += 1;
    // given up: no better than half of two steps before, at the end of its steps, or a start that is not near
    const Bits8 lost = ~(r.error <= kFirstStall * before) | (steps >= kLaneSteps) | (first & (steps == 1) & ~(r.error < static_cast<float>(kNear)));
    *reinterpret_cast<Eight8*>(s.before) = last;
    *reinterpret_cast<Eight8*>(s.last) = r.error;
    arm_step<M>(arm, r, kLeastDampingFloat, q);
    for (int i = 0; i < arm.count; ++i) *reinterpret_cast<Eight8*>(s.q[i]) = q[i];
    const Bits8 event = there | lost;
    if (!any(event)) continue;
    for (int lane = 0; lane < 8; ++lane) {
      const long k = s.query[lane];
      if (!event[lane] || k < 0) continue;
      if (there[lane]) {
        results[k].iterations = all[lane];
        wait_for(arm, s, lane, here, waiting);
        if (waiting.count == MANIKIN_LANES) make_sure<M>(arm, limits, seed, rounds, poses, nq, results, waiting);
      } else {
        ++results[k].starts;
        if (next_candidate(arm, s, lane)) {
          steps[lane] = 0;
          continue;
        }
        results[k].iterations = all[lane];
        draw_for<M>(arm, s.wanted[lane], s.start[lane], seed, rounds, poses + k * nq, results + k);
      }
      --busy;
      load(lane);
    }
  }
  if (waiting.count > 0) make_sure<M>(arm, limits, seed, rounds, poses, nq, results, waiting);
}
