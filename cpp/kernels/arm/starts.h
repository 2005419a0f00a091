// Starts: candidates from the table, and random ones. In both cases the first joint turns the end to its azimuth, and the last joint aligns its axes
// as well as it can. Only the joints between them are searched.
#pragma once
#include "kernels/arm/one.h"

namespace manikin {
namespace MANIKIN_ISA {

struct Starts {
  Eight8 q[kMostArm];
  Eight8 distance;
};

// Approximate, to about 1e-3, which is enough for starts.
static inline Eight8 angle_of(const Eight8& y, const Eight8& x) {
  const Eight8 ax = absolute(x), ay = absolute(y), most = largest(ax, ay) + 1e-30f, least = where(ax < ay, ax, ay);
  const Eight8 a = least / most, s = a * a;
  Eight8 r = ((-0.0464964749f * s + 0.15931422f) * s - 0.327622764f) * s * a + a;
  r = pick(ay > ax, 1.57079637f - r, r);
  r = pick(x < 0.0f, 3.14159274f - r, r);
  return pick(y < 0.0f, -r, r);
}

// Computes the number of a joint that should turn by an angle. Whole turns bring it inside its limits if possible; otherwise it is clipped, and the
// excess adds to the distance.
static inline Eight8 placed(const ArmNumbers<float>& j, const Eight8& angle, Eight8& distance) {
  const float turn = 6.28318531f, low = j.lower, high = j.upper;
  Eight8 q = angle - j.theta;
  if (!j.boxed) return q;
  q = pick(q > high, q - turn, q);
  q = pick(q < low, q + turn, q);
  const Eight8 inside = where(q < low, Eight8{} + low, where(q > high, Eight8{} + high, q));
  distance += 4.0f * (q - inside) * (q - inside);
  return inside;
}

// Distance of the last joint's origin from the first axis, and its direction, in the base.
template <class V>
struct Azimuth {
  V r, cosine, sine;
};

template <class V>
static inline Azimuth<V> azimuth_of(const V& x, const V& y) {
  const V r = root(x * x + y * y), k = 1 / largest(r, V{} + 1e-30f);
  const auto some = r > 1e-9f;
  return {r, pick(some, x * k, V{} + 1.0f), pick(some, y * k, V{} + 0.0f)};
}

template <class V>
static inline Vec<V> last_origin(const Arm& arm, const Wanted<V>& w) {
  return w.p - w.x * static_cast<float>(arm.tool[0]) - w.y * static_cast<float>(arm.tool[1]) - w.z * static_cast<float>(arm.tool[2]);
}

// The features by which table entries are compared.
template <class V>
struct Features {
  V of[5];
};

template <class V>
static inline Features<V> features_of(const Wanted<V>& w, const Vec<V>& o, const Azimuth<V>& a) {
  return {{3.0f * a.r, 3.0f * o.z, w.z.x * a.cosine + w.z.y * a.sine, w.z.y * a.cosine - w.z.x * a.sine, w.z.z}};
}

// Computes the first and the last joint of starts whose end has axes x, y and an azimuth when both joints are 0. Each lane has its own target, or all
// have the same: W is a vector or a number.
template <class M, class W>
static inline void align(const Arm& arm, const Wanted<W>& w, const Azimuth<W>& wanted, const Vec<Eight8>& x, const Vec<Eight8>& y,
                         const Eight8& cosine, const Eight8& sine, Starts& s) {
  const Eight8 c = wanted.cosine * cosine + wanted.sine * sine, k = wanted.sine * cosine - wanted.cosine * sine;
  const Vec<Eight8> tx = {c * x.x - k * x.y, k * x.x + c * x.y, x.z}, ty = {c * y.x - k * y.y, k * y.x + c * y.y, y.z};
  const Eight8 along = w.x.x * tx.x + w.x.y * tx.y + w.x.z * tx.z + w.y.x * ty.x + w.y.y * ty.y + w.y.z * ty.z;
  const Eight8 across = w.x.x * ty.x + w.x.y * ty.y + w.x.z * ty.z - w.y.x * tx.x - w.y.y * tx.y - w.y.z * tx.z;
  s.q[0] = placed(arm.narrow[0], angle_of(k, c), s.distance);
  s.q[M::count - 1] = placed(arm.narrow[M::count - 1], angle_of(across, along), s.distance);
}

static inline void transpose(Eight8* m) {
  Eight8 a[8], b[8];
  for (int k = 0; k < 4; ++k) {
    a[2 * k] = arranged<0, 8, 1, 9, 4, 12, 5, 13>(m[2 * k], m[2 * k + 1]);
    a[2 * k + 1] = arranged<2, 10, 3, 11, 6, 14, 7, 15>(m[2 * k], m[2 * k + 1]);
  }
  for (int k = 0; k < 8; k += 4) {
    b[k] = arranged<0, 1, 8, 9, 4, 5, 12, 13>(a[k], a[k + 2]);
    b[k + 1] = arranged<2, 3, 10, 11, 6, 7, 14, 15>(a[k], a[k + 2]);
    b[k + 2] = arranged<0, 1, 8, 9, 4, 5, 12, 13>(a[k + 1], a[k + 3]);
    b[k + 3] = arranged<2, 3, 10, 11, 6, 7, 14, 15>(a[k + 1], a[k + 3]);
  }
  for (int k = 0; k < 4; ++k) {
    m[k] = arranged<0, 1, 2, 3, 8, 9, 10, 11>(b[k], b[k + 4]);
    m[k + 4] = arranged<4, 5, 6, 7, 12, 13, 14, 15>(b[k], b[k + 4]);
  }
}

// Table entries near a target: for each lane, the nearest of the entries assigned to it.
struct Nearest {
  Eight8 distance;
  Bits8 index;
};

static inline Nearest nearest(const ArmTable& t, const float* feature) {
  auto cell = [](float x, int cells) { return x > 0.0f ? (x < static_cast<float>(cells) ? static_cast<int>(x) : cells - 1) : 0; };
  const int r = cell(feature[0] * t.per_r, kCellsR), z = cell((feature[1] - t.least_z) * t.per_z, kCellsZ);
  Nearest found = {Eight8{} + 1e30f, Bits8{}};
  const Bits8 ramp = {0, 1, 2, 3, 4, 5, 6, 7};
  auto scan = [&](int from, int to) {
    for (int k = from; k < to; k += 8) {
      Eight8 d = {};
      for (int f = 0; f < 5; ++f) {
        const Eight8 v = loaded<Eight8>(t.feature[f] + k) - feature[f];
        d += v * v;
      }
      const Bits8 better = d < found.distance;
      found.distance = pick(better, d, found.distance);
      found.index = (better & (ramp + k)) | (~better & found.index);
    }
  };
  int seen = 0;
  for (int around = 1; seen < 8; around *= 2) {  // cells around the target's, more of them where there are few entries
    seen = 0;
    const int lowest = z > around ? z - around : 0, highest = z + around < kCellsZ ? z + around : kCellsZ - 1;
    for (int i = r > around ? r - around : 0; i <= r + around && i < kCellsR; ++i) {
      const int from = t.cell[i * kCellsZ + lowest], to = t.cell[i * kCellsZ + highest + 1];
      seen += to - from;
      scan(from, to);
    }
    if (around >= kCellsZ) break;
  }
  return found;
}

// Returns the starts of table entries, for one target each or all for the same.
template <class M, class W>
static inline void entries(const Arm& arm, const Wanted<W>& w, const Azimuth<W>& a, const Nearest& found, Starts& s) {
  Eight8 numbers[8], end[8];
  for (int lane = 0; lane < 8; ++lane) {
    const float* row = arm.table.row + static_cast<long>(found.index[lane]) * kArmRow;
    numbers[lane] = loaded<Eight8>(row);
    end[lane] = loaded<Eight8>(row + 8);
  }
  transpose(numbers);
  transpose(end);
  for (int k = 1; k < M::count - 1; ++k) s.q[k] = numbers[k - 1];
  s.distance = found.distance;
  align<M>(arm, w, a, Vec<Eight8>{end[0], end[1], end[2]}, Vec<Eight8>{end[3], end[4], end[5]}, end[6], end[7], s);
}

// Finds eight table entries near the target, one for each lane.
template <class M>
static void look_up(const Arm& arm, const Wanted<float>& w, Starts& s) {
  const Vec<float> o = last_origin(arm, w);
  const Azimuth<float> a = azimuth_of(o.x, o.y);
  entries<M>(arm, w, a, nearest(arm.table, features_of(w, o, a).of), s);
}

// Draws eight random starts over the full limits, with first and last joint aligned.
template <class M>
static void draw_starts(const Arm& arm, const Wanted<float>& w, unsigned long long& random, Starts& s) {
  for (int i = 0; i < arm.count; ++i) {
    const ArmJoint& j = arm.joint[i];
    const double low = j.boxed ? j.lower : -kPi, high = j.boxed ? j.upper : kPi;
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
  align<M>(arm, w, azimuth_of(o.x, o.y), r.x, r.y, r.o.x * k, r.o.y * k, s);
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
