#include "encodings/map/text.h"

#include <fmt/format.h>

#include <limits>

namespace vl::map {
namespace {

std::string print_stage(const Affine& affine) {
  std::string rows;
  for (const Row& row : affine.rows) rows += (rows.empty() ? "" : ", ") + print(row);
  return fmt::format("affine({})", rows);
}

std::string print_stage(const Split& split) {
  return fmt::format("split({}; {})", split.input, fmt::join(split.weights, ", "));
}

std::string print_stage(const Swizzle& swizzle) {
  return fmt::format("swizzle({}; {}, {}, {}, {})", swizzle.input, swizzle.base, swizzle.bits, swizzle.shift,
                     swizzle.direction == Swizzle::Direction::Down ? "down" : "up");
}

// The start of the next token.
std::size_t place(Cursor& in) {
  in.skip_space();
  return in.offset();
}

std::vector<Dim> parse_dims(Cursor& in) {
  std::vector<Dim> dims;
  in.expect("(");
  while (!in.failed() && !in.accept(")")) {
    if (!dims.empty()) in.expect(",");
    Dim dim;
    dim.name = in.identifier("a dimension's name");
    in.expect(":");
    dim.extent = in.integer("an extent");
    if (in.accept("@")) {
      const std::size_t at = place(in);
      const auto unit = unit_of(in.identifier("a unit"));
      if (unit) dim.unit = *unit;
      if (!unit) in.fail(ErrorCode::Syntax, "expected a unit (element, byte, stick, word, core or lane)", at);
    }
    dims.push_back(std::move(dim));
  }
  return dims;
}

std::size_t parse_input(Cursor& in) {
  const std::size_t at = place(in);
  const Index input = in.integer("the number of an input");
  if (input < 0) in.fail(ErrorCode::Syntax, "the number of an input is not negative", at);
  return input < 0 ? 0 : index_of(input);
}

int parse_bits(Cursor& in, std::string_view what) {
  const std::size_t at = place(in);
  const Index bits = in.integer(what);
  if (bits < 0 || bits > 64) in.fail(ErrorCode::Value, fmt::format("{} must be in [0, 64]", what), at);
  return in.failed() ? 0 : static_cast<int>(bits);
}

// The input number behind the letter x, as one word: x12.
std::size_t parse_variable(Cursor& in) {
  const std::size_t at = place(in);
  const std::string_view word = in.identifier("an input such as x0");
  std::size_t number = 0;
  bool good = word.size() >= 2 && word.size() <= 7 && word[0] == 'x';
  for (const char c : word.substr(word.empty() ? 0 : 1)) {
    good = good && c >= '0' && c <= '9';
    number = good ? number * 10 + static_cast<std::size_t>(c - '0') : 0;
  }
  if (!good) in.fail(ErrorCode::Syntax, "expected an input such as x0", at);
  return number;
}

Row parse_row(Cursor& in) {
  Row row;
  bool first = true;
  while (!in.failed() && (first || in.peek() == '+' || in.peek() == '-')) {
    const bool minus = in.accept("-");
    if (!minus && !first) in.expect("+");
    first = false;
    const std::size_t at = place(in);
    // A sign belongs to the sum, so only a difference could spell the least 64-bit integer; it is refused.
    const bool is_variable = in.peek() == 'x';
    Index value = is_variable ? 1 : in.integer("a number or an input");
    if (minus && value == std::numeric_limits<Index>::min())
      in.fail(ErrorCode::Overflow, "the number does not fit in 64 bits", at);
    else if (minus) value = -value;
    if (is_variable || in.accept("*")) {
      row.terms.push_back(Term{parse_variable(in), value});
    } else if (const auto sum = checked_add(row.constant, value)) {
      row.constant = *sum;
    } else {
      in.fail(ErrorCode::Overflow, "the constant does not fit in 64 bits", at);
    }
  }
  return row;
}

std::optional<Stage> parse_stage(Cursor& in) {
  const std::size_t at = place(in);
  const std::string_view kind = in.identifier("a stage (affine, split or swizzle)");
  in.expect("(");
  if (kind == "affine") {
    Affine affine;
    while (!in.failed() && !in.accept(")")) {
      if (!affine.rows.empty()) in.expect(",");
      const std::size_t start = place(in);
      auto row = canonical(parse_row(in));
      if (!row) in.fail(row.error().code, row.error().message, start);
      if (row) affine.rows.push_back(std::move(*row));
    }
    return affine;
  }
  if (kind == "split") {
    Split split;
    split.input = parse_input(in);
    in.expect(";");
    do split.weights.push_back(in.integer("a weight"));
    while (in.accept(","));
    in.expect(")");
    return split;
  }
  if (kind == "swizzle") {
    Swizzle swizzle;
    swizzle.input = parse_input(in);
    in.expect(";");
    swizzle.base = parse_bits(in, "the base of a swizzle");
    in.expect(",");
    swizzle.bits = parse_bits(in, "the bits of a swizzle");
    in.expect(",");
    swizzle.shift = parse_bits(in, "the shift of a swizzle");
    in.expect(",");
    if (in.accept("up")) swizzle.direction = Swizzle::Direction::Up;
    else in.expect("down");
    in.expect(")");
    return swizzle;
  }
  in.fail(ErrorCode::Syntax, fmt::format("expected affine, split or swizzle, found '{}'", kind), at);
  return std::nullopt;
}

}  // namespace

std::string print(const Space& space) {
  std::string out;
  for (const Dim& dim : space.dims()) {
    out += fmt::format("{}{}:{}", out.empty() ? "" : ", ", dim.name, dim.extent);
    if (dim.unit != Unit::Element) out += fmt::format("@{}", name(dim.unit));
  }
  return fmt::format("({})", out);
}

std::string print(const Row& row) {
  std::string out;
  for (const Term& term : row.terms) {
    const bool minus = term.coefficient < 0;
    out += out.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
    // The magnitude is unsigned, because the least 64-bit integer has no positive counterpart.
    const auto magnitude =
        minus ? 0 - static_cast<std::uint64_t>(term.coefficient) : static_cast<std::uint64_t>(term.coefficient);
    out += magnitude == 1 ? fmt::format("x{}", term.input) : fmt::format("{}*x{}", magnitude, term.input);
  }
  if (out.empty()) return fmt::format("{}", row.constant);
  if (row.constant > 0) out += fmt::format(" + {}", row.constant);
  if (row.constant < 0) out += fmt::format(" - {}", 0 - static_cast<std::uint64_t>(row.constant));
  return out;
}

std::string print(const Stage& stage) {
  return std::visit([](const auto& s) { return print_stage(s); }, stage);
}

std::string print(const Map& map) {
  std::string out = print(map.domain());
  for (const Stage& stage : map.stages()) out += " -> " + print(stage);
  return out;
}

Result<Map> parse(std::string_view text) {
  Cursor in(text);
  std::vector<Dim> dims = parse_dims(in);
  std::vector<Stage> stages;
  while (!in.failed() && in.accept("->"))
    if (auto stage = parse_stage(in)) stages.push_back(std::move(*stage));
  in.expect_end();
  if (in.failed()) return in.error();
  auto domain = Space::create(std::move(dims));
  if (!domain) return domain.error();
  return Map::create(std::move(*domain), std::move(stages));
}

}  // namespace vl::map
