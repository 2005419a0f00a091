// The kernels in use. They are chosen once, from those that this processor can run.
#pragma once
#include <string>
#include <vector>

#include "kernels/arm/table.h"
#include "kernels/kinematics/table.h"
#include "kernels/solver/table.h"

namespace manikin {

std::vector<std::string> available_kernels();  // slowest first
void use_kernels(const std::string& name);     // throws std::invalid_argument if not available
const Kernels& kernels();
const SolverKernels& solver_kernels();
const ArmKernels& arm_kernels();

}  // namespace manikin
