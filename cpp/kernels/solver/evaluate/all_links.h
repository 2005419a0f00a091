// All goals that depend on several branches, and the couplings, whose rows have the same form.
#pragma once
#include "kernels/solver/evaluate/links.h"
#include "kernels/solver/evaluate/balance.h"
#include "kernels/solver/evaluate/callbacks.h"
#include "kernels/solver/evaluate/clearance.h"

namespace manikin {
namespace MANIKIN_ISA {

// Computes the errors of all links and their share of the cost; with `put` also their rows. Ends once the cost is surely above `enough`, and returns
// any such cost.
static double all_links(Work& w, bool put, double enough) {
  const Problem& P = *w.problem;
  if (put && w.settle.on)
    for (int i = 0; i < P.coordinates; ++i) w.second[i] = Second{};
  if (P.links == 0 && P.couplings == 0) return 0.0;
  RowSink sink = {w, put, 0.0};
  if (put) {
    w.rows.count = 0;
    w.waits = 0;
    for (int k = 0; k < P.couplings; ++k) {  // dx = ratio dx_source, nearly exactly
      const SolverNode& n = P.node[P.coupled[k]];
      const int row = sink.open(0.0, kStiff, false);
      sink.feel_step(row, n.coordinate, 1.0);
      sink.feel_step(row, n.source, -n.ratio);
    }
  }
  for (int k = 0; k < P.links; ++k) {
    const Link& link = P.link[k];
    LinkState& s = w.link[k];
    if (!(s.weight > 0.0)) continue;
    s.factor = s.weight * (is_angle(link) ? w.problem->angle_weight * w.problem->angle_weight * w.angle_factor : 1.0);
    sink.curved = put && w.settle.on && link.kind >= kPole && link.kind <= kClearance;  // the others use second_of_link
    switch (link.kind) {
      case kRelativePosition: relative_position(sink, link, s); break;
      case kRelativeOrientation: relative_orientation(sink, link, s); break;
      case kPairDistance: pair_distance(sink, link, s); break;
      case kPole: pole(sink, link, s); break;
      case kBalance: balance(sink, link, s); break;
      case kClearance: clearance(sink, link, s, enough - sink.cost); break;
      case kCallback: callback_goal(sink, link, s); break;
    }
    if (sink.cost > kSurelyMore * enough) return sink.cost;
  }
  if (put) {
    close_rows(w.rows);
  }
  return sink.cost;
}

static bool links_met(const Work& w) {
  for (int k = 0; k < w.problem->links; ++k)
    if (w.link[k].weight > 0.0 && !w.link[k].aside && !(w.link[k].measure <= w.problem->link[k].tolerance)) return false;
  return true;
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
