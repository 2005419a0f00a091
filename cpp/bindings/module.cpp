#include "bindings/module.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/numpy_arrays.h"
#include "dispatch/backend.h"
#include "model/goals.h"

namespace nb = nanobind;

// The names of the kinds of goals: the index of a name is the kind.
template <class Facts, std::size_t count>
nb::tuple names_of(const Facts (&all)[count]) {
  nb::list names;
  for (const Facts& one : all) names.append(one.name);
  return nb::tuple(names);
}

void bind_backend(nb::module_& m) {
  m.def("available", &manikin::available_kernels, "Kernels that this processor runs, slowest first.");
  m.def("use", &manikin::use_kernels, nb::arg("name"), "Choose the kernels, for the whole process.");
  m.def(
      "in_use", [] { return std::string(manikin::kernels().name); }, "The kernels in use.");
}

NB_MODULE(_core, m) {
  // The threads of a call take the GIL by PyGILState_Ensure, which is for the main interpreter.
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0)
    throw nb::import_error("manikin._core runs in the main interpreter of a process, not in a sub-interpreter; use a process for each");
  m.doc() = "The native core of manikin: indices and doubles, no names. Use it through the package.";
  nb::set_leak_warnings(false);  // a figure kept in a module is not a leak
  numpy_arrays::look_up();
  m.def("use_array_api", &numpy_arrays::use, nb::arg("api"),
        "Selects whether arrays are read and made with NumPy's C API (the default) or without it. Returns whether they are.");
  m.attr("PART_KINDS") = names_of(manikin::kParts);
  m.attr("LINK_KINDS") = names_of(manikin::kLinks);
  bind_backend(m);
  bind_bounded_step(m);
  bind_kinematics(m);
  bind_boxes(m);
  bind_heading(m);
  bind_natural(m);
  bind_answers(m);
  bind_answer_rows(m);
  bind_query_holder(m);
  bind_doors(m);
  bind_query(m);
  bind_track_many(m);
  bind_smooth(m);
}
