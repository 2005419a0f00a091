// Memory for the kernels that one thread runs.
#pragma once
#include <cstdint>
#include <cstring>
#include <memory>

namespace manikin {

// Aligned to 64 bytes.
struct Workspace {
  std::unique_ptr<char[]> memory;
  void* start;

  explicit Workspace(long bytes) : memory(new char[static_cast<std::size_t>(bytes) + 64]) {
    start = memory.get() + (64 - reinterpret_cast<std::uintptr_t>(memory.get()) % 64) % 64;
#ifdef __SANITIZE_ADDRESS__
    std::memset(start, 0xff, static_cast<std::size_t>(bytes));  // memory that is read before it is written shows as NaN
#endif
    std::memset(start, 0, sizeof(unsigned long long));  // not yet laid out for a problem
  }
};

}  // namespace manikin
