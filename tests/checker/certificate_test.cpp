// What a certificate says: read as it was written, as JSON and as CBOR, and nothing but that.
#include "verifier/checker/certificate.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "verifier/checker/check.h"

namespace vl::checker {
namespace checker_certificate_test {

using Json = nlohmann::json;

// A row of four elements, each of which has a slot.
Certificate row_of_four() {
  Certificate out;
  out.statement.claim = "in-bounds", out.statement.verdict = "proved";
  out.statement.arguments.emplace()["box"] = "(m:4)";
  LayoutText& map = out.statement.map.emplace();
  map.map = "(x0:4) -> affine(x0)", map.logical = 1, map.physical = "(m:4)";
  out.evidence.escapes = kernel::Steps{{"run", {0}}, {"in"}};
  out.digest = digest(out.statement);
  return out;
}

bool is_certificate(const Json& json) try {
  static_cast<void>(read<Certificate>(json));
  return true;
} catch (const Rejected&) {
  return false;
}

TEST(Certificates, AreWrittenAsTheyAreRead) {
  const Certificate made = row_of_four();
  EXPECT_EQ(check(made), std::nullopt);
  const std::string text = print(made, false);
  EXPECT_EQ(text.substr(text.find("\"evidence\"")),
            R"~("evidence":{"escapes":[["run",0],["in"]]},"schema":"verify-layout-certificate/2",)~"
            R"~("statement":{"arguments":{"box":"(m:4)"},"claim":"in-bounds","layout":"","map":{"logical":1,)~"
            R"~("map":"(x0:4) -> affine(x0)","physical":"(m:4)"},"tensor":"","verdict":"proved"}})~"
            "\n");
  for (const bool compact : {false, true}) {
    const auto again = certificate_in(print(made, compact));
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(print(*again, false), text);
    EXPECT_EQ(check(*again), std::nullopt);
  }
  for (const char* nothing : {"", "{", "\xa1", "\xbf"}) EXPECT_FALSE(certificate_in(nothing)) << nothing;
  // Texts of indefinite length, one within the other; lists and objects of indefinite length; a tag, a float, bytes.
  for (const char* part : {"\x7f", "\x5f", "\x9f", "\xbf\x60", "\xc0", "\xf9\x3c\x00\x00", "\x41\x00", "\x3b\xff"}) {
    std::string deep = "\xa1\x61\x61";
    for (int i = 0; i < 40000; ++i) deep += part;
    std::string why;
    EXPECT_FALSE(certificate_in(deep, &why)) << part;
    EXPECT_NE(why, "") << part;
    EXPECT_FALSE(certificate_in("\xa1" + deep.substr(3)));
  }
  // A list and an object that say to be longer than any text.
  EXPECT_FALSE(certificate_in("\xa1\x61\x61\x9b\x7f\xff\xff\xff\xff\xff\xff\xff"));
  EXPECT_FALSE(certificate_in("\xbb\xff\xff\xff\xff\xff\xff\xff\xfe"));
}

TEST(Certificates, HoldNoFieldThatIsNotKnownAndNoValueOfAnotherKind) {
  const Json good = write(row_of_four());
  ASSERT_TRUE(is_certificate(good));
  for (const char* object : {"", "/statement", "/statement/map", "/evidence"}) {
    Json more = good;
    more[Json::json_pointer(object)]["more"] = 0;
    EXPECT_FALSE(is_certificate(more)) << object;
  }
  for (const char* field :
       {"/schema", "/statement", "/statement/claim", "/statement/arguments", "/statement/map", "/statement/map/logical",
        "/evidence/escapes", "/evidence/escapes/0", "/evidence/escapes/0/0", "/evidence/escapes/0/1"})
    for (const Json& other : {Json(nullptr), Json(true), Json(-1), Json(1.0), Json(1e30), Json("x"), Json({{0}})}) {
      Json changed = good;
      changed[Json::json_pointer(field)] = other;
      EXPECT_TRUE(check(changed)) << field << " " << other;
    }
}

TEST(Certificates, OfAnOlderVersionSayThatTheyAre) {
  try {
    static_cast<void>(certificate_in(R"({"schema":"verify-layout-certificate/1","evidence":{"digits":[[1,[1]]]}})"));
    FAIL() << "read";
  } catch (const Rejected& why) {
    EXPECT_NE(std::string(why.what()).find("make it again with `check --certificates`"), std::string::npos);
  }
}

TEST(Certificates, OfNumbersBeyondSixtyFourBitsAreNotWritten) {
  Certificate wide = row_of_four();
  wide.evidence.lands = {Wide(1LL << 62) * 4};
  EXPECT_FALSE(is_writable(wide));
  EXPECT_FALSE(is_certificate(Json::parse(R"({"lands":[18446744073709551615]})")));
}

TEST(Certificates, AreTakenFieldByFieldAndLeaveNothing) {
  Evidence evidence = row_of_four().evidence;
  EXPECT_THROW(end(evidence), Rejected);
  static_cast<void>(take(evidence.escapes));
  EXPECT_THROW(static_cast<void>(take(evidence.escapes)), Rejected);
  EXPECT_NO_THROW(end(evidence));
}

}  // namespace checker_certificate_test
}  // namespace vl::checker
