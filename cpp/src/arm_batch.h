// Many targets: eight at a time, each in a lane of its own that takes the next target as soon as its own is reached.
// Included by arm.cpp only.
#pragma once

struct alignas(32) Lanes {
  float q[kMostArm][8], p[3][8], x[3][8], y[3][8], z[3][8], before[8], last[8];
  Starts starts[8];          // of each lane's target; the distance of one that was tried is infinite
  Wanted<double> wanted[8];
  double start[8][kMostArm];  // the caller's
  int tried[8];               // -1 while the caller's start is tried
  int steps[8];
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
  s.steps[lane] = 0;
  return true;
}

static void take_query(const Arm& arm, const double* targets, const double* pose, Lanes& s, int lane) {
  const Wanted<double>& exact = s.wanted[lane] = wanted_of(arm, targets);
  const Wanted<float> w = narrowed(exact);
  set3(s.p, lane, w.p);
  set3(s.x, lane, w.x);
  set3(s.y, lane, w.y);
  set3(s.z, lane, w.z);
  look_up(arm, w, s.starts[lane]);
  read(arm, pose, s.start[lane]);
  inside(arm, s.start[lane]);
  for (int i = 0; i < arm.count; ++i) s.q[i][lane] = static_cast<float>(s.start[lane][i]);
  s.before[lane] = s.last[lane] = 1e30f;
  s.steps[lane] = 0;
  s.tried[lane] = -1;
}

static void solve_many(const Arm& arm, long count, const double* targets, int target_width, unsigned long long seed, int rounds, double* poses,
                       int nq, ArmResult* results) {
  const Limits limits = limits_of(arm);
  Lanes s = {};
  long next = 0;
  int busy = 0;
  auto load = [&](int lane) {
    s.query[lane] = next < count ? next++ : -1;
    if (s.query[lane] < 0) return;
    results[s.query[lane]] = ArmResult{0, 0, 1, 0.0, 0.0};
    take_query(arm, targets + s.query[lane] * target_width, poses + s.query[lane] * nq, s, lane);
    ++busy;
  };
  // What eight candidates did not reach: random starts, all lanes for this one target.
  auto draw = [&](int lane) {
    const long k = s.query[lane];
    const Wanted<double>& exact = s.wanted[lane];
    const Wanted<float> w = narrowed(exact);
    const double* start = s.start[lane];
    unsigned long long random = seed;
    Starts drawn;
    for (int round = 0; round < rounds; ++round) {
      draw_starts(arm, w, random, drawn);
      results[k].starts += 8;
      if (race(arm, w, exact, limits, kLaterStall, drawn, start, poses + k * nq, results + k)) return;
    }
  };
  for (int lane = 0; lane < 8; ++lane) load(lane);
  while (busy > 0) {
    Eight8 q[kMostArm];
    for (int i = 0; i < arm.count; ++i) q[i] = *reinterpret_cast<const Eight8*>(s.q[i]);
    const Wanted<Eight8> w = {load3(s.p), load3(s.x), load3(s.y), load3(s.z)};
    Reached<Eight8> r;
    arm_forward(arm, q, r);
    arm_error(w, r);
    const Eight8 before = *reinterpret_cast<const Eight8*>(s.before), last = *reinterpret_cast<const Eight8*>(s.last);
    const Bits8 there = (r.length <= limits.float_length) & (r.angle <= limits.float_angle);
    const Bits8 going = r.error <= kFirstStall * before;
    *reinterpret_cast<Eight8*>(s.before) = last;
    *reinterpret_cast<Eight8*>(s.last) = r.error;
    arm_step(arm, r, kLeastDampingFloat, q);
    Eight8 here[kMostArm];  // before the step
    for (int i = 0; i < arm.count; ++i) {
      here[i] = *reinterpret_cast<const Eight8*>(s.q[i]);
      *reinterpret_cast<Eight8*>(s.q[i]) = q[i];
    }
    for (int lane = 0; lane < 8; ++lane) {
      const long k = s.query[lane];
      if (k < 0) continue;
      ++results[k].iterations;
      ++s.steps[lane];
      const bool far = s.tried[lane] < 0 && s.steps[lane] == 1 && !(r.error[lane] < static_cast<float>(kNear));
      if (!there[lane] && going[lane] && !far && s.steps[lane] < kLaneSteps) continue;
      if (there[lane]) {
        double found[kMostArm];
        for (int i = 0; i < arm.count; ++i) found[i] = here[i][lane];
        if (certify(arm, s.wanted[lane], limits, s.start[lane], found, poses + k * nq, results + k)) {
          --busy;
          load(lane);
          continue;
        }
      }
      ++results[k].starts;
      if (!next_candidate(arm, s, lane)) {
        draw(lane);
        --busy;
        load(lane);
      }
    }
  }
}
