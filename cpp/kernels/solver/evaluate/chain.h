// One effector at the end of a chain of hinges and slides: its errors and their derivatives, with joints in vectors of four.
#pragma once
#include "kernels/solver/evaluate/goals.h"

namespace manikin {
namespace MANIKIN_ISA {

static inline Four least(const Four& a, const Four& b) { return where(a < b, a, b); }
static inline Four most_of(const Four& a, const Four& b) { return where(a > b, a, b); }

// The first three numbers of four vectors, as three vectors of four.
static inline void across(const Four* m, Four* out) {
  const Four a = arranged<0, 4, 2, 6>(m[0], m[1]), b = arranged<1, 5, 3, 7>(m[0], m[1]);
  const Four c = arranged<0, 4, 2, 6>(m[2], m[3]), d = arranged<1, 5, 3, 7>(m[2], m[3]);
  out[0] = arranged<0, 1, 4, 5>(a, c);
  out[1] = arranged<0, 1, 4, 5>(b, d);
  out[2] = arranged<2, 3, 6, 7>(a, c);
}

static inline bool on_chain(const Work& w) {
  const Problem& P = *w.problem;
  if (!P.chain || w.prefer.pulls) return false;
  for (int k = 0; k < P.parts; ++k)
    if (!(w.part[k].weight > 0.0)) return false;
  return true;
}

// Computes axes and origins of the joints, and the errors of the parts, in the state x; e: (3 for each part), 0 for missing rows.
static void chain_errors(Work& w, const double* x, double* e) {
  const Problem& P = *w.problem;
  const Chain& c = *P.chain;
  // sines and cosines
  for (int k = 0; k < 4 * c.blocks; k += MANIKIN_LANES) {
    const Wide turning = *reinterpret_cast<const Wide*>(c.turning + k), shift = *reinterpret_cast<const Wide*>(c.shift + k);
    Wide sine, cosine;
    sincos_lanes<Wide>(*reinterpret_cast<const Wide*>(x + k) * turning + shift, sine, cosine);
    *reinterpret_cast<Wide*>(w.sine + k) = sine;
    *reinterpret_cast<Wide*>(w.cosine + k) = cosine;
  }
  // along the chain: axis and origin of each joint
  Frame f = {three(c.base), three(c.base + 3), three(c.base + 6), {0, 0, 0, 0}};
  for (int i = 0; i < c.joints; ++i) {
    const ChainJoint& j = c.joint[i];
    const double sine = w.sine[i], cosine = w.cosine[i];
    f.p += f.x * j.offset[0] + f.y * j.offset[1] + f.z * j.offset[2];
    const Four y = f.y * j.cosine + f.z * j.sine, z = f.z * j.cosine - f.y * j.sine, before = f.x;
    f.x = before * cosine + y * sine;
    f.y = y * cosine - before * sine;
    f.z = z;
    if (j.slides) f.p += z * x[i];
    w.chain.axis[i] = z;
    w.chain.origin[i] = f.p;
  }
  // errors of the goals at its end
  for (int k = 0; k < P.parts; ++k) {
    const Part& part = P.part[k];
    const ChainPart& own = c.part[k];
    PartState& s = w.part[k];
    Frame& effector_frame = w.frame[part.node];
    if (part.kind == kPosition) {
      const double* t = w.target + part.target;
      const Four at = f.p + f.x * own.point[0] + f.y * own.point[1] + f.z * own.point[2];
      w.chain.point[k] = at;
      Four off = {0, 0, 0, 0};
      if (part.flags == 7) {
        off = at - Four{t[0], t[1], t[2], 0.0};
      } else {
        for (int j = 0; j < 3; ++j)
          if (part.flags >> j & 1) off[j] = at[j] - *t++;
      }
      for (int j = 0; j < 3; ++j) e[3 * k + j] = off[j];
      s.measure = length3(off);
    } else {
      times(f, own.tool, effector_frame);
      effector_frame.p = f.p + f.x * own.tip[0] + f.y * own.tip[1] + f.z * own.tip[2];
      part_error(w, part, s);
      for (int j = 0; j < 3; ++j) e[3 * k + j] = j < s.rows ? s.e[j] : 0.0;
    }
  }
}

// Computes the derivatives of the errors by the joints, four to a vector: (blocks, 3 for each part).
template <int G>
static void chain_columns(Work& w) {
  const Problem& P = *w.problem;
  const Chain& c = *P.chain;
  w.center = w.chain.origin[0];
  for (int k = 0; k < G; ++k)
    if (P.part[k].kind != kPosition && P.part[k].kind != kOrientation) part_rows(w, P.part[k], w.part[k]);
  for (int b = 0; b < c.blocks; ++b) {
    Four a[3], p[3], turn[3];
    across(w.chain.axis + 4 * b, a);
    across(w.chain.origin + 4 * b, p);
    const Four turning = four(c.turning + 4 * b);
    for (int j = 0; j < 3; ++j) turn[j] = a[j] * turning;  // 0 for a slide
    for (int k = 0; k < G; ++k) {
      const Part& part = P.part[k];
      Four* J = w.chain.J + 3 * (b * G + k);
      if (part.kind == kOrientation) {
        for (int j = 0; j < 3; ++j) J[j] = turn[j];
        continue;
      }
      if (part.kind == kPosition) {
        const Four at = w.chain.point[k], arm[3] = {at[0] - p[0], at[1] - p[1], at[2] - p[2]};
        J[0] = turn[1] * arm[2] - turn[2] * arm[1];
        J[1] = turn[2] * arm[0] - turn[0] * arm[2];
        J[2] = turn[0] * arm[1] - turn[1] * arm[0];
        if (c.slides)
          for (int j = 0; j < 3; ++j) J[j] += a[j] - turn[j];
        if (part.flags != 7)
          for (int j = 0; j < 3; ++j)
            if (!(part.flags >> j & 1)) J[j] = Four{0, 0, 0, 0};
        continue;
      }
      const Four arm[3] = {p[0] - w.center[0], p[1] - w.center[1], p[2] - w.center[2]};
      const Four linear[3] = {arm[1] * turn[2] - arm[2] * turn[1] + (a[0] - turn[0]), arm[2] * turn[0] - arm[0] * turn[2] + (a[1] - turn[1]),
                              arm[0] * turn[1] - arm[1] * turn[0] + (a[2] - turn[2])};
      for (int j = 0; j < 3; ++j) {
        const double* d = w.part[k].row[j].n;
        J[j] = j < w.part[k].rows ? turn[0] * d[0] + turn[1] * d[1] + turn[2] * d[2] + linear[0] * d[3] + linear[1] * d[4] + linear[2] * d[5]
                                  : Four{0, 0, 0, 0};
      }
    }
  }
}

static double chain_cost(Work& w) {
  double sum = 0.0;
  for (int k = 0; k < w.problem->parts; ++k) {
    PartState& s = w.part[k];
    s.factor = s.weight * (is_angle(w.problem->part[k]) ? w.problem->angle_weight * w.problem->angle_weight * w.angle_factor : 1.0);
    sum += s.factor * s.measure * s.measure;
  }
  return sum;
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
