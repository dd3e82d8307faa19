#include "verifier/values_kernel/lemmas/statement.h"

#include <array>
#include <charconv>

#include "verifier/values_kernel/lemmas/circuits.h"

namespace vl::values_kernel {
namespace {

constexpr std::string_view kVariables = "xyzwabcd";

struct NamedOperator {
  std::string_view name;
  Operator by;
  std::size_t terms;
};
constexpr std::array kOperators = {
    NamedOperator{"add", Operator::Add, 2},
    NamedOperator{"mul", Operator::Mul, 2},
    NamedOperator{"fma", Operator::Fma, 3},
    NamedOperator{"satadd", Operator::Saturated, 2},
    NamedOperator{"max", Operator::Max, 2},
    NamedOperator{"min", Operator::Min, 2},
    NamedOperator{"maxn", Operator::MaxLoses, 2},
    NamedOperator{"minn", Operator::MinLoses, 2},
    NamedOperator{"maxx", Operator::MaxX86, 2},
    NamedOperator{"minx", Operator::MinX86, 2},
    NamedOperator{"widen", Operator::Widen, 1},
    NamedOperator{"narrow", Operator::Narrow, 1},
    NamedOperator{"exponent", Operator::Exponent, 1},
    NamedOperator{"plus", Operator::Sum, 2},
    NamedOperator{"bfp8", Operator::Packed8, 2},
    NamedOperator{"bfp4", Operator::Packed4, 2},
    NamedOperator{"bfp2", Operator::Packed2, 2},
    NamedOperator{"quiet", Operator::Quiet, 1},
    NamedOperator{"or", Operator::Or, 2},
    NamedOperator{"and", Operator::And, 2},
};

struct NamedTest {
  std::string_view name;
  Test test;
};
constexpr std::array kTests = {NamedTest{"nan", Test::Nan}, NamedTest{"snan", Test::Signalling},
                               NamedTest{"finite", Test::Finite}, NamedTest{"zero", Test::Zero},
                               NamedTest{"nonneg", Test::Nonnegative}};
constexpr std::array kRelations = {NamedTest{"=", Test::Same},   NamedTest{"=0", Test::SameOrZeros},
                                   NamedTest{"~", Test::Alike},  NamedTest{"~~", Test::AlikeZeros},
                                   NamedTest{"<", Test::Before}, NamedTest{"<=", Test::NotAfter}};

class StatementReader {
 public:
  StatementReader(const Format& wide, const Format& type, const std::string& text) : wide_(wide), type_(type) {
    std::string word;
    const auto end = [&] {
      if (!word.empty()) words_.push_back(std::exchange(word, {}));
    };
    for (const char letter : text) {
      if (letter == ' ' || letter == '(' || letter == ')' || letter == ',') end();
      else word += letter;
      if (letter == '(' || letter == ')' || letter == ',') words_.emplace_back(1, letter);
    }
    end();
  }

  LemmaStatement statement() {
    std::vector<Condition> all{condition()};
    bool implies = false;
    while (at_ < words_.size() && !implies) {
      implies = peek() == "=>";
      require(implies || peek() == "&", "a statement that is not written as one");
      ++at_;
      all.push_back(condition());
    }
    require(at_ == words_.size() && implies == (all.size() > 1), "a statement that is not written as one");
    Condition conclusion = std::move(all.back());
    all.pop_back();
    return {&wide_, &type_, std::move(all), std::move(conclusion)};
  }

 private:
  [[nodiscard]] std::string_view peek() const { return at_ < words_.size() ? words_[at_] : std::string_view(); }
  [[nodiscard]] bool calls() const { return at_ + 1 < words_.size() && words_[at_ + 1] == "("; }
  void expect(std::string_view word) {
    require(peek() == word, "a statement that is not written as one");
    ++at_;
  }

  Condition condition() {
    const bool negated = peek() == "not";
    if (negated) ++at_;
    for (const auto& [name, test] : kTests)
      if (peek() == name && calls()) {
        at_ += 2;
        Operand of = term(wide_);
        expect(")");
        return {negated, test, {std::move(of)}};
      }
    Operand left = term(wide_);
    const auto* found = std::ranges::find(kRelations, peek(), &NamedTest::name);
    require(found != kRelations.end(), "a condition without a relation");
    ++at_;
    Operand right = term(*left.format);
    require(right.format == left.format, "a relation of two formats");
    return {negated, found->test, {std::move(left), std::move(right)}};
  }

  // A constant is one of the format that is expected.
  Operand term(const Format& expected) {
    const auto* found = std::ranges::find(kOperators, peek(), &NamedOperator::name);
    if (found != kOperators.end() && calls()) {
      at_ += 2;
      const bool widens = found->by == Operator::Widen, narrows = found->by == Operator::Narrow;
      const Format& operands = widens ? type_ : wide_;
      Operand out{found->by, narrows ? &type_ : &wide_};
      for (std::size_t i = 0; i < found->terms; ++i) {
        if (i > 0) expect(",");
        out.of.push_back(term(operands));
        require(out.of.back().format == &operands, "an operand of another format");
      }
      expect(")");
      return out;
    }
    const std::string_view word = peek();
    ++at_;
    if (word.size() == 1 && kVariables.find(word) != std::string_view::npos) {
      const std::size_t place = kVariables.find(word);
      return {Operator::Variable, place < 4 ? &wide_ : &type_, place};
    }
    return {Operator::Constant, &expected, 0, constant(expected, word)};
  }

  static Code constant(const Format& format, std::string_view word) {
    const Code end = format.is_float ? (format.infinities ? format.first_nan - 1
                                        : format.one_zero ? format.sign() - 1
                                                          : format.first_nan - 1)
                                     : (format.is_signed ? format.sign() - 1 : format.mask());
    if (word == "+0") return 0;
    if (word == "1") return format.one();
    if (word == "highest") return end;
    if (word == "lowest") return format.is_signed ? format.sign() | (format.is_float ? end : 0) : 0;
    if (word == "-0" || word == "nan") require(format.is_float, "a code that the format does not have");
    if (word == "-0") require(!format.one_zero, "a code that the format does not have");
    if (word == "-0") return format.sign();
    if (word == "nan" && format.one_zero) return format.sign();
    if (word == "nan") return format.quiet(format.first_nan);
    Code out = 0;
    require(word.starts_with("0x"), "a word that is not known");
    const auto [stop, error] = std::from_chars(word.data() + 2, word.data() + word.size(), out, 16);
    require(error == std::errc{} && stop == word.data() + word.size() && out <= format.mask(),
            "a code that the format does not have");
    return out;
  }

  const Format &wide_, &type_;
  std::vector<std::string> words_;
  std::size_t at_ = 0;
};

// What circuits do with literals, done with codes. Truths are 1 and -1.
struct OnCodes {
  using Value = Code;
  static int truth(bool holds) { return holds ? 1 : -1; }
  static Code code(const Format&, Code code) { return code; }
  static int same(Code a, Code b) { return truth(a == b); }
  static int nan(const Format& f, Code a) { return truth(f.nan(a)); }
  static int signalling(const Format& f, Code a) { return truth(f.signalling(a)); }
  static int infinite(const Format& f, Code a) { return truth(f.infinite(a)); }
  static int zero(const Format& f, Code a) { return truth(f.zero(a)); }
  static int negative(const Format& f, Code a) { return truth(f.negative(a)); }
  static int before(const Format& f, Code a, Code b) { return truth(f.place(a) < f.place(b)); }
  static int both(int a, int b) { return std::min(a, b); }
  static int either(int a, int b) { return std::max(a, b); }
  static Code quiet(const Format& f, Code a) { return f.quiet(a); }
  static Code exponent_of(const Format& f, Code a) { return values_kernel::exponent_of(f, a); }
  static Code total(const Format& f, Code a, Code b) { return (a + b) & f.mask(); }
  static Code packed(const Format& f, unsigned width, Code a, Code shared) {
    return values_kernel::packed(f, width, a, shared);
  }
  static Code disjunction(Code a, Code b) { return a | b; }
  static Code conjunction(Code a, Code b) { return a & b; }
  static Code added(const Format& f, Code a, Code b) { return values_kernel::added(f, a, b); }
  static Code multiplied(const Format& f, Code a, Code b) { return values_kernel::multiplied(f, a, b); }
  static Code fused(const Format& f, Code a, Code b, Code c) { return values_kernel::fused(f, a, b, c); }
  static Code saturated(const Format& f, Code a, Code b) { return values_kernel::saturated(f, a, b); }
  static Code extreme(const Format& f, MaxRule rule, bool max, Code a, Code b) {
    return values_kernel::extreme(f, rule, max, a, b);
  }
  static Code converted(const Format& from, const Format& to, Code a) { return values_kernel::converted(from, to, a); }
};

template <class Domain>
typename Domain::Value value_of(Domain& in, const Operand& term, const std::vector<typename Domain::Value>& variables) {
  const Format& format = *term.format;
  const auto operand = [&](std::size_t i) { return value_of(in, term.of[i], variables); };
  switch (term.by) {
    case Operator::Variable: return variables[term.variable];
    case Operator::Constant: return in.code(format, term.constant);
    case Operator::Add: return in.added(format, operand(0), operand(1));
    case Operator::Mul: return in.multiplied(format, operand(0), operand(1));
    case Operator::Fma: return in.fused(format, operand(0), operand(1), operand(2));
    case Operator::Saturated: return in.saturated(format, operand(0), operand(1));
    case Operator::Max: return in.extreme(format, MaxRule::NanWins, true, operand(0), operand(1));
    case Operator::Min: return in.extreme(format, MaxRule::NanWins, false, operand(0), operand(1));
    case Operator::MaxLoses: return in.extreme(format, MaxRule::NanLoses, true, operand(0), operand(1));
    case Operator::MinLoses: return in.extreme(format, MaxRule::NanLoses, false, operand(0), operand(1));
    case Operator::MaxX86: return in.extreme(format, MaxRule::X86, true, operand(0), operand(1));
    case Operator::MinX86: return in.extreme(format, MaxRule::X86, false, operand(0), operand(1));
    case Operator::Exponent: return in.exponent_of(format, operand(0));
    case Operator::Sum: return in.total(format, operand(0), operand(1));
    case Operator::Packed8: return in.packed(format, 7, operand(0), operand(1));
    case Operator::Packed4: return in.packed(format, 3, operand(0), operand(1));
    case Operator::Packed2: return in.packed(format, 1, operand(0), operand(1));
    case Operator::Quiet: return in.quiet(format, operand(0));
    case Operator::Or: return in.disjunction(operand(0), operand(1));
    case Operator::And: return in.conjunction(operand(0), operand(1));
    case Operator::Widen:
    case Operator::Narrow: return in.converted(*term.of[0].format, format, operand(0));
  }
  throw Rejected("an operation that is not known");
}

template <class Domain>
int truth_of(Domain& in, const Condition& condition, const std::vector<typename Domain::Value>& variables) {
  const Format& format = *condition.of[0].format;
  const auto a = value_of(in, condition.of[0], variables);
  const auto b = condition.of.size() == 2 ? value_of(in, condition.of[1], variables) : a;
  int out = 0;
  switch (condition.test) {
    case Test::Nan: out = in.nan(format, a); break;
    case Test::Signalling: out = in.signalling(format, a); break;
    case Test::Finite: out = -in.either(in.nan(format, a), in.infinite(format, a)); break;
    case Test::Zero: out = in.zero(format, a); break;
    case Test::Nonnegative: out = in.either(in.nan(format, a), -in.negative(format, a)); break;
    case Test::Same: out = in.same(a, b); break;
    case Test::SameOrZeros:
    case Test::AlikeZeros:
    case Test::Alike:
      out = in.same(a, b);
      if (condition.test != Test::SameOrZeros) out = in.either(out, in.both(in.nan(format, a), in.nan(format, b)));
      if (condition.test != Test::Alike) out = in.either(out, in.both(in.zero(format, a), in.zero(format, b)));
      break;
    case Test::Before:
    case Test::NotAfter:
      out = condition.test == Test::Before ? in.before(format, a, b) : -in.before(format, b, a);
      out = in.both(-in.either(in.nan(format, a), in.nan(format, b)), out);
      break;
  }
  return condition.negated ? -out : out;
}

void find_variables(const Operand& term, std::vector<const Format*>& out) {
  if (term.by == Operator::Variable) out[term.variable] = term.format;
  for (const Operand& operand : term.of) find_variables(operand, out);
}

bool in_type(const Operand& term) {
  return term.by == Operator::Widen || term.by == Operator::Narrow ||
         (term.by == Operator::Variable && term.variable >= 4) || std::ranges::any_of(term.of, in_type);
}

bool all_true(const std::vector<Condition>& conditions, const Codes8& codes) {
  OnCodes in;
  return std::ranges::all_of(conditions, [&](const Condition& one) { return truth_of(in, one, codes) > 0; });
}

}  // namespace

std::vector<const Format*> LemmaStatement::variables() const {
  std::vector<const Format*> out(kVariables.size());
  for (const Condition& condition : hypotheses)
    for (const Operand& term : condition.of) find_variables(term, out);
  for (const Operand& term : conclusion.of) find_variables(term, out);
  return out;
}

bool LemmaStatement::uses_type() const {
  const auto uses = [](const Condition& condition) { return std::ranges::any_of(condition.of, in_type); };
  return std::ranges::any_of(hypotheses, uses) || uses(conclusion);
}

unsigned LemmaStatement::bits() const {
  unsigned out = 0;
  for (const Format* format : variables()) out += format == nullptr ? 0 : format->bits;
  return out;
}

LemmaStatement parse_statement(const Format& wide, const Format& type, const std::string& text) {
  return StatementReader(wide, type, text).statement();
}

Code value(const Operand& term, const Codes8& codes) {
  OnCodes in;
  return value_of(in, term, codes);
}
bool applies(const LemmaStatement& statement, const Codes8& codes) { return all_true(statement.hypotheses, codes); }
bool is_true(const LemmaStatement& statement, const Codes8& codes) {
  return !applies(statement, codes) || all_true({statement.conclusion}, codes);
}

namespace {

// Calls `look` with all codes, until it says that it has seen enough.
template <class Look>
void for_all(const LemmaStatement& statement, Look look) {
  const auto variables = statement.variables();
  const unsigned bits = statement.bits();
  require(bits <= 32, "codes that are too many to look at");
  Codes8 codes(variables.size());
  for (std::uint64_t point = 0; point >> bits == 0; ++point) {
    std::uint64_t rest = point;
    for (std::size_t i = 0; i < variables.size(); ++i)
      if (variables[i] != nullptr) codes[i] = rest & variables[i]->mask(), rest >>= variables[i]->bits;
    if (!look(codes)) return;
  }
}

}  // namespace

std::optional<Codes8> sweep(const LemmaStatement& statement, std::uint64_t& applied) {
  std::optional<Codes8> found;
  applied = 0;
  for_all(statement, [&](const Codes8& codes) {
    if (!applies(statement, codes)) return true;
    ++applied;
    OnCodes in;
    if (truth_of(in, statement.conclusion, codes) < 0) found = codes;
    return !found.has_value();
  });
  return found;
}

std::uint64_t count(const LemmaStatement& statement) {
  std::uint64_t out = 0;
  OnCodes in;
  for_all(statement, [&](const Codes8& codes) {
    if (applies(statement, codes) && truth_of(in, statement.conclusion, codes) > 0) ++out;
    return true;
  });
  return out;
}

namespace {

Clauses clauses_of(const LemmaStatement& statement, bool with_conclusion) {
  Circuits made;
  std::vector<Word> variables;
  std::vector<Number>& points = made.points.emplace_back();
  for (const Format* format : statement.variables()) {
    variables.push_back(format == nullptr ? Word{} : made.variable(format->bits));
    points.push_back({0, 0, variables.back()});
  }
  for (const Condition& condition : statement.hypotheses) made.add({truth_of(made, condition, variables)});
  if (with_conclusion) made.add({-truth_of(made, statement.conclusion, variables)});
  return made;
}

}  // namespace

Clauses encode(const LemmaStatement& statement) { return clauses_of(statement, true); }
Clauses encode_hypotheses(const LemmaStatement& statement) { return clauses_of(statement, false); }

}  // namespace vl::values_kernel
