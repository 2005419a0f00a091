// The table of starts of an arm.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "compile/arm.h"
#include "compile/arm_end.h"
#include "compile/constants.h"

namespace manikin {

using namespace arm_end;

const Arm& CompiledArm::with_table() const {
  if (!ready_.load(std::memory_order_acquire))
    std::call_once(made_, [this] {
      make_table();
      ready_.store(true, std::memory_order_release);
    });
  return arm_;
}

void CompiledArm::make_table() const {
  const int between = arm_.count - 2;
  // points that fill the box evenly: multiples of the powers of a generalised golden ratio (Roberts' R sequence)
  double ratio = 1.5;
  for (int k = 0; k < 60; ++k) ratio = std::pow(1.0 + ratio, 1.0 / (between + 1));
  struct Entry {
    float feature[5], row[kArmRow];
    double r, z;
  };
  std::vector<Entry> entries;
  for (int k = 0; k < 8 * kEntries && static_cast<int>(entries.size()) < kEntries; ++k) {
    double q[kMostArm] = {}, power = 1.0;
    q[0] = -arm_.joint[0].theta;
    q[arm_.count - 1] = -arm_.joint[arm_.count - 1].theta;
    for (int i = 1; i <= between; ++i) {
      power /= ratio;
      const double t = std::fmod(0.5 + (k + 1) * power, 1.0);
      const ArmJoint& j = arm_.joint[i];
      const double low = j.boxed ? j.lower + kMargin * (j.upper - j.lower) : -kPi, high = j.boxed ? j.upper - kMargin * (j.upper - j.lower) : kPi;
      q[i] = low + t * (high - low);
    }
    const End end = end_of(arm_, q);
    // some arms have few poses far from singular ones; then nearer poses are accepted too
    const double least = k < 4 * kEntries ? kLeastSingular : 0.0;
    if (least_singular(end.J, arm_.count) < least) continue;
    Entry e{};
    e.r = std::hypot(end.at.p[0], end.at.p[1]);
    e.z = end.at.p[2];
    const double c = e.r > 1e-9 ? end.at.p[0] / e.r : 1.0, s = e.r > 1e-9 ? end.at.p[1] / e.r : 0.0;
    const Vector& a = end.at.z;
    const double features[5] = {3.0 * e.r, 3.0 * e.z, a[0] * c + a[1] * s, a[1] * c - a[0] * s, a[2]};
    for (int f = 0; f < 5; ++f) e.feature[f] = static_cast<float>(features[f]);
    for (int i = 0; i < between; ++i) e.row[i] = static_cast<float>(q[i + 1]);
    for (int i = 0; i < 3; ++i) {
      e.row[8 + i] = static_cast<float>(end.at.x[static_cast<std::size_t>(i)]);
      e.row[11 + i] = static_cast<float>(end.at.y[static_cast<std::size_t>(i)]);
    }
    e.row[14] = static_cast<float>(c);
    e.row[15] = static_cast<float>(s);
    entries.push_back(e);
  }
  double far = 1e-9, low = 1e300, high = -1e300;
  for (const Entry& e : entries) {
    far = std::max(far, e.r);
    low = std::min(low, e.z);
    high = std::max(high, e.z);
  }
  ArmTable& t = arm_.table;
  t.per_r = static_cast<float>(kCellsR / (3.0 * far * (1.0 + 1e-6)));
  t.per_z = static_cast<float>(kCellsZ / (3.0 * std::max(high - low, 1e-9) * (1.0 + 1e-6)));
  t.least_z = static_cast<float>(3.0 * low);
  auto cell = [&](const Entry& e) {
    auto at = [](float x, int cells) { return std::min(std::max(static_cast<int>(x), 0), cells - 1); };
    return at(e.feature[0] * t.per_r, kCellsR) * kCellsZ + at((e.feature[1] - t.least_z) * t.per_z, kCellsZ);
  };
  std::stable_sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) { return cell(a) < cell(b); });
  cells_.assign(kCellsR * kCellsZ + 1, 0);
  for (const Entry& e : entries) ++cells_[static_cast<std::size_t>(cell(e)) + 1];
  std::partial_sum(cells_.begin(), cells_.end(), cells_.begin());
  for (std::vector<float>& f : features_) f.assign(entries.size() + 8, 1e9f);
  rows_.assign((entries.size() + 8) * kArmRow, 0.0f);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    for (int f = 0; f < 5; ++f) features_[f][k] = entries[k].feature[f];
    std::copy(entries[k].row, entries[k].row + kArmRow, rows_.begin() + static_cast<long>(k * kArmRow));
  }
  t.count = static_cast<int>(entries.size());
  for (int f = 0; f < 5; ++f) t.feature[f] = features_[f].data();
  t.row = rows_.data();
  t.cell = cells_.data();
}

}  // namespace manikin
