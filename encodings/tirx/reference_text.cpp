// Reads and computes in one pass, from left to right: the value of a part is known after its last character.
#include "encodings/tirx/reference_text.h"

#include <fmt/format.h>

#include <cstdint>

#include "encodings/base/cursor.h"

namespace vl::tirx::second {
namespace {

constexpr int kDeepest = 100;

// A number, a word, a list, n @ axis terms, or a layout.
struct Thing {
  enum class Kind { Number, Word, List, Terms, Layout } kind = Kind::Number;
  Index number = 0;
  std::string word;
  std::vector<Thing> list;
  std::map<std::string, Index> terms;
  Said said;
};

struct Argument {
  std::string label;
  Thing value;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : in_(text) {}

  Result<Said> read() {
    Thing thing = sum();
    in_.expect_end();
    if (thing.kind != Thing::Kind::Layout) in_.fail("expected a layout");
    if (in_.failed()) return in_.error();
    return std::move(thing.said);
  }

 private:
  using Kind = Thing::Kind;

  static Thing number(Index value) {
    Thing thing;
    thing.number = value;
    return thing;
  }
  Index checked(std::optional<Index> value) {
    if (!value) in_.fail(ErrorCode::Overflow, "a number does not fit in 64 bits", in_.offset());
    return value.value_or(0);
  }

  // Sums and differences; layouts take offsets and each other.
  Thing sum() {
    Thing left = product();
    while (!in_.failed()) {
      if (in_.accept("+")) left = add(std::move(left), product());
      else if (in_.accept("-")) left = number(checked(checked_add(need(left), -need(product()))));
      else break;
    }
    return left;
  }

  Index need(const Thing& thing) {
    if (thing.kind != Kind::Number) in_.fail("expected a number");
    return thing.number;
  }

  Thing add(Thing left, Thing right) {
    if (left.kind == Kind::Number && right.kind == Kind::Number)
      return number(checked(checked_add(left.number, right.number)));
    if (right.kind == Kind::Layout) std::swap(left, right);
    if (right.kind == Kind::Layout) {
      for (Triple& triple : right.said.d) left.said.d.push_back(std::move(triple));
      for (Triple& triple : right.said.r) left.said.r.push_back(std::move(triple));
      for (const auto& [axis, value] : right.said.o) into(left.said.o, axis, value);
      return left;
    }
    if (left.kind == Kind::Number) {
      left.kind = Kind::Terms;
      left.terms["m"] = left.number;
    }
    auto& sums = left.kind == Kind::Layout ? left.said.o : left.terms;
    if (right.kind == Kind::Number) into(sums, "m", right.number);
    for (const auto& [axis, value] : right.terms) into(sums, axis, value);
    return left;
  }
  void into(std::map<std::string, Index>& sums, const std::string& axis, Index value) {
    sums[axis] = checked(checked_add(sums[axis], value));
  }

  Thing product() {
    Thing left = signed_thing();
    while (!in_.failed()) {
      if (in_.accept("//")) left = number(quotient(need(left), need(signed_thing())));
      else if (in_.accept("*")) left = number(checked(checked_mul(need(left), need(signed_thing()))));
      else if (in_.accept("%")) {
        const Index a = need(left), b = need(signed_thing());
        left = number(a - quotient(a, b) * b);
      } else if (in_.accept("@")) {
        Thing term;
        term.kind = Kind::Terms;
        term.terms[axis(signed_thing())] = need(left);
        left = std::move(term);
      } else {
        break;
      }
    }
    return left;
  }
  // Rounds down, like Python.
  Index quotient(Index a, Index b) {
    if (b == 0 || b == -1) {
      if (b == 0) in_.fail("division by zero");
      return b == 0 ? 0 : checked(checked_mul(a, -1));
    }
    const Index whole = a / b;
    return whole * b != a && (a < 0) != (b < 0) ? whole - 1 : whole;
  }
  // -floor(-a / b), by whole steps of b.
  Index up(Index a, Index b) {
    if (b < 1) in_.fail("a divisor below 1");
    if (in_.failed()) return 0;
    const Index below = quotient(a, b);
    return below * b < a ? below + 1 : below;
  }
  std::string axis(const Thing& thing) {
    if (thing.kind != Kind::Word) in_.fail("expected an axis");
    return thing.word.substr(thing.word.rfind('.') + 1);
  }

  Thing signed_thing() {
    bool negative = false;
    while (in_.peek() == '-' || in_.peek() == '+') {
      negative = negative != (in_.peek() == '-');
      in_.move_to(in_.offset() + 1);
    }
    Thing thing = powered(atom());
    return negative ? number(checked(checked_mul(need(thing), -1))) : thing;
  }

  // a ** b ** c, and all signs in between: the exponents first.
  Thing powered(Thing first) {
    std::vector<Index> tower;
    while (!in_.failed() && in_.accept("**")) {
      if (tower.empty()) tower.push_back(need(first));
      Index sign = 1;
      for (; in_.peek() == '-' || in_.peek() == '+'; in_.move_to(in_.offset() + 1))
        if (in_.peek() == '-') sign = -sign;
      const Index next = need(atom());
      // A sign stands before the whole rest of the tower; only a sum of signs that is + has a meaning.
      if (sign < 0 && next != 0) in_.fail("a power with a negative exponent");
      tower.push_back(next);
    }
    if (tower.empty()) return first;
    Index exponent = tower.back();
    for (std::size_t k = tower.size() - 1; k-- > 0;) exponent = power(tower[k], exponent);
    return number(exponent);
  }
  // By squares: a^(2n) = (a²)^n.
  Index power(Index base, Index exponent) {
    if (exponent < 0) in_.fail("a power with a negative exponent");
    std::optional<Index> out = 1;
    for (std::optional<Index> square = base; out && exponent > 0; exponent /= 2) {
      if (exponent % 2 == 1) out = square ? checked_mul(*out, *square) : std::nullopt;
      if (exponent > 1) square = square ? checked_mul(*square, *square) : std::nullopt;
    }
    return checked(out);
  }

  Thing atom() {
    if (++depth_ > kDeepest) in_.fail("too deep");
    Thing thing;
    const char next = in_.peek();
    if (next == '(' || next == '[') {
      in_.move_to(in_.offset() + 1);
      thing = list(next == '(' ? ")" : "]", next == '[');
    } else if (next == '"' || next == '\'') {
      in_.move_to(in_.offset() + 1);
      thing.kind = Kind::Word;
      thing.word = in_.identifier("an axis");
      in_.expect(std::string_view(&next, 1));
    } else if (next >= '0' && next <= '9') {
      thing = number(in_.integer("a number"));
    } else {
      thing = named(std::string(in_.dotted_name("a layout or a name")));
    }
    --depth_;
    return thing;
  }

  Thing list(std::string_view close, bool always) {
    Thing thing;
    thing.kind = Kind::List;
    bool comma = always;
    while (!in_.failed() && !in_.accept(close)) {
      thing.list.push_back(sum());
      if (in_.accept(",")) comma = true;
    }
    if (comma || thing.list.size() != 1) return thing;
    Thing only = std::move(thing.list.front());
    return only;
  }

  Thing named(const std::string& dotted) {
    const std::string name = dotted.substr(dotted.rfind('.') + 1);
    if (name == "S" || name == "R") return iters(name == "S");
    if (name == "from_iters") return no_iters();
    if ((name == "int32" || name == "int64") && in_.accept("(")) {
      const Index value = need(sum());
      in_.expect(")");
      if (name == "int32" && (value < INT32_MIN || value > INT32_MAX)) in_.fail("a number beyond 32 bits");
      return number(value);
    }
    if (name == "ceil" && in_.accept("(")) {  // the one place of a '/'
      const Index a = need(product());
      in_.expect("/");
      const Index b = need(signed_thing());
      in_.expect(")");
      return number(up(a, b));
    }
    if ((name == "ceildiv" || name == "floordiv" || name == "floormod" || name == "min" || name == "max") &&
        in_.accept("(")) {
      const Index a = need(sum());
      in_.expect(",");
      const Index b = need(sum());
      in_.expect(")");
      if (name == "min" || name == "max") return number((name == "min") == (a < b) ? a : b);
      if (b < 1) in_.fail("a divisor below 1");
      if (in_.failed()) return number(0);
      return number(name == "ceildiv" ? up(a, b) : name == "floordiv" ? quotient(a, b) : a - quotient(a, b) * b);
    }
    if (name == "TileLayout" || name == "SwizzleLayout" || name == "ComposeLayout") return made(name);
    Thing word;
    word.kind = Kind::Word;
    word.word = dotted;
    return word;
  }

  // (), or (offset={"axis": number, …}).
  Thing no_iters() {
    Thing thing;
    thing.kind = Kind::Layout;
    thing.said.tile = true;
    in_.expect("(");
    if (in_.accept(")")) return thing;
    in_.expect("offset");
    in_.expect("=");
    in_.expect("{");
    while (!in_.failed() && !in_.accept("}")) {
      const Thing on = sum();
      in_.expect(":");
      thing.said.o[axis(on)] = need(sum());
      in_.accept(",");
    }
    in_.expect(")");
    return thing;
  }

  // [extents : strides], [extents] or [e, e, …].
  Thing iters(bool shard) {
    in_.expect("[");
    std::vector<Thing> extents{sum()};
    while (!in_.failed() && in_.accept(",") && in_.peek() != ']') extents.push_back(sum());
    if (extents.size() == 1 && extents[0].kind == Kind::List) extents = std::vector<Thing>(extents[0].list);
    std::vector<Triple> triples;
    triples.reserve(extents.size());
    for (const Thing& extent : extents) triples.push_back({need(extent), 0, "m"});
    if (in_.accept(":")) {
      Thing strides = sum();
      std::vector<Thing> each = strides.kind == Kind::List ? strides.list : std::vector<Thing>{strides};
      if (each.size() != triples.size()) in_.fail("extents and strides differ in number");
      for (std::size_t k = 0; !in_.failed() && k < each.size(); ++k) stride(each[k], triples[k]);
    } else {
      Index next = 1;
      for (std::size_t k = triples.size(); k-- > 0; next = checked(checked_mul(next, triples[k].extent)))
        triples[k].stride = next;
    }
    in_.expect("]");
    Thing thing;
    thing.kind = Kind::Layout;
    thing.said.tile = true;
    (shard ? thing.said.d : thing.said.r) = std::move(triples);
    return thing;
  }

  void stride(const Thing& said, Triple& triple) {
    if (said.kind == Kind::Number) {
      triple.stride = said.number;
    } else if (said.kind == Kind::Word) {
      triple.stride = 1;
      triple.axis = axis(said);
    } else if (said.kind == Kind::List && said.list.size() == 2) {
      triple.stride = need(said.list[0]);
      triple.axis = axis(said.list[1]);
    } else if (said.kind == Kind::Terms && said.terms.size() == 1) {
      triple.axis = said.terms.begin()->first;
      triple.stride = said.terms.begin()->second;
    } else {
      in_.fail("expected a stride");
    }
  }

  // A constructor: layouts among its arguments are tile and swizzle, numbers are the swizzle's three, a word is the
  // direction.
  Thing made(const std::string& name) {
    Thing thing;
    thing.kind = Kind::Layout;
    Said& said = thing.said;
    std::vector<Index> numbers;
    bool inner = true;
    in_.expect("(");
    while (!in_.failed() && !in_.accept(")")) {
      Argument argument{"", sum()};
      if (argument.value.kind == Kind::Word && in_.accept("=")) argument = {argument.value.word, sum()};
      if (argument.value.kind == Kind::Number) {
        const std::size_t place = argument.label == "per_element"   ? 0
                                  : argument.label == "swizzle_len" ? 1
                                  : argument.label == "atom_len"    ? 2
                                                                    : numbers.size();
        if (numbers.size() <= place) numbers.resize(place + 1);
        numbers[place] = argument.value.number;
      } else if (argument.value.kind == Kind::Word) {
        inner = argument.value.word != "False";
        if (argument.value.word != "False" && argument.value.word != "True") in_.fail("expected numbers");
      } else if (argument.value.kind == Kind::Layout) {
        if (argument.value.said.tile) {
          std::optional<Xor> before = said.swizzle;
          said = std::move(argument.value.said);
          if (!said.swizzle) said.swizzle = before;
        } else {
          said.swizzle = argument.value.said.swizzle;
        }
      }
      in_.accept(",");
    }
    if (numbers.size() == 3) said.swizzle = Xor{numbers[0], numbers[1], numbers[2], inner};
    else if (!numbers.empty() || (name != "TileLayout" && !said.swizzle)) in_.fail("expected three numbers");
    return thing;
  }

  Cursor in_;
  int depth_ = 0;
};

}  // namespace

Result<Said> read_said(std::string_view text) { return Reader(text).read(); }

}  // namespace vl::tirx::second
