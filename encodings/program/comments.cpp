// Comments `// vl:` in front of functions (function.h). What cannot be read is a note.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "encodings/notation/mlir_text.h"
#include "encodings/program/translator.h"

namespace vl::program {
namespace {

using mlir::trimmed;

// "32, 32" in the brackets that follow a word; empty if there are none.
std::vector<Index> sizes_behind(std::string_view text) {
  const std::size_t close = text.find(')');
  if (!text.starts_with('(') || close == std::string_view::npos) return {};
  return mlir::integers_of(text.substr(1, close - 1)).value_or(std::vector<Index>{});
}

// A number alone is that number; 0 is both zeros.
std::string state_of(std::string_view text) {
  const std::string number = number_in_language(text);
  const bool zero = number == "0" || number == "-0" || text == "+0";
  const bool word = number.empty() || number.ends_with("inf") || number.starts_with("nan");
  return zero || word ? std::string(text) : fmt::format("{{{}}}", text);
}

// Whether a text without a name before it is a state of every input.
bool is_state(std::string_view text) {
  constexpr std::array<std::string_view, 5> kWords{"finite", "any", "unwritten", "valid", "nan"};
  return std::ranges::find(kWords, text) != kWords.end() || text.starts_with('[') || text.starts_with('{') ||
         !number_in_language(text).empty();
}

// "a0: 0; a1: unwritten": by name; "finite": of every input. False: a part is neither.
bool read_states(std::string_view text, std::map<std::string, std::string, std::less<>>& out) {
  bool read = !text.empty();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    const std::string_view part = trimmed(text.substr(0, end));
    const std::size_t colon = part.find(':');
    // How many lanes a stick has device sizes say, too, and it is read there.
    const bool remark = part.starts_with("a stick has ") && part.ends_with(" lanes");
    if (colon != std::string_view::npos)
      out[std::string(trimmed(part.substr(0, colon)))] = state_of(trimmed(part.substr(colon + 1)));
    else if (is_state(part)) out[""] = state_of(part);
    else read = read && (part.empty() || remark);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return read;
}

}  // namespace

// Those in front of the first function of a text hold for each of its module, and those between two functions for the
// second. A comment within a function, or after the last one, changes nothing; a note says so.
void Translator::read_comments() {
  const auto& all = module_.functions;
  const std::string_view text = from_.module;
  const auto place = [&](std::size_t offset) { return offset - from_.module_offset; };
  const auto end_of = [&](const mlir::Function& function) {
    const auto& operations = function.body.operations;
    return place(operations.empty() ? function.offset : operations.back().offset + operations.back().length);
  };
  const std::size_t begin = place(from_.offset), end = end_of(from_);
  if (module_.has_comments) {
    const std::string_view front = text.substr(0, place(all.front()->offset));
    read_comments_in(front, [&](std::size_t at) {
      const std::size_t opened = module_around(text, at);
      return opened == 0 || opened == module_around(text, begin);
    });
  }
  const auto own = std::ranges::lower_bound(all, from_.offset, {}, &mlir::Function::offset);
  if (own != all.begin()) {
    const std::size_t before = std::min(end_of(**(own - 1)), begin);
    read_comments_in(text.substr(before, begin - before));
  }
  note_comments_in(text.substr(begin, end - begin));
  if (own != all.end() && own + 1 == all.end()) note_comments_in(text.substr(end));
}

// Where the last `module` in front of a place begins; 0: there is none.
std::size_t Translator::module_around(std::string_view text, std::size_t at) {
  for (std::size_t found = text.rfind("module", at); found != std::string_view::npos && found > 0;
       found = text.rfind("module", found - 1)) {
    const std::size_t newline = text.rfind('\n', found);
    const std::string_view start = text.substr(newline == std::string_view::npos ? 0 : newline + 1);
    const std::string_view line = start.substr(std::min(start.find_first_not_of(" \t"), start.size()));
    if (line.starts_with("module") || line.starts_with("builtin.module")) return found + 1;
  }
  return text.starts_with("module") ? 1 : 0;
}

void Translator::note_comments_in(std::string_view text) {
  for (const Comment& comment : comments_in(text, from_.mark))
    if (!functions_in(comment)) note_comment(comment);
}

void Translator::note_comment(const Comment& comment) {
  const auto& [word, said, at] = comment;
  out_.notes.push_back(fmt::format("the comment `vl: {}{}{}` is not read and changes nothing", word.substr(0, 80),
                                   said.empty() || said[0] == '(' ? "" : " ", said.substr(0, 80)));
}

std::vector<Comment> comments_in(std::string_view text, std::string_view mark) {
  const std::string begin = fmt::format("{} vl:", mark);
  constexpr std::array<std::string_view, 6> kWords{"tile", "padding", "contents", "equal", "device", "tail"};
  std::vector<Comment> out;
  for (std::size_t at = text.find(begin); at != std::string_view::npos; at = text.find(begin, at + 1)) {
    const std::size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
    if (!trimmed(text.substr(start, at - start)).empty()) continue;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view rest = text.substr(at + begin.size(), end - at - begin.size());
    while (!(rest = trimmed(rest)).empty()) {
      const std::size_t word_end = mlir::end_of_word(rest, 0);
      const std::string_view word = rest.substr(0, word_end);
      rest.remove_prefix(std::max<std::size_t>(word_end, 1));
      std::size_t stop = rest.size();
      for (const std::string_view next : kWords)
        for (const char* behind : {" ", "("}) stop = std::min(stop, rest.find(fmt::format(" {}{}", next, behind)));
      out.push_back({word, trimmed(rest.substr(0, stop)), at});
      rest.remove_prefix(stop);
    }
  }
  return out;
}

std::optional<std::pair<std::string_view, std::string_view>> functions_in(const Comment& comment) {
  const std::size_t blank = comment.says.find(' ');
  if (comment.word != "equal" || !comment.says.starts_with('@') || blank == std::string_view::npos) return std::nullopt;
  const std::string_view second = trimmed(comment.says.substr(blank));
  if (!second.starts_with('@') || second.find(' ') != std::string_view::npos) return std::nullopt;
  return std::pair(comment.says.substr(0, blank), second);
}

void Translator::read_comments_in(std::string_view text, const std::function<bool(std::size_t)>& holds) {
  constexpr std::size_t kLongest = 64U * 1024;  // bytes in front of a function
  const std::size_t from = text.size() - std::min(text.size(), kLongest);
  for (const Comment& comment : comments_in(text.substr(from), from_.mark))
    if (holds == nullptr || holds(from + comment.offset))
      if (!read_comment(comment)) note_comment(comment);
}

bool Translator::read_comment(const Comment& comment) {
  const auto& [word, said, at] = comment;
  if (word == "padding") return read_states(said, padding_);
  if (word == "contents") return read_states(said, contents_);
  if (const auto pair = functions_in(comment)) {  // who asks about functions asks that
    const auto is_there = [&](std::string_view name) {
      return std::ranges::any_of(module_.functions,
                                 [&](const auto* other) { return other->name == name && !other->declared; });
    };
    return is_there(pair->first) && is_there(pair->second);
  }
  if (word == "equal" && said.find('@') == std::string_view::npos) {
    equal_ = said;
    return true;
  }
  if (word == "tail" && (said == "read" || said == "zero")) {
    tail_ = said;
    return true;
  }
  // The sizes of a device say of each tensor where its padding is.
  if (word == "device" && said.empty())
    return std::ranges::any_of(from_.body.operations,
                               [](const auto& each) { return each.name.starts_with("OpSpec."); });
  const std::vector<Index> tile = word == "tile" ? sizes_behind(said) : std::vector<Index>{};
  const bool fits = !tile.empty() && std::ranges::all_of(tile, [](Index i) { return i >= 1 && i <= 1 << 20; });
  if (fits) tile_ = tile;
  return fits;
}

// A comment in front of the module's first function may name inputs of others.
void Translator::note_names_of_no_input() {
  const std::string_view sign = from_.mark == "//" ? "%" : "";  // before names
  for (const auto& [word, said] : {std::pair{"padding", &padding_}, std::pair{"contents", &contents_}})
    for (const auto& [name, state] : *said)
      if (!name.empty() && !module_.arguments.contains(fmt::format("{}{}", sign, name)))
        out_.notes.push_back(
            fmt::format("the comment `vl: {} {}` changes nothing: there is no input {}{}", word, name, sign, name));
}

}  // namespace vl::program
