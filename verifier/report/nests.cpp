#include "verifier/report/nests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "verifier/report/report.h"

namespace vl::report {
namespace {

using use::Direction;
using use::Nest;
using use::Transfer;
using use::Walk;

std::string list(std::span<const Index> values, std::string_view separator = ",") {
  return fmt::format("[{}]", fmt::join(values, separator));
}

// Innermost first, in the runtime's order.
std::string reversed_list(std::span<const Index> values, std::string_view separator) {
  const std::vector<Index> reversed(values.rbegin(), values.rend());
  return list(reversed, separator);
}

std::string_view in_words(Direction direction) {
  switch (direction) {
    case Direction::HostToDevice: return "host to device";
    case Direction::DeviceToHost: return "device to host";
    case Direction::DeviceToDevice: return "device to device";
  }
  VL_CHECK(false, "unknown direction");
}

std::string moved(std::optional<Index> count) { return count ? plural(*count, "element") : "more than 2^63 elements"; }

std::optional<Index> total(const Transfer& transfer) {
  std::optional<Index> sum = 0;
  for (const Nest& nest : transfer.nests) {
    const auto moves = checked_product(nest.extents);
    sum = sum && moves ? checked_add(*sum, *moves) : std::nullopt;
  }
  return sum;
}

std::string number(Index value) { return fmt::format("{}", value); }
// "N//64" of "(N//64)", which needs no parentheses alone.
std::string number(const map::Expression& value) {
  std::string out = map::print(value);
  const bool closed = out.size() > 2 && out.front() == '(' && out.find_first_of("()", 1) == out.size() - 1;
  return closed ? out.substr(1, out.size() - 2) : out;
}

// As JSON: a number, or the text of an expression that is none.
std::string json_number(const map::Expression& value) {
  const std::string text = number(value);
  const bool plain = text.find_first_not_of("0123456789", text.starts_with('-') ? 1 : 0) == std::string::npos;
  return plain ? text : fmt::format("\"{}\"", text);
}
std::string json_list(const std::vector<map::Expression>& values) {
  std::string out;
  for (const map::Expression& value : values) out += (out.empty() ? "" : ",") + json_number(value);
  return fmt::format("[{}]", out);
}

// The columns of one nest: loop, extent, source, destination; the offsets are the last row.
template <class ANest, class AWalk>
std::string listing(const ANest& nest, const AWalk& from, const AWalk& to, std::string_view source,
                    std::string_view destination) {
  std::vector<std::array<std::string, 4>> rows = {
      {"loop", "extent", fmt::format("{} stride", source), fmt::format("{} stride", destination)}};
  for (std::size_t k = 0; k < nest.extents.size(); ++k)
    rows.push_back({fmt::format("{}", k), number(nest.extents[k]), number(from.strides[k]), number(to.strides[k])});
  rows.push_back({"offset", "", number(from.offset), number(to.offset)});
  std::array<std::size_t, 4> width{};
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  std::string out;
  for (const auto& row : rows)
    out += fmt::format("  {:<{}}  {:>{}}  {:>{}}  {:>{}}\n", row[0], width[0], row[1], width[1], row[2], width[2],
                       row[3], width[3]);
  return out;
}

}  // namespace

std::string nests_to_text(const Transfer& transfer) {
  const Direction direction = transfer.direction;
  std::string out = fmt::format("{}: {}, {}\n", in_words(direction),
                                plural(static_cast<Index>(transfer.nests.size()), "nest"), moved(total(transfer)));
  const std::string_view source = direction == Direction::HostToDevice   ? "host"
                                  : direction == Direction::DeviceToHost ? "device"
                                                                         : "from";
  const std::string_view destination = direction == Direction::HostToDevice   ? "device"
                                       : direction == Direction::DeviceToHost ? "host"
                                                                              : "to";
  for (std::size_t n = 0; n < transfer.nests.size(); ++n) {
    const Nest& nest = transfer.nests[n];
    out += fmt::format("nest {} moves {}\n{}", n, moved(checked_product(nest.extents)),
                       listing(nest, nest.source, nest.destination, source, destination));
  }
  return out;
}

std::string nests_to_json(const Transfer& transfer) {
  const std::string head = fmt::format(R"({{"direction":"{}","nests":[)", use::name(transfer.direction));
  const bool devices = transfer.direction == Direction::DeviceToDevice;
  std::string out = head;
  for (const Nest& nest : transfer.nests) {
    if (&nest != &transfer.nests.front()) out += ",\n" + std::string(head.size(), ' ');
    const Walk& a = devices ? nest.source : use::host_of(nest, transfer.direction);
    const Walk& b = devices ? nest.destination : use::device_of(nest, transfer.direction);
    const std::string_view first = devices ? "from" : "host";
    const std::string_view second = devices ? "to" : "device";
    out += fmt::format(R"({{"extents":{},"{}_strides":{},"{}_strides":{},"{}_offset":{},"{}_offset":{}}})",
                       list(nest.extents), first, list(a.strides), second, list(b.strides), first, a.offset, second,
                       b.offset);
  }
  return out + "]}\n";
}

std::string nests_to_compact(const Transfer& transfer) {
  std::string out;
  for (const Nest& nest : transfer.nests) {
    const Walk& host = use::host_of(nest, transfer.direction);
    const Walk& device = use::device_of(nest, transfer.direction);
    out +=
        fmt::format("{}{}|{}|{}|{},{}", out.empty() ? "" : " ; ", reversed_list(nest.extents, ","),
                    reversed_list(host.strides, ","), reversed_list(device.strides, ","), host.offset, device.offset);
  }
  return out + "\n";
}

std::string nests_to_text(const use::RuleTransfer& transfer, const question::RuleView& rule) {
  const Direction direction = transfer.direction;
  const bool devices = direction == Direction::DeviceToDevice;
  std::string out = fmt::format("{}: {}{}\n", in_words(direction),
                                plural(static_cast<Index>(transfer.nests.size()), "nest"), for_all_sizes(rule));
  for (std::size_t n = 0; n < transfer.nests.size(); ++n) {
    const use::RuleNest& nest = transfer.nests[n];
    const std::string moves = map::print(map::product_of(nest.extents));
    const std::string loops = devices ? listing(nest, nest.from, nest.device, "from", "to")
                              : direction == Direction::HostToDevice
                                  ? listing(nest, nest.host, nest.device, "host", "device")
                                  : listing(nest, nest.device, nest.host, "device", "host");
    out += fmt::format("nest {} moves {} elements\n{}", n, moves, loops);
  }
  return out;
}

std::string nests_to_json(const use::RuleTransfer& transfer, const question::RuleView& rule) {
  const std::string head = fmt::format(R"({{"direction":"{}","nests":[)", use::name(transfer.direction));
  const bool devices = transfer.direction == Direction::DeviceToDevice;
  const std::string_view first = devices ? "from" : "host", second = devices ? "to" : "device";
  std::string out = head;
  for (const use::RuleNest& nest : transfer.nests) {
    if (&nest != &transfer.nests.front()) out += ",\n" + std::string(head.size(), ' ');
    const use::RuleWalk& a = devices ? nest.from : nest.host;
    out += fmt::format(R"({{"extents":{},"{}_strides":{},"{}_strides":{},"{}_offset":{},"{}_offset":{}}})",
                       json_list(nest.extents), first, json_list(a.strides), second, json_list(nest.device.strides),
                       first, json_number(a.offset), second, json_number(nest.device.offset));
  }
  std::string symbols, where;
  for (const auto& [name, low] : rule.symbols)
    symbols += fmt::format(R"({}"{}":{{"low":{}}})", symbols.empty() ? "" : ",", name, low);
  for (const std::string& condition : rule.where)
    where += (where.empty() ? "" : ",") + nlohmann::json(condition).dump();
  return out + fmt::format(R"(],"scope":"all-sizes","symbols":{{{}}},"where":[{}]}})", symbols, where) + "\n";
}

}  // namespace vl::report
