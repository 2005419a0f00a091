// The functions of the arm kernels, once for each instruction set.
#pragma once
#include "model/arm.h"

namespace manikin {

struct ArmKernels {
  // q (nq): start on input, pose on output if it is reached. `targets` is one row.
  void (*solve)(const Arm& arm, const double* targets, const ArmDraws& draws, ArmPlace& place, double* q, ArmResult* result);
  // Solves `count` rows of targets and poses. Each row gives the same result as alone.
  void (*solve_many)(const Arm& arm, long count, const double* targets, int target_width, const ArmDraws& draws, double* q, int nq,
                     ArmResult* results);
  // Solves a frame from a near pose; no joint moves further than its room. Not reached if that fails. `lean`: see model/arm_calm.h. With a larger
  // `least`, joints turn less near singular poses, and more steps are needed.
  void (*follow)(const Arm& arm, const double* targets, const ArmRoom& room, double lean, double least, ArmPlace& place, double* q,
                 ArmResult* result);
  // Solves frames one after the other, each like `follow`. The room of a joint is its speed times `dt`, limited to calm moves, with leaning
  // (model/arm_calm.h). Row 0 of targets and poses is the frame before the first. Returns how many frames succeeded; the next one needs another
  // method.
  long (*follow_many)(const Arm& arm, long frames, const double* targets, int target_width, const ArmRoom& speed, const double* dt, ArmPlace& place,
                      double* poses, int nq, ArmResult* results);
};

const ArmKernels& arm_base();
#ifdef MANIKIN_HAVE_V3
const ArmKernels& arm_v3();
#endif

}  // namespace manikin
