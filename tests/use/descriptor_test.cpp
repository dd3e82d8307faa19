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

TEST(TargetRules, OfNamesForSizesAreOpenAndNotHeld) {
  const auto found = judge(target("tma-sm_90"), read("tensormap(f16, dim (K,64), stride (2*K), box (64,64))"));
  ASSERT_TRUE(found.has_value());
  const auto stride = std::ranges::find(*found, "stride-alignment[0]", &RuleFinding::rule);
  ASSERT_NE(stride, found->end());
  EXPECT_EQ(stride->outcome, RuleFinding::Outcome::Open);
  EXPECT_FALSE(stride->sizes.empty());
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
