// Parts of a job on threads of their own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace manikin {

constexpr long kMostThreads = 1024;  // as MOST_THREADS in figure/batch.py

// work(k) for k = 0 … parts - 1, each on a thread of its own, the first on this one. Where the system gives no more
// threads, this one does the rest: a thread that is not joined would end the process. What a part throws is thrown here,
// once all have ended.
template <class Work>
void on_threads(long parts, const Work& work) {
  if (parts <= 1) {
    if (parts == 1) work(0l);
    return;
  }
  std::vector<std::thread> pool;
  std::vector<std::exception_ptr> failed(static_cast<std::size_t>(parts));
  pool.reserve(static_cast<std::size_t>(parts));
  const auto part = [&](long k) {
    try {
      work(k);
    } catch (...) {
      failed[static_cast<std::size_t>(k)] = std::current_exception();
    }
  };
  long started = 1;
  try {
    for (; started < std::min(parts, kMostThreads); ++started) pool.emplace_back(part, started);
  } catch (const std::system_error&) {  // no more threads
  } catch (const std::bad_alloc&) {     // no room to start one
  }
  part(0);
  for (long k = started; k < parts; ++k) part(k);
  for (std::thread& t : pool) t.join();
  for (const std::exception_ptr& e : failed)
    if (e) std::rethrow_exception(e);
}

}  // namespace manikin
