// explain of a descriptor, and explain --transfer: the way of one element through boxes of tensor maps, from the
// tensor's byte to the byte of shared memory before and after the swizzle, beside the layout's own byte.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "encodings/base/printable.h"
#include "encodings/use/descriptor_way.h"
#include "verifier/claims/claim.h"
#include "verifier/cli/explain_tiles.h"
#include "verifier/session/transfer_case.h"

namespace vl::cli {

bool LayoutArguments::is_descriptor() const {
  return use::is_descriptor(layout) && session::family_of(layout, family) == nullptr;
}

std::variant<report::CarriedElement, Diagnostic> carried(const ExplainArguments& arguments,
                                                         const report::Element& element, int bits) {
  std::vector<session::SourceText> texts;
  for (const std::string& text : arguments.transfers) texts.push_back(session::SourceText::option("--transfer", text));
  auto read = session::read_tiles(texts);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&read)) return *diagnostic;
  const auto& tiles = std::get<use::TileMoves>(read);
  const auto wrong = [&](std::string why) { return texts.front().diagnose({ErrorCode::Value, std::move(why), 0}); };
  if (!tiles.unknown.empty()) return wrong(tiles.unknown);
  if (tiles.bits != bits)
    return wrong(fmt::format("the transfer's elements have {} bits, and the tensor's have {}", tiles.bits, bits));
  constexpr Index kMostRows = Index{1} << 24;
  for (const use::TileBox& box : tiles.boxes) {
    Index rows = 1;
    for (std::size_t i = 0; i + 1 < box.extents.size(); ++i) rows = std::min(rows * box.extents[i], kMostRows + 1);
    if (rows > kMostRows) return wrong("boxes of more than 2^24 rows are not looked at");
  }
  const Index bytes = tiles.bits / 8;
  report::CarriedElement out;
  out.load = tiles.moves.direction == use::Direction::HostToDevice;
  for (const use::TileWay& way : use::ways_of(tiles, *element.host_offset))
    out.ways.push_back({way.box, way.t, way.coordinates, *element.host_offset * bytes, way.straight * bytes,
                        use::swizzled(tiles, way.straight) * bytes});
  for (const Index place : element.device_offset) {
    const auto offset = checked_mul(place, bytes);
    const auto byte = offset ? checked_add(*offset, arguments.base) : std::nullopt;
    if (!byte || arguments.base < 0)
      return session::SourceText::option("--base", fmt::format("{}", arguments.base))
          .diagnose({ErrorCode::Value, "expected an address from 0, and the element's within 64 bits", 0});
    out.own.push_back(*byte);
  }
  return out;
}

namespace {

// An option that goes with a layout alone.
std::optional<std::string_view> of_layouts_alone(const ExplainArguments& arguments) {
  const LayoutArguments& of = arguments.layout;
  for (const auto& [given, name] : {std::pair(!of.tensor.empty(), "--tensor"),
                                    {of.strides.has_value(), "--strides"},
                                    {of.offset.has_value(), "--offset"},
                                    {of.view_offset.has_value(), "--view-offset"},
                                    {of.box.has_value(), "--box"},
                                    {!of.family.empty(), "--family"},
                                    {!of.rule.empty(), "--rule"},
                                    {arguments.slot.has_value(), "--slot"},
                                    {arguments.chip.has_value(), "--chip"},
                                    {!arguments.transfers.empty(), "--transfer"}})
    if (given) return name;
  return std::nullopt;
}

std::string way_to_text(const use::DescriptorTile& tile, const std::vector<Index>& t, const use::DescriptorWay& way) {
  const auto place = [](Index at, std::string_view what) {
    const std::size_t blank = what.find(' ');  // "byte of the tensor": "byte 17024 of the tensor"
    return fmt::format("{} {}{}", what.substr(0, blank), at, what.substr(blank));
  };
  std::string out = fmt::format("({})  ", fmt::join(t, ","));
  if (!way.coordinates.empty()) out += fmt::format("coordinates ({}), ", fmt::join(way.coordinates, ","));
  if (way.from) out += "from " + place(*way.from, tile.from);
  else out += way.open.empty() ? std::string("filled") : fmt::format("from where is open ({})", way.open);
  if (way.to) out += (way.from ? " to " : ", to ") + place(*way.to, tile.to);
  else if (!tile.to.empty() && way.open.empty()) out += ", and dropped";
  return way.straight ? fmt::format("{}, byte {} without the swizzle", out, *way.straight) : out;
}

}  // namespace

int explain_descriptor(const ExplainArguments& arguments) {
  const auto text = session::SourceText::option("--layout", arguments.layout.layout);
  if (const auto option = of_layouts_alone(arguments))
    return bad_input(about(std::string(*option), "unused: a descriptor is explained, and no layout"));
  const auto read = use::parse_descriptor(text.text);
  if (!read) return bad_input(text.diagnose(read.error()));
  const auto tile = use::tile_of(*read);
  std::vector<Index> t;
  std::optional<use::DescriptorWay> way;
  if (arguments.at) {
    if (!tile) return bad_input(text.diagnose(tile.error()));
    auto numbers = integers_of("--at", *arguments.at);
    if (auto* diagnostic = std::get_if<Diagnostic>(&numbers)) return bad_input(*diagnostic);
    t = std::move(std::get<std::vector<Index>>(numbers));
    auto found = use::way_of(*read, t);
    if (!found) return bad_input(session::SourceText::option("--at", *arguments.at).diagnose(found.error()));
    way = *found;
  }
  if (arguments.format == Format::Json) {
    const auto or_null = [](const auto& value) {
      return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
    };
    nlohmann::ordered_json json{{"descriptor", use::print(*read)}, {"what", use::descriptor_kind(read->kind)->what}};
    json["tile"] = tile ? nlohmann::ordered_json(tile->extents) : nlohmann::ordered_json(nullptr);
    json["order"] = tile ? nlohmann::ordered_json(tile->order) : nlohmann::ordered_json(nullptr);
    if (way) json["t"] = t, json["from"] = or_null(way->from), json["to"] = or_null(way->to);
    if (way) json["straight"] = or_null(way->straight);
    if (way && !way->coordinates.empty()) json["coordinates"] = way->coordinates;
    if (way && !way->open.empty()) json["open"] = way->open;
    fmt::print("{}\n", json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return 0;
  }
  fmt::print("{}\n{}\n", use::print(*read), use::descriptor_kind(read->kind)->what);
  if (tile) fmt::print("tile ({}), {}\n", fmt::join(tile->extents, ","), tile->order);
  else fmt::print("no tile: {}\n", printable(tile.error().message));
  if (way) fmt::print("{}\n", way_to_text(*tile, t, *way));
  return 0;
}

}  // namespace vl::cli
