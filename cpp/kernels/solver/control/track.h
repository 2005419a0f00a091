// The frames of a track. Each starts from the pose of the previous frame, moves no further than its room, and is held near that pose by a small
// weight, so that joints neither jump nor shake.
#pragma once
#include "kernels/solver/control/robust.h"
#include "kernels/solver/control/search.h"
#include "kernels/solver/evaluate/pose.h"

namespace manikin {
namespace MANIKIN_ISA {

// Bends straight limbs. A straight limb whose target is pulled back along it feels no force, although bending would help. So joints that are pressed
// together are bent a little: to their earlier side or away from a limit, and no further than the room of the frame allows. Returns false if there
// are none.
static bool bend_straight_limbs(Work& w, double pressed) {
  const Problem& P = *w.problem;
  cost_of(w, w.now);
  columns(w, w.now);
  all_rows(w, true);
  second_order(w);
  bool any = false;
  for (int i = 0; i < P.coordinates; ++i) {
    const Coordinate& c = P.coordinate[i];
    if (P.node[c.node].op != kTurning || of_root(P, i)) continue;
    if (!(dot3(*reinterpret_cast<const Four*>(w.axis[i].n), w.bend[i]) < -pressed)) continue;
    const double before = w.now.x[i];
    const double to = w.track.bent ? w.track.bent[P.node[c.node].number] - before : 0.0;
    const double away = __builtin_fabs(to) > kSided ? to : c.bounded ? c.middle - before : 0.0;
    w.now.x[i] = clamped(before + (away < 0.0 ? -kBend : kBend), c.lower, c.upper);
    if (w.track.room) w.now.x[i] = clamped(w.now.x[i], w.last.x[i] - w.track.room[i], w.last.x[i] + w.track.room[i]);
    any |= w.now.x[i] != before;
  }
  if (w.track.room) {
    away_from_last(w, w.now);
    hold_triples(w, w.now);
  }
  follow(w, w.now);
  return any;
}

static double frame_cost(Work& w) { return cost_of(w, w.now) + w.track.prox * away_from_last(w, w.now); }

// Solves the first frame: a search without nudges, from the unchanged start.
static void first_frame(Work& w, const SolveOptions& options, SolveResult& result) {
  if (w.problem->robust)
    robust_search(w, options, result);
  else
    search(w, options, result);
  if (result.reached || left(options, result, 1) <= 0) return;
  copy(w, w.now, w.best);
  if (bend_straight_limbs(w, kPressed)) {
    polish(w, options, result);
    ++result.starts;
    const double bent = cost_of(w, w.now);
    if (bent < 0.999 * result.cost) {
      result.cost = bent;
      result.reached = all_met(w);
      if (result.reached) result.status = 0;
      return;
    }
  }
  copy(w, w.best, w.now);
  cost_of(w, w.now);
}

// Solves one frame with at least one step, so that errors do not stay at their tolerance. The result depends only on the start, the targets and
// `room`. The start is w.start, or w.now if its frames are `known`. With `bent`, straight limbs bend to the side of that pose. With `hold`, nothing is
// bent, because the neighbouring frames decide the side.
static void follow_frame(Work& w, const SolveOptions& options, Known known, SolveResult& result) {
  if (known == kNothingKnown) copy(w, w.start, w.now);
  // the last pose, and the weight of staying near it
  copy(w, w.now, w.last);
  if (options.last) read_pose(w, options.last, w.last, true);
  const double prox = options.prox >= 0.0 ? __builtin_fmax(options.prox, kNoProx) : options.bounded ? kPlainProx : kProx;
  w.track = FrameTerms{options.hold > 0.0 ? options.hold : prox, options.room, options.bent,
                       options.frugal && !options.competing ? kMostNewtons : 1 << 30, options.least_room};
  RunOptions how;
  how.patient = how.one_step = how.second_order = true;
  const auto strained = [&] {
    RunOptions bent = how;
    bent.most = left(options, result, kFrameIterations);
    bent.strained = true;
    return bent;
  };
  // outliers first
  Run run;
  result.starts = 1;
  if (w.problem->robust) {
    soften(w, options, how, result);
    known = kNothingKnown;
  }
  const int soft = result.iterations;
  // before rounding chooses a side
  const bool sided = w.track.bent && left(options, result, 1) > 0 && bend_straight_limbs(w, kHardlyPressed);
  Run to_side = {};
  double side_cost = 0.0;
  if (sided) {
    known = kNothingKnown;
    RunOptions aside = strained();
    aside.cap = 0.8 * kBend;  // not across the straight pose
    to_side = run_start(w, options, aside);
    result.iterations = soft + to_side.iterations;
    if (!to_side.met) {
      side_cost = frame_cost(w);
      copy(w, w.now, w.start);  // w.start is not needed any more
      copy(w, w.last, w.now);
    }
  }
  // the frame itself, unless the bend to a side already met it
  if (sided && to_side.met) {
    run = to_side;
  } else {
    how.known = known;
    how.at_last = !options.last && !w.problem->robust;
    how.most = left(options, result, kFrameIterations);
    run = run_start(w, options, how);
    how.known = kNothingKnown;
    how.at_last = false;
    run.iterations += to_side.iterations;
    if (sided && !run.met && side_cost < kSidedCost * frame_cost(w)) {
      copy(w, w.start, w.now);
      run.out = to_side.out;
      run.posed = false;
    }
  }
  // once more without staying near the last pose, if that may be what misses
  if (!run.met && options.bounded && !options.competing && options.hold == 0.0 && left(options, result, kFrameIterations) > run.iterations &&
      (run.cost < kAlmost / kFarCost * far_cost(w) || run.cost < w.track.prox * away_from_last(w, w.now))) {
    w.track.prox = kNoProx;  // staying near the last frame may cost as much as a goal allows
    how.most = left(options, result, kFrameIterations) - run.iterations;
    const Run on = run_start(w, options, how);
    run.iterations += on.iterations;
    run.met = on.met;
    run.out = on.out;
    run.cost = on.cost;
    run.posed = on.posed;
    w.track.prox = prox;
  }
  // once more with straight limbs bent
  if (!run.met && !sided && !options.competing && options.hold == 0.0 && options.most - result.iterations - run.iterations >= kLeastBent &&
      !(options.frugal && run.out)) {  // a run that was cut short is not caught
    const double straight = frame_cost(w);
    copy(w, w.now, w.best);
    if (bend_straight_limbs(w, kPressed)) {
      result.iterations = soft + run.iterations;
      const Run bent = run_start(w, options, strained());
      run.iterations += bent.iterations;
      ++result.starts;
      if (frame_cost(w) < 0.999 * straight) {
        run.met = bent.met;
        run.out = bent.out;
      } else {
        copy(w, w.best, w.now);
      }
    }
    run.posed = false;
  }
  // errors and status
  result.iterations = soft + run.iterations;
  w.angle_factor = 1.0;
  if (run.met && run.posed) {
    result.cost = run.cost;  // its errors are still valid
    result.reached = 1;
  } else {
    result.cost = run.posed ? cost(w) : cost_of(w, w.now);
    result.reached = all_met(w);
  }
  result.status = result.reached ? 0 : was_ended(w, options) ? 3 : run.out ? 2 : 1;
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
