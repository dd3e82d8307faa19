// The claims about loop nests, asked about a copy's transfer and compared with the result of running it: the verdict's
// word, and for a refutation the smallest counterexample with all of its numbers.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "tests/peer/moves.h"
#include "verifier/claims/claim.h"

namespace vl::test::s2 {

/// The layout of a copy: slots by the dma strides, host offsets by the CPU tensor's own.
inline map::Layout layout_of(const Copy& copy) {
  map::Tensor tensor{map::ElementType::F16, copy.size, copy.dma_strides, 0, 0};
  const auto layout = spyre::lower(raw_layout(copy.device_size, copy.stride_map), tensor);
  VL_CHECK(layout.has_value(), "the copy has a layout");
  map::LayoutParts parts;
  parts.logical = layout->logical();
  parts.replicas = layout->replicas();
  parts.physical = layout->physical();
  parts.map = layout->map().stages();
  parts.guards = layout->guards();
  if (layout->decode()) {
    parts.decode = layout->decode()->stages();
    parts.decode_guards = layout->decode()->outputs() - layout->domain().rank();
  }
  parts.identity = layout->identity();
  parts.host_offset = map::dot(copy.cpu_strides, copy.storage_offset);
  auto out = map::Layout::create(std::move(parts));
  VL_CHECK(out.has_value(), "the copy has a layout with the CPU tensor's strides");
  return *std::move(out);
}

inline claims::Verdict ask(std::string_view claim, const map::Layout& layout, const use::Transfer& transfer,
                           const engines::Options& options = {}) {
  const claims::Claim* found = claims::find_claim(claim, true);
  VL_CHECK(found != nullptr, "a claim about nests");
  return claims::decide(*found, claims::Transferred{layout, transfer}, options).verdict;
}

using Fields = std::vector<std::pair<std::string, claims::Counterexample::Value>>;

inline void add_move(Fields& fields, const use::Transfer& transfer, const Point& move) {
  const use::Nest& nest = transfer.nests[static_cast<std::size_t>(move[0])];
  const Point iteration(move.begin() + 1, move.end());
  Move at{host_of(nest, transfer.direction).offset, device_of(nest, transfer.direction).offset};
  for (std::size_t k = 0; k < iteration.size(); ++k) {
    at.host += iteration[k] * host_of(nest, transfer.direction).strides[k];
    at.device += iteration[k] * device_of(nest, transfer.direction).strides[k];
  }
  const bool to_device = transfer.direction == use::Direction::HostToDevice;
  fields.emplace_back("nest", move[0]);
  fields.emplace_back("iteration", iteration);
  fields.emplace_back(to_device ? "host" : "device", to_device ? at.host : at.device);
  fields.emplace_back(to_device ? "device" : "host", to_device ? at.device : at.host);
}

/// The counterexample that a claim must give after `finding`; empty if it must be proved.
inline Fields expected_fields(std::string_view claim, const use::Transfer& transfer, const Finding& finding) {
  Fields out;
  const auto unserved = [&] {
    if (!finding.unserved) return;
    out.emplace_back("a", finding.unserved->element);
    out.emplace_back(transfer.direction == use::Direction::HostToDevice ? "device" : "host", finding.unserved->place);
    out.emplace_back("times", finding.unserved->times);
  };
  if (claim == "in-bounds") {
    if (finding.leaves) add_move(out, transfer, *finding.leaves);
  } else if (claim == "covers-once") {
    unserved();
  } else if (claim == "no-overlap") {
    if (!finding.overwritten) return out;
    const Point& other = finding.overwritten->second;
    add_move(out, transfer, finding.overwritten->first);
    out.emplace_back("other_nest", other[0]);
    out.emplace_back("other_iteration", Point(other.begin() + 1, other.end()));
  } else {
    VL_CHECK(claim == "implements", "a claim that execution answers");
    if (finding.stray) add_move(out, transfer, *finding.stray);
    else unserved();
  }
  return out;
}

inline std::string show(const Fields& fields) {
  std::string out;
  for (const auto& field : fields)
    out += std::visit([&](const auto& value) { return fmt::format(" {} {}", field.first, value); }, field.second);
  return out.empty() ? " none" : out;
}

/// The difference between a verdict and execution; empty if they agree.
inline std::string difference(const claims::Verdict& verdict, const Fields& expected) {
  if (const auto* refuted = std::get_if<claims::Refuted>(&verdict)) {
    if (refuted->counterexample.fields == expected) return {};
    return fmt::format("refuted with{}, and execution shows{}", show(refuted->counterexample.fields), show(expected));
  }
  if (std::holds_alternative<claims::Proved>(verdict) && expected.empty()) return {};
  return fmt::format("{}, and execution shows{}", question::word(verdict), show(expected));
}

inline constexpr std::string_view kClaims[] = {"in-bounds", "covers-once", "implements", "no-overlap"};

}  // namespace vl::test::s2
