// Texts of certificates: what `cert` accepts is what it prints. Each certificate of the corpus is written and accepted
// as it is. Then each text and each number of its statement that a person reads is changed, one at a time, with the
// digest of the changed statement. Of a forgery that is accepted the printed sentence has to be true all the same, by
// what `check` says of the texts that it prints (statement_cases.h): "f16[ 8,64]" is the tensor f16[8,64].
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/mutation/statement_cases.h"
#include "tests/support/process.h"
#include "tests/support/shard.h"
#include "verifier/checker/certificate.h"
#include "verifier/checker/texts.h"
#include "verifier/programs/certificates.h"
#include "verifier/values_kernel/check.h"

namespace vl {
namespace mutation_texts_campaign {

using mutation::Json;
using Random = std::mt19937_64;

struct Written {
  std::string name;
  Json certificate;
};

// Every certificate that the program writes of the corpus.
std::vector<Written> corpus_certificates() {
  const test::Folder folder;
  const test::Ran ran =
      test::verify_layout({"check", VL_SOURCE_DIR "/corpus", "--quiet", "--certificates", folder.path()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  std::vector<Written> out;
  for (const auto& [name, content] : folder.content())
    if (name.ends_with(".json")) out.push_back({name, Json::parse(content)});
  return out;
}

struct Answer {
  std::string why;  // it is rejected
  std::vector<std::string> unread;
};

// What `cert` answers.
Answer answer_of(const Json& certificate) {
  try {
    const auto read = checker::read<checker::Certificate>(certificate);
    if (auto no = checker::check_texts(read.statement)) return {*no, {}};
    if (auto no = values_kernel::check(read)) return {*no, {}};
    checker::Texts texts = programs::read_texts_again(read.statement);
    return {texts.same ? "" : texts.why + " ", std::move(texts.unread)};
  } catch (const std::exception& no) {
    return {no.what(), {}};
  }
}

void expect_all_accepted(const std::vector<Written>& all) {
  std::map<std::string, int> claims;
  for (const Written& one : all) {
    const Answer answer = answer_of(one.certificate);
    EXPECT_EQ(answer.why, "") << one.name;
    EXPECT_TRUE(answer.unread.empty()) << one.name;
    ++claims[one.certificate.at("statement").at("claim")];
  }
  for (const auto& [claim, count] : claims) fmt::print("{}: {}\n", claim, count);
  EXPECT_GE(all.size(), 29'000U);
  EXPECT_GE(claims.size(), 40U);
}

// ---- forgeries

std::string changed_number(const std::string& text, Random& random) {
  std::vector<std::pair<std::size_t, std::size_t>> numbers;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    if (end > i) numbers.emplace_back(i, end - i);
    i = std::max(end, i + 1);
  }
  if (numbers.empty()) return text + "0";
  const auto [at, length] = numbers[random() % numbers.size()];
  std::int64_t value = length > 15 ? 7 : std::stoll(text.substr(at, length));
  const std::int64_t others[] = {value + 1, value - 1, value * 2, 0, value / 2};
  value = others[random() % 5];
  return text.substr(0, at) + std::to_string(std::max<std::int64_t>(value, 0)) + text.substr(at + length);
}

std::string changed_letter(const std::string& text, Random& random) {
  if (text.empty()) return "x";
  std::string out = text;
  const std::size_t at = random() % out.size();
  switch (random() % 3) {
    case 0: out.erase(at, 1); break;
    case 1: out.insert(at, 1, " ,()[]:@1a-"[random() % 11]); break;
    default: std::swap(out[at], out[random() % out.size()]);
  }
  return out;
}

/// Texts that other statements of the same claim have, by the field.
using Others = std::map<std::string, std::vector<std::string>>;

// A text of a statement: a number of it, a letter, and what another statement has there.
void change_text(Json& text, const std::string& field, const Others& others, Random& random) {
  const std::string before = text;
  const auto known = others.find(field);
  switch (known == others.end() ? random() % 2 : random() % 3) {
    case 0: text = changed_number(before, random); break;
    case 1: text = changed_letter(before, random); break;
    default: text = known->second[random() % known->second.size()];
  }
}

const char* const kKeys[] = {"nonsense", "hardware", "with", "capacity", "offset",    "strides",    "where",   "box",
                             "family",   "access",   "at",   "map",      "direction", "arithmetic", "at_most", "law"};

void change_arguments(Json& statement, Random& random) {
  Json arguments = statement.value("arguments", Json::object());
  if (!arguments.empty() && random() % 3 == 0) {
    auto at = arguments.begin();
    std::advance(at, static_cast<long>(random() % arguments.size()));
    arguments.erase(at);
  } else {
    const char* const texts[] = {"1", "a/b", "x.toml", "", "0", "sm_90", "M >= 1", "m=1"};
    arguments[kKeys[random() % std::size(kKeys)]] = texts[random() % std::size(texts)];
  }
  statement["arguments"] = arguments;
  if (arguments.empty()) statement.erase("arguments");
}

void change_value(Json& value, const std::string& key, const Others& others, Random& random) {
  if (value.is_string()) return change_text(value, key, others, random);
  if (value.is_number_integer()) {
    const std::int64_t number = value;
    const std::int64_t to[] = {number + 1, number - 1, number / 2, 0};
    value = to[random() % 4];
    return;
  }
  if ((value.is_object() || value.is_array()) && !value.empty()) {
    const bool drops = random() % 4 == 0;
    auto at = value.begin();
    std::advance(at, static_cast<long>(random() % value.size()));
    const std::string inner = value.is_object() ? key + "/" + at.key() : key;
    if (drops) value.erase(at);
    else change_value(*at, inner, others, random);
    return;
  }
  value = !value.is_boolean();
}

// The fields that are forged, each of which is in the printed sentence or makes it what it is.
std::vector<std::string> fields_of(const Json& statement) {
  std::vector<std::string> out{"/layout", "/tensor", "+arguments"};
  const Json arguments = statement.value("arguments", Json::object());
  for (const auto& [key, text] : arguments.items()) out.push_back("/arguments/" + key);
  for (const char* field :
       {"/operation",  "/rules",  "/operands",   "/held",          "/reductions", "/files", "/derived",
        "/at_most",    "/base",   "/at",         "/value",         "/verdict",    "/claim", "/division",
        "/rule_nests", "/images", "/row_states", "/derived_rules", "/chain",      "/fills"})
    if (statement.contains(Json::json_pointer(field))) out.emplace_back(field);
  if (statement.contains("transfer")) out.emplace_back("/transfer/nests");
  return out;
}

// Few certificates have some fields.
int times_of(const std::string& field) {
  const std::set<std::string> rare{"/operands", "/held", "/images", "/row_states", "/derived", "/derived_rules"};
  return rare.contains(field) ? 20 : 2;
}

Json forged(const Json& certificate, const std::string& field, const Others& others, Random& random) {
  Json out = certificate;
  Json& statement = out["statement"];
  if (field == "+arguments") change_arguments(statement, random);
  else change_value(statement[Json::json_pointer(field)], field, others, random);
  if (statement.contains("files"))  // the digest of what they say now
    for (Json& file : statement["files"])
      if (file.is_object() && file.contains("text") && file["text"].is_string())
        file["digest"] = checker::digest_of(file["text"].get<std::string>());
  out["digest"] = checker::digest(statement);
  return out;
}

struct Tally {
  int forged = 0, rejected = 0, same = 0, unread = 0, asked = 0, unasked = 0, open = 0;
};

/// An accepted forgery that `check` is asked about.
struct Accepted {
  std::string field, name;
  Json statement;
};

// Whether the record of `check` is what the statement says.
void compare(const Accepted& one, const Json& record, Tally& tally) {
  const std::string word = record.value("verdict", "");
  if (word == "unknown" && record.value("reason", "") != "vacuous") return static_cast<void>(++tally.open);
  ++tally.asked;
  EXPECT_EQ(word, one.statement.at("verdict")) << one.name << one.field << " " << one.statement.dump() << record.dump();
  if (one.statement.contains("value") && word == "proved") {
    EXPECT_EQ(record.at("value"), one.statement.at("value")) << one.name << one.statement.dump();
  }
}

void ask(const std::vector<Accepted>& accepted, std::map<std::string, Tally>& tallies) {
  const test::Folder folder;
  std::string text = "schema = 1\n";
  for (std::size_t i = 0; i < accepted.size(); ++i) {
    const auto asked = mutation::toml_case(accepted[i].statement, std::to_string(i));
    if (asked) text += *asked;
    else ++tallies[accepted[i].field].unasked;
  }
  const test::Ran ran = test::verify_layout({"check", folder.file("asked.toml", text), "--format", "jsonl"});
  std::set<std::size_t> answered;
  std::istringstream lines(ran.out);
  for (std::string line; std::getline(lines, line);) {
    const Json record = Json::parse(line);
    if (record.value("kind", "") != "verdict" || !record.contains("case") || !record.at("case").is_string()) continue;
    const std::size_t i = std::stoul(record.at("case").get<std::string>());
    answered.insert(i);
    compare(accepted[i], record, tallies[accepted[i].field]);
  }
  for (std::size_t i = 0; i < accepted.size(); ++i)
    if (!answered.contains(i) && mutation::toml_case(accepted[i].statement, "0"))
      ADD_FAILURE() << accepted[i].name << accepted[i].field
                    << " is accepted and cannot be asked: " << accepted[i].statement.dump() << ran.err.substr(0, 2000);
}

std::map<std::string, Others> others_of(const std::vector<Written>& all) {
  std::map<std::string, Others> out;
  for (const Written& one : all) {
    const Json& said = one.certificate.at("statement");
    Others& others = out[said.at("claim")];
    const auto add = [&](const std::string& field, const Json& text) {
      auto& known = others[field];
      if (text.is_string() && known.size() < 200) known.push_back(text);
    };
    add("/layout", said.at("layout")), add("/tensor", said.at("tensor"));
    const Json arguments = said.value("arguments", Json::object());
    for (const auto& [key, text] : arguments.items()) add("/arguments/" + key, text);
    if (!said.contains("operation")) continue;
    add("/operation/name", said.at("operation").at("name"));
    for (const Json& operand : said.at("operation").at("operands"))
      for (const auto& [key, text] : operand.items()) add("/operation/operands/" + key, text);
  }
  return out;
}

// The corpus is certified once for both.
TEST(TextsOfCertificates, AreAcceptedAndForgedOnesOnlyWhereTheirSentenceIsTrue) {
  const std::vector<Written> all = corpus_certificates();
  expect_all_accepted(all);
  const std::map<std::string, Others> others = others_of(all);
  const test::Shard shard = test::shard_of_about(700, all.size());
  std::map<std::string, Tally> tallies;
  std::map<std::string, int> each;  // the first ones of each claim and verdict are always forged
  std::vector<Accepted> accepted;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Json& certificate = all[i].certificate;
    const Json& said = certificate.at("statement");
    const int number = each[said.at("claim").get<std::string>() + " " + said.at("verdict").get<std::string>()]++;
    if (number >= 10 && !shard.has(i)) continue;
    Random random(i + 1);
    for (const std::string& field : fields_of(said))
      for (int times = 0; times < times_of(field); ++times) {
        const Json made = forged(certificate, field, others.at(said.at("claim")), random);
        Tally& tally = tallies[field];
        ++tally.forged;
        if (made.at("statement") == said) {
          ++tally.same;
          continue;
        }
        const Answer answer = answer_of(made);
        if (!answer.why.empty()) ++tally.rejected;
        else if (!answer.unread.empty()) ++tally.unread;
        else accepted.push_back({field, all[i].name, made.at("statement")});
      }
  }
  ask(accepted, tallies);
  Tally sum;
  for (const auto& [field, tally] : tallies) {
    fmt::print(
        "{}: {} forged, {} unchanged, {} rejected, {} unread, {} accepted and true, {} undecided, {} not asked\n",
        field, tally.forged, tally.same, tally.rejected, tally.unread, tally.asked, tally.open, tally.unasked);
    sum.forged += tally.forged, sum.rejected += tally.rejected, sum.asked += tally.asked, sum.open += tally.open;
    sum.unasked += tally.unasked;
  }
  fmt::print("{} forged, {} rejected, {} accepted and true, {} undecided, {} not asked\n", sum.forged, sum.rejected,
             sum.asked, sum.open, sum.unasked);
  EXPECT_GE(sum.forged, 10'000);
  EXPECT_GE(sum.rejected, 7'500);
  EXPECT_GE(sum.asked, 60);
  EXPECT_LE(sum.open + sum.unasked, sum.asked / 10);
}

}  // namespace mutation_texts_campaign
}  // namespace vl
