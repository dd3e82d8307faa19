// The tuples of CuTe's texts, before shapes and strides are put together (reader.h has their grammar).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "encodings/base/cursor.h"
#include "encodings/map/rule.h"
#include "encodings/use/named_sizes.h"

namespace vl::cute {

constexpr int kDeepest = 64;
constexpr std::size_t kMostLeaves = 256;

/// A tuple or an integer, before shapes and strides are put together.
template <class Number>
struct Item {
  bool leaf = true;
  Number value = 0;
  bool fixed = false;  // _4, Int<4> or C<4>: known when CuTe is compiled
  std::vector<Item> items = {};
};

/// Number: Index, or map::Expression.
template <class Number>
class TupleReader {
 protected:
  static constexpr bool kHasNames = std::is_same_v<Number, map::Expression>;
  using Item = cute::Item<Number>;

  explicit TupleReader(std::string_view text) : in_(text) {}

  void say(std::string why) {
    if (symbolic_.empty()) symbolic_ = std::move(why);
  }

  bool word(std::string_view name) {
    if (in_.accept(name)) return true;
    const std::size_t start = in_.offset();
    if (in_.accept("cute") && (in_.accept("::") || in_.accept(".")) && in_.accept(name)) return true;
    in_.move_to(start);
    return false;
  }
  // A word with a bracket behind it; others may be names of sizes.
  bool called(std::string_view name, std::string_view brackets = "(<") {
    const std::size_t start = in_.offset();
    if (word(name) && brackets.find(in_.peek()) != std::string_view::npos && in_.peek() != '\0') return true;
    in_.move_to(start);
    return false;
  }
  bool one_of(std::span<const std::string_view> names) {
    return std::ranges::any_of(names, [&](std::string_view name) { return word(name); });
  }
  void braces() {
    if (in_.accept("{")) in_.expect("}");
  }

  Item tuple() {
    if (++depth_ > kDeepest) in_.fail("a tuple that nests too deep");
    Item out;
    constexpr std::array<std::string_view, 9> kNames = {"make_shape", "make_stride", "make_tuple", "Shape", "Stride",
                                                        "Step",       "Tile",        "tuple",      "Coord"};
    const char first = in_.peek();
    const std::size_t start = in_.offset(), named = named_.size();
    if (first == '(') {
      out = items("(", ")");
      if (std::string_view("*/%+-").find(in_.peek()) != std::string_view::npos && in_.peek() != '\0') {  // (M + 1)*2
        in_.move_to(start);
        named_.resize(named);
        out = leaf();
      }
    } else if (first == '[') {
      out = items("[", "]");
    } else if (std::ranges::any_of(kNames, [&](std::string_view name) { return called(name); })) {
      out = in_.peek() == '<' ? items("<", ">") : items("(", ")");
      braces();
    } else {
      out = leaf();
    }
    --depth_;
    return out;
  }
  Item leaf() {
    if (++leaves_ > 2 * kMostLeaves) in_.fail(ErrorCode::Value, "more than 256 modes", in_.offset());
    return integer();
  }

  // A comma behind the last item is Python's.
  Item items(std::string_view open, std::string_view close) {
    Item out;
    out.leaf = false;
    in_.expect(open);
    while (!in_.failed() && !in_.accept(close)) {
      out.items.push_back(tuple());
      if (!in_.accept(",")) {
        in_.expect(close);
        break;
      }
    }
    return out;
  }

  Item integer() {
    if (in_.accept("?")) {
      say("'?' is a dynamic integer: no number is known for it");
      if (in_.accept("{")) {
        bool divisor = in_.accept("div");
        if (!divisor) {
          static_cast<void>(in_.identifier("a type, as in ?{i64}"));
          divisor = in_.accept("div");
        }
        if (divisor) in_.expect("="), static_cast<void>(in_.integer("a divisor"));
        in_.expect("}");
      }
      return {.value = 1};
    }
    Item out;
    if (called("Int", "<") || called("C", "<")) {
      in_.expect("<");
      out.value = number();
      out.fixed = true;
      in_.expect(">");
      braces();
    } else if (in_.peek() == '_' && begins_number(in_.offset() + 1)) {
      in_.move_to(in_.offset() + 1);
      out.value = in_.integer("an integer");
      out.fixed = true;
      braces();
    } else {
      out.value = number();
    }
    while (!in_.failed() && in_.accept("@")) {
      static_cast<void>(in_.integer("a mode"));
      say("a stride with '@' counts coordinates, not places");
    }
    return out;
  }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
  [[nodiscard]] bool begins_number(std::size_t at) const {
    const char next = at < in_.text().size() ? in_.text()[at] : '\0';
    const char then = at + 1 < in_.text().size() ? in_.text()[at + 1] : '\0';
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    return is_digit(next) || (next == '-' && is_digit(then));
  }

  // An integer, or an expression.
  Number number() {
    const char first = in_.peek();
    const std::size_t start = in_.offset();
    if (first == '_' && !in_.failed()) {
      in_.move_to(start + 1);
      in_.fail("expected digits behind '_'");
    }
    if (!is_letter(first) && first != '(' && first != '-' && !begins_number(start))
      in_.fail("expected an integer, found " + in_.found());
    if (begins_number(start)) {
      const Index value = in_.integer("an integer");
      const char next = in_.peek();
      if (next == '\0' || std::string_view("+-*/%").find(next) == std::string_view::npos) return value;
      in_.move_to(start);
    }
    map::Expression read = map::take_c_expression(in_);
    if (in_.failed()) return 0;
    std::vector<std::string> names;
    map::add_names(read, names);
    if constexpr (kHasNames) {
      const std::size_t end = in_.text().find_last_not_of(" \t\r\n", in_.offset() - 1);
      named_.push_back({start, end + 1, read});
      return read;
    } else {
      if (!names.empty()) say(fmt::format("'{}' is a name, not a number", names.front()));
      return read.number().value_or(1);
    }
  }
  static std::optional<Index> number_of(const Number& value) {
    if constexpr (kHasNames) return value.number();
    else return value;
  }

  Cursor in_;
  std::string symbolic_;               // what of the text is no number
  std::vector<use::NamedSize> named_;  // its expressions, in order

 private:
  int depth_ = 0;
  std::size_t leaves_ = 0;
};

}  // namespace vl::cute
