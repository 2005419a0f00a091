#include "model/named_arrays.h"

#include <cstring>
#include <stdexcept>

namespace manikin {
namespace {

constexpr char kMagic[8] = {'m', 'a', 'n', 'i', 'k', 'i', 'n', 0};
constexpr std::size_t kHead = 24;           // bytes before the first array
constexpr std::size_t kArrayHead = 16;      // bytes before the name of an array
constexpr std::uint32_t kLongestName = 64;  // bytes
constexpr int kLargestWhole = 1 << 28;
enum Type : std::uint32_t { kInts = 0, kDoubles = 1, kBytes = 2 };

[[noreturn]] void fail(const std::string& what) { throw std::invalid_argument("compiled problem: " + what); }

template <class T>
T read(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

std::size_t padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

template <class T>
std::vector<T> items(const char* at, std::size_t count) {
  std::vector<T> out(count);
  if (count > 0) std::memcpy(out.data(), at, count * sizeof(T));
  return out;
}

template <class Arrays>
const typename Arrays::mapped_type& found(const Arrays& arrays, std::string_view name) {
  const auto at = arrays.find(name);
  if (at == arrays.end()) fail("array '" + std::string(name) + "' is missing, or of another type");
  return at->second;
}

template <class Array>
const Array& of_count(const Array& array, std::string_view name, std::size_t count) {
  if (array.size() != count)
    fail("array '" + std::string(name) + "' has " + std::to_string(array.size()) + " items; it needs " + std::to_string(count));
  return array;
}

}  // namespace

NamedArrays::NamedArrays(const void* data, std::size_t bytes) {
  const char* const start = static_cast<const char*>(data);
  if (bytes < kHead || std::memcmp(start, kMagic, sizeof kMagic) != 0) fail("the bytes do not begin with its mark (Solver.to_bytes() writes it)");
  const auto version = read<std::uint32_t>(start + 8);
  if (version != kArraysVersion) fail("its version is " + std::to_string(version) + "; this core reads " + std::to_string(kArraysVersion));
  if (read<std::uint64_t>(start + 16) != bytes)
    fail("it has " + std::to_string(bytes) + " bytes; its head says " + std::to_string(read<std::uint64_t>(start + 16)));
  const auto count = read<std::uint32_t>(start + 12);
  std::size_t at = kHead;
  for (std::uint32_t k = 0; k < count; ++k) {
    if (bytes - at < kArrayHead) fail("it ends before array " + std::to_string(k));
    const auto length = read<std::uint32_t>(start + at), type = read<std::uint32_t>(start + at + 4);
    const auto number = read<std::uint64_t>(start + at + 8);
    at += kArrayHead;
    if (length == 0 || length > kLongestName || padded(length) > bytes - at) fail("the name of array " + std::to_string(k) + " is not readable");
    const std::string name(start + at, length);
    for (const char c : name)
      if (!((c >= 'a' && c <= 'z') || c == '_')) fail("array " + std::to_string(k) + " has a name that is not made of letters");
    at += padded(length);
    const std::size_t size = type == kInts ? sizeof(std::int32_t) : type == kDoubles ? sizeof(double) : 1;
    if (type > kBytes) fail("array '" + name + "' has the unknown type " + std::to_string(type));
    if (number > (bytes - at) / size || padded(number * size) > bytes - at) fail("array '" + name + "' is longer than the block");
    if (ints_.count(name) || doubles_.count(name) || bytes_.count(name)) fail("array '" + name + "' occurs twice");
    if (type == kInts) {
      const std::vector<int>& made = ints_.emplace(name, items<int>(start + at, number)).first->second;
      for (const int x : made)  // later additions to them do not overflow
        if (x < -kLargestWhole || x > kLargestWhole) fail("array '" + name + "' has the number " + std::to_string(x) + ", which is out of range");
    } else if (type == kDoubles) {
      doubles_.emplace(name, items<double>(start + at, number));
    } else {
      bytes_.emplace(name, std::string(start + at, number));
    }
    at += padded(number * size);
  }
  if (at != bytes) fail("it has " + std::to_string(bytes - at) + " bytes after its last array");
}

const std::vector<int>& NamedArrays::ints(std::string_view name) const { return found(ints_, name); }
const std::vector<int>& NamedArrays::ints(std::string_view name, std::size_t count) const { return of_count(ints(name), name, count); }
const std::vector<double>& NamedArrays::doubles(std::string_view name) const { return found(doubles_, name); }
const std::vector<double>& NamedArrays::doubles(std::string_view name, std::size_t count) const { return of_count(doubles(name), name, count); }

std::vector<std::string> NamedArrays::texts(std::string_view name, std::size_t count) const {
  const std::string& all = found(bytes_, name);
  std::vector<std::string> out;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = all.find('\0', at);
    if (end == std::string::npos) fail("array '" + std::string(name) + "' does not end with a zero byte");
    out.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  return of_count(out, name, count);
}

}  // namespace manikin
