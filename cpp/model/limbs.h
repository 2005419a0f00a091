// Limbs, trunk and chain: parts of a problem that take the step in lanes.
#pragma once

namespace manikin {

// Limbs: chains of coordinates with one goal on their end, a position or a placement, and nothing else below. Four of them
// take the step side by side, one in each lane; one that is alone takes it with four of its coordinates at a time.
struct Bundle {
  int rows;            // 3: a position, 6: a placement
  int lanes;           // limbs in it
  int alone;           // 1 if there is one limb, spread over the lanes
  int steps;           // coordinates of the longest, or of the one divided by four
  int first;           // where its steps begin in limb_coordinate
  int above[4];        // coordinate that carries the limb, -1 if it hangs on the world
  int stores[4];       // 1 if it stores into that, as the first, 0 if it adds
  int position[4];     // part
  int orientation[4];  // part, -1 if there is none
};

// Hinges and slides that hang one on the other and carry one effector, so written that each turns about or slides along its
// z: its axes are those of the one before, moved by an offset, turned about x, then about z by x + shift.
struct ChainJoint {
  double offset[3];
  double sine, cosine;  // of the turn about x
  int slides;           // 1 for a slide, whose turn about z is the shift alone
};

struct ChainPart {
  double tool[9], tip[3];  // the part's node in the axes of the last joint
  double point[3];         // its effector there
};

struct Chain {
  int joints, blocks;  // blocks of four joints, the last filled up with what does not move
  int slides;          // how many joints are slides
  const ChainJoint* joint;
  const ChainPart* part;
  const double *turning, *shift;         // (4 blocks) 1 for a hinge
  const double *ease, *bounded;          // (4 blocks) 1 over the weight of the damping; 1 where there is a middle
  const double *lower, *upper, *middle;  // (4 blocks)
  double base[9];                        // columns of the axes before the first joint
};

// Up to three coordinates of what is not in limbs, one on the other and with nothing else on the way: one step of the sweep.
struct Block {
  int coordinate[3];  // root to tip; `width` where there are fewer
  int last;           // the last of them
  int parent;         // coordinate above, -1 at the root
  int stores;         // 1 if it stores into the parent, 0 if it adds
};

}  // namespace manikin
