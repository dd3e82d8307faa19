// torch-spyre's print of a transfer, a DataConversionInfo (DCI): JSON whose vectors are innermost first and whose sides
// are source and destination. It holds more than nests: a conversion can expand its input before them, slice its output
// after them, gather by indices or substitute values. None of this is modelled, so it must be absent; an unknown field
// must be empty.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/check.h"
#include "encodings/spyre/nests_log.h"

namespace vl::spyre {
namespace {

using use::Direction;
using use::kMostNests;
using use::kNestFields;
using use::NestField;
using use::NestFields;

constexpr std::array<std::string_view, 5> kDciFields = {"size_", "offset_src_", "stride_src_", "offset_dst_",
                                                        "stride_dst_"};
// Names, formats and shapes: they do not move elements. spi_, gii_ and pca_ are parameters of stages that
// useSpi_, dcOpName_ and usePca_ turn on.
constexpr std::array<std::string_view, 9> kIgnoredOfDci = {
    "dsName_", "dci_dsName_", "dataformat_src_", "dataformat_dst_", "input_shape_", "output_shape_", "spi_",
    "gii_",    "pca_"};

using DciFields = std::array<std::optional<NestField>, kDciFields.size()>;

struct DciReader {
  JsonCursor json;
  std::optional<Index> to_device;
  std::size_t direction_at = 0;
  std::optional<std::vector<std::pair<DciFields, std::size_t>>> nests;

  void nest() {
    DciFields fields;
    json.in().skip_space();
    const std::size_t at = json.in().offset();
    json.object("a nest {..}", [&](std::string_view key, std::size_t key_at) {
      const auto known = std::ranges::find(kDciFields, key);
      if (known == kDciFields.end()) {
        json.in().fail(ErrorCode::Syntax,
                       fmt::format("unknown field {} of a nest; expected {}", shown(key), fmt::join(kDciFields, ", ")),
                       key_at);
        return;
      }
      fields[static_cast<std::size_t>(known - kDciFields.begin())] = use::take_field(json, key, key == kDciFields[0]);
    });
    for (std::size_t i = 0; i < fields.size() && !json.failed(); ++i)
      if (!fields[i]) json.in().fail(ErrorCode::Syntax, fmt::format("the field '{}' is missing", kDciFields[i]), at);
    nests->emplace_back(std::move(fields), at);
    if (nests->size() > kMostNests)
      json.in().fail(ErrorCode::Value, fmt::format("expected at most {} nests", kMostNests), at);
  }

  void field(std::string_view key, std::size_t key_at) {
    json.in().skip_space();
    if (key == "isHostToSen_") {
      direction_at = json.in().offset();
      to_device = json.integer("0 or 1");
      if (*to_device != 0 && *to_device != 1) json.in().fail(ErrorCode::Value, "expected 0 or 1", direction_at);
    } else if (key == "dcsi_") {
      nests.emplace();
      json.array("a list of nests", [&] { nest(); });
    } else if (std::ranges::find(kIgnoredOfDci, key) != kIgnoredOfDci.end()) {
      json.skip_value();
    } else if (!json.skip_value()) {
      json.in().fail(ErrorCode::Value,
                     fmt::format("{} is not empty: only the nests of dcsi_ are understood", shown(key)), key_at);
    }
  }
};

// The start of the object. A log states it, and may hold only one.
Result<std::size_t> start_of_dci(std::string_view text) {
  constexpr std::string_view kHead = "DataConversionInfo:";
  const std::size_t head = text.find(kHead);
  if (head == std::string_view::npos) return std::size_t{0};
  if (const std::size_t next = text.find(kHead, head + 1); next != std::string_view::npos)
    return Error{ErrorCode::Syntax, "a second DataConversionInfo; expected a log of one transfer", next};
  return head + kHead.size();
}

Result<use::Transfer> read_dci(std::string_view text, std::optional<Direction> direction) {
  const auto start = start_of_dci(text);
  if (!start) return start.error();
  DciReader reader{JsonCursor(text, *start), {}, 0, {}};
  Cursor& in = reader.json.in();
  in.skip_space();
  const std::size_t begin = in.offset();
  reader.json.object("an object {..} with isHostToSen_ and dcsi_",
                     [&](std::string_view key, std::size_t at) { reader.field(key, at); });
  if (*start == 0) in.expect_end();  // a log continues behind the object
  if (!in.failed() && !reader.to_device) in.fail(ErrorCode::Syntax, "the field 'isHostToSen_' is missing", begin);
  if (!in.failed() && !reader.nests) in.fail(ErrorCode::Syntax, "the field 'dcsi_' is missing", begin);
  if (in.failed()) return in.error();
  use::Transfer transfer{*reader.to_device == 1 ? Direction::HostToDevice : Direction::DeviceToHost, {}};
  if (direction && *direction != transfer.direction)
    return Error{ErrorCode::Value,
                 fmt::format("this transfer is {}; expected {}", use::name(transfer.direction), use::name(*direction)),
                 reader.direction_at};
  for (auto& [fields, at] : *reader.nests) {
    for (const std::size_t list : {0U, 2U, 4U}) std::ranges::reverse(fields[list]->values);  // innermost first
    const bool to_device = *reader.to_device == 1;
    const std::size_t host = to_device ? 1 : 3;
    const std::size_t device = 4 - host;
    const NestFields named{fields[0], fields[host + 1], fields[device + 1], fields[host], fields[device]};
    std::array<std::string_view, kNestFields.size()> names = kNestFields;
    for (const auto& [ours, theirs] : {std::pair<std::size_t, std::size_t>{0, 0}, {1, host + 1}, {2, device + 1}})
      names[ours] = kDciFields[theirs];
    auto nest = use::nest_of(named, transfer.direction, at, names);
    if (!nest) return nest.error();
    transfer.nests.push_back(std::move(*nest));
  }
  return transfer;
}

bool recognises_dci(std::string_view text) {
  return text.find("DataConversionInfo:") != std::string_view::npos || text.find("\"dcsi_\"") != std::string_view::npos;
}

std::string innermost_first(std::span<const Index> values) {
  const std::vector<Index> reversed(values.rbegin(), values.rend());
  return fmt::format("[{}]", fmt::join(reversed, ", "));
}

std::string print_dci(const use::Transfer& transfer, std::span<const Index> host_size,
                      std::span<const Index> device_size) {
  VL_CHECK(transfer.direction != Direction::DeviceToDevice, "a DCI has one host side");
  const bool to_device = transfer.direction == Direction::HostToDevice;
  std::string nests;
  for (const use::Nest& nest : transfer.nests)
    nests += fmt::format(
        "{}\n    {{\n      \"size_\" : {},\n      \"offset_src_\" : {},\n      \"stride_src_\" : {},\n"
        "      \"offset_dst_\" : {},\n      \"stride_dst_\" : {}\n    }}",
        nests.empty() ? "" : ",", innermost_first(nest.extents), nest.source.offset,
        innermost_first(nest.source.strides), nest.destination.offset, innermost_first(nest.destination.strides));
  return fmt::format(
      "{{\n  \"dsName_\" : \"DCI-Tensor-0\",\n  \"isHostToSen_\" : {},\n  \"dcsi_\" : [{}\n  ],\n"
      "  \"input_shape_\" : {},\n  \"output_shape_\" : {}\n}}\n",
      to_device ? 1 : 0, nests, innermost_first(to_device ? host_size : device_size),
      innermost_first(to_device ? device_size : host_size));
}

}  // namespace

constinit const use::NestsLog kNestsLog{"dci", "the runtime's DataConversionInfo", recognises_dci, read_dci, print_dci};

}  // namespace vl::spyre
