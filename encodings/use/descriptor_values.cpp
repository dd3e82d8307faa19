#include "encodings/use/descriptor_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "encodings/use/code_numbers.h"
#include "encodings/use/scan.h"
#include "encodings/use/statements.h"

namespace vl::use {
namespace {

using Views = std::vector<std::string_view>;
constexpr int kDeepestName = 4;  // names by names
constexpr std::size_t kLongestAlias = 200;

constexpr std::array<std::string_view, 4> kOfWords = {"type", "interleave", "swizzle", "fill"};

bool is_plain_name(std::string_view text) {
  return !text.empty() && (text[0] < '0' || text[0] > '9') && std::ranges::all_of(text, is_word);
}

// The names of types: `using bf16 = __nv_bfloat16;` and `typedef __half half_t;`.
std::unordered_map<std::string_view, std::string_view> types_of(std::string_view code) {
  std::unordered_map<std::string_view, std::string_view> out;
  const auto add = [&](std::string_view name, std::string_view type) {
    if (const auto [at, is_new] = out.try_emplace(name, type); !is_new && at->second != type) at->second = {};
  };
  for (const std::string_view word : {"using ", "typedef "})
    for (std::size_t at = code.find(word); at != std::string_view::npos; at = code.find(word, at + 1)) {
      const std::string_view rest = code.substr(at + word.size(), kLongestAlias);
      const std::string_view said = trimmed(rest.substr(0, rest.find_first_of(";{}")));
      const std::size_t sign = word[0] == 'u' ? said.find('=') : said.find_last_of(' ');
      if (sign == std::string_view::npos) continue;
      const std::string_view first = trimmed(said.substr(0, sign)), last = trimmed(said.substr(sign + 1));
      word[0] == 'u' ? add(first, last) : add(last, first);
    }
  return out;
}

// "dims.data()", "std::data(dims)", "dims + 1" and "&dims[1]" as a name and its first entry.
std::pair<std::string_view, std::size_t> begins_at(std::string_view text) {
  for (const std::string_view ending : {".data()", ".begin()"})
    if (text.ends_with(ending)) text.remove_suffix(ending.size());
  if (text.starts_with("std::data(")) text = trimmed(text.substr(10, text.size() - 11));
  std::size_t sign = text.find('+');
  std::string_view entry;
  if (text.starts_with("&") && text.ends_with("]")) {
    sign = text.find('[');
    if (sign == std::string_view::npos) return {text, 0};
    entry = text.substr(sign + 1, text.size() - sign - 2);
    text.remove_prefix(1), --sign;
  } else if (sign != std::string_view::npos) {
    entry = trimmed(text.substr(sign + 1));
  } else {
    return {text, 0};
  }
  std::size_t first = 0;
  const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), first);
  if (error != std::errc{} || end != entry.data() + entry.size()) return {{}, 0};
  return {trimmed(text.substr(0, sign)), first};
}

}  // namespace

CodeValues::CodeValues(SourceLanguage language, std::string_view text, std::string_view code, std::string_view reader)
    : language_(language),
      code_(code),
      brackets_(code),
      initials_(language, code, brackets_, reader),
      names_(names_of(language, text)) {
  if (language == SourceLanguage::C) types_ = types_of(code);
}

// The entries of the list whose bracket is the first letter.
Views CodeValues::within(std::string_view list) const {
  const auto open = static_cast<std::size_t>(list.data() - code_.data());
  if (list.empty() || open >= code_.size() || brackets_.closing(open) == std::string_view::npos) return {};
  return brackets_.parts(open);
}

OrWhy<Views> CodeValues::entries(std::string_view argument, std::size_t place, std::size_t count, int deep) const {
  if (deep > kDeepestName) return fmt::format("'{}' leads through too many names", argument);
  return language_ == SourceLanguage::C ? c_entries(argument, place, deep)
                                        : python_entries(argument, place, count, deep);
}

OrWhy<Views> CodeValues::c_entries(std::string_view argument, std::size_t place, int deep) const {
  argument = without_casts(argument);
  if (argument == "nullptr" || argument == "NULL" || argument == "0") return Views{};
  const std::size_t brace = argument.find('{');
  if (brace != std::string_view::npos && argument.find('(') > brace) {
    Views out = within(argument.substr(brace));
    if (out.size() == 1 && out[0].starts_with("{")) out = within(out[0]);
    return out;
  }
  const auto [name, first] = begins_at(argument);
  if (!is_plain_name(name)) return fmt::format("'{}' is no list, and no name of one", argument);
  const auto value = initials_.at(name, place);
  if (const auto* missing = std::get_if<NoInitial>(&value)) return missing->reason;
  auto out = entries(std::get<std::string_view>(value), place, 0, deep + 1);
  if (auto* views = std::get_if<Views>(&out); views != nullptr && first > 0)
    views->erase(views->begin(), views->begin() + static_cast<std::ptrdiff_t>(std::min(first, views->size())));
  return out;
}

OrWhy<Views> CodeValues::python_entries(std::string_view argument, std::size_t place, std::size_t count,
                                        int deep) const {
  argument = trimmed(argument);
  const auto value =
      is_plain_name(argument) ? initials_.at(argument, place) : std::variant<std::string_view, NoInitial>();
  if (const auto* missing = std::get_if<NoInitial>(&value)) return missing->reason;
  if (is_plain_name(argument)) return entries(std::get<std::string_view>(value), place, count, deep + 1);
  const auto open = static_cast<std::size_t>(argument.data() - code_.data());
  const bool bracket = argument.starts_with("[") || argument.starts_with("(");
  const std::size_t end = bracket ? brackets_.closing(open) : std::string_view::npos;
  if (end == std::string_view::npos || end - open >= argument.size())
    return fmt::format("'{}' is no list, and no name of one", argument);
  const std::string_view rest = trimmed(argument.substr(end + 1 - open));
  Views out = within(argument);
  if (rest.starts_with("(")) out = within(rest);  // (ctypes.c_uint64 * 2)(K, M)
  else if (rest.starts_with("*") && out.size() == 1) return Views(count, out[0]);
  else if (!rest.empty()) return fmt::format("'{}' is no list, and no name of one", argument);
  if (out.size() == 1 && out[0].starts_with("*")) return entries(out[0].substr(1), place, count, deep + 1);
  for (const std::string_view each : out)
    if (each.starts_with("*")) return fmt::format("'{}' stands for several entries", each);
  return out;
}

OrWhy<Views> CodeValues::list(std::string_view argument, std::size_t place) const {
  return entries(argument, place, 0);
}

OrWhy<std::string_view> CodeValues::bound(std::string_view name, std::size_t place) const {
  const auto value = initials_.at(name, place, true);
  if (const auto* missing = std::get_if<NoInitial>(&value)) return missing->reason;
  return std::get<std::string_view>(value);
}

OrWhy<std::vector<map::Expression>> CodeValues::numbers(std::string_view argument, std::size_t place,
                                                        std::size_t count) const {
  const bool every = count == std::string_view::npos;
  const auto found = entries(argument, place, every ? 0 : count);
  if (const auto* reason = std::get_if<std::string>(&found)) return *reason;
  const auto& views = std::get<Views>(found);
  if (every) count = views.size();
  if (views.size() < count)
    return fmt::format("'{}' has {} of {} entries; what has no entry is not read", argument, views.size(), count);
  std::vector<map::Expression> out;
  for (std::size_t k = 0; k < count; ++k) {
    const auto value = number(views[k], place);
    if (const auto* reason = std::get_if<std::string>(&value)) return *reason;
    out.push_back(std::get<map::Expression>(value));
  }
  return out;
}

std::string CodeValues::readable(std::string_view argument, std::size_t place, int deep) const {
  if (language_ != SourceLanguage::C) return python_number(argument);
  const NamesOfC names = {[&](std::string_view list, std::size_t k) -> std::optional<std::string> {
                            const auto value = initials_.at(list, place);
                            if (deep > kDeepestName || std::holds_alternative<NoInitial>(value)) return std::nullopt;
                            const auto all = c_entries(std::get<std::string_view>(value), place, deep);
                            const auto* views = std::get_if<Views>(&all);
                            if (views == nullptr || k >= views->size()) return std::nullopt;
                            return readable((*views)[k], place, deep + 1);
                          },
                          [&](std::string_view type) {
                            const auto known = types_.find(type);
                            return known == types_.end() ? std::string_view() : known->second;
                          }};
  return c_number(argument, names);
}

OrWhy<map::Expression> CodeValues::number(std::string_view argument, std::size_t place) const {
  const std::string text = readable(argument, place, 0);
  Cursor in(text);
  map::Expression out = language_ == SourceLanguage::C ? map::take_c_expression(in) : map::take_expression(in);
  in.expect_end();
  if (in.failed()) return fmt::format("'{}' is not read as a number: {}", argument, in.error().message);
  return out;
}

std::optional<Index> CodeValues::integer(std::string_view argument, std::size_t place) const {
  const auto read = number(argument, place);
  const auto* expression = std::get_if<map::Expression>(&read);
  if (expression == nullptr) return std::nullopt;
  std::vector<std::string> names;
  map::add_names(*expression, names);
  map::Sizes sizes;
  for (const std::string& name : names) {
    const auto all = names_->numbers(name, place);
    if (all.empty() || std::ranges::any_of(all, [&](const auto& each) { return each.value != all[0].value; }))
      return std::nullopt;
    sizes.emplace(name, all[0].value);
  }
  const auto value = map::evaluate(*expression, sizes);
  return value ? std::optional(*value) : std::nullopt;
}

OrWhy<DescriptorField> CodeValues::word(MapWord of, std::string_view argument, std::size_t place) const {
  std::string_view text = argument;
  for (int deep = 0; deep < kDeepestName; ++deep) {
    text = without_casts(text);
    const std::size_t part = text.find_last_of(":.");
    if (const auto named = map_word(of, part == std::string_view::npos ? text : text.substr(part + 1))) return *named;
    if (const auto value = integer(text, place)) {
      if (auto numbered = map_word(of, value)) return std::move(*numbered);
      return fmt::format("the {} is {}, which cuda.h does not name", kOfWords[static_cast<std::size_t>(of)], *value);
    }
    const auto value =
        is_plain_name(text) ? initials_.at(text, place) : std::variant<std::string_view, NoInitial>(NoInitial{});
    if (std::holds_alternative<NoInitial>(value)) break;
    text = std::get<std::string_view>(value);
  }
  return fmt::format("the text gives the {} '{}' no value", kOfWords[static_cast<std::size_t>(of)], argument);
}

}  // namespace vl::use
