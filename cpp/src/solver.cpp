// The production solver: compiled once for each instruction set, like kernels.cpp, and free of the standard library.
#include "manikin/problem.h"

namespace manikin {
namespace MANIKIN_ISA {

#include "lanes.h"
#include "solver_work.h"
#include "solver_forward.h"
#include "solver_goals.h"
#include "solver_posture.h"
#include "solver_links.h"
#include "solver_boxes.h"
#include "solver_clearance.h"
#include "solver_rows.h"
#include "solver_second.h"
#include "solver_step.h"
#include "solver_limbs.h"
#include "solver_descent.h"
#include "solver_chain.h"
#include "solver_root.h"
#include "solver_search.h"
#include "solver_track.h"

// 2 atan2(s, c) for c >= 0. The angle is halved twice, so that its tangent is below 0.415, where a polynomial does (the coefficients
// are those of fdlibm's atan).
static inline double twice_arc(double s, double c) {
  const double half = s / (__builtin_sqrt(s * s + c * c) + c), t = half / (1.0 + __builtin_sqrt(1.0 + half * half));
  const double z = t * t, w = z * z;
  const double even = z * (3.33333333333329318027e-01 +
                           w * (1.42857142725034663711e-01 +
                                w * (9.09088713343650656196e-02 + w * (6.66107313738753120669e-02 + w * (4.97687799461593236017e-02 + w * 1.62858201153657823623e-02)))));
  const double odd = w * (-1.99999999998764832476e-01 +
                          w * (-1.11111104054623557880e-01 + w * (-7.69187620504482999495e-02 + w * (-5.83357013379057348645e-02 + w * -3.65315727442169155270e-02))));
  return 8.0 * (t - t * (even + odd));
}

// Normalised swing-twist coordinates of a ball's quaternion, brought inside the cone.
static void read_cone(const SolverNode& n, const Coordinate& twist, const double* q, double* x) {
  const double back[4] = {n.whole[0], -n.whole[1], -n.whole[2], -n.whole[3]};
  double m[4];
  quaternion_product(back, q, m);
  quaternion_product(m, n.basis, m);
  const double length = __builtin_sqrt(m[0] * m[0] + m[3] * m[3]);
  const double c = length > 1e-150 ? m[0] / length : 1.0, s = length > 1e-150 ? m[3] / length : 0.0;
  const double sx = m[1] * c - m[2] * s, sy = m[1] * s + m[2] * c, sine = __builtin_sqrt(sx * sx + sy * sy);
  const double k = sine < 1e-8 ? 2.0 : twice_arc(sine, length) / sine;
  const double pi = 3.141592653589793;
  double tau = (c < 0.0 ? twice_arc(-s, -c) : twice_arc(s, c)) - n.twist_middle;
  while (tau > pi) tau -= 2.0 * pi;
  while (tau <= -pi) tau += 2.0 * pi;
  x[0] = k * sx / n.swing[0];
  x[1] = k * sy / n.swing[1];
  const double far = __builtin_sqrt(x[0] * x[0] + x[1] * x[1]);
  if (far > 1.0) {
    x[0] /= far;
    x[1] /= far;
  }
  x[2] = n.half > 0.0 ? clamped(tau / n.half, twist.lower, twist.upper) : 0.0;
}

// Sine and cosine of half an angle from those of the angle; near half a turn from the angle itself.
static inline void halved(double angle, double sine, double cosine, double& s, double& c) {
  if (cosine > -0.9 && angle < 3.141592653589793 && angle > -3.141592653589793) {
    c = __builtin_sqrt(0.5 * (1.0 + cosine));
    s = 0.5 * sine / c;
  } else {
    s = __builtin_sin(0.5 * angle);
    c = __builtin_cos(0.5 * angle);
  }
}

// The quaternion of a cone whose angles, swing and twist, are the solver's, with their sines and cosines.
static void write_cone(const SolverNode& n, const double* x, const double* angle, const double* sine, const double* cosine, double* q) {
  double s, c;
  halved(angle[0], sine[0], cosine[0], s, c);
  const double k = angle[0] < 1e-8 ? 0.5 : s / angle[0];
  const double swing[4] = {c, k * n.swing[0] * x[0], k * n.swing[1] * x[1], 0.0};
  halved(angle[1], sine[1], cosine[1], s, c);
  const double twist[4] = {c * n.middle_cosine - s * n.middle_sine, 0.0, 0.0, s * n.middle_cosine + c * n.middle_sine};
  const double back[4] = {n.basis[0], -n.basis[1], -n.basis[2], -n.basis[3]};
  quaternion_product(n.whole, swing, q);
  quaternion_product(q, twist, q);
  quaternion_product(q, back, q);
}

static void read_pose(Work& w, const double* q, State& s) {
  const Problem& P = *w.problem;
  for (int k = 0; k < P.numbered; ++k) {
    const Numbered& n = P.each_number[k];
    s.x[n.coordinate] = clamped(q[n.number] / n.unit, n.lower, n.upper);
  }
  for (int k = 0; k < P.others; ++k) {
    const SolverNode& n = P.node[P.other[k]];
    const double* number = q + n.number;
    if (n.op == kLoose) {
      for (int j = 0; j < 4; ++j) s.turn[4 * n.turn + j] = number[j];
      if (n.coordinate >= 0)
        for (int j = 0; j < 3; ++j) s.x[n.coordinate + j] = 0.0;
    } else if (n.op == kCone) {
      read_cone(n, P.coordinate[n.coordinate + 2], number, s.x + n.coordinate);
    } else {
      w.fixed[P.other[k]] = *number / n.unit;
    }
  }
  follow(w, s);
}

static void write_cone(const SolverNode& n, const double* x, double* q) {
  const double X = n.swing[0] * x[0], Y = n.swing[1] * x[1], angle[2] = {__builtin_sqrt(X * X + Y * Y), n.half * x[2]};
  const double sine[2] = {__builtin_sin(angle[0]), __builtin_sin(angle[1])}, cosine[2] = {__builtin_cos(angle[0]), __builtin_cos(angle[1])};
  write_cone(n, x, angle, sine, cosine, q);
}

// The pose of `now`, whose frames are computed.
static void write_pose(const Work& w, const State& s, double* q) {
  const Problem& P = *w.problem;
  for (int i = 0; i < P.width; i += 4)
    put_four(w.written + i, clamped_four(four(s.x + i) * four(P.all.unit + i), four(P.all.lowest + i), four(P.all.highest + i)));
  for (int k = 0; k < P.numbered; ++k) q[P.each_number[k].number] = w.written[P.each_number[k].coordinate];
  for (int k = 0; k < P.balls; ++k) {
    const SolverNode& n = P.node[P.coordinate[P.ball[k]].node];
    double* number = q + n.number;
    if (n.op == kLoose) {
      for (int j = 0; j < 4; ++j) number[j] = s.turn[4 * n.turn + j];
    } else {
      write_cone(n, s.x + n.coordinate, w.angle + n.angle, w.sine + n.angle, w.cosine + n.angle, number);
    }
  }
}

// Hinges that ended whole turns away from where they were in q are turned back, inside their limits. Not where joints are coupled,
// or a posture says where they are to be.
static void take_back_turns(Work& w, const double* q) {
  const Problem& P = *w.problem;
  if (P.couplings > 0 || w.posture_weight > 0.0) return;
  const double turn = 6.283185307179586;
  for (int i = 0; i < P.nodes; ++i) {
    const SolverNode& n = P.node[i];
    if (n.op != kTurning || n.coordinate < 0) continue;
    const Coordinate& c = P.coordinate[n.coordinate];
    const double turns = __builtin_floor((w.now.x[n.coordinate] - q[n.number]) / turn + 0.5), back = w.now.x[n.coordinate] - turn * turns;
    if (turns != 0.0 && back >= c.lower && back <= c.upper) w.now.x[n.coordinate] = back;
  }
}

// After a frame: whether its pose, read again, would give the numbers that the solver has, to the bit. Cones do not.
static void keep_pose(Work& w, const double* q) {
  const Problem& P = *w.problem;
  if (P.couplings > 0) return;
  for (int k = 0; k < P.balls; ++k)
    if (P.node[P.coordinate[P.ball[k]].node].op == kCone) return;
  for (int k = 0; k < P.numbered; ++k) {
    const Numbered& n = P.each_number[k];
    if (w.now.x[n.coordinate] != clamped(q[n.number] / n.unit, n.lower, n.upper)) return;
  }
  for (int k = 0; k < P.balls; ++k)  // a loose ball's steps count from its quaternion
    for (int j = 0; j < 3; ++j) w.now.x[P.ball[k] + j] = 0.0;
  __builtin_memcpy(w.given, q, static_cast<unsigned long>(P.nq) * sizeof(double));
  w.kept = true;
}

static long workspace_bytes(const Problem& problem) {
  Work w;
  Arena arena = {nullptr, sizeof(Work)};
  lay_out(w, problem, arena);
  return arena.used + 64;
}

static void solve(const Problem& problem, const SolveOptions& options, const double* targets, const double* weights, double* q,
                  double* measures, SolveResult* result, void* workspace) {
  Work& w = *static_cast<Work*>(workspace);
  if (w.serial != serial_of(problem)) {
    Arena arena = {static_cast<char*>(workspace), sizeof(Work)};
    lay_out(w, problem, arena);
  }
  // a frame that begins where the one before ended need not read its pose again
  w.posed_start = options.frame && w.kept && __builtin_memcmp(w.given, q, static_cast<unsigned long>(problem.nq) * sizeof(double)) == 0;
  w.kept = false;
  if (!w.posed_start)
    for (int k = 0; k < problem.angles + MANIKIN_LANES; ++k) w.angle[k] = 0.0;
  int scaled = 0;
  for (; scaled + 4 <= problem.target_width; scaled += 4) {
    const Four most = four(problem.target_most + scaled);
    put_four(w.scaled + scaled, clamped_four(four(targets + scaled) * four(problem.target_scale + scaled), -most, most));
  }
  for (; scaled < problem.target_width; ++scaled)
    w.scaled[scaled] = clamped(targets[scaled] * problem.target_scale[scaled], -problem.target_most[scaled], problem.target_most[scaled]);
  for (int k = 0; k < problem.parts; ++k) {
    PartState& s = w.part[k];
    s.weight = s.own_weight = weights[problem.part[k].goal];
    s.aside = 0;
    s.measure = 0.0;
    if (problem.part[k].kind == kOrientation) quaternion_columns(targets + problem.part[k].target, w.wanted[k]);
  }
  for (int k = 0; k < problem.links; ++k) {
    w.link[k] = LinkState{};
    w.link[k].weight = w.link[k].own_weight = weights[problem.link[k].goal];
  }
  for (int k = 0; k < 4 * w.rows.most_blocks; ++k) w.rows.y[k] = 0.0;
  w.rows.count = w.rows.blocks = 0;
  w.target = w.scaled;
  w.random = options.seed;
  w.sweeps = 0;
  w.posture_weight = 0.0;
  for (int k = 0; k < problem.postures; ++k) {
    w.posture[k] = PostureState{};
    w.posture[k].weight = weights[problem.posture[k].goal];
    w.posture_weight = __builtin_fmax(w.posture_weight, w.posture[k].weight);
  }
  if (w.posed_start) {
    copy(w, w.now, w.start);
  } else {
    read_pose(w, q, w.start);
  }
  if (w.posture_weight > 0.0) read_postures(w, w.start);
  if (problem.chain)  // what fills up the last block
    for (int i = problem.coordinates; i < 4 * problem.chain->blocks; ++i) {
      w.start.x[i] = 0.0;
      w.chain_axis[i] = w.chain_origin[i] = Four{0, 0, 0, 0};
    }
  *result = SolveResult{};
  w.newton = w.posed_now = w.fresh = false;
  w.cap = __builtin_inf();
  w.prox = 0.0;
  w.room = nullptr;
  w.bent = nullptr;
  if (options.frame) {
    follow_frame(w, options, *result);
  } else if (options.tracking) {
    first_frame(w, options, *result);
  } else {
    search(w, options, *result);
    take_back_turns(w, q);
  }
  if (result->status == 0 && !postures_reached(w)) result->status = 1;
  result->sweeps = w.sweeps;
  write_pose(w, w.now, q);
  if (options.frame) keep_pose(w, q);
  for (int k = 0; k < problem.parts; ++k)
    measures[k] = w.part[k].weight > 0.0 ? w.part[k].measure * (is_angle(problem.part[k]) ? 1.0 : problem.size) : 0.0;
  for (int k = 0; k < problem.postures; ++k) measures[problem.parts + problem.links + k] = w.posture[k].measure;
  for (int k = 0; k < problem.links; ++k)
    measures[problem.parts + k] = w.link[k].weight > 0.0 ? w.link[k].measure * (is_angle(problem.link[k]) ? 1.0 : problem.size) : 0.0;
}

static void along_cone(const SolverNode& n, const Coordinate& twist, const double* a, const double* b, double share, double* out) {
  double x[3], to[3];
  read_cone(n, twist, a, x);
  read_cone(n, twist, b, to);
  for (int k = 0; k < 3; ++k) x[k] += share * (to[k] - x[k]);
  write_cone(n, x, out);
}

// Each core is its centre, three half edges and whether it is a box; out: distance, normal, nearest points.
static void box_nearest(const double* a, const double* b, bool a_is_box, double* out) {
  auto core = [](const double* x, bool box) { return core_of(three(x), three(x + 3), three(x + 6), three(x + 9), box); };
  Four found[3];
  out[0] = box_distance(core(a, a_is_box), core(b, true), found[0], found[1], found[2]);
  for (int k = 0; k < 9; ++k) out[1 + k] = found[k / 3][k % 3];
}

static const SolverKernels kSolver = {workspace_bytes, solve, along_cone, box_nearest};

}  // namespace MANIKIN_ISA

#define MANIKIN_JOIN_(a, b) a##b
#define MANIKIN_JOIN(a, b) MANIKIN_JOIN_(a, b)
const SolverKernels& MANIKIN_JOIN(solver_, MANIKIN_ISA)() { return MANIKIN_ISA::kSolver; }

}  // namespace manikin
