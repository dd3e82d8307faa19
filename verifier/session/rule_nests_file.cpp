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
constexpr std::array<std::string_view, 3> kPrinted{"scope", "symbols", "where"};  // of `nests`, and not looked at
constexpr std::size_t kFields = kNestFields.size();
constexpr std::array<std::size_t, 4> kOfHost{1, 2, 3, 4}, kOfDevices{5, 6, 7, 8};  // strides, then offsets

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
    const auto known = std::ranges::find(kNestFields, key);
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

Result<use::RuleNest> rule_nest_of(const FoundNest& found, Direction direction) {
  const bool devices = direction == Direction::DeviceToDevice;
  const auto& needed = devices ? kOfDevices : kOfHost;
  for (const std::size_t other : devices ? kOfHost : kOfDevices)
    if (found.fields[other])
      return Error{ErrorCode::Syntax,
                   fmt::format("'{}' of nests that move {}", kNestFields[other],
                               devices ? "between devices" : "between host and device"),
                   found.at};
  for (const std::size_t k : {std::size_t{0}, needed[0], needed[1], needed[2], needed[3]})
    if (!found.fields[k])
      return Error{ErrorCode::Syntax, fmt::format("the field '{}' is missing", kNestFields[k]), found.at};
  const std::vector<Expression>& extents = *found.fields[0];
  for (const std::size_t k : {needed[0], needed[1]})
    if (found.fields[k]->size() != extents.size())
      return Error{
          ErrorCode::Shape,
          fmt::format("{} extents and {} strides; expected one stride a loop", extents.size(), found.fields[k]->size()),
          found.at};
  const auto walk = [&](std::size_t k) {
    return use::RuleWalk{*found.fields[needed[k]], found.fields[needed[k + 2]]->front()};
  };
  return devices ? use::RuleNest{extents, {}, walk(1), walk(0)} : use::RuleNest{extents, walk(0), walk(1)};
}

}  // namespace

Result<use::RuleTransfer> parse_rule_nests(std::string_view text) {
  if (text.size() > kLargestNestsFile)
    return Error{ErrorCode::Value, fmt::format("expected at most {} bytes of nests", kLargestNestsFile), 0};
  JsonCursor json(text);
  std::optional<Direction> direction;
  std::optional<std::vector<FoundNest>> nests;
  json.object("an object {..} with direction and nests", [&](std::string_view key, std::size_t key_at) {
    json.in().skip_space();
    const std::size_t at = json.in().offset();
    if (key == "direction") {
      direction = use::direction_of(json.string("\"h2d\", \"d2h\" or \"d2d\""));
      if (!direction) json.in().fail(ErrorCode::Value, "expected \"h2d\", \"d2h\" or \"d2d\"", at);
    } else if (key == "nests") {
      nests.emplace();
      json.array("a list of nests", [&] {
        nests->push_back(take_nest(json));
        if (nests->size() > kMostRuleNests)
          json.in().fail(ErrorCode::Value, fmt::format("expected at most {} nests", kMostRuleNests), nests->back().at);
      });
    } else if (std::ranges::find(kPrinted, key) != kPrinted.end()) {
      json.skip_value();
    } else {
      json.in().fail(ErrorCode::Syntax, fmt::format("unknown field {}; expected direction and nests", shown(key)),
                     key_at);
    }
  });
  json.in().expect_end();
  if (!json.failed() && !direction) json.in().fail(ErrorCode::Syntax, "the field 'direction' is missing", 0);
  if (!json.failed() && !nests) json.in().fail(ErrorCode::Syntax, "the field 'nests' is missing", 0);
  if (json.failed()) return json.in().error();
  use::RuleTransfer out{*direction, {}};
  for (const FoundNest& found : *nests) {
    auto nest = rule_nest_of(found, *direction);
    if (!nest) return nest.error();
    out.nests.push_back(std::move(*nest));
  }
  return out;
}

AnyNests read_any_nests(const std::string& path, bool named, bool at_sizes) {
  const auto text = read_file(path, "loop nests", kLargestNestsFile);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&text)) return *diagnostic;
  const auto& said = std::get<std::string>(text);
  const auto wrong = [&](const Error& error) { return locate(path == "-" ? "<stdin>" : path, said, error); };
  Error error;
  if (!named || at_sizes) {
    auto numbers = parse_nests(said);
    if (numbers) return std::move(*numbers);
    error = numbers.error();
  }
  auto rule = parse_rule_nests(said);
  if (!named) {  // numbers may stand in quotes
    auto numbers = rule && !use::has_expressions(*rule) ? use::instance(*rule, {}) : Result<use::Transfer>(error);
    if (numbers) return std::move(*numbers);
    return wrong(numbers.error());
  }
  if (rule) return std::move(*rule);
  const std::size_t begin = said.find_first_not_of(" \t\r\n");
  const bool is_json = begin != std::string::npos && said[begin] == '{';
  return wrong(at_sizes && !is_json ? error : rule.error());
}

}  // namespace vl::session
