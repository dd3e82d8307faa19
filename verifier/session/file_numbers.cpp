#include "verifier/session/file_numbers.h"

#include <fmt/format.h>

#include <algorithm>

namespace vl::session {
namespace {

constexpr std::size_t kAround = 4096;   // bytes of a statement on either side of a layout
constexpr std::size_t kMostNames = 24;  // of a statement

// Names that go together are bound in the same blocks, each once in each.
bool together(const NumberedName& a, const NumberedName& b) {
  if (a.numbers.size() != b.numbers.size()) return false;
  for (std::size_t k = 0; k < a.numbers.size(); ++k) {
    if (a.numbers[k].block != b.numbers[k].block) return false;
    for (std::size_t other = 0; other < k; ++other)
      if (a.numbers[k].block == a.numbers[other].block) return false;
  }
  return true;
}

bool is_single(const NumberedName& name) {
  return std::ranges::all_of(name.numbers,
                             [&](const use::StatedNumber& n) { return n.value == name.numbers.front().value; });
}

}  // namespace

FileNumbers::FileNumbers(std::string_view file, std::string_view text) : text_(text), stated_(file, text) {
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    lines_.push_back(at);
}

std::size_t FileNumbers::line_of(std::size_t offset) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(lines_, offset) - lines_.begin()) + 1;
}

// The names with numbers in the statement of text[at], and in [at, at + length).
std::vector<NumberedName> FileNumbers::names_at(std::size_t at, std::size_t length,
                                                const std::vector<use::Definition>& otherwise) const {
  std::vector<NumberedName> out;
  if (!stated_.binds(at)) return out;
  const auto statement = stated_.statement(at);
  if (!statement) return out;
  std::size_t begin = std::max(std::min(statement->first, at), at - std::min(at, kAround));
  const std::size_t end = std::min({std::max(statement->second, at + length), at + length + kAround, text_.size()});
  while (begin < end && out.size() < kMostNames) {
    std::size_t stop = begin;
    while (stop < end && use::is_word(text_[stop])) ++stop;
    const std::string_view word = text_.substr(begin, stop - begin);
    const bool qualified = begin > 0 && (text_[begin - 1] == '.' || text_[begin - 1] == ':') &&
                           (text_[begin - 1] == '.' || (begin > 1 && text_[begin - 2] == ':'));
    const std::size_t next = std::min(text_.find_first_not_of(" \t", stop), text_.size());
    const bool target = text_.substr(next, 1) == "=" && text_.substr(next, 2) != "==";  // or a keyword
    const bool is_name = !word.empty() && !(word[0] >= '0' && word[0] <= '9') && !qualified && !target;
    if (is_name && std::ranges::find(out, word, &NumberedName::name) == out.end() &&
        std::ranges::find(otherwise, word, &use::Definition::name) == otherwise.end())
      if (auto numbers = stated_.numbers(word, at); !numbers.empty())
        out.push_back({std::string(word), std::move(numbers)});
    begin = std::max(stop, begin + 1);
  }
  return out;
}

FileNumbers::Choices FileNumbers::choices_of(const std::vector<NumberedName>& names) const {
  Choices out;
  const NumberedName* first = nullptr;  // of those with several numbers
  for (const NumberedName& name : names) {
    if (is_single(name)) continue;
    if (first != nullptr && !together(*first, name)) {
      out.refused = fmt::format("'{}' and '{}' have several numbers in this file, and which go together is not known",
                                first->name, name.name);
      return out;
    }
    if (first == nullptr) first = &name;
  }
  const std::size_t count = first == nullptr ? 1 : first->numbers.size();
  if (count > kMostChoices) {
    out.refused =
        fmt::format("'{}' has {} numbers in this file; at most {} are judged", first->name, count, kMostChoices);
    return out;
  }
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<question::BoundName> choice;
    for (const NumberedName& name : names) {
      const use::StatedNumber& number = name.numbers[is_single(name) ? 0 : k];
      choice.push_back({name.name, number.value, line_of(number.offset)});
    }
    const auto same = [&](const std::vector<question::BoundName>& other) {
      return std::ranges::equal(other, choice, {}, &question::BoundName::value, &question::BoundName::value);
    };
    if (std::ranges::none_of(out.all, same)) out.all.push_back(std::move(choice));
  }
  return out;
}

std::vector<NumberedFound> FileNumbers::with_numbers(const use::Found& found, std::size_t at,
                                                     const std::vector<use::Definition>& otherwise,
                                                     const FindAgain& again) const {
  const std::vector<NumberedName> names = names_at(at, found.length, otherwise);
  if (names.empty()) return {};
  const auto without = [&](std::string_view left_out) {
    std::vector<use::Definition> out = otherwise;
    for (const NumberedName& one : names)
      if (one.name != left_out) out.push_back({one.name, one.numbers.front().value});
    return out;
  };
  const auto whole = again(without({}));
  if (!whole || *whole == found) return {};
  std::vector<NumberedName> used;  // that matter
  for (const NumberedName& one : names)
    if (again(without(one.name)) != whole) used.push_back(one);
  const Choices choices = choices_of(used);
  std::vector<NumberedFound> out;
  if (!choices.refused.empty()) {
    out.push_back({found, otherwise, {}});
    out.back().found.tensor.reset(), out.back().found.names.clear();
    use::leave_unread(out.back().found, use::kSeveralNumbers, choices.refused);
  }
  for (const auto& choice : choices.all) {
    std::vector<use::Definition> definitions = otherwise;
    for (const question::BoundName& name : choice) definitions.push_back({name.name, name.value});
    if (auto one = again(definitions)) out.push_back({std::move(*one), std::move(definitions), choice});
  }
  return out;
}

std::optional<std::size_t> FileNumbers::defined(std::string_view word, std::size_t at) const {
  const auto offset = stated_.defined(word, at);
  return offset ? std::optional(line_of(*offset)) : std::nullopt;
}

std::optional<std::size_t> FileNumbers::computed(std::string_view name, std::size_t at) const {
  const auto offset = stated_.computed(name, at);
  return offset ? std::optional(line_of(*offset)) : std::nullopt;
}

}  // namespace vl::session
