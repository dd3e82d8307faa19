// Questions about neutral fills in words, for the messages of tests.
#pragma once

#include <fmt/format.h>

#include <string>

#include "verifier/neutral/question.h"

namespace vl::test {

inline std::string named(const neutral::Question& q, const values::CodeSet& fill) {
  return fmt::format(
      "{} of {} in {}, start {}, tree {}, max {}, fused {}, equal {}, divide {}, ties {}, pads {}, blocks {}, k {}, "
      "fill {:X}\n",
      name(q.operation), q.type.name, q.accumulate.name, static_cast<int>(q.start), static_cast<int>(q.tree),
      static_cast<int>(q.max), q.fused, static_cast<int>(q.equal), static_cast<int>(q.divide), static_cast<int>(q.ties),
      static_cast<int>(q.pads), static_cast<int>(q.blocks), q.k, fill.ranges()[0].first);
}

}  // namespace vl::test
