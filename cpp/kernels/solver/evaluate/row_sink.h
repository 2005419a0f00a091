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

// Fills the last block after the last row.
static void close_rows(StepRows& r) {
  r.blocks = (r.count + 3) / 4;
  for (int k = r.count; k < 4 * r.blocks; ++k) {
    r.value[k] = 0.0;
    r.weight[k] = 0.0;
    r.sided[k] = 0;
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
    const long n = w.problem->coordinates;
    __builtin_memset(w.rows.felt + block * n, 0, static_cast<unsigned long>(n));
  }
  // Where the block of a row keeps what it feels of a coordinate. This is set to zero when it is first used.
  long place(int row, int coordinate) const {
    const StepRows& r = w.rows;
    const long at = static_cast<long>(row / 4) * w.problem->coordinates + coordinate;
    if (!r.felt[at]) {
      r.felt[at] = 1;
      r.h[at] = kNone;
      for (int j = 0; j < 6; ++j) r.g[6 * at + j] = kNone;
    }
    return at;
  }
  // The row depends on the step of a coordinate itself.
  void feel_step(int row, int coordinate, double by) const { reinterpret_cast<double*>(w.rows.h + place(row, coordinate))[row % 4] += by; }
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
    double* g = reinterpret_cast<double*>(w.rows.g + 6 * place(row, c)) + row % 4;
    for (int j = 0; j < 6; ++j) g[4 * j] += d.n[j];
    if (curved && pull(row) != 0.0) second_of_force(l * pull(row), point - w.center, w.second[c]);
  }
  // The row depends on the velocity of the centre of mass along n: a force on every coordinate that carries mass.
  void feel_mass(int row, const Four& n) const {
    for (int c = 0; c < w.problem->coordinates; ++c) {
      const Four m = w.moment[c];
      if (m[3] == 0.0) continue;
      const Four torque = cross3(m, n);
      double* g = reinterpret_cast<double*>(w.rows.g + 6 * place(row, c)) + row % 4;
      for (int j = 0; j < 3; ++j) {
        g[4 * j] += torque[j];
        g[4 * (j + 3)] += n[j] * m[3];
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
