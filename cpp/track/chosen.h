// A track with alternatives. The member of an AnyOf is chosen in the first frame in which that goal counts, as for a single pose. It is then kept,
// because changing the member is a jump, and a track does not jump unless restarts are allowed. With restarts, a missed frame is also tried with the
// other members; a member that reaches the frame is kept from there on.
#pragma once
#include <vector>

#include "solve/query/query.h"

namespace manikin {

// The options of a track as a caller gives them.
struct TrackAsk {
  const double* dt = nullptr;     // (frames) seconds since the previous frame
  const double* speed = nullptr;  // (nq) radians or lengths per second; null: the figure's own limits
  bool continues = false;         // whether row 0 is the frame whose pose is the start; its answer means nothing
  bool refine = false, escape = false;
  double* seconds = nullptr;  // (frames) out, unless null: how long each plain frame took
  double stay = -1.0;         // weight of staying near the previous frame, in sizes squared per radian squared; below 0: the default
};

// Solves frame after frame from `rows.starts`, which is one pose or null.
void track(const Query& query, const Ask& ask, const TrackAsk& track, const Rows& rows, const Answers& answers);

// The frames of a track as complete rows of a query.
struct TrackRows {
  long count;
  const double* targets;  // (count, target_width)
  const double* weights;  // (goals), or (count, goals)
  bool each_weight;
  const double* prefer;  // (nq), or (count, nq) with each_prefer; null: no preferred pose
  bool each_prefer;
};

class ChosenTrack {
 public:
  ChosenTrack(const Query& query, const Ask& ask, const TrackAsk& track, const TrackRows& rows, const double* start, const Answers& answers);
  void run();

 private:
  using Shared = Choices::Shared;

  const double* weights(long t) const { return rows_.weights + (rows_.each_weight ? t * query_.goals() : 0); }
  WholeRow row(long t, const double* start) const;
  std::vector<double> begin(const Combination& goals) const;
  void follow(const Combination& goals, const double* before, long first, long count, const Answers& out) const;
  Shared best(const std::vector<std::vector<int>>& members, const std::vector<int>& asked, const double* before, long t, Found& found) const;
  std::vector<std::vector<int>> all() const;
  Shared choose() const;
  void meet_otherwise(const Combination& chosen, long first);
  void change_over(Shared chosen);
  Answers from(long t) const;

  const Query& query_;
  const Ask& ask_;
  const TrackAsk& track_;
  const TrackRows& rows_;
  const double* start_;  // (nq), or null
  const Answers& out_;
};

}  // namespace manikin
