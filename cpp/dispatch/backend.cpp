#include "dispatch/backend.h"

#include <atomic>
#include <stdexcept>

namespace manikin {
namespace {

std::vector<const Kernels*> runnable() {
  std::vector<const Kernels*> found{&kernels_base()};
#ifdef MANIKIN_HAVE_V3
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) found.push_back(&kernels_v3());
#endif
  return found;
}

std::atomic<const Kernels*>& current() {
  static std::atomic<const Kernels*> chosen{runnable().back()};
  return chosen;
}

}  // namespace

std::vector<std::string> available_kernels() {
  std::vector<std::string> names;
  for (const Kernels* k : runnable()) names.emplace_back(k->name);
  return names;
}

void use_kernels(const std::string& name) {
  for (const Kernels* k : runnable()) {
    if (name == k->name) {
      current().store(k);
      return;
    }
  }
  throw std::invalid_argument("kernels '" + name + "' are not available on this machine");
}

const SolverKernels& solver_kernels() {
#ifdef MANIKIN_HAVE_V3
  if (&kernels() == &kernels_v3()) return solver_v3();
#endif
  return solver_base();
}

const ArmKernels& arm_kernels() {
#ifdef MANIKIN_HAVE_V3
  if (&kernels() == &kernels_v3()) return arm_v3();
#endif
  return arm_base();
}

const Kernels& kernels() { return *current().load(std::memory_order_relaxed); }

}  // namespace manikin
