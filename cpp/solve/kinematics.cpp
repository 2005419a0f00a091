#include "solve/kinematics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "dispatch/backend.h"
#include "math/index.h"
#include "math/mat3.h"
#include "math/quaternion.h"
#include "model/require.h"
#include "solve/constants.h"
#include "solve/threads.h"
#include "solve/workspace.h"

namespace manikin {
namespace {

// Scratch memory that a thread keeps between calls, so that a single pose allocates nothing.
void* scratch_of(long bytes) {
  thread_local std::unique_ptr<Workspace> kept;
  thread_local long size = -1;
  if (bytes > size) {
    kept = std::make_unique<Workspace>(bytes);
    size = bytes;
  }
  return kept->start;  // NOLINT(clang-analyzer-cplusplus.NewDelete): clang-tidy 14 takes a thread_local variable for a local one
}

// Calls run(first, count, scratch) for parts of the poses, one part on each thread. Results do not depend on the number of threads: parts end at
// whole blocks, so each pose goes through the same vector code.
template <class Run>
void over_threads(long count, int threads, long bytes, long lanes, const Run& run) {
  const long parts = std::min({count / kFewestPosesAThread, static_cast<long>(threads), kMostThreads});
  if (parts <= 1) {
    run(0l, count, scratch_of(bytes));
    return;
  }
  const long blocks = (count + lanes - 1) / lanes;
  on_threads(parts, [&](long k) {
    const long first = blocks * k / parts * lanes;
    const long last = k + 1 == parts ? count : blocks * (k + 1) / parts * lanes;
    if (last > first) run(first, last - first, scratch_of(bytes));
  });
}

int operation(int kind, const double* axis) {
  if (kind != kTurn) return kind;
  if (axis[0] == 1.0 && axis[1] == 0.0 && axis[2] == 0.0) return kTurnX;
  if (axis[0] == 0.0 && axis[1] == 1.0 && axis[2] == 0.0) return kTurnY;
  if (axis[0] == 0.0 && axis[1] == 0.0 && axis[2] == 1.0) return kTurnZ;
  return kTurn;
}

}  // namespace

Kinematics::Kinematics(const TreeArrays& a) {
  require(a.nodes > 0 && a.segments > 0 && a.nq >= 0 && a.nv >= 0, "a tree needs at least one node and one segment");
  nodes_.resize(at(a.nodes));
  everything_.resize(nodes_.size());
  // nodes
  for (int i = 0; i < a.nodes; ++i) {
    Node& n = nodes_[at(i)];
    const int kind = a.kind[i];
    require(kind >= kFixed && kind <= kBall, "node kind out of range");
    require(a.parent[i] >= -1 && a.parent[i] < i, "parents must come before children");
    const int numbers = kind == kFixed ? 0 : kind == kBall ? 4 : 1, steps = kind == kBall ? 3 : numbers;
    if (numbers) {
      require(a.number[i] >= 0 && a.number[i] + numbers <= a.nq, "number index out of range");
      require(a.step[i] >= 0 && a.step[i] + steps <= a.nv, "step index out of range");
    }
    require(a.source[i] >= -1 && a.source[i] < a.nq, "coupling source out of range");
    n.parent = a.parent[i];
    n.op = operation(kind, a.axis + 3 * i);
    n.number = numbers ? a.number[i] : -1;
    n.step = numbers ? a.step[i] : -1;
    n.turn = -1;
    if (turns(n.op)) {
      n.turn = static_cast<int>(turn_number_.size());
      turn_number_.push_back(n.number);
    }
    n.segment = -1;
    n.rotated = is_identity(a.rotation + 9 * i) ? 0 : 1;
    n.source = a.source[i];
    n.ratio = a.ratio[i];
    n.shift = a.shift[i];
    std::memcpy(n.rotation, a.rotation + 9 * i, sizeof n.rotation);
    std::memcpy(n.offset, a.offset + 3 * i, sizeof n.offset);
    std::memcpy(n.axis, a.axis + 3 * i, sizeof n.axis);
    everything_[at(i)] = i;
    if (kind == kBall) balls_.push_back(n.number);
  }
  // segments and their shares of the mass
  double total = 0.0;
  for (long s = 0; s < a.segments; ++s) total += a.mass[s];
  subtree_share_.assign(nodes_.size(), 0.0);
  for (int s = 0; s < a.segments; ++s) {
    const int node = a.segment[s];
    require(node >= 0 && node < a.nodes, "segment node out of range");
    require(nodes_[at(node)].segment < 0, "two segments on one node");
    nodes_[at(node)].segment = s;
    segment_node_.push_back(node);
    mass_share_.push_back(total > 0.0 ? a.mass[s] / total : 0.0);
    subtree_share_[at(node)] = mass_share_.back();
  }
  // masses below each node
  for (std::size_t i = nodes_.size(); i-- > 0;)
    if (nodes_[i].parent >= 0) subtree_share_[at(nodes_[i].parent)] += subtree_share_[i];
  center_.assign(a.center, a.center + 3 * a.segments);
  tree_ = Tree{static_cast<int>(a.nodes),
               static_cast<int>(a.segments),
               a.nq,
               a.nv,
               static_cast<int>(turn_number_.size()),
               nodes_.data(),
               turn_number_.data(),
               segment_node_.data(),
               mass_share_.data(),
               center_.data(),
               subtree_share_.data(),
               everything_.data()};
}

bool Kinematics::sound(const double* q, long count) const {
  constexpr std::uint64_t kExponent = 0x7ff0000000000000ull;
  const long total = count * tree_.nq;
  std::uint64_t bad = 0;
  for (long k = 0; k < total; ++k) {
    std::uint64_t bits;
    std::memcpy(&bits, q + k, sizeof bits);
    bad |= static_cast<std::uint64_t>((bits & kExponent) == kExponent);
  }
  if (bad) return false;
  for (long b = 0; b < count; ++b, q += tree_.nq) {
    for (const int n : balls_) {
      const double square = q[n] * q[n] + q[n + 1] * q[n + 1] + q[n + 2] * q[n + 2] + q[n + 3] * q[n + 3];
      // length - 1| <= t, written for the square
      if (!(square >= (1 - kUnitTolerance) * (1 - kUnitTolerance) && square <= (1 + kUnitTolerance) * (1 + kUnitTolerance))) return false;
    }
  }
  return true;
}

// Returns the ancestors of some segments, parents first: all nodes needed to place these segments.
std::vector<int> Kinematics::order_to(const int* segments, int count) const {
  std::vector<char> needed(nodes_.size(), 0);
  for (int s = 0; s < count; ++s) {
    require(segments[s] >= 0 && segments[s] < tree_.segments, "segment index out of range");
    for (int i = segment_node_[at(segments[s])]; i >= 0 && !needed[at(i)]; i = nodes_[at(i)].parent) needed[at(i)] = 1;
  }
  std::vector<int> order;
  for (int i = 0; i < tree_.nodes; ++i)
    if (needed[at(i)]) order.push_back(i);
  return order;
}

void Kinematics::placements(const double* q, long count, const int* segments, int segment_count, double* out, int threads) const {
  const Kernels& k = kernels();
  std::vector<int> order;
  Choice choice{everything_.data(), tree_.nodes, nullptr, tree_.segments};
  if (segments != nullptr) {
    order = order_to(segments, segment_count);
    choice = Choice{order.data(), static_cast<int>(order.size()), segments, segment_count};
  }
  const long width = 16l * choice.segment_count;
  over_threads(count, threads, k.scratch_bytes(tree_), k.lanes, [&](long first, long part, void* scratch) {
    k.placements(tree_, Poses{q + first * tree_.nq, part}, choice, out + first * width, scratch);
  });
}

void Kinematics::jacobian(const double* q, long count, int segment, const double* point, double* out, int threads) const {
  const Kernels& k = kernels();
  const std::vector<int> order = order_to(&segment, 1);
  const Choice choice{order.data(), static_cast<int>(order.size()), &segment, 1};
  over_threads(count, threads, k.scratch_bytes(tree_), k.lanes, [&](long first, long part, void* scratch) {
    k.jacobian(tree_, Poses{q + first * tree_.nq, part}, choice, point, out + first * 6 * tree_.nv, scratch);
  });
}

void Kinematics::center_of_mass(const double* q, long count, double* out, int threads) const {
  const Kernels& k = kernels();
  over_threads(count, threads, k.scratch_bytes(tree_), k.lanes, [&](long first, long part, void* scratch) {
    k.center_of_mass(tree_, Poses{q + first * tree_.nq, part}, out + 3 * first, scratch);
  });
}

void Kinematics::com_jacobian(const double* q, long count, double* out, int threads) const {
  const Kernels& k = kernels();
  over_threads(count, threads, k.scratch_bytes(tree_), k.lanes, [&](long first, long part, void* scratch) {
    k.com_jacobian(tree_, Poses{q + first * tree_.nq, part}, out + first * 3 * tree_.nv, scratch);
  });
}

void Kinematics::jvp(const double* q, const double* v, long count, double* out, int threads) const {
  const Kernels& k = kernels();
  over_threads(count, threads, k.scratch_bytes(tree_), k.lanes, [&](long first, long part, void* scratch) {
    k.jvp(tree_, Poses{q + first * tree_.nq, part}, v + first * tree_.nv, out + first * 16 * tree_.segments, scratch);
  });
}

void Kinematics::vjp(const double* q, const double* cotangent, long count, double* out, int threads) const {
  const Kernels& k = kernels();
  const long width = 16l * tree_.segments;
  over_threads(count, threads, k.scratch_bytes(tree_), k.lanes, [&](long first, long part, void* scratch) {
    k.vjp(tree_, Poses{q + first * tree_.nq, part}, cotangent + first * width, out + first * tree_.nv, scratch);
  });
}

void Kinematics::integrate(const double* q, const double* v, long count, double* out) const {
  if (tree_.nq == 0) return;
  std::copy_n(q, count * tree_.nq, out);
  for (long b = 0; b < count; ++b, q += tree_.nq, v += tree_.nv, out += tree_.nq) {
    for (const Node& n : nodes_) {
      if (n.op == kBall) {
        const double* w = v + n.step;
        const double* a = q + n.number;
        const double angle = std::sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        const double factor = angle < 1e-4 ? 0.5 - angle * angle / 48.0 : std::sin(0.5 * angle) / angle;
        const double e[4] = {std::cos(0.5 * angle), factor * w[0], factor * w[1], factor * w[2]};
        double r[4];
        quaternion_product(a, e, r);
        const double length = std::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
        for (int k = 0; k < 4; ++k) out[n.number + k] = r[k] / length;
      } else if (n.op != kFixed && n.source < 0) {
        out[n.number] = q[n.number] + v[n.step];
      }
    }
    for (const Node& n : nodes_)
      if (n.source >= 0) out[n.number] = n.ratio * out[n.source] + n.shift;
  }
}

void Kinematics::difference(const double* q0, const double* q1, long count, double* out) const {
  for (long b = 0; b < count; ++b, q0 += tree_.nq, q1 += tree_.nq, out += tree_.nv) {
    for (const Node& n : nodes_) {
      if (n.op == kBall) {
        const double *a = q0 + n.number, *c = q1 + n.number;
        // conj(a) c, with the sign of the shorter turn
        double w = a[0] * c[0] + a[1] * c[1] + a[2] * c[2] + a[3] * c[3];
        double x = a[0] * c[1] - a[1] * c[0] - a[2] * c[3] + a[3] * c[2];
        double y = a[0] * c[2] + a[1] * c[3] - a[2] * c[0] - a[3] * c[1];
        double z = a[0] * c[3] - a[1] * c[2] + a[2] * c[1] - a[3] * c[0];
        if (w < 0.0) w = -w, x = -x, y = -y, z = -z;
        const double sine = std::sqrt(x * x + y * y + z * z);
        const double ratio = sine / w;
        const double factor = sine < 1e-4 ? 2.0 * (1.0 - ratio * ratio / 3.0) / w : 2.0 * std::atan2(sine, w) / sine;
        out[n.step] = factor * x;
        out[n.step + 1] = factor * y;
        out[n.step + 2] = factor * z;
      } else if (n.op != kFixed && n.source < 0) {
        out[n.step] = q1[n.number] - q0[n.number];
      }
    }
  }
}

}  // namespace manikin
