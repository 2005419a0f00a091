// What the kernels of arms offer, once for each instruction set.
#pragma once
#include "model/arm.h"

namespace manikin {

struct ArmKernels {
  // q (nq): start in, pose out where it is reached. Targets is one row.
  void (*solve)(const Arm& arm, const double* targets, const ArmDraws& draws, ArmPlace& place, double* q, ArmResult* result);
  // count rows of targets and poses; each row gives what it would give alone.
  void (*solve_many)(const Arm& arm, long count, const double* targets, int target_width, const ArmDraws& draws, double* q, int nq,
                     ArmResult* results);
  // From a pose that is near, no joint further than its room; not reached where that does not do. `lean`: see model/arm_calm.h. The larger `least`, the less joints turn near singular poses, and the more steps it takes.
  void (*follow)(const Arm& arm, const double* targets, const ArmRoom& room, double lean, double least, ArmPlace& place, double* q,
                 ArmResult* result);
  // Frames one after the other, each as `follow` with a joint's speed times `dt` for its room, but no more than is calm, and leaning (model/arm_calm.h). Row 0 of
  // targets and poses is the frame before the first. How many were done: the next needs more than that.
  long (*follow_many)(const Arm& arm, long frames, const double* targets, int target_width, const ArmRoom& speed, const double* dt, ArmPlace& place,
                      double* poses, int nq, ArmResult* results);
};

const ArmKernels& arm_base();
#ifdef MANIKIN_HAVE_V3
const ArmKernels& arm_v3();
#endif

}  // namespace manikin
