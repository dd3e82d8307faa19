#include "encodings/base/memory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <string_view>

namespace vl {
namespace {

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kMostReserve = std::size_t{32} << 20;  // page tables, the stack, the program itself
constexpr std::size_t kShareOfReserve = 32;

std::size_t without(std::size_t all, std::size_t part) { return all - std::min(all, part); }

// The number in a file; nothing for "max".
std::optional<std::size_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::size_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

// The sum of the numbers behind these words, in a file of lines "word number …".
std::optional<std::size_t> sum_of(const std::string& path, const std::array<std::string_view, 3>& words) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::size_t sum = 0, number = 0;
  std::string word, rest;
  while (file >> word >> number && std::getline(file, rest))
    if (std::ranges::find(words, word) != words.end()) sum += number;
  return sum;
}

std::size_t free_of_machine(const std::string& root) {
  const auto kilobytes = sum_of(root + "/proc/meminfo", {"MemAvailable:", "SwapFree:"});
  return kilobytes && *kilobytes > 0 ? *kilobytes * 1024 : machine_bytes();
}

// The names of the files of a version of control groups.
struct Version {
  std::string_view limit, usage;
  std::array<std::string_view, 3> reclaimable;  // words of memory.stat
};
constexpr Version kVersion1{
    "/memory.limit_in_bytes", "/memory.usage_in_bytes", {"total_inactive_file", "total_active_file"}};
constexpr Version kVersion2{"/memory.max", "/memory.current", {"inactive_file", "active_file", "slab_reclaimable"}};

std::size_t free_of_group(const std::string& folder, const Version& version) {
  const auto limit = number_in(folder + std::string(version.limit));
  if (!limit) return kNoLimit;
  const auto used = number_in(folder + std::string(version.usage));
  const auto reclaimable = sum_of(folder + "/memory.stat", version.reclaimable);
  const std::size_t kept = without(used.value_or(0), reclaimable.value_or(0));
  return without(without(*limit, kept), std::min(*limit / kShareOfReserve, kMostReserve));
}

// The least of a group and of all around it. In a container the path may count from outside: then only some of its
// folders are there, or none but the first.
std::size_t free_of_groups(const std::string& base, std::string path, const Version& version) {
  if (path.find("..") != std::string::npos) path.clear();
  std::size_t least = kNoLimit;
  for (;;) {
    while (path.ends_with('/')) path.pop_back();
    least = std::min(least, free_of_group(base + path, version));
    if (path.empty()) return least;
    path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  }
}

// A line of /proc/self/cgroup: "4:cpu,memory:/path" in version 1, "0::/path" in version 2.
std::size_t free_by_line(const std::string& root, const std::string& line) {
  const std::size_t first = line.find(':'), second = line.find(':', first + 1);
  if (first == std::string::npos || second == std::string::npos) return kNoLimit;
  const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",",
                    path = line.substr(second + 1);
  const std::string folder = root + "/sys/fs/cgroup";
  if (controllers == ",,")
    return std::min(free_of_groups(folder, path, kVersion2), free_of_groups(folder + "/unified", path, kVersion2));
  return controllers.find(",memory,") == std::string::npos ? kNoLimit
                                                           : free_of_groups(folder + "/memory", path, kVersion1);
}

}  // namespace

std::size_t machine_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page) : kNoLimit;
}

std::size_t free_bytes(const std::string& root) {
  std::size_t least = free_of_machine(root);
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) least = std::min(least, free_by_line(root, line));
  return least;
}

std::optional<Error> check_free(std::size_t bytes) {
  const std::size_t left = free_bytes();
  if (bytes <= left) return std::nullopt;
  return Error{ErrorCode::Io, fmt::format("{} bytes are more than the memory that is left, {} bytes", bytes, left)};
}

bool has_room(std::size_t bytes) {
  constexpr std::size_t kLarge = std::size_t{64} << 20;
  return bytes < kLarge || bytes <= free_bytes();
}

}  // namespace vl
