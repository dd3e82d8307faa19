#include "verifier/session/hardware.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <numeric>

#include "verifier/session/profiles.h"

namespace vl::session {

namespace {

constexpr Index kMostLanes = 64;
constexpr Index kMostBanks = 1024;
std::vector<std::vector<Index>> consecutive(Index lanes, Index phases) {
  std::vector<std::vector<Index>> out(static_cast<std::size_t>(phases));
  for (Index lane = 0; lane < lanes; ++lane) out[static_cast<std::size_t>(lane / (lanes / phases))].push_back(lane);
  return out;
}

// The phases of one width: given as a number of phases of consecutive lanes, or as the lanes of each phase.
std::vector<std::vector<Index>> phases_of(TomlDocument& in, const toml::node& node, Index lanes) {
  if (const auto* number = node.as_integer()) {
    const Index phases = number->get();
    if (phases >= 1 && lanes % phases == 0) return consecutive(lanes, phases);
    in.fail(node.source(), fmt::format("{} lanes are not {} equal phases", lanes, phases));
    return {};
  }
  std::vector<std::vector<Index>> out;
  const toml::array* list = node.as_array();
  if (list == nullptr) in.fail(node.source(), "expected a number of phases, or a list of lanes for each");
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) out.push_back(in.integers(*list->get(i), "phases"));
  std::vector<Index> all;
  for (const auto& phase : out) all.insert(all.end(), phase.begin(), phase.end());
  std::ranges::sort(all);
  std::vector<Index> every(static_cast<std::size_t>(lanes));
  std::iota(every.begin(), every.end(), Index{0});
  if (all != every)
    in.fail(node.source(), fmt::format("every lane of 0 to {} belongs to exactly one phase", lanes - 1));
  return out;
}

// Whether lanes l and l ^ distance are in one phase, for each width whose phases are served two at a time.
bool pairs_fit(const use::Hardware& hardware, Index distance) {
  if (distance < 1 || distance >= hardware.lanes || !std::has_single_bit(static_cast<std::uint64_t>(distance)))
    return false;
  return std::ranges::all_of(hardware.phases, [&](const auto& width) {
    const auto& phases = width.second;
    return phases.size() == 1 || (phases.size() % 2 == 0 && std::ranges::all_of(phases, [&](const auto& phase) {
                                    return std::ranges::all_of(phase, [&](Index lane) {
                                      return (lane ^ distance) >= hardware.lanes ||
                                             std::ranges::find(phase, lane ^ distance) != phase.end();
                                    });
                                  }));
  });
}

}  // namespace

bool is_hardware(const toml::table& root) { return root.contains("banks") && !root.contains("case"); }

use::Hardware hardware_of(TomlDocument& in, const toml::table& root) {
  in.only_keys(
      root,
      {"schema", "name", "source", "banks", "bytes_per_bank", "lanes", "broadcast", "matrices", "load_pairs", "phases"},
      "a hardware profile");
  use::Hardware out;
  if (in.integer(root, "schema") != 1) in.fail(root.source(), "expected schema = 1 in a hardware profile");
  if (const auto name = in.text(root, "name", true)) out.name = name->text;
  in.text(root, "source", false);
  out.banks = integer_within(in, root, "banks", {1, kMostBanks}, "a hardware profile");
  out.bytes_per_bank = integer_within(in, root, "bytes_per_bank", {1, 64}, "a hardware profile");
  out.lanes = integer_within(in, root, "lanes", {1, kMostLanes}, "a hardware profile");
  out.broadcasts = in.flag(root, "broadcast", true);
  out.matrices = in.flag(root, "matrices", false);
  const toml::node* node = root.get("phases");
  const toml::table* phases = node != nullptr ? node->as_table() : nullptr;
  if (phases == nullptr) {
    in.fail(node != nullptr ? node->source() : root.source(),
            "expected a table [phases] of the widths that are served");
    return out;
  }
  for (const auto& [key, value] : *phases) {
    Index width = 0;
    const std::string_view text = key.str();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
    if (error != std::errc{} || end != text.data() + text.size() || width < 1 || width > 64)
      in.fail(key.source(), fmt::format("expected a width of 1 to 64 bytes, found '{}'", text));
    else if (!in.failed()) out.phases.emplace(width, phases_of(in, value, out.lanes));
  }
  if (out.phases.empty()) in.fail(phases->source(), "expected at least one width in [phases]");
  if (const toml::node* pairs = root.get("load_pairs"); pairs != nullptr && !in.failed()) {
    out.load_pairs = in.integers(*pairs, "load_pairs");
    for (const Index distance : out.load_pairs)
      if (!in.failed() && !pairs_fit(out, distance))
        in.fail(pairs->source(),
                fmt::format("lanes at distance {} are not in one phase, or the phases of a width, being "
                            "more than one, are odd in number",
                            distance));
  }
  return out;
}

std::vector<std::string> hardware_names() { return names_of(hardware_files()); }

std::variant<use::Hardware, Diagnostic> read_hardware(const SourceText& name) {
  return read_profile(name, {"a hardware profile", "hardware", hardware_files()}, hardware_of);
}

}  // namespace vl::session
