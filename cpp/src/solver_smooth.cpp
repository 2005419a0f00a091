// The second look at a track. A frame that only knows the one before comes late at the edge of reach: there joints have to turn
// fastest, and what they do in haste is undone a few frames on. So the frames around the edge are solved again, each from the middle
// between its two neighbours, forth and back until they rest. Every such solve lessens the sum of all costs and of the squared turns
// from frame to frame; and since it looks both ways, nothing comes late.
#include <algorithm>
#include <cmath>
#include <vector>

#include "frame_box.h"
#include "joints.h"
#include "manikin/backend.h"
#include "manikin/solver.h"

namespace manikin {
namespace {

constexpr long kStretch = 3;           // frames that are missed one after the other make an edge at both ends,
constexpr double kBrisk = 0.3;         // if a joint turns there by this share of its box:
constexpr long kAround = 40;           // so many frames on each side are looked at,
constexpr long kNearby = 20;           // and so many beside a missed frame
constexpr double kFull = 0.9;          // in which a joint turns by this share of its box
constexpr int kSweeps = 40;
constexpr long kMost = 3000, kShare = 4;  // solves, and solves for each frame of the track
constexpr double kBeyond = 1.5;        // times the way to the middle: further settles sooner
constexpr double kHold = 2e-4;         // weight of staying near the middle,
constexpr double kMissedHold = 1e-4;   // and in frames out of reach, which are to be as near as can be
constexpr double kRest = 5e-5;         // radians; a frame rests while it and its neighbours move less

// Which frames are looked at again: how far each moved last, 0 for those that stay as they are.
std::vector<double> around_edges(long frames, long nq, const double* q, const SolveResult* results, const std::vector<double>& box,
                                 const std::vector<char>& going, const Joints& joints) {
  std::vector<double> moves(static_cast<std::size_t>(frames), 0.0), haste(static_cast<std::size_t>(frames), 0.0);
  auto mark = [&](long t, long around) {  // the first frame and the last have one neighbour only
    for (long s = std::max<long>(1, t - around); s <= std::min(frames - 2, t + around); ++s) moves[static_cast<std::size_t>(s)] = 1.0;
  };
  auto brisk = [&](long t) {
    for (long s = std::max<long>(1, t - kNearby); s <= std::min(frames - 1, t + kNearby); ++s) {
      double& h = haste[static_cast<std::size_t>(s)];
      if (h == 0.0) h = joints.turned(q + (s - 1) * nq, q + s * nq) / box[static_cast<std::size_t>(s)] + 1e-300;
      if (h >= kBrisk) return true;
    }
    return false;
  };
  for (long t = 0; t < frames;) {
    long end = t;
    while (end < frames && !results[end].reached) ++end;
    if (end - t >= kStretch) {
      if (t > 0 && brisk(t)) mark(t, kAround);
      if (end < frames && brisk(end)) mark(end, kAround);
      for (long s = std::max<long>(1, t); s < end; ++s)
        if (joints.turned(q + (s - 1) * nq, q + s * nq) >= kFull * box[static_cast<std::size_t>(s)]) mark(s, kNearby);
    }
    t = std::max(end, t + 1);
  }
  for (std::size_t t = 0; t < moves.size(); ++t)
    if (going[t]) moves[t] = 0.0;
  return moves;
}

}  // namespace

void Solver::smooth(long frames, const SolveOptions& options, const double* targets, const double* weights, bool one_weights,
                    const std::vector<char>& going, double* q, double* measures, SolveResult* results, void* workspace) const {
  const long nq = problem_.nq, width = problem_.target_width, counted = this->measures();
  if (frames < 3 || std::all_of(results, results + frames, [](const SolveResult& r) { return r.reached != 0; })) return;
  auto weights_at = [&](long t) { return weights + (one_weights ? 0 : t * problem_.goals); };
  std::vector<double> box(static_cast<std::size_t>(frames));
  for (long t = 1; t < frames; ++t)
    box[static_cast<std::size_t>(t)] = box_of_frame(moved(targets + (t - 1) * width, targets + t * width, weights_at(t - 1), weights_at(t)));
  const Joints joints(problem_, nodes_);
  std::vector<double> moves = around_edges(frames, nq, q, results, box, going, joints);
  std::vector<double> old_pose(static_cast<std::size_t>(nq)), old_measures(static_cast<std::size_t>(counted)), room(nodes_.size());
  const SolverKernels& kernel = solver_kernels();
  long left = kMost + kShare * frames;
  bool rests = false;
  for (int sweep = 0; sweep < kSweeps && !rests; ++sweep) {
    rests = true;
    for (long i = 1; i < frames - 1; ++i) {
      const long t = sweep % 2 ? i : frames - 1 - i;
      const std::size_t at = static_cast<std::size_t>(t);
      if (moves[at] == 0.0 || !(std::max(std::max(moves[at - 1], moves[at + 1]), moves[at]) > kRest)) continue;
      if (left-- <= 0 || results[t].iterations >= options.most || options.clock() > options.deadline) return;
      double *mine = q + t * nq, *measure = measures + t * counted;
      const double *before = mine - nq, *after = mine + nq;
      const SolveResult old = results[t];
      std::copy(mine, mine + nq, old_pose.begin());
      std::copy(measure, measure + counted, old_measures.begin());
      joints.begin(before, after, old_pose.data(), sweep + 2 < kSweeps ? kBeyond : 1.0, box[at], box[at + 1], mine, room.data());
      SolveOptions now = options;
      now.frame = now.tracking = 1;
      now.most = options.most - old.iterations;
      now.strained = old.reached ? 0 : 1;
      now.room = room.data();
      now.hold = old.reached ? kHold : kMissedHold;
      kernel.solve(problem_, now, targets + t * width, weights_at(t), mine, measure, results + t, workspace);
      const int iterations = results[t].iterations + old.iterations;
      const double way = joints.squares(before, mine) + joints.squares(mine, after);
      const double old_way = joints.squares(before, old_pose.data()) + joints.squares(old_pose.data(), after);
      if (!(results[t].cost + 0.5 * now.hold * way <= old.cost + 0.5 * now.hold * old_way)) {
        std::copy(old_pose.begin(), old_pose.end(), mine);
        std::copy(old_measures.begin(), old_measures.end(), measure);
        results[t] = old;
      }
      results[t].iterations = iterations;
      moves[at] = joints.turned(old_pose.data(), mine) + 1e-300;
      rests = rests && moves[at] <= kRest;
    }
  }
}

}  // namespace manikin
