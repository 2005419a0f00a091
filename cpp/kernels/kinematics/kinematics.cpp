// Placements, Jacobians, centre of mass and their derivatives over lanes of poses.
//
// This file is compiled once for each instruction set, with MANIKIN_ISA as the name of the namespace, and does not include the standard library (see
// math/wide.h). src/manikin/reference/kinematics.py is the readable Python version.
#include "kernels/kinematics/alone.h"
#include "kernels/kinematics/derivatives.h"
#include "kernels/kinematics/mass.h"
#include "kernels/kinematics/table.h"

namespace manikin {
namespace MANIKIN_ISA {

// Runs a function over blocks of lanes. A single pose goes through the same code on doubles.
template <class Body>
static inline void over_blocks(const Tree& tree, const Poses& poses, void* scratch, const Body& body) {
  if (poses.count == 1) {
    const Scratch<double> work(tree, scratch);
    body(Block<double>(poses.q, tree.nq, 0, 1), 0l, work);
    return;
  }
  const Scratch<Wide> work(tree, scratch);
  for (long first = 0; first < poses.count; first += MANIKIN_LANES) body(Block<Wide>(poses.q, tree.nq, first, poses.count), first, work);
}

static void placements(const Tree& tree, Poses poses, Choice choice, double* out, void* scratch) {
#if MANIKIN_LANES == 4
  if (poses.count == 1) {
    placements_alone(tree, poses.q, choice, out, scratch);
    return;
  }
#endif
  const long width = 16l * (choice.segments ? choice.segment_count : tree.segments);
  over_blocks(tree, poses, scratch,
              [&](const auto& q, long first, const auto& work) { placements_block(tree, q, choice, out + first * width, work); });
}

static void jacobian(const Tree& tree, Poses poses, Choice choice, const double* point, double* out, void* scratch) {
  over_blocks(tree, poses, scratch,
              [&](const auto& q, long first, const auto& work) { jacobian_block(tree, q, choice, point, out + first * 6 * tree.nv, work); });
}

static void center_of_mass(const Tree& tree, Poses poses, double* out, void* scratch) {
  over_blocks(tree, poses, scratch, [&](const auto& q, long first, const auto& work) { center_of_mass_block(tree, q, out + 3 * first, work); });
}

static void com_jacobian(const Tree& tree, Poses poses, double* out, void* scratch) {
  over_blocks(tree, poses, scratch,
              [&](const auto& q, long first, const auto& work) { com_jacobian_block(tree, q, out + first * 3 * tree.nv, work); });
}

template <class V>
static Block<V> beside(const Block<V>&, const double* values, long width, long first, long count) {
  return Block<V>(values, width, first, count);
}

static void jvp(const Tree& tree, Poses poses, const double* v, double* out, void* scratch) {
  over_blocks(tree, poses, scratch, [&](const auto& q, long first, const auto& work) {
    jvp_block(tree, q, beside(q, v, tree.nv, first, poses.count), out + first * 16 * tree.segments, work);
  });
}

static void vjp(const Tree& tree, Poses poses, const double* cotangent, double* out, void* scratch) {
  const long width = 16l * tree.segments;
  over_blocks(tree, poses, scratch, [&](const auto& q, long first, const auto& work) {
    vjp_block(tree, q, beside(q, cotangent, width, first, poses.count), out + first * tree.nv, work);
  });
}

static const Kernels kTable = {MANIKIN_TEXT(MANIKIN_ISA), MANIKIN_LANES, scratch_bytes, placements, jacobian, center_of_mass, com_jacobian, jvp, vjp};

}  // namespace MANIKIN_ISA

const Kernels& MANIKIN_JOIN(kernels_, MANIKIN_ISA)() { return MANIKIN_ISA::kTable; }

}  // namespace manikin
