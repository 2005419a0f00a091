// A block of named arrays. A compiled problem enters the core in this form, from Python, from a file or from another program.
//
//   offset  content
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

constexpr std::uint32_t kArraysVersion = 3;

// The arrays of a block, copied. The reader checks everything. It throws std::invalid_argument, naming the array, if a block is cut short, has
// another version, has lengths that do not fit, repeats a name or has an unknown type.
class NamedArrays {
 public:
  NamedArrays(const void* data, std::size_t bytes);

  // Returns an array, which must exist and have `count` items; without a count, any number.
  const std::vector<int>& ints(std::string_view name) const;
  const std::vector<int>& ints(std::string_view name, std::size_t count) const;
  const std::vector<double>& doubles(std::string_view name) const;
  const std::vector<double>& doubles(std::string_view name, std::size_t count) const;
  // Returns a single number.
  int whole(std::string_view name) const { return ints(name, 1)[0]; }
  double real(std::string_view name) const { return doubles(name, 1)[0]; }
  // Returns texts; each ends with a zero byte.
  std::vector<std::string> texts(std::string_view name, std::size_t count) const;

 private:
  std::map<std::string, std::vector<int>, std::less<>> ints_;
  std::map<std::string, std::vector<double>, std::less<>> doubles_;
  std::map<std::string, std::string, std::less<>> bytes_;
};

}  // namespace manikin
