#include "encodings/use/c_text.h"

#include <algorithm>

#include "encodings/use/scan.h"

namespace vl::use {
namespace {

class PlainC {
 public:
  explicit PlainC(std::string_view source) : in_(source) { out_.text = std::string(source); }

  CText read() {
    bool line_starts = true;
    int depth = 0;
    while (at_ < in_.size()) {
      const char c = in_[at_];
      if (in_.substr(at_).starts_with("//")) quote(end_of_line(at_), true, depth > 0);
      else if (in_.substr(at_).starts_with("/*")) quote(behind("*/", at_ + 2), true, depth > 0);
      else if (c == '"') quote(end_of_string(), false, depth > 0);
      else if (c == '\'' && !(at_ > 0 && is_word(in_[at_ - 1]))) quote(end_of_string(), false, depth > 0);
      else if (c == '#' && line_starts) directive();
      else {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (c == ';' || c == '{') depth = 0;
        line_starts = c == '\n' || (line_starts && (c == ' ' || c == '\t'));
        ++at_;
      }
    }
    while (!open_.empty()) end_branch(in_.size()), open_.pop_back();
    std::ranges::sort(out_.quoted, {}, &Quoted::begin);
    return std::move(out_);
  }

 private:
  std::size_t behind(std::string_view sign, std::size_t from) const {
    const std::size_t at = in_.find(sign, from);
    return at == std::string_view::npos ? in_.size() : at + sign.size();
  }
  // A line that ends in a backslash goes on.
  std::size_t end_of_line(std::size_t at) const {
    for (;; ++at) {
      at = std::min(in_.find('\n', at), in_.size());
      const std::size_t last = at > 0 && in_[at - 1] == '\r' ? at - 1 : at;
      if (at == in_.size() || last == 0 || in_[last - 1] != '\\') return at;
    }
  }
  std::size_t end_of_string() const {
    const char sign = in_[at_];
    if (sign == '"' && at_ > 0 && in_[at_ - 1] == 'R') {  // R"tag(…)tag"
      const std::size_t open = in_.find('(', at_);
      if (open == std::string_view::npos) return in_.size();
      return behind(")" + std::string(in_.substr(at_ + 1, open - at_ - 1)) + "\"", open);
    }
    for (std::size_t at = at_ + 1; at < in_.size(); ++at) {
      if (in_[at] == '\\') ++at;
      else if (in_[at] == sign) return at + 1;
      else if (in_[at] == '\n') return at;
    }
    return in_.size();
  }
  void blank(std::size_t end) {
    for (; at_ < end; ++at_)
      if (in_[at_] != '\n') out_.text[at_] = ' ';
  }
  void quote(std::size_t end, bool comment, bool in_brackets) {
    out_.quoted.push_back({at_, end, comment, in_brackets});
    if (comment) return blank(end);
    ++at_;  // the quotes stay
    blank(std::max(at_, end - 1));
    at_ = std::max(at_, end);
  }

  void end_branch(std::size_t at) { out_.branches[open_.back().branch].end = at; }
  void begin_branch(std::size_t at) {
    open_.back().branch = out_.branches.size();
    const bool inner = open_.size() > 1;
    out_.branches.push_back(
        {at, in_.size(), open_.back().condition, inner ? std::optional(open_[open_.size() - 2].branch) : std::nullopt});
  }

  void directive() {
    const std::size_t begin = at_;
    const std::size_t end = end_of_line(at_);
    std::string_view line = trimmed(in_.substr(begin + 1, end - begin - 1));
    const std::size_t length = std::min(line.find_first_of(" \t("), line.size());
    const std::string_view word = line.substr(0, length);
    const std::string_view rest = trimmed(line.substr(length));
    if (word.starts_with("if")) {
      open_.push_back({conditions_++, 0});
      begin_branch(begin);
    } else if ((word == "else" || word.starts_with("elif")) && !open_.empty()) {
      end_branch(begin);
      begin_branch(begin);
    } else if (word == "endif" && !open_.empty()) {
      end_branch(begin);
      open_.pop_back();
    } else if (word == "define" || word == "undef") {
      define(rest, begin, word == "define");
    }
    // A comment behind it is found as one.
    const std::size_t comment =
        std::min(in_.substr(begin, end - begin).find("//"), in_.substr(begin, end - begin).find("/*"));
    blank(comment == std::string_view::npos ? end : begin + comment);
  }
  void define(std::string_view rest, std::size_t begin, bool defines) {
    std::size_t length = 0;
    while (length < rest.size() && is_word(rest[length])) ++length;
    CDefine out{std::string(rest.substr(0, length)), {}, begin};
    std::string_view value = rest.substr(length);
    const bool plain = value.empty() || value[0] != '(';
    value = trimmed(value.substr(0, std::min(value.find("//"), value.find("/*"))));
    if (defines && plain) out.value = std::string(value);
    out_.defines.push_back(std::move(out));
  }

  struct Condition {
    std::size_t condition;
    std::size_t branch;
  };
  std::string_view in_;
  std::size_t at_ = 0;
  CText out_;
  std::vector<Condition> open_;
  std::size_t conditions_ = 0;
};

}  // namespace

std::vector<std::size_t> CText::branches_at(std::size_t at) const {
  std::vector<std::size_t> out;
  const auto behind = std::ranges::upper_bound(branches, at, {}, &CBranch::begin);
  if (behind == branches.begin()) return out;
  for (std::optional<std::size_t> k = static_cast<std::size_t>(behind - branches.begin()) - 1; k;
       k = branches[*k].inside)
    if (at < branches[*k].end) out.insert(out.begin(), *k);
  return out;
}

bool CText::exclude(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) const {
  return std::ranges::any_of(a, [&](std::size_t one) {
    return std::ranges::any_of(
        b, [&](std::size_t other) { return one != other && branches[one].of == branches[other].of; });
  });
}

CText plain_c(std::string_view source) { return PlainC(source).read(); }

}  // namespace vl::use
