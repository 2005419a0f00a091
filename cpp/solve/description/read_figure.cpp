// Reads and checks the tree of a figure and its limits.
#include <algorithm>
#include <cmath>
#include <limits>

#include "math/index.h"
#include "model/nodes.h"
#include "model/tree.h"
#include "solve/constants.h"
#include "solve/description/checks.h"
#include "solve/description/description.h"

namespace manikin {

using namespace block;

void Description::read_tree(const NamedArrays& b) {
  const double farthest = farthest_length();
  parent_ = b.ints("parent");
  const std::size_t n = parent_.size();
  kind_ = b.ints("kind", n);
  number_ = b.ints("number", n);
  step_ = b.ints("step", n);
  source_ = b.ints("source", n);
  rotation_ = b.doubles("rotation", 9 * n);
  offset_ = b.doubles("offset", 3 * n);
  axis_ = b.doubles("axis", 3 * n);
  ratio_ = b.doubles("ratio", n);
  shift_ = b.doubles("shift", n);
  segment_ = b.ints("segment");
  mass_ = b.doubles("mass", segment_.size());
  center_ = b.doubles("center", 3 * segment_.size());
  for (const auto* lengths : {&offset_, &center_}) all_within(*lengths, farthest, "a length of the tree is out of range");
  for (const auto* numbers : {&axis_, &ratio_, &shift_, &mass_}) all_within(*numbers, kFarthestSizes, "a number of the tree is out of range");
  for (const double m : mass_) require(m >= 0.0, "a mass is below 0");
  rotations(rotation_, "a rotation of the tree is not a rotation matrix");
  for (std::size_t i = 0; i < n; ++i) {
    const bool ball = kind_[i] == kBall;
    unit(&axis_[3 * i], 3, ball || kind_[i] == kFixed, "an axis of the tree is not of length 1");
    require(kind_[i] >= kFixed && kind_[i] <= kBall && parent_[i] >= -1 && parent_[i] < static_cast<int>(i),
            "a node is of an unknown kind, or comes before its parent");
    if (kind_[i] == kFixed) continue;
    require(number_[i] >= 0 && number_[i] <= nq - (ball ? 4 : 1) && step_[i] >= -1 && step_[i] <= nv - (ball ? 3 : 1),
            "a number or a step of a node is out of range");
  }
}

void Description::read_limits(const NamedArrays& b) {
  const std::size_t numbers = at(nq);
  lower = b.doubles("lower", numbers);
  upper = b.doubles("upper", numbers);
  rest = b.doubles("rest", numbers);
  speed = b.doubles("speed", numbers);
  moving = b.ints("moving", numbers);
  joint = b.ints("joint", numbers);
  for (std::size_t i = 0; i < numbers; ++i) {
    require(lower[i] <= upper[i], "a lower limit is above its upper limit, or not a number");
    require(speed[i] > 0.0, "a speed is not above 0");
  }
  all_within(rest, kFarthestSizes * std::max(size, 1.0), "a number of the rest pose is out of range");
  // balls and their cones
  balls = b.ints("balls");
  cone_number = b.ints("cone_number");
  const std::size_t cones = cone_number.size();
  cone_reference = b.doubles("cone_reference", 4 * cones);
  cone_basis = b.doubles("cone_basis", 9 * cones);
  cone_swing = b.doubles("cone_swing", 2 * cones);
  cone_twist = b.doubles("cone_twist", 2 * cones);
  all_within(cone_swing, kFarthestSizes, "a number of a cone is out of range");
  all_within(cone_twist, kPi, "a twist limit of a cone is not within half a turn");
  rotations(cone_basis, "the axes of a cone are not orthonormal");
  for (std::size_t c = 0; c < cones; ++c) {
    unit(&cone_reference[4 * c], 4, false, "the reference of a cone is not of length 1");
    require(cone_swing[2 * c] > 0.0 && cone_swing[2 * c + 1] > 0.0 && cone_twist[2 * c] <= cone_twist[2 * c + 1], "the range of a cone is empty");
  }
  for (std::size_t i = 0; i < numbers; ++i)
    require(moving[i] == kStays || moving[i] == kMoves ||
                ((moving[i] == kTwistHeld || moving[i] == kSwingHeld) &&
                 std::find(cone_number.begin(), cone_number.end(), static_cast<int>(i)) != cone_number.end()),
            "a number that may change is of an unknown kind, or is held without a cone");
  for (const auto* places : {&balls, &cone_number})
    for (const int k : *places) require(k >= 0 && k <= nq - 4, "a quaternion is out of range");
  // couplings
  for (std::size_t i = 0; i < source_.size(); ++i) {
    if (source_[i] < 0) continue;
    require(source_[i] < nq && number_[i] >= 0 && number_[i] < nq, "a coupled number is out of range");
    coupled.push_back(number_[i]);
    coupled_source.push_back(source_[i]);
    coupled_ratio.push_back(ratio_[i]);
    coupled_shift.push_back(shift_[i]);
  }
  // numbers that may become large: how far they may be from 0
  farthest.assign(numbers, std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < kind_.size(); ++i) {
    if (source_[i] >= 0 || kind_[i] == kFixed || kind_[i] == kBall) continue;
    const bool leads = std::find(source_.begin(), source_.end(), number_[i]) != source_.end();
    if (turns(kind_[i]) && !leads)
      turning.push_back(number_[i]);
    else
      farthest[at(number_[i])] = turns(kind_[i]) ? kFarthestAngle : kFarthestStart * size;
  }
}

bool Description::speeds(double every, double* out) const {
  std::copy(speed.begin(), speed.end(), out);
  for (std::size_t i = 0; i < kind_.size(); ++i)
    if (kind_[i] == kTurn || kind_[i] == kBall) std::fill_n(out + number_[i], kind_[i] == kBall ? 4 : 1, every);
  for (std::size_t i = kind_.size(); i-- > 0;) {  // a joint that others follow is limited by each of them
    if (source_[i] < 0) continue;
    const double ratio = std::fabs(ratio_[i]);
    for (std::size_t j = 0; kind_[i] == kTurn && j < kind_.size(); ++j)
      if (kind_[j] == kSlide && number_[j] == source_[i]) return false;
    if (ratio > 0.0) out[source_[i]] = std::min(out[source_[i]], out[number_[i]] / ratio);
  }
  return true;
}

}  // namespace manikin
