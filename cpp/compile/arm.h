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
  // Returns null if the problem is not that of an arm.
  static std::unique_ptr<CompiledArm> of(const Problem& problem);

  const Arm& arm() const { return arm_; }
  // Returns the arm with its table, which is built at the first call.
  const Arm& with_table() const;

 private:
  CompiledArm() = default;
  void make_table() const;

  mutable Arm arm_;
  mutable std::once_flag made_;
  mutable std::atomic<bool> ready_{false};  // whether the table is built; cheaper to read than the once flag
  mutable std::vector<float> features_[5], rows_;
  mutable std::vector<int> cells_;
};

}  // namespace manikin
