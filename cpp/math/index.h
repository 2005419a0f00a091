// Indices of the core are ints and longs; those of the standard library have no sign.
#pragma once
#include <cstddef>

namespace manikin {

static inline std::size_t at(long i) { return static_cast<std::size_t>(i); }

}  // namespace manikin
