// What the gate says of answers to strides, moves, constructions, costs, nests and reductions. Every right value here
// is worked out by hand.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "oracle/gate/shrink.h"
#include "oracle/gate/throttle.h"
#include "tests/oracle/judged.h"

namespace vl::gate {
namespace oracle_gate_operations_campaign {

using namespace test_gate;  // NOLINT(google-build-using-namespace): helpers of these tests

bool is_case(const std::string& rest) {
  const auto parsed = parse_json("{\"family\":\"tirx\"," + rest + "}");
  return parsed.has_value() && case_of(*parsed).has_value();
}

std::string on(const std::string& layout, const std::string& shape, const std::string& type = "u8") {
  return R"("layout":")" + layout + R"(","tensor":{"dtype":")" + type + R"(","shape":)" + shape + "}";
}

TEST(GateStrides, AreAMapAndNotAList) {
  const std::string asked = R"("op":"measure.strides",)";
  const auto of = [&](const std::string& where, const std::string& value) {
    return said(asked + where, ok("{\"value\":" + value + "}"));
  };
  const std::string two = on("S[(2,3):(8,1)]", "[2,3]"), three = on("S[(2,3):(8,1)]", "[2,1,3]");
  EXPECT_EQ(of(two, "[8,1]").word, Word::Agree);
  EXPECT_EQ(of(two, "[8,1]").scope, "all-elements");
  EXPECT_EQ(of(two, "[8,2]").kind, "value");
  EXPECT_EQ(print_json(of(two, "[8,2]").right), R"({"value":[8,1]})");
  EXPECT_EQ(of(two, "[8,1,1]").kind, "size");
  EXPECT_EQ(of(two, "null").kind, "no");
  EXPECT_EQ(of(two, "8").kind, "unreadable");
  for (const char* any : {"[8,0,1]", "[8,-7,1]", "[8,9223372036854775807,1]"})
    EXPECT_EQ(of(three, any).word, Word::Agree) << any;
  // Elements 2 and 3 lie at 2 and 8.
  EXPECT_EQ(of(on("S[(2,3):(8,1)]", "[6]"), "null").word, Word::Agree);
  EXPECT_EQ(*of(on("S[(2,3):(8,1)]", "[6]"), "null").truth, false);
  EXPECT_EQ(of(on("S[(2,3):(8,1)]", "[6]"), "[1]").kind, "value");
  EXPECT_EQ(of(on("S[2:1] + R[2:4] + 5", "[2]"), "[1]").word, Word::Agree);
  EXPECT_NE(of(on("S[2:1] + 5", "[2]"), "[9223372036854775807]").detail.find("beyond 64 bits"), std::string::npos);
  EXPECT_FALSE(is_case(asked + on("S[2:1@laneid]", "[2]")));
}

// Element 2^31 - 1 lies at 3 times that, 6442450941, whose lower 32 bits are 2147483645.
TEST(GatePlaceAt, SomeElementsOfALargeTensorAreCompared) {
  const std::string asked = R"("op":"place.at",)" + on("S[2147483648:3]", "[2147483648]");
  const auto of = [&](const std::string& rows) {
    return said(asked + R"(,"elements":[0,1,2147483647])", ok(R"({"axes":["m"],"values":)" + rows + "}"),
                Standing::Unstated, "all");
  };
  EXPECT_EQ(of("[[0],[3],[6442450941]]").word, Word::Agree);
  EXPECT_EQ(of("[[0],[3],[6442450941]]").scope, "sampled");
  EXPECT_EQ(of("[[0],[3],[2147483645]]").kind, "value");
  EXPECT_EQ(print_json(of("[[0],[3],[2147483645]]").right),
            R"({"element":[2147483647],"axes":["m"],"place":[6442450941]})");
  EXPECT_EQ(of("[[0],[3]]").kind, "size");
  std::string many = "0";
  for (int k = 1; k < 513; ++k) many += "," + std::to_string(k);
  for (const std::string& wrong : {std::string("[]"), std::string("[1,0]"), std::string("[1,1]"), std::string("[-1]"),
                                   std::string("[2147483648]"), std::string("[\"0\"]"), "[" + many + "]"})
    EXPECT_FALSE(is_case(asked + ",\"elements\":" + wrong)) << wrong;
  EXPECT_FALSE(is_case(asked));
  EXPECT_TRUE(is_case(asked + R"(,"elements":[2147483647])"));
  EXPECT_FALSE(is_case(R"("op":"place",)" + on("S[2:3]", "[2]") + R"(,"at":"all","elements":[0])"));
  // Every smaller case asks for elements that it has.
  std::size_t count = 0;
  for (const Case& next : smaller_cases(made(asked + R"(,"elements":[5,2147483647])"))) {
    ASSERT_FALSE(next.elements.empty());
    EXPECT_LT(next.elements.back(), next.of().logical().volume());
    ++count;
  }
  EXPECT_GE(count, 4U);
}

// "axb" is a and b in slots 0 and 2; S[2:1] + 1 has them in 1 and 2 of three slots.
TEST(GateImages, AMoveIsComparedWhereElementsLive) {
  const auto move = [&](const std::string& to) {
    return R"("op":"image.move",)" + on("S[2:2]", "[2]") + R"(,"data":")" + to_base64("axb") + R"(","to":")" + to +
           "\"";
  };
  const auto of = [&](const std::string& bytes) {
    return said(move("S[2:1] + 1"), ok(R"({"data":")" + to_base64(bytes) + "\"}"));
  };
  EXPECT_EQ(of("?ab").word, Word::Agree);
  EXPECT_EQ(of("zab").scope, "all-bytes");
  EXPECT_EQ(of("?ba").kind, "value");
  EXPECT_EQ(print_json(of("?aa").right), R"({"element":[1],"slot":[2],"bytes":"Yg=="})");
  EXPECT_EQ(of("ab").kind, "size");
  EXPECT_FALSE(is_case(move("S[2:0]")));
  EXPECT_FALSE(is_case(move("S[3:1]")));
  EXPECT_TRUE(is_case(move("S[2:1]") + R"(,"to_image":{"axes":["m"],"extents":[2]})"));
  EXPECT_FALSE(is_case(move("S[2:1]") + R"(,"to_image":{"axes":["m"],"extents":[3]})"));
}

// wgid counts warpgroups and laneid threads of a warp; without the warps between them the levels do not connect.
TEST(GateConstruct, WhatIsWrongIsRefusedAndWhatIsRightIsTaken) {
  const auto given = [](const std::string& text) {
    return R"("op":"construct",)" + on("S[4:1]", "[4]") + R"(,"given":")" + text + "\"";
  };
  const Reply yes = ok(R"({"answer":"yes"})"), no = ok(R"({"answer":"no"})");
  const Reply refused{ReplyKind::Refused, *parse_json(R"({"code":"extent","msg":"no"})"), {}, 0};
  for (const char* right :
       {"S[4:1]", "S[4:0]", "S[4:1] + R[2:0]", "ComposeLayout(0, 1, 1, S[4:1])", "S[(2,2):(1@laneid,1@warpid)]"}) {
    EXPECT_EQ(said(given(right), yes).word, Word::Agree) << right;
    EXPECT_EQ(said(given(right), yes).scope, "proved") << right;
    EXPECT_EQ(said(given(right), refused, Standing::Within).word, Word::RefusedValid) << right;
    EXPECT_EQ(said(given(right), no, Standing::Within).word, Word::RefusedValid) << right;
    EXPECT_EQ(said(given(right), refused).word, Word::Refused) << right;
  }
  for (const char* wrong : {"S[0:1]", "S[-4:1]", "S[4:1] + R[0:1]", "ComposeLayout(0, 2, 1, S[4:1])", "S[4:1",
                            "S[(2,2):(1@laneid,1@wgid)]", "ComposeLayout(0, 1, 1, S[4:1@laneid])"}) {
    EXPECT_EQ(said(given(wrong), refused).word, Word::Agree) << wrong;
    EXPECT_EQ(said(given(wrong), no).truth, false) << wrong;
    EXPECT_EQ(said(given(wrong), yes).word, Word::InvalidAccepted) << wrong;
    EXPECT_EQ(said(given(wrong), yes, Standing::Outside).word, Word::AcceptedInvalid) << wrong;
  }
  EXPECT_TRUE(is_finding(Word::InvalidAccepted));
  // Another number of elements, a number of more than 64 bits, and addresses below 0 beneath a swizzle.
  for (const char* open : {"S[5:1]", "S[4:99999999999999999999]", "ComposeLayout(0, 1, 1, S[4:-1])", "S[M:1]"})
    EXPECT_EQ(said(given(open), yes).word, Word::UndecidedOurs) << open;
  EXPECT_EQ(said(given("S[4:1]"), ok(R"({"answer":"perhaps"})")).kind, "unreadable");
  const std::string parts = R"(,"given_parts":{"shard":[[4,1,"m"]],"replica":[],"offset":[],"swizzle":null})";
  EXPECT_TRUE(is_case(given("S[4:1]") + parts));
  EXPECT_FALSE(is_case(given("S[4:2]") + parts));
}

TEST(GateConstruct, HalfOfTheCasesAreWrongInOneWay) {
  std::size_t families = 0;
  for (const use::Family* family : use::families()) {
    if (!applies(*find_operation("construct"), *family)) continue;
    ++families;
    int wrong = 0, all = 0;
    for (std::uint64_t number = 0; number < 120; ++number) {
      const auto of = make_case(*family, *find_operation("construct"), 3, number, {});
      if (!of) continue;
      ++all;
      const auto read = family->read(of->arguments.front().text, of->tensor);
      const bool holds = read && std::ranges::all_of(read->rules, [](const use::Rule& r) { return r.have == r.want; });
      if (!holds) ++wrong;
    }
    EXPECT_GE(all, 100) << family->name;
    EXPECT_GE(wrong * 10, all * 3) << family->name;
    EXPECT_LE(wrong * 10, all * 7) << family->name;
  }
  EXPECT_GE(families, 1U);
}

// Rows of 8 words: 16 bytes of lane k begin in bank 8k, so of the eight lanes of a phase two share each bank. Rows of
// 32 words: all lanes need bank 0.
TEST(GateCost, TheUnitIsAConvention) {
  const auto of = [](const std::string& where, const std::string& access, int value, const char* unit) {
    return said(R"("op":"cost",)" + where + R"(,"access":")" + access + R"(","hardware":"sm_90")",
                ok("{\"value\":" + std::to_string(value) + "}"), Standing::Unstated, unit);
  };
  const std::string eight = on("S[(32,8):(8,1)]", "[32,8]", "f32"), wide = "lanes=32 width=16 at=[lane, 0]";
  const std::string rows = on("S[(32,32):(32,1)]", "[32,32]", "f32"),
                    column = "lanes=32 width=4 at=[lane, i] for i=0:2";
  const std::map<std::string, std::pair<int, int>> right = {
      {"wavefronts", {8, 32}}, {"ways", {2, 32}}, {"excess", {4, 31}}};
  for (const auto& [unit, values] : right) {
    EXPECT_EQ(of(eight, wide, values.first, unit.c_str()).word, Word::Agree) << unit;
    EXPECT_EQ(of(eight, wide, values.first + 1, unit.c_str()).kind, "value") << unit;
    EXPECT_EQ(of(rows, column, values.second, unit.c_str()).word, Word::Agree) << unit;
    EXPECT_TRUE(of(rows, column, values.second, unit.c_str()).checked) << unit;
  }
  const auto asks = [&](const std::string& access, const std::string& more) {
    return is_case(R"("op":"cost",)" + on("S[(2,2):(2,1)]", "[2,2]") + R"(,"hardware":"sm_90","access":")" + access +
                   "\"" + more);
  };
  EXPECT_TRUE(asks("lanes=2 width=1 at=[lane, 1]", R"(,"instances":[[1,3]])"));
  EXPECT_FALSE(asks("lanes=2 width=1 at=[lane, 1]", R"(,"instances":[[1,2]])"));
  for (const char* wrong : {"lanes=3 width=1 at=[lane, 1]", "lanes=2 width=3 at=[lane, 1]", "lanes=2 at=", "tv=S[2:1]",
                            "lanes=64 width=1 at=[0, 1]", "lanes=2 width=1 at=[lane, 1] base=16"})
    EXPECT_FALSE(asks(wrong, "")) << wrong;
}

// u8[2,3] with rows of 4 slots: slots 0 1 2 4 5 6 of 7.
TEST(GateNests, AreJudgedByThreeClaims) {
  const auto of = [](const std::string& nests, const std::string& direction = "h2d") {
    return said(R"("op":"nests",)" + on("S[(2,3):(4,1)]", "[2,3]") + R"(,"direction":")" + direction + "\"",
                ok("{\"nests\":" + nests + "}"));
  };
  const auto nest = [](const std::string& host, const std::string& device, int from, int to) {
    return R"([{"extents":[2,3],"host_strides":)" + host + R"(,"device_strides":)" + device + R"(,"host_offset":)" +
           std::to_string(from) + R"(,"device_offset":)" + std::to_string(to) + "}]";
  };
  for (const char* direction : {"h2d", "d2h"}) {
    EXPECT_EQ(of(nest("[3,1]", "[4,1]", 0, 0), direction).word, Word::Agree);
    EXPECT_EQ(of(nest("[3,-1]", "[4,-1]", 2, 2), direction).scope, "proved");
    EXPECT_EQ(of(nest("[3,1]", "[4,1]", 0, 1), direction).kind, "in-bounds");
    EXPECT_EQ(of(nest("[3,-1]", "[4,1]", 2, 0), direction).kind, "implements");
    EXPECT_EQ(of("[]", direction).kind, "covers-once");
  }
  EXPECT_EQ(of(nest("[3,1]", "[3,1]", 0, 0)).kind, "covers-once");  // slot 6 is not written
  EXPECT_EQ(of(nest("[3]", "[4,1]", 0, 0)).kind, "unreadable");
  EXPECT_EQ(of(R"([{"extents":[6]}])").kind, "unreadable");
  EXPECT_EQ(of("7").kind, "unreadable");
  EXPECT_FALSE(is_case(R"("op":"nests",)" + on("S[2:0]", "[2]") + R"(,"direction":"h2d")"));
  EXPECT_FALSE(is_case(R"("op":"nests",)" + on("S[2:1]", "[2]") + R"(,"direction":"d2d")"));
}

// Of two elements 2^61 apart there is no image; 2^61 slots of 8 bytes would be 0 bytes in 64 bits.
TEST(GateImages, OfManySlotsThereAreNone) {
  const std::string far = "S[2:1] + 2305843009213693952", near = "S[2:1] + 4000", type = "f64";
  const std::string data = R"(,"data":")" + to_base64(std::string(16, 'x')) + "\"";
  for (const auto& [offset, good] : {std::pair(near, true), {far, false}}) {
    EXPECT_EQ(is_case(R"("op":"image.pack",)" + on(offset, "[2]", type) + data), good);
    EXPECT_EQ(is_case(R"("op":"image.move",)" + on("S[2:1]", "[2]", type) + data + R"(,"to":")" + offset + "\""), good);
    EXPECT_EQ(is_case(R"("op":"nests.move",)" + on("S[2:1]", "[2]", type) + R"(,"to":")" + offset + "\""), good);
  }
  EXPECT_FALSE(is_case(R"("op":"neutral",)" + on(far, "[2]", type) + data + R"(,"reduction":"sum","over":0)"));
}

// From the slots 0 1 2 4 5 6 of 7 to the slots i + 2j of 6.
TEST(GateNests, BetweenTwoLayoutsAreJudgedByTheSameClaims) {
  const std::string to = R"(,"to":"S[(2,3):(1,2)]")";
  const auto of = [&](const std::string& nests) {
    return said(R"("op":"nests.move",)" + on("S[(2,3):(4,1)]", "[2,3]") + to, ok("{\"nests\":" + nests + "}"));
  };
  const auto nest = [](const std::string& strides, const std::string& to_strides, int offset, int to_offset) {
    return R"([{"extents":[2,3],"from_strides":)" + strides + R"(,"to_strides":)" + to_strides + R"(,"from_offset":)" +
           std::to_string(offset) + R"(,"to_offset":)" + std::to_string(to_offset) + "}]";
  };
  EXPECT_EQ(of(nest("[4,1]", "[1,2]", 0, 0)).word, Word::Agree);
  EXPECT_EQ(of(nest("[4,-1]", "[1,-2]", 2, 4)).scope, "proved");
  const Judgement other = of(nest("[4,1]", "[3,1]", 0, 0));  // the same slots, other elements
  EXPECT_EQ(other.kind, "implements");
  EXPECT_EQ(other.detail,
            "nest 0, iteration [0, 1] is not a move of this layout: from offset 1 holds element [0, 1], "
            "to offset 1 holds element [1, 0]");
  EXPECT_EQ(of(nest("[4,1]", "[1,2]", 0, 1)).kind, "in-bounds");    // slot 6 of 6
  EXPECT_EQ(of(nest("[4,1]", "[1,2]", 1, 0)).kind, "in-bounds");    // slot 7 of 7
  EXPECT_EQ(of(nest("[4,1]", "[1,1]", 0, 0)).kind, "covers-once");  // slot 1 is written twice
  EXPECT_EQ(of("[]").kind, "covers-once");
  EXPECT_EQ(of(R"([{"extents":[6],"host_strides":[1],"device_strides":[1],"host_offset":0,"device_offset":0}])").kind,
            "unreadable");
  const std::string from = on("S[(2,3):(4,1)]", "[2,3]");
  EXPECT_TRUE(is_case(R"("op":"nests.move",)" + from + to));
  EXPECT_FALSE(is_case(R"("op":"nests.move",)" + from));
  EXPECT_FALSE(is_case(R"("op":"nests.move",)" + from + R"(,"to":"S[(2,3):(0,1)]")"));  // elements share slots
  EXPECT_FALSE(is_case(R"("op":"nests.move",)" + from + to + R"(,"to_image":{"axes":["m"],"extents":[7]})"));
}

std::string f16(std::initializer_list<unsigned> codes) {
  std::string out;
  for (const unsigned code : codes) out += static_cast<char>(code & 0xFF), out += static_cast<char>(code >> 8);
  return to_base64(out);
}

TEST(GateNests, AllReplicasAreWrittenAndOneIsRead) {
  const auto of = [](const std::string& direction, const std::string& nest) {
    return said(R"("op":"nests",)" + on("S[2:1] + R[2:4]", "[2]") + R"(,"direction":")" + direction + "\"",
                ok(R"({"nests":[)" + nest + "]}"));
  };
  const std::string one =
      R"({"extents":[2],"host_strides":[1],"device_strides":[1],"host_offset":0,"device_offset":4})";
  const std::string both =
      R"({"extents":[2,2],"host_strides":[0,1],"device_strides":[4,1],"host_offset":0,"device_offset":0})";
  EXPECT_EQ(of("h2d", both).word, Word::Agree);
  EXPECT_EQ(of("h2d", one).kind, "covers-once");
  EXPECT_EQ(of("d2h", one).word, Word::Agree);
  EXPECT_EQ(of("d2h", both).kind, "covers-once");
}

// 1, 2, 3, a NaN in the padding, 4, 5, 6.
TEST(GateNeutral, TheResultIsThatOfTheElementsAlone) {
  const std::string image = f16({0x3C00, 0x4000, 0x4200, 0x7E00, 0x4400, 0x4500, 0x4600});
  const auto of = [&](const std::string& reduction, int over, std::initializer_list<unsigned> codes) {
    return said(R"("op":"neutral",)" + on("S[(2,3):(4,1)]", "[2,3]", "f16") + R"(,"reduction":")" + reduction +
                    R"(","over":)" + std::to_string(over) + R"(,"data":")" + image + "\"",
                ok(R"({"data":")" + f16(codes) + "\"}"), Standing::Unstated, "seq");
  };
  EXPECT_EQ(of("sum", 1, {0x4600, 0x4B80}).word, Word::Agree);  // 6 and 15
  EXPECT_EQ(of("sum", 0, {0x4500, 0x4700, 0x4880}).word, Word::Agree);
  EXPECT_EQ(of("prod", 1, {0x4600, 0x5780}).word, Word::Agree);  // 6 and 120
  EXPECT_EQ(of("max", 1, {0x4200, 0x4600}).word, Word::Agree);
  EXPECT_EQ(of("min", 1, {0x3C00, 0x4400}).scope, "all-elements");
  EXPECT_EQ(of("sum", 1, {0x7E00, 0x4B80}).kind, "value");
  EXPECT_EQ(of("sum", 1, {0x4600}).kind, "size");
}

// 2048 and three times 1: beside 2048 a 1 is half of a step.
TEST(GateNeutral, TheArithmeticIsAConvention) {
  const std::map<std::string, unsigned> right = {
      {"seq", 0x6800}, {"tree", 0x6801}, {"seq-f32", 0x6802}, {"tree-f32", 0x6802}};
  const std::string asked = R"("op":"neutral",)" + on("S[4:1]", "[4]", "f16") +
                            R"(,"reduction":"sum","over":0,"data":")" + f16({0x6800, 0x3C00, 0x3C00, 0x3C00}) + "\"";
  for (const auto& [how, code] : right)
    for (const unsigned says : {0x6800U, 0x6801U, 0x6802U})
      EXPECT_EQ(said(asked, ok(R"({"data":")" + f16({says}) + "\"}"), Standing::Unstated, how).word == Word::Agree,
                says == code)
          << how << says;
  EXPECT_FALSE(is_case(R"("op":"neutral",)" + on("S[2:1]", "[2]") + R"(,"reduction":"mean","over":0,"data":"AAE=")"));
  EXPECT_FALSE(is_case(R"("op":"neutral",)" + on("S[2:1]", "[2]") + R"(,"reduction":"sum","over":1,"data":"AAE=")"));
  EXPECT_FALSE(is_case(R"("op":"neutral",)" + on("S[2:1]", "[2]") + R"(,"reduction":"sum","over":0,"data":"AA==")"));
}

// 32 scouts under both values of the convention; S[2:1] + 5 has an offset, S[2:-1] + 1 also steps downwards.
TEST(GateThrottle, OnlyCasesWithAllFeaturesOfAKnownFindingAreLeftOut) {
  std::vector<OpTotals> rows(2);
  for (OpTotals& row : rows) {
    row.family = "tirx", row.op = "place";
    row.scouted = {{"tirx/place/value/bijective,offset", kHits}, {"tirx/place/hung", 900}};
  }
  rows[0].scouted["tirx/place/value/bijective"] = kHits - 1, rows[1].scouted["tirx/place/value/bijective"] = 900;
  const auto known = known_kinds(rows);
  ASSERT_EQ(known.size(), 1U);
  const auto place = [](const std::string& layout) { return made(R"("op":"place",)" + on(layout, "[2]")); };
  EXPECT_FALSE(known[0].has(place("S[2:1]")));
  EXPECT_FALSE(known[0].has(place("S[2:1] + 5")));  // injective: slots 0 to 4 are empty
  EXPECT_TRUE(known[0].has(place("S[2:-1] + 1")));
  EXPECT_FALSE(known[0].has(made(R"("op":"measure.size",)" + on("S[2:-1] + 1", "[2]"))));
  int left = 0;
  for (std::uint64_t index = 0; index < 1600; ++index) left += is_throttled(known, place("S[2:-1] + 1"), index) ? 0 : 1;
  EXPECT_NEAR(left, 100, 40);
  EXPECT_FALSE(is_throttled(known, place("S[2:1]"), 1));
  rows[1].scouted.erase("tirx/place/value/bijective,offset");
  EXPECT_TRUE(known_kinds(rows).empty());
}

// A case is its request, and so is each smaller one.
TEST(GateOperations, CasesAndSmallerOnesAreReadBack) {
  std::size_t cases = 0, smaller = 0;
  for (const char* name : {"measure.strides", "image.pack", "image.unpack", "image.move", "construct", "cost", "nests",
                           "nests.move", "neutral"})
    for (const use::Family* family : use::families()) {
      std::size_t made = 0;
      for (std::uint64_t number = 0; number < 12; ++number) {
        const auto of = make_case(*family, *find_operation(name), 5, number, {});
        if (!of) continue;
        ++made;
        const auto again = case_of(of->request.read());
        ASSERT_TRUE(again.has_value()) << of->name << ": " << again.error().message;
        EXPECT_EQ(again->request, of->request);
        smaller += smaller_cases(*of).size();
      }
      cases += made;
      EXPECT_TRUE(family->name != "tirx" || made >= 10U) << name << ": " << made;
    }
  EXPECT_GE(cases, 100U);
  EXPECT_GE(smaller, 1000U);
}

// Whether two points of a layout share a slot, by a look at each.
bool collides(const map::Layout& layout) {
  std::set<Index> seen;
  for (Index k = 0; k < layout.domain().volume(); ++k) {
    const Point p = layout.domain().point(k);
    const std::span<const Index> all(p);
    const std::size_t rank = layout.logical().rank();
    const auto slot = layout.slot_number(map::outputs_at(layout, all.first(rank), all.subspan(rank)));
    if (slot && !seen.insert(*slot).second) return true;
  }
  return false;
}

// A yes is no answer for all: of each family there are layouts in which elements meet, and moves between two of its
// images.
TEST(GateOperations, EveryFamilyHasCollisionsAndMoves) {
  int families = 0;
  for (const use::Family* family : use::families()) {
    if (family->campaign == nullptr) continue;
    SCOPED_TRACE(family->name);
    ++families;
    std::size_t asked = 0, meet = 0;
    for (std::uint64_t number = 0; number < 200; ++number) {
      const auto of = make_case(*family, *find_operation("decide.injective"), 5, number, {});
      asked += of ? 1 : 0;
      meet += of && collides(of->of()) ? 1 : 0;
    }
    EXPECT_GE(asked, 150U);
    EXPECT_GE(meet * 20, asked);
    EXPECT_GE((asked - meet) * 2, asked);
    for (const char* name : {"image.move", "nests.move"}) {
      std::size_t moves = 0, others = 0;
      for (std::uint64_t number = 0; number < 60; ++number) {
        const auto of = make_case(*family, *find_operation(name), 5, number, {});
        moves += of ? 1 : 0;
        others += of && of->arguments.front().text != of->layout ? 1 : 0;
      }
      EXPECT_GE(moves, 50U) << name;
      EXPECT_GE(others * 4, moves * 3) << name;
    }
  }
  EXPECT_GE(families, 3);
}

}  // namespace oracle_gate_operations_campaign
}  // namespace vl::gate
