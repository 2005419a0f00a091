// Where to start: candidates from the table, and random ones. In both the first joint turns the end to its azimuth, and the
// last joint turns its axes as well as it can; only the joints between are searched. Included by arm.cpp only.
#pragma once

struct Starts {
  Eight8 q[kMostArm];
  Eight8 distance;
};

// Rough, to about 1e-3: starts need no more.
static inline Eight8 angle_of(const Eight8& y, const Eight8& x) {
  const Eight8 ax = absolute(x), ay = absolute(y), most = largest(ax, ay) + 1e-30f, least = ax < ay ? ax : ay;
  const Eight8 a = least / most, s = a * a;
  Eight8 r = ((-0.0464964749f * s + 0.15931422f) * s - 0.327622764f) * s * a + a;
  r = pick(ay > ax, 1.57079637f - r, r);
  r = pick(x < 0.0f, 3.14159274f - r, r);
  return pick(y < 0.0f, -r, r);
}

// The number of a joint that is to turn by an angle: brought inside its limits by whole turns if it can be; what is left over
// is cut off and adds to the distance.
static inline Eight8 placed(const ArmNumbers<float>& j, const Eight8& angle, Eight8& distance) {
  const float turn = 6.28318531f, low = j.lower, high = j.upper;
  Eight8 q = angle - j.theta;
  if (!j.boxed) return q;
  q = pick(q > high, q - turn, q);
  q = pick(q < low, q + turn, q);
  const Eight8 inside = q < low ? Eight8{} + low : q > high ? Eight8{} + high : q;
  distance += 4.0f * (q - inside) * (q - inside);
  return inside;
}

struct Azimuth {
  float r, cosine, sine;
};

static inline Azimuth azimuth_of(float x, float y) {
  const float r = __builtin_sqrtf(x * x + y * y);
  return r > 1e-9f ? Azimuth{r, x / r, y / r} : Azimuth{r, 1.0f, 0.0f};
}

static inline Vec<float> last_origin(const Arm& arm, const Wanted<float>& w) {
  return w.p - w.x * static_cast<float>(arm.tool[0]) - w.y * static_cast<float>(arm.tool[1]) - w.z * static_cast<float>(arm.tool[2]);
}

// First and last joint, for ends with axes x, y and an azimuth (cosine, sine) where these two joints stand at 0.
static inline void align(const Arm& arm, const Wanted<float>& w, const Azimuth& wanted, const Vec<Eight8>& x, const Vec<Eight8>& y,
                         const Eight8& cosine, const Eight8& sine, Starts& s) {
  const Eight8 c = wanted.cosine * cosine + wanted.sine * sine, k = wanted.sine * cosine - wanted.cosine * sine;
  const Vec<Eight8> tx = {c * x.x - k * x.y, k * x.x + c * x.y, x.z}, ty = {c * y.x - k * y.y, k * y.x + c * y.y, y.z};
  const Eight8 along = w.x.x * tx.x + w.x.y * tx.y + w.x.z * tx.z + w.y.x * ty.x + w.y.y * ty.y + w.y.z * ty.z;
  const Eight8 across = w.x.x * ty.x + w.x.y * ty.y + w.x.z * ty.z - w.y.x * tx.x - w.y.y * tx.y - w.y.z * tx.z;
  const int last = arm.count - 1;
  s.q[0] = placed(arm.narrow[0], angle_of(k, c), s.distance);
  s.q[last] = placed(arm.narrow[last], angle_of(across, along), s.distance);
}

static inline void transpose(Eight8* m) {
  Eight8 a[8], b[8];
  const Bits8 low = {0, 8, 1, 9, 4, 12, 5, 13}, high = {2, 10, 3, 11, 6, 14, 7, 15};
  const Bits8 first = {0, 1, 8, 9, 4, 5, 12, 13}, second = {2, 3, 10, 11, 6, 7, 14, 15};
  const Bits8 left = {0, 1, 2, 3, 8, 9, 10, 11}, right = {4, 5, 6, 7, 12, 13, 14, 15};
  for (int k = 0; k < 4; ++k) {
    a[2 * k] = __builtin_shuffle(m[2 * k], m[2 * k + 1], low);
    a[2 * k + 1] = __builtin_shuffle(m[2 * k], m[2 * k + 1], high);
  }
  for (int k = 0; k < 8; k += 4) {
    b[k] = __builtin_shuffle(a[k], a[k + 2], first);
    b[k + 1] = __builtin_shuffle(a[k], a[k + 2], second);
    b[k + 2] = __builtin_shuffle(a[k + 1], a[k + 3], first);
    b[k + 3] = __builtin_shuffle(a[k + 1], a[k + 3], second);
  }
  for (int k = 0; k < 4; ++k) {
    m[k] = __builtin_shuffle(b[k], b[k + 4], left);
    m[k + 4] = __builtin_shuffle(b[k], b[k + 4], right);
  }
}

// Eight entries of the table near the target, one for each lane.
static void look_up(const Arm& arm, const Wanted<float>& w, Starts& s) {
  const ArmTable& t = arm.table;
  const Vec<float> o = last_origin(arm, w);
  const Azimuth a = azimuth_of(o.x, o.y);
  const float feature[5] = {3.0f * a.r, 3.0f * o.z, w.z.x * a.cosine + w.z.y * a.sine, w.z.y * a.cosine - w.z.x * a.sine, w.z.z};
  auto cell = [](double x, int cells) { return x < 0.0 ? 0 : x >= cells ? cells - 1 : static_cast<int>(x); };
  const int r = cell(a.r * t.per_r, kCellsR), z = cell((o.z - t.least_z) * t.per_z, kCellsZ);
  Eight8 best = Eight8{} + 1e30f;
  Bits8 index = {};
  const Bits8 ramp = {0, 1, 2, 3, 4, 5, 6, 7};
  auto scan = [&](int from, int to) {
    for (int k = from; k < to; k += 8) {
      Eight8 d = {};
      for (int f = 0; f < 5; ++f) {
        const Eight8 v = *reinterpret_cast<const Eight8Unaligned*>(t.feature[f] + k) - feature[f];
        d += v * v;
      }
      const Bits8 better = d < best;
      best = pick(better, d, best);
      index = (better & (ramp + k)) | (~better & index);
    }
  };
  int seen = 0;
  for (int around = 1; seen < 8; around *= 2) {  // cells around the target's, more of them where there is little
    seen = 0;
    const int lowest = z > around ? z - around : 0, highest = z + around < kCellsZ ? z + around : kCellsZ - 1;
    for (int i = r > around ? r - around : 0; i <= r + around && i < kCellsR; ++i) {
      const int from = t.cell[i * kCellsZ + lowest], to = t.cell[i * kCellsZ + highest + 1];
      seen += to - from;
      scan(from, to);
    }
    if (around >= kCellsZ) break;
  }
  Eight8 numbers[8], end[8];
  for (int lane = 0; lane < 8; ++lane) {
    const float* row = t.row + static_cast<long>(index[lane]) * kArmRow;
    numbers[lane] = *reinterpret_cast<const Eight8Unaligned*>(row);
    end[lane] = *reinterpret_cast<const Eight8Unaligned*>(row + 8);
  }
  transpose(numbers);
  transpose(end);
  for (int k = 1; k < arm.count - 1; ++k) s.q[k] = numbers[k - 1];
  s.distance = best;
  align(arm, w, a, Vec<Eight8>{end[0], end[1], end[2]}, Vec<Eight8>{end[3], end[4], end[5]}, end[6], end[7], s);
}

// Eight random starts over the full limits, first and last joint aligned.
template <class M>
static void draw_starts(const Arm& arm, const Wanted<float>& w, unsigned long long& random, Starts& s) {
  for (int i = 0; i < arm.count; ++i) {
    const ArmJoint& j = arm.joint[i];
    const double low = j.boxed ? j.lower : -3.141592653589793, high = j.boxed ? j.upper : 3.141592653589793;
    for (int lane = 0; lane < 8; ++lane) {
      unsigned long long z = (random += 0x9e3779b97f4a7c15ull);
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
      s.q[i][lane] = static_cast<float>(low + (high - low) * (static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53));
    }
  }
  const int last = arm.count - 1;
  s.q[0] = Eight8{} - static_cast<float>(arm.joint[0].theta);
  s.q[last] = Eight8{} - static_cast<float>(arm.joint[last].theta);
  Reached<Eight8> r;
  arm_forward<M>(arm, s.q, r);
  const Vec<float> o = last_origin(arm, w);
  const Eight8 far = r.o.x * r.o.x + r.o.y * r.o.y + 1e-20f;
  const Eight8 k = 1 / root(far);
  s.distance = Eight8{};
  align(arm, w, azimuth_of(o.x, o.y), r.x, r.y, r.o.x * k, r.o.y * k, s);
}
