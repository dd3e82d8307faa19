// Fills of tensor maps against a look at every byte that boxes write; values of fills; and what is not known.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "encodings/values/state.h"
#include "tests/claims/tile_boxes.h"
#include "tests/support/property.h"
#include "tests/support/sanitized.h"
#include "verifier/checker/check.h"
#include "verifier/claims/claim.h"
#include "verifier/claims/proofs/certify.h"

namespace vl::claims {
namespace claims_fills_test {

using namespace test::tiles;

// The bytes that are wrong, in their order, and whether a slot of padding is met, or one beyond the layout filled.
struct Looked {
  std::map<Index, std::string> wrong;
  bool met = false;
};

Looked looked_at(const Tiles& right, const Tiles& asked, Index begin, Index end) {
  std::set<Index> elements, moved;
  for (const auto& [tensor, byte] : right.moved()) elements.insert(byte);
  for (const auto& [tensor, byte] : asked.moved()) moved.insert(byte);
  const std::set<Index> filled = asked.filled();
  Looked out;
  for (const Index byte : filled) {
    if (elements.contains(byte)) out.wrong[byte] = "an element lies there";
    else out.met = true;
  }
  for (const Index byte : moved)
    if (!elements.contains(byte) && byte >= begin && byte < end)
      out.wrong[byte] = "padding is not filled", out.met = true;
  return out;
}

// What a certificate of the answer states.
checker::Statement stated(const FilledTiles& about, const Verdict& verdict) {
  const auto out = statement_of(*find_claim("fills"), about, verdict, {"L", "T", {}});
  RC_ASSERT(out.has_value());
  return *out;
}

TEST(Fills, AreRightIffNoByteIs) {
  std::map<std::string, int> count;
  test::for_all(test::fact_or_campaign(500, 20000), [&] {
    test::Engine random = *test::engines();
    const auto pick = [&](Index low, Index high) { return test::roll(random, low, high); };
    Tiles right = drawn(pick);
    right.load = true;
    deal_boxes(right, 1024 * pick(0, 2));
    if (right.boxes.size() > 40) return;
    Index last = 0;  // the layout's last byte, from address 0
    for (const auto& [tensor, byte] : right.moved()) last = std::max(last, byte + right.bytes);
    const Index slots = last / right.bytes + (pick(0, 1) == 0 ? 0 : pick(0, 200));
    const map::Layout layout = layout_of(right, right.boxes[0].shared, slots);
    Tiles asked = right;
    if (pick(0, 2) > 0) spoil(asked, pick);
    if (asked.boxes.empty()) return;
    for (const Box& box : asked.boxes) RC_LOG() << asked.text(box) << "\n";
    const auto read = read_boxes(asked);
    RC_ASSERT(read.size() == asked.boxes.size());
    const auto tiles = use::tile_moves(read);
    RC_ASSERT(tiles.has_value());
    const Looked truth = looked_at(right, asked, 0, slots * right.bytes);
    const FilledTiles about{{layout, *tiles, 0}, {}, nullptr, {}};
    const auto verdict = decide(*find_claim("fills"), about, {}).verdict;
    const std::string want = !truth.wrong.empty() ? "refuted" : truth.met ? "proved" : "vacuous";
    RC_ASSERT(question::word(verdict) == want);
    ++count[truth.wrong.empty() ? want : truth.wrong.begin()->second];
    RC_ASSERT(checker::check(stated(about, question::Proved{}), {}).has_value() == (want != "proved"));
    checker::Evidence byte;
    byte.witness = checker::Showing{{pick(0, last + 200)}, {}};
    if (!truth.wrong.empty() && pick(0, 1) == 0)
      byte.witness->a = {std::next(truth.wrong.begin(), pick(0, static_cast<Index>(truth.wrong.size()) - 1))->first};
    const bool wrong = truth.wrong.contains(static_cast<Index>(byte.witness->a[0].narrow()));
    RC_ASSERT(checker::check(stated(about, question::Refuted{}), byte).has_value() == !wrong);
    ++count[wrong ? "a byte shown" : "a byte not shown"];
    if (truth.wrong.empty()) return;
    RC_ASSERT(certify(*find_claim("fills"), stated(about, verdict), verdict).has_value());
    const auto& shown = std::get<question::Refuted>(verdict).counterexample;
    RC_ASSERT(shown.minimal);
    RC_ASSERT(std::get<Index>(shown.fields[0].second) == truth.wrong.begin()->first);
    RC_ASSERT(std::get<std::string>(shown.fields[1].second) == truth.wrong.begin()->second);
    RC_ASSERT(std::get<Index>(shown.fields.back().second) == static_cast<Index>(truth.wrong.size()));
  });
  for (const auto& [kind, times] : count) fmt::print("{}: {}\n", kind, times);
  for (const char* kind :
       {"proved", "vacuous", "an element lies there", "padding is not filled", "a byte shown", "a byte not shown"})
    EXPECT_GE(count[kind], test::fact_or_campaign(10, 400)) << kind;
}

// A NaN of one type is none of another, and an integer has none.
TEST(Fills, WithNanAreNotKnownInAnotherType) {
  const auto word = [](const std::string& map, const char* tensor, const char* state) {
    const std::string text =
        fmt::format("load tensormap({}, dim (40,8), stride (80), box (64,8), fill nan) at (0,0) to 0", map);
    const auto read = use::parse_descriptor(text);
    const auto tiles = use::tile_moves(std::span(&*read, 1));
    Tiles made{map, "none", true, 2, {40, 8}, {80}, {64, 8}, {1, 1}, {{{0, 0}, 0}}};
    const map::Layout layout = layout_of(made, 0, 8 * 64);
    const values::Format* format = values::find_element_format(tensor);
    const auto codes = values::parse_state(state, *format, nullptr);
    return std::string(question::word(
        decide(*find_claim("fills"), FilledTiles{{layout, *tiles, 0}, *codes, format, state}, {}).verdict));
  };
  EXPECT_EQ(word("f16", "f16", "NaN"), "proved");
  EXPECT_EQ(word("f16", "f16", "0"), "refuted");
  EXPECT_EQ(word("f16", "f16", "bits:0x7FFF"), "unknown");
  EXPECT_EQ(word("f16", "bf16", "NaN"), "unknown");  // 0x7C01 is a number of bf16
  EXPECT_EQ(word("u16", "i16", "0"), "unknown");
}

}  // namespace claims_fills_test
}  // namespace vl::claims
