// Shards: the cases of a numbered scope that a run covers. The digest of a case's number alone decides its shard, so
// the n shards are disjoint, cover the scope, and each is as mixed as the whole.
//
// A test names the share that it covers by default. VL_SHARD=i/n in the environment replaces it: 0/1 is the whole
// scope, and 0/64 … 63/64 are the tasks of an array job that together cover every case once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "encodings/base/check.h"
#include "encodings/base/cursor.h"
#include "encodings/base/integer.h"

namespace vl::test {

/// A number without a pattern, the same on every machine (splitmix64's finaliser). digest(0) == 0xe220a8397b1dcdaf.
[[nodiscard]] constexpr std::uint64_t digest(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

struct Shard {
  std::uint64_t index = 0;
  std::uint64_t count = 1;

  [[nodiscard]] constexpr bool has(std::uint64_t number) const { return digest(number) % count == index; }
};

/// "3/64". Requires: 0 <= i < n.
[[nodiscard]] inline Shard parse_shard(const std::string& text) {
  Cursor in(text);
  const Index index = in.integer("the shard's number");
  in.expect("/");
  const Index count = in.integer("the number of shards");
  in.expect_end();
  VL_CHECK(!in.failed() && 0 <= index && index < count, "VL_SHARD is i/n with 0 <= i < n: " + text);
  return {static_cast<std::uint64_t>(index), static_cast<std::uint64_t>(count)};
}

/// Whether VL_SHARD is set: a campaign, which has time.
[[nodiscard]] inline bool is_campaign() { return std::getenv("VL_SHARD") != nullptr; }

/// VL_SHARD, or else one part of `parts`.
[[nodiscard]] inline Shard shard_of(std::uint64_t parts) {
  return is_campaign() ? parse_shard(std::getenv("VL_SHARD")) : Shard{0, parts};
}

/// VL_SHARD, or else a part with about `most` of `all` cases, so that a scope that grows, as the corpus does, costs the
/// same: one part of 3 for 2,000 of 6,263.
[[nodiscard]] inline Shard shard_of_about(std::uint64_t most, std::uint64_t all) {
  return shard_of(std::max<std::uint64_t>(all / most, 1));
}

/// How many cases a campaign of random cases has: `everyday`, and with VL_SHARD all that it is written for.
[[nodiscard]] inline std::int64_t cases(std::int64_t everyday, std::int64_t all) {
  return is_campaign() ? all : everyday;
}

}  // namespace vl::test
