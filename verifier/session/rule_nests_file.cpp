#include "verifier/session/rule_nests_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "encodings/base/files.h"
#include "verifier/session/nests_file.h"
#include "verifier/session/source_text.h"

namespace vl::session {
namespace {

using map::Expression;
using use::Direction;

constexpr std::size_t kMostRuleNests = 256;
constexpr std::size_t kFields = 5;  // extents, host_strides, device_strides, host_offset, device_offset

// An integer, or the text of an expression.
Expression take_number(JsonCursor& json) {
  Cursor& in = json.in();
  if (in.peek() != '"') return json.integer("an integer, or an expression in quotes");
  const std::size_t at = in.offset();
  const std::string text = json.string("an expression");
  if (json.failed()) return 0;
  auto read = map::parse_expression(text);
  if (!read) in.fail(read.error().code, read.error().message, at + 1 + read.error().offset);
  return read ? std::move(*read) : Expression(0);
}

struct FoundNest {
  std::array<std::optional<std::vector<Expression>>, kFields> fields;
  std::size_t at = 0;
};

FoundNest take_nest(JsonCursor& json) {
  FoundNest out;
  json.in().skip_space();
  out.at = json.in().offset();
  json.object("a nest {..}", [&](std::string_view key, std::size_t key_at) {
    const auto known = std::find(kNestFields.begin(), kNestFields.begin() + kFields, key);
    const auto field = static_cast<std::size_t>(known - kNestFields.begin());
    if (field == kFields)
      return json.in().fail(ErrorCode::Syntax, fmt::format("unknown field {} of a nest", shown(key)), key_at);
    std::vector<Expression>& values = out.fields[field].emplace();
    std::size_t parts = 0;
    const auto take = [&] {
      values.push_back(take_number(json));
      parts += values.back().size();
      if (values.size() > kMostLoops || parts > map::kMostParts) json.in().fail("a list that is too long");
    };
    if (is_offset(key)) take();
    else json.array(fmt::format("a list of numbers for '{}'", key), take);
  });
  return out;
}

Result<use::RuleNest> rule_nest_of(const FoundNest& found) {
  for (std::size_t k = 0; k < kFields; ++k)
    if (!found.fields[k])
      return Error{ErrorCode::Syntax, fmt::format("the field '{}' is missing", kNestFields[k]), found.at};
  const auto& [extents, host, device, host_offset, device_offset] = found.fields;
  for (const auto* strides : {&host, &device})
    if ((*strides)->size() != extents->size())
      return Error{
          ErrorCode::Shape,
          fmt::format("{} extents and {} strides; expected one stride a loop", extents->size(), (*strides)->size()),
          found.at};
  return use::RuleNest{*extents, {*host, host_offset->front()}, {*device, device_offset->front()}};
}

}  // namespace

Result<use::RuleTransfer> parse_rule_nests(std::string_view text) {
  if (text.size() > kLargestNestsFile)
    return Error{ErrorCode::Value, fmt::format("expected at most {} bytes of nests", kLargestNestsFile), 0};
  JsonCursor json(text);
  std::optional<Direction> direction;
  std::optional<std::vector<FoundNest>> nests;
  json.object("an object {..} with direction and nests", [&](std::string_view key, std::size_t) {
    json.in().skip_space();
    const std::size_t at = json.in().offset();
    if (key == "direction") {
      direction = use::direction_of(json.string("\"h2d\" or \"d2h\""));
      if (!direction || *direction == Direction::DeviceToDevice)
        json.in().fail(ErrorCode::Value, "expected \"h2d\" or \"d2h\" of nests with names", at);
    } else if (key == "nests") {
      nests.emplace();
      json.array("a list of nests", [&] {
        nests->push_back(take_nest(json));
        if (nests->size() > kMostRuleNests)
          json.in().fail(ErrorCode::Value, fmt::format("expected at most {} nests", kMostRuleNests), nests->back().at);
      });
    } else {
      json.skip_value();
    }
  });
  json.in().expect_end();
  if (!json.failed() && !direction) json.in().fail(ErrorCode::Syntax, "the field 'direction' is missing", 0);
  if (!json.failed() && !nests) json.in().fail(ErrorCode::Syntax, "the field 'nests' is missing", 0);
  if (json.failed()) return json.in().error();
  use::RuleTransfer out{*direction, {}};
  for (const FoundNest& found : *nests) {
    auto nest = rule_nest_of(found);
    if (!nest) return nest.error();
    out.nests.push_back(std::move(*nest));
  }
  return out;
}

std::variant<use::RuleTransfer, Diagnostic> read_rule_nests(const std::string& path) {
  const auto text = read_file(path, "loop nests", kLargestNestsFile);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&text)) return *diagnostic;
  auto transfer = parse_rule_nests(std::get<std::string>(text));
  if (!transfer) return locate(path == "-" ? "<stdin>" : path, std::get<std::string>(text), transfer.error());
  return std::move(*transfer);
}

}  // namespace vl::session
