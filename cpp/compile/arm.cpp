// Compiles an arm: converts its nodes to modified Denavit-Hartenberg parameters.
#include "compile/arm.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "compile/arm_end.h"
#include "compile/constants.h"

namespace manikin {
namespace {

using namespace arm_end;

// The position of a joint's axis when every number is 0.
struct Axis {
  Vector direction, point;
  const SolverNode* node;
};

Placement below(const Placement& above, const SolverNode& n) {
  const double* r = n.rotation;
  Placement f;
  f.p = above.p + above.turned({n.offset[0], n.offset[1], n.offset[2]});
  f.x = above.turned({r[0], r[3], r[6]});
  f.y = above.turned({r[1], r[4], r[7]});
  f.z = above.turned({r[2], r[5], r[8]});
  return f;
}

Vector across(const Vector& z) { return unit(cross(z, std::fabs(z[0]) < 0.6 ? Vector{1, 0, 0} : Vector{0, 1, 0})); }

// The common normal from one axis to the next: its foot on each, and its direction.
struct Normal {
  Vector from, to, direction;
};

Normal normal_of(const Axis& a, const Axis& b, const Vector& before, const Vector& last_direction) {
  const Vector n = cross(a.direction, b.direction), between = b.point - a.point;
  const double sine = length(n);
  if (sine > kParallel) {
    const double k = 1.0 / (sine * sine);
    const Vector from = a.point + a.direction * (k * dot(cross(between, b.direction), n));
    const Vector to = b.point + b.direction * (k * dot(cross(between, a.direction), n));
    const Vector way = to - from;
    return {from, to, length(way) > kParallel ? unit(way) : unit(n)};
  }
  const Vector from = a.point + a.direction * dot(before - a.point, a.direction);
  const Vector to = b.point + b.direction * dot(from - b.point, b.direction);
  const Vector way = to - from;
  if (length(way) > kParallel) return {from, to, unit(way)};
  const Vector left = last_direction - a.direction * dot(last_direction, a.direction);
  return {from, from, length(left) > 0.1 ? unit(left) : across(a.direction)};
}

// Finds the joints of an arm: a chain in which every moving node is a hinge or a slide that follows no other joint.
bool chain_of(const Problem& p, std::vector<const SolverNode*>& joints) {
  for (int i = 0; i < p.nodes; ++i) {
    const SolverNode& n = p.node[i];
    if (n.parent != i - 1) return false;
    if (n.op == kStill) continue;
    if (n.coordinate < 0 || (n.op != kTurning && n.op != kSliding) || n.source >= 0) return false;
    if (n.op == kSliding && (std::isinf(p.coordinate[n.coordinate].lower) || std::isinf(p.coordinate[n.coordinate].upper))) return false;
    joints.push_back(&n);
  }
  const std::size_t count = joints.size();
  return count >= kLeastArm && count <= kMostArm && joints.front()->op == kTurning && joints.back()->op == kTurning;
}

// Finds the goals of an arm: a full position and an orientation at the end.
const Part* part_of(const Problem& p, int kind) {
  for (int k = 0; k < p.parts; ++k)
    if (p.part[k].kind == kind && p.part[k].node == p.nodes - 1) return p.part + k;
  return nullptr;
}

ArmLimits limits_of(double length, double angle) {
  const double half = 2.0 * std::sin(0.5 * std::min(angle, 3.0)), sure = 1.0 - 1e-9;
  const double l = std::max(length, kFloatLength), a = std::max(half, kFloatAngle);
  return {sure * length * length, sure * half * half, static_cast<float>(0.8 * l * l), static_cast<float>(0.8 * a * a)};
}

// Finds the pose that a redundant arm leans toward in a track. Of many poses around the middle of the ranges, it is the one farthest from singular
// poses. (The exact middle is a singular pose of many arms.)
void find_ease(Arm& arm) {
  std::fill(arm.side.ease, arm.side.ease + kMostArm, 0.0);
  std::fill(arm.side.leans, arm.side.leans + kMostArm, 0.0);
  if (arm.count == kLeastArm) return;
  double best = -1.0;
  unsigned long long random = 1;
  for (int pose = 0; pose < kEasePoses; ++pose) {
    double q[kMostArm] = {};
    for (int i = 0; i < arm.count; ++i) {
      random = random * 6364136223846793005ull + 1442695040888963407ull;
      const double t = kEaseRange * (static_cast<double>(random >> 11) * 0x1.0p-53 - 0.5);
      const ArmJoint& j = arm.joint[i];
      q[i] = j.boxed ? 0.5 * (j.lower + j.upper) + t * (j.upper - j.lower) : t * 2.0 * kPi;
    }
    const double value = least_singular(end_of(arm, q).J, arm.count);
    if (!(value > best)) continue;
    best = value;
    std::copy(q, q + arm.count, arm.side.ease);
  }
  for (int i = 0; i < arm.count; ++i) arm.side.leans[i] = arm.joint[i].boxed && !arm.joint[i].slides ? 1.0 : 0.0;
}

}  // namespace

std::unique_ptr<CompiledArm> CompiledArm::of(const Problem& p) {
  std::vector<const SolverNode*> joints;
  const Part *position = part_of(p, kPosition), *orientation = part_of(p, kOrientation);
  if (p.parts != 2 || p.links > 0 || p.postures > 0 || p.couplings > 0 || !position || !orientation || position->flags != 7 || !chain_of(p, joints))
    return nullptr;
  std::vector<Axis> axes;
  Placement frame;
  for (int i = 0; i < p.nodes; ++i) {
    const SolverNode& n = p.node[i];
    frame = below(frame, n);
    if (n.op != kStill) axes.push_back({frame.turned({n.axis[0], n.axis[1], n.axis[2]}), frame.p, &n});
  }
  const std::size_t count = axes.size();
  std::vector<Normal> normals;
  for (std::size_t i = 0; i + 1 < count; ++i)
    normals.push_back(
        normal_of(axes[i], axes[i + 1], i > 0 ? normals[i - 1].to : axes[0].point, i > 0 ? normals[i - 1].direction : across(axes[0].direction)));

  std::unique_ptr<CompiledArm> made(new CompiledArm);
  Arm& arm = made->arm_;
  std::memset(&arm, 0, sizeof arm);
  arm.count = static_cast<int>(count);
  std::fill(arm.side.lower, arm.side.lower + kMostArm, -std::numeric_limits<double>::infinity());
  std::fill(arm.side.upper, arm.side.upper + kMostArm, std::numeric_limits<double>::infinity());
  std::copy(arm.side.lower, arm.side.lower + kMostArm, arm.side.lowest);
  std::copy(arm.side.upper, arm.side.upper + kMostArm, arm.side.highest);
  for (std::size_t i = 0; i < count; ++i) {
    ArmJoint& j = arm.joint[i];
    const SolverNode& n = *axes[i].node;
    const Coordinate& c = p.coordinate[n.coordinate];
    const Vector& z = axes[i].direction;
    // x before and after the joint: the normal from the axis above, and the normal to the next axis
    const Vector before = i > 0 ? normals[i - 1].direction : normals[0].direction;
    const Vector after = i + 1 < count ? normals[i].direction : before;
    const Vector foot = i > 0 ? normals[i - 1].to : normals[0].from, origin = i + 1 < count ? normals[i].from : foot;
    if (i > 0) {
      const Vector& above = axes[i - 1].direction;
      j.a = dot(normals[i - 1].to - normals[i - 1].from, before);
      j.sine = dot(cross(above, z), before);
      j.cosine = dot(above, z);
    }
    j.theta = std::atan2(dot(cross(before, after), z), dot(before, after));
    j.d = dot(origin - foot, z);
    j.slides = n.op == kSliding ? 1 : 0;
    j.unit = n.unit;
    j.boxed = j.slides || c.upper - c.lower < 2.0 * kPi - 1e-6 ? 1 : 0;
    j.lower = c.lower;
    j.upper = c.upper;
    j.lowest = c.lowest;
    j.highest = c.highest;
    j.number = n.number;
    arm.side.theta[i] = j.theta;
    arm.side.hinge[i] = j.slides ? 0.0 : 1.0;
    if (j.boxed) arm.side.lower[i] = j.lower, arm.side.upper[i] = j.upper;
    arm.side.lowest[i] = j.lowest;
    arm.side.highest[i] = j.highest;
    arm.slides |= j.slides;
    arm.narrow[i] = {static_cast<float>(j.sine),
                     static_cast<float>(j.cosine),
                     static_cast<float>(j.a),
                     static_cast<float>(j.d),
                     static_cast<float>(j.theta),
                     static_cast<float>(j.lower),
                     static_cast<float>(j.upper),
                     j.slides,
                     j.boxed};
  }
  const Vector x0 = normals[0].direction, z0 = axes[0].direction, y0 = cross(z0, x0), o0 = normals[0].from;
  const Vector columns[3] = {x0, y0, z0};
  for (std::size_t k = 0; k < 3; ++k) {
    arm.origin[k] = o0[k];
    for (std::size_t i = 0; i < 3; ++i) arm.base[3 * k + i] = columns[k][i];
  }
  // the last joint's space when every number is 0, and the effector in it
  const Vector zn = axes[count - 1].direction, xn = normals[count - 2].direction, yn = cross(zn, xn), on = normals[count - 2].to;
  const Vector last[3] = {xn, yn, zn}, effector[3] = {frame.x, frame.y, frame.z};
  const Vector tool = frame.p + frame.turned({position->offset[0], position->offset[1], position->offset[2]}) - on;
  for (std::size_t i = 0; i < 3; ++i) {
    arm.tool[i] = dot(last[i], tool);
    for (std::size_t k = 0; k < 3; ++k) arm.turn[3 * i + k] = dot(last[i], effector[k]);
  }
  arm.position = position->target;
  arm.orientation = orientation->target;
  arm.limits = limits_of(position->tolerance, orientation->tolerance);
  arm.size = p.size;
  find_ease(arm);
  return made;
}

}  // namespace manikin
