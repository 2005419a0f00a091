// The damping formula of all solvers. How `gain` follows the success of the steps is in kernels/solver/control/damping.h; an arm's gain is constant.
#pragma once
#include "math/isa.h"

namespace manikin {
namespace MANIKIN_ISA {

// The damping of a step at a cost (a number, or one in each lane): it falls with the cost, so that the last steps are almost those of Newton.
template <class V, class Scalar>
static inline V damping_at(const V& cost, Scalar gain, Scalar least) {
  return cost * gain + least;
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
