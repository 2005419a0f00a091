// A smooth path through frames that are solved together.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "track/constants.h"
#include "track/joints.h"

namespace manikin {

// The smooth copies of a stretch of frames. The frame before the stretch is fixed; so is the one after it, unless the track ends there.
class Path {
 public:
  // poses: (count + 2, nq), of which the first and the last are fixed; dt: (count + 1) seconds between them; inside: fraction of the speed limits
  // that may be used; still: (count + 1, width), 1 where no turn is allowed. `ends`: the last pose and the turn to it do not count.
  Path(const Joints& joints, long nq, long count, bool ends, const std::vector<double>& poses, const double* dt, double inside, const char* still)
      : joints_(joints),
        nq_(nq),
        count_(count),
        turns_count_(ends ? count : count + 1),
        width_(joints.width()),
        dt_(dt),
        inside_(inside),
        still_(still),
        poses_(poses) {
    const std::size_t turns = static_cast<std::size_t>((count + 1) * width_), frames = static_cast<std::size_t>(count);
    turns_.resize(turns);
    boxed_.resize(turns);
    pressure_.assign(turns, 0.0);
    pressed_.resize(turns);
    wishes_.resize(frames * static_cast<std::size_t>(width_));
    moves_.resize((frames + 2) * static_cast<std::size_t>(width_));
    upper_.resize(frames);
    right_.resize(frames);
  }

  double* pose(long i) { return poses_.data() + (i + 1) * nq_; }
  std::vector<double>& poses() { return poses_; }

  // Moves the path toward the wanted poses, each with its weight. Returns the largest movement.
  double follow(const double* wanted, const std::vector<double>& firm) {
    for (long i = 0; i < turns_count_; ++i) joints_.way(pose(i - 1), pose(i), turns_.data() + i * width_);
    for (long i = 0; i < count_; ++i) joints_.way(pose(i), wanted + i * nq_, wishes_.data() + i * width_);
    std::fill(moves_.begin(), moves_.end(), 0.0);
    for (int press = 0; press < kPresses; ++press) {
      const bool free = !press_into_boxes();
      for (int k = 0; k < width_; ++k) move_joint(k, firm);
      if (free && press > 0) break;
    }
    double most = 0.0;
    for (double x : moves_) most = std::max(most, std::fabs(x));
    for (long i = 0; i < count_; ++i) joints_.go(pose(i), moves_.data() + (i + 1) * width_, 1.0, pose(i));
    return most;
  }

 private:
  // Clips turns, after the moves and with their pressure added, to their speed limits. The part that is cut off becomes the new pressure. Returns
  // false if no turn exceeded its limit.
  bool press_into_boxes() {
    bool any = false;
    for (long i = 0; i < turns_count_; ++i) {
      const double *before = moves_.data() + i * width_, *after = before + width_;
      for (const Joints::Joint& j : joints_.all()) {
        double turn[3], square = 0.0;
        for (int k = 0; k < j.width; ++k) {
          const long at = i * width_ + j.first + k;
          turn[k] = turns_[at] + after[j.first + k] - before[j.first + k] + pressure_[at];
          if (!still_[at]) square += turn[k] * turn[k];
        }
        const double most = inside_ * j.limit() * dt_[i];
        const bool beyond = square > most * most;
        const double share = beyond ? most / std::sqrt(square) : 1.0;
        for (int k = 0; k < j.width; ++k) {
          const long at = i * width_ + j.first + k;
          boxed_[at] = still_[at] ? 0.0 : share * turn[k];
          pressure_[at] = turn[k] - boxed_[at];
          pressed_[at] = static_cast<char>(beyond || still_[at]);
          any |= pressed_[at] != 0;
        }
      }
    }
    return any;
  }

  // Computes the moves of number k: least squares of the wishes, of the turns, and of the turns that are pressed into their limits.
  void move_joint(int k, const std::vector<double>& firm) {
    auto stiff = [&](long i) { return i < turns_count_ ? kSmooth + (pressed_[i * width_ + k] ? kFirm : 0.0) : 0.0; };
    auto pull = [&](long i) {
      const long at = i * width_ + k;
      if (i >= turns_count_) return 0.0;
      return kSmooth * turns_[at] + (pressed_[at] ? kFirm * (turns_[at] - boxed_[at] + pressure_[at]) : 0.0);
    };
    for (long i = 0; i < count_; ++i) {
      const double carried = i > 0 ? stiff(i) * upper_[i - 1] : 0.0;
      const double pivot = firm[i] + stiff(i) + stiff(i + 1) + carried;
      upper_[i] = -stiff(i + 1) / pivot;
      right_[i] = (firm[i] * wishes_[i * width_ + k] - pull(i) + pull(i + 1) + (i > 0 ? stiff(i) * right_[i - 1] : 0.0)) / pivot;
    }
    for (long i = count_ - 2; i >= 0; --i) right_[i] -= upper_[i] * right_[i + 1];
    for (long i = 0; i < count_; ++i) moves_[(i + 1) * width_ + k] = right_[i];
  }

  const Joints& joints_;
  const long nq_, count_, turns_count_;
  const int width_;
  const double* dt_;
  const double inside_;
  const char* still_;
  std::vector<double> poses_;
  std::vector<double> turns_, boxed_, pressure_;  // (count + 1, width) between the frames
  std::vector<char> pressed_;
  std::vector<double> wishes_, moves_;  // (count, width); moves_ also has the two fixed frames
  std::vector<double> upper_, right_;
};

}  // namespace manikin
