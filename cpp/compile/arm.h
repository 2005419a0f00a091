// A compiled arm, with the memory of its table.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "model/arm.h"
#include "model/problem.h"

namespace manikin {

class CompiledArm {
 public:
  // None if the problem is not that of an arm.
  static std::unique_ptr<CompiledArm> of(const Problem& problem);

  const Arm& arm() const { return arm_; }
  // The same with its table, which is made at the first call.
  const Arm& with_table() const;

 private:
  CompiledArm() = default;
  void make_table() const;

  mutable Arm arm_;
  mutable std::once_flag made_;
  mutable std::atomic<bool> ready_{false};  // whether it is: cheaper to read than the flag
  mutable std::vector<float> features_[5], rows_;
  mutable std::vector<int> cells_;
};

}  // namespace manikin
