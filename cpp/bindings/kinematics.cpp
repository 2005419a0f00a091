#include "solve/kinematics.h"

#include <nanobind/ndarray.h>

#include <nanobind/stl/optional.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "bindings/constants.h"
#include "bindings/gil.h"
#include "bindings/interrupt.h"
#include "bindings/module.h"
#include "math/index.h"
#include "model/require.h"

namespace nb = nanobind;
using manikin::at;
using manikin::Kinematics;
using manikin::require;

namespace {

using In = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Out = nb::ndarray<double, nb::c_contig, nb::device::cpu>;
using Ints = nb::ndarray<const int, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Result = nb::ndarray<nb::numpy, double, nb::c_contig>;

// The numbers of the caller. Many poses are computed without the GIL, so their numbers are copied first: another thread may write to the array.
struct Numbers {
  const double* data;

  Numbers(const double* given, std::size_t size, long poses) : data(given) {
    if (poses <= kPosesWithGil) return;
    copy_.reset(new double[size]);  // make_unique would fill it with zeros
    data = std::copy_n(given, size, copy_.get()) - size;
  }

 private:
  std::unique_ptr<double[]> copy_;
};

long poses_in(const In& a, int width, const char* what) {
  require((a.ndim() == 1 || a.ndim() == 2) && a.shape(a.ndim() - 1) == static_cast<std::size_t>(width), what);
  return a.ndim() == 1 ? 1 : static_cast<long>(a.shape(0));
}

// Poses as rows: (nq,) is one pose, (B, nq) are many.
struct Rows : Numbers {
  long count;
  bool single;

  Rows(const In& a, int width, const char* what) : Rows(a, poses_in(a, width, what)) {}

 private:
  Rows(const In& a, long poses) : Numbers(a.data(), a.size(), poses), count(poses), single(a.ndim() == 1) {}
};

Rows sound_poses(const Kinematics& k, const In& q) {
  Rows rows(q, k.tree().nq, "poses have the wrong shape");
  require(k.sound(rows.data, rows.count), "a pose has a number that is not finite, or a quaternion that is not of length 1");
  return rows;
}

// A new array; its leading axis is omitted for a single pose.
struct Fresh {
  double* data;
  nb::object array;

  Fresh(const Rows& rows, std::initializer_list<std::size_t> inner) {
    std::size_t shape[4], axes = 0, size = static_cast<std::size_t>(rows.count);
    if (!rows.single) shape[axes++] = size;
    for (const std::size_t n : inner) {
      shape[axes++] = n;
      size *= n;
    }
    data = new double[size > 0 ? size : 1];
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    array = nb::cast(Result(data, axes, shape, owner));
  }
};

// Calls f(first, count) for all poses: few at once, many in portions without the GIL. f must not touch any Python object, not even a reference count. Throws the
// exception that a Python signal handler raised.
template <class F>
void unlocked(const Kinematics& k, const Rows& rows, int threads, const F& f) {
  const long working = std::min<long>(threads, std::max(1u, std::thread::hardware_concurrency()));
  const long some = std::max(1l, working * kNumbersAtOnce / std::max(k.tree().nq, 1) / kLeastAtOnce) * kLeastAtOnce;
  if (rows.count <= kPosesWithGil) return f(0l, rows.count);
  Interrupt interrupt;
  {
    const WithoutGil released;
    for (long first = 0, count; first < rows.count && !Interrupt::stopped(&interrupt); first += count) {
      count = rows.count - first < 2 * some ? rows.count - first : some;  // no small last portion: its poses would be computed one by one
      f(first, count);
    }
  }
  interrupt.rethrow();
}

// Whether two arrays do not overlap in memory.
bool apart(const double* a, long a_size, const double* b, long b_size) {
  const std::less_equal<const double*> before;  // defined for any two pointers, unlike <=
  return a_size == 0 || b_size == 0 || before(a + a_size, b) || before(b + b_size, a);
}

nb::object placements(const Kinematics& k, const In& q, std::optional<Ints> segments, std::optional<Out> out, int threads) {
  const Rows rows = sound_poses(k, q);
  const long nq = k.tree().nq;
  require(threads >= 1, "threads must be at least 1");
  const int* chosen = segments ? segments->data() : nullptr;
  const int count = segments ? static_cast<int>(segments->shape(0)) : k.tree().segments;
  if (out) {
    const std::size_t axes = rows.single ? 3 : 4;
    require(out->ndim() == axes && out->shape(axes - 3) == at(count) && out->shape(axes - 2) == 4 && out->shape(axes - 1) == 4 &&
                (rows.single || out->shape(0) == static_cast<std::size_t>(rows.count)),
            "out has the wrong shape");
    double* data = out->data();
    require(apart(q.data(), rows.count * k.tree().nq, data, static_cast<long>(out->size())), "out overlaps the poses in memory");
    unlocked(k, rows, threads, [&](long b, long n) { k.placements(rows.data + b * nq, n, chosen, count, data + b * count * 16, threads); });
    return nb::cast(*out);
  }
  Fresh fresh(rows, {at(count), 4, 4});
  unlocked(k, rows, threads, [&](long b, long n) { k.placements(rows.data + b * nq, n, chosen, count, fresh.data + b * count * 16, threads); });
  return fresh.array;
}

nb::object jacobian(const Kinematics& k, const In& q, int segment, const In& point, int threads) {
  const Rows rows = sound_poses(k, q);
  const long nq = k.tree().nq, nv = k.tree().nv;
  require(point.ndim() == 1 && point.shape(0) == 3, "point needs three numbers");
  require(segment >= 0 && segment < k.tree().segments, "segment index out of range");
  Fresh fresh(rows, {6, at(k.tree().nv)});
  const double* x = point.data();
  unlocked(k, rows, threads, [&](long b, long n) { k.jacobian(rows.data + b * nq, n, segment, x, fresh.data + b * 6 * nv, threads); });
  return fresh.array;
}

nb::object center_of_mass(const Kinematics& k, const In& q, int threads) {
  const Rows rows = sound_poses(k, q);
  const long nq = k.tree().nq;
  Fresh fresh(rows, {3});
  unlocked(k, rows, threads, [&](long b, long n) { k.center_of_mass(rows.data + b * nq, n, fresh.data + b * 3, threads); });
  return fresh.array;
}

nb::object com_jacobian(const Kinematics& k, const In& q, int threads) {
  const Rows rows = sound_poses(k, q);
  const long nq = k.tree().nq, nv = k.tree().nv;
  Fresh fresh(rows, {3, at(k.tree().nv)});
  unlocked(k, rows, threads, [&](long b, long n) { k.com_jacobian(rows.data + b * nq, n, fresh.data + b * 3 * nv, threads); });
  return fresh.array;
}

nb::object jvp(const Kinematics& k, const In& q, const In& v, int threads) {
  const Rows rows = sound_poses(k, q);
  const long nq = k.tree().nq, nv = k.tree().nv, segments = k.tree().segments;
  const Rows steps(v, k.tree().nv, "steps have the wrong shape");
  require(steps.count == rows.count, "the number of steps must equal the number of poses");
  Fresh fresh(rows, {at(k.tree().segments), 4, 4});
  unlocked(k, rows, threads, [&](long b, long n) { k.jvp(rows.data + b * nq, steps.data + b * nv, n, fresh.data + b * segments * 16, threads); });
  return fresh.array;
}

nb::object vjp(const Kinematics& k, const In& q, const In& cotangent, int threads) {
  const Rows rows = sound_poses(k, q);
  const long nq = k.tree().nq, nv = k.tree().nv, segments = k.tree().segments;
  const std::size_t axes = rows.single ? 3 : 4;
  require(cotangent.ndim() == axes && cotangent.size() == static_cast<std::size_t>(rows.count) * at(k.tree().segments) * 16,
          "cotangents have the wrong shape");
  Fresh fresh(rows, {at(k.tree().nv)});
  const Numbers all(cotangent.data(), cotangent.size(), rows.count);
  const double* g = all.data;
  unlocked(k, rows, threads, [&](long b, long n) { k.vjp(rows.data + b * nq, g + b * segments * 16, n, fresh.data + b * nv, threads); });
  return fresh.array;
}

nb::object integrate(const Kinematics& k, const In& q, const In& v) {
  const Rows rows = sound_poses(k, q);
  const long nq = k.tree().nq, nv = k.tree().nv;
  const Rows steps(v, k.tree().nv, "steps have the wrong shape");
  require(steps.count == rows.count, "the number of steps must equal the number of poses");
  Fresh fresh(rows, {at(k.tree().nq)});
  unlocked(k, rows, 1, [&](long b, long n) { k.integrate(rows.data + b * nq, steps.data + b * nv, n, fresh.data + b * nq); });
  return fresh.array;
}

nb::object difference(const Kinematics& k, const In& q0, const In& q1) {
  const Rows rows = sound_poses(k, q0), others = sound_poses(k, q1);
  const long nq = k.tree().nq, nv = k.tree().nv;
  require(others.count == rows.count, "the number of second poses must equal the number of first poses");
  Fresh fresh(rows, {at(k.tree().nv)});
  unlocked(k, rows, 1, [&](long b, long n) { k.difference(rows.data + b * nq, others.data + b * nq, n, fresh.data + b * nv); });
  return fresh.array;
}

}  // namespace

void bind_kinematics(nb::module_& m) {
  nb::class_<Kinematics>(m, "Kinematics", "Kinematics of a tree of nodes; the twin of manikin.reference.kinematics.Kinematics.")
      .def(
          "__init__",
          [](Kinematics* self, int nq, int nv, const Ints& parent, const Ints& kind, const In& rotation, const In& offset, const In& axis,
             const Ints& number, const Ints& step, const In& ratio, const In& shift, const Ints& source, const Ints& segment, const In& mass,
             const In& center) {
            const std::size_t n = parent.shape(0), s = segment.shape(0);
            require(kind.shape(0) == n && rotation.size() == 9 * n && offset.size() == 3 * n && axis.size() == 3 * n && number.shape(0) == n &&
                        step.shape(0) == n && ratio.size() == n && shift.size() == n && source.shape(0) == n && mass.size() == s &&
                        center.size() == 3 * s,
                    "the shapes of the arrays of a tree do not match");
            new (self) Kinematics(manikin::TreeArrays{static_cast<long>(n), static_cast<long>(s), nq, nv, parent.data(), kind.data(), number.data(),
                                                      step.data(), source.data(), segment.data(), rotation.data(), offset.data(), axis.data(),
                                                      ratio.data(), shift.data(), mass.data(), center.data()});
          },
          nb::arg("nq"), nb::arg("nv"), nb::kw_only(), nb::arg("parent"), nb::arg("kind"), nb::arg("rotation"), nb::arg("offset"), nb::arg("axis"),
          nb::arg("number"), nb::arg("step"), nb::arg("ratio"), nb::arg("shift"), nb::arg("source"), nb::arg("segment"), nb::arg("mass"),
          nb::arg("center"))
      .def("placements", &placements, nb::arg("q").noconvert(), nb::arg("segments").noconvert().none() = nb::none(),
           nb::arg("out").noconvert().none() = nb::none(), nb::arg("threads") = 1,
           "World placements (B, S, 4, 4) of all segments or of the chosen ones.")
      .def("jacobian", &jacobian, nb::arg("q").noconvert(), nb::arg("segment"), nb::arg("point").noconvert(), nb::arg("threads") = 1,
           "(B, 6, nv): linear then angular velocity of a point of a segment per step, world axes.")
      .def("center_of_mass", &center_of_mass, nb::arg("q").noconvert(), nb::arg("threads") = 1, "(B, 3).")
      .def("com_jacobian", &com_jacobian, nb::arg("q").noconvert(), nb::arg("threads") = 1, "(B, 3, nv).")
      .def("jvp", &jvp, nb::arg("q").noconvert(), nb::arg("v").noconvert(), nb::arg("threads") = 1,
           "(B, S, 4, 4): derivative of all placements along the steps v.")
      .def("vjp", &vjp, nb::arg("q").noconvert(), nb::arg("cotangent").noconvert(), nb::arg("threads") = 1, "(B, nv): the transpose of jvp.")
      .def("integrate", &integrate, nb::arg("q").noconvert(), nb::arg("v").noconvert(), "(B, nq): the poses after the steps v.")
      .def("difference", &difference, nb::arg("q0").noconvert(), nb::arg("q1").noconvert(), "(B, nv): the steps from q0 to q1.");
}
