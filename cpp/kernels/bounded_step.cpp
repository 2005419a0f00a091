// The damped step within bounds. It follows src/manikin/reference/bounded.py name by name. Only the formation and solution of the linear systems
// differ.
#include "kernels/bounded_step.h"

#include "kernels/dense.h"
#include "math/isa.h"

namespace manikin {
namespace MANIKIN_ISA {
namespace {

using namespace dense;

// src/manikin/reference/bounded.py explains these constants.
constexpr double kFloor = 1e-7;
constexpr int kProximalSteps = 60;
constexpr int kPatience = 4;
constexpr int kCapPerAngle = 20;
constexpr double kSlack = 1e-13;
constexpr double kRowsSlack = 1e-14;
constexpr double kEpsilon = 2.220446049250313e-16;
constexpr double kSmallest = 1e-140;

enum Side { kAtLower = -1, kFree = 0, kAtUpper = 1 };

class BoundedStep {
 public:
  // Lays out the scaled problem in `work`.
  BoundedStep(const double* J_, int m_, int n_, const double* dX_, const double* lower_, const double* upper_, double per_unit, double* work)
      : m(m_), n(n_), lower(lower_), upper(upper_) {
    J = take(work, m * n), Jt = take(work, m * n), gram = take(work, n * n), factor = take(work, n * n);
    gathered = take(work, m * n), zeros = take(work, larger(m, n));
    dX = take(work, m), x = take(work, m), r = take(work, m), y = take(work, m);
    d = take(work, n), target = take(work, n), centre = take(work, n), last = take(work, n);
    inward = take(work, n), columns = take(work, n), e = take(work, n), g = take(work, n);
    int* whole = reinterpret_cast<int*>(work);
    side = whole, free = whole + n, barred = whole + 2 * n;

    for (int i = 0; i < m; ++i) {
      dX[i] = dX_[i] * per_unit;
      for (int j = 0; j < n; ++j) Jt[j * m + i] = J[i * n + j] = J_[i * n + j] * per_unit;
    }
    fill(zeros, larger(m, n), 0.0);
    norm = 0.0;
    for (int j = 0; j < n; ++j) {
      const double square = dot(Jt + j * m, Jt + j * m, m);
      columns[j] = __builtin_sqrt(square);
      norm += square;
      side[j] = lower[j] == upper[j] ? kAtLower : kFree;
      centre[j] = 0.0;
    }
    norm = __builtin_sqrt(norm);
  }

  static std::size_t work_size(int m_, int n_) {
    const std::size_t m = m_, n = n_;
    return 3 * m * n + 2 * n * n + larger(m_, n_) + 4 * m + 8 * n + 2 * n;  // 3 n ints fit in 2 n doubles
  }

  // Computes the minimum for this damping and the centre in `centre`, into d.
  void minimum(double damping) {
    if (!all_at_once(damping)) one_at_a_time(damping);
  }

  const int m, n;
  const double *lower, *upper;
  double *d, *centre, *last;
  double norm;
  int solves = 0;

 private:
  static double* take(double*& work, int count) {
    double* taken = work;
    work += count;
    return taken;
  }

  // Holds and frees as many angles as necessary, in rounds. Leaves a result within the bounds in d. Returns whether it is the minimum.
  bool all_at_once(double damping) {
    int fewest = n + 1, patience = kPatience;
    for (;;) {
      solve(damping);
      int changes = 0;
      for (int i = 0; i < n; ++i) {
        int now = inward[i] > 0.0 ? kFree : side[i];
        if (target[i] < lower[i]) now = kAtLower;
        if (target[i] > upper[i]) now = kAtUpper;
        changes += now != side[i];
        side[i] = now;
      }
      if (changes >= fewest) --patience;
      if (changes < fewest) fewest = changes, patience = kPatience;
      if (changes == 0 || patience == 0) {
        for (int i = 0; i < n; ++i) d[i] = clamped(target[i], lower[i], upper[i]);
        return changes == 0;
      }
    }
  }

  // Walks from d, within the bounds, to the minimum. The cap matters only for rounding: the walk ends by itself.
  void one_at_a_time(double damping) {
    int freed = -1;
    for (int i = 0; i < n; ++i) barred[i] = 0;
    for (int left = kCapPerAngle * (n + 1); left > 0; --left) {
      solve(damping);
      double share = 2.0;  // of the way to the target, up to the first bound
      for (int i = 0; i < n; ++i) {
        if (target[i] < lower[i] || target[i] > upper[i]) share = smaller(share, share_of(i));
      }
      if (share > 1.0) {
        // at the minimum over the free angles: free the held angle that gains most, or stop
        copy(d, target, n);
        freed = -1;
        for (int i = 0; i < n; ++i) {
          if (!barred[i] && inward[i] > (freed < 0 ? 0.0 : inward[freed])) freed = i;
        }
        if (freed < 0) return;
        side[freed] = kFree;
        continue;
      }
      for (int i = 0; i < n; ++i) {
        const bool past = target[i] < lower[i] || target[i] > upper[i];
        const bool first = past && share_of(i) == share;
        // only rounding can send a freed angle straight back: do not free it again from here
        if (share > 0.0) barred[i] = 0;
        if (share <= 0.0 && first && i == freed) barred[i] = 1;
        if (first) side[i] = target[i] < lower[i] ? kAtLower : kAtUpper;
        d[i] = first ? (target[i] < lower[i] ? lower[i] : upper[i]) : clamped(d[i] + share * (target[i] - d[i]), lower[i], upper[i]);
      }
    }
  }

  double share_of(int i) const {
    const double bound = target[i] < lower[i] ? lower[i] : upper[i];
    return clamped((bound - d[i]) / (target[i] - d[i]), 0.0, 1.0);
  }

  // Solves with the held angles at their bounds. The minimum over the free angles, which may be past their bounds, goes to `target`. How much the w
  // of each held angle points inward goes to `inward`; it is at most 0 if w does not point inward.
  void solve(double damping) {
    ++solves;
    int count = 0;
    copy(x, dX, m);
    for (int i = 0; i < n; ++i) {
      if (side[i] == kFree) free[count++] = i;
      target[i] = side[i] == kFree ? centre[i] : side[i] == kAtLower ? lower[i] : upper[i];
      if (target[i] != 0.0) add(x, -target[i], Jt + i * m, m);
    }
    if (count < m || !solve_rows(damping, count)) solve_columns(damping, count);
    const double square = damping * damping;
    for (int i = 0; i < n; ++i) {
      if (side[i] == kFree || lower[i] == upper[i]) {
        inward[i] = 0.0;
      } else {
        const double w = inward[i] - square * (target[i] - centre[i]);
        const double slack = columns[i] * size + square * (__builtin_fabs(target[i]) + __builtin_fabs(centre[i]));
        inward[i] = -side[i] * w - kSlack * slack;
      }
    }
  }

  // Solves (J_FᵀJ_F + λ²I) e = J_Fᵀx twice. Leaves d in target, Jᵀr of the held angles in inward, and the size of its terms in size.
  void solve_columns(double damping, int count) {
    const double square = damping * damping;
    form_gram(count, square);
    factorise(factor, count, square);
    for (int i = 0; i < count; ++i) e[i] = dot(Jt + free[i] * m, x, m);
    solve_factorised(factor, count, e);
    copy(r, x, m);
    for (int i = 0; i < count; ++i) add(r, -e[i], Jt + free[i] * m, m);
    for (int i = 0; i < count; ++i) g[i] = dot(Jt + free[i] * m, r, m) - square * e[i];
    solve_factorised(factor, count, g);

    size = __builtin_sqrt(dot(dX, dX, m));
    for (int i = 0; i < n; ++i) size += columns[i] * __builtin_fabs(target[i]);
    copy(r, x, m);
    for (int i = 0; i < count; ++i) {
      e[i] += g[i];
      target[free[i]] += e[i];
      size += columns[free[i]] * __builtin_fabs(e[i]);
      add(r, -e[i], Jt + free[i] * m, m);
    }
    for (int i = 0; i < n; ++i) {
      if (side[i] != kFree) inward[i] = dot(Jt + i * m, r, m);
    }
  }

  // Solves (J_F J_Fᵀ + λ²I) y = x twice, and e = J_Fᵀy. Leaves the same results as solve_columns. Returns false if y is too large, and then leaves x
  // and target unchanged.
  bool solve_rows(double damping, int count) {
    const double square = damping * damping;
    fill(factor, m * m, 0.0);
    for (int i = 0; i < count; i += 4) {
      const double* u[4];
      for (int p = 0; p < 4; ++p) u[p] = i + p < count ? Jt + free[i + p] * m : zeros;
      add_outer(factor, m, 0, u[0], u[1], u[2], u[3], 1.0);
    }
    for (int i = 0; i < m; ++i) factor[i * m + i] += square;
    factorise(factor, m, square);
    copy(y, x, m);
    solve_factorised(factor, m, y);
    copy(r, x, m);
    add(r, -square, y, m);
    for (int i = 0; i < count; ++i) add(r, -dot(Jt + free[i] * m, y, m), Jt + free[i] * m, m);
    solve_factorised(factor, m, r);
    add(y, 1.0, r, m);

    size = square * __builtin_sqrt(dot(y, y, m));
    const double lost = kEpsilon * (norm / damping) * (norm / damping);
    if (lost * lost * size > kRowsSlack * __builtin_sqrt(dot(x, x, m))) return false;
    copy(r, x, m);
    for (int i = 0; i < count; ++i) {
      e[i] = dot(Jt + free[i] * m, y, m);
      add(r, -e[i], Jt + free[i] * m, m);
    }
    fill(x, m, 0.0);
    for (int i = 0; i < count; ++i) {
      g[i] = dot(Jt + free[i] * m, r, m) - square * e[i];
      add(x, g[i], Jt + free[i] * m, m);
    }
    solve_factorised(factor, m, x);
    for (int i = 0; i < count; ++i) target[free[i]] += e[i] + (g[i] - dot(Jt + free[i] * m, x, m)) / square;
    for (int i = 0; i < n; ++i) {
      if (side[i] != kFree) inward[i] = square * dot(Jt + i * m, y, m);
    }
    return true;
  }

  // Computes J_FᵀJ_F + λ²I into factor. If JᵀJ is available, entries are copied from it, which pays if many angles are free.
  void form_gram(int count, double square) {
    if (!have_gram && 2 * count > n) {
      sum_of_squares(gram, J, n);
      have_gram = true;
    }
    if (have_gram) {
      for (int i = 0; i < count; ++i) {
        for (int j = i; j < count; ++j) factor[i * count + j] = gram[free[i] * n + free[j]];
      }
    } else {
      for (int k = 0; k < m; ++k) {
        for (int i = 0; i < count; ++i) gathered[k * count + i] = J[k * n + free[i]];
      }
      sum_of_squares(factor, gathered, count);
    }
    for (int i = 0; i < count; ++i) factor[i * count + i] += square;
  }

  // Computes the upper triangle of C = AᵀA for m rows of length `width`.
  void sum_of_squares(double* C, const double* A, int width) const {
    fill(C, width * width, 0.0);
    for (int k = 0; k < m; k += 4) {
      const double* u[4];
      for (int p = 0; p < 4; ++p) u[p] = k + p < m ? A + (k + p) * width : zeros;
      add_outer(C, width, 0, u[0], u[1], u[2], u[3], 1.0);
    }
  }

  double *J, *Jt, *gram, *factor, *gathered, *zeros;
  double *dX, *x, *r, *y, *target, *inward, *columns, *e, *g;
  int *side, *free, *barred;
  double size = 0.0;
  bool have_gram = false;
};

}  // namespace

std::size_t bounded_step_work(int m, int n) { return BoundedStep::work_size(m, n); }

int bounded_step(const double* J, int m, int n, const double* dX, double damping, const double* lower, const double* upper, double* step,
                 double* work) {
  // a power of two changes only the exponents; with it the squares neither overflow nor vanish
  double most = damping;
  for (int i = 0; i < m * n; ++i) most = larger(most, __builtin_fabs(J[i]));
  if (most <= kSmallest) {
    for (int i = 0; i < n; ++i) step[i] = clamped(0.0, lower[i], upper[i]);
    return 0;
  }
  int exponent;
  __builtin_frexp(most, &exponent);
  const double per_unit = __builtin_ldexp(1.0, 1 - exponent);
  BoundedStep problem(J, m, n, dX, lower, upper, per_unit, work);
  damping *= per_unit;

  const double floor = kFloor * problem.norm;
  if (damping >= floor) {
    problem.minimum(damping);
  } else {
    const double keep = 1.0 - (damping / floor) * (damping / floor);
    fill(problem.last, n, 0.0);
    for (int k = 0; k < kProximalSteps; ++k) {
      problem.minimum(floor);
      double moved = 0.0, largest = 0.0;
      for (int i = 0; i < n; ++i) {
        moved = larger(moved, __builtin_fabs(problem.d[i] - problem.last[i]));
        largest = larger(largest, __builtin_fabs(problem.d[i]));
        problem.last[i] = problem.d[i];
        problem.centre[i] = keep * problem.d[i];
      }
      if (moved <= kSlack * largest) break;
    }
  }
  copy(step, problem.d, n);
  return problem.solves;
}

}  // namespace MANIKIN_ISA
}  // namespace manikin
