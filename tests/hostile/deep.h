// Texts that nest deeper than any reader goes: as deep as a stack of 8 MiB is too small for. A sanitized reader is
// slow, and is given half of the stack for a twentieth of the levels.
#pragma once

#include "tests/hostile/attack.h"

namespace vl::test::hostile {

constexpr std::size_t kDeep = kSanitized ? 5'000 : 100'000;

inline std::string times(const std::string& part, std::size_t n = kDeep) {
  std::string out;
  out.reserve(part.size() * n);
  for (std::size_t i = 0; i < n; ++i) out += part;
  return out;
}

/// Runs a program on such texts.
inline Ended attacked_deeply(const Words& arguments, const std::string& name = "verify-layout") {
  Surroundings where;
  where.stack = kSanitized ? rlim_t{4} << 20 : 0;
  return Attack(program(name), arguments, where).wait();
}

}  // namespace vl::test::hostile
