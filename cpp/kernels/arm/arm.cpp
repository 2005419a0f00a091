// The arm kernels. Like all kernels, they are compiled once for each instruction set and do not use the standard library.
#include "kernels/arm/batch.h"
#include "kernels/arm/frames.h"
#include "kernels/arm/table.h"

namespace manikin {
namespace MANIKIN_ISA {

// Selects the variant for the type of the arm.
#define MANIKIN_BY_MAKE(function, arm, ...)                     \
  switch (2 * (arm).count + (arm).slides) {                     \
    case 12: return function<Make<6, false>>(arm, __VA_ARGS__); \
    case 13: return function<Make<6, true>>(arm, __VA_ARGS__);  \
    case 14: return function<Make<7, false>>(arm, __VA_ARGS__); \
    case 15: return function<Make<7, true>>(arm, __VA_ARGS__);  \
    case 16: return function<Make<8, false>>(arm, __VA_ARGS__); \
    default: return function<Make<8, true>>(arm, __VA_ARGS__);  \
  }

static void solve(const Arm& arm, const double* targets, const ArmDraws& draws, ArmPlace& kept, double* pose, ArmResult* result) {
  MANIKIN_BY_MAKE(solve_arm, arm, targets, draws, kept, pose, result)
}

static void solve_many(const Arm& arm, long count, const double* targets, int width, const ArmDraws& draws, double* poses, int nq,
                       ArmResult* results) {
  MANIKIN_BY_MAKE(solve_rows, arm, count, targets, width, draws, poses, nq, results)
}

static void follow(const Arm& arm, const double* targets, const ArmRoom& room, double lean, double least, ArmPlace& kept, double* pose,
                   ArmResult* result) {
  MANIKIN_BY_MAKE(follow_arm, arm, targets, room, lean, least, kept, pose, result)
}

static long follow_many(const Arm& arm, long frames, const double* targets, int width, const ArmRoom& speed, const double* dt, ArmPlace& kept,
                        double* poses, int nq, ArmResult* results) {
  MANIKIN_BY_MAKE(follow_frames, arm, frames, targets, width, speed, dt, kept, poses, nq, results)
}

static const ArmKernels kArm = {solve, solve_many, follow, follow_many};

}  // namespace MANIKIN_ISA

const ArmKernels& MANIKIN_JOIN(arm_, MANIKIN_ISA)() { return MANIKIN_ISA::kArm; }

}  // namespace manikin
