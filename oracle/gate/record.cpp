#include "oracle/gate/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

#include "encodings/base/files.h"
#include "oracle/fuzz/data.h"

namespace vl::gate {
namespace {

Json integer_of(std::uint64_t value) { return static_cast<Index>(value); }

Json finding_json(const Finding& finding) {
  Json out;
  for (const auto& [key, text] : {std::pair{"signature", &finding.signature},
                                  {"judgement", &finding.judgement},
                                  {"found", &finding.kind},
                                  {"detail", &finding.detail},
                                  {"standing", &finding.standing},
                                  {"name", &finding.name}})
    out.set(key, *text);
  out.set("case", finding.request);
  out.set("answer", finding.answer);
  out.set("right", finding.right);
  out.set("count", integer_of(finding.count));
  out.set("index", integer_of(finding.index));
  return out;
}

constexpr std::array<std::pair<const char*, std::uint64_t OpTotals::*>, 12> kCounts = {
    {{"asked", &OpTotals::asked},
     {"throttled", &OpTotals::throttled},
     {"yes", &OpTotals::yes},
     {"no", &OpTotals::no},
     {"within", &OpTotals::within},
     {"outside", &OpTotals::outside},
     {"unstated", &OpTotals::unstated},
     {"proved", &OpTotals::proved},
     {"all_elements", &OpTotals::all_elements},
     {"sampled", &OpTotals::sampled},
     {"by_definition", &OpTotals::by_definition},
     {"checked", &OpTotals::checked}}};

Json row_json(const OpTotals& row) {
  Json out;
  out.set("family", row.family);
  out.set("op", row.op);
  out.set("convention", row.convention);
  Json::List contract, words, findings;
  contract.reserve(row.contract.size());
  for (const std::string& word : row.contract) contract.emplace_back(word);
  words.reserve(row.words.size());
  for (const std::uint64_t count : row.words) words.push_back(integer_of(count));
  findings.reserve(row.findings.size());
  for (const auto& [signature, finding] : row.findings) findings.push_back(finding_json(finding));
  out.set("contract", std::move(contract));
  for (const auto& [key, member] : kCounts) out.set(key, integer_of(row.*member));
  out.set("words", std::move(words));
  Json::List pairs;
  for (const std::uint64_t number : row.pairs.numbers()) pairs.push_back(integer_of(number));
  out.set("pairs", std::move(pairs));
  out.set("digest", digest_text(row.digest));
  out.set("findings", std::move(findings));
  Json unjudged;
  for (const auto& [word, one] : row.unjudged) {
    Json example;
    example.set("index", integer_of(one.index)), example.set("name", one.name), example.set("why", one.why);
    unjudged.set(std::string(name(word)), std::move(example));
  }
  out.set("unjudged", std::move(unjudged));
  if (row.scouted.empty()) return out;
  Json::List scouted;
  for (const auto& [signature, hits] : row.scouted) scouted.push_back(Json::List{signature, integer_of(hits)});
  out.set("scouted", std::move(scouted));
  return out;
}

// Reads fields of a kind; anything else makes it fail, and the comparison of bytes says so.
struct RecordReader {
  bool failed = false;

  std::string text(const Json& of, std::string_view key) {
    const std::string* value = of.text(key);
    failed = failed || value == nullptr;
    return value != nullptr ? *value : std::string();
  }
  std::uint64_t count(const Json& of, std::string_view key) { return number(of.find(key)); }
  std::uint64_t number(const Json* value) {
    const Index* integer = value != nullptr ? value->integer() : nullptr;
    failed = failed || integer == nullptr || *integer < 0;
    return failed ? 0 : static_cast<std::uint64_t>(*integer);
  }
  const Json::List& list(const Json& of, std::string_view key) {
    static const Json::List kEmpty;
    const Json* value = of.find(key);
    failed = failed || value == nullptr || value->list() == nullptr;
    return failed ? kEmpty : *value->list();
  }
  std::vector<std::string> texts(const Json& of, std::string_view key) {
    std::vector<std::string> out;
    for (const Json& one : list(of, key)) {
      failed = failed || one.string() == nullptr;
      if (!failed) out.push_back(*one.string());
    }
    return out;
  }
  Json value(const Json& of, std::string_view key) {
    const Json* found = of.find(key);
    failed = failed || found == nullptr;
    return found != nullptr ? *found : Json();
  }
};

std::array<std::uint64_t, 2> digest_of(RecordReader& in, const std::string& text) {
  std::array<std::uint64_t, 2> out{};
  in.failed = in.failed || text.size() != 32;
  for (std::size_t k = 0; k < 2 && !in.failed; ++k) {
    const char* begin = text.data() + (1 - k) * 16;
    in.failed = std::from_chars(begin, begin + 16, out[k], 16).ptr != begin + 16;
  }
  return out;
}

OpTotals row_of(RecordReader& in, const Json& json) {
  OpTotals out;
  out.family = in.text(json, "family");
  out.op = in.text(json, "op");
  out.convention = in.text(json, "convention");
  out.contract = in.texts(json, "contract");
  for (const auto& [key, member] : kCounts) out.*member = in.count(json, key);
  const Json::List& words = in.list(json, "words");
  in.failed = in.failed || words.size() != kWords;
  for (std::size_t k = 0; k < kWords && !in.failed; ++k) out.words[k] = in.number(&words[k]);
  std::vector<std::uint64_t> pairs;
  for (const Json& one : in.list(json, "pairs")) pairs.push_back(in.number(&one));
  in.failed = in.failed || !out.pairs.read(pairs);
  out.digest = digest_of(in, in.text(json, "digest"));
  for (const Json& one : in.list(json, "findings")) {
    Finding finding;
    finding.signature = in.text(one, "signature");
    finding.judgement = in.text(one, "judgement");
    finding.kind = in.text(one, "found");
    finding.detail = in.text(one, "detail");
    finding.standing = in.text(one, "standing");
    finding.name = in.text(one, "name");
    finding.request = in.value(one, "case");
    finding.answer = in.value(one, "answer");
    finding.right = in.value(one, "right");
    finding.count = in.count(one, "count");
    finding.index = in.count(one, "index");
    finding.family = out.family, finding.op = out.op, finding.convention = out.convention;
    out.findings.emplace(finding.signature, std::move(finding));
  }
  const Json unjudged = in.value(json, "unjudged");
  for (std::size_t k = 0; k < kWords && unjudged.fields() != nullptr; ++k)
    if (const Json* one = unjudged.find(name(static_cast<Word>(k))))
      out.unjudged[static_cast<Word>(k)] = {in.count(*one, "index"), in.text(*one, "name"), in.text(*one, "why")};
  if (json.find("scouted") == nullptr) return out;
  for (const Json& one : in.list(json, "scouted")) {
    const Json::List* pair = one.list();
    in.failed = in.failed || pair == nullptr || pair->size() != 2 || (*pair)[0].string() == nullptr;
    if (!in.failed) out.scouted.emplace(*(*pair)[0].string(), in.number(&(*pair)[1]));
  }
  return out;
}

Error no_record(std::string message) { return {ErrorCode::Value, std::move(message), 0}; }

}  // namespace

std::string to_text(const GateRecord& record) {
  Json out;
  out.set("kind", "gate-shard");
  out.set("version", kVersion);
  out.set("generator", Index{kGenerator});
  out.set("impl", record.impl);
  out.set("impl_version", record.version);
  out.set("setup", record.setup.read());
  Json::List asked, rows;
  asked.reserve(record.asked.size());
  for (const std::string& one : record.asked) asked.emplace_back(one);
  rows.reserve(record.rows.size());
  for (const OpTotals& row : record.rows) rows.push_back(row_json(row));
  out.set("asked", std::move(asked));
  for (const auto& [key, value] : {std::pair{"seed", record.seed},
                                   {"count", record.count},
                                   {"from", record.from},
                                   {"to", record.to},
                                   {"cases", record.cases},
                                   {"skipped", record.skipped}})
    out.set(key, integer_of(value));
  out.set("engines_disagree", record.engines_differ);
  out.set("rows", std::move(rows));
  std::string text = print_json(out);
  text.pop_back();
  return fmt::format("{},\"checksum\":\"{:016x}\"}}\n", text, oracle::hash_of(std::as_bytes(std::span(text))));
}

Result<GateRecord> gate_record_of(const std::string& text) {
  const auto parsed = parse_json(text);
  if (!parsed) return no_record("is no shard of a gate's campaign: " + parsed.error().message);
  const std::string* kind = parsed->text("kind");
  if (kind == nullptr || *kind != "gate-shard") return no_record("is no shard of a gate's campaign");
  RecordReader in;
  GateRecord out;
  out.impl = in.text(*parsed, "impl");
  out.version = in.text(*parsed, "impl_version");
  out.setup = in.value(*parsed, "setup");
  out.asked = in.texts(*parsed, "asked");
  out.seed = in.count(*parsed, "seed");
  out.count = in.count(*parsed, "count");
  out.from = in.count(*parsed, "from");
  out.to = in.count(*parsed, "to");
  out.cases = in.count(*parsed, "cases");
  out.skipped = in.count(*parsed, "skipped");
  out.engines_differ = in.text(*parsed, "engines_disagree");
  for (const Json& row : in.list(*parsed, "rows")) out.rows.push_back(row_of(in, row));
  if (in.failed || to_text(out) != text)
    return no_record("was altered or damaged, or is of another version; delete it, or start in another folder");
  if (out.to < out.from || out.cases > out.to - out.from) return no_record("counts more cases than its range has");
  return out;
}

Result<GateRecord> read_gate_record(const std::string& path) {
  const auto text = read_whole(path, kMostLine);
  if (!text) return text.error();
  return gate_record_of(*text);
}

JsonText setup_of(const Peer& peer, std::uint64_t repeat, bool throttles, Index elements) {
  Json out;
  out.set("adapter", peer.adapter_version);
  out.set("commit", peer.commit);
  out.set("repeat", integer_of(repeat));
  out.set("throttle", throttles);
  out.set("elements", elements);
  Json::List families;
  for (const PeerFamily& family : peer.families) {
    Json one;
    one.set("name", family.name);
    one.set("form", family.parts ? "parts" : "text");
    for (const auto& [key, limit] :
         {std::pair{"rank", family.rank}, {"elements", family.elements}, {"bits", family.bits}})
      one.set(key, limit);
    Json::List dtypes;
    for (const std::string& dtype : family.dtypes) dtypes.emplace_back(dtype);
    one.set("dtypes", std::move(dtypes));
    families.push_back(std::move(one));
  }
  out.set("families", std::move(families));
  return out;
}

bool same_campaign(const GateRecord& a, const GateRecord& b) {
  const auto shape = [](const GateRecord& record) {
    std::vector<std::string> out;
    out.reserve(record.rows.size());
    for (const OpTotals& row : record.rows) {
      out.push_back(row.family + "/" + row.op + "/" + row.convention);
      out.insert(out.end(), row.contract.begin(), row.contract.end());
    }
    return out;
  };
  return a.impl == b.impl && a.version == b.version && a.setup == b.setup && a.asked == b.asked && a.seed == b.seed &&
         a.count == b.count && shape(a) == shape(b);
}

Result<GateRecord> merged(std::vector<GateRecord> records) {
  if (records.empty()) return no_record("there is no shard");
  std::ranges::sort(records, {}, [](const GateRecord& r) { return std::pair(r.from, r.to); });
  GateRecord out = std::move(records.front());
  for (std::size_t k = 1; k < records.size(); ++k) {
    const GateRecord& next = records[k];
    if (!same_campaign(out, next)) return no_record("the shards are of two campaigns");
    if (next.from < out.to) return no_record(fmt::format("the cases from {} on are in two shards", next.from));
    if (next.from > out.to) return no_record(fmt::format("the cases from {} to {} are in no shard", out.to, next.from));
    out.to = next.to;
    out.cases += next.cases;
    out.skipped += next.skipped;
    if (out.engines_differ.empty()) out.engines_differ = next.engines_differ;
    for (std::size_t row = 0; row < out.rows.size(); ++row) {
      out.rows[row].add(next.rows[row]);
      out.rows[row].scouted = next.rows[row].scouted;
    }
  }
  return out;
}

std::string record_name(const std::string& impl, std::uint64_t seed, std::uint64_t shard, std::uint64_t shards) {
  std::string name;
  for (const char c : impl.substr(0, 60)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    name += plain ? c : '_';
  }
  if (shards == 1) return fmt::format("{}-{}.json", name, seed);
  return fmt::format("{}-{}-{}-of-{}.json", name, seed, shard, shards);
}

}  // namespace vl::gate
