// Descriptors and targets: texts that are read, and printed as they were; a table of rejects; what conditions say of
// fields that are not stated; random tensor maps against the sentences of the documents.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "encodings/use/random.h"
#include "tests/support/sanitized.h"
#include "tests/use/descriptor_brute.h"
#include "verifier/session/targets.h"

namespace vl::use {
namespace use_descriptor_test {

Descriptor read(const std::string& text) {
  auto out = parse_descriptor(text);
  EXPECT_TRUE(out.has_value()) << text << ": " << out.error().message;
  return out ? std::move(*out) : Descriptor{};
}

Target target(const std::string& name) {
  auto out = session::read_target(session::SourceText::option("--target", name));
  EXPECT_TRUE(std::holds_alternative<Target>(out)) << name;
  return std::get<Target>(std::move(out));
}

TEST(Descriptor, IsPrintedAsItWasRead) {
  for (const char* text :
       {"tensormap(f16, dim (256,128), stride (512), box (64,64), step (1,1), swizzle 128B)",
        "tensormap(u4a16, dim (7168,1024), stride (3584), box (128,128), step (1,1), fill nan, base 4096, desc at 64)",
        "load tensormap(f16, dim (K,M), stride (2*K), box (64,64), step (1,1)) at (64,-32) to 1024",
        "store tensormap(u8, dim (466), stride (), box (128), step (1)) at (384) from 0",
        "smemdesc(wgmma, K, f16, start 1024, sbo 1024, swizzle 128B)",
        "block2d(load, bits 32, columns 16, rows 2, width 52, height 7, pitch 52)",
        "nki(tensor (84,406), step (406,1,1), count (36,1,203), offset 19488)", "noc(dram, l1, src 48, dst 64)"})
    EXPECT_EQ(print(read(text)), text);
}

TEST(Descriptor, HasWhatFollowsFromItsFields) {
  const Descriptor map = read("tensormap(bf16, dim (64,8,4), stride (128,1024), box (64,8,1))");
  EXPECT_EQ(map.fields.at("rank"), number_field(3));
  EXPECT_EQ(map.fields.at("bits"), number_field(16));
  EXPECT_EQ(map.fields.at("step"), numbers_field({1, 1, 1}));
  EXPECT_EQ(map.fields.at("dense"), word_field("yes"));
  EXPECT_EQ(read("tensormap(bf16, dim (64,8), stride (256), box (64,8))").fields.at("dense"), word_field("no"));
  EXPECT_FALSE(read("tensormap(bf16, dim (K,8), stride (256), box (64,8))").fields.contains("dense"));
  EXPECT_EQ(names_of(read("load tensormap(bf16, dim (K,8), stride (2*K), box (64,8)) at (B*64, 0) to 0")),
            (std::vector<std::string>{"B", "K"}));
}

TEST(Descriptor, RejectsWithThePlace) {
  struct Reject {
    std::string text;
    std::size_t offset;
    std::string says;
  };
  const std::string map = "tensormap(f16, dim (16,16), stride (32), box (16,16)";
  for (const Reject& reject :
       {Reject{"", 0, "expected a descriptor"},
        {"tensormapp(f16)", 0, "did you mean 'tensormap'?"},
        {"tensormap f16", 10, "expected '('"},
        {"tensormap(f24, dim (16))", 10, "'f24' is no type"},
        {map, 52, "expected"},
        {map + ", swizzle 48B)", 62, "'48B' is no swizzle"},
        {map + ", box (8,8))", 54, "'box' is given twice"},
        {map + ", boxes (8,8))", 54, "did you mean 'box'?"},
        {map + ", shared 8)", 54, "'shared' is no field"},
        {map + ") at (0,0)", 54, "expected the end"},
        {map + ", base 99999999999999999999)", 59, "64 bits"},
        {"load noc(dram, l1)", 0, "is not loaded or stored"},
        {"tensormap(f16, dim (16,16), stride (32))", 0, "without 'box'"},
        {"tensormap(f16, dim (16,16), stride (2,32), box (16,16))", 0, "'stride' has 2 entries; expected 1"},
        {"tensormap(f16, dim (), box ())", 0, "'dim' has no entry"}}) {
    const auto made = parse_descriptor(reject.text);
    ASSERT_FALSE(made.has_value()) << reject.text;
    EXPECT_EQ(made.error().offset, reject.offset) << reject.text << ": " << made.error().message;
    EXPECT_NE(made.error().message.find(reject.says), std::string::npos) << reject.text << ": " << made.error().message;
  }
}

TEST(TargetRules, RejectConditionsAboutWhatThereIsNot) {
  const DescriptorKind& kind = *descriptor_kind("tensormap");
  for (const char* text : {"", "stride", "stride %", "strid = 1", "swizzle = 129B", "swizzle in 32B", "box_x = 1",
                           "stride % 0 = 1", "dim >= 1 or dim = 0", "1 <= dim <= 2"})
    EXPECT_FALSE(parse_rule_condition(text, kind).has_value()) << text;
  for (const char* text :
       {"stride % 16 = 0", "swizzle in (none, 128B) and box_0 * bits <= 2**10", "entry = 0, fill != nan"})
    EXPECT_TRUE(parse_rule_condition(text, kind).has_value()) << text;
}

// Of `if base % 2 = 1 then shared % 2 = 0`, by what the text states.
TEST(TargetRules, AreOpenAboutWhatIsNotStated) {
  const DescriptorKind& kind = *descriptor_kind("tensormap");
  const Target own{"own",
                   "tensormap",
                   {{"r",
                     {},
                     *parse_rule_condition("base % 2 = 1", kind),
                     *parse_rule_condition("shared % 2 = 0", kind),
                     Authority::Document,
                     "here"}}};
  const auto outcome = [&](const std::string& base, const std::string& shared) -> std::string {
    const auto found = judge(own, read("load tensormap(f16, dim (16), box (16)" + base + ") at (0)" + shared));
    EXPECT_TRUE(found.has_value());
    if (found->empty()) return "";
    return found->front().outcome == RuleFinding::Outcome::Holds   ? "holds"
           : found->front().outcome == RuleFinding::Outcome::Fails ? "fails"
                                                                   : "open " + found->front().field;
  };
  EXPECT_EQ(outcome(", base 2", " to 1"), "");
  EXPECT_EQ(outcome(", base 2", ""), "");
  EXPECT_EQ(outcome(", base 1", " to 1"), "fails");
  EXPECT_EQ(outcome(", base 1", " to 2"), "holds");
  EXPECT_EQ(outcome(", base 1", ""), "open shared");
  EXPECT_EQ(outcome("", " to 2"), "holds");
  EXPECT_EQ(outcome("", " to 1"), "open base");
  EXPECT_EQ(outcome("", ""), "open base");
}

// The laws of a rule of tensor maps over names, as text; "holds", "fails" or "open FIELD" where there are none.
std::string laws_of(const std::string& when, const std::string& then, const std::string& text) {
  const DescriptorKind& kind = *descriptor_kind("tensormap");
  const auto conditions = [&](const std::string& of) {
    return of.empty() ? std::vector<FieldComparison>{} : *parse_rule_condition(of, kind);
  };
  const Target own{"own", "tensormap", {{"r", {}, conditions(when), conditions(then), Authority::Document, "here"}}};
  const auto found = judge(own, read("load tensormap(f16, dim (K,M), stride (2*K), box (8,P)) at " + text));
  EXPECT_TRUE(found.has_value());
  if (found->empty()) return "";
  const RuleFinding& rule = found->front();
  std::string out = rule.outcome == RuleFinding::Outcome::Holds   ? "holds"
                    : rule.outcome == RuleFinding::Outcome::Fails ? "fails"
                    : rule.outcome == RuleFinding::Outcome::Open  ? "open"
                                                                  : "";
  for (const map::Condition& law : rule.laws) out += (out.empty() ? "" : " and ") + map::print(law);
  return rule.field.empty() ? out : out + " open " + rule.field;
}

TEST(TargetRules, OfNamesForSizesAreLaws) {
  EXPECT_EQ(laws_of("", "stride_0 % 16 = 0 and box_0 <= 8", "(0,0) to 0"), "((2*K)%16) == 0");
  EXPECT_EQ(laws_of("", "box_1 >= 1 and box_1 < 256", "(0,0) to 0"), "P >= 1 and P < 256");
  EXPECT_EQ(laws_of("", "dim_0 = dim_0", "(0,0) to 0"), "holds");
  EXPECT_EQ(laws_of("", "box_0 > 8 and dim_0 > 1", "(0,0) to 0"), "fails");
  EXPECT_EQ(laws_of("", "dim_0 > 1 and shared % 2 = 0", "(0,0)"), "K > 1 open shared");
  EXPECT_EQ(laws_of("shared % 2 = 0", "dim_0 > 1", "(0,0)"), "open open shared");
  EXPECT_EQ(laws_of("box_0 = 7", "dim_0 > 1", "(0,0) to 0"), "");
}

// At each size the laws hold iff the rule does there.
TEST(TargetRules, AreTrueWhereTheirLawsAre) {
  const DescriptorKind& kind = *descriptor_kind("tensormap");
  const Descriptor map = read("load tensormap(f16, dim (K,M), stride (2*K), box (8,P)) at (0,0) to 0");
  const char* const conditions[] = {"",          "dim_0 >= 3", "dim_1 < 3",      "dim_0 = dim_1", "dim_0 != 2",
                                    "dim_0 > 2", "dim_1 <= 2", "dim_0 in (1,3)", "dim_0 in (4)",  "dim_0 % 2 = 0"};
  int fails = 0, decided = 0;
  for (const std::string when : conditions)
    for (const std::string then : conditions) {
      if (then.empty()) continue;
      const auto list = [&](const std::string& of) {
        return of.empty() ? std::vector<FieldComparison>{} : *parse_rule_condition(of, kind);
      };
      const Target own{"own", "tensormap", {{"r", {}, list(when), list(then), Authority::Document, "here"}}};
      const auto sized = judge(own, map);
      ASSERT_TRUE(sized.has_value() && sized->size() == 1) << when << " then " << then;
      for (Index k = 1; k <= 5; ++k)
        for (Index m = 1; m <= 4; ++m) {
          const map::Sizes sizes{{"K", k}, {"M", m}, {"P", 8}};
          const auto numbers = judge(own, *with_sizes(map, sizes));
          ASSERT_TRUE(numbers.has_value());
          const bool failed = !numbers->empty() && numbers->front().outcome == RuleFinding::Outcome::Fails;
          const bool held = std::ranges::all_of(sized->front().laws,
                                                [&](const map::Condition& law) { return *map::holds(law, sizes); });
          EXPECT_EQ(failed, !held) << when << " then " << then << " at " << k << ", " << m;
          fails += failed ? 1 : 0, ++decided;
        }
    }
  EXPECT_EQ(decided, 1800);
  EXPECT_GE(fails, 300);
}

// Numbers at and beside each limit.
Index near(Random& random, std::initializer_list<Index> limits) {
  const Index limit = limits.begin()[random.below(limits.size())];
  return std::max<Index>(0, limit + random.between(-1, 1) * (random.chance(50) ? 1 : 16));
}

test::TensorMapNumbers drawn(Random& random) {
  struct Type {
    int bytes;
    bool floating;
  };
  constexpr Type kTypes[] = {{1, false}, {2, false}, {2, true}, {4, false}, {4, true}, {8, true}};
  test::TensorMapNumbers out;
  const Type type = kTypes[random.below(6)];
  out.element_bytes = type.bytes, out.floating = type.floating;
  const Index rank = random.chance(5) ? 6 : random.between(1, 5);
  const auto sane = [&](Index good, Index other) { return random.chance(80) ? good : other; };
  for (Index k = 0; k < rank; ++k) {
    out.dim.push_back(sane(random.between(1, 4096), near(random, {0, Index{1} << 32})));
    if (k > 0) out.stride.push_back(sane(random.between(1, 1 << 16) * 32, near(random, {0, 16, 48, Index{1} << 40})));
    out.box.push_back(k == 0 ? sane(16 / type.bytes * random.between(1, 8), near(random, {0, 64, 256}))
                             : sane(random.between(1, 256), near(random, {0, 256})));
    out.step.push_back(sane(1, near(random, {0, 8})));
  }
  out.interleave = static_cast<int>(sane(0, 16 * random.between(0, 2)));
  constexpr int kSwizzles[] = {0, 32, 64, 128};
  out.swizzle = kSwizzles[random.below(4)];
  out.nan = random.chance(20);
  if (random.chance(50)) out.base = random.between(0, 64) * random.between(1, 32);
  if (random.chance(50)) out.shared = random.between(0, 64) * random.between(1, 128);
  if (random.chance(50)) out.desc = random.between(0, 64) * random.between(1, 64);
  return out;
}

DescriptorField list_of(const std::vector<std::int64_t>& values) {
  return numbers_field(std::vector<map::Expression>(values.begin(), values.end()));
}

Descriptor descriptor_from(const test::TensorMapNumbers& map) {
  const std::string type = fmt::format("{}{}",
                                       map.floating             ? "f"
                                       : map.element_bytes == 4 ? "i"
                                                                : "u",
                                       8 * map.element_bytes);
  DescriptorFields fields{{"type", word_field(type)}, {"dim", list_of(map.dim)},   {"stride", list_of(map.stride)},
                          {"box", list_of(map.box)},  {"step", list_of(map.step)}, {"direction", word_field("load")}};
  if (map.interleave != 0) fields["interleave"] = word_field(fmt::format("{}B", map.interleave));
  if (map.swizzle != 0) fields["swizzle"] = word_field(fmt::format("{}B", map.swizzle));
  if (map.nan) fields["fill"] = word_field("nan");
  for (const auto& [name, value] : {std::pair("base", map.base), {"shared", map.shared}, {"desc", map.desc}})
    if (value >= 0) fields[name] = number_field(value);
  auto made = descriptor_of("tensormap", std::move(fields));
  EXPECT_TRUE(made.has_value()) << made.error().message;
  return std::move(*made);
}

TEST(TargetRules, OfTensorMapsAreTheDocumentsSentences) {
  const Target sm_90 = target("tma-sm_90");
  std::size_t accepted = 0, refused = 0;
  for (Index index = 0; index < test::fact_or_campaign(2000, 200'000); ++index) {
    Random random(20261130, 50, static_cast<std::uint64_t>(index));
    const test::TensorMapNumbers numbers = drawn(random);
    const Descriptor descriptor = descriptor_from(numbers);
    const auto found = judge(sm_90, descriptor);
    ASSERT_TRUE(found.has_value()) << print(descriptor) << ": " << found.error().message;
    std::set<std::string> fails;
    for (const RuleFinding& each : *found)
      if (each.outcome == RuleFinding::Outcome::Fails && counts(each.level)) fails.insert(each.rule);
    ASSERT_EQ(fails, test::refused_rules(numbers)) << print(descriptor);
    ASSERT_EQ(read(print(descriptor)), descriptor) << print(descriptor);
    ++(fails.empty() ? accepted : refused);
  }
  EXPECT_GT(accepted, static_cast<std::size_t>(test::fact_or_campaign(40, 4000)));  // three in a hundred
  EXPECT_GT(refused, static_cast<std::size_t>(test::fact_or_campaign(1500, 150'000)));
}

// Every target of the corpus is known by its name, and each rule of it has a source.
TEST(Targets, OfTheCorpusAreCompiledInByTheirNames) {
  std::size_t rules = 0;
  for (const std::string& name : session::target_names()) {
    const Target compiled = target(name);
    EXPECT_EQ(compiled.name, name);
    EXPECT_EQ(compiled, target(fmt::format("{}/corpus/targets/{}.toml", VL_SOURCE_DIR, name)));
    for (const TargetRule& rule : compiled.rules) EXPECT_FALSE(rule.source.empty() || rule.holds.empty()) << rule.name;
    rules += compiled.rules.size();
  }
  EXPECT_GE(session::target_names().size(), 13U);
  EXPECT_GE(rules, 150U);
}

}  // namespace use_descriptor_test
}  // namespace vl::use
