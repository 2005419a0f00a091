// Several tracks on threads. Tracks share nothing but the hooks of the caller, so results do not depend on the number of threads.
#pragma once
#include <algorithm>
#include <atomic>
#include <vector>

#include "math/index.h"
#include "solve/query/shared_hooks.h"
#include "solve/threads.h"

namespace manikin {

// Calls run(k, ask) for each track k. Each thread takes the longest track that is left. `frames`: (tracks) their lengths. `ask` has the hooks of the
// caller; `run` gets hooks that any thread may call. Once a hook has ended a track, no other is started.
template <class Run>
void track_many(const std::vector<long>& frames, int threads, const Ask& ask, const Run& run) {
  const long count = static_cast<long>(frames.size());
  std::vector<long> order(frames.size());
  for (long k = 0; k < count; ++k) order[at(k)] = k;
  std::stable_sort(order.begin(), order.end(), [&](long a, long b) { return frames[at(a)] > frames[at(b)]; });
  SharedHooks hooks(ask);
  std::atomic<long> next{0};
  on_threads(
      std::min<long>(threads, count),
      [&](long) {
        for (long k = next.fetch_add(1); k < count && !hooks.stopped(); k = next.fetch_add(1)) run(order[at(k)], hooks.ask());
      },
      [&] { hooks.stopped(); });
}

}  // namespace manikin
