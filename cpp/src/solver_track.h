// The frames of a track: each from the pose of the one before, no further than a box allows, and held there a little, so that
// nothing jumps and nothing shakes. Included by solver.cpp only.
#pragma once

static constexpr double kProx = 5e-5;           // weight of staying near the last frame
static constexpr int kFrameIterations = 20;
static constexpr double kPressed = 1e-4;        // curvature by a goal's pull below which a limb would give way
static constexpr double kBend = 0.05;           // radians

// A straight limb with the target drawn back along it feels no force, although bending would help: joints that are pressed
// together are bent a little, away from a limit or toward their middle, and no further than the box of the frame allows. False
// if there are none.
static bool unbend(Work& w) {
  const Problem& P = *w.problem;
  cost_of(w, w.now);
  columns(w, w.now);
  all_rows(w, true);
  second_order(w);
  bool any = false;
  for (int i = 0; i < P.coordinates; ++i) {
    const Coordinate& c = P.coordinate[i];
    if (P.node[c.node].op != kTurning || of_root(P, i)) continue;
    if (!(dot3(*reinterpret_cast<const Four*>(w.axis[i].n), w.bend[i]) < -kPressed)) continue;
    const double from = c.bounded ? w.now.x[i] - c.middle : 0.0;
    const double before = w.now.x[i];
    w.now.x[i] = clamped(before + (from > 0.0 ? -kBend : kBend), c.lower, c.upper);
    if (w.box < 1e300) w.now.x[i] = clamped(w.now.x[i], w.last.x[i] - room_of(w, c.node), w.last.x[i] + room_of(w, c.node));
    any |= w.now.x[i] != before;
  }
  follow(w, w.now);
  return any;
}

static double frame_cost(Work& w) { return cost_of(w, w.now) + w.prox * away_from_last(w, w.now); }

// The first frame: as a search without its nudges, from the start as it is.
static void first_frame(Work& w, const SolveOptions& options, SolveResult& result) {
  search(w, options, result);
  if (result.reached || left(options, result, 1) <= 0) return;
  copy(w, w.now, w.best);
  if (unbend(w)) {
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

// One frame: at least one step, so that errors do not idle at their tolerance. In the second look at a track (`room`) nothing is bent:
// there the neighbours say how.
static void follow_frame(Work& w, const SolveOptions& options, SolveResult& result) {
  if (options.frame != 2) copy(w, w.start, w.now);  // else `now` is what the frame before ended in
  copy(w, w.now, w.last);
  w.prox = options.hold > 0.0 ? options.hold : kProx;
  w.box = box_of_frame(options.moved);
  w.room = options.room;
  w.newton = true;
  w.posed_now = options.frame == 2;
  Run run = run_start(w, options, false, left(options, result, kFrameIterations), true, 1, options.strained != 0);
  result.starts = 1;
  if (!run.met && !options.room && left(options, result, 1) > 0) {
    const double straight = frame_cost(w);
    copy(w, w.now, w.best);
    if (unbend(w)) {
      result.iterations = run.iterations;
      w.posed_now = false;
      const Run bent = run_start(w, options, false, left(options, result, kFrameIterations), true, 1, true);
      run.iterations += bent.iterations;
      ++result.starts;
      if (frame_cost(w) < 0.999 * straight) {
        run.met = bent.met;
        run.out = bent.out;
      } else {
        copy(w, w.best, w.now);
      }
    }
    w.posed_now = false;
  }
  w.newton = false;
  w.prox = 0.0;
  w.box = __builtin_inf();
  w.room = nullptr;
  result.iterations = run.iterations;
  w.angle_factor = 1.0;
  if (run.met && w.posed_now) {
    result.cost = run.cost;  // its errors stand
    result.reached = 1;
  } else {
    result.cost = w.posed_now ? cost(w) : cost_of(w, w.now);
    result.reached = all_met(w);
  }
  result.status = result.reached ? 0 : late(options) ? 3 : run.out ? 2 : 1;
}
