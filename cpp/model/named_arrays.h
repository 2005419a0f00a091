// A block of named arrays: how a compiled problem comes into the core, from Python, from a file or from another program.
//
//   offset  what
//   0       "manikin" and a zero byte
//   8       version, uint32
//   12      number of arrays, uint32
//   16      length of the whole block in bytes, uint64
//   24      the arrays, one after the other, each at a multiple of 8:
//             length of the name, uint32; type, uint32 (0: int32, 1: float64, 2: bytes); number of items, uint64; the name; zeros up
//             to a multiple of 8; the items; zeros up to a multiple of 8
//
// All numbers are little-endian. Every array is flat; its shape follows from its name and the counts of the problem.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace manikin {

constexpr std::uint32_t kArraysVersion = 2;

// The arrays of a block, copied. Reading trusts nothing: a block that is cut short, of another version, with lengths that do not fit,
// names that repeat or types that are unknown throws std::invalid_argument, which names the array.
class NamedArrays {
 public:
  NamedArrays(const void* data, std::size_t bytes);

  // An array that must be there, with `count` items; any number of them without a count.
  const std::vector<int>& ints(std::string_view name) const;
  const std::vector<int>& ints(std::string_view name, std::size_t count) const;
  const std::vector<double>& doubles(std::string_view name) const;
  const std::vector<double>& doubles(std::string_view name, std::size_t count) const;
  // A single number.
  int whole(std::string_view name) const { return ints(name, 1)[0]; }
  double real(std::string_view name) const { return doubles(name, 1)[0]; }
  // Texts, each ended by a zero byte.
  std::vector<std::string> texts(std::string_view name, std::size_t count) const;

 private:
  std::map<std::string, std::vector<int>, std::less<>> ints_;
  std::map<std::string, std::vector<double>, std::less<>> doubles_;
  std::map<std::string, std::string, std::less<>> bytes_;
};

}  // namespace manikin
