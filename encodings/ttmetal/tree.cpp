#include "encodings/ttmetal/tree.h"

#include <fmt/format.h>

#include <utility>

namespace vl::ttmetal {
namespace {

constexpr int kDeepest = 32;  // brackets in brackets; a printed TensorSpec has 8

Node take_value(Cursor& in, int depth);

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

char close_of(char open) { return open == '(' ? ')' : open == '[' ? ']' : '}'; }

// The character behind the next one; '\0' at the end.
char after_next(Cursor& in) {
  in.skip_space();
  return in.offset() + 1 < in.text().size() ? in.text()[in.offset() + 1] : '\0';
}

// a.b::c, and behind a '<' up to its '>'.
std::string take_name(Cursor& in) {
  std::string out(in.identifier("a value"));
  while (!in.failed()) {
    const std::string_view rest = in.text().substr(in.offset());
    const std::size_t dots = rest.starts_with("::") ? 2 : rest.starts_with(".") ? 1 : 0;
    if (dots != 0 && rest.size() > dots && starts_word(rest[dots])) {
      in.move_to(in.offset() + dots);
      out += rest.substr(0, dots);
      out += in.identifier("a name");
    } else if (rest.starts_with("<") && rest.find('>') != std::string_view::npos) {
      in.move_to(in.offset() + rest.find('>') + 1);
    } else {
      break;
    }
  }
  return out;
}

// "text" or 'text'.
std::string take_quoted(Cursor& in) {
  const char quote = in.peek();
  const std::size_t start = in.offset() + 1;
  const std::size_t end = in.text().find(quote, start);
  if (end == std::string_view::npos) {
    in.fail("the quote is not closed");
    return {};
  }
  in.move_to(end + 1);
  return std::string(in.text().substr(start, end - start));
}

// k = , .k = , "k": in front of a value; empty if there is none, and then nothing is taken.
std::string take_key(Cursor& in) {
  Cursor look = in;
  std::string key;
  const char first = look.peek();
  if (first == '"' || first == '\'') {
    key = take_quoted(look);
    if (!look.accept(":")) return {};
  } else {
    if (first == '.') look.accept(".");
    if (!starts_word(look.peek())) return {};
    key = look.identifier("a key");
    if (look.peek() != '=' || after_next(look) == '=') return {};
    look.accept("=");
  }
  if (!look.failed()) in.move_to(look.offset());
  return key;
}

// Up to the bracket that closes. ttnn 0.81.1 prints core ranges of a ShardSpec without their last brace,
// [{"start":{…},"end":{…}], so behind "end" it may be missing.
std::vector<Field> take_fields(Cursor& in, char close, int depth) {
  std::vector<Field> out;
  const std::string end(1, close);
  while (!in.failed() && !in.accept(end)) {
    if (!out.empty()) {
      if (out.back().key == "end" && close == '}') break;
      in.expect(",");
      if (in.accept(end)) break;
    }
    in.skip_space();
    const std::size_t at = in.offset();
    std::string key = take_key(in);
    Node value = take_value(in, depth + 1);
    out.push_back({std::move(key), std::move(value), at});
  }
  return out;
}

Node take_bracket(Cursor& in, int depth) {
  const char open = in.peek();
  Node out{Node::Kind::List, 0, {}, open, {}, in.offset()};
  in.accept(std::string(1, open));
  out.fields = take_fields(in, close_of(open), depth);
  // (a) is a, (a,) is a list.
  const bool comma = !in.failed() &&
                     in.text().substr(0, in.offset() - 1).find_last_not_of(" \n\t\r") != std::string_view::npos &&
                     in.text()[in.text().substr(0, in.offset() - 1).find_last_not_of(" \n\t\r")] == ',';
  if (open == '(' && out.fields.size() == 1 && out.fields[0].key.empty() && !comma) {
    Node inner = std::move(out.fields[0].value);
    return inner;
  }
  return out;
}

// A name or a call. What follows with a dot or an index makes it a name that nothing is known of.
Node take_named(Cursor& in, int depth) {
  Node out{Node::Kind::Name, 0, {}, '(', {}, 0};
  in.skip_space();
  out.offset = in.offset();
  out.name = take_name(in);
  if (!in.failed() && (in.peek() == '(' || in.peek() == '{')) {
    out.kind = Node::Kind::Call;
    out.open = in.peek();
    in.accept(std::string(1, out.open));
    out.fields = take_fields(in, close_of(out.open), depth);
  }
  bool more = false;
  for (char next = in.peek(); !in.failed() && (next == '[' || next == '.' || (more && next == '(')); next = in.peek()) {
    more = true;
    if (in.accept(".")) static_cast<void>(in.identifier("a name"));
    else if (next == '.') break;
    else in.accept(std::string(1, next)), take_fields(in, close_of(next), depth);
  }
  if (more)
    out = {Node::Kind::Name, 0, std::string(in.text().substr(out.offset, in.offset() - out.offset)), '(', {},
           out.offset};
  return out;
}

Node take_primary(Cursor& in, int depth) {
  const char next = in.peek();
  if (depth > kDeepest) in.fail("expected fewer brackets in brackets");
  if (in.failed()) return {};
  const std::size_t at = in.offset();
  if (is_digit(next) || (next == '-' && is_digit(after_next(in))))
    return {Node::Kind::Number, in.integer("a number"), {}, '(', {}, at};
  if (next == '"' || next == '\'') return {Node::Kind::Name, 0, take_quoted(in), '"', {}, at};
  if (next == '(' || next == '[' || next == '{') return take_bracket(in, depth);
  if (in.accept("*")) {  // Python's unpacked list: nobody knows how many values it has
    Node out = take_primary(in, depth + 1);
    return {Node::Kind::Name, 0, "*" + out.name, '(', {}, at};
  }
  return take_named(in, depth);
}

std::optional<Index> computed(std::string_view op, Index a, Index b) {
  if (op == "+") return checked_add(a, b);
  if (op == "*") return checked_mul(a, b);
  if (op == "-") return b == INT64_MIN ? std::nullopt : checked_add(a, -b);
  if (b <= 0) return std::nullopt;
  return op == "%" ? floor_mod(a, b) : floor_div(a, b);
}

// Of two numbers the number; (x=0,y=0) - (x=7,y=3) is a range; with a name in it, a name.
Node combined(Cursor& in, std::string_view op, Node a, Node b) {
  using Kind = Node::Kind;
  if (in.failed()) return a;
  if (a.kind == Kind::Number && b.kind == Kind::Number) {
    const auto value = computed(op, a.number, b.number);
    if (!value)
      in.fail(ErrorCode::Overflow, fmt::format("{} {} {} is not a number of 64 bits", a.number, op, b.number),
              a.offset);
    return {Kind::Number, value.value_or(0), {}, '(', {}, a.offset};
  }
  const std::size_t at = a.offset;
  if (op == "-" && a.kind == Kind::List && b.kind == Kind::List) {
    Node out{Kind::Call, 0, "CoreRange", '(', {}, at};
    out.fields.push_back({{}, std::move(a), at});
    out.fields.push_back({{}, std::move(b), at});
    return out;
  }
  return {Kind::Name, 0, a.kind == Kind::Name || a.kind == Kind::Call ? a.name : b.name, '(', {}, at};
}

Node take_product(Cursor& in, int depth) {
  Node out = take_primary(in, depth);
  while (!in.failed())
    for (const std::string_view op : {"//", "/", "*", "%"})
      if (in.accept(op)) {
        if (op == "/") out = {Node::Kind::Name, 0, out.name.empty() ? "a quotient" : out.name, '(', {}, out.offset};
        out = combined(in, op, std::move(out), take_primary(in, depth));
        break;
      } else if (op == "%") {
        return out;
      }
  return out;
}

Node take_sum(Cursor& in, int depth) {
  Node out = take_product(in, depth);
  while (!in.failed()) {
    const std::string_view op = in.accept("+") ? "+" : in.accept("-") ? "-" : "";
    if (op.empty()) break;
    out = combined(in, op, std::move(out), take_product(in, depth));
  }
  return out;
}

Node take_value(Cursor& in, int depth) {
  in.skip_space();
  const std::size_t start = in.offset();
  Node out = take_sum(in, depth);
  out.start = start, out.end = in.offset();
  return out;
}

}  // namespace

std::string_view Node::last() const {
  const std::size_t at = name.find_last_of(".:");
  return at == std::string::npos ? std::string_view(name) : std::string_view(name).substr(at + 1);
}

Node take_node(Cursor& in) { return take_value(in, 0); }

std::string without_comments(std::string_view text) {
  std::string out(text);
  for (std::size_t at = out.find('#'); at != std::string::npos; at = out.find('#', at))
    while (at < out.size() && out[at] != '\n') out[at++] = ' ';
  return out;
}

}  // namespace vl::ttmetal
