// The solver. Like all kernels, it is compiled once for each instruction set and does not use the standard library.
#include "kernels/solver/control/robust.h"
#include "kernels/solver/control/search.h"
#include "kernels/solver/control/settle.h"
#include "kernels/solver/control/track.h"
#include "kernels/solver/evaluate/inputs.h"
#include "kernels/solver/evaluate/pose.h"
#include "kernels/solver/information.h"
#include "kernels/solver/hooks.h"
#include "kernels/solver/layout.h"
#include "kernels/solver/table.h"

namespace manikin {
namespace MANIKIN_ISA {

static long workspace_bytes(const Problem& problem) {
  Work w;
  Arena arena = {nullptr, sizeof(Work)};
  lay_out(w, problem, arena);
  return arena.used + 64;
}

// Divides all weights by the heaviest one if that is below 1, because damping and pulls suit weights of about 1.
static void relate_weights(Work& w) {
  const Problem& P = *w.problem;
  const double heaviest = heaviest_weight(w);
  w.weight_unit = heaviest > 0.0 && heaviest < 1.0 ? heaviest : 1.0;
  if (w.weight_unit == 1.0) return;
  for (int k = 0; k < P.parts; ++k) w.part[k].weight = w.part[k].own_weight /= heaviest;
  for (int k = 0; k < P.links; ++k) w.link[k].weight = w.link[k].own_weight /= heaviest;
  for (int k = 0; k < P.postures; ++k) w.posture[k].weight /= heaviest;
  w.posture_weight /= heaviest;
}

static void solve(const Problem& problem, const SolveOptions& options, const double* targets, const double* weights, double* q, double* measures,
                  SolveResult* result, void* workspace) {
  Work& w = *static_cast<Work*>(workspace);
  if (w.serial != serial_of(problem)) {
    Arena arena = {static_cast<char*>(workspace), sizeof(Work)};
    lay_out(w, problem, arena);
  }
  start_hooks(w, options, q);
  // a frame that starts where the previous one ended need not read its pose again
  const bool goes_on = options.frame && w.kept.holds && same_numbers(w.kept.pose, q, problem.nq);
  w.kept.holds = false;
  if (!goes_on)
    for (int k = 0; k < problem.angles + MANIKIN_LANES; ++k) w.angle[k] = 0.0;
  // targets in sizes, weights, states of goals
  read_goals(w, problem, targets, weights);
  for (int k = 0; k < 4 * w.rows.most_blocks; ++k) w.rows.y[k] = 0.0;
  w.rows.count = w.rows.blocks = 0;
  w.search.random = options.seed;
  w.sweeps = 0;
  w.touches = 0;
  w.posture_known = false;
  w.enough = __builtin_inf();
  relate_weights(w);
  // the start
  if (!goes_on) read_pose(w, q, w.start, options.frame);
  if (!goes_on && options.frame && problem.cones > 0) keep_turns(w, q, w.start);
  if (w.posture_weight > 0.0) read_postures(w, goes_on ? w.now : w.start);
  if (problem.chain)  // padding of the last block
    for (int i = problem.coordinates; i < 4 * problem.chain->blocks; ++i) {
      w.start.x[i] = 0.0;
      w.chain.axis[i] = w.chain.origin[i] = Four{0, 0, 0, 0};
    }
  *result = SolveResult{};
  result->weight_unit = w.weight_unit;
  w.run = RunOptions{};
  w.track = FrameTerms{};
  w.settle.on = false;
  w.prefer.pulls = options.prefer != nullptr;
  if (options.prefer || options.settle) read_preference(w, options, goes_on ? w.now : w.start);
  // solve, track or search
  if (options.frame) {
    follow_frame(w, options, goes_on ? kFramesKnown : kNothingKnown, *result);
  } else if (options.tracking) {
    first_frame(w, options, *result);
  } else {
    if (problem.robust)
      robust_search(w, options, *result);
    else if (options.competing)
      descend(w, options, *result);
    else
      search(w, options, *result);
    take_back_turns(w, q);
  }
  if (options.settle && result->reached && !options.frame) settle_near_preferred(w, options, *result);
  // results
  if (result->status == 0 && !postures_reached(w)) result->status = 1;
  result->sweeps = w.sweeps;
  const bool turns = options.frame && problem.cones > 0 && turns_kept(w, w.now);
  write_pose(w, w.now, q, turns);
  if (options.frame) keep_pose(w, q, turns);
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

static void keep_held(const SolverNode& n, const Coordinate& twist, const double* from, double* q) {
  double x[3], held[3];
  read_cone(n, twist, q, x);
  read_cone(n, twist, from, held);
  for (int k = 0; k < 3; ++k)
    if (n.moving == (k == 2 ? kTwistHeld : kSwingHeld)) x[k] = held[k];
  write_cone(n, x, q);
}

// Each core is its centre, three half edges and whether it is a box; out: distance, normal, nearest points.
static void box_nearest(const double* a, const double* b, bool a_is_box, double* out) {
  auto core = [](const double* x, bool box) { return core_of(three(x), three(x + 3), three(x + 6), three(x + 9), box); };
  Four found[3];
  out[0] = box_distance(core(a, a_is_box), core(b, true), found[0], found[1], found[2]);
  for (int k = 0; k < 9; ++k) out[1 + k] = found[k / 3][k % 3];
}

static const SolverKernels kSolver = {workspace_bytes, solve, information, along_cone, keep_held, box_nearest};

}  // namespace MANIKIN_ISA

const SolverKernels& MANIKIN_JOIN(solver_, MANIKIN_ISA)() { return MANIKIN_ISA::kSolver; }

}  // namespace manikin
