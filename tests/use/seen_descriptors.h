// The descriptors that are seen in a text, one after the other: as canonical texts, or why they are not read.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "encodings/use/descriptor_scan.h"

namespace vl::test {

inline std::string seen(std::string_view file, std::string_view text) {
  std::string out;
  for (const use::SeenDescriptor& each : use::descriptors_in(file, text)) {
    EXPECT_LE(each.end, text.size());
    const auto* descriptor = std::get_if<use::Descriptor>(&each.what);
    out += (out.empty() ? "" : "; ");
    out += descriptor != nullptr ? use::print(*descriptor) : "refused: " + std::get<std::string>(each.what);
  }
  return out;
}

}  // namespace vl::test
