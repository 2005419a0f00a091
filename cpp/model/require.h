// Checks of the arrays that a caller gives.
#pragma once
#include <stdexcept>

namespace manikin {

inline void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

}  // namespace manikin
