// Fits a free root to the goals.
#pragma once
#include "kernels/solver/evaluate/goals.h"

namespace manikin {
namespace MANIKIN_ISA {

// Moves a free root rigidly so that the parts fit their targets as well as possible (Horn's quaternion).
static void fit_root(Work& w, State& s) {
  const Problem& P = *w.problem;
  if (P.free_root < 0) return;
  forward(w, s);
  // the means of the positions and of their targets
  Four mean_is = {0, 0, 0, 0}, mean_to = {0, 0, 0, 0};
  double total = 0.0;
  auto placed = [&](int k) { return w.part[k].weight > 0.0 && P.part[k].kind == kPosition && P.part[k].flags == 7 && P.part[k].node >= 0; };
  for (int k = 0; k < P.parts; ++k) {
    if (!placed(k)) continue;
    mean_is += effector(w.frame[P.part[k].node], P.part[k].offset) * w.part[k].weight;
    mean_to += three(w.target + P.part[k].target) * w.part[k].weight;
    total += w.part[k].weight;
  }
  if (!(total > 0.0)) return;
  mean_is = mean_is * (1.0 / total);
  mean_to = mean_to * (1.0 / total);
  // how they are spread about the means, and where the orientations should face
  double B[3][3] = {};  // sum of is to^T
  auto add = [&](const Four& is, const Four& to, double weight) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) B[i][j] += weight * is[i] * to[j];
  };
  for (int k = 0; k < P.parts; ++k) {
    const Part& part = P.part[k];
    if (placed(k)) {
      add(effector(w.frame[part.node], part.offset) - mean_is, three(w.target + part.target) - mean_to, w.part[k].weight);
    } else if (w.part[k].weight > 0.0 && part.kind == kOrientation && part.node >= 0) {
      Frame wanted;
      quaternion_columns(w.target + part.target, wanted);
      const Frame& f = w.frame[part.node];
      const double weight = w.part[k].weight * w.problem->angle_weight * w.problem->angle_weight;
      add(f.x, wanted.x, weight);
      add(f.y, wanted.y, weight);
      add(f.z, wanted.z, weight);
    }
  }
  // the rotation that fits best, by Horn's matrix of quaternions
  const double t = B[0][0] + B[1][1] + B[2][2];
  double N[4][4] = {{t, B[1][2] - B[2][1], B[2][0] - B[0][2], B[0][1] - B[1][0]},
                    {0, 2 * B[0][0] - t, B[0][1] + B[1][0], B[2][0] + B[0][2]},
                    {0, 0, 2 * B[1][1] - t, B[1][2] + B[2][1]},
                    {0, 0, 0, 2 * B[2][2] - t}};
  double norm = 0.0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      if (j < i) N[i][j] = N[j][i];
      norm += N[i][j] * N[i][j];
    }
  norm = __builtin_sqrt(norm);
  double q[4] = {1, 0, 0, 0};
  if (norm > 1e-12) {  // the eigenvector of the largest eigenvalue: repeated squares of N + norm I, each scaled to size 1
    for (int i = 0; i < 4; ++i) N[i][i] += norm;
    for (int times = 0; times < 10; ++times) {
      double M[4][4], size = 0.0;
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
          M[i][j] = N[i][0] * N[0][j] + N[i][1] * N[1][j] + N[i][2] * N[2][j] + N[i][3] * N[3][j];
          size = __builtin_fabs(M[i][j]) > size ? __builtin_fabs(M[i][j]) : size;
        }
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) N[i][j] = M[i][j] / size;
    }
    int k = 0;
    for (int i = 1; i < 4; ++i)
      if (N[i][i] > N[k][k]) k = i;
    double size = 0.0;
    for (int i = 0; i < 4; ++i) size += N[i][k] * N[i][k];
    if (size > 0.0)
      for (int i = 0; i < 4; ++i) q[i] = N[i][k] / __builtin_sqrt(size);
  }
  // world turn q, then the mean to its target; the root's numbers are in the axes of its joint
  Frame turn;
  quaternion_columns(q, turn);
  const Coordinate& c = P.coordinate[P.free_root];
  const SolverNode& slide = P.node[c.node];
  const SolverNode& ball = P.node[P.coordinate[P.free_root + 3].node];
  const Frame& root = w.frame[P.coordinate[P.free_root + 3].node];
  const Four from = root.p - mean_is;
  const Four at = turn.x * from[0] + turn.y * from[1] + turn.z * from[2] + mean_to;
  Four rest = at - three(slide.offset);
  Frame joint = kWorld;
  if (!slide.plain) times(kWorld, slide.rotation, joint);
  const double moved[3] = {dot3(joint.x, rest), dot3(joint.y, rest), dot3(joint.z, rest)};
  for (int k = 0; k < 3; ++k) s.x[P.free_root + k] = moved[k];
  const double v[4] = {q[0], q[1] * joint.x[0] + q[2] * joint.x[1] + q[3] * joint.x[2], q[1] * joint.y[0] + q[2] * joint.y[1] + q[3] * joint.y[2],
                       q[1] * joint.z[0] + q[2] * joint.z[1] + q[3] * joint.z[2]};
  double* o = s.turn + 4 * ball.turn;
  const double r[4] = {v[0] * o[0] - v[1] * o[1] - v[2] * o[2] - v[3] * o[3], v[0] * o[1] + v[1] * o[0] + v[2] * o[3] - v[3] * o[2],
                       v[0] * o[2] - v[1] * o[3] + v[2] * o[0] + v[3] * o[1], v[0] * o[3] + v[1] * o[2] - v[2] * o[1] + v[3] * o[0]};
  for (int k = 0; k < 4; ++k) o[k] = r[k];
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
