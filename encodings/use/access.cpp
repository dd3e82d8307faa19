// The text is cut into clauses before the words that open one (`lanes`, `at`, `for`, …, outside brackets). Clauses may
// have any order; those with expressions are read last, when the variables of `for` are known.
#include "encodings/use/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "encodings/base/cursor.h"
#include "encodings/use/access_expressions.h"
#include "encodings/use/scan.h"

namespace vl::use {
namespace {

constexpr Index kMostLanes = 64;
constexpr Index kWidest = 16;
constexpr Index kRowBytes = 16;  // of a matrix instruction's lane
constexpr Index kLanesPerMatrix = 8;
constexpr std::size_t kMostConditions = 256;
constexpr std::array<std::string_view, 10> kOpeners = {"lanes", "width",    "at", "for",  "when",
                                                       "base",  "absolute", "tv", "load", "store"};

bool is_matrix(std::string_view word) { return word.starts_with("ldmatrix") || word.starts_with("stmatrix"); }

struct Clause {
  std::string_view opener;  // "matrix" of ldmatrix and stmatrix
  std::size_t begin = 0;    // of the opening word
  std::size_t end = 0;      // the beginning of the next clause
};

// The clauses of a text. Text before the first clause is an error, which the reader reports.
std::vector<Clause> clauses_of(std::string_view text) {
  std::vector<Clause> out;
  Index depth = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string_view word = text.substr(i, end - i);
    const auto* opener = std::ranges::find(kOpeners, word);
    if (depth == 0 && (opener != kOpeners.end() || is_matrix(word))) {
      if (!out.empty()) out.back().end = i;
      out.push_back({is_matrix(word) ? "matrix" : *opener, i, text.size()});
    }
    i = std::max(end, i + 1);
  }
  return out;
}

class Reader {
 public:
  Reader(std::string_view text, std::span<const std::string> sizes)
      : in_(text), clauses_(clauses_of(text)), sizes_(sizes) {}

  Result<Access> read() {
    check_clauses();
    variables_.push_back({"lane", 0});
    each("matrix", [&] { matrix(); });
    each("load", [&] { purpose("load", Purpose::Load); });
    each("store", [&] { purpose("store", Purpose::Store); });
    each("lanes", [&] { lanes(); });
    each("width", [&] { width(); });
    each("for", [&] { variables(); });
    add_sizes();
    each("base", [&] { base(); });
    each("absolute", [&] { absolute(); });
    each("tv", [&] { tv(); });
    if (!in_.failed()) check_whole();
    each("at", [&] { at(); });
    each("when", [&] { when(); });
    if (in_.failed()) return in_.error();
    return std::move(access_);
  }

 private:
  template <class Read>
  void each(std::string_view opener, const Read& read) {
    for (const Clause& clause : clauses_) {
      if (in_.failed() || clause.opener != opener) continue;
      clause_ = clause;
      in_.move_to(clause.begin);
      read();
      in_.skip_space();
      if (!in_.failed() && in_.offset() < clause.end)
        in_.fail(fmt::format("expected the next part of the access, found {}", in_.found()));
      if (!in_.failed() && in_.offset() > clause.end)  // "at=[lane" "for …": the bracket is still open
        in_.fail(ErrorCode::Syntax, fmt::format("'{}' is not complete", opener), clause.begin);
    }
  }

  [[nodiscard]] const Clause* find(std::string_view opener) const {
    const auto found = std::ranges::find(clauses_, opener, &Clause::opener);
    return found == clauses_.end() ? nullptr : &*found;
  }

  void check_clauses() {
    (void)in_.peek();
    if (clauses_.empty() || in_.offset() < clauses_[0].begin)
      in_.fail(fmt::format("expected lanes=, ldmatrix.x4 or another part of an access, found {}", in_.found()));
    for (const Clause& clause : clauses_)
      if (find(clause.opener)->begin != clause.begin)
        in_.fail(ErrorCode::Syntax, fmt::format("'{}' comes twice", clause.opener), clause.begin);
  }

  // Checks the clauses that depend on one another.
  void check_whole() {
    const Clause* matrix = find("matrix");
    const bool has_at = find("at") != nullptr;
    const auto missing = [&](std::string_view what) {
      in_.fail(ErrorCode::Syntax, fmt::format("expected {}", what), 0);
    };
    if (matrix == nullptr && find("lanes") == nullptr) missing("lanes=, the number of lanes, or a matrix instruction");
    if (matrix == nullptr && find("width") == nullptr) missing("width=, the bytes per lane");
    if (!has_at && access_.tv.empty()) missing("at=[…], the coordinate of each lane's first element, or tv=, a layout");
    if (has_at && !access_.tv.empty())
      in_.fail(ErrorCode::Syntax, "tv says already where lanes are", find("at")->begin);
    if (!access_.tv.empty() && find("for") != nullptr)
      in_.fail(ErrorCode::Value, "tv has its values as variable, and takes no other", find("for")->begin);
    if (access_.absolute && !access_.base)
      in_.fail(ErrorCode::Value, "absolute addresses need base=", find("absolute")->begin);
  }

  void matrix() {
    const std::size_t start = in_.offset();
    const std::string_view name = in_.dotted_name("an instruction");
    const std::string_view count =
        name.substr(std::min<std::size_t>(name.size(), std::string_view("ldmatrix.").size()));
    if (!in_.failed() && count != "x1" && count != "x2" && count != "x4")
      in_.fail(ErrorCode::Value, fmt::format("expected ldmatrix or stmatrix with .x1, .x2 or .x4, found '{}'", name),
               start);
    if (in_.failed()) return;
    access_.instruction = name;
    access_.lanes = kLanesPerMatrix * (count[1] - '0');
    access_.width = kRowBytes;
  }

  void purpose(std::string_view opener, Purpose purpose) {
    in_.expect(opener);
    if (!access_.instruction.empty())
      in_.fail(ErrorCode::Value, fmt::format("{} says already what it does", access_.instruction), clause_.begin);
    if (access_.purpose != Purpose::Unsaid) in_.fail(ErrorCode::Value, "an access is a load or a store", clause_.begin);
    access_.purpose = purpose;
  }

  Index number(std::string_view opener, std::string_view what) {
    in_.expect(opener);
    in_.expect("=");
    (void)in_.peek();
    value_at_ = in_.offset();
    return in_.integer(what);
  }

  // A number that a matrix instruction fixes may be repeated, but not changed.
  void keep(Index& target, Index value, std::string_view what) {
    if (!access_.instruction.empty() && value != target)
      in_.fail(ErrorCode::Value, fmt::format("{} has {} {}, not {}", access_.instruction, target, what, value),
               value_at_);
    target = value;
  }

  void lanes() {
    const Index value = number("lanes", "the number of lanes");
    if (value < 1 || value > kMostLanes)
      in_.fail(ErrorCode::Value, fmt::format("expected 1 to {} lanes, found {}", kMostLanes, value), value_at_);
    keep(access_.lanes, value, "lanes");
  }

  void width() {
    const Index value = number("width", "the bytes per lane");
    if (value < 1 || value > kWidest || !std::has_single_bit(static_cast<std::uint64_t>(value)))
      in_.fail(ErrorCode::Value, fmt::format("expected 1, 2, 4, 8 or 16 bytes per lane, found {}", value), value_at_);
    keep(access_.width, value, "bytes per lane");
  }

  void variables() {
    in_.expect("for");
    do {
      (void)in_.peek();
      const std::size_t at = in_.offset();
      const std::string name(in_.identifier("a variable"));
      if (std::ranges::find(variables_, name, &AccessVariable::name) != variables_.end())
        in_.fail(ErrorCode::Value, fmt::format("'{}' is taken", name), at);
      in_.expect("=");
      const Index begin = in_.integer("begin:end of the variable");
      in_.expect(":");
      const Index end = in_.integer("the variable's end");
      const auto extent = checked_mul(begin, -1).has_value() ? checked_add(end, -begin) : std::nullopt;
      if (!in_.failed() && begin >= end) in_.fail(ErrorCode::Value, fmt::format("{} takes no value", name), at);
      if (!in_.failed() && !extent) in_.fail(ErrorCode::Overflow, fmt::format("{} takes too many values", name), at);
      if (in_.failed()) return;
      variables_.push_back({name, begin});
      access_.first.push_back(begin);
      dims_.push_back({name, *extent});
    } while (in_.accept(","));
    make_space();
  }

  void make_space() {
    auto space = map::Space::create(dims_);
    if (space) access_.free = std::move(*space);
    else in_.fail(space.error().code, space.error().message, clause_.begin);
  }

  // The names of sizes that `at` has. In `when` they are not known.
  void add_sizes() {
    const Clause* at = find("at");
    if (at == nullptr || in_.failed()) return;
    clause_ = *at;
    const std::size_t begin = at->begin + at->opener.size();
    const std::string_view text = in_.text().substr(begin, at->end - begin);
    for (const std::string& name : sizes_) {
      const bool taken = std::ranges::find(variables_, name, &AccessVariable::name) != variables_.end() ||
                         std::ranges::find(kOpeners, name) != kOpeners.end();
      if (taken || !has_word(text, name)) continue;
      variables_.push_back({name, 0, true});
      access_.names.push_back(name), access_.first.push_back(0);
      dims_.push_back({name, 1});
    }
    if (!access_.names.empty()) make_space();
  }

  void base() {
    const Index value = number("base", "the bytes of which the start is a multiple");
    if (value < 1)
      in_.fail(ErrorCode::Value, fmt::format("expected a base of at least 1 byte, found {}", value), value_at_);
    access_.base = value;
  }

  void absolute() {
    in_.expect("absolute");
    access_.absolute = true;
  }

  void tv() {
    in_.expect("tv");
    in_.expect("=");
    (void)in_.peek();
    if (in_.failed()) return;
    std::string_view text = in_.text().substr(in_.offset(), clause_.end - std::min(clause_.end, in_.offset()));
    while (!text.empty() && (text.back() == ' ' || text.back() == '\n' || text.back() == '\t' || text.back() == '\r'))
      text.remove_suffix(1);
    if (text.empty()) in_.fail(fmt::format("expected a layout (thread, value) -> element, found {}", in_.found()));
    access_.tv = text;
    access_.tv_offset = in_.offset();
    in_.move_to(clause_.end);
  }

  // A number that may leave 64 bits is an error; this is known only when the ranges of the variables are.
  void check_range(const std::vector<map::Stage>& stages) {
    if (in_.failed()) return;
    auto domain = map::concatenate(*map::Space::create({{"lane", access_.lanes, map::Unit::Lane}}), access_.free);
    if (!domain) return in_.fail(domain.error().code, domain.error().message, clause_.begin);
    if (const auto map = map::Map::create(std::move(*domain), stages); !map)
      in_.fail(map.error().code, "a number of this expression does not fit in 64 bits", clause_.begin);
  }

  void at() {
    AccessExpressions expressions(variables_);
    std::vector<map::Row> rows;
    in_.expect("at");
    in_.expect("=");
    const bool round = in_.accept("(");
    if (!round) in_.expect("[");
    const std::string_view close = round ? ")" : "]";
    while (!in_.failed() && !in_.accept(close)) {
      rows.push_back(expressions.read(in_));
      if (map::Expression of_sizes = expressions.take_sizes(rows.back()); !access_.names.empty())
        access_.origin.push_back(std::move(of_sizes));
      if (in_.accept(",")) continue;
      in_.expect(close);
      break;
    }
    access_.at = expressions.stages(std::move(rows));
    check_range(access_.at);
  }

  void when() {
    AccessExpressions expressions(variables_);
    std::vector<map::Row> rows;
    in_.expect("when");
    const auto of_numbers = [&](map::Row row) {
      if (const auto sizes = expressions.take_sizes(row); sizes.number() != 0)
        in_.fail(ErrorCode::Value,
                 fmt::format("{} has no number: a condition is on lanes and variables of 'for'", map::print(sizes)),
                 clause_.begin);
      return row;
    };
    do {
      if (rows.size() == kMostConditions) in_.fail(fmt::format("expected at most {} conditions", kMostConditions));
      const map::Row left = of_numbers(expressions.read(in_));
      const auto compare = [&](std::string_view sign, Comparison comparison, bool swap, Index constant) {
        if (!in_.accept(sign)) return false;
        const map::Row right = of_numbers(expressions.read(in_));
        rows.push_back(expressions.difference(in_, swap ? right : left, swap ? left : right, constant));
        access_.conditions.push_back(comparison);
        return true;
      };
      if (!compare("<=", Comparison::AtMostZero, false, 0) && !compare("<", Comparison::AtMostZero, false, 1) &&
          !compare(">=", Comparison::AtMostZero, true, 0) && !compare(">", Comparison::AtMostZero, true, 1) &&
          !compare("==", Comparison::IsZero, false, 0) && !compare("!=", Comparison::IsNotZero, false, 0))
        in_.fail(fmt::format("expected a comparison, found {}", in_.found()));
    } while (in_.accept("and"));
    access_.when = expressions.stages(std::move(rows));
    check_range(access_.when);
  }

  Cursor in_;
  std::vector<Clause> clauses_;
  Clause clause_;
  std::size_t value_at_ = 0;
  std::vector<AccessVariable> variables_;
  std::vector<map::Dim> dims_;  // of all but the lane
  std::span<const std::string> sizes_;
  Access access_;
};

}  // namespace

Result<Access> parse_access(std::string_view text, std::span<const std::string> sizes) {
  return Reader(text, sizes).read();
}

}  // namespace vl::use
