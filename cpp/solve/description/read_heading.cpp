// Reads and checks the arrays of a heading.
#include <algorithm>
#include <cmath>

#include "math/index.h"
#include "solve/constants.h"
#include "solve/description/checks.h"
#include "solve/description/description.h"

namespace manikin {

using namespace block;

void Description::read_heading(const NamedArrays& b) {
  const double farthest = farthest_length();
  const std::size_t members = member_goal.size();
  HeadingArrays& h = heading;
  // numbers of the root
  h.start = b.doubles("heading_start", at(nq));
  const auto copied = [&](std::string_view name, std::size_t some, auto* out) {
    const auto& from = b.doubles(name, some);
    std::copy(from.begin(), from.end(), out);
  };
  copied("heading_up", 3, h.up);
  h.size = size;
  h.arm = b.real("heading_arm");
  h.most = b.real("heading_most");
  const auto& slide = b.ints("heading_slide", 3);
  std::copy(slide.begin(), slide.end(), h.slide);
  copied("heading_to_slides", 9, h.to_slides);
  copied("heading_slide_limits", 6, h.slide_limits);
  copied("heading_pivot", 3, h.pivot);
  h.turn = b.ints("heading_turn");
  h.turn_axes = b.doubles("heading_turn_axes", 3 * h.turn.size());
  h.turn_limits = b.doubles("heading_turn_limits");
  // points and orientations of the goals
  h.point_goal = b.ints("heading_point_member");
  h.point_target = b.ints("heading_point_target", h.point_goal.size());
  h.point_effector = b.ints("heading_point_effector", h.point_goal.size());
  h.point = b.doubles("heading_point", 3 * h.point_goal.size());
  h.axes_goal = b.ints("heading_axes_member");
  h.axes_target = b.ints("heading_axes_target", h.axes_goal.size());
  h.axes = b.doubles("heading_axes", 9 * h.axes_goal.size());
  // ranges
  for (const auto* places : {&h.point_goal, &h.axes_goal})
    for (const int m : *places) require(m >= 0 && at(m) < members, "the member of a heading is out of range");
  for (const int k : h.point_target) require(k >= 0 && k <= target_width - 3, "a point of a heading is out of range");
  for (const int k : h.axes_target) require(k >= 0 && k <= target_width - 4, "an orientation of a heading is out of range");
  all_within(h.start, kFarthestSizes * std::max(size, 1.0), "a number of a heading is out of range");
  for (const auto* all : {&h.turn_axes, &h.axes}) all_within(*all, kFarthestSizes, "a number of a heading is out of range");
  all_within(h.point, farthest, "a point of a heading is out of range");
  for (const double x : h.up) require(std::fabs(x) <= 1.0, "the up axis of a heading is out of range");
  for (const double x : h.pivot) require(std::fabs(x) <= farthest, "the pivot of a heading is out of range");
  for (const double x : h.to_slides) require(std::fabs(x) <= kFarthestSizes, "a slide of a heading is out of range");
  for (std::size_t k = 0; k < 3; ++k) {
    require(h.slide[k] >= 0 && h.slide[k] < nq, "a slide of a heading is out of range");
    const double from = h.start[at(h.slide[k])];
    require(h.slide_limits[2 * k] <= from && from <= h.slide_limits[2 * k + 1], "the start of a heading is outside its limits");
  }
  for (std::size_t k = 0; k + 2 <= h.turn_limits.size(); k += 2) require(h.turn_limits[k] <= h.turn_limits[k + 1], "a range of a heading is empty");
  require(h.arm >= 0.0 && h.arm <= farthest && h.most >= 0.0, "a length of a heading is out of range");
}

}  // namespace manikin
