#include "verifier/session/chips.h"

#include <fmt/format.h>

#include <algorithm>

#include "verifier/session/profiles.h"

namespace vl::session {

namespace {

constexpr Index kMost = Index{1} << 36;  // what the network addresses in one core

use::Chip::Alignment alignment_of(TomlDocument& in, const toml::table& table, std::string_view key) {
  const std::vector<Index> pair = in.integers_at(table, key);
  if (pair.size() == 2 && pair[0] >= 1 && pair[1] >= 1 && pair[0] <= kMost && pair[1] <= kMost)
    return {pair[0], pair[1]};
  in.fail(table.source(), fmt::format("expected '{} = [32, 16]', the bytes of reads and of writes", key));
  return {};
}

}  // namespace

bool is_chip(const toml::table& root) { return root.contains("chip") && !root.contains("case"); }

use::Chip chip_of(TomlDocument& in, const toml::table& root) {
  in.only_keys(root, {"schema", "chip", "source", "rows", "columns", "l1", "dram", "dram_banks", "alignment"},
               "a chip");
  use::Chip out;
  if (in.integer(root, "schema") != 1) in.fail(root.source(), "expected schema = 1 in a chip");
  if (const auto name = in.text(root, "chip", true)) out.name = name->text;
  in.text(root, "source", false);
  const auto places = [&](std::string_view key) {
    std::vector<Index> values = in.integers_at(root, key);
    if (values.empty() || !std::ranges::all_of(values, [](Index value) { return value >= 0 && value < 64; }))
      in.fail(root.source(), fmt::format("expected '{}', the cores' places on the network, each from 0 to 63", key));
    return values;
  };
  out.rows = places("rows");
  out.columns = places("columns");
  out.l1 = integer_within(in, root, "l1", {1, kMost}, "a chip");
  out.dram = integer_within(in, root, "dram", {1, kMost}, "a chip");
  out.dram_banks = integer_within(in, root, "dram_banks", {1, 1024}, "a chip");
  const toml::table* alignment = root["alignment"].as_table();
  if (alignment == nullptr) {
    in.fail(root.source(), "expected a table [alignment] of l1, dram and pcie");
    return out;
  }
  in.only_keys(*alignment, {"l1", "dram", "pcie"}, "[alignment]");
  out.of_l1 = alignment_of(in, *alignment, "l1");
  out.of_dram = alignment_of(in, *alignment, "dram");
  out.of_pcie = alignment_of(in, *alignment, "pcie");
  return out;
}

std::variant<use::Chip, Diagnostic> read_chip(const SourceText& name) {
  return read_profile(name, {"a chip", "chips", chip_files()}, chip_of);
}

}  // namespace vl::session
