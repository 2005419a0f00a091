// The modes of a solve: small records that are set at the start of a run, a frame or a query, and read by the step and the goals.
#pragma once
#include "math/four.h"
#include "math/isa.h"
#include "model/options.h"

namespace manikin {
namespace MANIKIN_ISA {

struct Body;

// What is computed of w.now when a run starts.
enum Known : int { kNothingKnown, kFramesKnown, kErrorsKnown };

// The options of one start.
struct RunOptions {
  int most = 0;                  // most iterations
  double cap = __builtin_inf();  // most that a coordinate moves in one step
  bool positions_first = false;  // whether orientations hardly count in the first steps, while positions are far
  bool patient = false;          // whether it runs to a minimum without a pull; otherwise it ends if it seems trapped
  bool one_step = false;         // whether a step is tried even if all goals are met
  bool second_order = false;     // whether steps may use second derivatives
  bool strained = false;         // whether they use them from the first step on
  bool at_last = false;          // in a frame: whether it starts at the pose of the last frame
  Known known = kNothingKnown;
};

// The terms of a frame of a track; a single pose uses none of them.
struct FrameTerms {
  double prox = 0.0;             // weight of staying near `last`
  const double* room = nullptr;  // (width + triples) most change since `last` of each coordinate and triple; null: no limit
  const double* bent = nullptr;  // pose (nq) that decides the side on which straight limbs bend, or null
  int second_left = 1 << 30;     // how many more steps may use second derivatives
  double least_room = 0.0;       // at most the least entry of `room`
};

// The pose to which a frame was written. It `holds` while reading that pose would give w.now and its frames.
struct KeptPose {
  bool holds;
  double* pose;  // (nq)
  Four* turn;    // (cones, rounded up to a multiple of four) quaternions of cones, four cones in lanes
  double* x;     // (width) the numbers that reading these quaternions gives
};

// A preferred pose: a pull that vanishes with the error.
struct PreferenceState {
  bool pulls;        // whether it replaces the middle of the ranges
  double *x, *turn;  // (coordinates), (balls, 4): the pose; numbers may lie outside their limits
  double* weight;    // (coordinates) weight of its square; for a ball, about its three own axes
  double* pull;      // (coordinates) half the gradient of the preference
  double* stiff;     // (coordinates) the diagonal of its curvature
  double* cross;     // (coordinates) of a ball: curvature between its steps 0 and 1, 0 and 2, 1 and 2
};

// Settling: the preferred pose counts in the cost, see control/settle.h.
struct SettleState {
  bool on;
  double weight;               // of the preference in the cost
  double scale;                // factor of the pull of goals in the second-order term
  Body* curved;                // (slots) the terms with their part of it
  double *model, *model_next;  // (parts, 4) the errors in that term, promised by the last step and by the tried step
};

// Robust losses, see evaluate/robust.h.
struct LossState {
  double softness;  // factor of all scales in the present run; infinite: no loss
  double rest;      // what the cost adds to the sum of slope · error²; 0 if no goal is robust
};

// Random starts.
struct DrawState {
  unsigned long long random;  // state of the generator
  double far_off;             // the largest error of a goal, in sizes
};

// Hooks of the host, see kernels/solver/hooks.h.
struct HookState {
  const SolveOptions* options;                                        // whose hooks are called
  bool any;                                                           // whether there are any; the fields below are set only then
  bool watching;                                                      // whether iterations are shown
  bool halted, failed;                                                // whether the host has ended the solve, and whether by a callback that failed
  int watched;                                                        // iterations shown
  int ask_every, until_asked;                                         // iterations between two calls of `stopped`, and until the next
  double* shown;                                                      // (nq) a pose for the host
  double *callback_placement, *callback_error, *callback_derivative;  // of one callback: (effectors, 4, 4), (rows), (rows, columns)
};

}  // namespace MANIKIN_ISA
}  // namespace manikin
