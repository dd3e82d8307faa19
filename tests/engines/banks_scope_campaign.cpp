// The bank engines against a model that counts a warp word by word (tests/support/access_brute.h): every small column
// access, and random accesses of random layouts on several chips. Every decision of an engine must be the model's.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "encodings/map/text.h"
#include "tests/support/access_brute.h"
#include "tests/support/property.h"
#include "tests/support/shard.h"
#include "tests/support/tiles.h"
#include "verifier/engines/banks.h"

namespace vl::engines {
namespace engines_banks_scope_campaign {

using question::Measure;
using test::BruteCost;
using test::Tile;

const Index kRandomCases = test::cases(2500, 6000);

// An access as a text and as numbers: coordinates, conditions, variables.
struct Pattern {
  Index lanes = 32;
  Index width = 4;
  std::string matrix;
  std::vector<std::string> at;
  std::vector<std::pair<std::string, std::pair<Index, Index>>> variables;
  std::string left, comparison, right;  // a condition; none when left is empty
  Index base = 0;                       // 0: none
  bool absolute = false;
  std::string purpose = {};  // "load ", "store " or nothing

  [[nodiscard]] std::string text() const {
    std::string out = matrix.empty() ? fmt::format("{}lanes={} width={}", purpose, lanes, width) : matrix;
    out += fmt::format(" at=[{}]", fmt::join(at, ", "));
    for (std::size_t i = 0; i < variables.size(); ++i)
      out += fmt::format("{}{}={}:{}", i == 0 ? " for " : ", ", variables[i].first, variables[i].second.first,
                         variables[i].second.second);
    if (!left.empty()) out += fmt::format(" when {} {} {}", left, comparison, right);
    if (base != 0) out += fmt::format(" base={}{}", base, absolute ? " absolute" : "");
    return out;
  }

  [[nodiscard]] bool active(const test::Names& names) const {
    if (left.empty()) return true;
    const Index a = test::Calculator(left, names).value();
    const Index b = test::Calculator(right, names).value();
    if (comparison == "<") return a < b;
    if (comparison == "<=") return a <= b;
    if (comparison == ">") return a > b;
    if (comparison == ">=") return a >= b;
    return (comparison == "==") == (a == b);
  }
};

struct Truth {
  bool outside = false;
  bool active = false;
  Index worst = 0;
  Index worst_excess = 0;
};

// Every choice of the variables, and starts over more than a period.
Truth truth_of(const Tile& layout, const Pattern& pattern, Index element, const use::Hardware& chip) {
  Truth truth;
  std::vector<Index> values;
  for (const auto& [name, range] : pattern.variables) values.push_back(range.first);
  const auto phases = pattern.matrix.empty() ? chip.phases.at(pattern.width) : test::nvidia().phases.at(16);
  const test::Bits bits = layout.swizzle.value_or(test::Bits{});
  Tile plain = layout;
  plain.swizzle.reset();
  const Index unit = pattern.absolute ? Index{1} << (bits.base + bits.bits + bits.shift) : 1;
  // Bases are 4 bytes or more: the last start is beyond one and a half periods of banks and swizzle.
  const Index starts =
      pattern.base == 0 ? 1 : std::lcm(chip.banks * chip.bytes_per_bank, unit * element) * 3 / (2 * 4 * element) + 2;
  while (true) {
    std::map<Index, Index> tile;  // of active lanes inside
    for (Index lane = 0; lane < pattern.lanes; ++lane) {
      test::Names names{{"lane", lane}};
      for (std::size_t i = 0; i < values.size(); ++i) names[pattern.variables[i].first] = values[i];
      if (!pattern.active(names)) continue;
      std::vector<Index> x;
      for (const std::string& expression : pattern.at) x.push_back(test::Calculator(expression, names).value());
      truth.active = true;
      bool outside = false;
      for (std::size_t d = 0; d < x.size(); ++d) outside = outside || x[d] < 0 || x[d] >= layout.shape[d];
      truth.outside = truth.outside || outside;
      if (!outside) tile[lane] = address_of(plain, x);
    }
    for (Index k = 0; k < starts; ++k) {
      const Index start = pattern.base * k;
      std::map<Index, Index> bytes;
      for (const auto& [lane, m] : tile)
        bytes[lane] = pattern.absolute ? test::swizzled(bits, start / element + m) * element
                                       : start + test::swizzled(bits, m) * element;
      const auto served = pattern.purpose == "load " ? test::brute_load_phases(chip.load_pairs, phases, bytes) : phases;
      const BruteCost cost = test::brute_cost(chip, served, pattern.width, bytes);
      truth.worst = std::max(truth.worst, cost.wavefronts);
      truth.worst_excess = std::max(truth.worst_excess, cost.wavefronts - cost.ideal);
    }
    std::size_t i = values.size();
    while (i > 0 && ++values[i - 1] == pattern.variables[i - 1].second.second) {
      values[i - 1] = pattern.variables[i - 1].second.first;
      --i;
    }
    if (i == 0) return truth;
  }
}

// The kind; the worst excess apart from the worst wavefronts.
std::string label(const BankQuestion& question) {
  if (question.kind == Kind::Count && question.measure == Measure::Excess) return "excess";
  return std::string(name(question.kind));
}

struct Tally {
  Index asked = 0;
  Index decided = 0;
  Index found = 0;
};
using Tallies = std::map<std::string, Tally>;

// Every engine and question on one access; the solver, which takes a thousand times longer, where it is asked for.
// Answers what is wrong, "" where nothing is.
std::string judge(const Reach& reach, const Truth& truth, bool solver, Tallies& tallies) {
  const Index limits[] = {0, 1, truth.worst_excess - 1, truth.worst_excess};
  std::vector<BankQuestion> questions{{Kind::Lands, &reach},
                                      {Kind::Escapes, &reach},
                                      {Kind::Count, &reach, 0, Measure::Wavefronts},
                                      {Kind::Count, &reach, 0, Measure::Excess}};
  for (const Index limit : limits)
    if (limit >= 0) questions.push_back({Kind::Crowds, &reach, limit});
  for (const Engine& engine : engines())
    for (const BankQuestion& question : questions) {
      if (engine.name == "smt" && !solver) continue;
      const Answer answer = engine.decide(question, {});
      Tally& tally = tallies[std::string(engine.name) + " " + label(question)];
      ++tally.asked;
      if (std::holds_alternative<Abstained>(answer)) continue;
      ++tally.decided;
      const auto* found = std::get_if<Found>(&answer);
      tally.found += found != nullptr ? 1 : 0;
      bool right = found == nullptr || replay(question, found->witness);
      switch (question.kind) {
        case Kind::Lands: right = right && (found != nullptr) == truth.active; break;
        case Kind::Escapes: right = right && (found != nullptr) == truth.outside; break;
        case Kind::Crowds: right = right && (found != nullptr) == (truth.worst_excess > question.limit); break;
        case Kind::Count:
          right = std::get<Counted>(answer).count ==
                  (question.measure == Measure::Wavefronts ? truth.worst : truth.worst_excess);
          break;
        case Kind::Collides:
        case Kind::Misdecodes:
        case Kind::Breaks:
        case Kind::Misses:
        case Kind::Differs: right = false;  // never asked of accesses
      }
      if (!right) return fmt::format("{} is wrong: {} {}", engine.name, label(question), question.limit);
    }
  return "";
}

class Random {
 public:
  explicit Random(test::Engine engine) : engine_(std::move(engine)) {}
  Index below(Index n) { return test::roll(engine_, 0, n - 1); }
  bool one_in(Index n) { return below(n) == 0; }
  template <class T>
  T of(const std::vector<T>& values) {
    return test::one_of(engine_, values);
  }

  Tile layout() {
    std::vector<test::Iter> iters;
    const bool powers = !one_in(3);
    const std::vector<Index> extents =
        powers ? std::vector<Index>{2, 4, 8, 16, 32} : std::vector<Index>{1, 2, 3, 5, 6, 8, 12};
    for (Index k = 1 + below(3); k > 0; --k) iters.push_back({of(extents), 0});
    Index stride = 1;
    for (std::size_t k = iters.size(); k-- > 0;) {  // row-major, sometimes padded, sometimes anything
      iters[k].stride = one_in(5) ? below(40) : stride;
      stride = std::max(stride, iters[k].stride * iters[k].extent) + (one_in(4) && !powers ? below(5) : 0);
    }
    if (one_in(2)) std::swap(iters[0].stride, iters.back().stride);
    const Index offset = one_in(6) ? below(70) : 0;
    const std::size_t cut = static_cast<std::size_t>(below(static_cast<Index>(iters.size()) + 1));
    std::vector<Index> shape{1, 1};
    for (std::size_t k = 0; k < iters.size(); ++k) shape[k < cut ? 0 : 1] *= iters[k].extent;
    test::Bits bits;
    if (!one_in(4)) {
      bits.base = static_cast<int>(below(5));
      bits.bits = static_cast<int>(below(4));
      bits.shift = 1 + static_cast<int>(below(4));
      bits.down = !one_in(4);
    }
    return test::tile_on_m(shape, iters, offset, bits);
  }

  std::string expression(const Pattern& pattern, Index extent) {
    std::vector<std::string> names{"lane", "lane"};
    for (const auto& variable : pattern.variables) names.push_back(variable.first);
    const std::vector<std::string> forms = {of(names),
                                            fmt::format("{} * {}", of(names), 1 + below(9)),
                                            fmt::format("{} + {}", of(names), of(names)),
                                            fmt::format("{} / {} + {}", of(names), 1 + below(9), of(names)),
                                            fmt::format("{} % {} * {}", of(names), 1 + below(9), 1 + below(5)),
                                            fmt::format("({} - {}) / {}", of(names), of(names), 1 + below(5)),
                                            fmt::format("-{} + {}", of(names), 3 + below(40)),
                                            fmt::format("{}", below(extent))};
    std::string inner = of(forms);
    if (pattern.purpose == "load " && one_in(2))  // lanes that agree in pairs
      inner = one_in(2) ? fmt::format("lane / {} * {}", 2 << below(2), 1 + below(9))
                        : fmt::format("lane % 2 * {} + lane / 4 * {}", below(9), below(9));
    return one_in(12) ? inner : fmt::format("({}) % {}", inner, extent);  // the bare form may leave the tensor
  }

  Pattern pattern(const Tile& layout, Index element, const use::Hardware& chip) {
    Pattern out;
    out.lanes = of(std::vector<Index>{1, 5, 8, 16, 32, 32});
    out.width = of(std::vector<Index>{1, 2, 4, 8, 16});
    if (chip.matrices && one_in(6)) {
      out.matrix = of(std::vector<std::string>{"ldmatrix.x1", "ldmatrix.x2", "ldmatrix.x4", "stmatrix.x4"});
      out.lanes = 8 * (out.matrix.back() - '0');
      out.width = 16;
    }
    if (out.matrix.empty()) out.purpose = of(std::vector<std::string>{"", "store ", "load ", "load "});
    const std::vector<std::string> names{"i", "j"};
    for (Index v = below(3); v > 0; --v) {
      const Index begin = below(3);
      out.variables.push_back({names[static_cast<std::size_t>(v - 1)], {begin, begin + 1 + below(4)}});
    }
    for (const Index extent : layout.shape) out.at.push_back(expression(out, extent));
    if (one_in(4)) {
      out.left = of(std::vector<std::string>{"lane", "lane % 8", "lane * 3"});
      if (!out.variables.empty() && one_in(2)) out.left += " + " + out.variables[0].first;
      out.comparison = of(std::vector<std::string>{"<", "<=", ">", ">=", "==", "!="});
      out.right = std::to_string(below(40));
    }
    if (one_in(5)) out.base = of(std::vector<Index>{4, 16, 24, 64, 128}) * element;
    const test::Bits bits = layout.swizzle.value_or(test::Bits{});
    if (out.base != 0 && bits.base + bits.bits + bits.shift <= 8) out.absolute = one_in(2);
    return out;
  }

 private:
  test::Engine engine_;
};

// Chips: the common one, an odd number of banks, one that shares nothing, one whose phases are lanes apart.
std::vector<use::Hardware> chips() {
  std::vector<use::Hardware> out{test::nvidia(), test::nvidia(), test::nvidia(), test::nvidia()};
  out[1].banks = 6;
  out[2].broadcasts = false;
  out[3].banks = 16;
  out[3].bytes_per_bank = 8;
  out[3].load_pairs = {4, 8};
  for (auto& [width, phases] : out[3].phases) {
    phases.assign(4, {});
    for (Index lane = 0; lane < 32; ++lane) phases[static_cast<std::size_t>(lane % 4)].push_back(lane);
  }
  return out;
}

TEST(BankScope, RandomAccessesCostWhatCountingWordByWordSays) {
  Tallies tallies;
  Index judged = 0;
  Index refused = 0;
  const auto all = chips();
  test::for_all(static_cast<int>(kRandomCases), [&] {
    Random random(*test::engines());
    const Tile layout = random.layout();
    const Index element = random.of(std::vector<Index>{1, 2, 2, 4, 8});
    const use::Hardware& chip = random.of(all);
    const Pattern pattern = random.pattern(layout, element, chip);
    RC_LOG() << pattern.text() << " on " << chip.banks << " banks of " << map::print(layout_of(layout).map());
    const auto access = use::parse_access(pattern.text());
    RC_ASSERT(access.has_value());
    const Truth truth = truth_of(layout, pattern, element, chip);
    const auto reach = reach_of(*access, layout_of(layout), nullptr, static_cast<int>(8 * element), chip);
    if (truth.outside) {
      RC_ASSERT(!reach.has_value());
      RC_ASSERT(reach.error().message.find("outside the tensor") != std::string::npos);
      ++refused;
      return;
    }
    RC_ASSERT(reach.has_value());
    RC_ASSERT(judge(*reach, truth, random.one_in(25), tallies) == "");
    ++judged;
  });
  for (const auto& [who, tally] : tallies)
    fmt::print("{}: {} asked, {} decided, {} found\n", who, tally.asked, tally.decided, tally.found);
  fmt::print("{} judged, {} refused as outside\n", judged, refused);
  EXPECT_GT(judged, kRandomCases * 3 / 4);
  EXPECT_GT(refused, kRandomCases / 50);
  EXPECT_GT(tallies["gf2 count"].decided, judged / 8);
  EXPECT_EQ(tallies["enumerate count"].decided, judged);
  EXPECT_GT(tallies["smt lands"].decided, judged / 30);
  EXPECT_EQ(tallies["smt lands"].decided, tallies["smt lands"].asked);
  EXPECT_GT(tallies["smt crowds"].decided, judged / 30);
  EXPECT_GT(tallies["gf2 crowds"].found, judged / 20);
}

// Outside is refused by reach_of where it can walk; the question itself is put to lanes that were let through.
TEST(BankScope, EveryEngineFindsLanesOutsideTheTensor) {
  const Tile layout = test::tile_on_m({8, 64}, {{8, 64}, {64, 1}}, 0, {3, 3, 3});
  for (const Index rows : {8, 7, 3}) {
    auto reach = reach_of(*use::parse_access("lanes=8 width=2 at=[lane, i] for i=0:4"), layout_of(layout), nullptr, 16,
                          test::nvidia());
    ASSERT_TRUE(reach.has_value());
    reach->logical = *map::Space::create(map::Space::dims("x", std::vector<Index>{rows, 64}));
    Index decided = 0;
    for (const Engine& engine : engines()) {
      const BankQuestion question{Kind::Escapes, &*reach};
      const Answer answer = engine.decide(question, {});
      if (std::holds_alternative<Abstained>(answer)) continue;
      ++decided;
      const auto* found = std::get_if<Found>(&answer);
      ASSERT_EQ(found != nullptr, rows < 8) << engine.name;
      if (found == nullptr) continue;
      EXPECT_TRUE(replay(question, found->witness));
      EXPECT_TRUE(!found->minimal || found->witness.p == (Point{rows, 0}));
    }
    EXPECT_GE(decided, 2);
  }
}

// Every column of 8 lanes of every small power-of-two tile, under every small swizzle.
TEST(BankScope, EverySmallColumnAgreesInAllEngines) {
  Tallies tallies;
  for (Index columns = 8; columns <= 64; columns *= 2)
    for (int per_element = 0; per_element <= 3; ++per_element)
      for (int swizzle_len = 0; swizzle_len <= 3; ++swizzle_len)
        for (int atom_len = 1; atom_len <= 3; ++atom_len)
          for (const Index width : {2, 4, 16}) {
            const Tile layout =
                test::tile_on_m({8, columns}, {{8, columns}, {columns, 1}}, 0, {per_element, swizzle_len, atom_len});
            const Pattern pattern{8, width, {}, {"lane", "0"}, {}, {}, {}, {}, 0, false};
            const auto access = use::parse_access(pattern.text());
            const auto reach = reach_of(*access, layout_of(layout), nullptr, 16, test::nvidia());
            const Truth truth = truth_of(layout, pattern, 2, test::nvidia());
            const bool misaligned = per_element < 3 && (width >> 1) > (Index{1} << per_element) && swizzle_len > 0;
            ASSERT_TRUE(reach.has_value());
            const Answer ranks = decide_banks_gf2({Kind::Count, &*reach, 0, Measure::Wavefronts}, {});
            EXPECT_TRUE(misaligned || std::holds_alternative<Counted>(ranks))
                << pattern.text() << columns << per_element << swizzle_len;
            EXPECT_EQ(judge(*reach, truth, (per_element + swizzle_len + atom_len) % 7 == 0, tallies), "")
                << pattern.text() << columns << per_element << swizzle_len << atom_len;
          }
  EXPECT_EQ(tallies["enumerate count"].decided, 4 * 4 * 4 * 3 * 3);
  EXPECT_GT(tallies["gf2 count"].decided, 400);
}

}  // namespace engines_banks_scope_campaign
}  // namespace vl::engines
