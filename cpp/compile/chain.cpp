// Rewrites a chain so that every joint turns about or slides along the z axis of its frame. Each frame follows from the previous one by an offset and
// a turn about x: any turn is Rz(before) Rx Rz(after), and the turns about z are added to the joints.
#include "compile/chain.h"

#include <cmath>
#include <cstring>

#include "math/mat3.h"

namespace manikin {
namespace {

void transposed(const double* a, double* out) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out[3 * i + j] = a[3 * j + i];
}

void apply(const double* a, const double* x, double* out) {
  const double r[3] = {a[0] * x[0] + a[1] * x[1] + a[2] * x[2], a[3] * x[0] + a[4] * x[1] + a[5] * x[2], a[6] * x[0] + a[7] * x[1] + a[8] * x[2]};
  std::memcpy(out, r, sizeof r);
}

// A frame relative to another: first the offset, then the turn.
struct Place {
  double turn[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double offset[3] = {0, 0, 0};
};

// Returns `node` relative to `above` after its motion (-1: the world). The nodes between them do not move.
Place place_of(const Problem& p, int node, int above) {
  Place out;
  for (int i = node; i != above; i = p.node[i].parent) {
    const SolverNode& n = p.node[i];
    apply(n.rotation, out.offset, out.offset);
    for (int k = 0; k < 3; ++k) out.offset[k] += n.offset[k];
    product(n.rotation, out.turn, out.turn);
  }
  return out;
}

// Computes a rotation whose third column is the unit vector z.
void with_axis(const double* z, double* r) {
  double x[3] = {0, 0, 0};
  const int k = std::fabs(z[0]) < 0.6 ? 0 : 1;
  x[k] = 1.0;
  const double along = z[k];
  double length = 0.0;
  for (int j = 0; j < 3; ++j) {
    x[j] -= along * z[j];
    length += x[j] * x[j];
  }
  length = std::sqrt(length);
  for (double& v : x) v /= length;
  const double y[3] = {z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]};
  for (int j = 0; j < 3; ++j) {
    r[3 * j] = x[j];
    r[3 * j + 1] = y[j];
    r[3 * j + 2] = z[j];
  }
}

bool is_chain(const Problem& p) {
  if (p.parts < 1 || p.parts > 2 || p.coordinates < 1 || p.links || p.couplings || p.solids || p.corners || p.postures > 0 || p.sides > 0)
    return false;
  for (int i = 0; i < p.coordinates; ++i)
    if (p.coordinate[i].parent != i - 1) return false;
  for (int i = 0; i < p.nodes; ++i) {
    const int op = p.node[i].op;
    if (op == kLoose || op == kCone || (op != kStill && p.node[i].coordinate < 0)) return false;
  }
  for (int k = 0; k < p.parts; ++k)
    if (p.part[k].coordinate != p.coordinates - 1) return false;
  return true;
}

}  // namespace

std::unique_ptr<CompiledChain> CompiledChain::of(const Problem& problem) {
  if (!is_chain(problem)) return nullptr;
  std::unique_ptr<CompiledChain> made(new CompiledChain);
  made->chain_ = Chain{};
  made->add_joints(problem);
  made->add_parts(problem);
  made->add_bounds(problem);
  return made;
}

void CompiledChain::add_joints(const Problem& p) {
  double last[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};  // axes of the previous joint here, relative to those of the problem
  shift_.assign(at(p.coordinates), 0.0);
  for (int i = 0; i < p.coordinates; ++i) {
    const SolverNode& n = p.node[p.coordinate[i].node];
    Place place = place_of(p, p.coordinate[i].node, i > 0 ? p.coordinate[i - 1].node : -1);
    double own[9], back[9], turn[9];
    with_axis(n.axis, own);
    transposed(last, back);
    apply(back, place.offset, place.offset);
    product(back, place.turn, turn);
    product(turn, own, turn);
    // turn = Rz(before) Rx Rz(after). Rz(after) is computed after the first two are removed, so it is exact however small the turn about x is.
    const double sine = std::hypot(turn[2], turn[5]), cosine = turn[8], size = std::hypot(sine, cosine);
    const double before = sine > 0.0 ? std::atan2(turn[2], -turn[5]) : 0.0, s = std::sin(before), c = std::cos(before);
    const double unturned[9] = {c, s, 0, -s, c, 0, 0, 0, 1};
    ChainJoint j{};
    j.sine = sine / size;
    j.cosine = cosine / size;
    const double level[9] = {1, 0, 0, 0, j.cosine, j.sine, 0, -j.sine, j.cosine};
    apply(unturned, place.offset, j.offset);
    product(unturned, turn, turn);
    product(level, turn, turn);
    shift_[at(i)] += std::atan2(turn[3], turn[0]);
    j.slides = n.op == kSliding ? 1 : 0;
    chain_.slides += j.slides;
    if (i > 0) {
      shift_[at(i - 1)] += before;
    } else {  // columns of Rz(before)
      const double base[9] = {c, s, 0, -s, c, 0, 0, 0, 1};
      std::memcpy(chain_.base, base, sizeof base);
    }
    joints_.push_back(j);
    std::memcpy(last, own, sizeof last);
  }
  std::memcpy(turned_, last, sizeof last);
  chain_.joints = p.coordinates;
  chain_.blocks = (p.coordinates + 3) / 4;
  chain_.joint = joints_.data();
}

void CompiledChain::add_parts(const Problem& p) {
  double back[9];
  transposed(turned_, back);
  for (int k = 0; k < p.parts; ++k) {
    const Place place = place_of(p, p.part[k].node, p.coordinate[p.coordinates - 1].node);
    ChainPart own{};
    product(back, place.turn, own.tool);
    apply(back, place.offset, own.tip);
    apply(own.tool, p.part[k].offset, own.point);
    for (int j = 0; j < 3; ++j) own.point[j] += own.tip[j];
    parts_.push_back(own);
  }
  chain_.part = parts_.data();
}

void CompiledChain::add_bounds(const Problem& p) {
  std::vector<double> turning, ease, bounded, lower, upper, middle;
  for (int i = 0; i < p.coordinates; ++i) {
    const Coordinate& c = p.coordinate[i];
    turning.push_back(joints_[at(i)].slides ? 0.0 : 1.0);
    ease.push_back(1.0 / c.weight);
    bounded.push_back(c.bounded ? 1.0 : 0.0);
    lower.push_back(c.lower);
    upper.push_back(c.upper);
    middle.push_back(c.middle);
  }
  blocks_.reserve(7);
  chain_.turning = kept(turning, 0.0);
  chain_.shift = kept(shift_, 0.0);
  chain_.ease = kept(ease, 0.0);
  chain_.bounded = kept(bounded, 0.0);
  chain_.lower = kept(lower, 0.0);
  chain_.upper = kept(upper, 0.0);
  chain_.middle = kept(middle, 0.0);
}

const double* CompiledChain::kept(const std::vector<double>& numbers, double filling) {
  std::vector<Block> made(at(chain_.blocks), Block{{filling, filling, filling, filling}});
  for (std::size_t i = 0; i < numbers.size(); ++i) made[i / 4].n[i % 4] = numbers[i];
  blocks_.push_back(std::move(made));
  return blocks_.back().data()->n;
}

}  // namespace manikin
