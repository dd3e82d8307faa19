#include "encodings/spyre/call.h"

#include <fmt/format.h>

#include <algorithm>

namespace vl::spyre {
namespace {

std::string describe(const Argument& argument) {
  return std::visit(overloaded{[](const std::vector<Index>&) -> std::string { return "a list of integers"; },
                               [](const Expressions&) -> std::string { return "a list of expressions"; },
                               [](std::string_view name) { return fmt::format("'{}'", name); },
                               [](Index value) { return fmt::format("the integer {}", value); },
                               [](const NestedCall& call) { return fmt::format("{}(…)", call.function); },
                               [](const Names&) -> std::string { return "a list of names"; },
                               [](const Unread&) -> std::string { return "an expression"; }},
                    argument.value);
}

// [False, True, True]. Requires: the next tokens are the bracket and a word.
Names parse_names(Cursor& in) {
  const std::string_view close = in.accept("(") ? ")" : "]";
  if (close == "]") in.expect("[");
  Names names;
  while (!in.failed() && !in.accept(close)) {
    if (!names.empty()) {
      in.expect(",");
      if (in.accept(close)) break;
    }
    names.push_back(in.identifier("True or False"));
  }
  return names;
}

bool lists_flags(Cursor in) {  // by value: looks ahead only
  if (!in.accept("(")) in.expect("[");
  return in.accept("True") || in.accept("False");
}

Expressions parse_expressions(Cursor& in) {
  const std::string_view close = in.accept("(") ? ")" : "]";
  if (close == "]") in.expect("[");
  Expressions out;
  std::size_t parts = 0;
  while (!in.failed() && !in.accept(close)) {
    in.skip_space();
    const std::size_t start = in.offset();
    out.list.push_back(map::take_expression(in));
    out.spans.emplace_back(start, in.offset());
    parts += out.list.back().size();
    if (parts > map::kMostParts) in.fail(fmt::format("a list of more than {} parts", map::kMostParts));
    if (out.list.size() > 64) in.fail("more than 64 dimensions");
    if (!in.accept(",") && in.peek() != close.front())
      in.fail(fmt::format("expected ',' or '{}', found {}", close, in.found()));
  }
  return out;
}

}  // namespace

std::size_t entry_at(std::string_view text, std::size_t list, std::size_t entry) {
  std::size_t at = list + 1;  // behind the bracket
  for (; entry > 0; --entry) at = text.find(',', at) + 1;
  return text.find_first_not_of(" \t\r\n", at);
}

namespace {

// One argument's value: a list, an integer, a dotted name or a nested call; a quoted name only if `quoted`.
Argument parse_value(Cursor& in, Entries entries, bool quoted) {
  Argument argument;
  in.skip_space();
  argument.offset = in.offset();
  const char next = in.peek();
  if (next == '(' || next == '[') {
    if (lists_flags(in)) argument.value = parse_names(in);
    else if (entries == Entries::Expressions) argument.value = parse_expressions(in);
    else argument.value = in.integer_list("a list");
  } else if (next == '-' || next == '+' || (next >= '0' && next <= '9')) {
    argument.value = in.integer("an integer");
  } else if (quoted && (next == '"' || next == '\'')) {
    const std::string_view quote = next == '"' ? "\"" : "'";
    in.expect(quote);
    argument.value = in.identifier("a name");
    in.expect(quote);
  } else {
    const std::string_view name = in.dotted_name("a list, a dtype or a keyword");
    if (in.accept("(")) {
      const std::string_view inner = in.dotted_name("a dtype");
      in.expect(")");
      argument.value = NestedCall{name, inner};
    } else {
      argument.value = name;
    }
  }
  return argument;
}

Argument parse_argument(Cursor& in, Entries entries, std::span<const std::string_view> skipped) {
  Cursor ahead = in;
  const std::string_view keyword = ahead.identifier("a keyword");
  if (ahead.failed() || !ahead.accept("=")) return parse_value(in, entries, false);
  in = ahead;
  Argument argument;
  if (std::ranges::find(skipped, keyword) != skipped.end()) {
    in.skip_space();
    argument.offset = in.offset();
    argument.value = Unread{in.expression("an expression")};
  } else {
    argument = parse_value(in, entries, true);
  }
  argument.keyword = keyword;
  return argument;
}

}  // namespace

std::vector<Argument> parse_call(Cursor& in, std::string_view name, Entries entries,
                                 std::span<const std::string_view> skipped) {
  std::vector<Argument> arguments;
  in.expect(name);
  in.expect("(");
  while (!in.failed() && !in.accept(")")) {
    if (!arguments.empty()) {
      if (!in.accept(",")) in.fail(fmt::format("expected ',' or ')' of {}, found {}", name, in.found()));
      if (in.accept(")")) break;
    }
    in.skip_space();
    const std::size_t at = in.offset();
    Argument argument = parse_argument(in, entries, skipped);
    argument.start = at;
    for (const Argument& other : arguments) {
      if (argument.keyword.empty() && !other.keyword.empty())
        in.fail(ErrorCode::Syntax, "a positional argument behind a keyword", at);
      if (!argument.keyword.empty() && argument.keyword == other.keyword)
        in.fail(ErrorCode::Syntax, fmt::format("{} is given twice", argument.keyword), at);
    }
    arguments.push_back(std::move(argument));
    if (entries == Entries::Expressions && arguments.size() > 12) in.fail("more arguments than any form has");
  }
  return arguments;
}

std::size_t Arguments::positional() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(arguments_, [](const Argument& a) { return a.keyword.empty(); }));
}

const Argument* Arguments::at(std::size_t position) const {
  return position < positional() ? &arguments_[position] : nullptr;
}

void Arguments::name_positional(std::span<const std::string_view> keywords) {
  const std::size_t count = positional();
  for (std::size_t i = 0; i < count; ++i) {
    if (i >= keywords.size()) {
      in_.fail(ErrorCode::Shape,
               fmt::format("expected at most {} arguments in this form, found {}", keywords.size(), count),
               arguments_[i].offset);
      return;
    }
    if (has(keywords[i]))
      in_.fail(ErrorCode::Syntax, fmt::format("{} is given twice", keywords[i]), arguments_[i].offset);
    arguments_[i].keyword = keywords[i];
  }
}

template <>
std::vector<Index> Arguments::list(std::string_view keyword) {
  const Argument* argument = take(keyword, "a list of integers");
  if (argument == nullptr) return {};
  if (const auto* values = std::get_if<std::vector<Index>>(&argument->value)) return *values;
  const auto* values = std::get_if<Expressions>(&argument->value);
  if (values == nullptr) wrong(*argument, "a list of integers");
  std::vector<Index> out;
  for (std::size_t k = 0; values != nullptr && k < values->list.size(); ++k) {
    const auto number = values->list[k].number();
    if (!number)
      fail(ErrorCode::Value, keyword,
           fmt::format("{} is not a valid entry of {}", map::print(values->list[k]), keyword), k);
    out.push_back(number.value_or(0));
  }
  return out;
}

template <>
std::vector<map::Expression> Arguments::list(std::string_view keyword) {
  const Argument* argument = take(keyword, "a list of integers");
  if (argument == nullptr) return {};
  if (const auto* values = std::get_if<Expressions>(&argument->value)) return values->list;
  wrong(*argument, "a list of integers");
  return {};
}

DeviceFormat Arguments::device_dtype(const DeviceFormat* usual) {
  if (usual != nullptr && !has("device_dtype")) return *usual;
  const Argument* argument = take("device_dtype", "a device dtype such as DataFormats.SEN169_FP16");
  if (argument == nullptr) return {};
  Result<DeviceFormat> format = Error{};
  if (const auto* name = std::get_if<std::string_view>(&argument->value)) format = device_format(*name);
  else if (const auto* call = std::get_if<NestedCall>(&argument->value); call && call->function == "get_device_dtype")
    format = device_format_of_torch(call->argument);
  else wrong(*argument, "a device dtype such as DataFormats.SEN169_FP16");
  return take_format(format, *argument);
}

DeviceFormat Arguments::torch_dtype() {
  const Argument* argument = take("dtype", "a dtype such as torch.float16");
  if (argument == nullptr) return {};
  const auto* name = std::get_if<std::string_view>(&argument->value);
  if (name == nullptr) wrong(*argument, "a dtype such as torch.float16");
  return name == nullptr ? DeviceFormat{} : take_format(device_format_of_torch(*name), *argument);
}

std::string Arguments::enumerator(std::string_view keyword) {
  if (!has(keyword)) return {};
  const Argument* argument = take(keyword, "a name");
  const auto* name = std::get_if<std::string_view>(&argument->value);
  if (name == nullptr) wrong(*argument, "a name");
  return name == nullptr ? std::string{} : std::string(name->substr(name->rfind('.') + 1));
}

std::optional<Index> Arguments::integer(std::string_view keyword) {
  if (!has(keyword)) return std::nullopt;
  const Argument* argument = take(keyword, "an integer");
  if (const auto* value = std::get_if<Index>(&argument->value)) return *value;
  wrong(*argument, "an integer");
  return std::nullopt;
}

std::optional<std::vector<bool>> Arguments::flags(std::string_view keyword) {
  if (!has(keyword)) return std::nullopt;
  const Argument* argument = take(keyword, "True or False");
  Names names;
  if (const auto* list = std::get_if<Names>(&argument->value)) names = *list;
  else if (const auto* name = std::get_if<std::string_view>(&argument->value)) names = {*name};
  std::vector<bool> out;
  for (const std::string_view name : names) {
    if (name != "True" && name != "False") break;
    out.push_back(name == "True");
  }
  if (names.empty() || out.size() != names.size()) {
    wrong(*argument, "True and False");
    return std::nullopt;
  }
  return out;
}

void Arguments::only(std::string_view known) {
  std::vector<std::string_view> words;
  for (std::string_view rest = known; !rest.empty();) {
    words.push_back(rest.substr(0, rest.find(", ")));
    rest.remove_prefix(std::min(rest.size(), words.back().size() + 2));
  }
  for (const Argument& argument : arguments_)
    if (!argument.keyword.empty() && std::ranges::find(words, argument.keyword) == words.end())
      in_.fail(ErrorCode::Syntax, fmt::format("unknown field '{}'; expected one of {}", argument.keyword, known),
               argument.start);
}

std::size_t Arguments::offset(std::string_view keyword) const {
  const Argument* argument = find(keyword);
  return argument == nullptr ? 0 : argument->offset;
}

void Arguments::fail(ErrorCode code, std::string_view keyword, std::string message, std::optional<std::size_t> entry) {
  const Argument* argument = find(keyword);
  std::size_t at = offset(keyword);
  if (const auto* list = argument == nullptr ? nullptr : std::get_if<Expressions>(&argument->value)) {
    if (entry) at = list->spans[*entry].first;
  } else if (entry && is_list(argument)) {
    at = entry_at(in_.text(), at, *entry);
  }
  in_.fail(code, std::move(message), at);
}

const Argument* Arguments::find(std::string_view keyword) const {
  const auto found = std::ranges::find(arguments_, keyword, &Argument::keyword);
  return found == arguments_.end() ? nullptr : &*found;
}

const Argument* Arguments::take(std::string_view keyword, std::string_view expected) {
  const auto found = std::ranges::find(arguments_, keyword, &Argument::keyword);
  if (found == arguments_.end()) {
    in_.fail(ErrorCode::Syntax, fmt::format("{} is missing: expected {}", keyword, expected), in_.text().size());
    return nullptr;
  }
  return &*found;
}

void Arguments::wrong(const Argument& argument, std::string_view expected) {
  in_.fail(ErrorCode::Syntax, fmt::format("expected {}, found {}", expected, describe(argument)), argument.offset);
}

DeviceFormat Arguments::take_format(const Result<DeviceFormat>& format, const Argument& argument) {
  if (format) return *format;
  in_.fail(format.error().code, format.error().message, argument.offset);
  return {};
}

}  // namespace vl::spyre
