#include "manikin/quick.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace manikin {
namespace {

constexpr double kLeastDirection = 1e-300;  // of its largest coordinate, and
constexpr double kUnitTolerance = 1e-6;  // of the length of quaternions, as arrays.py has it

bool unit(const double* q) {
  const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  return square >= (1.0 - kUnitTolerance) * (1.0 - kUnitTolerance) && square <= (1.0 + kUnitTolerance) * (1.0 + kUnitTolerance);
}

void product(const double* a, const double* b, double* out) {
  const double r[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                       a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
  std::copy(r, r + 4, out);
}

constexpr double kRounding = 1e-12;   // radians that a quaternion may be off, and
constexpr double kNarrowest = 1e-15;  // least half angle of a cone, radians, as kinematics/swing_twist.py has them

// Whether a ball is within its cone and its range of twist, to rounding: as `swing_twist.excess` says.
bool inside(const double* q, const double* cone) {
  const double back[4] = {cone[0], -cone[1], -cone[2], -cone[3]};
  double m[4];
  product(back, q, m);
  product(m, cone + 4, m);
  const double length = std::sqrt(m[0] * m[0] + m[3] * m[3]);
  if (!(length > 1e-6)) return false;  // half a turn of swing: the twist is lost, and Python looks at it
  const double c = m[0] / length, s = m[3] / length;
  const double sx = m[1] * c - m[2] * s, sy = m[1] * s + m[2] * c, sine = std::sqrt(sx * sx + sy * sy);
  const double k = sine < 1e-8 ? 2.0 : 2.0 * std::atan2(sine, length) / sine;
  const double s1 = k * sx, s2 = k * sy, r1 = std::max(cone[8], kNarrowest), r2 = std::max(cone[9], kNarrowest);
  const double ratio = std::sqrt(s1 / r1 * (s1 / r1) + s2 / r2 * (s2 / r2)), swing = std::sqrt(s1 * s1 + s2 * s2);
  if (!(ratio <= 1.0)) {
    const double across = std::fabs(s1 * s2 * (1.0 / (r2 * r2) - 1.0 / (r1 * r1))) / (swing * ratio);
    if (!((ratio - 1.0) * length <= kRounding * (ratio / swing * length + across))) return false;
  }
  const double twist = 2.0 * std::atan2(s, c), turn = 6.283185307179586, slack = kRounding / length;
  for (double t = twist - turn; t <= twist + turn; t += turn)
    if (t >= cone[10] - slack && t <= cone[11] + slack) return true;
  return false;
}

void require_below(const std::vector<int>& places, int most) {
  for (int i : places)
    if (i < 0 || i >= most) throw std::invalid_argument("a place in the arrays of a quick solver is out of range");
}

bool same(const double* a, const double* b, std::size_t count) { return std::memcmp(a, b, count * sizeof(double)) == 0; }

}  // namespace

Quick::Quick(const Solver& solver, const QuickArrays& a)
    : solver_(solver),
      heading_(a.heading),
      width_(a.width),
      rest_(a.rest, a.rest + solver.problem().nq),
      lower_(a.lower, a.lower + solver.problem().nq),
      upper_(a.upper, a.upper + solver.problem().nq),
      cone_numbers_(a.cone_numbers, a.cone_numbers + 12 * a.cones.size()),
      weights_(a.weights, a.weights + solver.problem().goals),
      own_targets_(a.own_targets),
      share_(a.share),
      ratio_(a.ratio),
      shift_(a.shift),
      balls_(a.balls),
      cones_(a.cones),
      quaternions_(a.quaternions),
      directions_(a.directions),
      goal_of_(a.goal_of),
      coupled_(a.coupled),
      source_(a.source),
      last_(a.rest, a.rest + solver.problem().nq),
      arm_(a.width == solver.problem().target_width && a.coupled.empty() && solver.is_arm(a.weights)) {
  const double most = std::numeric_limits<double>::max();
  for (double& x : lower_) x = std::max(x, -most);
  for (double& x : upper_) x = std::min(x, most);
  require_below(balls_, nq() - 3);
  require_below(cones_, nq() - 3);
  require_below(quaternions_, solver.problem().target_width - 3);
  require_below(directions_, solver.problem().target_width - 2);
  require_below(goal_of_, goals());
  require_below(coupled_, nq());
  require_below(source_, nq());
  if (heading_ && (heading_->nq() != nq() || heading_->least_goals() > goals() || heading_->least_targets() > width_))
    throw std::invalid_argument("the heading of a quick solver does not fit its problem");
}

void Quick::start(const double* targets, double* q) const {
  if (heading_)
    heading_->start(targets, weights_.data(), q);
  else
    std::copy(rest_.begin(), rest_.end(), q);
}

bool Quick::sound_pose(const double* q) const {
  const std::size_t n = rest_.size();
  const bool hard = !balls_.empty();  // much is to be looked at
  if (hard && (same(q, last_.data(), n) || same(q, rest_.data(), n))) return true;
  int within = 1;  // bounds are finite, so these numbers too
  for (std::size_t i = 0; i < n; ++i) within &= int{q[i] >= lower_[i]} & int{q[i] <= upper_[i]};
  if (!within) return false;
  for (int i : balls_)
    if (!unit(q + i)) return false;
  for (std::size_t k = 0; k < cones_.size(); ++k)
    if (!inside(q + cones_[k], cone_numbers_.data() + 12 * k)) return false;
  for (std::size_t k = 0; k < coupled_.size(); ++k)
    if (q[coupled_[k]] != ratio_[k] * q[source_[k]] + shift_[k]) return false;
  return true;
}

bool Quick::sound_targets(const double* targets) const {
  double none = 0.0;
  for (int i = 0; i < width_; ++i) none += 0.0 * targets[i];
  if (!(none == 0.0)) return false;  // one is not finite
  for (int i : quaternions_)
    if (i < width_ && !unit(targets + i)) return false;
  for (int i : directions_)
    if (i < width_ && !(std::fabs(targets[i]) > kLeastDirection || std::fabs(targets[i + 1]) > kLeastDirection || std::fabs(targets[i + 2]) > kLeastDirection)) return false;
  return true;
}

void Quick::remember(const double* q) const { std::copy(q, q + nq(), last_.begin()); }

void Quick::give_errors(const double* measures, double* errors) const {
  std::fill(errors, errors + goals(), 0.0);
  for (std::size_t k = 0; k < goal_of_.size(); ++k) errors[goal_of_[k]] = std::max(errors[goal_of_[k]], measures[k] * share_[k]);
}

bool Quick::solve_soon(const SolveOptions& options, const double* targets, double* q, double* errors, SolveResult* result) const {
  double measures[2];
  if (!arm_ || !solver_.solve_arm(options, targets, weights_.data(), 0, place_, q, measures, result)) return false;
  give_errors(measures, errors);
  return true;
}

void Quick::solve(const SolveOptions& options, const double* targets, double* q, double* errors, SolveResult* result) const {
  thread_local std::vector<double> row, measures;
  row.assign(own_targets_.begin(), own_targets_.end());
  std::copy(targets, targets + width_, row.begin());
  measures.resize(static_cast<std::size_t>(solver_.measures()));
  solver_.solve_one(options, row.data(), weights_.data(), q, measures.data(), result);
  for (std::size_t k = 0; k < coupled_.size(); ++k) q[coupled_[k]] = ratio_[k] * q[source_[k]] + shift_[k];
  give_errors(measures.data(), errors);
}

}  // namespace manikin
