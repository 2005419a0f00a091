#include "track/chosen.h"

#include <algorithm>
#include <limits>
#include <map>

#include "math/index.h"
#include "solve/query/shared_hooks.h"
#include "solve/query/shortfall.h"
#include "track/tracker.h"

namespace manikin {

ChosenTrack::ChosenTrack(const Query& query, const Ask& ask, const TrackAsk& track, const TrackRows& rows, const double* start,
                         const Answers& answers)
    : query_(query), ask_(ask), track_(track), rows_(rows), start_(start), out_(answers) {}

void ChosenTrack::run() {
  if (rows_.count == 0) return;
  const Shared chosen = query_.choices().any_of().empty() ? query_.choices().first() : choose();
  if (start_)
    follow(*chosen, start_, 0, rows_.count, out_);
  else
    follow(*chosen, begin(*chosen).data(), 0, rows_.count, out_);
  for (long t = 0; t < rows_.count; ++t) std::copy(chosen->members().begin(), chosen->members().end(), out_.chosen + t * query_.goals());
  if (query_.choices().any_of().empty()) return;
  meet_otherwise(*chosen, 0);
  if (ask_.restarts > 0) change_over(chosen);
}

WholeRow ChosenTrack::row(long t, const double* start) const {
  const long wide = query_.description().target_width;
  const double *targets = rows_.targets + t * wide, *own = weights(t);
  return WholeRow{start, std::vector<double>(targets, targets + wide), std::vector<double>(own, own + query_.goals())};
}

// Returns the pose (nq) at which the first frame starts.
std::vector<double> ChosenTrack::begin(const Combination& goals) const {
  std::vector<double> out(at(query_.nq()));
  query_.choices().start_of(goals, row(0, start_), out.data());
  return out;
}

Answers ChosenTrack::from(long t) const {
  return Answers{out_.poses + t * query_.nq(), out_.errors + t * query_.goals(), out_.endings + t, out_.chosen + t * query_.goals()};
}

// Solves some frames with one choice of members, from the pose before the first of them.
void ChosenTrack::follow(const Combination& goals, const double* before, long first, long count, const Answers& out) const {
  // weights with their priorities
  const long wide = query_.description().target_width, own = query_.goals(), measured = goals.solver().measures();
  std::vector<double> ranked;
  const double* weight = weights(first);
  if (!goals.weighs_plainly()) {
    std::vector<double> member(at(own));
    ranked.resize(at(rows_.each_weight ? count * own : own));
    for (long t = 0; t < (rows_.each_weight ? count : 1); ++t) {
      goals.weigh(weights(first + t), member.data());
      level_weights(goals, member.data(), ranked.data() + t * own);
    }
    weight = ranked.data();
  }
  // options of the core
  const std::vector<int>& levels = query_.description().goal_level;
  const double* speed = track_.speed ? track_.speed : query_.description().speed.data();
  const TrackOptions options{track_.dt + first,
                             speed,
                             goals.levels() > 1 ? levels.data() : nullptr,
                             track_.continues && first == 0,
                             track_.refine,
                             track_.escape,
                             track_.seconds ? track_.seconds + first : nullptr,
                             rows_.prefer ? rows_.prefer + (rows_.each_prefer ? first * query_.nq() : 0) : nullptr,
                             rows_.each_prefer,
                             track_.stay,
                             ask_.settle && rows_.prefer,
                             ask_.stiffness};
  // track
  Scratch scratch;
  const Borrowed ready(goals.solver(), speed);
  ready->results.resize(at(count));
  ready->measures.resize(at(count * measured));
  SolveResult* const results = ready->results.data();
  double* const measures = ready->measures.data();
  const Problem& problem = goals.solver().problem();
  const Frames frames{count,
                      problem.nq,
                      problem.target_width,
                      problem.goals,
                      measured,
                      options.dt,
                      rows_.targets + first * wide,
                      weight,
                      !rows_.each_weight,
                      out.poses,
                      measures,
                      results,
                      {}};
  Tracker(goals.solver(), goals.options(ask_, ask_.restarts, ask_.most, true, scratch), options, frames, before, *ready).run();
  if (!ask_.watch && ask_.stopped && ask_.stopped(ask_.host)) return;
  // answers
  frames.fill_not_begun(before);
  for (long t = 0; t < count; ++t) {
    const SolveResult& r = results[t];
    query_.limits().follow(out.poses + t * query_.nq());
    if (r.starts > 0)
      goals.give_errors(measures + t * measured, out.errors + t * own);
    else
      std::fill(out.errors + t * own, out.errors + (t + 1) * own, std::numeric_limits<double>::quiet_NaN());
    out.endings[t] = Ending{r.status, r.iterations, r.starts, r.limited};
  }
}

std::vector<std::vector<int>> ChosenTrack::all() const {
  std::vector<std::vector<int>> out{std::vector<int>(at(query_.goals()), 0)};
  for (const int g : query_.choices().any_of()) {
    const std::size_t count = out.size();
    for (int place = 1; place < query_.description().goal_members[at(g)]; ++place)
      for (std::size_t k = 0; k < count; ++k) {
        out.push_back(out[k]);
        out.back()[at(g)] = place;
      }
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Solves one frame from the pose before it with the best of several choices, the nearest first. Only the goals in `asked` decide.
ChosenTrack::Shared ChosenTrack::best(const std::vector<std::vector<int>>& members, const std::vector<int>& asked, const double* before, long t,
                                      Found& found) const {
  const WholeRow here = row(t, before);
  std::vector<double> start;
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t k = 0; k < members.size(); ++k) order.emplace_back(query_.choices().far_off(ask_, members[k], here, start, &asked), k);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Shared chosen;
  int used = 0;
  TrackAsk alone = track_;
  alone.continues = false;
  for (const auto& [far, k] : order) {
    if (chosen && found.ending.status == 0) break;
    const Shared goals = query_.choices().combination(members[k]);
    Found one{std::vector<double>(at(query_.nq())), std::vector<double>(at(query_.goals())), {}};
    query_.choices().start_of(*goals, here, start.data());
    const std::vector<double> from(start);
    std::vector<int> none(at(query_.goals()));
    Ask ask = ask_;
    ask.most = std::max(ask_.most - used, 0);
    ChosenTrack(query_, ask, alone, rows_, before, out_)
        .follow(*goals, from.data(), t, 1, Answers{one.pose.data(), one.errors.data(), &one.ending, none.data()});
    used += one.ending.iterations;
    if (!chosen || one.ending.status == 0 || misses_less(here.weights, *chosen, found.errors, *goals, one.errors)) {
      found = std::move(one);
      chosen = goals;
    }
  }
  found.ending.iterations = used;
  return chosen;
}

// Chooses the member of each AnyOf in the first frame in which the goal counts.
ChosenTrack::Shared ChosenTrack::choose() const {
  std::map<long, std::vector<int>> begins;  // frame -> goals
  for (const int g : query_.choices().any_of())
    for (long t = 0; t < rows_.count; ++t)
      if (weights(t)[g] > 0.0) {
        begins[t].push_back(g);
        break;
      }
  Shared chosen = query_.choices().first();
  for (const auto& [t, asked] : begins) {
    std::vector<std::vector<int>> left;
    for (const auto& members : all()) {
      bool fits = true;
      for (const int g : query_.choices().any_of())
        if (std::find(asked.begin(), asked.end(), g) == asked.end()) fits = fits && members[at(g)] == chosen->members()[at(g)];
      if (fits) left.push_back(members);
    }
    Found found;
    if (t == 0) {
      chosen = best(left, asked, start_, 0, found);
      continue;
    }
    std::vector<double> poses(at(t * query_.nq())), errors(at(t * query_.goals()));
    std::vector<Ending> endings(at(t));
    std::vector<int> none(at(t * query_.goals()));
    follow(*chosen, begin(*chosen).data(), 0, t, Answers{poses.data(), errors.data(), endings.data(), none.data()});
    chosen = best(left, asked, poses.data() + (t - 1) * query_.nq(), t, found);
  }
  return chosen;
}

// Looks at frames from `first` on that miss their goals with the chosen members. If the pose meets the goals with other members, these are recorded;
// the pose does not change.
void ChosenTrack::meet_otherwise(const Combination& chosen, long first) {
  std::vector<double> member(at(query_.goals())), errors(member);
  for (const auto& members : all()) {
    if (members == chosen.members()) continue;
    const Shared goals = query_.choices().combination(members);
    for (long t = first; t < rows_.count; ++t) {
      if (out_.endings[t].status == 0) continue;
      goals->weigh(weights(t), member.data());
      if (goals->errors_at(ask_, rows_.targets + t * query_.description().target_width, member.data(), out_.poses + t * query_.nq(), errors.data())
              .status != 0)
        continue;
      std::copy(errors.begin(), errors.end(), out_.errors + t * query_.goals());
      out_.endings[t].status = 0;
      std::copy(members.begin(), members.end(), out_.chosen + t * query_.goals());
    }
  }
}

// Tries other members in frames that are missed. Members that reach a frame are kept from that frame on.
void ChosenTrack::change_over(Shared chosen) {
  const std::vector<std::vector<int>> every = all();
  for (long t = 1; t < rows_.count; ++t) {  // the first frame has already tried all members
    if (out_.endings[t].status == 0 || (ask_.clock && ask_.clock() > ask_.deadline)) continue;
    std::vector<std::vector<int>> others;
    for (const auto& members : every)
      if (members != chosen->members()) others.push_back(members);
    Found found;
    const double* before = out_.poses + (t - 1) * query_.nq();
    const Shared other = best(others, query_.choices().any_of(), before, t, found);
    if (found.ending.status != 0) continue;
    chosen = other;
    std::vector<int> used;
    for (long k = t; k < rows_.count; ++k) used.push_back(out_.endings[k].iterations);
    const std::vector<double> from(before, before + query_.nq());
    follow(*chosen, from.data(), t, rows_.count - t, this->from(t));
    for (long k = t; k < rows_.count; ++k) {
      out_.endings[k].iterations += used[at(k - t)];
      std::copy(chosen->members().begin(), chosen->members().end(), out_.chosen + k * query_.goals());
    }
    meet_otherwise(*chosen, t);
  }
}

void track(const Query& query, const Ask& ask, const TrackAsk& track, const Rows& rows, const Answers& answers) {
  const long wide = query.description().target_width, goals = query.goals(), width = query.width();
  TrackRows whole{rows.count, rows.targets, query.description().goal_weight.data(), rows.each_weight, rows.prefer, rows.each_prefer};
  std::vector<double> targets, weights;
  if (!(rows.targets && rows.each_target && !rows.weights && wide == width)) {  // otherwise the caller's rows are complete
    targets.resize(at(rows.count * wide));
    for (long t = 0; t < rows.count; ++t)
      query.whole_targets(rows.targets ? rows.targets + (rows.each_target ? t * width : 0) : nullptr, rows.weights, targets.data() + t * wide);
    whole.targets = targets.data();
  }
  if (rows.weights) {
    weights.resize(at((rows.each_weight ? rows.count : 1) * goals));
    for (long t = 0; t < (rows.each_weight ? rows.count : 1); ++t)
      query.whole_weights(rows.weights + t * query.own_goals(), weights.data() + t * goals);
    whole.weights = weights.data();
  }
  SharedHooks hooks(ask);
  ChosenTrack(query, hooks.ask(), track, whole, rows.starts, answers).run();
}

}  // namespace manikin
