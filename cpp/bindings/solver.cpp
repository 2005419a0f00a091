#include "manikin/solver.h"

#include <nanobind/ndarray.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <vector>

#include "manikin/backend.h"
#include "module.h"

namespace nb = nanobind;
using manikin::Solver;

namespace {

using In = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Ints = nb::ndarray<const int, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Out = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OutInts = nb::ndarray<int, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void write_counts(const std::vector<manikin::SolveResult>& results, int* counts) {
  for (std::size_t b = 0; b < results.size(); ++b) {
    counts[4 * b] = results[b].status;
    counts[4 * b + 1] = results[b].iterations;
    counts[4 * b + 2] = results[b].starts;
    counts[4 * b + 3] = results[b].sweeps;
  }
}

// Whether there is one row of weights for all queries.
bool check(const Solver& s, const Out& q, const In& targets, const In& weights, const Out& measures, const OutInts& counts) {
  const manikin::Problem& p = s.problem();
  const std::size_t count = q.shape(0);
  require(q.shape(1) == static_cast<std::size_t>(p.nq), "poses have the wrong shape");
  require(targets.ndim() == 2 && targets.shape(0) == count && targets.shape(1) == static_cast<std::size_t>(p.target_width), "targets have the wrong shape");
  const bool one = weights.ndim() == 1;
  require((one || weights.ndim() == 2) && weights.shape(weights.ndim() - 1) == static_cast<std::size_t>(p.goals) && (one || weights.shape(0) == count),
          "weights have the wrong shape");
  require(measures.shape(0) == count && measures.shape(1) == static_cast<std::size_t>(s.measures()), "measures have the wrong shape");
  require(counts.shape(0) == count && counts.shape(1) == 4, "counts have the wrong shape");
  return one;
}

manikin::SolveOptions options_of(int restarts, int iterations, int most, bool tracking, unsigned long long seed, double budget) {
  return manikin::SolveOptions{iterations, most, restarts, tracking ? 1 : 0, 0, 0, seed, seconds() + budget, seconds};
}

// q (B, nq) is start and result; measures (B, parts); counts (B, 4): status, iterations, starts, sweeps.
void solve_many(const Solver& s, const Out& q, const In& targets, const In& weights, const Out& measures, const OutInts& counts, int restarts,
                int iterations, int most, bool tracking, unsigned long long seed, double budget, int threads) {
  const bool one = check(s, q, targets, weights, measures, counts);
  std::vector<manikin::SolveResult> results(q.shape(0));
  const manikin::SolveOptions options = options_of(restarts, iterations, most, tracking, seed, budget);
  double *qs = q.data(), *ms = measures.data();
  const double *ts = targets.data(), *ws = weights.data();
  {
    nb::gil_scoped_release release;
    s.solve_many(static_cast<long>(results.size()), options, ts, ws, one, qs, ms, results.data(), threads);
  }
  write_counts(results, counts.data());
}

void track(const Solver& s, const In& start, const Out& q, const In& targets, const In& weights, const Out& measures, const OutInts& counts,
           const In& dt, const In& speed, const nb::object& levels, bool continues, bool refine, bool escape, int restarts, int iterations, int most,
           unsigned long long seed, double budget) {
  const bool one = check(s, q, targets, weights, measures, counts);
  require(start.ndim() == 1 && start.shape(0) == q.shape(1), "start has the wrong shape");
  require(dt.size() == q.shape(0) && speed.size() == q.shape(1), "dt or speed has the wrong shape");
  const bool ranked = !levels.is_none();
  Ints ranks;
  if (ranked) ranks = nb::cast<Ints>(levels);
  require(!ranked || ranks.size() == static_cast<std::size_t>(s.problem().goals), "levels have the wrong shape");
  std::vector<manikin::SolveResult> results(q.shape(0));
  const manikin::SolveOptions options = options_of(restarts, iterations, most, true, seed, budget);
  double *qs = q.data(), *ms = measures.data();
  const double *ts = targets.data(), *ws = weights.data(), *from = start.data();
  const manikin::TrackOptions track{dt.data(), speed.data(), ranked ? ranks.data() : nullptr, continues, refine, escape};
  {
    nb::gil_scoped_release release;
    s.track(static_cast<long>(results.size()), options, track, from, ts, ws, one, qs, ms, results.data());
  }
  write_counts(results, counts.data());
  for (std::size_t t = 0; t < results.size(); ++t) counts.data()[4 * t + 3] = results[t].limited;
}

// a, b (n, 12): centre, then three half edges, which a line or a point has as 0; out (n, 10).
void box_nearest(const In& a, const In& b, bool a_is_box, const Out& out) {
  const std::size_t count = out.shape(0);
  require(a.size() == 12 * count && b.size() == 12 * count && out.shape(1) == 10, "cores have the wrong shape");
  for (std::size_t k = 0; k < count; ++k) manikin::solver_kernels().box_nearest(a.data() + 12 * k, b.data() + 12 * k, a_is_box, out.data() + 10 * k);
}

}  // namespace

void bind_solver(nb::module_& m) {
  nb::class_<Solver>(m, "Solver", "A compiled problem: figure and goals.")
      .def(
          "__init__",
          [](Solver* self, int nq, int nv, double size, int goals, int target_width, const Ints& parent, const Ints& kind, const In& rotation,
             const In& offset, const In& axis, const Ints& number, const Ints& step, const In& ratio, const In& shift, const Ints& source,
             const Ints& segment, const In& mass, const In& center, const In& lower, const In& upper, const Ints& moving, const Ints& joint, const Ints& cone_number,
             const In& cone_reference, const In& cone_basis, const In& cone_swing, const In& cone_twist, const Ints& part_kind,
             const Ints& part_goal, const Ints& part_segment, const Ints& part_target, const Ints& part_flags, const In& part_offset,
             const In& part_axis, const In& part_tolerance, const Ints& link_kind, const Ints& link_goal, const Ints& link_segments,
             const Ints& link_target, const Ints& link_flags, const In& link_offset, const In& link_tolerance, const In& link_margin, const Ints& link_counts,
             const Ints& contact_segment, const In& contact_point, const Ints& solid_segment, const Ints& solid_box,
             const In& solid_center, const In& solid_edges, const In& solid_radius, const Ints& apart_solids, const In& apart_margin,
             const Ints& corner_segment, const In& corner_point, const In& corner_normal, const In& corner_numbers, const Ints& posture_goal,
             const Ints& posture_target, const In& posture_tolerance, const In& posture_stiffness) {
            const std::size_t n = parent.shape(0), s = segment.shape(0), c = cone_number.shape(0), p = part_kind.shape(0), l = link_kind.shape(0);
            const std::size_t numbers = static_cast<std::size_t>(nq);
            require(kind.shape(0) == n && rotation.size() == 9 * n && offset.size() == 3 * n && axis.size() == 3 * n && number.shape(0) == n &&
                        step.shape(0) == n && ratio.size() == n && shift.size() == n && source.shape(0) == n && mass.size() == s &&
                        center.size() == 3 * s && lower.size() == numbers && upper.size() == numbers && moving.shape(0) == numbers && joint.shape(0) == numbers &&
                        cone_reference.size() == 4 * c && cone_basis.size() == 9 * c && cone_swing.size() == 2 * c && cone_twist.size() == 2 * c &&
                        part_goal.shape(0) == p && part_segment.shape(0) == p && part_target.shape(0) == p && part_flags.shape(0) == p &&
                        part_offset.size() == 3 * p && part_axis.size() == 3 * p && part_tolerance.size() == p &&
                        link_goal.shape(0) == l && link_segments.shape(0) == 3 * l && link_target.shape(0) == l && link_flags.shape(0) == l &&
                        link_offset.size() == 9 * l && link_tolerance.size() == l && link_margin.size() == l && link_counts.shape(0) == 3 * l &&
                        contact_point.size() == 3 * contact_segment.shape(0) &&
                        solid_center.size() == 3 * solid_segment.shape(0) && solid_edges.size() == 9 * solid_segment.shape(0) &&
                        solid_box.shape(0) == solid_segment.shape(0) &&
                        solid_radius.size() == solid_segment.shape(0) && apart_solids.shape(0) == 2 * apart_margin.size() &&
                        corner_point.size() == 3 * corner_segment.shape(0) && corner_normal.size() == 3 * corner_segment.shape(0) &&
                        corner_numbers.size() == 3 * corner_segment.shape(0) &&
                        posture_target.shape(0) == posture_goal.shape(0) && posture_tolerance.size() == posture_goal.shape(0) &&
                        posture_stiffness.size() == posture_goal.shape(0) * static_cast<std::size_t>(nv),
                    "the arrays of a problem do not fit each other");
            const manikin::TreeArrays tree{static_cast<long>(n), static_cast<long>(s), nq, nv, parent.data(), kind.data(), number.data(), step.data(),
                                           source.data(), segment.data(), rotation.data(), offset.data(), axis.data(), ratio.data(), shift.data(),
                                           mass.data(), center.data()};
            new (self) Solver(manikin::ProblemArrays{tree, size, lower.data(), upper.data(), moving.data(), joint.data(), static_cast<long>(c), cone_number.data(),
                                                    cone_reference.data(), cone_basis.data(), cone_swing.data(), cone_twist.data(),
                                                    static_cast<long>(p), goals, target_width, part_kind.data(), part_goal.data(),
                                                    part_segment.data(), part_target.data(), part_flags.data(), part_offset.data(), part_axis.data(),
                                                    part_tolerance.data(), static_cast<long>(l), link_kind.data(), link_goal.data(), link_segments.data(),
                                                    link_target.data(), link_flags.data(), link_offset.data(), link_tolerance.data(),
                                                    link_margin.data(), link_counts.data(), static_cast<long>(solid_segment.shape(0)),
                                                    static_cast<long>(apart_margin.size()), static_cast<long>(corner_segment.shape(0)),
                                                    solid_segment.data(), solid_box.data(), solid_center.data(), solid_edges.data(), solid_radius.data(),
                                                    apart_solids.data(), apart_margin.data(), corner_segment.data(), corner_point.data(),
                                                    corner_normal.data(), corner_numbers.data(), static_cast<long>(posture_goal.shape(0)), posture_goal.data(),
                                                    posture_target.data(), posture_tolerance.data(),
                                                    posture_stiffness.data(), static_cast<long>(contact_segment.shape(0)), contact_segment.data(),
                                                    contact_point.data()});
          },
          nb::arg("nq"), nb::arg("nv"), nb::kw_only(), nb::arg("size"), nb::arg("goals"), nb::arg("target_width"), nb::arg("parent"), nb::arg("kind"),
          nb::arg("rotation"), nb::arg("offset"), nb::arg("axis"), nb::arg("number"), nb::arg("step"), nb::arg("ratio"), nb::arg("shift"),
          nb::arg("source"), nb::arg("segment"), nb::arg("mass"), nb::arg("center"), nb::arg("lower"), nb::arg("upper"), nb::arg("moving"), nb::arg("joint"),
          nb::arg("cone_number"), nb::arg("cone_reference"), nb::arg("cone_basis"), nb::arg("cone_swing"), nb::arg("cone_twist"),
          nb::arg("part_kind"), nb::arg("part_goal"), nb::arg("part_segment"), nb::arg("part_target"), nb::arg("part_flags"),
          nb::arg("part_offset"), nb::arg("part_axis"), nb::arg("part_tolerance"), nb::arg("link_kind"), nb::arg("link_goal"), nb::arg("link_segments"),
          nb::arg("link_target"), nb::arg("link_flags"), nb::arg("link_offset"), nb::arg("link_tolerance"), nb::arg("link_margin"),
          nb::arg("link_counts"), nb::arg("contact_segment"), nb::arg("contact_point"), nb::arg("solid_segment"), nb::arg("solid_box"),
          nb::arg("solid_center"), nb::arg("solid_edges"), nb::arg("solid_radius"),
          nb::arg("apart_solids"), nb::arg("apart_margin"), nb::arg("corner_segment"), nb::arg("corner_point"), nb::arg("corner_normal"),
          nb::arg("corner_numbers"),
          nb::arg("posture_goal"), nb::arg("posture_target"), nb::arg("posture_tolerance"), nb::arg("posture_stiffness"))
      .def("solve_many", &solve_many, nb::arg("q").noconvert(), nb::arg("targets").noconvert(), nb::arg("weights").noconvert(),
           nb::arg("measures").noconvert(), nb::arg("counts").noconvert(), nb::kw_only(), nb::arg("restarts"), nb::arg("iterations"), nb::arg("most"),
           nb::arg("tracking"), nb::arg("seed"), nb::arg("budget"), nb::arg("threads"),
           "Poses from starts, in place: q (B, nq), measures (B, parts), counts (B, 4): status, iterations, starts, sweeps.")
      .def("track", &track, nb::arg("start").noconvert(), nb::arg("q").noconvert(), nb::arg("targets").noconvert(), nb::arg("weights").noconvert(),
           nb::arg("measures").noconvert(), nb::arg("counts").noconvert(), nb::kw_only(), nb::arg("dt").noconvert(), nb::arg("speed").noconvert(), nb::arg("levels").none(),
           nb::arg("continues"), nb::arg("refine"), nb::arg("escape"), nb::arg("restarts"), nb::arg("iterations"), nb::arg("most"), nb::arg("seed"),
           nb::arg("budget"),
           "Frame after frame, each from the one before: q (T, nq) out, counts (T, 4): status, iterations, starts, the number at its speed limit or -1.");
  m.def("box_nearest", &box_nearest, nb::arg("a").noconvert(), nb::arg("b").noconvert(), nb::kw_only(), nb::arg("a_is_box"),
        nb::arg("out").noconvert(),
        "Where boxes, lines or points a and boxes b (n, 12: centre, half edges) are nearest: out (n, 10) is distance, normal, point of a, point of b.");
}
