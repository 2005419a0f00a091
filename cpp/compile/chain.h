// A compiled chain, with the memory of its numbers.
#pragma once
#include <memory>
#include <vector>

#include "model/problem.h"

namespace manikin {

class CompiledChain {
 public:
  // Returns null unless the problem is one or two parts at the end of a single chain of hinges and slides.
  static std::unique_ptr<CompiledChain> of(const Problem& problem);

  const Chain& chain() const { return chain_; }

 private:
  struct alignas(32) Block {
    double n[4];
  };

  CompiledChain() = default;
  void add_joints(const Problem& problem);
  void add_parts(const Problem& problem);
  void add_bounds(const Problem& problem);
  const double* kept(const std::vector<double>& numbers, double filling);

  Chain chain_;
  double turned_[9];  // from the axes of the last joint in the problem to those of the rewritten chain
  std::vector<ChainJoint> joints_;
  std::vector<ChainPart> parts_;
  std::vector<double> shift_;
  std::vector<std::vector<Block>> blocks_;
};

}  // namespace manikin
