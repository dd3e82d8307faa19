// What the gate says of single answers. Every right value here is worked out by hand.
#include <gtest/gtest.h>

#include "oracle/gate/places.h"
#include "tests/oracle/judged.h"

namespace vl::gate {
namespace oracle_gate_judge_test {

using namespace test_gate;  // NOLINT(google-build-using-namespace): helpers of these tests

const std::string kSlice =
    R"("op":"derive.slice","layout":"S[(2,2,2):(1,2,4)]","tensor":{"dtype":"u8","shape":[8]},"region":[[3,5]])";

// Element 3 = (0,1,1) lies at 2 + 4 = 6, element 4 = (1,0,0) at 1.
TEST(GateJudge, ASliceAcrossACarryIsProvedOrRefuted) {
  const Judgement right = said(kSlice, ok(R"({"layout":"S[2:-5] + 6"})"));
  EXPECT_EQ(right.word, Word::Agree);
  EXPECT_EQ(right.scope, "proved");
  const Judgement parts =
      said(kSlice, ok(R"({"parts":{"shard":[[2,-5,"m"]],"replica":[],"offset":[[6,"m"]],"swizzle":null}})"));
  EXPECT_EQ(parts.word, Word::Agree);
  const Judgement wrong = said(kSlice, ok(R"({"layout":"S[(2,1):(-2,4)] + 6"})"));
  EXPECT_EQ(wrong.word, Word::Disagree);
  EXPECT_EQ(wrong.kind, "value");
  EXPECT_NE(print_json(wrong.right).find("\"a\":[1]"), std::string::npos) << print_json(wrong.right);
  EXPECT_EQ(said(kSlice, ok(R"({"layout":"S[3:1]"})")).kind, "size");
}

TEST(GateJudge, WhatIsNoLayoutIsUnreadable) {
  for (const char* answer : {R"({"layout":"S[2:"})", R"x({"layout":"S[(2,2,2):(1,2,4)].slice((8), ((3,5)))"})x",
                             R"({})", R"({"layout":7})", R"({"layout":"S[2:-5] + 6","note":"x"})",
                             R"({"parts":{"shard":7}})", R"({"parts":{"shard":[[2,-5,"m"]],"more":1}})"}) {
    const Judgement judgement = said(kSlice, ok(answer));
    EXPECT_TRUE(judgement.word == Word::Disagree && judgement.kind == "unreadable")
        << answer << ": " << name(judgement.word) << " " << judgement.kind << " " << judgement.detail;
  }
}

// A name in the place of a number: the peer may mean the right one.
TEST(GateJudge, WhatTheReaderCannotDecideIsNotChargedToThePeer) {
  const Judgement judgement = said(kSlice, ok(R"({"layout":"S[M:1]"})"), Standing::Within);
  EXPECT_EQ(judgement.word, Word::UndecidedOurs);
  EXPECT_NE(judgement.detail.find("'M' is a name"), std::string::npos) << judgement.detail;
}

// What a library prints is read as the family reads texts, and has to be the same map; numbers are no text.
TEST(GateJudge, PrintsAreReadBack) {
  const std::string print = R"("op":"print","layout":"S[(2,3):(1,4)] + 5","tensor":{"dtype":"u8","shape":[2,3]})";
  EXPECT_EQ(said(print, ok(R"({"layout":"S[(2,3):(1,4)] + 5"})")).word, Word::Agree);
  EXPECT_EQ(said(print, ok(R"({"layout":"S[(2,3):(1@m,4@m)] + 5@m"})")).scope, "proved");
  EXPECT_EQ(said(print, ok(R"({"layout":"S[(2,3):(1,4)]"})")).kind, "value");
  EXPECT_EQ(said(print, ok(R"({"layout":"S[(2,2):(1,4)] + 5"})")).word, Word::Disagree);
  EXPECT_EQ(said(print, ok(R"({"layout":"[(2,3):(1,4)]"})")).kind, "unreadable");
  const char* parts = R"({"parts":{"shard":[[2,1,"m"],[3,4,"m"]],"replica":[],"offset":[[5,"m"]],"swizzle":null}})";
  EXPECT_EQ(said(print, ok(parts)).kind, "unreadable");
  EXPECT_EQ(said(R"("op":"place.map")" + print.substr(12), ok(parts)).word, Word::Agree);
}

// S[(2,3):(1,4)] of [2,3]: 0 4 8 1 5 9; with R[2:100] also 100 further.
TEST(GateJudge, PlacesAreComparedElementByElement) {
  const std::string place =
      R"("op":"place","layout":"S[(2,3):(1,4)]","tensor":{"dtype":"u8","shape":[2,3]},"at":"all")";
  EXPECT_EQ(said(place, ok(R"({"axes":["m"],"values":[[0],[4],[8],[1],[5],[9]]})")).word, Word::Agree);
  EXPECT_EQ(said(place, ok(R"({"axes":["laneid","m"],"values":[[0,0],[0,4],[0,8],[0,1],[0,5],[0,9]]})")).word,
            Word::Agree);
  const Judgement wrong = said(place, ok(R"({"axes":["m"],"values":[[0],[4],[8],[1],[6],[9]]})"));
  EXPECT_EQ(wrong.kind, "value");
  EXPECT_EQ(print_json(wrong.right), R"({"element":[1,1],"axes":["m"],"place":[5]})");
  for (const char* answer :
       {R"({"axes":["m"],"values":[[0],[4],[8],[1],[5]]})", R"({"axes":["m"],"values":[[0],[4],[8],[1],[5],[]]})",
        R"({"axes":["x"],"values":[[0],[4],[8],[1],[5],[9]]})", R"({"axes":["m","m"],"values":[]})",
        R"({"axes":["m"]})", R"({"axes":["m"],"values":[[0],[4],[8],[1],[5],null]})",
        R"({"axes":["m"],"values":[[0],[4],[8],[1],[5],[[9],[10]]]})"})
    EXPECT_EQ(said(place, ok(answer)).word, Word::Disagree) << answer;
}

// The right answer of a generated case, and each text that differs from it in one character.
TEST(GateJudge, PlacesThatAgreeAtOnceAgreeElementByElement) {
  std::size_t right = 0, wrong = 0;
  CaseLimits limits;
  limits.elements = 12;
  for (const use::Family* family : use::families())
    for (std::uint64_t number = 0; number < 12; ++number) {
      const auto of = make_case(*family, *find_operation("place"), 3, number, limits);
      if (!of) continue;
      const map::Layout& layout = of->of();
      Json::List axes, values;
      for (const map::Dim& dim : layout.physical().dims()) axes.emplace_back(dim.name);
      for (Index k = 0; k < layout.logical().volume(); ++k) {
        Point row = map::outputs_at(layout, layout.logical().point(k), Point(layout.replicas().rank(), 0));
        row.resize(layout.physical().rank());
        values.emplace_back(row);
      }
      Json answer;
      answer.set("axes", axes);
      answer.set("values", values);
      const std::string text = print_json(answer);
      const bool agrees = judge_place(*of, answer, "base-only").word == Word::Agree;
      EXPECT_EQ(places_agree(*of, text, "base-only"), agrees) << of->name << text;
      if (agrees) ++right;
      for (std::size_t at = 0; at < text.size(); ++at)
        for (const char c : {'0', '7', '-', ',', '[', ']', 'm'}) {
          std::string other = text;
          other[at] = c;
          const auto read = parse_json(other);
          if (!read || other == text || !places_agree(*of, other, "base-only")) continue;
          EXPECT_EQ(judge_place(*of, *read, "base-only").word, Word::Agree) << of->name << other;
          ++wrong;
        }
    }
  EXPECT_GE(right, 20U);
  EXPECT_GE(wrong, 1U);  // the name of an axis on which everything is at 0
}

TEST(GateJudge, ReplicasAreASetOrTheirBase) {
  const std::string place =
      R"("op":"place","layout":"S[2:1] + R[2:100]","tensor":{"dtype":"u8","shape":[2]},"at":"all")";
  const Reply all = ok(R"({"axes":["m"],"values":[[[100],[0]],[[1],[101]]]})");
  const Reply base = ok(R"({"axes":["m"],"values":[[0],[1]]})");
  EXPECT_EQ(said(place, all, Standing::Unstated, "all").word, Word::Agree);
  EXPECT_EQ(said(place, base, Standing::Unstated, "all").word, Word::Disagree);
  EXPECT_EQ(said(place, base, Standing::Unstated, "base-only").word, Word::Agree);
  EXPECT_EQ(said(place, all, Standing::Unstated, "base-only").word, Word::Disagree);
}

// The inner S[2:1] has span 2; the outer offset 3 counts spans (6) or steps (3).
TEST(GateJudge, TheOffsetOfATileIsAConvention) {
  const std::string tile =
      R"("op":"derive.tile","layout":"S[2:1]","tensor":{"dtype":"u8","shape":[2]},"outer":"S[2:1] + 3","outer_shape":[2])";
  const Reply scaled = ok(R"({"layout":"S[(2,2):(2,1)] + 6"})"), unscaled = ok(R"({"layout":"S[(2,2):(2,1)] + 3"})");
  EXPECT_EQ(said(tile, scaled, Standing::Unstated, "scaled").word, Word::Agree);
  EXPECT_EQ(said(tile, unscaled, Standing::Unstated, "scaled").word, Word::Disagree);
  EXPECT_EQ(said(tile, scaled, Standing::Unstated, "unscaled").word, Word::Disagree);
  EXPECT_EQ(said(tile, unscaled, Standing::Unstated, "unscaled").word, Word::Agree);
}

// Elements 0 = (0,0) and 2 = (1,0) … of S[(2,2):(1,1)]: 0 1 1 2; elements 1 and 2 share 1.
// Tiles of 2 do not divide 3 numbers: the last tile asks for number 3, which is 3 where the last mode goes on.
TEST(GateJudge, WhatALayoutSaysBeyondItsSizeIsAConvention) {
  const std::string divide =
      R"x("op":"derive.divide","layout":"(3):(1)","tensor":{"dtype":"u8","shape":[3]},"tiler":"(2):(1)")x";
  const auto word = [&](const std::string& layout, const char* convention) {
    return said(divide, ok("{\"layout\":\"" + layout + "\"}"), Standing::Unstated, convention, "cute").word;
  };
  EXPECT_EQ(word("(2,2):(1,2)", "last-mode"), Word::Agree);
  EXPECT_EQ(word("(2,2):(1,1)", "last-mode"), Word::Disagree);
  EXPECT_EQ(word("(2,2):(1,2)", "reject"), Word::Disagree);
}

// Number 3 of (3,1):(1,9) is 9 where the last mode goes on, and 3 where the mode of 3 does; 1:7 has no such mode, and
// takes every number to 0, as 1:0.
TEST(GateJudge, AModeOfOneNumberNeedNotGoOn) {
  const auto word = [&](const std::string& of, const std::string& layout, const char* convention) {
    const std::string divide = "\"op\":\"derive.divide\",\"layout\":\"" + of +
                               "\",\"tensor\":{\"dtype\":\"u8\",\"shape\":[" + (of[1] == '3' ? "3" : "1") +
                               "]},\"tiler\":\"(2):(1)\"";
    return said(divide, ok("{\"layout\":\"" + layout + "\"}"), Standing::Unstated, convention, "cute").word;
  };
  EXPECT_EQ(word("(3,1):(1,9)", "(2,2):(1,2)", "coalesced"), Word::Agree);
  EXPECT_EQ(word("(3,1):(1,9)", "(2,2):(1,2)", "last-mode"), Word::Disagree);
  EXPECT_EQ(word("(3,1):(1,9)", "(2,2):(1,2)", "reject"), Word::Disagree);
  EXPECT_EQ(word("(3,1):(1,1)", "(2,2):(1,2)", "last-mode"), Word::Disagree);  // number 3 is 1
  EXPECT_EQ(word("(1,1):(4,7)", "(2,1):(0,0)", "coalesced"), Word::Agree);
  EXPECT_EQ(word("(1,1):(4,7)", "(2,1):(7,0)", "coalesced"), Word::Disagree);
  EXPECT_EQ(word("(1,1):(4,7)", "(2,1):(7,0)", "last-mode"), Word::Agree);
}

TEST(GateJudge, DecisionsAndWitnesses) {
  const std::string asked = R"("op":"decide.injective","layout":"S[(2,2):(1,1)]","tensor":{"dtype":"u8","shape":[4]})";
  EXPECT_EQ(said(asked, ok(R"({"answer":"no"})")).word, Word::Agree);
  EXPECT_EQ(said(asked, ok(R"({"answer":"no","witness":{"a":[1],"b":[2]}})")).word, Word::Agree);
  EXPECT_EQ(said(asked, ok(R"({"answer":"no","witness":{"a":[0],"b":[1]}})")).kind, "witness");
  EXPECT_EQ(said(asked, ok(R"({"answer":"no","witness":{"a":[1],"b":[1]}})")).kind, "witness");
  EXPECT_EQ(said(asked, ok(R"({"answer":"no","witness":{"a":[1],"b":[9]}})")).kind, "witness");
  EXPECT_EQ(said(asked, ok(R"({"answer":"yes"})")).kind, "yes");
  EXPECT_EQ(said(asked, ok(R"({"answer":"maybe"})")).kind, "unreadable");
  EXPECT_EQ(*said(asked, ok(R"({"answer":"no"})")).truth, false);
}

TEST(GateJudge, SlotsAreDecoded) {
  const std::string back =
      R"("op":"back","layout":"S[(2,2):(1,4)]","tensor":{"dtype":"u8","shape":[4]},"axes":["m"],"slots":[[0],[4],[1],[5],[2]])";
  EXPECT_EQ(said(back, ok(R"({"elements":[0,1,2,3,-1]})")).word, Word::Agree);
  EXPECT_EQ(said(back, ok(R"({"elements":[0,1,2,3,0]})")).kind, "value");
  EXPECT_EQ(said(back, ok(R"({"elements":[0,1,2,3]})")).kind, "size");
}

// S[2:2] of two bytes 0x61 0x62: slots 0 and 2 of a box of 3, slot 1 is padding. "YQBi" is a, 0, b.
TEST(GateJudge, ImagesAreComparedByteByByteWithoutTheirPadding) {
  const std::string layout = R"("layout":"S[2:2]","tensor":{"dtype":"u8","shape":[2]},"data":)";
  const std::string pack = R"("op":"image.pack",)" + layout + "\"" + to_base64("ab") + "\"";
  EXPECT_EQ(said(pack, ok(R"({"data":"YQBi"})")).word, Word::Agree);
  EXPECT_EQ(said(pack, ok(R"({"data":")" + to_base64("axb") + "\"}")).word, Word::Agree);
  EXPECT_EQ(said(pack, ok(R"({"data":")" + to_base64("abb") + "\"}")).word, Word::Agree);
  EXPECT_EQ(said(pack, ok(R"({"data":")" + to_base64("bxa") + "\"}")).kind, "value");
  EXPECT_EQ(said(pack, ok(R"({"data":")" + to_base64("ab") + "\"}")).kind, "size");
  EXPECT_EQ(said(pack, ok(R"({"data":"YQB"})")).kind, "unreadable");
  const std::string unpack = R"("op":"image.unpack",)" + layout + "\"" + to_base64("axb") + "\"";
  EXPECT_EQ(said(unpack, ok(R"({"data":")" + to_base64("ab") + "\"}")).word, Word::Agree);
  EXPECT_EQ(said(unpack, ok(R"({"data":")" + to_base64("ax") + "\"}")).kind, "value");
}

TEST(GateJson, BytesComeBackFromBase64) {
  for (const std::string bytes : {"", "f", "fo", "foo", "foob", "fooba", "foobar"})
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
  EXPECT_EQ(to_base64("foobar"), "Zm9vYmFy");  // RFC 4648, section 10
  EXPECT_EQ(to_base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(to_base64("foob"), "Zm9vYg==");
  for (const char* wrong : {"Z", "Zm9", "Zm9v=", "Zh==", "Zm9=", "Z===", "====", "Zm9vYg==Zm9v", "Zm 9", "Zm9-"})
    EXPECT_FALSE(from_base64(wrong).has_value()) << wrong;
}

TEST(GateJudge, AContractDecidesWhatARefusalMeans) {
  const Reply refused{ReplyKind::Refused, *parse_json(R"({"code":"carry","msg":"not here"})"), {}, 0};
  EXPECT_EQ(said(kSlice, refused, Standing::Within).word, Word::RefusedValid);
  EXPECT_EQ(said(kSlice, refused, Standing::Outside).word, Word::Refused);
  EXPECT_EQ(said(kSlice, refused, Standing::Unstated).word, Word::Refused);
  EXPECT_EQ(said(kSlice, ok(R"({"layout":"S[2:1]"})"), Standing::Outside).word, Word::AcceptedInvalid);
  // S[4:1] has no pack by 8: a refusal is right also within.
  const std::string pack = R"("op":"derive.pack","layout":"S[4:3]","tensor":{"dtype":"u8","shape":[4]},"factor":2)";
  EXPECT_EQ(said(pack, refused, Standing::Within).word, Word::Refused);
}

// The contract `any` says that each layout may be asked about, and not that there is a result.
TEST(GateJudge, ARefusalIsAFindingOnlyWhereARightAnswerIsKnown) {
  const Reply refused{ReplyKind::Refused, *parse_json(R"({"code":"no"})"), {}, 0};
  const auto word = [&](const std::string& request) { return said(request, refused, Standing::Within).word; };
  const std::string of = R"(,"layout":"S[(2,2):(1,2)]","tensor":{"dtype":"u8","shape":[4]})";
  for (const char* op : {"place", "place.map", "decide.injective", "measure.size", "derive.canonical"})
    EXPECT_EQ(word("\"op\":\"" + std::string(op) + "\"" + of), Word::RefusedValid) << op;
  EXPECT_EQ(word(R"("op":"derive.direct-sum")" + of + R"(,"left":"S[2:8]","left_shape":[2])"), Word::RefusedValid);
  EXPECT_EQ(word(R"("op":"derive.inverse")" + of), Word::Refused);
  EXPECT_EQ(word(R"("op":"measure.cosize","layout":"S[2:1@laneid]","tensor":{"dtype":"u8","shape":[2]})"),
            Word::Refused);
}

TEST(GateContract, PropertiesOfLayouts) {
  const auto holds = [](const std::string& layout, const std::string& shape, const char* word) {
    return has_property(
        made(R"("op":"place","layout":")" + layout + R"(","tensor":{"dtype":"u8","shape":)" + shape + "}"), word);
  };
  EXPECT_TRUE(holds("S[(2,3):(3,1)]", "[6]", "bijective"));
  EXPECT_FALSE(holds("S[(2,3):(4,1)]", "[6]", "bijective"));
  EXPECT_TRUE(holds("S[(2,3):(4,1)]", "[6]", "injective"));
  EXPECT_FALSE(holds("S[(2,2):(1,1)]", "[4]", "injective"));
  EXPECT_FALSE(holds("S[2:1] + R[2:5]", "[2]", "no-replicas"));
  EXPECT_FALSE(holds("S[2:1@laneid]", "[2]", "memory-only"));
  EXPECT_FALSE(holds("S[2:-1] + 1", "[2]", "positive-strides"));
  EXPECT_FALSE(holds("S[2:1] + 1", "[2]", "no-offset"));
  EXPECT_FALSE(holds("S[3:1]", "[3]", "powers-of-two"));
  EXPECT_FALSE(holds("SwizzleLayout(0, 1, 1)", "[4]", "no-swizzle"));
}

}  // namespace oracle_gate_judge_test
}  // namespace vl::gate
