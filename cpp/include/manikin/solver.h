// A problem that owns its arrays, and solves many queries over threads.
#pragma once
#include <memory>
#include <vector>

#include "manikin/arm.h"
#include "manikin/kinematics.h"
#include "manikin/problem.h"

namespace manikin {

class ArmSolver;
class ChainNumbers;
class Speeds;

// What is known of the limits and of the goals, borrowed for the time of construction.
struct ProblemArrays {
  TreeArrays tree;
  double size;
  const double *lower, *upper;          // (nq)
  const int* moving;                    // (nq) 1 where the number may change
  const int* joint;                     // (nq) which joint the number is of
  long cones;
  const int* cone_number;               // (cones)
  const double *cone_reference, *cone_basis, *cone_swing, *cone_twist;  // (cones, 4), (cones, 3, 3) rows e1 e2 a, (cones, 2), (cones, 2)
  long parts;
  int goals, target_width;
  const int *part_kind, *part_goal, *part_segment, *part_target, *part_flags;  // (parts)
  const double *part_offset, *part_axis, *part_tolerance;                     // (parts, 3), (parts, 3), (parts)
  long links;
  const int *link_kind, *link_goal, *link_segments, *link_target, *link_flags;  // (links), (links, 3) for the segments, -1 for none
  const double *link_offset, *link_tolerance, *link_margin;                    // (links, 3, 3), (links), (links)
  const int* link_counts;          // (links, 3) how many solids, pairs and corners, or contacts, each has; they stand link after link
  long solids, aparts, corners;
  const int* solid_segment;        // (solids) -1 for an obstacle
  const int* solid_box;            // (solids) 1 for a box
  const double *solid_center, *solid_edges, *solid_radius;  // (solids, 3), (solids, 3, 3) half edges, (solids)
  const int* apart_solids;         // (aparts, 2) from the first solid of the link
  const double* apart_margin;      // (aparts)
  const int* corner_segment;       // (corners)
  const double *corner_point, *corner_normal, *corner_numbers;  // (corners, 3), (corners, 3), (corners, 3): radius, margin, level
  long postures;
  const int *posture_goal, *posture_target;  // (postures)
  const double* posture_tolerance;           // (postures)
  const double* posture_stiffness;           // (postures, nv) squares of what the steps from the posture are multiplied with
  long contacts;
  const int* contact_segment;      // (contacts)
  const double* contact_point;     // (contacts, 3)
};

// What a track is allowed, besides what each of its frames is.
struct TrackOptions {
  const double* dt;     // (frames) seconds since the frame before
  const double* speed;  // (nq) radians or lengths a second that a joint may move, infinite without a limit; of a ball at its first number
  const int* levels;    // (goals) levels of priority, 0 first; none where all have the same
  bool continues;       // the start is the pose of the first frame
  bool refine, escape;  // see tracker.h
};

class Solver {
 public:
  explicit Solver(const ProblemArrays& arrays);  // throws std::invalid_argument on indices out of range
  ~Solver();
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  const Problem& problem() const { return problem_; }
  int measures() const { return problem_.parts + problem_.links + problem_.postures; }

  // count queries: q (count, nq) in and out, targets (count, target_width), weights (count, goals) or, with one_weights, (goals).
  void solve_many(long count, const SolveOptions& options, const double* targets, const double* weights, bool one_weights, double* q,
                  double* measures, SolveResult* results, int threads) const;

  // One query, in a workspace that this thread keeps.
  void solve_one(const SolveOptions& options, const double* targets, const double* weights, double* q, double* measures,
                 SolveResult* result) const;

  // Whether these weights leave the problem that of an arm.
  bool is_arm(const double* weights) const;
  // The same for an arm, with at most `rounds` of random starts; false, and nothing changed, where it is none or that does not do.
  bool solve_arm(const SolveOptions& options, const double* targets, const double* weights, int rounds, ArmPlace& place, double* q,
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
  bool for_arm(const SolveOptions& options, const double* weights) const;
  void solved_arm(const ArmResult& found, double* measures, SolveResult* result) const;
  void add_nodes(const ProblemArrays& a, const std::vector<int>& order, const std::vector<char>& needed, std::vector<int>& place);
  void add_parts(const ProblemArrays& a, const std::vector<int>& place);
  void add_links(const ProblemArrays& a, const std::vector<int>& place);
  void add_solids(const ProblemArrays& a, const std::vector<int>& place);
  void add_postures(const ProblemArrays& a, const std::vector<int>& place);
  void add_limbs();
  void add_arrays();
  void scale_target(int k);
  void add_moves();
  void add_triples(const ProblemArrays& a);

  Problem problem_;
  std::unique_ptr<ArmSolver> arm_;  // where the problem is that of an arm
  std::unique_ptr<ChainNumbers> chain_;  // where it is one effector on a chain
  std::vector<SolverNode> nodes_;
  std::vector<Coordinate> coordinates_;
  std::vector<Part> parts_;
  std::vector<Link> links_;
  std::vector<Weighted> contacts_, masses_;
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
