// A track: frame after frame, each from the pose of the one before.
//
// A plain frame depends on the pose before it, its own targets and weights, and the time since the previous frame. It never depends on a later frame.
// Two optional passes follow: `escape` leaves a pose in which the figure is caught, and `refine` solves the frames around the edge of reach together.
// Neither pass makes a reached frame miss its goals.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "dispatch/backend.h"
#include "solve/solver.h"
#include "track/constants.h"
#include "track/frames.h"
#include "track/ready.h"

namespace manikin {

class Path;
struct SecondLook;

class Tracker {
 public:
  // `ready` is that of the solver and of the speed limits in `track`.
  Tracker(const Solver& solver, const SolveOptions& options, const TrackOptions& track, const Frames& frames, const double* start, Ready& ready);
  void run();

 private:
  // Plain frames (tracker.cpp)
  void plain();
  void note_time(long first, long t);
  struct Kept {
    std::vector<SolveResult> results;
    std::vector<double> poses, measures;
  };
  Kept keep() const;
  void take_back(const Kept& kept);
  void pass();
  void finer();
  bool loses(long first, long last, const std::vector<SolveResult>& other) const;
  void follow(long t, const double* before);
  void follow_levels(long t, const double* before);
  void search(long t, const double* before);
  void jump(long t, const double* before);
  void note_limit(long t, const double* before);
  bool passes() const { return track_.refine || track_.escape; }
  bool stopped() const { return options_.stopped && options_.stopped(options_.host); }
  void leave(long t) { std::fill(f_.results + t, f_.results + f_.count, kNotBegun); }  // marks the frames from t on
  bool met(const double* measure, const double* weight, int last_level) const;
  SolveResult known();
  SolveResult errors_at(long t, const double* q, double* measure);
  SolveResult errors_inside(long t, double* q, double* measure);
  SolveResult solve(const SolveOptions& options, long t, double* q, double* measure);
  SolveOptions frame_options(long t);
  const double* preferred(long t) const {  // null if frame t has no preferred pose
    const double* pose = track_.prefer ? track_.prefer + (track_.each_prefer ? t * f_.nq : 0) : nullptr;
    return pose && !std::isnan(pose[0]) ? pose : nullptr;
  }
  bool steered() const { return track_.prefer || track_.stay >= 0.0; }  // the arm kernels do not support these options

  // Frames that move on toward the preferred pose (settle.cpp)
  bool settles(long t) const { return track_.settle && preferred(t); }
  double settling_share(long t) const;
  const double* begin_settling(long t, const double* before);
  void settle_first();
  void go_part(const double* from, double share);
  void settle_frame(long t, const double* before);
  const double* pulled_to(long t) const { return settles(t) ? wished_.data() : preferred(t); }

  // Leaving a pose in which the figure is caught (escape.cpp)
  void escape();
  std::vector<double> goals_off(const double* measure) const;
  void note_kept(long t);
  void keep_goals(long t, const double* before, double* q);
  double off_on_the_way(long t, long target_of, const double* to);
  bool unfold(long t, OtherPose& other);
  void keep_idle(long t, double cost, OtherPose& other);
  bool find_escape(long t, int missed, OtherPose& other);
  bool escape_earlier(long t, OtherPose& other);
  bool escape_toward(long t, OtherPose& other);
  bool toward(long t, const double* from, const double* to, double* q) const;

  // Frames solved together (refine.cpp)
  void refine();
  void look_at(SecondLook& s);
  bool settle(SecondLook& s, Path& path, double near, int rounds);
  bool better(const SecondLook& s, bool stills) const;
  bool refine_stretch(long first, long last, double near, double inside, int rounds, const std::vector<char>& still);
  bool refine_stretch(long first, long last, int rounds, const std::vector<char>& still, long& left);

  const Solver& solver_;
  const Problem& problem_;
  const SolverKernels& kernel_;
  const SolveOptions options_;
  const TrackOptions& track_;
  Frames f_;
  const double* start_;  // (nq)
  Speeds& speeds_;
  ArmTrack& arm_;
  const Joints& joints_;
  const Workspace& workspace_;
  std::vector<double>&found_, &measured_, &weights_;  // scratch for another try at a frame
  std::vector<double> looked_at_;                     // (nq) a pose whose errors are computed
  std::vector<double> kept_;                          // (goals) with `escape`: weights of the goals that are kept during the move to another pose
  double clocked_ = 0.0;                              // end of the last frame, if frames are timed
  bool thorough_ = false;                             // whether frames prepare the offline passes: missed ones get more work
  bool fine_ = false;                                 // whether frames are solved to their minimum
  std::vector<double> begun_, wished_, room_, way_;   // with `settle`: see settle.cpp
  const double* bent_ = nullptr;                      // (nq) a pose before the missed frames; straight limbs bend to its side
};

}  // namespace manikin
