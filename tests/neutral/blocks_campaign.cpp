// Blocks: decisions about fills of mixed groups against groups that are packed, with the pads and without.
#include "verifier/neutral/blocks.h"

#include <gtest/gtest.h>

#include "encodings/values/state.h"
#include "tests/support/property.h"

namespace vl {
namespace neutral_blocks_campaign {

using namespace neutral;  // NOLINT: the folder under test
using values::Code;
using values::CodeSet;

const values::Format& of(std::string_view name) { return *values::find_format(name); }

BlockQuestion question(const char* block, const char* type, const char* contents) {
  return {*values::find_block_format(block), of(type), *values::parse_state(contents, of(type), nullptr)};
}
CodeSet set(const char* text, const char* type) { return *values::parse_state(text, of(type), nullptr); }

// What valid lanes mean beside pads; without pads the other lanes are zeros.
bool group_changes(const BlockQuestion& q, const std::vector<Code>& valid, Code pad) {
  std::array<Code, values::kBlockLanes> with{}, without{};
  for (std::size_t i = 0; i < with.size(); ++i) {
    with[i] = i < valid.size() ? valid[i] : pad;
    without[i] = i < valid.size() ? valid[i] : 0;
  }
  const auto a = values::unpack_block(q.format, values::pack_block(q.format, q.type, with));
  const auto b = values::unpack_block(q.format, values::pack_block(q.format, q.type, without));
  return !std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(valid.size()), b.begin());
}

TEST(BlockFills, AreDecidedByHand) {
  const auto harmless = [](const BlockQuestion& q, const char* fill, const char* type) {
    const auto verdict = decide_block(q, set(fill, type));
    return std::holds_alternative<BlockHarmless>(verdict)  ? 'h'
           : std::holds_alternative<BlockChanged>(verdict) ? 'c'
                                                           : 'u';
  };
  const BlockQuestion any = question("bfp8", "bf16", "any"), ones = question("bfp8", "bf16", "{1, 1.5}");
  EXPECT_EQ(harmless(any, "0", "bf16"), 'h');
  EXPECT_EQ(harmless(any, "{1}", "bf16"), 'c');
  EXPECT_EQ(harmless(any, "-inf", "bf16"), 'c');
  EXPECT_EQ(harmless(ones, "{2}", "bf16"), 'h');
  EXPECT_EQ(harmless(ones, "{256}", "bf16"), 'c');
  EXPECT_EQ(harmless(question("bfp8", "bf16", "{1.015625}"), "{2}", "bf16"), 'c');
  EXPECT_EQ(harmless(question("bfp8", "bf16", "[1..4]"), "[-1.5..1]", "bf16"), 'h');
  EXPECT_EQ(harmless(question("bfp8", "bf16", "0"), "NaN", "bf16"), 'h');  // zeros stay
  EXPECT_EQ(harmless(question("bfp8", "bf16", "bits:1"), "{1}", "bf16"), 'u');
  EXPECT_EQ(harmless(question("bfp8", "f32", "any"), "{-65504}", "f32"), 'c');
  EXPECT_EQ(harmless(question("bfp8", "f32", "[1..2]"), "{1}", "f32"), 'h');
  // Half an f16 subnormal is a normal f32: 2^-24 is no zero lane.
  EXPECT_EQ(harmless(question("bfp8", "f16", "finite"), "bits:1", "f16"), 'h');
  EXPECT_EQ(misfit(question("bfp8", "f64", "any")).empty(), false);
  EXPECT_EQ(misfit(any), "");
}

// tt-metal's own fill casts bfp8 to bf16, fills and casts back: -2000 beside these elements makes them zeros.
TEST(BlockFills, ShowTheLaneThatIsLost) {
  const auto verdict = decide_block(question("bfp8", "bf16", "{-1.5, -2.25, -3, -5.5}"), set("{-2000}", "bf16"));
  ASSERT_TRUE(std::holds_alternative<BlockChanged>(verdict));
  const auto& changed = std::get<BlockChanged>(verdict);
  EXPECT_EQ(changed.shared, 137u);
  EXPECT_EQ(changed.pad, 0xC4FAu);
  EXPECT_EQ(changed.own, values::exponent_of(of("bf16"), changed.valid));
  EXPECT_EQ(changed.want, changed.valid << 16);
  EXPECT_EQ(changed.got & 0x7FFFFFFF, 0u);
}

TEST(BlockFills, ThatAreHarmlessForAllContentsHaveExponentZero) {
  for (const char* block : {"bfp8", "bfp4", "bfp2"}) {
    EXPECT_EQ(harmless_fills(question(block, "bf16", "any")), CodeSet({{0, 0x7F}, {0x8000, 0x807F}}));
    EXPECT_EQ(harmless_fills(question(block, "f32", "finite")), CodeSet({{0, 0x7FFFFF}, {0x80000000, 0x807FFFFF}}));
  }
  // Of maximum -inf alone is neutral, and it is no such fill: no fill of a mixed group is good for both.
  EXPECT_FALSE(harmless_fills(question("bfp8", "bf16", "any")).contains(0xFF80));
  // Without subnormal numbers the least normal exponent does nothing: a smaller element is a zero.
  EXPECT_EQ(harmless_fills(question("bfp8", "bf16", "0 | [1e-37..1e38]")).contains(0x0080), true);
}

// Contents of few codes: every fill of bf16, against groups of one and two valid lanes.
TEST(BlockFills, AgreeWithPackedGroups) {
  long decided = 0, harmless = 0;
  test::for_all(300, [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    const values::BlockFormat format = test::one_of(random, values::block_formats());
    std::vector<values::CodeRange> ranges;
    std::vector<Code> codes;
    for (std::uint64_t left = 1 + random.below(3); left > 0; --left) {
      const Code fraction = random.below(2) == 0 ? random.below(4) << 5 : random.below(128);
      codes.push_back(random.below(2) << 15 | (120 + random.below(12)) << 7 | fraction);
      ranges.push_back({codes.back(), codes.back()});
    }
    const BlockQuestion q{format, of("bf16"), CodeSet(std::move(ranges))};
    const CodeSet found = harmless_fills(q);
    for (Code exponent = 0; exponent < 256; ++exponent) {
      const Code pad = random.below(2) << 15 | exponent << 7 | random.below(128);
      bool changes = false;
      for (const Code a : codes)
        for (const Code b : codes) changes = changes || group_changes(q, {a}, pad) || group_changes(q, {a, b}, pad);
      if (found.contains(pad) == changes) RC_LOG() << format.name << " " << rc::toString(codes) << " beside " << pad;
      RC_ASSERT(found.contains(pad) == !changes);
      ++decided;
      harmless += changes ? 0 : 1;
    }
  });
  EXPECT_EQ(decided, 300 * 256);
  EXPECT_GT(harmless, 10'000);
}

// The step of the law: what is unchanged under a greater exponent is unchanged under those in between. All bf16.
TEST(BlockFills, LoseNothingThatComesBack) {
  const values::Format& bf16 = of("bf16");
  long decided = 0;
  for (const values::BlockFormat& format : values::block_formats())
    for (Code code = 0x4000; code < 0x4080; ++code) {  // each fraction; exponents only move
      bool same = true;
      const unsigned own = values::exponent_of(bf16, code);
      const Code want = values::unpacked(format, values::packed(format, bf16, code, own), own);
      for (unsigned shared = own; shared < 256; ++shared, ++decided) {
        const bool now = values::unpacked(format, values::packed(format, bf16, code, shared), shared) == want;
        ASSERT_TRUE(same || !now) << format.name << std::hex << " " << code << " under " << shared;
        same = now;
      }
    }
  EXPECT_EQ(decided, 3 * 128 * 128);
}

}  // namespace neutral_blocks_campaign
}  // namespace vl
