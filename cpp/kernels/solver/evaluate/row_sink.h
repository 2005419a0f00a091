// Rows that depend on several branches: where links store them during linearisation.
#pragma once
#include "kernels/solver/evaluate/goals.h"

namespace manikin {
namespace MANIKIN_ISA {

static inline const Frame& frame_at(const Work& w, int node) { return node >= 0 ? w.frame[node] : kWorld; }

static void second_of_force(const Four& f, const Four& arm, Second& b) {
  const double along = dot3(arm, f);
  b.force += f;
  for (int j = 0; j < 3; ++j) {
    b.turn[j] += arm * f[j];
    b.turn[j][j] -= along;
  }
}

namespace {  // so that no method becomes a symbol that another instruction set could use

// Collects rows while goals are linearised; without `put` only the values count.
struct RowSink {
  Work& w;
  bool put;
  double cost;
  bool curved = false;  // whether the pull at points goes to the second-order term

  int open(double value, double factor, bool sided) {
    if (!sided || value > 0.0) cost += factor * value * value;
    if (!put) return -1;
    StepRows& r = w.rows;
    if (r.count % 4 == 0) clear_block(r.count / 4);
    r.value[r.count] = value;
    r.weight[r.count] = factor;
    r.sided[r.count] = static_cast<signed char>(sided);
    return r.count++;
  }
  void clear_block(int block) const {
    const StepRows& r = w.rows;
    for (long k = 0; k < 6l * w.problem->coordinates; ++k) r.g[k * r.most_blocks + block] = Four{0, 0, 0, 0};
    for (long k = 0; k < w.problem->coordinates; ++k) r.h[k * r.most_blocks + block] = Four{0, 0, 0, 0};
  }
  // The pull of the goal of a row.
  double pull(int row) const {
    const double value = w.rows.value[row];
    return w.rows.sided[row] && !(value > 0.0) ? 0.0 : value * w.rows.weight[row];
  }
  // The row depends on the velocity of a point of a node along l, and on the rotation of the node about a.
  void feel(int row, int node, const Four& point, const Four& l, const Four& a) const {
    if (!put || node < 0) return;
    const int c = w.problem->node_coordinate[node];
    if (c < 0) return;
    const Eight d = row_of(point - w.center, l, a);
    Four* g = w.rows.g + static_cast<long>(c) * 6 * w.rows.most_blocks;
    for (int j = 0; j < 6; ++j) reinterpret_cast<double*>(g + j * w.rows.most_blocks)[row] += d.n[j];
    if (curved && pull(row) != 0.0) second_of_force(l * pull(row), point - w.center, w.second[c]);
  }
  // The row depends on the velocity of the centre of mass along n: a force on every coordinate that carries mass.
  void feel_mass(int row, const Four& n) const {
    for (int c = 0; c < w.problem->coordinates; ++c) {
      const Four m = w.moment[c];
      if (m[3] == 0.0) continue;
      const Four torque = cross3(m, n);
      double* g = reinterpret_cast<double*>(w.rows.g + static_cast<long>(c) * 6 * w.rows.most_blocks) + row;
      const long stride = 4l * w.rows.most_blocks;
      for (int j = 0; j < 3; ++j) {
        g[j * stride] += torque[j];
        g[(j + 3) * stride] += n[j] * m[3];
      }
      if (curved && pull(row) != 0.0) {
        const Four f = n * pull(row);
        second_of_force(f, m, w.second[c]);
        w.second[c].force += f * (m[3] - 1.0);
      }
    }
  }
};

}  // namespace

}  // namespace MANIKIN_ISA
}  // namespace manikin
