#include "encodings/use/nests_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace vl::use {
namespace {

Error nest_error(std::size_t offset, ErrorCode code, std::string message) { return {code, std::move(message), offset}; }

}  // namespace

bool is_offset(std::string_view field) { return field.find("offset") != std::string_view::npos; }

NestField take_field(JsonCursor& json, std::string_view name, bool extents) {
  NestField field;
  const auto take = [&] {
    json.in().skip_space();
    const std::size_t where = json.in().offset();
    field.values.push_back(json.integer("a 64-bit integer"));
    if (extents && field.values.back() < 0)
      json.in().fail(ErrorCode::Value,
                     fmt::format("expected an extent that is not negative, found {}", field.values.back()), where);
  };
  json.in().skip_space();
  field.at = json.in().offset();
  if (is_offset(name)) take();
  else json.array(fmt::format("a list of integers for '{}'", name), take);
  return field;
}

Result<Nest> nest_of(const NestFields& fields, Direction direction, std::size_t start,
                     std::span<const std::string_view> names) {
  const bool devices = direction == Direction::DeviceToDevice;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const bool needed = i == 0 || (i >= 5) == devices;
    if (needed && !fields[i])
      return nest_error(start, ErrorCode::Syntax, fmt::format("the field '{}' is missing", names[i]));
    if (!needed && fields[i])
      return nest_error(fields[i]->at, ErrorCode::Syntax,
                        fmt::format("'{}' is not a field of {} nests", names[i], name(direction)));
  }
  const NestField& extents = *fields[0];
  if (extents.values.size() > kMostLoops)
    return nest_error(extents.at, ErrorCode::Value,
                      fmt::format("expected at most {} loops, found {}", kMostLoops, extents.values.size()));
  if (const auto negative = std::ranges::find_if(extents.values, [](Index n) { return n < 0; });
      negative != extents.values.end())
    return nest_error(extents.at, ErrorCode::Value,
                      fmt::format("expected extents that are not negative, found {}", *negative));
  const std::size_t first = devices ? 5 : 1;
  for (const std::size_t i : {first, first + 1})
    if (fields[i]->values.size() != extents.values.size())
      return nest_error(fields[i]->at, ErrorCode::Shape,
                        fmt::format("{} has {} entries and {} has {}; expected one stride a loop", names[0],
                                    extents.values.size(), names[i], fields[i]->values.size()));
  Nest nest{extents.values,
            {fields[first]->values, fields[first + 2]->values.front()},
            {fields[first + 1]->values, fields[first + 3]->values.front()}};
  if (direction == Direction::DeviceToHost) std::swap(nest.source, nest.destination);
  return nest;
}

}  // namespace vl::use
