// What the gate reads from an adapter: every text is refused with a reason, or means exactly what it says.
#include <gtest/gtest.h>

#include "oracle/fuzz/subject.h"
#include "oracle/gate/cases.h"
#include "oracle/gate/json.h"
#include "oracle/gate/plain_json.h"
#include "oracle/gate/protocol.h"
#include "oracle/gate/record.h"
#include "tests/support/sanitized.h"

namespace vl::gate {
namespace oracle_gate_protocol_test {

struct Reject {
  const char* name;
  std::string text;
  const char* says;
};

std::string times(std::size_t count, const std::string& text) {
  std::string out;
  for (std::size_t k = 0; k < count; ++k) out += text;
  return out;
}

TEST(GateJson, RefusesWhatIsNoJsonOfTheProtocol) {
  const Reject kRejects[] = {
      {"nothing", "", "expected a value"},
      {"a float", "[1.5]", "after the digits"},
      {"an exponent", "1e5", "after the digits"},
      {"not a number", "NaN", "expected a value"},
      {"infinity", "-Infinity", "expected a value"},
      {"10^400", "1" + std::string(400, '0'), "64"},
      {"2^63", "9223372036854775808", "64"},
      {"a leading zero", "[007]", "leading zero"},
      {"hexadecimal", "0x10", "hexadecimal"},
      {"a plus", "+1", "'+'"},
      {"three million brackets", std::string(3'000'000, '['), "16 lists"},
      {"17 levels", times(17, "[") + times(17, "]"), "16 lists"},
      {"a key twice", R"({"a":1,"a":2})", "twice"},
      {"a comma too many", "[1,]", "another value"},
      {"two values", "{} {}", "expected the end"},
      {"no end", R"({"a":)", "expected a value"},
      {"an open string", "\"abc", "does not end"},
      {"a control byte in a string", "\"a\nb\"", "does not end"},
      {"half a surrogate", R"("\ud800")", "escape"},
      {"no UTF-8", "\"\xff\xfe\"", "UTF-8"},
      {"an overlong sequence", "\"\xc0\xaf\"", "UTF-8"},
      {"a surrogate in UTF-8", "\"\xed\xa0\x80\"", "UTF-8"},
      {"beyond Unicode", "\"\xf4\x90\x80\x80\"", "UTF-8"},
      {"a cut sequence", "\"\xe2\x82", "UTF-8"},
      {"a word", "nul", "expected a value"},
  };
  for (const Reject& reject : kRejects) {
    const auto read = parse_json(reject.text);
    ASSERT_FALSE(read.has_value()) << reject.name;
    EXPECT_NE(read.error().message.find(reject.says), std::string::npos) << reject.name << ": " << read.error().message;
    EXPECT_LE(read.error().offset, reject.text.size()) << reject.name;
  }
}

TEST(GateJson, PrintsWhatItReads) {
  for (const std::string text :
       {"null", "true", "false", "0", "-9223372036854775808", "9223372036854775807", R"("a\"\\b")", "[]", "{}",
        R"([1,[2,[]],{"a":{"b":null},"é":"\u0001"}])", "\"\xf0\x9f\x98\x80\""}) {
    const auto read = parse_json(text);
    ASSERT_TRUE(read.has_value()) << text;
    EXPECT_EQ(print_json(*read), text);
  }
}

// Behind a line's end a text is not plain, so there parse_json() reads it by the strict reader.
TEST(GateJson, ThePlainReaderTakesOnlyWhatTheStrictOneTakes) {
  const std::string kTexts[] = {
      R"({"seq":7,"answers":[{"ok":{"axes":["m","tx"],"values":[[0,-1],[ 20 , 3]]}},{"ok":{}},{"refused":{"x":[]}}]})",
      R"([true,false,null,"a b",[[],[]],{"a":{"b":1}},-9,123456789012345678])",
      R"([1.5,"\u0041",1e5,-0,007,1234567890123456789,{"a":1,"a":2},[1,],{"a":1,},"\n"])",
      times(17, "[") + times(17, "]"), times(16, "[") + times(16, "]")};
  std::size_t taken = 0;
  const auto compare = [&](const std::string& text) {
    Json value;
    PlainJson plain(text), skipped(text);
    const bool takes = plain.read(value) && plain.at_end();
    EXPECT_EQ(takes, skipped.skip() && skipped.at_end()) << text;
    if (!takes) return;
    ++taken;
    const auto strict = parse_json("\n" + text);
    ASSERT_TRUE(strict.has_value()) << text;
    EXPECT_EQ(*strict, value) << text;
    EXPECT_EQ(print_json(*parse_json(text)), print_json(value));
  };
  for (const std::string& whole : kTexts)
    for (std::size_t k = 0; k <= whole.size(); ++k) {
      compare(whole.substr(0, k));
      for (const char byte : {'"', '[', '}', ',', '9', '0', '-', ' ', '\\', '\x7f', '\xc3'}) {
        std::string text = whole;
        if (k < text.size()) text[k] = byte;
        compare(text);
      }
    }
  EXPECT_GE(taken, 100U);
}

const std::string kHello =
    R"({"seq":0,"protocol":1,"impl":{"name":"mine","version":"1.2"},"features":["cursor","fork"],"families":{"tirx":{)"
    R"("form":"parts","ops":{"place":{},"derive.slice":{"contract":["injective","no-offset"]}}}},)"
    R"("conventions":{"tile.outer-offset":"unscaled"}})";

std::string changed(const std::string& from, const std::string& to) {
  std::string out = kHello;
  const std::size_t at = out.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return out.replace(at, from.size(), to);
}

TEST(GateProtocol, ReadsAHandshake) {
  const auto peer = read_hello(kHello);
  ASSERT_TRUE(peer.has_value()) << peer.error().message;
  EXPECT_EQ(peer->name, "mine");
  EXPECT_EQ(peer->version, "1.2");
  EXPECT_TRUE(peer->cursor && peer->forks);
  ASSERT_EQ(peer->ops.size(), 2U);
  EXPECT_EQ(peer->ops[1].op, "derive.slice");
  EXPECT_EQ(peer->ops[1].contract, (std::vector<std::string>{"injective", "no-offset"}));
  EXPECT_TRUE(peer->families[0].parts);
}

TEST(GateProtocol, RefusesHandshakesAndNamesTheNearestWord) {
  const std::pair<std::string, const char*> kRejects[] = {
      {changed("\"seq\":0", "\"seq\":1"), "seq"},
      {changed("\"protocol\":1", "\"protocol\":2"), "expected 1"},
      {changed("\"protocol\":1,", ""), "protocol"},
      {changed("\"families\"", "\"familes\""), "'familes'"},
      {changed("\"tirx\"", "\"tirxx\""), "did you mean 'tirx'"},
      {changed("\"place\"", "\"plac\""), "did you mean 'place'"},
      {changed("\"injective\"", "\"injectiv\""), "did you mean 'injective'"},
      {changed("\"unscaled\"", "\"unscalled\""), "did you mean 'unscaled'"},
      {changed("tile.outer-offset", "tile.offset"), "convention"},
      {changed("\"name\":\"mine\"", "\"name\":\"\""), "empty name"},
      {changed("\"name\":\"mine\",", ""), "name"},
      {changed("\"parts\"", "\"trees\""), "form"},
      {changed("\"cursor\"", "\"mouse\""), "feature"},
      {changed(R"({"place":{},"derive.slice":{"contract":["injective","no-offset"]}})", "{}"), "no operation"},
      {changed("\"contract\"", "\"contrakt\""), "did you mean 'contract'"},
      {"[]", "no object"},
      {"{}", "seq"},
  };
  for (const auto& [text, says] : kRejects) {
    const auto read = read_hello(text);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_NE(read.error().message.find(says), std::string::npos) << text << "\n" << read.error().message;
  }
}

TEST(GateProtocol, SurvivesEveryPrefixAndEveryChangedByte) {
  for (std::size_t k = 0; k < kHello.size(); ++k) {
    EXPECT_FALSE(read_hello(std::string_view(kHello).substr(0, k)).has_value());
    for (const char byte : {'\0', '"', '{', '[', '9', '\xff'}) {
      std::string text = kHello;
      text[k] = byte;
      static_cast<void>(read_hello(text));
      static_cast<void>(read_answers(text, 1, 1));
    }
  }
}

TEST(GateProtocol, AnswersHaveOneKeyAndAreAsManyAsCases) {
  const auto good = read_answers(R"({"seq":7,"answers":[{"ok":{}},{"refused":{"code":"c","msg":"m"}}]})", 7, 2);
  ASSERT_TRUE(good.has_value());
  EXPECT_EQ(good->all[0].kind, ReplyKind::Ok);
  EXPECT_EQ(good->all[1].kind, ReplyKind::Refused);
  for (const char* text : {R"({"seq":8,"answers":[{"ok":{}},{"ok":{}}]})", R"({"seq":7,"answers":[{"ok":{}}]})",
                           R"({"seq":7,"answers":[{"ok":{}},{"ok":{}},{"ok":{}}]})", R"({"seq":7})", R"([])",
                           R"({"seq":7,"answers":{}})", R"({"seq":7,"answers":[{"ok":{}},{"ok":{}}],"more":1})",
                           R"({"seq":7,"answers":[{"ok":{}},{"ok":{}}],"crashed":{"signal":6}})",
                           R"({"seq":7,"answers":[],"crashed":{"signal":6,"code":1}})"})
    EXPECT_FALSE(read_answers(text, 7, 2).has_value()) << text;
  for (const char* answer : {"{}", R"({"ok":{},"error":{}})", R"({"okay":{}})", R"({"ok":1})", "[]", "null"}) {
    const auto read = read_answers(R"({"seq":1,"answers":[)" + std::string(answer) + "]}", 1, 1);
    ASSERT_TRUE(read.has_value()) << answer;
    EXPECT_EQ(read->all[0].kind, ReplyKind::Garbled) << answer;
  }
  const auto crash = read_answers(R"({"seq":1,"answers":[{"ok":{}}],"crashed":{"signal":11}})", 1, 3);
  ASSERT_TRUE(crash.has_value() && crash->crash.has_value());
  EXPECT_EQ(crash->crash->code, 11);
}

TEST(GateCases, ARequestIsACaseOrAnErrorWithAReason) {
  const std::string good =
      R"({"op":"derive.slice","family":"tirx","layout":"S[(2,2,2):(1,2,4)]","tensor":{"dtype":"u8","shape":[8]},"region":[[3,5]]})";
  const auto made = case_of(*parse_json(good));
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_EQ(made->arguments[0].text, "3:5");
  const std::pair<const char*, const char*> kChanges[] = {{"derive.slice", "derive.slica"},
                                                          {"tirx", "tirxx"},
                                                          {"S[(2,2,2)", "S[(2,2"},
                                                          {"[8]", "[9]"},
                                                          {"[8]", "[-8]"},
                                                          {"[8]", "8"},
                                                          {"u8", "u7"},
                                                          {"region", "regions"},
                                                          {"[[3,5]]", "[[3]]"},
                                                          {"[[3,5]]", "\"3:5\""},
                                                          {"\"shape\"", "\"shap\""},
                                                          {"(1,2,4)", "(1,2,M)"}};
  for (const auto& [from, to] : kChanges) {
    std::string text = good;
    text.replace(text.find(from), std::string_view(from).size(), to);
    const auto parsed = parse_json(text);
    ASSERT_TRUE(parsed.has_value()) << text;
    EXPECT_FALSE(case_of(*parsed).has_value()) << text;
  }
}

TEST(GateCases, ARequestIsKeptWithoutItsTrees) {
  const std::string good =
      R"({"op":"derive.tile","family":"tirx","layout":"S[2:1]","tensor":{"dtype":"u8","shape":[2]},"outer":"S[2:1]","outer_shape":[2])";
  const std::string trees = R"(,"parts":{},"outer_parts":{},"axes":["m"]})";
  const auto made = case_of(*parse_json(good + trees));
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_EQ(made->request.text(), good + "}");
  EXPECT_TRUE(parse_json(with_parts(*made)).has_value()) << with_parts(*made);  // each key once
  EXPECT_FALSE(case_of(*parse_json(good + R"(,"inner_parts":{}})")).has_value());
}

// Of 6 bits with a sign: -32 to 31.
TEST(GateCases, NoNumberOfACaseHasMoreBitsThanThePeerTakes) {
  CaseLimits limits, all;
  limits.bits = 6;
  std::size_t beyond = 0, made = 0;
  const use::Family& tirx = *use::family_of({}, "tirx");
  const auto largest = [](const Case& of) {
    Index out = 0;
    for (std::size_t stage = 0; stage <= of.of().map().stages().size(); ++stage)
      for (const map::Range& range : of.of().map().ranges(stage)) out = std::max({out, range.high, -range.low - 1});
    return std::max(out, of.of().physical().volume());
  };
  for (std::uint64_t number = 0; number < 64; ++number) {
    if (const auto of = make_case(tirx, *find_operation("place"), 7, number, limits)) {
      ++made;
      EXPECT_LE(largest(*of), 31) << of->request.text();
    }
    if (largest(*make_case(tirx, *find_operation("place"), 7, number, all)) > 31) ++beyond;
  }
  EXPECT_GE(made, 40U);
  EXPECT_GE(beyond, 8U);
  const auto peer = read_hello(changed("\"form\"", R"("limits":{"bits":6},"form")"));
  ASSERT_TRUE(peer.has_value());
  EXPECT_EQ(peer->families[0].bits, 6);
}

TEST(GateRecord, ShardsOfTwoCampaignsAreNotMerged) {
  const auto peer = read_hello(kHello);
  const auto shard = [&](std::uint64_t from, const Peer& of, std::uint64_t repeat = 64, bool throttles = false) {
    GateRecord out;
    out.impl = of.name, out.version = of.version, out.count = 20, out.from = from, out.to = from + 10;
    out.setup = setup_of(of, repeat, throttles, kMostElements);
    out.asked = {"tirx/place"};
    OpTotals& row = out.rows.emplace_back();
    row.family = "tirx", row.op = "place", row.contract = of.ops[1].contract;
    return out;
  };
  const auto merges = [&](const Peer& other, std::uint64_t repeat = 64, bool throttles = false) {
    return merged({shard(0, *peer), shard(10, other, repeat, throttles)}).has_value();
  };
  EXPECT_TRUE(merges(*peer));
  EXPECT_FALSE(merges(*peer, 1));
  EXPECT_FALSE(merges(*peer, 64, true));
  const auto differs_by = [&](const auto& change) {
    Peer other = *peer;
    change(other);
    return !merges(other);
  };
  EXPECT_TRUE(differs_by([](Peer& p) { p.version = "1.3"; }));
  EXPECT_TRUE(differs_by([](Peer& p) { p.commit = "abc"; }));
  EXPECT_TRUE(differs_by([](Peer& p) { p.adapter_version = "2"; }));
  EXPECT_TRUE(differs_by([](Peer& p) { p.ops[1].contract = {"any"}; }));
  EXPECT_TRUE(differs_by([](Peer& p) { p.families[0].elements = 9; }));
  EXPECT_TRUE(differs_by([](Peer& p) { p.families[0].dtypes = {"f16"}; }));
  EXPECT_TRUE(differs_by([](Peer& p) { p.families[0].parts = false; }));
  const auto read = gate_record_of(to_text(shard(0, *peer)));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_TRUE(same_campaign(*read, shard(10, *peer)));
}

bool same_map(const map::Layout& a, const map::Layout& b) {
  return a.map() == b.map() && a.logical() == b.logical() && a.replicas() == b.replicas() &&
         a.physical() == b.physical() && a.named_axes() == b.named_axes() && a.filled() == b.filled() &&
         a.host_offset() == b.host_offset();
}

TEST(GateCases, AreAFunctionOfTheirNumberAndOfTheirRequest) {
  std::size_t made = 0;
  for (const use::Family* family : use::families())
    for (const Operation& op : operations())
      for (std::uint64_t number = 0; number < test::fact_or_campaign(1U, 2U); ++number) {
        const auto one = make_case(*family, op, 7, number, {}), two = make_case(*family, op, 7, number, {});
        ASSERT_EQ(one.has_value(), two.has_value());
        if (!one) continue;
        ++made;
        EXPECT_EQ(one->request.text(), two->request.text());
        const auto again = case_of(*parse_json(one->request.text()));
        ASSERT_TRUE(again.has_value()) << one->request.text() << ": " << again.error().message;
        EXPECT_EQ(again->tensor, one->tensor);
        EXPECT_EQ(again->slots, one->slots);
        EXPECT_TRUE(same_map(again->of(), one->of())) << one->request.text();
        CaseLimits tree;
        tree.parts = true;
        EXPECT_EQ(with_parts(*again), with_parts(*make_case(*family, op, 7, number, tree)));
        EXPECT_EQ(again->elements, one->elements);
        EXPECT_EQ(one->elements.empty(), op.kind != OpKind::PlaceAt);
        EXPECT_LE(one->of().logical().volume(), op.kind == OpKind::PlaceAt ? Index{1} << 31 : kMostElements);
      }
  EXPECT_GE(made, test::fact_or_campaign(35U, 70U));
}

// How a no is worded may change from one time to the next.
TEST(GateProtocol, AnotherWordingIsNoOtherAnswer) {
  const auto reply = [](ReplyKind kind, const char* value) { return Reply{kind, *parse_json(value), {}, 0}; };
  const auto refused = reply(ReplyKind::Refused, R"({"code":"shape","msg":"at 17"})");
  EXPECT_TRUE(say_the_same(refused, reply(ReplyKind::Refused, R"({"code":"shape","msg":"at 18"})")));
  EXPECT_FALSE(say_the_same(refused, reply(ReplyKind::Refused, R"({"code":"size","msg":"at 17"})")));
  EXPECT_FALSE(say_the_same(refused, reply(ReplyKind::Error, R"({"class":"shape","msg":"at 17"})")));
  EXPECT_TRUE(say_the_same(reply(ReplyKind::Error, R"({"class":"E","msg":"1"})"),
                           reply(ReplyKind::Error, R"({"class":"E","msg":"2"})")));
  EXPECT_FALSE(say_the_same(reply(ReplyKind::Error, R"({"class":"E"})"), reply(ReplyKind::Error, R"({"class":"F"})")));
  EXPECT_TRUE(
      say_the_same(reply(ReplyKind::Undecided, R"({"why":"1"})"), reply(ReplyKind::Undecided, R"({"why":"2"})")));
  const auto far = [](const char* value, const char* bytes) {
    return Reply{ReplyKind::Ok, *parse_json(value), {}, 0, bytes};
  };
  const auto first = far(R"({"axes":["m"],"bulk":{"at":64,"values":1}})", "12345678");
  EXPECT_TRUE(say_the_same(first, far(R"({"axes":["m"],"bulk":{"at":128,"values":1}})", "12345678")));
  EXPECT_FALSE(say_the_same(first, far(R"({"axes":["m"],"bulk":{"at":128,"values":1}})", "12345679")));
  EXPECT_FALSE(say_the_same(first, far(R"({"axes":["n"],"bulk":{"at":128,"values":1}})", "12345678")));
  EXPECT_FALSE(say_the_same(first, reply(ReplyKind::Ok, R"({"axes":["m"],"values":[[1]]})")));
  EXPECT_FALSE(say_the_same(reply(ReplyKind::Ok, R"({"axes":["m"],"values":[[1]]})"), first));
  EXPECT_FALSE(say_the_same(reply(ReplyKind::Ok, R"({"value":1})"), reply(ReplyKind::Ok, R"({"value":2})")));
}

}  // namespace oracle_gate_protocol_test
}  // namespace vl::gate
