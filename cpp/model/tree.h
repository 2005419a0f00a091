// A figure as flat arrays, ready for the kernels. It contains only indices and doubles: no Python objects and no names.
#pragma once

namespace manikin {

// The kind of a node. Turns about a coordinate axis have separate operations, because two columns change instead of three.
enum Op : int { kFixed = 0, kSlide = 1, kTurn = 2, kBall = 3, kTurnX = 4, kTurnY = 5, kTurnZ = 6 };

static inline bool turns(int op) { return op == kTurn || op >= kTurnX; }

// The world placement of a node is that of its parent, times (rotation, offset), times its motion.
struct Node {
  int parent;  // -1 for the root; otherwise smaller than the node's own index
  int op;
  int number;    // first number in q, -1 if fixed
  int step;      // first step in v, -1 if fixed
  int turn;      // index among the turns (of its sine and cosine), -1 if it does not turn
  int segment;   // the segment whose placement this node is, -1 for an inner node of a joint
  int rotated;   // 0 if `rotation` is the identity
  int source;    // number in q that a coupled node follows, -1 if none
  double ratio;  // dq/dv: 1, or the ratio of a coupling
  double shift;  // constant term of a coupling
  double rotation[9];
  double offset[3];
  double axis[3];
};

// Pointers into arrays that Kinematics owns. They never change after construction, so any number of threads may read them.
struct Tree {
  int nodes, segments, nq, nv, turn_count;
  const Node* node;             // (nodes), parents first
  const int* turn_number;       // (turn_count) number in q of each turn
  const int* segment_node;      // (segments)
  const double* mass_share;     // (segments) mass over total mass
  const double* center;         // (segments, 3) centre of mass in the segment's space
  const double* subtree_share;  // (nodes) mass at and below the node over total mass
  const int* everything;        // (nodes) 0, 1, 2, ...: the order that computes all nodes
};

}  // namespace manikin
