// Runs the parts of a job on separate threads.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "solve/constants.h"

namespace manikin {

// Calls work(k) for k = 0 … parts - 1, each on a separate thread, the first on this one. If the system provides no more threads, this thread does the
// remaining parts: a thread that is not joined would end the process. Exceptions of a part are thrown here after all parts have ended. While this
// thread waits, it calls poll() every few milliseconds.
template <class Work, class Poll>
void on_threads(long parts, const Work& work, const Poll& poll) {
  if (parts <= 1) {
    if (parts == 1) work(0l);
    return;
  }
  // each part on a thread, as far as the system has them
  std::vector<std::thread> pool;
  std::vector<std::exception_ptr> failed(static_cast<std::size_t>(parts));
  pool.reserve(static_cast<std::size_t>(parts));
  std::mutex mutex;
  std::condition_variable over;
  long ended = 0;  // threads of the pool that have finished their part
  const auto part = [&](long k) {
    try {
      work(k);
    } catch (...) {
      failed[static_cast<std::size_t>(k)] = std::current_exception();
    }
  };
  const auto pooled = [&](long k) {
    part(k);
    const std::lock_guard<std::mutex> lock(mutex);
    ++ended;
    over.notify_one();
  };
  long started = 1;
  try {
    for (; started < std::min(parts, kMostThreads); ++started) pool.emplace_back(pooled, started);
  } catch (const std::system_error&) {  // no more threads
  } catch (const std::bad_alloc&) {     // no memory to start one
  }
  // this thread takes the first part and those without a thread
  part(0);
  for (long k = started; k < parts; ++k) part(k);
  std::unique_lock<std::mutex> lock(mutex);
  while (!over.wait_for(lock, std::chrono::milliseconds(kPollMilliseconds), [&] { return ended == started - 1; })) {
    lock.unlock();
    poll();
    lock.lock();
  }
  // all have ended
  lock.unlock();
  for (std::thread& t : pool) t.join();
  for (const std::exception_ptr& e : failed)
    if (e) std::rethrow_exception(e);
}

template <class Work>
void on_threads(long parts, const Work& work) {
  on_threads(parts, work, [] {});
}

}  // namespace manikin
