#include "oracle/fuzz/neutral/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "encodings/base/check.h"
#include "verifier/neutral/row_laws.h"

namespace vl::oracle {
namespace {

using neutral::Question;

constexpr std::uint64_t kQuestions = 0x6e657574, kRows = 0x726f7773, kImages = 0x696d6167;

// In the shares in which they are drawn.
constexpr auto kOperations = std::to_array<neutral::Operation>(
    {neutral::Operation::Sum, neutral::Operation::Sum, neutral::Operation::Dot, neutral::Operation::Dot,
     neutral::Operation::Max, neutral::Operation::Max, neutral::Operation::Min, neutral::Operation::Prod,
     neutral::Operation::SumOfSquares, neutral::Operation::SumOfSquares, neutral::Operation::Any,
     neutral::Operation::All});

// One group in four has a layout, if it is not too large. Of the others a third is about rows.
bool has_image(std::uint64_t group) { return group % 4 == 3; }

constexpr auto kRowOperations = std::to_array<neutral::Operation>(
    {neutral::Operation::Mean, neutral::Operation::LayerNorm, neutral::Operation::RmsNorm, neutral::Operation::Variance,
     neutral::Operation::Welford, neutral::Operation::Softmax, neutral::Operation::LogSumExp,
     neutral::Operation::ArgMax, neutral::Operation::ArgMin, neutral::Operation::TopK, neutral::Operation::TopKIndices,
     neutral::Operation::Sort, neutral::Operation::SortDescending, neutral::Operation::CumSum,
     neutral::Operation::CumSumReverse});

template <class T, std::size_t N>
T one_of(const std::array<T, N>& words, Random& random) {
  return words[random.below(N)];
}

Format drawn_type(Random& random) {
  constexpr auto kTypes = std::to_array<std::string_view>({"f16", "f16", "f16", "bf16", "bf16", "f32", "f32", "f64",
                                                           "dl16", "dl16", "f8e4m3", "f8e5m2", "f8e4m3fnuz",
                                                           "f8e5m2fnuz", "i8", "u8", "i16", "i32", "i64"});
  return *values::find_format(one_of(kTypes, random));
}

// The type itself, or one that has all of its numbers.
Format drawn_accumulator(const Format& type, Random& random) {
  std::vector<Format> wider;
  for (const Format& format : values::formats())
    if (format.is_float() == type.is_float() && values::is_exact(type, format)) wider.push_back(format);
  if (wider.empty() || random.chance(60)) return type;
  return wider[random.below(wider.size())];
}

CodeSet interval(const Format& type, Random& random) {
  const CodeSet numbers = nans(type).complement(type);
  std::array<std::int64_t, 2> ends{};
  const auto telling = telling_codes_of(type);
  for (std::int64_t& end : ends) {
    Code code = random.chance(60) ? telling[random.below(telling.size())] : any_of(numbers, random);
    if (is_nan(type, code)) code = 0;
    end = order(type, code);
  }
  return numbers_between(type, std::min(ends[0], ends[1]), std::max(ends[0], ends[1]));
}

CodeSet drawn_contents(const Format& type, Random& random) {
  const Index kind = random.between(1, 100);
  const bool is_float = type.is_float();
  if (is_float && kind > 40 && kind <= 55) return finite_codes(type);
  if (is_float && kind > 55 && kind <= 65) return nans(type).complement(type);
  if (is_float && kind > 65 && kind <= 72 && has_negative_zero(type))
    return CodeSet::of(negative_zero(type)).complement(type);
  if (kind > 72 && kind <= 90) return interval(type, random);
  if (kind > 90) {
    const auto telling = telling_codes_of(type);
    CodeSet out;
    for (Index k = random.between(1, 3); k > 0; --k)
      out = out.united(CodeSet::of(telling[random.below(telling.size())]));
    return out;
  }
  return CodeSet::all(type);
}

// Half of the questions flush, round or saturate in another way than IEEE.
values::Mode drawn_mode(Random& random) {
  using enum values::Flush;
  using enum values::Rounding;
  values::Mode out;
  if (random.chance(50)) return out;
  out.flush = one_of(std::to_array({None, Results, Results, Both, Both}), random);
  out.rounding = one_of(std::to_array({NearestEven, NearestEven, NearestAway, TowardZero}), random);
  out.integers = random.chance(50) ? values::Integers::Saturate : values::Integers::Wrap;
  return out;
}

void draw_rules(Question& out, Random& random) {
  using neutral::Ties;
  if (neutral::is_ordering(out.operation)) {
    out.accumulate = out.type;
    out.ties = one_of(std::to_array({Ties::First, Ties::First, Ties::Last, Ties::Unspecified}), random);
  } else {
    out.divide = random.chance(20) ? neutral::Divide::Padded : neutral::Divide::Logical;
  }
  const bool top = out.operation == neutral::Operation::TopK || out.operation == neutral::Operation::TopKIndices;
  if (top) out.k = static_cast<unsigned>(random.between(1, 3));
  const bool placed = neutral::is_ordering(out.operation) || out.operation == neutral::Operation::CumSum ||
                      out.operation == neutral::Operation::CumSumReverse;
  if (placed && random.chance(50)) out.pads = neutral::Pads::After;
}

Question drawn_question(Random& random, bool may_be_row) {
  using values::MaxRule;
  constexpr auto kMaxRules =
      std::to_array<MaxRule>({MaxRule::NanWins, MaxRule::NanWins, MaxRule::NanLoses, MaxRule::X86});
  constexpr auto kEqual = std::to_array<neutral::Equality>({neutral::Equality::AnyNan, neutral::Equality::AnyNan,
                                                            neutral::Equality::Bits, neutral::Equality::AnyNanAndZero});
  for (;;) {
    Question out;
    const bool row = may_be_row && random.chance(33);
    out.operation = row ? one_of(kRowOperations, random) : one_of(kOperations, random);
    out.type = drawn_type(random);
    out.accumulate = drawn_accumulator(out.type, random);
    if (row) draw_rules(out, random);
    out.start = random.chance(50)   ? neutral::Start::First
                : random.chance(80) ? neutral::Start::Zero
                                    : neutral::Start::MinusZero;
    if (!row) out.mode = drawn_mode(random);
    out.tree = random.chance(50) ? neutral::Tree::Any : neutral::Tree::Sequential;
    out.max = one_of(kMaxRules, random);
    out.fused = !row && random.chance(30);
    out.equal = one_of(kEqual, random);
    out.contents = drawn_contents(out.type, random);
    if (neutral::misfit(out).empty()) return out;
  }
}

// What the laws say is neutral, for fills at its border. Whether they are right is what the campaign is about.
CodeSet claimed_neutral(const Question& question) {
  if (question.operation == neutral::Operation::Mean || is_list(question.operation))
    return neutral::neutral_codes_of_rows(question).codes;
  const auto found = neutral::neutral_codes(question);
  return found ? found->codes : CodeSet();
}

CodeSet at_the_border(const Format& type, const CodeSet& claimed, Random& random) {
  const auto ends = ends_of(claimed);
  if (ends.empty()) return CodeSet::of(any_of(CodeSet::all(type), random));
  const Code end = ends[random.below(ends.size())];
  const auto beside = neighbours_of(type, end);
  return CodeSet::of(random.chance(30) ? end : beside[random.below(beside.size())]);
}

CodeSet named_state(const Question& question, Random& random) {
  const Format& type = question.type;
  switch (random.between(1, 6)) {
    case 1: return CodeSet::all(type);
    case 2: return finite_codes(type);
    case 3: return zeros(type);
    case 4: return has_nan(type) ? nans(type) : CodeSet::of(0);
    case 5: return CodeSet::of(0);
    default: return question.contents;
  }
}

CodeSet drawn_fill(const Question& question, const CodeSet& claimed, Random& random) {
  const Format& type = question.type;
  const auto telling = telling_codes_of(type);
  const auto some = [&] { return CodeSet::of(telling[random.below(telling.size())]); };
  const Index kind = random.between(1, 100);
  if (kind <= 20 && !claimed.empty()) return claimed;
  if (kind <= 40) return at_the_border(type, claimed, random);
  if (kind <= 50) return claimed.united(at_the_border(type, claimed, random));
  if (kind <= 62 && !claimed.empty()) return CodeSet::of(any_of(claimed, random));
  if (kind <= 75) return some();
  if (kind <= 80) return some().united(some());
  if (kind <= 85) return CodeSet::of(any_of(CodeSet::all(type), random));
  return named_state(question, random);
}

CodeSet drawn_side(const Question& question, Random& random) {
  const Format& type = question.type;
  const Index kind = random.between(1, 100);
  if (kind <= 30) return zeros(type);
  if (kind <= 45) return CodeSet::of(has_negative_zero(type) && random.chance(40) ? negative_zero(type) : 0);
  if (kind <= 60) return finite_codes(type);
  if (kind <= 70) return numbers_between(type, 0, random.between(0, 3));
  if (kind <= 80) return named_state(question, random);
  const auto telling = telling_codes_of(type);
  return CodeSet::of(telling[random.below(telling.size())]);
}

std::size_t few(Random& random) {
  const Index kind = random.between(1, 100);
  return kind <= 45 ? 1 : kind <= 75 ? 2 : kind <= 90 ? 3 : static_cast<std::size_t>(random.between(4, 9));
}

// A dense row-major layout.
map::Layout dense(const std::vector<Index>& extents) {
  map::LayoutParts parts;
  parts.logical = *map::Space::create(map::Space::dims("x", extents));
  parts.physical = *map::Space::create({{"s", parts.logical.volume()}});
  parts.map = {map::Affine{{map::row_major_number(parts.logical)}}};
  return *map::Layout::create(std::move(parts));
}

}  // namespace

bool is_tree(neutral::Operation operation) { return std::ranges::find(kOperations, operation) != kOperations.end(); }
bool is_list(neutral::Operation operation) {
  return operation != neutral::Operation::Mean && neutral::is_row(operation) && is_covered(operation);
}
bool is_covered(neutral::Operation operation) {
  return std::ranges::find(kRowOperations, operation) != kRowOperations.end() || is_tree(operation);
}

ops::Operation operation_of(neutral::Operation operation) {
  const auto found = ops::find_operation(neutral::name(operation));
  VL_CHECK(is_covered(operation) && !is_list(operation) && found.has_value(),
           "an operation that the evaluator does not have");
  return *found;
}

ops::Arithmetic arithmetic_of(const Question& question) {
  ops::Arithmetic out{question.accumulate};
  out.start = question.start;
  out.mode = question.mode;
  out.max = question.max;
  out.fused = question.fused;
  return out;
}

NeutralQuestion question_of(std::uint64_t seed, std::uint64_t group) {
  Random random(seed, kQuestions, group);
  NeutralQuestion out{drawn_question(random, !has_image(group)), {}, {}};
  if (out.question.operation == neutral::Operation::Dot) {
    out.fill = drawn_side(out.question, random);
    out.second = drawn_side(out.question, random);
  } else {
    out.fill = drawn_fill(out.question, claimed_neutral(out.question), random);
  }
  return out;
}

std::optional<NeutralImage> image_of(const NeutralQuestion& asked, std::uint64_t seed, std::uint64_t group) {
  if (!has_image(group)) return std::nullopt;
  Random random(seed, kImages, group);
  const auto families = campaign_families();
  const use::Family& family = *families[group / 4 % families.size()];
  Subject subject = subject_of(family.name, seed, group / 4 * 2);  // its kind is right by construction
  auto layout = lower(subject);
  if (!layout || layout->domain().volume() > 4096 || layout->domain().volume() == 0 || layout->logical().rank() == 0)
    return std::nullopt;
  const std::vector<Index> padded = map::extents_of(layout->logical());
  ops::Task task{operation_of(asked.question.operation), arithmetic_of(asked.question), {}, {}, {}};
  task.order = order_of(asked.question, random);
  ops::Operand operand{"x", std::move(*layout), {}, asked.question.type, {}};
  std::vector<Index> kept, scales;
  const std::size_t sure = random.below(padded.size());  // reduced at any rate
  for (std::size_t d = 0; d < padded.size(); ++d) {
    const Index extent = random.between(std::max<Index>(1, padded[d] - 9), padded[d]);
    task.dims.push_back({fmt::format("d{}", d), extent, padded[d]});
    operand.extents.push_back(extent);
    operand.scales.push_back(static_cast<Index>(d));
    const bool keeps = d != sure && random.chance(60);
    scales.push_back(keeps ? static_cast<Index>(kept.size()) : -1);
    if (keeps) kept.push_back(static_cast<Index>(d));
  }
  std::vector<Index> extents, wide;
  for (const Index d : kept) {
    extents.push_back(task.dims[static_cast<std::size_t>(d)].extent);
    wide.push_back(task.dims[static_cast<std::size_t>(d)].padded);
  }
  ops::Operand result{"result", dense(wide), extents, asked.question.accumulate, scales};
  task.operands.push_back(operand);
  if (asked.second) task.operands.push_back(operand);
  task.operands.push_back(std::move(result));
  return NeutralImage{std::move(subject), std::move(task)};
}

NeutralSources::NeutralSources(const NeutralQuestion& asked)
    : contents(asked.question.type, asked.question.contents),
      fill(asked.question.type, asked.fill),
      second(asked.question.type, asked.second.value_or(asked.fill)) {}

ops::Order order_of(const Question& question, Random& random) {
  using Kind = ops::Order::Kind;
  if (question.tree == neutral::Tree::Sequential) return {};
  switch (random.between(1, 8)) {
    case 1: return {};
    case 2: return {Kind::Descending};
    case 3: return {Kind::Tree};
    case 4: return {Kind::Lanes, static_cast<std::size_t>(random.between(2, 4))};
    default: return {Kind::Random, 1, random.next()};
  }
}

NeutralRow row_of(const NeutralQuestion& asked, const NeutralSources& sources, std::uint64_t seed,
                  std::uint64_t index) {
  Random random(seed, kRows, index);
  const bool pairs = asked.second.has_value();
  const std::uint64_t k = index % kNeutralGroup;
  constexpr std::uint64_t kElements = 12, kPads = 4;
  const bool first = k < kElements * kPads;
  const std::size_t valid = (first ? 1 : few(random)) + asked.question.k - 1, pads = first ? 1 : few(random);
  std::vector<Code> known;
  NeutralRow out;
  for (std::size_t i = 0; i < valid; ++i) {
    const auto code = [&] {
      const auto telling = first ? sources.contents.telling(k % kElements) : std::nullopt;
      known.push_back(telling ? *telling : sources.contents.draw(random, known));
      return known.back();
    };
    const Code a = code(), b = pairs ? code() : 0;
    out.terms.push_back({a, b, false});
  }
  for (std::size_t i = 0; i < pads; ++i) {
    const auto code = [&](const Codes& of) {
      const auto telling = first ? of.telling(k / kElements) : std::nullopt;
      return telling ? *telling : of.draw(random, known);
    };
    const Code a = code(sources.fill), b = pairs ? code(sources.second) : 0;
    out.terms.push_back({a, b, true});
  }
  random.shuffle(std::span(out.terms));
  const bool list = is_list(asked.question.operation);
  if (list && asked.question.pads == neutral::Pads::After)
    std::stable_partition(out.terms.begin(), out.terms.end(), [](const ops::Term& term) { return !term.pad; });
  const bool start = asked.question.start != neutral::Start::First;
  const ops::Order order = list ? ops::Order{} : order_of(asked.question, random);
  out.tree = ops::tree_of(order, out.terms.size() + (start ? 1 : 0), start);
  return out;
}

}  // namespace vl::oracle
