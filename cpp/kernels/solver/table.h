// The functions of the solver's kernels, once for each instruction set.
#pragma once
#include "model/options.h"
#include "model/problem.h"

namespace manikin {

struct SolverKernels {
  long (*workspace_bytes)(const Problem& problem);
  // q: (nq) start on input, pose on output; targets: (target_width); weights: (goals), 0 for goals that do not count; measures: (parts) in lengths or
  // radians.
  void (*solve)(const Problem& problem, const SolveOptions& options, const double* targets, const double* weights, double* q, double* measures,
                SolveResult* result, void* workspace);
  // Writes the diagonal of J^T W J at the pose q (nq) to out (nv), in lengths squared per step squared. The steps of pruned joints keep their value.
  void (*information)(const Problem& problem, const SolveOptions& options, const double* targets, const double* weights, const double* q, double* out,
                      void* workspace);
  // The quaternion at a share of the way from a to b inside the cone: a straight line in its coordinates.
  void (*along_cone)(const SolverNode& node, const Coordinate& twist, const double* a, const double* b, double share, double* out);
  // Gives the quaternion q of a cone the held part, twist or swing, of another quaternion.
  void (*keep_held)(const SolverNode& node, const Coordinate& twist, const double* from, double* q);
  // Finds the nearest points of a core a (centre, three half edges; 12 numbers) and a box b; out: signed distance, normal from a to b, point of a,
  // point of b (10 numbers).
  void (*box_nearest)(const double* a, const double* b, bool a_is_box, double* out);
};

const SolverKernels& solver_base();
#ifdef MANIKIN_HAVE_V3
const SolverKernels& solver_v3();
#endif

}  // namespace manikin
