// One function for each file of bindings. The bindings do no arithmetic.
#pragma once
#include <nanobind/nanobind.h>

void bind_backend(nanobind::module_& m);
void bind_bounded_step(nanobind::module_& m);
void bind_heading(nanobind::module_& m);
void bind_natural(nanobind::module_& m);
void bind_kinematics(nanobind::module_& m);
void bind_answers(nanobind::module_& m);
void bind_answer_rows(nanobind::module_& m);
void bind_boxes(nanobind::module_& m);
void bind_doors(nanobind::module_& m);
void bind_query(nanobind::module_& m);
void bind_query_holder(nanobind::module_& m);
void bind_smooth(nanobind::module_& m);
void bind_track_many(nanobind::module_& m);
