// The information of goals about the steps of a figure at a pose: the diagonal of J^T W J. The Python version is `information` in
// problem/evaluation.py.
//
// J has the rows of the solver's steps, by the steps of the figure: those of a ball are turns about the axes of its segment. Rows of rotation vectors
// are replaced by their exact derivatives (exact_rows). The pose need not be within limits.
#pragma GCC diagnostic ignored "-Wunused-function"  // the headers of the solver have more than this needs
#include "kernels/solver/information.h"

#include "kernels/solver/evaluate/all_links.h"
#include "kernels/solver/evaluate/inputs.h"
#include "kernels/solver/evaluate/posture.h"
#include "kernels/solver/layout.h"

namespace manikin {
namespace MANIKIN_ISA {

static void read_whole_pose(Work& w, const double* q) {
  const Problem& P = *w.problem;
  for (int i = 0; i < P.nodes; ++i) {
    const SolverNode& n = P.node[i];
    if (n.number < 0) continue;
    const double* number = q + n.number;
    if (n.op == kLoose) {
      for (int j = 0; j < 4; ++j) w.now.turn[4 * n.turn + j] = number[j];
    } else if (n.op == kCone) {
      read_ball(n, number, w.now.x + n.coordinate);
    } else {
      (n.coordinate >= 0 ? w.now.x[n.coordinate] : w.fixed[i]) = *number / n.unit;
    }
  }
  follow(w, w.now);
}

// Computes the twists of the figure's steps. A ball of which a part is held has only the motion of the other part.
static void step_twists(Work& w) {
  const Problem& P = *w.problem;
  columns(w, w.now);
  for (int k = 0; k < P.balls; ++k) {
    const int i = P.ball[k], node = P.coordinate[i].node;
    const SolverNode& n = P.node[node];
    const Frame& f = w.frame[node];
    if (n.op != kCone) continue;
    const Four across = cross3(three(w.axis[i].n), three(w.axis[i + 1].n));  // of the plane of the axes of swings
    const Four twist = f.x * n.after[6] + f.y * n.after[7] + f.z * n.after[8];
    const Four own[3] = {f.x, f.y, f.z};
    for (int j = 0; j < 3; ++j) {
      const Four twisted = n.moving == kMoves ? kNone : twist * (dot3(across, own[j]) / dot3(across, twist));
      put_turn(w.axis[i + j], f.p - w.center, n.moving == kMoves ? own[j] : n.moving == kTwistHeld ? own[j] - twisted : twisted);
    }
  }
}

// What a step of a coordinate does to four rows: g is their derivative by its twist.
static inline Four column_of(const Work& w, int coordinate, const Four* g) {
  const double* t = w.axis[coordinate].n;
  return g[0] * t[0] + g[1] * t[1] + g[2] * t[2] + g[3] * t[3] + g[4] * t[4] + g[5] * t[5];
}

// Adds the columns of rows that a coordinate and those above it move.
static void feel_from(Work& w, int coordinate, const Four* g) {
  for (int i = coordinate; i >= 0; i = w.problem->coordinate[i].parent) w.bend[i] += column_of(w, i, g);
}

// Adds the squares of the columns to w.turning, and clears them. Those of joints that follow others are first added to the others'.
static void square_columns(Work& w, const Problem& problem, const Four& factor) {
  for (int k = 0; k < problem.couplings; ++k) {
    const SolverNode& n = problem.node[problem.coupled[k]];
    w.bend[n.source] += w.bend[n.coordinate] * n.ratio;
    w.bend[n.coordinate] = kNone;
  }
  for (int i = 0; i < problem.coordinates; ++i) {
    w.turning[i] += w.bend[i] * w.bend[i] * factor;
    w.bend[i] = kNone;
  }
}

static void all_parts(Work& w, const Problem& problem) {
  for (int k = 0; k < problem.parts; ++k) {
    const Part& part = problem.part[k];
    PartState& s = w.part[k];
    if (!(s.weight > 0.0)) continue;
    part_error(w, part, s);
    part_rows(w, part, s);
    exact_rows(w, part, s);
    double factor = s.weight * (is_angle(part) ? problem.angle_weight * problem.angle_weight : 1.0);
    if (problem.robust) factor *= loss_of(problem.robust[k].kind, problem.robust[k].scale, s.measure).slope;
    Four g[6];
    for (int j = 0; j < 6; ++j)
      g[j] = Four{s.rows > 0 ? s.row[0].n[j] : 0.0, s.rows > 1 ? s.row[1].n[j] : 0.0, s.rows > 2 ? s.row[2].n[j] : 0.0, 0.0};
    if (problem.couplings > 0) {
      feel_from(w, part.coordinate, g);
      square_columns(w, problem, kNone + factor);
      continue;
    }
    for (int i = part.coordinate; i >= 0; i = problem.coordinate[i].parent) {
      const Four column = column_of(w, i, g);
      w.turning[i] += column * column * factor;
    }
  }
}

static void relative_orientation_rows(Work& w, const Link& link, const LinkState& s) {
  RowSink sink = {w, true, 0.0};
  const Four phi = relative_turn(w, link);
  w.rows.count = 0;
  for (int k = 0; k < 3; ++k) {
    const int row = sink.open(phi[k], s.weight * w.problem->angle_weight * w.problem->angle_weight, false);
    sink.feel(row, link.node[0], kNone, kNone, unturned(phi, kUnit[k]));
    sink.feel(row, link.node[1], kNone, kNone, kNone - unturned(kNone - phi, kUnit[k]));
  }
  close_rows(w.rows);
}

static void add_link(Work& w, const Problem& problem, const Link& link, const LinkState& s) {
  if (!(s.weight > 0.0)) return;
  if (link.kind == kRelativeOrientation)
    relative_orientation_rows(w, link, s);
  else
    all_links(w, true, __builtin_inf());  // w has only this link
  const StepRows& r = w.rows;
  for (int block = 0; block < r.blocks; ++block) {
    const auto counting = [&](int row) { return r.sided[row] && !(r.value[row] > 0.0) ? 0.0 : r.weight[row]; };
    const Four factor = {counting(4 * block), counting(4 * block + 1), counting(4 * block + 2), counting(4 * block + 3)};
    for (int i = 0; i < problem.coordinates; ++i) {
      const long at = static_cast<long>(block) * problem.coordinates + i;
      if (!r.felt[at]) continue;
      w.bend[i] += r.h[at];
      feel_from(w, i, r.g + 6 * at);
    }
    square_columns(w, problem, factor);
  }
}

// A posture has one error for each hinge and slide, and a rotation vector for each ball.
static void add_posture(Work& w, const Problem& problem, const Posture& posture, double weight, const double* q) {
  if (!(weight > 0.0)) return;
  for (int i = 0; i < problem.coordinates; ++i) {
    const SolverNode& n = problem.node[problem.coordinate[i].node];
    if (n.source >= 0) continue;
    double square = 1.0;
    if (n.op == kCone || n.op == kLoose) {
      const Frame& f = w.frame[problem.coordinate[i].node];
      const Four phi = turn_from(w.target + posture.target + n.number, q + n.number);
      const Four turned = unturned(f.x * phi[0] + f.y * phi[1] + f.z * phi[2], three(w.axis[i].n));
      square = dot3(turned, turned);
    }
    w.turning[i] += Four{weight * problem.angle_weight * problem.angle_weight * posture.stiffness[i] * square, 0, 0, 0};
  }
}

void information(const Problem& problem, const SolveOptions& options, const double* targets, const double* weights, const double* q, double* out,
                 void* workspace) {
  Work& w = *static_cast<Work*>(workspace);
  if (w.serial != serial_of(problem)) {
    Arena arena = {static_cast<char*>(workspace), sizeof(Work)};
    lay_out(w, problem, arena);
  }
  start_hooks(w, options, q);
  w.kept.holds = false;
  w.run = RunOptions{};
  w.settle.on = false;
  w.angle_factor = 1.0;
  read_goals(w, problem, targets, weights);
  for (int k = 0; k < problem.angles + MANIKIN_LANES; ++k) w.angle[k] = 0.0;
  read_whole_pose(w, q);
  forward(w, w.now);
  // held parts of balls and coupled joints are handled here, so the twists and rows are computed without them
  Problem own = problem;
  own.locks = own.couplings = 0;
  w.problem = &own;
  step_twists(w);
  for (int i = 0; i < problem.coordinates; ++i) w.bend[i] = w.turning[i] = kNone;
  all_parts(w, problem);
  LinkState* const states = w.link;
  own.links = 1;
  for (int k = 0; k < problem.links; ++k) {
    own.link = problem.link + k;
    w.link = states + k;
    add_link(w, problem, *own.link, *w.link);
  }
  w.link = states;
  w.problem = &problem;
  for (int k = 0; k < problem.postures; ++k) add_posture(w, problem, problem.posture[k], w.posture[k].weight, q);
  for (int i = 0; i < problem.coordinates; ++i) {
    if (problem.step_of[i] < 0) continue;
    const Coordinate& c = problem.coordinate[i];
    const double scale = problem.size / problem.node[c.node].unit;
    const double sum = w.turning[i][0] + w.turning[i][1] + w.turning[i][2] + w.turning[i][3];
    out[problem.step_of[i] + c.part] = sum * scale * scale;
  }
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
