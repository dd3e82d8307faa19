// What `cert` binds: the arguments that a claim has, files by what they said, operations by their texts, derived
// layouts by their laws. mutation/texts_campaign.cpp forges every text of the corpus' certificates.
#include "verifier/checker/texts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/support/process.h"
#include "verifier/checker/certificate.h"
#include "verifier/claims/claim.h"

namespace vl {
namespace checker_texts_test {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

// The keys of a claim that its certificates say in other fields.
bool is_stated_elsewhere(const claims::Claim& claim, std::string_view key) {
  if (key == "at_most" || key == "nests") return true;
  if (claims::is_about<claims::Divided>(claim)) return key != "splits";
  constexpr std::string_view kOfOperations[] = {"operation", "operands", "results", "scales", "dims", "reduce", "rule"};
  return claims::is_about_operation(claim) && std::ranges::find(kOfOperations, key) != std::end(kOfOperations);
}

TEST(TextsOfCertificates, EveryClaimWithACertificateHasItsOwnKeysAndNoOther) {
  for (const claims::Claim& claim : claims::claims()) {
    const char* stated = checker::keys_of_claim(std::string(claim.name), claims::is_about_nests(claim));
    // The number of slots of one kind has a certificate for all sizes alone.
    const bool certified = claim.proof.front() != claims::Part::None || claim.lifted == claims::Lifted::PaddingKind;
    ASSERT_EQ(stated != nullptr, certified) << claim.name;
    if (stated == nullptr) continue;
    std::set<std::string> known, own;
    std::istringstream in(stated);
    for (std::string key; in >> key;) known.insert(key.substr(0, key.find('?')));
    if (claims::is_about<claims::Described>(claim)) known.erase("target");  // a key of the case
    for (const std::string_view key : claim.keys.list())
      if (!is_stated_elsewhere(claim, key)) own.insert(std::string(key));
    EXPECT_EQ(known, own) << claim.name;
  }
}

// A certificate that a command writes, with other fields and the digest of these.
class Forgery {
 public:
  Forgery(Words command, std::string name, int code = 0) : name_(std::move(name)) {
    command.insert(command.end(), {"--certificates", folder_.path()});
    const test::Ran made = test::verify_layout(std::move(command));
    EXPECT_EQ(made.code, code) << made.out << made.err;
    good_ = Json::parse(test::read_text(folder_.at(name_)));
  }
  [[nodiscard]] const test::Folder& folder() const { return folder_; }
  [[nodiscard]] const Json& good() const { return good_; }
  [[nodiscard]] test::Ran cert(const Words& options = {}) const { return run(folder_.at(name_), options); }
  /// What `cert` says of it with such a field; of null, without the field.
  [[nodiscard]] test::Ran changed(const std::string& field, const Json& value) const {
    Json out = good_;
    const Json::json_pointer at(field);
    if (value.is_null()) out[at.parent_pointer()].erase(at.back());
    else out[at] = value;
    out["digest"] = checker::digest(out["statement"]);
    return run(folder_.file("changed.json", out.dump()), {});
  }
  void expect_rejected(const std::string& field, const Json& value) const {
    const test::Ran ran = changed(field, value);
    EXPECT_EQ(ran.code, 10) << field << " " << value << ": " << ran.out << ran.err;
  }

 private:
  static test::Ran run(const std::string& path, const Words& options) {
    Words words{"cert"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(path);
    return test::verify_layout(words);
  }

  test::Folder folder_;
  std::string name_;
  Json good_;
};

// The swapped strides of the README under the excuses that were accepted once.
TEST(TextsOfCertificates, NoArgumentExcusesAnotherLayout) {
  const Forgery forgery({"check", "--layout", "S[(2,2):(2,1)]", "--tensor", "f16[2,2]", "--claim", "bijective"},
                        "layout.0-bijective.json");
  EXPECT_EQ(forgery.cert().code, 0);
  for (const char* layout : {"S[(2,2):(1,1)]", "anything at all", ""})
    forgery.expect_rejected("/statement/layout", layout);
  for (const Json& arguments : {Json{{"hardware", "a/b"}}, Json{{"hardware", "x.toml"}}, Json{{"nonsense", "1"}},
                                Json{{"with", "S[(2,2):(2,1)]"}}, Json{{"where", "M >= 1"}}, Json{{"box", ""}}})
    forgery.expect_rejected("/statement/arguments", arguments);
  forgery.expect_rejected("/statement", Json::object());
}

const char* const kProfile =
    "# ours\nschema = 1\nname = \"ours\"\nsource = \"by hand\"\nbanks = 32\nbytes_per_bank = 4\nlanes = 32\n"
    "[phases]\n16 = 4\n4 = 1\n";

TEST(TextsOfCertificates, AFileIsCarriedAndIsTheOnlyFieldThatMayStayUnread) {
  const test::Folder files;
  const std::string path = files.file("ours.toml", kProfile);
  const Forgery forgery(
      {"check", "--layout", "ComposeLayout(3, 3, 3, S[(8,64):(64,1)])", "--tensor", "f16[8,64]", "--claim",
       "conflict-free", "--access", "lanes=8 width=16 at=[lane, 8*j] for j=0:8", "--hardware", path},
      "layout.0-conflict-free.json");
  EXPECT_EQ(forgery.cert().code, 0);
  const Json& file = forgery.good().at("statement").at("files").at(0);
  const std::string text = file.at("text");
  EXPECT_NE(text.find("banks = 32"), std::string::npos);
  EXPECT_EQ(text.find("by hand"), std::string::npos);
  EXPECT_EQ(file.at("digest"), checker::digest_of(text));
  forgery.expect_rejected("/statement/layout", "S[(8,64):(64,1)]");
  forgery.expect_rejected("/statement/arguments/access", "lanes=8 width=16 at=[lane, 8*j] for j=0:4");
  forgery.expect_rejected("/statement/arguments/hardware", "sm_90");
  forgery.expect_rejected("/statement/files", nullptr);
  std::string other = text;
  other.replace(other.find("32"), 2, "16");
  forgery.expect_rejected("/statement/files/0/text", other);
  forgery.expect_rejected("/statement/files/0",
                          {{"key", "hardware"}, {"text", other}, {"digest", checker::digest_of(other)}});
  files.file("ours.toml", std::string(kProfile) + "8 = 2\n");  // another file of that name
  const test::Ran unread = forgery.cert();
  EXPECT_EQ(unread.code, 5) << unread.out;
  EXPECT_NE(unread.out.find("; [hardware = " + path + "] (for the hardware that it states: not found as it was"),
            std::string::npos)
      << unread.out;
  EXPECT_EQ(forgery.cert({"--allow-unread", "hardware"}).code, 0);
  EXPECT_EQ(forgery.cert({"--allow-unread", "arithmetic"}).code, 5);
  EXPECT_EQ(Json::parse(forgery.cert({"--format", "json"}).out).at("unread"), Json::parse(R"(["hardware"])"));
  EXPECT_EQ(forgery.changed("/statement/layout", "S[(8,64):(64,1)]").code, 10);  // whatever the file says
}

TEST(TextsOfCertificates, AChipsWordIsReadAgain) {
  const Forgery forgery(
      {"check", "--layout", "S[(8,64):(64,1)]", "--tensor", "f16[8,64]", "--claim", "fits=wormhole l1"},
      "layout.0-fits.json");
  EXPECT_EQ(forgery.cert().code, 0);
  EXPECT_NE(forgery.cert().out.find("; capacity = wormhole l1; capacity in bytes = "), std::string::npos);
  for (const char* capacity : {"wormhole dram", "blackhole dram", "1024", "nothing", "a/b"})
    forgery.expect_rejected("/statement/arguments/capacity", capacity);
  forgery.expect_rejected("/statement/at_most", 1024);
  forgery.expect_rejected("/statement/layout", "S[(8,64):(128,1)]");
}

// 2:2 has the numbers 0 and 1, and A takes 1 to 3: what it has there only `outside` says. Without it nothing is asked,
// as `check` says.
TEST(TextsOfCertificates, ARefutationIsOfAQuestionThatCanBeAsked) {
  const Forgery forgery(
      {"check", "--layout", "(2,2):(3,1)", "--tensor", "u8[4]", "--claim", "left-inverse=with=2:2; outside=last-mode"},
      "refuted/layout.0-left-inverse.json", 10);
  EXPECT_EQ(forgery.good().at("statement").at("verdict"), "refuted");
  EXPECT_EQ(forgery.cert().code, 0);
  forgery.expect_rejected("/statement/arguments", Json{{"with", "2:2"}});
  forgery.expect_rejected("/statement/arguments/outside", "nothing");
}

// SpyreTensorLayout((4, 64), …) plus itself: every text of the operation is a text of the statement.
TEST(TextsOfCertificates, AnOperationIsStatedWithItsOperands) {
  const std::string layout = "SpyreTensorLayout((4, 64), torch.float16)", tensor = "f16[4,64]";
  const test::Folder folder;
  const std::string operand = "{layout = \"" + layout + "\", tensor = \"" + tensor + "\"";
  const std::string file = folder.file(
      "a.toml", "schema = 1\n[[case]]\nid = \"add\"\nlayout = \"" + layout + "\"\ntensor = \"" + tensor +
                    "\"\n[[case.claim]]\nclaim = \"compatible\"\noperation = \"add\"\noperands = [" + operand + "}, " +
                    operand + "}]\n[[case]]\nid = \"sum\"\nlayout = \"SpyreTensorLayout((4,), torch.float16)\"\n" +
                    "tensor = \"f16[4]\"\n[[case.claim]]\nclaim = \"neutral\"\noperation = \"sum\"\nreduce = [1]\n" +
                    "arithmetic = \"accumulate=f32 start=+0\"\noperands = [{layout = \"SpyreTensorLayout((4, 60), " +
                    "torch.float16)\", tensor = \"f16[4,60]\", padding = \"-0\"}]\n");
  const Forgery fits({"check", file}, "add.0-compatible.json"), neutral({"check", file}, "sum.0-neutral.json");
  for (const Forgery* one : {&fits, &neutral}) {
    EXPECT_EQ(one->cert().code, 0) << one->cert().out;
    one->expect_rejected("/statement/operation", nullptr);
    one->expect_rejected("/statement/operation/operands", Json::array());
    one->expect_rejected("/statement/operation/name", "matmul");
    one->expect_rejected("/statement/operation/rule", "ours");
    one->expect_rejected("/statement/operation/operands/0/tensor", "f16[4,128]");
    one->expect_rejected("/statement/operation/operands/0/layout", "S[(4,64):(64,1)]");
    one->expect_rejected("/statement/rules", Json::array());
    one->expect_rejected("/statement/operands", Json::array());
    one->expect_rejected("/statement/layout", "S[(5,67):(67,1)]");
    one->expect_rejected("/statement/arguments/nonsense", "1");
  }
  EXPECT_NE(neutral.cert().out.find("operation = sum; operand = f16[4,60] SpyreTensorLayout((4, 60), torch.float16) "
                                    "padding=-0; reduce = [1]; rule = upstream"),
            std::string::npos)
      << neutral.cert().out;
  neutral.expect_rejected("/statement/operation/operands/0/padding", "7");
  neutral.expect_rejected("/statement/arguments/arithmetic", "accumulate=f32 start=first order=seq");
  neutral.expect_rejected("/statement/arguments", nullptr);
}

TEST(TextsOfCertificates, ADerivedLayoutIsProvedToObeyItsLaw) {
  const Forgery forgery({"check", "--layout", "S[(8,64):(64,1)].slice((8,64), [2:4, 0:64])", "--tensor", "f16[2,64]",
                         "--claim", "injective"},
                        "layout.0-injective.json");
  EXPECT_EQ(forgery.cert().code, 0);
  const Json& derived = forgery.good().at("statement").at("derived").at(0);
  EXPECT_EQ(derived.at("operation"), "slice((8,64), [2:4, 0:64])");
  forgery.expect_rejected("/statement/derived", nullptr);
  forgery.expect_rejected("/statement/derived", Json::array());
  forgery.expect_rejected("/evidence/derived", nullptr);
  forgery.expect_rejected("/statement/layout", "S[(8,64):(64,1)].slice((8,64), [3:5, 0:64])");
  // A law that the result does not obey, which is rejected before any text is read.
  Json law = derived.at("law");
  std::string map = law.at("map");
  map.replace(map.find("128"), 3, "192");
  law["map"] = map;
  forgery.expect_rejected("/statement/derived/0/law", law);
}

// A raw layout names no dim order: its law is the constructor's layout for the one order that gives it.
TEST(TextsOfCertificates, ADerivationOfARawSpyreLayoutObeysTheConstructorsRule) {
  const std::string raw =
      "SpyreTensorLayout(device_size=[2, 65, 1, 2, 64], stride_map =[4160, 64, 64, 8320, 1], "
      "device_dtype=DataFormats.SEN169_FP16)";
  const Forgery forgery(
      {"check", "--layout", raw + ".restickify(2)", "--tensor", "f16[2,2,65,64]", "--claim", "bijective"},
      "layout.0-bijective.json");
  EXPECT_EQ(forgery.cert().code, 0);
  EXPECT_EQ(forgery.good().at("statement").at("derived").at(0).at("operation"), "restickify(2)");
  forgery.expect_rejected("/statement/derived", nullptr);
  forgery.expect_rejected("/statement/layout", raw + ".restickify(1)");
  forgery.expect_rejected("/statement/layout", raw);
}

TEST(TextsOfCertificates, ADerivedRuleIsItsLawsForAllSizes) {
  const Forgery forgery(
      {"check", "--layout", "SpyreTensorLayout((N, M), torch.float16).restickify(0)", "--tensor", "f16[N,M]", "--claim",
       "bijective", "--claim", "equal=SpyreTensorLayout((N, M), torch.float16, [1, 0])"},
      "layout.0-bijective.json");
  EXPECT_EQ(forgery.cert().code, 0);
  const Json& derived = forgery.good().at("statement").at("derived_rules");
  ASSERT_EQ(derived.size(), 1U);
  EXPECT_EQ(derived.at(0).at("operation"), "restickify(0)");
  EXPECT_EQ(derived.at(0).at("result").at("levels"), derived.at(0).at("law").at("levels"));
  forgery.expect_rejected("/statement/derived_rules", nullptr);
  forgery.expect_rejected("/statement/derived_rules", Json::array());
  forgery.expect_rejected("/statement/derived_rules/0/operation", "");
  forgery.expect_rejected("/statement/derived_rules/0/law/levels/0/0", 63);
  forgery.expect_rejected("/statement/layout", "SpyreTensorLayout((N, M), torch.float16)");
}

// The places of inputs whose padding a result reads stand in the statement.
TEST(TextsOfCertificates, PaddingOfAResultIsOfInputsWhosePlacesAreStated) {
  const test::Folder folder;
  const std::string file = folder.file(
      "a.toml",
      "schema = 1\n[[case]]\nid = \"exp\"\nlayout = \"SpyreTensorLayout((5, 67), torch.float16)\"\ntensor = "
      "\"f16[5,67]\"\n[[case.claim]]\nclaim = \"padding-state\"\noperation = \"exp\"\nstate = \"d1: {1}\"\noperands = "
      "[{layout = \"SpyreTensorLayout((5, 67), torch.float16)\", tensor = \"f16[5,67]\", padding = \"d1: 0\"}]\n");
  const Forgery forgery({"check", file}, "exp.0-padding-state.json");
  EXPECT_EQ(forgery.cert().code, 0) << forgery.cert().out;
  const Json& said = forgery.good().at("statement");
  ASSERT_EQ(said.at("operands").size(), 1U);
  EXPECT_NE(said.at("operands").at(0).at("map").get<std::string>().find("x1:128"), std::string::npos);
  forgery.expect_rejected("/statement/operands", nullptr);
  forgery.expect_rejected("/statement/operands", Json::array());
  forgery.expect_rejected("/statement/operands/0/physical", "(m:1)");
  forgery.expect_rejected("/statement/held", nullptr);
  forgery.expect_rejected("/statement/held/0/elements", Json::array({Json::array({"0x0", "0x0"})}));
  forgery.expect_rejected("/evidence/operands/0/collides", nullptr);
  forgery.expect_rejected("/statement/images/0/operands", Json::array());
}

TEST(TextsOfCertificates, LimitsAndNestsStandInTheAcceptedLine) {
  const Forgery limit({"check", "--layout", "S[(8,64):(64,1)]", "--tensor", "f16[8,64]", "--claim", "conflicts<=7",
                       "--access", "lanes=8 width=16 at=[lane, 8*j] for j=0:8", "--hardware", "sm_90"},
                      "layout.0-conflicts.json");
  EXPECT_NE(limit.cert().out.find("; at_most = 7\n"), std::string::npos) << limit.cert().out;
  limit.expect_rejected("/statement/arguments/at_most", "9");
  const test::Folder folder;
  const std::string nests =
      folder.file("a.toml",
                  "schema = 1\n[[case]]\nid = \"a\"\nlayout = \"SpyreTensorLayout((120,), "
                  "torch.float16)\"\ntensor = \"f16[120]\"\n[[case.claim]]\nclaim = "
                  "\"implements\"\nnests = \"[64,1]|[1,64]|[1,64]|0,0;[56,1]|[1,64]|[1,64]|64,64\"\n");
  const Forgery moves({"check", nests}, "a.0-implements.json");
  EXPECT_NE(moves.cert().out.find("; direction = h2d; nests = [1,64]|[64,1]|[64,1]|0,0; [1,56]|[64,1]|[64,1]|64,64\n"),
            std::string::npos)
      << moves.cert().out;
  moves.expect_rejected("/statement/arguments/direction", "d2h");
  moves.expect_rejected("/statement/arguments", nullptr);
}

}  // namespace checker_texts_test
}  // namespace vl
