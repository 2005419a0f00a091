// The kinematics kernels, built once for each instruction set and chosen when the module is loaded.
#pragma once
#include "model/tree.h"

namespace manikin {

// A run of poses: `count` poses from `q` on, each of nq numbers.
struct Poses {
  const double* q;
  long count;
};

// The nodes to compute, parents first, and the segments to report; null segments mean all of them.
struct Choice {
  const int* order;
  int order_count;
  const int* segments;
  int segment_count;
};

struct Kernels {
  const char* name;
  int lanes;  // poses that are computed together
  // Bytes of scratch memory that a call needs; the caller aligns it to 64 bytes.
  long (*scratch_bytes)(const Tree& tree);
  void (*placements)(const Tree& tree, Poses poses, Choice choice, double* out, void* scratch);                     // (B, S, 4, 4)
  void (*jacobian)(const Tree& tree, Poses poses, Choice choice, const double* point, double* out, void* scratch);  // (B, 6, nv)
  void (*center_of_mass)(const Tree& tree, Poses poses, double* out, void* scratch);                                // (B, 3)
  void (*com_jacobian)(const Tree& tree, Poses poses, double* out, void* scratch);                                  // (B, 3, nv)
  void (*jvp)(const Tree& tree, Poses poses, const double* v, double* out, void* scratch);                          // (B, S, 4, 4)
  void (*vjp)(const Tree& tree, Poses poses, const double* cotangent, double* out, void* scratch);                  // (B, nv)
};

const Kernels& kernels_base();
#ifdef MANIKIN_HAVE_V3
const Kernels& kernels_v3();
#endif

}  // namespace manikin
