// A figure and its goals as flat arrays given by a caller. They are borrowed during construction only.
#pragma once

namespace manikin {

// The arrays of reference/tree.py, borrowed during construction only.
struct TreeArrays {
  long nodes, segments;
  int nq, nv;
  const int *parent, *kind, *number, *step, *source, *segment;
  const double *rotation, *offset, *axis, *ratio, *shift, *mass, *center;
};

// The arrays of limits and goals, borrowed during construction only.
struct ProblemArrays {
  TreeArrays tree;
  double size;
  double angle_weight, least_damping;  // length that a radian counts like, in sizes; sizes squared per radian squared
  const double *lower, *upper;         // (nq)
  const int* moving;                   // (nq) values of Moving
  const int* joint;                    // (nq) the joint that the number belongs to
  long cones;
  const int* cone_number;                                               // (cones)
  const double *cone_reference, *cone_basis, *cone_swing, *cone_twist;  // (cones, 4), (cones, 3, 3) rows e1 e2 a, (cones, 2), (cones, 2)
  long parts;
  int goals, target_width;
  const int *part_kind, *part_goal, *part_segment, *part_target, *part_flags;  // (parts)
  const double *part_offset, *part_axis, *part_tolerance;                      // (parts, 3), (parts, 3), (parts)
  const int* part_loss;                                                        // (parts) LossKind
  const double* part_scale;                                                    // (parts) scale of the loss, in lengths or radians
  const double* part_share;                                                    // (parts) factor of the goal's weight
  long links;
  const int *link_kind, *link_goal, *link_segments, *link_target, *link_flags;  // (links), (links, 3) for the segments, -1 for none
  const double *link_offset, *link_tolerance, *link_margin;                     // (links, 3, 3), (links), (links)
  const int* link_counts;  // (links, 3) number of solids, pairs and corners, or contacts, of each; these are stored link after link
  long solids, aparts, corners;
  const int* solid_segment;                                     // (solids) -1 for an obstacle
  const int* solid_box;                                         // (solids) 1 for a box
  const double *solid_center, *solid_edges, *solid_radius;      // (solids, 3), (solids, 3, 3) half edges, (solids)
  const int* apart_solids;                                      // (aparts, 2) counted from the first solid of the link
  const double* apart_margin;                                   // (aparts)
  const int* corner_segment;                                    // (corners)
  const double *corner_point, *corner_normal, *corner_numbers;  // (corners, 3), (corners, 3), (corners, 3): radius, margin, level
  long postures;
  const int *posture_goal, *posture_target;  // (postures)
  const double* posture_tolerance;           // (postures)
  const double* posture_stiffness;           // (postures, nv) squares of the factors of the steps from the posture
  long contacts;
  const int* contact_segment;   // (contacts)
  const double* contact_point;  // (contacts, 3)
  // For callback links, link_counts has the numbers of effectors, rows and target numbers, and link_flags has the bits of CallbackFlag.
  long effectors, callback_rows;
  const int* effector_segment;    // (effectors)
  const double* effector_offset;  // (effectors, 3)
  const int* callback_row;        // (callback_rows) bits of RowFlag
};

}  // namespace manikin
