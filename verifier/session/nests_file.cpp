#include "verifier/session/nests_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/use/family.h"
#include "verifier/session/source_text.h"

namespace vl::session {
namespace {

using use::Direction;

constexpr std::string_view kEllipsis = "\xe2\x80\xa6";

Error at(std::size_t offset, ErrorCode code, std::string message) { return {code, std::move(message), offset}; }

// One nest of the JSON. The direction, which decides the needed fields, may come later in the text.
struct Found {
  NestFields fields;
  std::size_t at = 0;
};

Found found_nest(JsonCursor& json) {
  Found nest;
  json.in().skip_space();
  nest.at = json.in().offset();
  json.object("a nest {..}", [&](std::string_view key, std::size_t key_at) {
    const auto known = std::ranges::find(kNestFields, key);
    if (known == kNestFields.end())
      json.in().fail(ErrorCode::Syntax,
                     fmt::format("unknown field {} of a nest; expected extents, host_strides, device_strides, "
                                 "host_offset, device_offset",
                                 shown(key)),
                     key_at);
    else
      nest.fields[static_cast<std::size_t>(known - kNestFields.begin())] = take_field(json, key, key == kNestFields[0]);
  });
  return nest;
}

Result<use::Transfer> parse_ours(std::string_view text, std::optional<Direction> expected) {
  JsonCursor json(text);
  std::optional<Direction> direction;
  std::optional<std::vector<Found>> nests;
  json.object("an object {..} with direction and nests", [&](std::string_view key, std::size_t key_at) {
    json.in().skip_space();
    const std::size_t value_at = json.in().offset();
    if (key == "direction") {
      direction = use::direction_of(json.string("\"h2d\", \"d2h\" or \"d2d\""));
      if (!direction) json.in().fail(ErrorCode::Value, "expected \"h2d\", \"d2h\" or \"d2d\"", value_at);
      else if (expected && *direction != *expected)
        json.in().fail(ErrorCode::Value, fmt::format("expected \"{}\" here", use::name(*expected)), value_at);
    } else if (key == "nests") {
      nests.emplace();
      json.array("a list of nests", [&] {
        nests->push_back(found_nest(json));
        if (nests->size() > kMostNests)
          json.in().fail(ErrorCode::Value, fmt::format("expected at most {} nests", kMostNests), nests->back().at);
      });
    } else {
      json.in().fail(ErrorCode::Syntax, fmt::format("unknown field {}; expected direction and nests", shown(key)),
                     key_at);
    }
  });
  json.in().expect_end();
  const std::size_t start = std::min(text.find('{'), text.size());
  if (!json.failed() && !direction) json.in().fail(ErrorCode::Syntax, "the field 'direction' is missing", start);
  if (!json.failed() && !nests) json.in().fail(ErrorCode::Syntax, "the field 'nests' is missing", start);
  if (json.failed()) return json.in().error();
  use::Transfer transfer{*direction, {}};
  for (const Found& found : *nests) {
    auto nest = nest_of(found.fields, *direction, found.at);
    if (!nest) return nest.error();
    transfer.nests.push_back(std::move(*nest));
  }
  return transfer;
}

// One nest of the compact form. A nest without strides has those of the nest before it.
std::optional<use::Nest> compact_nest(Cursor& in, Direction direction, const use::Nest* before) {
  NestFields fields;
  in.skip_space();
  const std::size_t start = in.offset();
  const auto list = [&](std::size_t field, std::string_view what) {
    in.skip_space();
    const std::size_t where = in.offset();
    fields[field] = NestField{in.integer_list(what), where};
  };
  list(0, "extents");
  if (in.accept("|")) {
    list(1, "host strides");
    in.expect("|");
    list(2, "device strides");
    in.expect("|");
  } else {
    in.skip_space();
    if (before == nullptr) in.fail("expected '|' and strides: there is no nest before this one");
    if (!in.accept(kEllipsis)) in.accept("...");
    if (in.failed()) return std::nullopt;
    for (const std::size_t field : {std::size_t{1}, std::size_t{2}}) {
      const auto& strides = (field == 1 ? use::host_of : use::device_of)(*before, direction).strides;
      fields[field] = NestField{{strides.rbegin(), strides.rend()}, start};
    }
  }
  fields[3] = NestField{{in.integer("the host offset")}, start};
  in.expect(",");
  fields[4] = NestField{{in.integer("the device offset")}, start};
  if (in.failed()) return std::nullopt;
  for (std::size_t field = 0; field < 3; ++field) std::ranges::reverse(fields[field]->values);
  auto nest = nest_of(fields, direction, start);
  if (!nest) in.fail(nest.error().code, nest.error().message, nest.error().offset);
  return nest ? std::optional(std::move(*nest)) : std::nullopt;
}

Result<use::Transfer> parse_compact(std::string_view text, std::optional<Direction> expected) {
  Cursor in(text);
  use::Transfer transfer{expected.value_or(Direction::HostToDevice), {}};
  if (transfer.direction == Direction::DeviceToDevice)
    return at(0, ErrorCode::Value, "expected JSON: a move between devices has no compact form");
  do {
    auto nest = compact_nest(in, transfer.direction, transfer.nests.empty() ? nullptr : &transfer.nests.back());
    if (nest) transfer.nests.push_back(std::move(*nest));
    if (transfer.nests.size() > kMostNests)
      in.fail(ErrorCode::Value, fmt::format("expected at most {} nests", kMostNests), in.offset());
  } while (in.accept(";"));
  in.expect_end();
  if (in.failed()) return in.error();
  return transfer;
}

}  // namespace

Result<use::Transfer> parse_nests(std::string_view text, std::optional<Direction> direction) {
  if (text.size() > kLargestNestsFile)
    return at(0, ErrorCode::Value, fmt::format("expected at most {} bytes of nests", kLargestNestsFile));
  Cursor look(text);
  std::string logs;
  for (const use::Family* family : use::families()) {
    if (family->nests_log == nullptr) continue;
    if (family->nests_log->recognises(text)) return family->nests_log->read(text, direction);
    logs += fmt::format(", {}", family->nests_log->described);
  }
  if (look.peek() == '[') return parse_compact(text, direction);
  if (look.peek() == '{') return parse_ours(text, direction);
  return at(look.offset(), ErrorCode::Syntax,
            fmt::format("expected nests as JSON {{\"direction\":..,\"nests\":[..]}}{}, or "
                        "[extents]|[host strides]|[device strides]|host offset,device offset; found {}",
                        logs, look.found()));
}

std::variant<use::Transfer, Diagnostic> read_nests(const std::string& path) {
  const auto text = read_file(path, "loop nests", kLargestNestsFile);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&text)) return *diagnostic;
  auto transfer = parse_nests(std::get<std::string>(text));
  if (!transfer) return locate(path == "-" ? "<stdin>" : path, std::get<std::string>(text), transfer.error());
  return std::move(*transfer);
}

}  // namespace vl::session
