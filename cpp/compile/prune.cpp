// Removes nodes without influence on any goal.
#include "compile/prune.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "compile/constants.h"
#include "math/mat3.h"
#include "model/goals.h"
#include "model/require.h"
#include "model/tree.h"

namespace manikin {
namespace {

// Whether a callback has this flag.
bool callback_reads(const ProblemArrays& a, CallbackFlag flag) {
  for (long k = 0; k < a.links; ++k)
    if (a.link_kind[k] == kCallback && (a.link_flags[k] & flag)) return true;
  return false;
}

bool feels_mass(const ProblemArrays& a) {
  return std::find(a.link_kind, a.link_kind + a.links, static_cast<int>(kBalance)) != a.link_kind + a.links || callback_reads(a, kReadsMass);
}

// Whether a posture pulls the joint of a node. Coupled joints count, because they follow a joint that may be pulled.
bool stiff(const ProblemArrays& a, int node) {
  const int kind = a.tree.kind[node];
  if (kind == kFixed) return false;
  if (a.tree.source[node] >= 0) return a.postures > 0;
  for (long p = 0; p < a.postures; ++p) {
    const double* given = a.posture_stiffness + p * a.tree.nv + a.tree.step[node];
    if (std::any_of(given, given + (kind == kBall ? 3 : 1), [](double s) { return s > 0.0; })) return true;
  }
  return false;
}

}  // namespace

std::vector<char> felt(const ProblemArrays& a) {
  std::vector<char> needed(static_cast<std::size_t>(a.tree.nodes), 0);
  auto mark = [&](int segment, char how) {
    require(segment >= 0 && segment < a.tree.segments, "segment of a goal out of range");
    for (int i = a.tree.segment[segment]; i >= 0; i = a.tree.parent[i])
      if (needed[at(i)] != 1) needed[at(i)] = how;
  };
  if (feels_mass(a)) {
    for (int s = 0; s < a.tree.segments; ++s)
      if (a.tree.mass[s] > 0.0) mark(s, 2);
    for (long k = 0; k < a.contacts; ++k) mark(a.contact_segment[k], 1);
  }
  for (long k = 0; k < a.parts; ++k) mark(a.part_segment[k], 1);
  for (long k = 0; k < a.solids; ++k)
    if (a.solid_segment[k] >= 0) mark(a.solid_segment[k], 1);
  for (long k = 0; k < 3 * a.links; ++k)
    if (a.link_segments[k] >= 0) mark(a.link_segments[k], 1);
  for (long k = 0; k < a.effectors; ++k) mark(a.effector_segment[k], 1);
  for (int i = 0; i < a.tree.nodes; ++i)
    for (int k = stiff(a, i) ? i : -1; k >= 0; k = a.tree.parent[k]) needed[at(k)] = 1;
  // the source of a coupled joint is needed too
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < a.tree.nodes; ++i) {
      if (needed[at(i)] == 0 || a.tree.source[i] < 0) continue;
      for (int j = 0; j < a.tree.nodes; ++j) {
        if (a.tree.number[j] != a.tree.source[i] || a.tree.kind[j] == kFixed || needed[at(j)] == 1) continue;
        for (int k = j; k >= 0 && needed[at(k)] != 1; k = a.tree.parent[k]) needed[at(k)] = 1;
        more = true;
      }
    }
  }
  if (callback_reads(a, kReadsPose)) std::fill(needed.begin(), needed.end(), 1);
  // joints that carry little mass are not used for balance: moving a finger does not balance a body
  std::vector<double> below(needed.size(), 0.0);
  double total = 0.0;
  for (int s = 0; s < a.tree.segments; ++s) {
    below[at(a.tree.segment[s])] += a.tree.mass[s];
    total += a.tree.mass[s];
  }
  for (std::size_t i = needed.size(); i-- > 0;) {
    if (a.tree.parent[i] >= 0) below[at(a.tree.parent[i])] += below[i];
    if (needed[i] == 2 && below[i] > kLeastShare * total) needed[i] = 1;
  }
  return needed;
}

std::vector<int> breadth_first(const ProblemArrays& a, const std::vector<char>& needed) {
  std::vector<int> depth(needed.size(), 0), order;
  for (int i = 0; i < a.tree.nodes; ++i) {
    if (a.tree.parent[i] >= 0) depth[at(i)] = depth[at(a.tree.parent[i])] + 1;
    if (needed[at(i)]) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return depth[at(i)] < depth[at(j)]; });
  return order;
}

}  // namespace manikin
