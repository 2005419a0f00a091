// A problem that owns its arrays, and solves many queries over threads.
#pragma once
#include <limits>
#include <memory>
#include <vector>

#include "model/arm.h"
#include "model/arrays.h"
#include "model/options.h"
#include "model/problem.h"

namespace manikin {

class ArmSolver;
class ChainNumbers;
class Speeds;

// The result of a query or frame that was not begun, since a hook had ended the call.
constexpr SolveResult kNotBegun = {std::numeric_limits<double>::infinity(), 0, 3, 0, 0, 0, -1};

// What a track is allowed, besides what each of its frames is.
struct TrackOptions {
  const double* dt;     // (frames) seconds since the frame before
  const double* speed;  // (nq) radians or lengths a second that a joint may move, infinite without a limit; of a ball at its first number
  const int* levels;    // (goals) levels of priority, 0 first; none where all have the same
  bool continues;       // the start is the pose of the first frame
  bool refine, escape;  // see tracker.h
  double* seconds = nullptr;  // (frames) out, where given: how long each frame took, before `escape` and `refine`
  const double* prefer = nullptr;  // (nq), or (frames, nq) with each_prefer: poses to pull toward in plain frames
  bool each_prefer = false;
  double hold = -1.0;         // weight of staying near the last frame; below 0: the usual one
};

// A joint that may move and that no goal feels.
struct UnfeltJoint {
  int kind, number, step;   // as in TreeArrays
  double lower, upper;
  int cone;                 // index among the cones of unfelt joints, -1 if it has none
};

class Solver {
 public:
  explicit Solver(const ProblemArrays& arrays);  // throws std::invalid_argument on indices out of range
  ~Solver();
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  const Problem& problem() const { return problem_; }
  int steps() const { return steps_; }
  int measures() const { return problem_.parts + problem_.links + problem_.postures; }

  // After a call that a hook ended: queries and frames that were not begun have a result with 0 starts, and nothing else is written for
  // them. This gives them measures that are not numbers and the pose of the frame before, of the first that of `start`.
  void fill_not_begun(long count, const double* start, double* q, double* measures, const SolveResult* results) const;

  // One query, in a workspace that this thread keeps. q: (nq) start and pose; targets: (target_width); weights: (goals).
  void solve_one(const SolveOptions& options, const double* targets, const double* weights, double* q, double* measures,
                 SolveResult* result) const;
  // The same by the solver of all problems.
  void solve_general(const SolveOptions& options, const double* targets, const double* weights, double* q, double* measures,
                     SolveResult* result) const;

  // The weights of SolveOptions::stiffness from one for each step of the figure. per_step: (nv); out: (problem().width). A ball's
  // three coordinates take those of its steps, about its own axes; coupled coordinates take none.
  void coordinate_stiffness(const double* per_step, double* out) const;
  // Joints that may move and that no goal feels take their preferred values, within their limits: the nearest to the preferred
  // pose whatever the others do. prefer: (nq), none for the middle of the ranges; per_step: (nv), none for 1; joints of stiffness 0 stay.
  void place_unfelt(const double* prefer, const double* per_step, double* q) const;

  // Whether these weights leave the problem that of an arm.
  bool is_arm(const double* weights) const;
  // Whether such a query is left to the kernels of arms.
  bool takes_arms(const SolveOptions& options, const double* weights) const;
  // Rows of an arm, each the first pose that is found; what they do not find is left to the solver of all problems.
  void solve_arms(long count, const SolveOptions& options, const double* targets, const double* weights, double* q, double* measures,
                  SolveResult* results) const;
  // The same for an arm, with at most so many restarts; false, and nothing changed, where it is none or that does not do.
  bool solve_arm(const SolveOptions& options, const double* targets, const double* weights, int restarts, ArmPlace& place, double* q,
                 double* measures, SolveResult* result) const;

  // frames one after the other: q (frames, nq) out, from `start`; with restarts, a frame that is missed is searched anew.
  void track(long frames, const SolveOptions& options, const TrackOptions& track, const double* start, const double* targets, const double* weights,
             bool one_weights, double* q, double* measures, SolveResult* results) const;

  // Frames of an arm from row 0 on, as long as each does with calm steps; how many. `dt`: (frames) seconds since the frame before.
  long follow_arm(long frames, const SolveOptions& options, const Speeds& speeds, const double* dt, const double* targets, const double* weights,
                  ArmPlace& place, double* q, double* measures, SolveResult* results) const;
  // A frame of an arm, from the pose of the one before in q; false, and nothing changed, where it does not do with steps alone.
  bool follow_arm(const SolveOptions& options, const Speeds& speeds, double dt, const double* targets_before, const double* targets, const double* weights,
                  ArmPlace& place, double* q, double* measures, SolveResult* result) const;

 private:
  bool watch_arm(const SolveOptions& options, const double* targets, const double* weights, double* q, double* measures, SolveResult* result) const;
  void require_goals(const SolveOptions& options) const;
  void solved_arm(const ArmResult& found, double* measures, SolveResult* result) const;
  void add_nodes(const ProblemArrays& a, const std::vector<int>& order, const std::vector<char>& needed, std::vector<int>& place);
  void add_parts(const ProblemArrays& a, const std::vector<int>& place);
  void add_links(const ProblemArrays& a, const std::vector<int>& place);
  void add_masses(const ProblemArrays& a, const std::vector<int>& place);
  void add_callback(const ProblemArrays& a, const std::vector<int>& place, long k, Link& link);
  void add_steps(const ProblemArrays& a, const std::vector<int>& place);
  void add_solids(const ProblemArrays& a, const std::vector<int>& place);
  void add_postures(const ProblemArrays& a, const std::vector<int>& place);
  void add_limbs();
  void add_arrays();
  void scale_target(int k);
  void add_moves();
  void add_triples(const ProblemArrays& a);
  void add_unfelt(const ProblemArrays& a, const std::vector<char>& needed);

  Problem problem_;
  std::unique_ptr<ArmSolver> arm_;  // where the problem is that of an arm
  std::unique_ptr<ChainNumbers> chain_;  // where it is one effector on a chain
  std::vector<SolverNode> nodes_;
  std::vector<Coordinate> coordinates_;
  int steps_ = 0;          // of the figure
  std::vector<UnfeltJoint> unfelt_;
  std::vector<SolverNode> unfelt_cones_;
  std::vector<Part> parts_;
  std::vector<Link> links_;
  std::vector<Weighted> contacts_, masses_, effectors_;
  std::vector<Callback> callbacks_;
  std::vector<int> callback_row_, step_of_;
  std::vector<Solid> solids_;
  std::vector<Apart> aparts_;
  std::vector<Corner> corners_;
  std::vector<Posture> postures_;
  std::vector<double> stiffness_;
  std::vector<StillJoint> still_;
  std::vector<int> node_coordinate_, coupled_;
  std::vector<Bundle> bundles_;
  std::vector<Block> blocks_;
  std::vector<Move> moves_;
  std::vector<int> odd_angle_;
  std::vector<Stretch> angle_stretch_;
  std::vector<double> lower_, upper_, middle_, weight_, pulled_, unit_, lowest_, highest_, target_scale_, target_most_;
  std::vector<int> ball_, other_;
  std::vector<Triple> triples_;
  std::vector<Numbered> numbered_;
  std::vector<int> limb_coordinate_, trunk_slot_, part_limb_;
  std::vector<int> slot_coordinate_, coordinate_slot_;
};

}  // namespace manikin
