// Other starts: which coordinates may cause a missed goal, and where new values are drawn.
#pragma once
#include "kernels/solver/evaluate/forward.h"
#include "kernels/solver/evaluate/goals.h"

namespace manikin {
namespace MANIKIN_ISA {

// Random numbers: splitmix64, seeded by the caller, so that the same input gives the same bits.
static inline double uniform(Work& w) {
  unsigned long long z = (w.search.random += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
}

// Marks coordinates with any, and with only, badly met goals below. Balance and clearance depend on all coordinates: if they are badly met, any
// coordinate may be the cause; if they are met, they exempt none.
static void mark_bad(Work& w) {
  const Problem& P = *w.problem;
  double worst = 0.0;
  auto badness = [&](const auto& goal, const auto& state) { return state.measure * (is_angle(goal) ? P.angle_weight : 1.0); };
  for (int k = 0; k < P.parts; ++k)
    if (w.part[k].weight > 0.0) worst = __builtin_fmax(worst, badness(P.part[k], w.part[k]));
  for (int k = 0; k < P.links; ++k)
    if (w.link[k].weight > 0.0) worst = __builtin_fmax(worst, badness(P.link[k], w.link[k]));
  w.search.far_off = 0.0;
  for (int k = 0; k < P.parts; ++k)
    if (w.part[k].weight > 0.0 && !is_angle(P.part[k])) w.search.far_off = __builtin_fmax(w.search.far_off, w.part[k].measure);
  if (!(w.search.far_off < kFarthestSlide)) w.search.far_off = kFarthestSlide;
  for (int i = 0; i < P.coordinates; ++i) w.any_bad[i] = 0, w.only_bad[i] = 1;
  auto mark = [&](int i, bool bad) {
    w.any_bad[i] = static_cast<signed char>(w.any_bad[i] | bad);
    w.only_bad[i] = static_cast<signed char>(w.only_bad[i] & bad);
  };
  for (int k = 0; k < P.parts; ++k) {
    if (!(w.part[k].weight > 0.0)) continue;
    const bool bad = badness(P.part[k], w.part[k]) > 0.1 * worst;
    for (int i = P.part[k].coordinate; i >= 0; i = P.coordinate[i].parent) mark(i, bad);
  }
  for (int k = 0; k < P.links; ++k) {
    const Link& link = P.link[k];
    if (!(w.link[k].weight > 0.0)) continue;
    const bool bad = badness(link, w.link[k]) > 0.1 * worst;
    if (link.kind == kBalance || link.kind == kClearance) {
      for (int i = 0; i < P.coordinates; ++i) w.any_bad[i] = static_cast<signed char>(w.any_bad[i] | bad);
      continue;
    }
    const auto mark_above = [&](int node) {
      for (int i = node >= 0 ? P.node_coordinate[node] : -1; i >= 0; i = P.coordinate[i].parent) mark(i, bad);
    };
    for (const int node : link.node) mark_above(node);
    if (link.kind != kCallback) continue;
    const Callback& c = P.callback[link.first[0]];
    for (int k = c.first; k < c.first + c.effectors; ++k) mark_above(P.effector[k].node);
    for (int i = 0; i < P.coordinates && (c.reads_mass || c.reads_pose); ++i) w.any_bad[i] = static_cast<signed char>(w.any_bad[i] | bad);
  }
  for (int i = 0; i < P.coordinates; ++i) w.only_bad[i] = static_cast<signed char>(w.only_bad[i] & w.any_bad[i]);
}

// The middle of the turn in which a hinge without two limits is drawn: 0, or half a turn from its only limit.
static inline double turn_middle(const Coordinate& c) {
  if (c.lower > -1e300) return c.lower + 0.5 * kTwoPi;
  return c.upper < 1e300 ? c.upper - 0.5 * kTwoPi : 0.0;
}

// Draws a slide with at most one limit from a range around its present value. The range is two sizes wide, and wider if goals are far away.
static double near_slide(const Coordinate& c, double at, double far, double share) {
  const double wide = 2.0 + 2.0 * far;
  double low = at - 0.5 * wide, high = at + 0.5 * wide;
  if (low < c.lower) low = c.lower, high = low + wide;
  if (high > c.upper) high = c.upper, low = high - wide;
  return clamped(low + wide * share, c.lower, c.upper);
}

// Slides with no turning joint above them carry the whole figure. They keep their values, like a free root.
static bool carries_all(const Problem& P, int i) {
  for (; i >= 0; i = P.coordinate[i].parent)
    if (P.node[P.coordinate[i].node].op != kSliding) return false;
  return true;
}

// Draws the coordinates for which chosen(i) holds uniformly within their limits: hinges without limits in a whole turn, slides near their present
// value. Slides that carry the whole figure keep their values unless they have a limit.
template <class Chosen>
static void draw(Work& w, State& s, const Chosen& chosen) {
  const Problem& P = *w.problem;
  for (int i = 0; i < P.coordinates;) {
    const Coordinate& c = P.coordinate[i];
    const SolverNode& n = P.node[c.node];
    const int width = n.op == kCone || n.op == kLoose ? 3 : 1;
    if (!of_root(P, i) && chosen(i)) {
      if (n.op == kCone) {
        const double radius = __builtin_sqrt(uniform(w)), around = kTwoPi * uniform(w);
        const double twist = 2.0 * uniform(w) - 1.0;
        if (n.moving != kSwingHeld) {
          s.x[i] = radius * __builtin_cos(around);
          s.x[i + 1] = radius * __builtin_sin(around);
        }
        if (n.moving != kTwistHeld) s.x[i + 2] = twist;
      } else if (n.op == kLoose) {
        double* q = s.turn + 4 * n.turn;
        const double a = uniform(w), b = kTwoPi * uniform(w), d = kTwoPi * uniform(w);
        q[0] = __builtin_sqrt(1 - a) * __builtin_sin(b);
        q[1] = __builtin_sqrt(1 - a) * __builtin_cos(b);
        q[2] = __builtin_sqrt(a) * __builtin_sin(d);
        q[3] = __builtin_sqrt(a) * __builtin_cos(d);
      } else if (c.bounded) {
        s.x[i] = clamped(c.lower + (c.upper - c.lower) * uniform(w), c.lower, c.upper);
      } else if (n.op == kTurning) {
        s.x[i] = clamped(kTwoPi * (uniform(w) - 0.5) + turn_middle(c), c.lower, c.upper);
      } else if (c.lower > -1e300 || c.upper < 1e300 || !carries_all(P, i)) {
        s.x[i] = near_slide(c, s.x[i], w.search.far_off, uniform(w));
      }
    }
    i += width;
  }
  follow(w, s);
}

template <class Chosen>
static void to_middle(const Work& w, State& s, double share, const Chosen& chosen) {
  const Problem& P = *w.problem;
  for (int i = 0; i < P.coordinates; ++i)
    if (P.coordinate[i].bounded && chosen(i)) s.x[i] += share * (P.coordinate[i].middle - s.x[i]);
  follow(w, s);
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
