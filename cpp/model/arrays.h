// A figure and its goals as flat arrays, as a caller gives them. They are borrowed for the time of construction.
#pragma once

namespace manikin {

// The arrays of reference/tree.py, borrowed for the time of construction.
struct TreeArrays {
  long nodes, segments;
  int nq, nv;
  const int *parent, *kind, *number, *step, *source, *segment;
  const double *rotation, *offset, *axis, *ratio, *shift, *mass, *center;
};

// What is known of the limits and of the goals, borrowed for the time of construction.
struct ProblemArrays {
  TreeArrays tree;
  double size;
  double angle_weight, least_damping;  // sizes that a radian counts like; sizes squared per radian squared
  const double *lower, *upper;         // (nq)
  const int* moving;                   // (nq) 1 where the number may change
  const int* joint;                    // (nq) which joint the number is of
  long cones;
  const int* cone_number;                                               // (cones)
  const double *cone_reference, *cone_basis, *cone_swing, *cone_twist;  // (cones, 4), (cones, 3, 3) rows e1 e2 a, (cones, 2), (cones, 2)
  long parts;
  int goals, target_width;
  const int *part_kind, *part_goal, *part_segment, *part_target, *part_flags;  // (parts)
  const double *part_offset, *part_axis, *part_tolerance;                      // (parts, 3), (parts, 3), (parts)
  long links;
  const int *link_kind, *link_goal, *link_segments, *link_target, *link_flags;  // (links), (links, 3) for the segments, -1 for none
  const double *link_offset, *link_tolerance, *link_margin;                     // (links, 3, 3), (links), (links)
  const int* link_counts;  // (links, 3) how many solids, pairs and corners, or contacts, each has; they stand link after link
  long solids, aparts, corners;
  const int* solid_segment;                                     // (solids) -1 for an obstacle
  const int* solid_box;                                         // (solids) 1 for a box
  const double *solid_center, *solid_edges, *solid_radius;      // (solids, 3), (solids, 3, 3) half edges, (solids)
  const int* apart_solids;                                      // (aparts, 2) from the first solid of the link
  const double* apart_margin;                                   // (aparts)
  const int* corner_segment;                                    // (corners)
  const double *corner_point, *corner_normal, *corner_numbers;  // (corners, 3), (corners, 3), (corners, 3): radius, margin, level
  long postures;
  const int *posture_goal, *posture_target;  // (postures)
  const double* posture_tolerance;           // (postures)
  const double* posture_stiffness;           // (postures, nv) squares of what the steps from the posture are multiplied with
  long contacts;
  const int* contact_segment;   // (contacts)
  const double* contact_point;  // (contacts, 3)
  // Of callback links: link_counts has their effectors, rows and target numbers, link_flags the bits of CallbackFlag.
  long effectors, callback_rows;
  const int* effector_segment;    // (effectors)
  const double* effector_offset;  // (effectors, 3)
  const int* callback_row;        // (callback_rows) bits of RowFlag
};

}  // namespace manikin
