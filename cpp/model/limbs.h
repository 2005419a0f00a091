// Limbs, trunk and chain: parts of a problem whose step is computed in vector lanes.
#pragma once

namespace manikin {

// Limbs: chains of coordinates with one goal at their end, a position or a placement, and nothing else below. Four limbs are computed side by side,
// one in each lane. A limb without partners is computed with four of its coordinates at a time.
struct Bundle {
  int rows;            // 3: a position, 6: a placement
  int lanes;           // number of limbs
  int alone;           // 1 for a single limb, spread over the lanes
  int steps;           // coordinates of the longest limb; a single limb has a quarter
  int first;           // index of its first step in limb_coordinate
  int above[4];        // coordinate that carries the limb, -1 for the world
  int stores[4];       // 1 if it is the first to write there and stores, 0 if it adds
  int position[4];     // part
  int orientation[4];  // part, -1 if none
};

// A chain of hinges and slides that carries one effector, rewritten so that each joint turns about or slides along its z axis. The axes of a joint
// are those of the previous one, moved by an offset, turned about x, then turned about z by x + shift.
struct ChainJoint {
  double offset[3];
  double sine, cosine;  // of the turn about x
  int slides;           // 1 for a slide, which turns about z by the shift only
};

struct ChainPart {
  double tool[9], tip[3];  // the part's node in the axes of the last joint
  double point[3];         // the effector in these axes
};

struct Chain {
  int joints, blocks;  // blocks of four joints, the last padded with joints that do not move
  int slides;          // number of slides
  const ChainJoint* joint;
  const ChainPart* part;
  const double *turning, *shift;         // (4 blocks) 1 for a hinge
  const double *ease, *bounded;          // (4 blocks) reciprocal of the damping weight; 1 if there is a middle
  const double *lower, *upper, *middle;  // (4 blocks)
  double base[9];                        // columns of the axes before the first joint
};

// Up to three successive coordinates outside limbs without branches between them: one step of the sweep.
struct Block {
  int coordinate[3];  // root to tip; `width` for unused entries
  int last;           // the last of them
  int parent;         // coordinate above, -1 at the root
  int stores;         // 1 if it stores into the parent, 0 if it adds
};

}  // namespace manikin
