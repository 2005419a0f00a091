// A figure with goals, compiled for the solver: only the nodes that influence some goal, breadth-first, with lengths in units of the figure's size.
// It consists of plain arrays, which the kernels may read from any number of threads.
#pragma once
#include "model/goals.h"
#include "model/limbs.h"
#include "model/loss.h"
#include "model/nodes.h"

namespace manikin {

struct Problem {
  unsigned long long serial;  // unique among the problems of a process, never 0
  int solids, aparts, corners, boxes;
  const Solid* solid;
  const Apart* apart;
  const Fan* fan;       // the pairs in order
  const int* pair_at;   // (places) index among apart, -1 without a pair
  const double* reach;  // (places) a pair is ignored if the square of the distance of the centres is at least this; -1 without a pair
  const Corner* corner;
  int postures;
  const Posture* posture;  // (postures)
  int links, contacts, masses, most_rows;
  const Link* link;
  const Weighted* contact;     // (contacts) of the balance goals
  const Weighted* mass;        // (masses)
  const int* node_coordinate;  // (nodes) coordinate at or above each node, -1 if none
  int couplings;
  const int* coupled;  // (couplings) nodes that follow another node
  int nodes, coordinates, angles, turns, parts, goals, slots, nq, target_width;
  double size;
  double angle_weight;   // length that a radian counts like, in sizes
  double least_damping;  // sizes squared per radian squared
  const SolverNode* node;
  int moves;
  const Move* move;  // parents first
  int angle_stretches;
  const Stretch* angle_stretch;  // copies the coordinates of moving hinges to angles
  int odd_angles;
  const int* odd_angle;  // (odd_angles) nodes of the other angles: cones, and joints that do not move
  int center_node;       // node whose origin is the common point of all twists
  const Coordinate* coordinate;
  int width;  // number of coordinates, rounded up to a multiple of four
  CoordinateArrays all;
  int numbered, others;
  const Numbered* each_number;  // (numbered)
  int slides;
  const Numbered* slide;  // (slides) those of them whose coordinates have another unit than their numbers
  const int* other;       // (others) nodes with other numbers, without cones: loose balls, and joints that do not move
  int balls;
  const int* ball;        // (balls) first coordinates of cones and loose balls
  int cones;              // how many of them are cones
  const FourCones* cone;  // ((cones + 3) / 4)
  int locks;
  const int* lock;  // (locks) coordinates of cones that are held
  int triples;
  const Triple* triple;  // (triples)
  const Part* part;
  int sides;
  const int* side;                           // (sides) parts that count on one side only
  const int* slot_coordinate;                // (slots)
  const double *target_scale, *target_most;  // (target_width) for lengths 1/size and the largest number of sizes, else 1 and infinity
  int bundles, limb_steps;                   // 0 if a goal depends on several branches or on every coordinate
  const Bundle* bundle;
  const int* limb_coordinate;  // (limb_steps, 4) coordinates, root to tip; `width` after the end of a limb
  int blocks;
  const Block* block;  // (blocks) of the trunk: coordinates outside limbs, parents first
  int trunk_slots;
  const int* trunk_slot;                                      // (trunk_slots) slots outside limbs
  const int* part_limb;                                       // (parts) 1 if it is the goal of a limb
  const Chain* chain;                                         // null if the problem is not a chain
  int free_root;                                              // coordinate of a free root's first slide (then 3 slides, 3 turns), -1 if none
  int callbacks, effectors, callback_rows, callback_numbers;  // the last two: most rows, and most rows times columns, of one callback
  const Callback* callback;                                   // (callbacks)
  const Weighted* effector;                                   // (effectors) that callbacks read; their shares are not used
  const int* callback_row;                                    // RowFlag bits of each row, callback after callback
  int callback_reads_pose;                                    // 1 if a callback reads the pose
  const Robust* robust;                                       // (parts) losses; null if no part has one
  const int* step_of;  // (coordinates) first step of the coordinate's joint among the figure's steps, -1 for a coupled one
};

}  // namespace manikin
