#include "verifier/session/rule_accesses.h"

#include <fmt/format.h>

#include <algorithm>

#include "verifier/session/binding.h"

namespace vl::session {
namespace {

using question::Reason;
using question::Unknown;

// A layout that puts every element of a large tensor of that rank at address 0: an access through it is at the byte at
// which its buffer starts.
map::Layout at_address_0(std::size_t rank) {
  const Index each = Index{1} << (60 / std::max<std::size_t>(rank, 2));
  map::LayoutParts parts;
  auto logical = map::Space::create(map::Space::dims("x", std::vector<Index>(rank, each)));
  auto memory = map::Space::create({{std::string(map::kMemoryAxis), 1, map::Unit::Element}});
  VL_CHECK(logical && memory, "a large tensor is a space");
  parts.logical = std::move(*logical);
  parts.physical = *memory;
  parts.filled = std::move(*memory);
  parts.named_axes = true;
  parts.map = {map::Affine{{map::Row{}}}};
  auto out = map::Layout::create(std::move(parts));
  VL_CHECK(out.has_value(), "address 0 is a layout");
  return std::move(*out);
}

std::optional<std::string> not_carried(const map::Rule& rule) {
  if (!rule.named_axes || rule.places.size() != 1 || rule.places.front().name != map::kMemoryAxis)
    return "an access is carried for all sizes where the layout is on the memory axis m alone";
  if (!rule.replicas.empty()) return "an access to replicas is not carried for all sizes";
  return std::nullopt;
}

}  // namespace

std::variant<engines::RuleAccess, Unknown, Diagnostic> rule_access(const ClaimRequest& claim, const RuleReading& read) {
  const SourceText* access = claim.text("access");
  const SourceText* hardware = claim.text("hardware");
  const map::Rule& rule = *read.reading.rule_for_all_sizes();
  if (access == nullptr || hardware == nullptr)
    return Unknown{Reason::Unsupported, "the claim needs an access and the hardware", {}};
  if (auto why = not_carried(rule)) return Unknown{Reason::Unsupported, std::move(*why), {}};
  const bool limits_all = claim.claim->lifted == claims::Lifted::Wavefronts;
  if (claim.at_most && (limits_all || *claim.at_most < 0))
    return Unknown{
        Reason::Unsupported, limits_all ? "a limit goes with conflicts, not with wavefronts" : "a limit below 0", {}};
  std::vector<std::string> names;
  for (const map::Symbol& symbol : rule.symbols) names.push_back(symbol.name);
  const auto parsed = use::parse_access(access->text, names);
  if (!parsed) return access->diagnose(parsed.error());
  if (!parsed->tv.empty())
    return Unknown{Reason::Unsupported, "a layout of threads and values is not carried for all sizes", {}};
  if (parsed->absolute && parsed->base && rule.swizzle)
    return Unknown{Reason::Unsupported, "absolute addresses under a swizzle are not carried for all sizes", {}};
  use::Reading anywhere = read.reading;
  anywhere.what = at_address_0(rule.logical.size());
  const TensorReading subject{{}, std::move(anywhere)};
  auto reach = read_reach(*access, *hardware, subject, names);
  if (auto* wrong = std::get_if<Diagnostic>(&reach)) return std::move(*wrong);
  engines::RuleAccess out{std::get<engines::Reach>(std::move(reach)), subject.reading.device_bits / 8, parsed->origin};
  if (out.lanes.pairs)
    return Unknown{
        Reason::Unsupported,
        "a load, whose phases depend on which lanes agree, is not carried for all sizes; without the word it "
        "is asked what it costs at most",
        {}};
  if (out.lanes.bytes.domain().volume() > engines::kMostRuleLanes)
    return Unknown{Reason::OutOfReach, "more lanes of instances than are walked over for all sizes", "polynomial"};
  return out;
}

}  // namespace vl::session
