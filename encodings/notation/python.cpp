// The reader of statements. A place in the text moves forward only, but for a line that cannot be read: the next line
// is read from its beginning, at most kDeepest lines of which were read before.
#include "encodings/notation/python.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace vl::python {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word(char c) { return is_letter(c) || is_digit(c); }

constexpr std::array kBlocks =
    std::to_array<std::string_view>({"if", "elif", "else", "for", "while", "with", "try", "except", "finally", "async",
                                     "match", "lambda", "global", "nonlocal", "raise", "yield", "assert"});

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<Statement> read() {
    std::vector<Statement> out;
    while (at_ < text_.size()) {
      const std::size_t indent = begin_line();
      while (at_ < text_.size()) {
        skip();
        if (at_ >= text_.size() || text_[at_] == '\n') break;
        if (text_[at_] == ';') {
          ++at_;
          continue;
        }
        out.push_back(statement(indent));
      }
      ++at_;
    }
    return out;
  }

 private:
  [[nodiscard]] char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  [[nodiscard]] char behind() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }
  void skip() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || (c == '\n' && open_ > 0)) ++at_;
      else if (c == '\\' && behind() == '\n') at_ += 2;
      else if (c == '#') at_ = std::min(text_.find('\n', at_), text_.size());
      else break;
    }
  }
  [[nodiscard]] std::string_view from(std::size_t start) const {
    std::string_view out = text_.substr(start, std::min(at_, text_.size()) - start);
    while (!out.empty() && (out.back() == ' ' || out.back() == '\t' || out.back() == '\n' || out.back() == '\r'))
      out.remove_suffix(1);
    return out;
  }
  void to_end_of_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  // Behind a log's prefix; gives how far the line is indented.
  std::size_t begin_line() {
    const std::string_view line = text_.substr(at_, std::min(text_.find('\n', at_), text_.size()) - at_);
    const bool logged = line.size() > 6 && std::string_view("VDIWEC").find(line[0]) != std::string_view::npos &&
                        std::all_of(line.begin() + 1, line.begin() + 5, is_digit) && line[5] == ' ';
    if (logged) {
      std::size_t end = line.find("] ");
      while (end != std::string_view::npos && line.substr(end + 2, 1) == "[") end = line.find("] ", end + 2);
      if (end != std::string_view::npos) at_ += end + 2;
    }
    const std::size_t start = at_;
    while (next() == ' ' || next() == '\t') ++at_;
    return at_ - start;
  }

  Statement statement(std::size_t indent) {
    Statement out;
    out.offset = at_, out.indent = indent;
    open_ = 0, depth_ = 0, failed_ = false;
    parts(out);
    skip();
    if (failed_ || (at_ < text_.size() && next() != '\n' && next() != ';')) {
      // From the line's own end, whatever was open.
      out.read = false, open_ = 0;
      at_ = std::min(text_.find('\n', out.offset), text_.size());
    }
    out.length = std::min(at_, text_.size()) - out.offset;
    return out;
  }

  void parts(Statement& out) {
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    const bool block = std::ranges::find(kBlocks, word) != kBlocks.end();
    if (word == "class" || word == "def" || word == "return" || word == "del" || block) out.word = word, at_ = end;
    if (word == "class" || block) return to_end_of_line();
    if (word == "def") {
      skip();
      out.value = primary();
      return to_end_of_line();
    }
    Node first = listed();
    if (word == "return" || word == "del") {
      out.value = std::move(first);
      return;
    }
    skip();
    if (next() == ':') {
      ++at_;
      out.type = listed().text;
      skip();
    }
    while (!failed_ && next() == '=') {
      ++at_;
      out.targets.push_back(std::move(first));
      first = listed();
      skip();
    }
    out.value = std::move(first);
  }

  // One expression, or several with commas between.
  Node listed() {
    skip();
    const std::size_t start = at_;
    Node out = expression();
    skip();
    if (next() != ',') return out;
    Node all{Kind::Tuple, {}};
    all.parts.push_back(std::move(out));
    while (!failed_ && next() == ',') {
      ++at_, skip();
      if (ends()) break;
      all.parts.push_back(expression());
      skip();
    }
    all.text = from(start);
    return all;
  }

  // Whether an expression ends here.
  [[nodiscard]] bool ends() const {
    const char c = next();
    if (at_ >= text_.size() || c == ',' || c == ')' || c == ']' || c == '}' || c == ';' || c == '\n') return true;
    if (c == ':') return behind() != '=';
    return c == '=' && behind() != '=';
  }

  void fail() { failed_ = true; }

  Node expression() {
    Node out;
    if (++nodes_ > kMostNodes || depth_ >= kDeepest) return fail(), out;
    ++depth_;
    skip();
    const std::size_t start = at_;
    bool plain = true;
    while (!failed_ && !ends()) {
      const char c = next();
      const bool sign = (c == '-' || c == '+') && at_ == start;
      const bool string = c == '"' || c == '\'';
      if (sign && (is_digit(behind()) || behind() == '.' || text_.substr(at_ + 1, 3) == "inf")) {
        ++at_;
        out.parts.push_back(primary());
        if (out.parts.back().kind == Kind::Name) out.parts.back().kind = Kind::Number;
        out.parts.back().text = from(start);
      } else if (is_word(c) || string || c == '(' || c == '[' || c == '{' || (c == '%' && is_letter(behind())) ||
                 (c == '.' && is_digit(behind()))) {
        out.parts.push_back(primary());
      } else {
        constexpr std::string_view kOperators = "+-*/@&|^~<>=!%.:";
        if (kOperators.find(c) == std::string_view::npos) return --depth_, fail(), out;
        plain = false;
        at_ += behind() == '=' ? 2 : 1;
      }
      skip();
    }
    --depth_;
    out.text = from(start);
    if (plain && out.parts.size() == 1) {
      Node only = std::move(out.parts[0]);
      return only;
    }
    return out;
  }

  // A name, a number, a string or a bracket, and the calls and indices behind it.
  Node primary() {
    const std::size_t start = at_;
    Node out;
    if (++nodes_ > kMostNodes) return fail(), out;
    const char c = next();
    const bool is_bracket = c == '(' || c == '[' || c == '{';
    if (is_bracket) {
      out = bracket();
    } else if (is_digit(c) || c == '.') {
      number();
      out.kind = Kind::Number;
    } else {
      std::size_t end = at_ + (c == '%' ? 1 : 0);
      while (end < text_.size() &&
             (is_word(text_[end]) || (text_[end] == '.' && end + 1 < text_.size() && is_letter(text_[end + 1]))))
        ++end;
      const char quote = end < text_.size() ? text_[end] : '\0';
      const bool string = (quote == '"' || quote == '\'') && end - at_ <= 2;
      at_ = end;
      if (string) quoted();
      out.kind = string ? Kind::String : Kind::Name;
    }
    if (!is_bracket) out.text = from(start);
    while (!failed_) {
      if (next() == '(' || next() == '[') {
        Node whole{next() == '(' ? Kind::Call : Kind::Item, {}};
        if (++depth_ > kDeepest) return fail(), out;
        whole.parts.push_back(std::move(out));
        inside(whole);
        --depth_;
        out = std::move(whole);
      } else if (next() == '.' && is_letter(behind())) {
        Node whole{Kind::Other, {}};
        whole.parts.push_back(std::move(out));
        ++at_;
        while (is_word(next())) ++at_;
        out = std::move(whole);
      } else break;
      out.text = from(start);
    }
    return out;
  }

  void number() {
    while (is_word(next()) || next() == '.' ||
           ((next() == '-' || next() == '+') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E') &&
            !text_.substr(0, at_).ends_with("0xe")))
      ++at_;
  }

  // The string whose quote stands here.
  void quoted() {
    const char quote = next();
    const std::string_view three = text_.substr(at_, 3);
    const bool is_long = three.size() == 3 && three[1] == quote && three[2] == quote;
    at_ += is_long ? 3 : 1;
    while (at_ < text_.size()) {
      if (next() == '\\') {
        at_ += 2;
      } else if (!is_long && next() == '\n') {
        return fail();
      } else if (is_long ? text_.substr(at_, 3) == three : next() == quote) {
        at_ += is_long ? 3 : 1;
        return;
      } else ++at_;
    }
    fail();
  }

  Node bracket() {
    Node out{next() == '[' ? Kind::List : next() == '{' ? Kind::Dict : Kind::Tuple, {}};
    const bool round = next() == '(';
    const std::size_t start = at_;
    if (++depth_ > kDeepest) return fail(), out;
    const bool comma = inside(out);
    --depth_;
    out.text = from(start);
    if (!round || comma || out.parts.size() != 1 || !out.parts[0].key.empty()) return out;
    Node only = std::move(out.parts[0]);
    return only;
  }

  // What stands between the bracket here and the one that closes it, into the node's parts. Whether a comma does.
  bool inside(Node& out) {
    const char close = next() == '(' ? ')' : next() == '[' ? ']' : '}';
    ++at_, ++open_;
    bool comma = false;
    while (!failed_) {
      skip();
      if (at_ >= text_.size()) fail();
      else if (next() == close) break;
      else element(out, close == '}');
      skip();
      if (next() == ',') ++at_, comma = true;
      else if (next() != close) fail();
    }
    ++at_;
    if (open_ > 0) --open_;
    return comma;
  }

  // a, k=a, a: type, a: type=b; of a dictionary a: b; of an index a:b:c
  void element(Node& out, bool dictionary) {
    const std::size_t start = at_;
    Node value = expression();
    skip();
    if (next() == ':' && dictionary) {
      out.parts.push_back(std::move(value));
      ++at_;
      out.parts.push_back(expression());
      return;
    }
    while (!failed_ && next() == ':') {
      ++at_;
      const std::string_view type = expression().text;
      if (out.kind == Kind::Call) value.type = type;
      else value.kind = Kind::Other, value.text = from(start);
      skip();
    }
    if (next() == '=') {
      if (value.kind != Kind::Name) fail();
      const std::string_view key = value.text, type = value.type;
      ++at_;
      value = expression();
      value.key = key, value.type = type;
    }
    if (value.text.empty()) fail();
    out.parts.push_back(std::move(value));
  }

  std::string_view text_;
  std::size_t at_ = 0, open_ = 0, depth_ = 0, nodes_ = 0;
  bool failed_ = false;
};

}  // namespace

std::vector<Statement> statements_of(std::string_view text) { return Reader(text).read(); }

std::optional<std::string_view> string_of(const Node& node) {
  if (node.kind != Kind::String || node.text.size() < 2) return std::nullopt;
  std::string_view text = node.text;
  while (text.front() != '"' && text.front() != '\'') text.remove_prefix(1);
  const std::size_t quotes = text.size() >= 6 && text[1] == text[0] && text[2] == text[0] ? 3 : 1;
  if (text.size() < 2 * quotes || text.find('\\') != std::string_view::npos) return std::nullopt;
  return text.substr(quotes, text.size() - 2 * quotes);
}

std::optional<Index> integer_of(const Node& node) {
  if (node.kind != Kind::Number) return std::nullopt;
  const std::string_view text = node.text.substr(node.text.starts_with('+') ? 1 : 0);
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

const Node* argument(const Node& call, std::string_view key) {
  for (std::size_t i = 1; i < call.parts.size(); ++i)
    if (call.parts[i].key == key) return &call.parts[i];
  return nullptr;
}

}  // namespace vl::python
