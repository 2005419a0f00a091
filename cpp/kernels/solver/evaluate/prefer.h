// A preferred pose, in place of the middle of the ranges.
//
// The preference is  h = sum of s d^2  over the coordinates. For a hinge or slide, d is the difference from the preferred number; a slide's is in
// units of the length that a radian counts like. For a ball, d is the rotation vector phi from its preferred rotation, in the ball's own axes. s is
// the stiffness. Only ratios count: the largest is taken as 1. On the way to the goals, a small multiple of h that vanishes with the error replaces
// the pull toward mid-range. control/settle.h minimises h among the poses that meet the goals.
//
// A turn by w in its own axes changes phi by  L w,  L = 1 + [phi]x / 2 + c [phi]x^2  (c as in goals/posture.py). So half the gradient of h is  L^T S
// phi.  Its curvature is  S + c s [phi]x^2  if the three stiffnesses of a ball are equal (exact: then L^T S phi = s phi), else  L^T S L  (exact to
// the first order of phi).
#pragma once
#include "kernels/solver/evaluate/posture.h"
#include "math/nearest_turns.h"
#include "model/options.h"

namespace manikin {
namespace MANIKIN_ISA {

// Gives hinges without limits the preferred angles nearest to those of `from`. Otherwise the pull would turn them by whole turns.
static void to_nearest_turns(Work& w, const State& from) {
  const Problem& P = *w.problem;
  for (int k = 0; k < P.numbered; ++k) {
    const int i = P.each_number[k].coordinate;
    const Coordinate& c = P.coordinate[i];
    if (P.node[c.node].op == kTurning && !(c.lower > -1e300) && !(c.upper < 1e300)) w.prefer.x[i] = nearest_turn(from.x[i], w.prefer.x[i]);
  }
  for (int t = 0; t < P.triples; ++t) {
    if (P.triple[t].other == kNoOther) continue;
    const int* c = P.triple[t].coordinate;
    const double last[3] = {from.x[c[0]], from.x[c[1]], from.x[c[2]]};
    double to[3] = {w.prefer.x[c[0]], w.prefer.x[c[1]], w.prefer.x[c[2]]};
    nearest_triple(last, P.triple[t].other == kSameAxis, to);
    for (int k = 0; k < 3; ++k) w.prefer.x[c[k]] = to[k];
  }
}

// `from` is the pose at the start.
static void read_preference(Work& w, const SolveOptions& options, const State& from) {
  const Problem& P = *w.problem;
  double largest = 0.0;
  for (int i = 0; i < P.coordinates && options.stiffness; ++i) largest = __builtin_fmax(largest, options.stiffness[i]);
  const double scale = largest > 0.0 ? 1.0 / largest : 0.0;
  for (int i = 0; i < P.coordinates; ++i) {
    const Coordinate& c = P.coordinate[i];
    const SolverNode& n = P.node[c.node];
    const double given = options.stiffness ? options.stiffness[i] * scale : of_root(P, i) ? 0.0 : 1.0;
    const bool wanted = n.source < 0 && (options.prefer || c.bounded || n.op == kCone);
    w.prefer.weight[i] = !wanted ? 0.0 : n.op == kSliding ? given / (P.angle_weight * P.angle_weight) : given;
    w.prefer.x[i] = options.prefer && n.op != kCone && n.op != kLoose ? options.prefer[n.number] / n.unit : c.middle;
    w.prefer.pull[i] = w.prefer.stiff[i] = w.prefer.cross[i] = 0.0;
  }
  if (options.prefer && !options.settle) to_nearest_turns(w, from);  // a settled pose ends at the preferred numbers themselves
  const double middle[3] = {0.0, 0.0, 0.0};
  for (int k = 0; k < P.balls; ++k) {
    const SolverNode& n = P.node[P.coordinate[P.ball[k]].node];
    double* to = w.prefer.turn + 4 * k;
    if (options.prefer) {
      for (int j = 0; j < 4; ++j) to[j] = options.prefer[n.number + j];
    } else if (n.op == kCone) {
      write_cone(n, middle, to);
    }
  }
}

// Computes h and, with `put`, its derivatives by the three steps of a ball, whose columns and frame must be those of its pose.
static double ball_preference(Work& w, int k, bool put) {
  const Problem& P = *w.problem;
  const int i = P.ball[k];
  const Coordinate& c = P.coordinate[i];
  const SolverNode& n = P.node[c.node];
  const double* stiffness = w.prefer.weight + i;
  const Four S = {stiffness[0], stiffness[1], stiffness[2], 0.0};
  if (!(S[0] > 0.0 || S[1] > 0.0 || S[2] > 0.0)) return 0.0;
  double is[4];
  if (n.op == kCone) write_cone(n, w.posed->x + i, is);
  const Four phi = turn_from(w.prefer.turn + 4 * k, n.op == kCone ? is : w.posed->turn + 4 * n.turn);
  if (!put) return dot3(S * phi, phi);
  const double square = dot3(phi, phi), angle = __builtin_sqrt(square);
  const double curve = angle < 1e-3 ? 1.0 / 12.0 : (1.0 - 0.5 * angle / __builtin_tan(0.5 * angle)) / square;
  const auto L = [&](const Four& v, double side) {
    const Four once = cross3(phi, v);
    return v + once * (0.5 * side) + cross3(phi, once) * curve;
  };
  const Four gradient = L(S * phi, -1.0);
  const Frame& f = w.frame[c.node];
  Four turn[3], bent[3];
  for (int j = 0; j < 3; ++j) {
    const Four world = three(w.axis[i + j].n);
    turn[j] = Four{dot3(f.x, world), dot3(f.y, world), dot3(f.z, world), 0.0};
    const bool even = S[0] == S[1] && S[1] == S[2];
    bent[j] = even ? (turn[j] + cross3(phi, cross3(phi, turn[j])) * curve) * S[0] : L(S * L(turn[j], 1.0), -1.0);
    w.prefer.pull[i + j] = dot3(gradient, turn[j]);
    w.prefer.stiff[i + j] = dot3(turn[j], bent[j]);
  }
  const auto between = [&](int a, int b) { return dot3(turn[a], bent[b]) + 0.5 * dot3(gradient, cross3(turn[a], turn[b])); };
  w.prefer.cross[i] = between(0, 1);
  w.prefer.cross[i + 1] = between(0, 2);
  w.prefer.cross[i + 2] = between(1, 2);
  return dot3(S * phi, phi);
}

// Computes h in the state whose frames are computed; with `put` also its derivatives, for which the columns must be known.
static double preference(Work& w, bool put) {
  const Problem& P = *w.problem;
  const double* x = w.posed->x;
  double sum = 0.0;
  for (int i = 0; i < P.coordinates; ++i) {
    const double s = w.prefer.weight[i], away = x[i] - w.prefer.x[i];
    if (P.node[P.coordinate[i].node].op >= kLoose) continue;
    sum += s * away * away;
    if (!put) continue;
    w.prefer.pull[i] = s * away;
    w.prefer.stiff[i] = s;
  }
  for (int k = 0; k < P.balls; ++k) sum += ball_preference(w, k, put);
  return sum;
}

// Adds the pull on the way to the goals: a multiple of h in the step's quadratic model. For a ball, the diagonal is enough there.
static void pull_to_preferred(Work& w, double pull) {
  const double kappa = kPreferPull * pull;
  for (int i = 0; i < w.problem->width; i += 4) {
    put_four(w.damping + i, four(w.damping + i) + four(w.prefer.stiff + i) * kappa);
    put_four(w.pull + i, four(w.pull + i) + four(w.prefer.pull + i) * kappa);
  }
}

// h as a part of the cost.
static double settling_cost(Work& w, bool put) {
  const double sum = preference(w, put);
  for (int i = 0; put && i < w.problem->coordinates; ++i) {
    w.posture_pull[i] += w.settle.weight * w.prefer.pull[i];
    w.posture_stiff[i] += w.settle.weight * w.prefer.stiff[i];
    w.posture_cross[i] += w.settle.weight * w.prefer.cross[i];
  }
  return w.settle.weight * sum;
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
