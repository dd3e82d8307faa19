// Proofs for all sizes against every instance of small sizes: random rules of strided texts, each instance walked point
// by point. What is proved holds in all of them, a cell that fails fails in its sizes, and "holds iff" says exactly
// which. The same texts with numbers in the place of names give the same layouts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "encodings/tirx/tirx.h"
#include "encodings/use/scan.h"
#include "tests/support/property.h"
#include "tests/support/shard.h"
#include "verifier/engines/polynomial/prove.h"

namespace vl::engines {
namespace engines_polynomial_scope_campaign {

using map::Rule;
using map::Sizes;

constexpr AllSizesPart kInBox[] = {AllSizesPart::InBox};
constexpr AllSizesPart kApart[] = {AllSizesPart::Apart};
constexpr AllSizesPart kBijective[] = {AllSizesPart::InBox, AllSizesPart::Decoded, AllSizesPart::InFilled};
constexpr AllSizesPart kOnto[] = {AllSizesPart::Onto};
constexpr AllSizesPart kCounted[] = {AllSizesPart::Counted};

// What walking an instance gives.
struct Walked {
  bool in_box = true, apart = true, bijective = true, onto = true;
  Index hit = 0;
};

Walked walk(const map::Layout& layout) {
  Walked out;
  std::set<Point> slots;
  Point p(layout.domain().rank(), 0);
  bool in_filled = true;
  if (layout.domain().volume() > 0) do {
      Point outputs = *map::evaluate(layout.map(), p);
      if (!layout.is_slot(outputs)) {
        out.in_box = false;
        continue;
      }
      outputs.resize(layout.physical().rank());
      in_filled = in_filled && layout.filled()->contains(outputs);
      if (!slots.insert(std::move(outputs)).second) out.apart = false;
    } while (map::advance(layout.domain(), p));
  out.hit = static_cast<Index>(slots.size());
  out.onto = out.hit == layout.physical().volume();
  out.bijective = out.in_box && out.apart && in_filled && out.hit == layout.filled()->volume();
  return out;
}

struct Text {
  std::string layout;
  std::string tensor;
  std::string where;
};

Text random_text(test::Engine& random) {
  static constexpr const char* kExtents[] = {"M", "N", "N", "A", "2", "3", "4", "M + 1", "(N + 1) // 2"};
  static constexpr const char* kStrides[] = {"1",      "1",         "1",        "2",        "P",       "P",   "N",
                                             "M",      "N*M",       "A",        "3",        "P + N",   "2*N", "N + 1",
                                             "N * P",  "M*P",       "N - 1",    "-1",       "0",       "4",   "N % 3",
                                             "P // 2", "M * N * A", "1@laneid", "N@laneid", "P@warpid"};
  static constexpr const char* kWheres[] = {"", "", "", "P >= N", "M % 2 == 0", "P > M, N <= 3", "P == N + 1"};
  const std::size_t rank = 1 + random.below(3);
  std::vector<std::string> extents, strides;
  for (std::size_t k = 0; k < rank; ++k) {
    extents.emplace_back(test::one_of(random, kExtents));
    strides.emplace_back(test::one_of(random, kStrides));
  }
  if (random.below(3) == 0)  // row-major, so that enough is true
    for (std::size_t k = rank; k-- > 0;)
      strides[k] = k + 1 == rank ? "1" : fmt::format("({})*({})", strides[k + 1], extents[k + 1]);
  Text out{fmt::format("S[({},):({},)]", fmt::join(extents, ", "), fmt::join(strides, ", ")),
           fmt::format("u8[{}]", fmt::join(extents, ", ")), test::one_of(random, kWheres)};
  if (random.below(8) == 0) out.layout += " + R[2:P]";
  if (random.below(8) == 0) out.layout += " + M";
  if (random.below(8) == 0 && out.layout.find('@') == std::string::npos && out.layout.find('-') == std::string::npos)
    out.layout = fmt::format("ComposeLayout(1, 1, 1, {})", out.layout);
  return out;
}

std::optional<Rule> read(const Text& text) {
  const auto tensor = map::parse_rule_tensor(text.tensor);
  auto reading = tirx::family().read_rule(text.layout, *tensor);
  if (!reading || reading->rule_for_all_sizes() == nullptr) return std::nullopt;
  auto rule =
      map::with_conditions(*reading->rule_for_all_sizes(),
                           text.where.empty() ? std::vector<map::Condition>{} : *map::parse_conditions(text.where));
  return rule ? std::optional(std::move(*rule)) : std::nullopt;
}

// Every combination of small sizes, with what walking says where there is such an instance.
std::vector<std::pair<Sizes, Walked>> instances_of(const Rule& rule) {
  std::vector<std::pair<Sizes, Walked>> out;
  const Index most = rule.symbols.size() <= 3 ? 5 : 3;
  std::vector<Index> at(rule.symbols.size(), 1);
  for (bool more = true; more;) {
    Sizes sizes;
    for (std::size_t k = 0; k < at.size(); ++k) sizes[rule.symbols[k].name] = at[k];
    if (const auto layout = map::instance(rule, sizes); layout && layout->domain().volume() > 0)
      out.emplace_back(sizes, walk(*layout));
    more = false;
    for (Index& digit : at) {
      if (digit < most) {
        ++digit;
        more = true;
        break;
      }
      digit = 1;
    }
  }
  return out;
}

bool says(const Weakest& weakest, const Sizes& sizes) {
  return std::ranges::any_of(weakest.holds, [&](const std::vector<map::Condition>& all) {
    return std::ranges::all_of(all, [&](const map::Condition& condition) {
      const auto read = map::parse_conditions(map::print(condition));  // its words say the same
      const bool holds = *map::holds(condition, sizes);
      RC_ASSERT((read && *map::holds(read->front(), sizes) == holds));
      return holds;
    });
  });
}

struct Count {
  std::size_t of_proved = 0, proved = 0, exact = 0, open = 0, failing_sizes = 0, instances = 0, iffs = 0;
};

void expect_as_walked(const Rule& rule, std::span<const AllSizesPart> parts, bool Walked::*holds,
                      const std::vector<std::pair<Sizes, Walked>>& walked, Count& count) {
  const Leaves leaves = leaves_of(rule, parts);
  const auto assert_at = [](const Sizes& sizes, bool as_walked) {
    if (!as_walked) RC_LOG() << rc::toString(sizes);
    RC_ASSERT(as_walked);
  };
  const auto when = weakest(leaves);
  const bool proved = leaves.proved();
  count.proved += proved ? 1 : 0;
  count.open += std::ranges::any_of(leaves.all, [](const Leaf& one) { return one.kind == Leaf::Kind::Open; }) ? 1 : 0;
  count.exact += when && when->exact ? 1 : 0;
  for (const auto& [sizes, one] : walked) {
    ++count.instances;
    count.of_proved += proved ? 1 : 0;
    assert_at(sizes, one.*holds || !proved);
    if (!when) continue;
    const bool stated = says(*when, sizes);
    assert_at(sizes, one.*holds || !stated);
    assert_at(sizes, one.*holds == stated || !when->exact);
    count.iffs += when->exact && !proved ? 1 : 0;
  }
  std::size_t looked = 0;
  for (const Leaf& leaf : leaves.all) {
    if (leaf.kind == Leaf::Kind::Open || ++looked > 12) continue;
    for (const Sizes& sizes : leaf.cell.samples(3)) {
      const auto layout = map::instance(rule, sizes);
      if (!layout || layout->domain().volume() == 0 || layout->domain().volume() > 3000) continue;
      RC_LOG() << leaf.why;
      assert_at(sizes, walk(*layout).*holds == (leaf.kind == Leaf::Kind::Holds));
      count.failing_sizes += leaf.kind == Leaf::Kind::Fails ? 1 : 0;
    }
  }
}

// The text with numbers for names is the instance: the same elements in the same slots.
void expect_same_as_text(const Text& text, const Rule& rule, const Sizes& sizes, std::size_t& compared) {
  const auto layout = map::instance(rule, sizes);
  std::vector<use::Definition> definitions;
  for (const auto& [name, size] : sizes) definitions.push_back({name, size});
  map::Tensor tensor;
  tensor.type = map::ElementType::U8;
  for (const map::Expression& size : rule.logical) tensor.size.push_back(*map::evaluate(size, sizes));
  const auto read = tirx::family().read(use::bound(text.layout, definitions), tensor);
  RC_ASSERT(layout.has_value());
  RC_ASSERT((read.has_value() && read->layout() != nullptr));
  const map::Layout& other = *read->layout();
  RC_ASSERT((layout->physical() == other.physical() && *layout->filled() == *other.filled()));
  RC_ASSERT((layout->domain() == other.domain()));
  Point p(layout->domain().rank(), 0);
  do {
    Point a = *map::evaluate(layout->map(), p), b = *map::evaluate(other.map(), p);
    a.resize(layout->physical().rank());
    RC_ASSERT(a == b);
    ++compared;
  } while (map::advance(layout->domain(), p));
}

TEST(PolynomialScope, ProofsAndIffsAreWhatEverySmallInstanceSays) {
  Count in_box, apart, bijective, onto;
  std::size_t rules = 0, compared = 0, counted = 0;
  test::for_all(static_cast<int>(test::cases(300, 64'000)), [&] {
    test::Engine random = *test::engines();
    Text text;
    std::optional<Rule> rule;
    while (!rule || rule->symbols.empty()) rule = read(text = random_text(random));
    RC_LOG() << text.layout << " of " << text.tensor << " where " << text.where << "\n";
    ++rules;
    const auto walked = instances_of(*rule);
    expect_as_walked(*rule, kInBox, &Walked::in_box, walked, in_box);
    expect_as_walked(*rule, kApart, &Walked::apart, walked, apart);
    expect_as_walked(*rule, kBijective, &Walked::bijective, walked, bijective);
    expect_as_walked(*rule, kOnto, &Walked::onto, walked, onto);
    if (leaves_of(*rule, kCounted).proved())
      for (const auto& [sizes, one] : walked) {
        RC_ASSERT(one.hit == *map::evaluate(map::product_of(rule->logical) * map::product_of(rule->replicas), sizes));
        ++counted;
      }
    if (!walked.empty()) expect_same_as_text(text, *rule, test::one_of(random, walked).first, compared);
  });
  for (const auto& [name, count] :
       {std::pair{"in-bounds", in_box}, {"injective", apart}, {"bijective", bijective}, {"onto", onto}})
    fmt::print("{}: {} rules, {} proved, {} exact, {} open; {} instances, of proofs {}, by an iff {}; failing {}\n",
               name, rules, count.proved, count.exact, count.open, count.instances, count.of_proved, count.iffs,
               count.failing_sizes);
  fmt::print("{} instances counted, {} points of texts compared\n", counted, compared);
  EXPECT_GT(in_box.proved, 150U);
  EXPECT_GT(apart.proved, 50U);
  EXPECT_GT(bijective.proved, 20U);
  EXPECT_GT(apart.exact, 150U);
  EXPECT_GT(apart.iffs, 500U);
  EXPECT_GT(apart.failing_sizes, 200U);
  EXPECT_GT(onto.failing_sizes, 50U);
  EXPECT_GT(compared, 1000U);
  EXPECT_GT(in_box.of_proved + apart.of_proved + bijective.of_proved + onto.of_proved,
            static_cast<std::size_t>(test::cases(10'000, 3'000'000)));
}

std::vector<std::vector<std::string>> words(const Weakest& weakest) {
  std::vector<std::vector<std::string>> out;
  for (const std::vector<map::Condition>& together : weakest.holds)
    for (std::vector<std::string>& all = out.emplace_back(); const map::Condition& condition : together)
      all.push_back(map::print(condition));
  return out;
}

struct Iff {
  const char* layout;
  const char* tensor;
  const char* where;
  std::vector<std::vector<std::string>> holds;
};

// Derived by hand, and walked above: two rows of a matrix meet unless the pitch covers a row, or there is one row.
TEST(PolynomialScope, FindsWhenStridesAreInjective) {
  const Iff rows[] = {
      {"S[(M,N):(P,1)]", "f16[M,N]", "", {{"P >= N"}, {"M = 1"}, {"N = 1"}}},
      {"S[(M,N):(1,P)]", "f16[M,N]", "", {{"P >= M"}, {"M = 1"}, {"N = 1"}}},
      {"S[(M,64):(P,1)]", "f16[M,64]", "", {{"P >= 64"}, {"M = 1"}}},
      {"S[(M,N):(K,K)]", "f16[M,N]", "", {{"M = 1"}, {"N = 1"}}},
      {"S[(A,M,N):(M*P,P,1)]", "f16[A,M,N]", "", {{"P >= N"}, {"N = 1"}, {"A = 1", "M = 1"}}},
      {"S[(M,N):(P,1)]", "f16[M,N]", "P >= N", {{}}},
      {"S[(M,N):(N,1)]", "f16[M,N]", "", {{}}},
  };
  for (const Iff& row : rows) {
    const auto rule = read({row.layout, row.tensor, row.where});
    ASSERT_TRUE(rule.has_value()) << row.layout;
    const auto when = weakest(leaves_of(*rule, kApart));
    ASSERT_TRUE(when.has_value() && when->exact) << row.layout;
    EXPECT_EQ(words(*when), row.holds) << row.layout;
  }
}

// Rows of 64 bytes under the swizzle of 128 bytes: which numbers of rows stay inside was found by walking over 1,272
// layouts (the design's experiments), and is walked again here.
TEST(PolynomialScope, FindsWhichRowsASwizzleKeepsInside) {
  const auto rule = read({"ComposeLayout(3, 3, 3, S[(M,32):(32,1)])", "f16[M,32]", ""});
  ASSERT_TRUE(rule.has_value());
  const auto when = weakest(leaves_of(*rule, kInBox));
  ASSERT_TRUE(when.has_value() && when->exact);
  const std::set<Index> kept = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14};
  const std::vector<std::vector<std::string>> said = {
      {"M % 2 == 0"}, {"M % 16 == 1"}, {"M % 16 == 3"}, {"M % 16 == 5"}, {"M % 16 == 7"}};
  EXPECT_EQ(words(*when), said);
  for (Index m = 1; m <= 40; ++m) {
    EXPECT_EQ(says(*when, {{"M", m}}), kept.contains(m % 16)) << m;
    EXPECT_EQ(walk(*map::instance(*rule, {{"M", m}})).in_box, kept.contains(m % 16)) << m;
  }
  for (const char* width : {"64", "128", "192"})
    EXPECT_TRUE(leaves_of(*read({fmt::format("ComposeLayout(3, 3, 3, S[(M,{}):({},1)])", width, width),
                                 fmt::format("f16[M,{}]", width), ""}),
                          kBijective)
                    .proved())
        << width;
}

}  // namespace engines_polynomial_scope_campaign
}  // namespace vl::engines
