// Finds the limbs of a problem: see Bundle in model/limbs.h, and kernels/solver/step/limbs.h for the step over them.
#include <algorithm>

#include "compile/compiled_problem.h"
#include "math/index.h"

namespace manikin {
namespace {

// A chain of coordinates, root to tip, and the parts at its end.
struct Limb {
  std::vector<int> chain;
  int above, position, orientation;
};

// Arranges coordinates in lanes, with `none` after the end of a limb.
Bundle bundle_of(const Limb* limbs, int count, int none, std::vector<int>& table) {
  Bundle b{};
  b.rows = limbs[0].orientation >= 0 ? 6 : 3;
  b.lanes = count;
  b.alone = count == 1 ? 1 : 0;
  b.first = static_cast<int>(table.size() / 4);
  for (int lane = 0; lane < 4; ++lane) {
    const Limb* limb = lane < count ? limbs + lane : nullptr;
    b.above[lane] = limb ? limb->above : -1;
    b.position[lane] = limb ? limb->position : -1;
    b.orientation[lane] = limb ? limb->orientation : -1;
    if (limb) b.steps = std::max(b.steps, static_cast<int>(limb->chain.size()));
  }
  if (b.alone) b.steps = (b.steps + 3) / 4;
  for (int step = 0; step < b.steps; ++step)
    for (int lane = 0; lane < 4; ++lane) {
      const std::vector<int>& chain = limbs[b.alone || lane >= count ? 0 : lane].chain;
      const std::size_t k = at(b.alone ? 4 * step + lane : step);
      table.push_back((b.alone || lane < count) && k < chain.size() ? chain[k] : none);
    }
  return b;
}

}  // namespace

void CompiledProblem::add_limbs() {
  const int count = static_cast<int>(coordinates_.size());
  part_limb_.assign(parts_.size(), 0);
  std::vector<int> children(at(count), 0), limb_of(at(count), 0);
  for (const Coordinate& c : coordinates_)
    if (c.parent >= 0) ++children[at(c.parent)];
  std::vector<Limb> limbs;
  const bool plain = links_.empty() && coupled_.empty() && problem_.postures == 0;
  // limbs: chains from a tip with a position, and perhaps an orientation, up to the next branch or goal
  for (int tip = 0; plain && tip < count; ++tip) {
    if (children[at(tip)] != 0) continue;
    Limb limb{{}, -1, -1, -1};
    bool fits = true;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      if (parts_[k].coordinate != tip) continue;
      int& mine = parts_[k].kind == kPosition && parts_[k].flags == 7 ? limb.position : limb.orientation;
      fits = fits && mine < 0 && (parts_[k].kind == kOrientation || &mine == &limb.position);
      mine = static_cast<int>(k);
    }
    if (!fits || limb.position < 0) continue;
    int top = tip;  // up to the next branch or goal
    limb.chain.push_back(top);
    for (int p = coordinates_[at(tip)].parent; p >= 0 && children[at(p)] == 1 && coordinate_slot_[at(p)] < 0; p = coordinates_[at(p)].parent) {
      top = p;
      limb.chain.push_back(top);
    }
    limb.above = coordinates_[at(top)].parent;
    std::reverse(limb.chain.begin(), limb.chain.end());
    for (const int c : limb.chain) limb_of[at(c)] = 1;
    part_limb_[at(limb.position)] = 1;
    if (limb.orientation >= 0) part_limb_[at(limb.orientation)] = 1;
    limbs.push_back(limb);
  }
  // placements first, long limbs first, so that the lanes of a bundle end together
  std::stable_sort(limbs.begin(), limbs.end(), [](const Limb& a, const Limb& b) {
    const bool six = a.orientation >= 0, other = b.orientation >= 0;
    return six != other ? six : a.chain.size() > b.chain.size();
  });
  for (std::size_t k = 0; k < limbs.size();) {
    std::size_t together = 1;
    while (k + together < limbs.size() && together < 4 && (limbs[k + together].orientation >= 0) == (limbs[k].orientation >= 0)) ++together;
    bundles_.push_back(bundle_of(limbs.data() + k, static_cast<int>(together), problem_.width, limb_coordinate_));
    k += together;
  }
  // the trunk is what is not in a limb; the first write to a coordinate stores, the others add
  std::vector<char> there(at(count), 0);  // coordinates that are written before their children in the trunk
  for (std::size_t k = 0; k < slot_coordinate_.size(); ++k) {
    if (limb_of[at(slot_coordinate_[k])]) continue;
    trunk_slot_.push_back(static_cast<int>(k));
    there[at(slot_coordinate_[k])] = 1;
  }
  for (Bundle& b : bundles_)
    for (int lane = 0; lane < b.lanes; ++lane) {
      if (b.above[lane] < 0) continue;
      b.stores[lane] = there[at(b.above[lane])] ? 0 : 1;
      there[at(b.above[lane])] = 1;
    }
  std::vector<int> only_child(at(count), -1);  // the child that takes the next place in a block
  for (int i = 0; i < count; ++i) {
    const int parent = coordinates_[at(i)].parent;
    if (parent >= 0 && children[at(parent)] == 1 && !there[at(parent)] && !limb_of[at(i)]) only_child[at(parent)] = i;
  }
  // blocks of up to three coordinates
  std::vector<char> placed(at(count), 0);
  for (int i = 0; i < count; ++i) {
    if (limb_of[at(i)] || placed[at(i)]) continue;
    Block block{{problem_.width, problem_.width, problem_.width}, i, coordinates_[at(i)].parent, 0};
    for (int k = 0, c = i; k < 3 && c >= 0; ++k, c = only_child[at(c)]) {
      placed[at(c)] = 1;
      block.coordinate[k] = block.last = c;
    }
    blocks_.push_back(block);
  }
  for (std::size_t k = blocks_.size(); k-- > 0;) {
    const int parent = blocks_[k].parent;
    if (parent < 0) continue;
    blocks_[k].stores = there[at(parent)] ? 0 : 1;
    there[at(parent)] = 1;
  }
  // views of the arrays
  problem_.bundles = static_cast<int>(bundles_.size());
  problem_.limb_steps = static_cast<int>(limb_coordinate_.size() / 4);
  problem_.blocks = static_cast<int>(blocks_.size());
  problem_.trunk_slots = static_cast<int>(trunk_slot_.size());
  problem_.bundle = bundles_.data();
  problem_.limb_coordinate = limb_coordinate_.data();
  problem_.block = blocks_.data();
  problem_.trunk_slot = trunk_slot_.data();
  problem_.part_limb = part_limb_.data();
}

}  // namespace manikin
