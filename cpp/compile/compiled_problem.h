// A compiled figure with goals: a Problem and the memory of its arrays. It never changes, so any number of threads may read it.
#pragma once
#include <memory>
#include <vector>

#include "model/arrays.h"
#include "model/problem.h"

namespace manikin {

class CompiledArm;
class CompiledChain;

// A movable joint without influence on any goal.
struct UnfeltJoint {
  int kind, number, step;  // as in TreeArrays
  double lower, upper;
  double axis[3];     // of a hinge or slide
  int cone;           // index among the cones of such joints, -1 if it has none
  int together;       // 3 for the first of three hinges of one joint, which count by their rotation; otherwise 1
  OtherTriple other;  // of these three hinges, as in Triple
};

class CompiledProblem {
 public:
  explicit CompiledProblem(const ProblemArrays& arrays);  // throws std::invalid_argument on indices out of range
  ~CompiledProblem();
  CompiledProblem(const CompiledProblem&) = delete;
  CompiledProblem& operator=(const CompiledProblem&) = delete;

  const Problem& problem() const { return problem_; }
  int measures() const { return problem_.parts + problem_.links + problem_.postures; }
  const CompiledArm* arm() const { return arm_.get(); }  // null if the problem is not that of an arm
  const std::vector<UnfeltJoint>& unfelt() const { return unfelt_; }
  const std::vector<SolverNode>& unfelt_cones() const { return unfelt_cones_; }

 private:
  void add_nodes(const ProblemArrays& a, const std::vector<int>& order, const std::vector<char>& needed, std::vector<int>& place);
  void add_parts(const ProblemArrays& a, const std::vector<int>& place);
  void add_links(const ProblemArrays& a, const std::vector<int>& place);
  void add_masses(const ProblemArrays& a, const std::vector<int>& place);
  void add_callback(const ProblemArrays& a, const std::vector<int>& place, long k, Link& link);
  void add_steps(const ProblemArrays& a, const std::vector<int>& place);
  void add_fans(const Link& l);
  void add_solids(const ProblemArrays& a, const std::vector<int>& place);
  void add_postures(const ProblemArrays& a, const std::vector<int>& place);
  void add_limbs();
  void add_cone(const SolverNode& n);
  void add_arrays();
  void scale_target(int k);
  void add_moves();
  void add_triples(const ProblemArrays& a);
  void add_unfelt(const ProblemArrays& a, const std::vector<char>& needed);
  void join_unfelt(const ProblemArrays& a);

  Problem problem_;
  std::unique_ptr<CompiledArm> arm_;      // if the problem is that of an arm
  std::unique_ptr<CompiledChain> chain_;  // if the problem is one effector on a chain
  std::vector<SolverNode> nodes_;
  std::vector<Coordinate> coordinates_;
  std::vector<UnfeltJoint> unfelt_;
  std::vector<SolverNode> unfelt_cones_;
  std::vector<Part> parts_;
  std::vector<Robust> robust_;
  std::vector<int> side_;
  std::vector<Link> links_;
  std::vector<Weighted> contacts_, masses_, effectors_;
  std::vector<Callback> callbacks_;
  std::vector<int> callback_row_, step_of_;
  std::vector<Solid> solids_;
  std::vector<Apart> aparts_;
  std::vector<Fan> fans_;
  std::vector<int> pair_at_;
  std::vector<double> reach_;
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
  std::vector<int> ball_, other_, lock_;
  std::vector<Triple> triples_;
  std::vector<FourCones> cones_;
  std::vector<Numbered> numbered_, slides_;
  std::vector<int> limb_coordinate_, trunk_slot_, part_limb_;
  std::vector<int> slot_coordinate_, coordinate_slot_;
};

}  // namespace manikin
