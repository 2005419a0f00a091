// Distances of boxes from each other and from lines, one pair at a time. The Python version is kinematics/boxes.py.
#pragma once
#include "kernels/solver/work.h"

namespace manikin {
namespace MANIKIN_ISA {

// A box in the world; if half edges are 0, a line or a point.
struct Core {
  Four center;
  Four edge[3];
  double half[3];  // lengths of the edges
  bool box;
};

static Core core_of(const Four& center, const Four& e0, const Four& e1, const Four& e2, bool box) {
  return Core{center, {e0, e1, e2}, {length3(e0), length3(e1), length3(e2)}, box};
}

static inline double within_one(double x) { return x < -1.0 ? -1.0 : x > 1.0 ? 1.0 : x; }
static inline double extent_of(const Core& c) { return c.half[0] + c.half[1] + c.half[2]; }
static inline double within(double x, double h) { return x < -h ? -h : x > h ? h : x; }

// Returns the least t at which an increasing, piecewise linear slope is at least 0, or the last t if there is none; eight of each. With `sign` -1
// both are taken backward and negated.
static double zero_of(const double* t, const double* slope, int sign) {
  int k = 7;
  auto at = [&](int i) { return sign > 0 ? i : 7 - i; };
  for (int i = 0; i < 8; ++i)
    if (sign * slope[at(i)] >= 0.0) {
      k = i;
      break;
    }
  const int before = k > 0 ? k - 1 : 0;
  const double s0 = sign * slope[at(before)], s1 = sign * slope[at(k)], t0 = sign * t[at(before)], t1 = sign * t[at(k)];
  return sign * (s0 < 0.0 && s1 > 0.0 ? t0 + -s0 / (s1 - s0) * (t1 - t0) : t1);
}

// Finds the point x of the line from c - u to c + u and the point y of a box that are nearest to each other. It is the zero of the slope of the
// squared distance, which is linear between the six points where the line crosses planes of faces.
static void line_and_box(const Four& c, const Four& u, const Core& b, Four& x, Four& y) {
  Four axis[3];
  double p[3], d[3], t[8];
  const Four away = c - b.center;
  for (int k = 0; k < 3; ++k) {
    axis[k] = b.edge[k] * (1.0 / b.half[k]);
    p[k] = dot3(axis[k], away);
    d[k] = dot3(axis[k], u);
    t[2 * k] = d[k] != 0.0 ? within_one((b.half[k] - p[k]) / d[k]) : 1.0;
    t[2 * k + 1] = d[k] != 0.0 ? within_one((-b.half[k] - p[k]) / d[k]) : -1.0;
  }
  t[6] = -1.0;
  t[7] = 1.0;
  for (int i = 1; i < 8; ++i) {
    const double one = t[i];
    int k = i;
    for (; k > 0 && t[k - 1] > one; --k) t[k] = t[k - 1];
    t[k] = one;
  }
  double slope[8];
  for (int i = 0; i < 8; ++i) {
    slope[i] = 0.0;
    for (int k = 0; k < 3; ++k) {
      const double z = p[k] + t[i] * d[k];
      slope[i] += (z - within(z, b.half[k])) * d[k];
    }
  }
  const double s = 0.5 * (zero_of(t, slope, 1) + zero_of(t, slope, -1));
  x = y = b.center;
  for (int k = 0; k < 3; ++k) {
    const double z = p[k] + s * d[k];
    x += axis[k] * z;
    y += axis[k] * within(z, b.half[k]);
  }
}

// Finds the points x of a and y of the box b that are nearest to each other. For two boxes, one of the points is on an edge, so every edge of each is
// compared with the whole of the other. Equally near points are averaged.
static void nearest_points(const Core& a, const Core& b, Four& x, Four& y) {
  if (!a.box) {
    line_and_box(a.center, a.edge[0], b, x, y);
    return;
  }
  static constexpr double kSigns[4][2] = {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
  Four on_a[24], on_b[24];
  double apart[24], least = __builtin_inf();
  int count = 0;
  for (int turn = 0; turn < 2; ++turn) {
    const Core &from = turn == 0 ? a : b, &to = turn == 0 ? b : a;
    for (int k = 0; k < 3; ++k)
      for (const auto& sign : kSigns) {
        const Four middle = from.center + from.edge[(k + 1) % 3] * sign[0] + from.edge[(k + 2) % 3] * sign[1];
        Four one, two;
        line_and_box(middle, from.edge[k], to, one, two);
        on_a[count] = turn == 0 ? one : two;
        on_b[count] = turn == 0 ? two : one;
        apart[count] = length3(on_b[count] - on_a[count]);
        least = apart[count] < least ? apart[count] : least;
        ++count;
      }
  }
  const double equal = least + kEqual * (extent_of(a) + extent_of(b));
  int tied = 0;
  x = y = kNone;
  for (int k = 0; k < 24; ++k)
    if (apart[k] <= equal) {
      x += on_a[k];
      y += on_b[k];
      ++tied;
    }
  x = x * (1.0 / tied);
  y = y * (1.0 / tied);
}

// For a and b that intersect, returns minus the least shift that separates them, and its direction n from a to b. Candidates are the faces of both,
// and the edges of one across those of the other.
static double overlap(const Core& a, const Core& b, Four& n) {
  const Four w = b.center - a.center;
  const double extent = extent_of(a) + extent_of(b);
  double best = -__builtin_inf(), found = 0.0;
  auto look = [&](const Four& direction, double length, double least, double less) {
    if (!(length > least)) return;
    const Four unit = direction * (1.0 / length);
    const double along = dot3(unit, w);
    double reach = 0.0;
    for (int k = 0; k < 3; ++k) reach += __builtin_fabs(dot3(unit, a.edge[k])) + __builtin_fabs(dot3(unit, b.edge[k]));
    const double gap = __builtin_fabs(along) - reach;
    if (gap - less > best) {
      best = gap - less;
      found = gap;
      n = along < 0.0 ? kNone - unit : unit;
    }
  };
  for (int k = 0; k < 3; ++k) look(a.edge[k], a.half[k], 0.0, 0.0);
  for (int k = 0; k < 3; ++k) look(b.edge[k], b.half[k], 0.0, 0.0);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const Four across = cross3(a.edge[i], b.edge[j]);
      look(across, length3(across), kSlanted * a.half[i] * b.half[j], kPreferFaces * extent);
    }
  return found;
}

// Computes the signed distance of the core a and the box b, its direction n from a to b, and the nearest points.
static double box_distance(const Core& a, const Core& b, Four& n, Four& x, Four& y) {
  nearest_points(a, b, x, y);
  const Four away = y - x;
  const double apart = length3(away), extent = extent_of(a) + extent_of(b);
  if (apart > kTouch * extent) {
    n = away * (1.0 / apart);
    return apart;
  }
  const double distance = overlap(a, b, n);
  // Shifted apart, except for a thin overlap, they still share the point where they touch last.
  const Four shift = n * (distance + kThin * extent);
  Core moved = a;
  moved.center = a.center + shift;
  Four other;
  nearest_points(moved, b, x, other);
  x = x - shift;
  y = x + n * distance;
  return distance;
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
