// Programs of tests, from their texts.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "verifier/neutral/program/program.h"

namespace vl::test {

/// Throws, and so ends the test, where the text is no program.
inline neutral::program::Program read_program(std::string_view text) {
  auto program = neutral::program::parse_program(text);
  if (!program) throw std::runtime_error(std::string(text) + program.error().message);
  return std::move(*program);
}

}  // namespace vl::test
