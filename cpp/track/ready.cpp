#include "track/ready.h"

#include <algorithm>
#include <utility>

#include "math/index.h"
#include "track/constants.h"

namespace manikin {
namespace {

// The last one used comes last.
thread_local std::vector<std::unique_ptr<Ready>> kept;

}  // namespace

Ready::Ready(const Solver& solver, const SolverKernels& kernel, const double* given)
    : serial(solver.problem().serial),
      kernels(&kernel),
      speed(given, given + solver.problem().nq),
      bytes(kernel.workspace_bytes(solver.problem())),
      speeds(solver.problem(), speed.data()),
      arm(solver.problem(), solver.arm(), speeds),
      joints(solver.problem(), speeds),
      workspace(bytes),
      found(at(solver.problem().nq)),
      measured(at(solver.measures())),
      weights(at(solver.problem().goals)) {}

bool Ready::fits(const Solver& solver, const SolverKernels& kernel, const double* given) const {
  return serial == solver.problem().serial && kernels == &kernel && std::equal(speed.begin(), speed.end(), given);
}

Borrowed::Borrowed(const Solver& solver, const double* speed) {
  const SolverKernels& kernel = solver_kernels();
  const auto fits = [&](const std::unique_ptr<Ready>& one) { return one->fits(solver, kernel, speed); };
  const auto one = std::find_if(kept.rbegin(), kept.rend(), fits);
  if (one == kept.rend()) {
    ready_ = std::make_unique<Ready>(solver, kernel, speed);
    kept.reserve(kKeptTracks + 1);  // so that the destructor needs no memory
  } else {
    ready_ = std::move(*one);
    kept.erase(std::next(one).base());
  }
}

Borrowed::~Borrowed() {
  if (ready_->results.size() > kKeptFrames) {
    std::vector<double>().swap(ready_->measures);
    std::vector<SolveResult>().swap(ready_->results);
  }
  kept.push_back(std::move(ready_));
  long bytes = 0;
  for (const auto& one : kept) bytes += one->bytes;
  while (kept.size() > 1 && (kept.size() > kKeptTracks || bytes > kKeptBytes)) {
    bytes -= kept.front()->bytes;
    kept.erase(kept.begin());
  }
}

}  // namespace manikin
