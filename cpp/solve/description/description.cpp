#include "solve/description/description.h"

#include "solve/constants.h"
#include "solve/description/checks.h"

namespace manikin {

using namespace block;

Description::Description(const NamedArrays& b) {
  nq = b.whole("nq");
  nv = b.whole("nv");
  size = b.real("size");
  angle_weight = b.real("angle_weight");
  least_damping = b.real("least_damping");
  require(nv >= 0 && nv <= nq, "nv is below 0, or above nq");
  require(size >= kLeastSize && size <= kLargestSize, "size is out of range");
  require(angle_weight > 0.0 && angle_weight <= kLargestTuning, "angle_weight is out of range");
  require(least_damping > 0.0 && least_damping <= kLargestTuning * kLargestTuning, "least_damping is out of range");
  read_tree(b);
  read_limits(b);
  read_goals(b);
  read_parts(b);
  read_callbacks();
  has_heading = b.whole("has_heading") != 0;
  if (has_heading) read_heading(b);
}

double Description::farthest_length() const { return kFarthestSizes * size; }

TreeArrays Description::tree() const {
  return TreeArrays{static_cast<long>(parent_.size()),
                    static_cast<long>(segment_.size()),
                    nq,
                    nv,
                    parent_.data(),
                    kind_.data(),
                    number_.data(),
                    step_.data(),
                    source_.data(),
                    segment_.data(),
                    rotation_.data(),
                    offset_.data(),
                    axis_.data(),
                    ratio_.data(),
                    shift_.data(),
                    mass_.data(),
                    center_.data()};
}

LimitArrays Description::limits() const {
  return LimitArrays{lower,      upper,   balls,          cone_number,   cone_reference, cone_basis, cone_swing,
                     cone_twist, coupled, coupled_source, coupled_ratio, coupled_shift,  turning,    farthest};
}

ProblemArrays Description::problem(const GoalArrays& g) const {
  const auto count = [](const auto& array) { return static_cast<long>(array.size()); };
  return ProblemArrays{tree(),
                       size,
                       angle_weight,
                       least_damping,
                       lower.data(),
                       upper.data(),
                       moving.data(),
                       joint.data(),
                       count(cone_number),
                       cone_number.data(),
                       cone_reference.data(),
                       cone_basis.data(),
                       cone_swing.data(),
                       cone_twist.data(),
                       count(g.part_kind),
                       goals,
                       target_width,
                       g.part_kind.data(),
                       g.part_member.data(),
                       g.part_segment.data(),
                       g.part_target.data(),
                       g.part_flags.data(),
                       g.part_offset.data(),
                       g.part_axis.data(),
                       g.part_tolerance.data(),
                       g.part_loss.data(),
                       g.part_scale.data(),
                       g.part_share.data(),
                       count(g.link_kind),
                       g.link_kind.data(),
                       g.link_member.data(),
                       g.link_segments.data(),
                       g.link_target.data(),
                       g.link_flags.data(),
                       g.link_offset.data(),
                       g.link_tolerance.data(),
                       g.link_margin.data(),
                       g.link_counts.data(),
                       count(g.solid_segment),
                       count(g.apart_margin),
                       count(g.corner_segment),
                       g.solid_segment.data(),
                       g.solid_box.data(),
                       g.solid_center.data(),
                       g.solid_edges.data(),
                       g.solid_radius.data(),
                       g.apart_solids.data(),
                       g.apart_margin.data(),
                       g.corner_segment.data(),
                       g.corner_point.data(),
                       g.corner_normal.data(),
                       g.corner_numbers.data(),
                       count(g.posture_member),
                       g.posture_member.data(),
                       g.posture_target.data(),
                       g.posture_tolerance.data(),
                       g.posture_stiffness.data(),
                       count(g.contact_segment),
                       g.contact_segment.data(),
                       g.contact_point.data(),
                       count(g.effector_segment),
                       count(g.callback_row),
                       g.effector_segment.data(),
                       g.effector_offset.data(),
                       g.callback_row.data()};
}

}  // namespace manikin
