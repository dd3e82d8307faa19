#include "oracle/gate/signature.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace vl::gate {
namespace {

// Some coordinate needs more than 16 bits.
bool is_far(const map::Map& map) {
  return std::ranges::any_of(map.ranges(map.stages().size()),
                             [](const map::Range& range) { return range.low < -0x8000 || range.high > 0xffff; });
}

}  // namespace

std::string_view class_of(const Case& of) {
  for (const std::string_view word : {"bijective", "injective"})
    if (has_property(of, word)) return word;
  return "any";
}

std::vector<std::string_view> features_of(const Case& of) {
  std::vector<std::string_view> out;
  const auto add = [&](std::string_view feature, bool here) {
    if (here) out.push_back(feature);
  };
  add("replicas", !has_property(of, "no-replicas"));
  add("swizzle", !has_property(of, "no-swizzle"));
  add("offset", !has_property(of, "no-offset"));
  add("threads", !has_property(of, "memory-only"));
  add("down", !has_property(of, "positive-strides"));
  add("not-powers", !has_property(of, "powers-of-two"));
  add("box", !of.tensor.box.empty());
  add("host", of.tensor.strides.has_value() || of.tensor.offset != 0 || of.tensor.view_offset != 0);
  add("rank-0", of.tensor.size.empty());
  add("far", is_far(of.of().map()));
  return out;
}

std::string signature_of(const Case& of, const Judgement& judgement) {
  // What is wrong with a line, or with the whole process, says nothing about the case.
  if (judgement.word == Word::Fault && !judgement.kind.starts_with("crashed"))
    return fmt::format("{}/{}/{}", of.family, of.op->name, judgement.kind);
  const auto features = features_of(of);
  return fmt::format("{}/{}/{}/{}{}{}", of.family, of.op->name, judgement.kind, class_of(of),
                     features.empty() ? "" : ",", fmt::join(features, ","));
}

}  // namespace vl::gate
