#include <cmath>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "dispatch/backend.h"
#include "include/manikin.h"
#include "math/index.h"
#include "model/require.h"
#include "solve/query/query.h"
#include "track/chosen.h"

struct manikin_problem {
  manikin::Query query;
};

namespace {

using manikin::Ask;
using manikin::at;
using manikin::Ending;
using manikin::Query;
using manikin::require;

thread_local std::string last_error;

// Runs a function that may throw. Returns 0 if it did not throw.
template <class Work>
int guarded(const Work& work) {
  last_error.clear();
  try {
    work();
    return 0;
  } catch (const std::exception& e) {
    try {
      last_error = e.what();
    } catch (...) {
    }
  } catch (...) {
    last_error = "unknown error";
  }
  return 1;
}

// The rows of a call: copies of the caller's arrays, checked.
struct Call {
  const Query& query;
  std::vector<double> start, targets, weights;
  double violation = 0.0;

  Call(const Query& q, long count, const double* given_start, const double* given_targets, const double* given_weights) : query(q) {
    if (given_start) {
      start.assign(given_start, given_start + q.nq());
      violation = q.bring_in(start.data());
    }
    if (given_weights) {
      weights.assign(given_weights, given_weights + q.own_goals());
      for (const double w : weights) require(w >= 0.0 && w <= manikin::kLargestGoalWeight, "a weight is below 0, too large, or not a number");
    }
    if (!given_targets) return;
    targets.assign(given_targets, given_targets + count * q.width());
    for (long b = 0; b < count; ++b) {
      const std::string wrong = q.bad_targets(targets.data() + b * q.width(), given_weights ? weights.data() : nullptr, b);
      if (!wrong.empty()) throw std::invalid_argument(wrong);
    }
  }

  manikin::Rows rows(long count) const {
    manikin::Rows out;
    out.count = count;
    out.starts = start.empty() ? nullptr : start.data();
    out.targets = targets.empty() ? nullptr : targets.data();
    out.each_target = count > 1;
    out.weights = weights.empty() ? nullptr : weights.data();
    return out;
  }
};

Ask ask_of(const manikin_options& o) {
  require(o.restarts >= manikin::kUsualRestarts && o.iterations >= 0 && o.threads >= 1 && o.budget >= 0.0, "an option is out of range");
  Ask ask;
  ask.restarts = o.restarts;
  ask.most = o.iterations;
  ask.seed = o.seed;
  ask.deadline = manikin::seconds() + o.budget;
  ask.clock = manikin::seconds;
  ask.pick = o.first ? manikin::Pick::kFirst : manikin::Pick::kNear;
  return ask;
}

// Solves or tracks rows, and copies the answers out.
template <class Run>
int answered(const manikin_problem* problem, const manikin_options* options, long count, const double* start, const double* targets,
             const double* weights, double* poses, double* errors, int* chosen, manikin_result* results, const Run& run) {
  return guarded([&] {
    require(problem && poses && count >= 0, "a problem, room for the poses, or the number of rows is missing");
    const manikin_options given = options ? *options : manikin_defaults();
    const Query& query = problem->query;
    const Call call(query, count, start, targets, weights);
    std::vector<double> own_errors(errors ? 0 : at(count * query.goals()));
    std::vector<int> own_chosen(chosen ? 0 : at(count * query.goals()));
    std::vector<Ending> endings(at(count));
    const manikin::Answers answers{poses, errors ? errors : own_errors.data(), endings.data(), chosen ? chosen : own_chosen.data()};
    run(query, given, ask_of(given), call.rows(count), answers);
    for (long b = 0; results && b < count; ++b) results[b] = manikin_result{endings[at(b)].status, endings[at(b)].iterations, call.violation};
  });
}

}  // namespace

manikin_options manikin_defaults(void) { return manikin_options{manikin::kUsualRestarts, 1000000, 0, HUGE_VAL, 0, 1, 1.0 / 30.0, nullptr, 0, 0}; }

const char* manikin_error(void) { return last_error.c_str(); }

int manikin_use(const char* kernels) {
  return guarded([&] {
    require(kernels != nullptr, "the name is null");
    manikin::use_kernels(kernels);
  });
}

manikin_problem* manikin_open(const void* block, size_t bytes) {
  manikin_problem* out = nullptr;
  guarded([&] {
    require(block != nullptr, "the block is null");
    out = new manikin_problem{Query(block, bytes)};
  });
  return out;
}

void manikin_close(manikin_problem* problem) { delete problem; }

int manikin_numbers(const manikin_problem* problem) { return problem->query.nq(); }
int manikin_goals(const manikin_problem* problem) { return problem->query.goals(); }
int manikin_weights(const manikin_problem* problem) { return problem->query.own_goals(); }
int manikin_targets(const manikin_problem* problem) { return problem->query.width(); }
int manikin_segments(const manikin_problem* problem) { return problem->query.kinematics().tree().segments; }

int manikin_solve(const manikin_problem* problem, const manikin_options* options, const double* start, const double* targets, const double* weights,
                  double* pose, double* errors, int* chosen, manikin_result* result) {
  return manikin_solve_many(problem, options, 1, start, targets, weights, pose, errors, chosen, result);
}

int manikin_solve_many(const manikin_problem* problem, const manikin_options* options, long count, const double* start, const double* targets,
                       const double* weights, double* poses, double* errors, int* chosen, manikin_result* results) {
  return answered(problem, options, count, start, targets, weights, poses, errors, chosen, results,
                  [](const Query& query, const manikin_options& given, const Ask& ask, const manikin::Rows& rows, const manikin::Answers& answers) {
                    query.solve(ask, rows, answers, given.threads);
                  });
}

int manikin_track(const manikin_problem* problem, const manikin_options* options, long count, const double* start, const double* targets,
                  const double* weights, double* poses, double* errors, int* chosen, manikin_result* results) {
  manikin_options plain = options ? *options : manikin_defaults();
  if (plain.restarts < 0) plain.restarts = 0;
  return answered(problem, &plain, count, start, targets, weights, poses, errors, chosen, results,
                  [](const Query& query, const manikin_options& given, const Ask& ask, const manikin::Rows& rows, const manikin::Answers& answers) {
                    require(given.dt > 0.0 && given.dt < HUGE_VAL, "dt must be above 0");
                    const std::vector<double> dt(at(rows.count), given.dt);
                    for (int i = 0; given.max_speed && i < query.nq(); ++i) require(given.max_speed[i] > 0.0, "a speed must be above 0");
                    manikin::TrackAsk how;
                    how.dt = dt.data();
                    how.speed = given.max_speed;
                    how.refine = given.refine != 0;
                    how.escape = given.escape != 0;
                    manikin::track(query, ask, how, rows, answers);
                  });
}

int manikin_placements(const manikin_problem* problem, const double* pose, double* placements) {
  return guarded([&] {
    require(problem && pose && placements, "a problem, a pose, or room for the placements is missing");
    require(problem->query.limits().unusable(pose) < 0, "a number of the pose is not finite, or a quaternion is not of length 1");
    problem->query.kinematics().placements(pose, 1, nullptr, problem->query.kinematics().tree().segments, placements, 1);
  });
}
