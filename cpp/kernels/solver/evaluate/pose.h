// Conversion between poses (nq numbers) and states of the solver.
#pragma once
#include "kernels/solver/evaluate/cone.h"
#include "kernels/solver/evaluate/forward.h"
#include "kernels/solver/evaluate/four_cones.h"

namespace manikin {
namespace MANIKIN_ISA {

// Reads a pose. In a frame, cones are read four at a time, which rounds differently.
static void read_pose(Work& w, const double* q, State& s, bool frame) {
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
    } else {
      w.fixed[P.other[k]] = *number / n.unit;
    }
  }
  for (int k = 0; k < P.cones; k += 4) {
    const FourCones& c = P.cone[k / 4];
    if (frame) {
      Four turn[4], x[3];
      load_turns(c, q, turn);
      read_cones(c, turn, x);
      store_cones(c, x, s.x);
      continue;
    }
    for (int lane = 0; lane < 4 && k + lane < P.cones; ++lane) {
      const int i = c.coordinate[lane];
      read_cone(P.node[P.coordinate[i].node], P.coordinate[i + 2], q + c.number[lane], s.x + i);
    }
  }
  follow(w, s);
}

// Stores the quaternions of a pose that was read to s, for write_pose.
static void keep_turns(Work& w, const double* q, const State& s) {
  const Problem& P = *w.problem;
  for (int k = 0; k < P.cones; k += 4) load_turns(P.cone[k / 4], q, w.kept.turn + k);
  __builtin_memcpy(w.kept.x, s.x, static_cast<unsigned long>(P.width) * sizeof(double));
}

// Whether the numbers of `s` are to the bit those that reading the stored quaternions gives.
static bool turns_kept(const Work& w, const State& s) {
  for (int i = 0; i < w.problem->width; i += 4)
    if (any(four(w.kept.x + i) != four(s.x + i))) return false;
  return true;
}

// Rounds slides to what they are after their numbers are written and read again. The rounding of lengths would otherwise keep the next frame of a
// track from using the frames of this one, see keep_pose.
static inline void round_slides(const Problem& P, State& s) {
  if (P.couplings > 0) return;  // with these, the next frame does not use the frames of this one
  for (int k = 0; k < P.slides; ++k) {
    const Numbered& n = P.slide[k];
    s.x[n.coordinate] = clamped(clamped(s.x[n.coordinate] * n.unit, n.lowest, n.highest) / n.unit, n.lower, n.upper);
  }
}

// The same for cones. Stores their quaternions.
static void round_cones(Work& w, State& s) {
  const Problem& P = *w.problem;
  if (P.cones == 0 || P.couplings > 0) return;
  for (int k = 0; k < P.cones; k += 4) {
    const FourCones& c = P.cone[k / 4];
    Four x[3];
    load_cones(c, s.x, x);
    write_cones(c, x, w.kept.turn + k);
    read_cones(c, w.kept.turn + k, x);
    store_cones(c, x, s.x);
  }
  __builtin_memcpy(w.kept.x, s.x, static_cast<unsigned long>(P.width) * sizeof(double));
}

// Writes the pose of `now`, whose frames are computed. With `turns`, w.kept has the quaternions of its cones.
static void write_pose(const Work& w, const State& s, double* q, bool turns) {
  const Problem& P = *w.problem;
  for (int i = 0; i < P.width; i += 4)
    put_four(w.written + i, clamped_four(four(s.x + i) * four(P.all.unit + i), four(P.all.lowest + i), four(P.all.highest + i)));
  for (int k = 0; k < P.numbered; ++k) q[P.each_number[k].number] = w.written[P.each_number[k].coordinate];
  for (int k = 0; k < P.balls; ++k) {
    const SolverNode& n = P.node[P.coordinate[P.ball[k]].node];
    double* number = q + n.number;
    if (n.op == kLoose) {
      for (int j = 0; j < 4; ++j) number[j] = s.turn[4 * n.turn + j];
    } else if (!turns) {
      write_cone(n, s.x + n.coordinate, w.angle + n.angle, w.sine + n.angle, w.cosine + n.angle, number);
    }
  }
  for (int k = 0; turns && k < P.cones; k += 4) {
    Four turn[4] = {w.kept.turn[k], w.kept.turn[k + 1], w.kept.turn[k + 2], w.kept.turn[k + 3]};
    transpose(turn);
    for (int lane = 0; lane < 4; ++lane) put_four(q + P.cone[k / 4].number[lane], turn[lane]);
  }
}

// Turns hinges that ended whole turns away from their values in q back, inside their limits. It does nothing if joints are coupled or a goal reads
// the pose.
static void take_back_turns(Work& w, const double* q) {
  const Problem& P = *w.problem;
  if (P.couplings > 0 || w.posture_weight > 0.0 || P.callback_reads_pose) return;
  const double turn = kTwoPi;
  for (int i = 0; i < P.nodes; ++i) {
    const SolverNode& n = P.node[i];
    if (n.op != kTurning || n.coordinate < 0) continue;
    const Coordinate& c = P.coordinate[n.coordinate];
    const double turns = __builtin_floor((w.now.x[n.coordinate] - q[n.number]) / turn + 0.5), back = w.now.x[n.coordinate] - turn * turns;
    if (turns != 0.0 && back >= c.lower && back <= c.upper) w.now.x[n.coordinate] = back;
  }
}

// Records after a frame whether its pose, read again, would give the solver's numbers to the bit. Cones do with `turns`, see write_pose.
static void keep_pose(Work& w, const double* q, bool turns) {
  const Problem& P = *w.problem;
  if (P.couplings > 0 || (P.cones > 0 && !turns)) return;
  for (int i = 0; i < P.width; i += 4)  // hinges, whose limits are those of their numbers
    if (any((four(w.written + i) != four(w.now.x + i)) & (four(P.all.unit + i) == Four{1, 1, 1, 1}))) return;
  for (int k = 0; k < P.slides; ++k) {
    const Numbered& n = P.slide[k];
    if (w.now.x[n.coordinate] != clamped(q[n.number] / n.unit, n.lower, n.upper)) return;
  }
  for (int k = 0; k < P.balls; ++k)  // a loose ball's steps count from its quaternion
    if (P.node[P.coordinate[P.ball[k]].node].op == kLoose)
      for (int j = 0; j < 3; ++j) w.now.x[P.ball[k] + j] = 0.0;
  copy_numbers(q, P.nq, w.kept.pose);
  w.kept.holds = true;
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
