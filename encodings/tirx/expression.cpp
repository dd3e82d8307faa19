#include "encodings/tirx/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "encodings/base/cursor.h"

namespace vl::tirx {
namespace {

constexpr int kDeepest = 200;  // of nesting; a chain of operators also nests

class ExpressionReader {
 public:
  explicit ExpressionReader(std::string_view text) : in_(text) {}

  Result<Node> read() {
    Node node = expression();
    in_.expect_end();
    if (in_.failed()) return in_.error();
    return node;
  }

 private:
  Node make(Node::Kind kind, std::size_t offset, std::string_view text, std::vector<Node> children) {
    Node node{kind, offset, text, 0, std::move(children), 1, offset};
    for (const Node& child : node.children) node.depth = std::max(node.depth, child.depth + 1);
    if (node.depth > kDeepest) too_deep(offset);
    return node;
  }
  void too_deep(std::size_t offset) {
    in_.fail(ErrorCode::Syntax, fmt::format("an expression of more than {} levels", kDeepest), offset);
  }
  std::size_t here() {
    in_.skip_space();
    return in_.offset();
  }

  Node expression() {
    static constexpr std::array<std::string_view, 2> kShifts = {"<<", ">>"};
    if (++open_ > kDeepest) too_deep(here());
    Node node = chain(kShifts, &ExpressionReader::sum);
    --open_;
    return node;
  }
  Node sum() {
    static constexpr std::array<std::string_view, 2> kSums = {"+", "-"};
    return chain(kSums, &ExpressionReader::product);
  }
  Node product() {
    static constexpr std::array<std::string_view, 5> kProducts = {"//", "*", "/", "%", "@"};
    return chain(kProducts, &ExpressionReader::unary);
  }

  Node chain(std::span<const std::string_view> operators, Node (ExpressionReader::*operand)()) {
    Node left = (this->*operand)();
    while (!in_.failed()) {
      const std::size_t at = here();
      const auto found = std::ranges::find_if(operators, [&](std::string_view token) { return in_.accept(token); });
      if (found == operators.end()) break;
      const std::size_t start = left.offset;
      std::vector<Node> both;
      both.push_back(std::move(left));
      both.push_back((this->*operand)());
      left = make(Node::Kind::Binary, start, *found, std::move(both));
      left.mark = at;
    }
    return left;
  }

  Node unary() {
    std::vector<std::pair<std::size_t, std::string_view>> signs;
    for (std::size_t at = here(); in_.peek() == '-' || in_.peek() == '+'; at = here()) {
      signs.emplace_back(at, in_.text().substr(at, 1));
      in_.move_to(at + 1);
      if (signs.size() > kDeepest) too_deep(at);
    }
    Node node = power();
    for (; !signs.empty(); signs.pop_back()) {
      std::vector<Node> one;
      one.push_back(std::move(node));
      node = make(Node::Kind::Unary, signs.back().first, signs.back().second, std::move(one));
    }
    return node;
  }

  // As in Python: -2**2 is -(2**2), 2**-1 has a sign in its exponent, 2**3**2 is 2**(3**2).
  Node power() {
    Node base = postfix();
    const std::size_t at = here();
    if (in_.failed() || !in_.accept("**")) return base;
    if (++open_ > kDeepest) too_deep(at);
    const std::size_t start = base.offset;
    std::vector<Node> both;
    both.push_back(std::move(base));
    both.push_back(in_.failed() ? Node{} : unary());
    --open_;
    Node node = make(Node::Kind::Binary, start, "**", std::move(both));
    node.mark = at;
    return node;
  }

  Node postfix() {
    Node node = atom();
    while (!in_.failed()) {
      const std::size_t at = node.offset;
      std::vector<Node> parts;
      if (in_.accept("(")) {
        parts.push_back(std::move(node));
        arguments(parts);
        node = make(Node::Kind::Call, at, {}, std::move(parts));
      } else if (in_.accept("[")) {
        parts.push_back(std::move(node));
        parts.push_back(index());
        in_.expect("]");
        node = make(Node::Kind::Subscript, at, {}, std::move(parts));
      } else if (in_.accept(".")) {
        parts.push_back(std::move(node));
        const std::string_view name = in_.identifier("an attribute");
        node = make(Node::Kind::Attribute, at, name, std::move(parts));
      } else {
        break;
      }
    }
    return node;
  }

  Node atom() {
    const std::size_t at = here();
    const char next = in_.peek();
    if (next >= '0' && next <= '9') {
      Node node = make(Node::Kind::Integer, at, {}, {});
      node.value = in_.integer("an integer");
      return node;
    }
    if (next == '"' || next == '\'') return quoted(at, next);
    if (next == '(' || next == '[') {
      in_.move_to(at + 1);
      return tuple(at, next == '(' ? ")" : "]");
    }
    if (next == '{') {
      in_.move_to(at + 1);
      return dictionary(at);
    }
    const std::string_view name = in_.dotted_name("a layout, a number or a name");
    Node node = make(name == "True" || name == "False" ? Node::Kind::Flag : Node::Kind::Name, at, name, {});
    node.value = name == "True" ? 1 : 0;
    return node;
  }

  Node quoted(std::size_t at, char quote) {
    const std::size_t end = in_.text().find(quote, at + 1);
    if (end == std::string_view::npos) {
      in_.fail(ErrorCode::Syntax, "the quote is not closed", at);
      return {};
    }
    in_.move_to(end + 1);
    return make(Node::Kind::Text, at, in_.text().substr(at + 1, end - at - 1), {});
  }

  // The rest behind '(' or '['. One value in round brackets without a comma is that value.
  Node tuple(std::size_t at, std::string_view close) {
    std::vector<Node> items;
    bool comma = close == "]";
    while (!in_.failed() && !in_.accept(close)) {
      items.push_back(expression());
      if (in_.accept(",")) comma = true;
      else if (in_.peek() != close.front()) in_.fail(fmt::format("expected ',' or '{}', found {}", close, in_.found()));
    }
    if (!comma && items.size() == 1) {
      Node only = std::move(items.front());
      return only;
    }
    return make(Node::Kind::Tuple, at, {}, std::move(items));
  }

  // The rest behind '{': pairs of a quoted text and a value.
  Node dictionary(std::size_t at) {
    std::vector<Node> items;
    while (!in_.failed() && !in_.accept("}")) {
      const std::size_t start = here();
      const char quote = in_.peek();
      if (quote != '"' && quote != '\'') in_.fail(fmt::format("expected a quoted name, found {}", in_.found()));
      const std::string_view key = in_.failed() ? std::string_view() : quoted(start, quote).text;
      if (!in_.failed()) in_.expect(":");
      std::vector<Node> one;
      if (!in_.failed()) one.push_back(expression());
      items.push_back(make(Node::Kind::Keyword, start, key, std::move(one)));
      if (!in_.accept(",") && in_.peek() != '}') in_.fail(fmt::format("expected ',' or '}}', found {}", in_.found()));
    }
    return make(Node::Kind::Dictionary, at, {}, std::move(items));
  }

  void arguments(std::vector<Node>& parts) {
    while (!in_.failed() && !in_.accept(")")) {
      const std::size_t at = here();
      Node value = expression();
      if (value.kind == Node::Kind::Name && in_.accept("=")) {
        const std::string_view keyword = value.text;
        std::vector<Node> one;
        one.push_back(expression());
        value = make(Node::Kind::Keyword, at, keyword, std::move(one));
      }
      parts.push_back(std::move(value));
      if (!in_.accept(",") && in_.peek() != ')') in_.fail(fmt::format("expected ',' or ')', found {}", in_.found()));
    }
  }

  // The rest behind '[' of a subscript: one item, or several as a tuple.
  Node index() {
    const std::size_t at = here();
    std::vector<Node> items;
    bool comma = false;
    if (in_.peek() == ']') in_.fail(fmt::format("expected an index, found {}", in_.found()));
    while (!in_.failed() && in_.peek() != ']') {
      items.push_back(item());
      if (!in_.accept(",")) break;
      comma = true;
    }
    if (!comma && items.size() == 1) {
      Node only = std::move(items.front());
      return only;
    }
    return make(Node::Kind::Tuple, at, {}, std::move(items));
  }
  Node item() {
    const std::size_t at = here();
    Node from = in_.peek() == ':' ? Node{} : expression();
    if (!in_.accept(":")) return from;
    std::vector<Node> ends;
    ends.push_back(std::move(from));
    const char next = in_.peek();
    ends.push_back(next == ']' || next == ',' ? Node{} : expression());
    return make(Node::Kind::Slice, at, {}, std::move(ends));
  }

  Cursor in_;
  int open_ = 0;  // expressions that are being read, each within the previous one
};

}  // namespace

Result<Node> read_expression(std::string_view text) { return ExpressionReader(text).read(); }

}  // namespace vl::tirx
