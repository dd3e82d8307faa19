#include "oracle/fuzz/neutral/totals.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "oracle/fuzz/data.h"

namespace vl::oracle {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kNeutralVersion = 3;  // of the generators and counts: another version gives others
constexpr std::string_view kNeutralStart = R"({"kind":"shard","what":"neutral",)";

struct Counter {
  const char* name;
  std::uint64_t NeutralTotals::*count;
};
constexpr Counter kCounters[] = {
    {"cases", &NeutralTotals::cases},
    {"elements", &NeutralTotals::elements},
    {"proved", &NeutralTotals::proved},
    {"refuted", &NeutralTotals::refuted},
    {"unknown", &NeutralTotals::unknown},
    {"mismatches", &NeutralTotals::mismatches},
    {"differing", &NeutralTotals::differing},
    {"images", &NeutralTotals::images},
    {"groups", &NeutralTotals::groups},
    {"refuted_groups", &NeutralTotals::refuted_groups},
    {"detected_groups", &NeutralTotals::detected_groups},
    {"unknown_groups", &NeutralTotals::unknown_groups},
    {"differing_groups", &NeutralTotals::differing_groups},
};

// What in a record no campaign can have counted, in words.
std::optional<std::string> impossible_count(const NeutralRecord& record) {
  const NeutralTotals& t = record.totals;
  if (record.to < record.from || record.to - record.from != t.cases) return "counts other cases than its range has";
  if (t.proved > t.cases || t.refuted > t.cases - t.proved || t.unknown != t.cases - t.proved - t.refuted)
    return "has other verdicts than cases";
  if (t.mismatches > t.cases || t.differing > t.cases || t.images > t.cases || t.groups > t.cases)
    return "counts something more often than it has cases";
  if (t.refuted_groups > t.groups || t.unknown_groups > t.groups || t.detected_groups > t.refuted_groups ||
      t.differing_groups > t.unknown_groups)
    return "has other verdicts than groups";
  std::uint64_t found = 0;
  for (const auto& [key, one] : t.found) {
    if (one.first < record.from || one.first >= record.to) return "found a mismatch outside its range";
    if (one.count == 0 || one.count > t.mismatches - found) return "found other mismatches than it counts";
    found += one.count;
  }
  if (found != t.mismatches) return "found other mismatches than it counts";
  return std::nullopt;
}

}  // namespace

void NeutralTotals::add(std::uint64_t index, const NeutralQuestion& asked, bool image, const NeutralOutcome& outcome) {
  ++cases;
  elements += outcome.elements;
  switch (outcome.verdict) {
    case Answered::Proved: ++proved; break;
    case Answered::Refuted: ++refuted; break;
    case Answered::Unknown: ++unknown; break;
  }
  if (outcome.differs && outcome.verdict != Answered::Proved) ++differing;
  if (image) ++images;
  const std::uint64_t word = use::mix(index * 4 + static_cast<std::uint64_t>(outcome.verdict)) ^ outcome.hash;
  const std::uint64_t low = use::mix(word);
  digest[0] += low;
  digest[1] += use::mix(word + 0x452821e638d01377U);
  digest[1] += digest[0] < low ? 1 : 0;  // one sum of 128 bits
  const neutral::Question& question = asked.question;
  ++counts[fmt::format("{}-{}", name(question.operation),
                       outcome.verdict == Answered::Proved    ? "proved"
                       : outcome.verdict == Answered::Refuted ? "refuted"
                                                              : "unknown")];
  ++counts[std::string(question.type.name)];
  if (outcome.stored > 0) counts["state-results"] += outcome.stored, ++counts["state-images"];
  if (!outcome.mismatch) return;
  ++mismatches;
  Found& one = found[fmt::format("{}/{}/{}", outcome.mismatch->kind, name(question.operation), question.type.name)];
  if (one.count++ == 0 || index < one.first) {
    one.first = index;
    one.detail = outcome.mismatch->detail;
  }
}

void NeutralTotals::add_group(Answered verdict, bool differs) {
  ++groups;
  if (verdict == Answered::Refuted) ++refuted_groups, detected_groups += differs ? 1 : 0;
  if (verdict == Answered::Unknown) ++unknown_groups, differing_groups += differs ? 1 : 0;
}

void NeutralTotals::add(const NeutralTotals& other) {
  for (const Counter& counter : kCounters) this->*counter.count += other.*counter.count;
  digest[0] += other.digest[0];
  digest[1] += other.digest[1] + (digest[0] < other.digest[0] ? 1 : 0);
  for (const auto& [key, count] : other.counts) counts[key] += count;
  for (const auto& [key, more] : other.found) {
    Found& one = found[key];
    if (one.count == 0 || more.first < one.first) {
      one.first = more.first;
      one.detail = more.detail;
    }
    one.count += more.count;
  }
}

std::string NeutralTotals::digest_text() const { return fmt::format("{:016x}{:016x}", digest[1], digest[0]); }

std::string to_text(const NeutralRecord& record) {
  const NeutralTotals& t = record.totals;
  Json out = {{"kind", "shard"},     {"what", "neutral"},   {"version", kNeutralVersion},
              {"seed", record.seed}, {"from", record.from}, {"to", record.to}};
  for (const Counter& counter : kCounters) out[counter.name] = t.*counter.count;
  out["digest"] = t.digest_text();
  out["counts"] = t.counts;
  out["found"] = Json::array();
  for (const auto& [key, one] : t.found)
    out["found"].push_back({{"key", key}, {"first", one.first}, {"count", one.count}, {"detail", one.detail}});
  std::string text = out.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.pop_back();  // the brace
  return fmt::format("{},\"checksum\":\"{:016x}\"}}\n", text, hash_of(std::as_bytes(std::span(text))));
}

bool is_neutral_record(const std::string& text) { return text.starts_with(kNeutralStart); }

Result<NeutralRecord> neutral_record_of(const std::string& text) {
  const auto wrong = [](std::string message) { return Error{ErrorCode::Value, std::move(message)}; };
  try {
    // A record has three levels; what is deeper is passed over, and not kept in memory.
    const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth <= 3; };
    const auto in = Json::parse(text, shallow);
    const auto number = [](const Json& object, const char* key) -> std::uint64_t {
      return object.at(key).get_ref<const Json::number_unsigned_t&>();
    };
    if (in.at("kind") != "shard" || in.at("what") != "neutral") return wrong("is not a shard of a campaign `neutral`");
    if (in.at("version") != kNeutralVersion)
      return wrong(fmt::format("is a shard of another version's campaign; expected version {}", kNeutralVersion));
    NeutralRecord record;
    record.seed = number(in, "seed");
    record.from = number(in, "from");
    record.to = number(in, "to");
    NeutralTotals& t = record.totals;
    for (const Counter& counter : kCounters) t.*counter.count = number(in, counter.name);
    const std::string digest = in.at("digest");
    if (digest.size() != 32 || digest.find_first_not_of("0123456789abcdef") != std::string::npos)
      return wrong("has a digest that is no 32 hexadecimal digits");
    t.digest = {std::stoull(digest.substr(16), nullptr, 16), std::stoull(digest.substr(0, 16), nullptr, 16)};
    for (const auto& [key, count] : in.at("counts").items())
      t.counts[key] = count.get_ref<const Json::number_unsigned_t&>();
    for (const auto& one : in.at("found"))
      t.found[one.at("key")] = {number(one, "first"), number(one, "count"), one.at("detail")};
    if (to_text(record) != text)  // the checksum is a part of the text
      return wrong("was altered or damaged: its checksum is not that of its content");
    if (auto what = impossible_count(record)) return wrong(std::move(*what));
    return record;
  } catch (const nlohmann::json::exception& error) {
    return wrong(fmt::format("is not a complete shard file of a campaign ({})", error.id));
  }
}

Result<std::vector<NeutralRecord>> merge(std::vector<NeutralRecord> records) {
  std::ranges::sort(records, {}, [](const NeutralRecord& r) { return std::pair(r.from, r.to); });
  std::vector<NeutralRecord> out;
  for (NeutralRecord& record : records) {
    if (!out.empty() && record.seed != out[0].seed)
      return Error{ErrorCode::Value,
                   fmt::format("campaigns with seed {} and {} do not merge", out[0].seed, record.seed)};
    if (!out.empty() && record.from < out.back().to)
      return Error{ErrorCode::Value, fmt::format("the cases from {} to {} are in two shards", record.from,
                                                 std::min(record.to, out.back().to))};
    if (!out.empty() && record.from == out.back().to) {
      out.back().to = record.to;
      out.back().totals.add(record.totals);
    } else {
      out.push_back(std::move(record));
    }
  }
  return out;
}

std::vector<std::string> too_rare(const NeutralRecord& record) {
  std::vector<std::string> out;
  const NeutralTotals& t = record.totals;
  if (t.cases < (std::uint64_t{1} << 16)) return out;
  const auto floor = [&](std::string_view what, std::uint64_t have, std::uint64_t of, std::uint64_t one_in) {
    if (have < of / one_in)
      out.push_back(fmt::format("{} of {} are {}; a campaign needs one in {}", have, of, what, one_in));
  };
  floor("proved", t.proved, t.cases, 6);
  floor("refuted", t.refuted, t.cases, 6);
  floor("with a layout", t.images, t.cases, 16);
  const auto states = t.counts.find("state-images");
  floor("images with a state", states == t.counts.end() ? 0 : states->second, t.cases, 100);
  for (const char* operation : {"sum", "prod", "max", "min", "any", "all", "sumsq", "dot"})
    for (const char* verdict : {"proved", "refuted"}) {
      const auto found = t.counts.find(fmt::format("{}-{}", operation, verdict));
      floor(fmt::format("{} {}", operation, verdict), found == t.counts.end() ? 0 : found->second, t.cases, 200);
    }
  return out;
}

}  // namespace vl::oracle
