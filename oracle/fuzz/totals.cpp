#include "oracle/fuzz/totals.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "encodings/base/check.h"
#include "encodings/base/files.h"
#include "oracle/fuzz/data.h"

namespace vl::oracle {
namespace {

constexpr int kVersion = 4;  // of the generators: another version gives other tensors
constexpr std::size_t kRanks = 6, kSizes = 6, kUnits = 4, kHosts = 2;
constexpr std::uint64_t kMostElements = std::uint64_t{1} << 20;  // more than any tensor has
constexpr std::size_t kMostBytes = std::size_t{16} << 20;        // of a record; most have 4 KB
constexpr std::array<Index, kSizes> kSizeEnds = {0, 1, 63, 511, 2047, INT64_MAX};

enum Class : std::size_t {
  kRank0 = kFeatures,
  kSlotRank0 = kRank0 + kRanks,
  kVerb0 = kSlotRank0 + kRanks,      // each verb by each way
  kHost0 = kVerb0 + kVerbs * kWays,  // each host by each way
  kStreamed = kHost0 + kHosts * kWays,
  kEmpty,
  kUnit0 = kEmpty + 1,
  kPattern0 = kUnit0 + kUnits,
  kSize0 = kPattern0 + kPatterns,
  kClasses = kSize0 + kSizes
};

std::size_t device_rank(const Subject& subject) { return subject.family->campaign->digits(subject); }

// Mismatches of one kind in layouts of one structure count as one.
std::string key_of(const Subject& subject, const Tensor& tensor, const Mismatch& mismatch) {
  std::string out =
      fmt::format("{}/{}/{}-{}", mismatch.kind, name(tensor.verb), subject.tensor.size.size(), device_rank(subject));
  for (std::size_t k = 0; k < kFeatures; ++k)
    if (subject.has(static_cast<Feature>(k))) out += fmt::format("/{}", name(static_cast<Feature>(k)));
  return out;
}

// Classes of which each tensor has one.
struct Partition {
  std::string_view name;
  std::size_t first, size;
};
constexpr std::array<Partition, 7> kPartitions = {{{"ranks", kRank0, kRanks},
                                                   {"digits", kSlotRank0, kRanks},
                                                   {"verbs", kVerb0, kVerbs* kWays},
                                                   {"hosts", kHost0, kHosts* kWays},
                                                   {"units", kUnit0, kUnits},
                                                   {"patterns", kPattern0, kPatterns},
                                                   {"sizes", kSize0, kSizes}}};

// Without a sum that could overflow.
bool add_up(std::span<const std::uint64_t> parts, std::uint64_t total) {
  for (const std::uint64_t part : parts) {
    if (part > total) return false;
    total -= part;
  }
  return total == 0;
}

// What in a record no campaign can have counted, in words.
std::optional<std::string> contradiction(const Record& record) {
  const Totals& t = record.totals;
  if (record.to < record.from || record.to - record.from != t.cases) return "counts other cases than its range has";
  if (!add_up(std::array{t.proved, t.refuted, t.unknown}, t.cases)) return "has other verdicts than cases";
  for (const Partition& p : kPartitions)
    if (!add_up(std::span(t.counts).subspan(p.first, p.size), t.cases))
      return fmt::format("has {} that do not add up to its cases", p.name);
  const auto beyond = [&](std::uint64_t count) { return count > t.cases; };
  if (beyond(t.unplanned) || beyond(t.mismatches) || std::ranges::any_of(t.counts, beyond))
    return "counts something more often than it has cases";
  if (t.elements / kMostElements > t.cases) return "has more elements than so many cases can have";
  std::vector<std::uint64_t> found;
  for (const auto& [key, one] : t.found) {
    if (one.first < record.from || one.first >= record.to) return "found a mismatch outside its range";
    found.push_back(one.count);
  }
  if (!add_up(found, t.mismatches)) return "found other mismatches than it counts";
  return std::nullopt;
}

// Throws, unlike get<>(), if the value is negative or a fraction or has more than 64 bits.
std::uint64_t count_in(const nlohmann::json& object, const char* key) {
  return object.at(key).get_ref<const nlohmann::json::number_unsigned_t&>();
}

struct Floor {
  std::string_view name;
  std::uint64_t one_in;
};
// About half of the rates of the generators; two thirds of all layouts are proved.
constexpr std::array<Floor, 11> kFloors = {{{"pack-by-plan", 6},
                                            {"unpack-by-plan", 10},
                                            {"round-trip-by-plan", 25},
                                            {"move-by-plan", 25},
                                            {"nests-by-plan", 100},
                                            {"pack-refused", 6},
                                            {"dense-by-plan", 4},
                                            {"view-by-plan", 10},
                                            {"dense-refused", 10},
                                            {"view-refused", 20},
                                            {"dense-by-rows", 5000}}};

std::vector<std::string> make_classes() {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < kFeatures; ++k) out.emplace_back(name(static_cast<Feature>(k)));
  for (std::size_t k = 0; k < kRanks; ++k) out.push_back(fmt::format("rank-{}{}", k, k + 1 == kRanks ? "+" : ""));
  for (std::size_t k = 0; k < kRanks; ++k) out.push_back(fmt::format("digits-{}{}", k, k + 1 == kRanks ? "+" : ""));
  for (std::size_t k = 0; k < kVerbs * kWays; ++k)
    out.push_back(fmt::format("{}-{}", name(static_cast<Verb>(k / kWays)), name(static_cast<Way>(k % kWays))));
  for (std::size_t k = 0; k < kHosts * kWays; ++k)
    out.push_back(fmt::format("{}-{}", k / kWays == 0 ? "dense" : "view", name(static_cast<Way>(k % kWays))));
  out.emplace_back("streamed");
  out.emplace_back("empty");
  for (std::size_t k = 0; k < kUnits; ++k) out.push_back(fmt::format("unit-{}", 1U << k));
  for (std::size_t k = 0; k < kPatterns; ++k) out.emplace_back(name(static_cast<Pattern>(k)));
  for (const char* size : {"elements-0", "elements-1", "elements-2", "elements-64", "elements-512", "elements-2048"})
    out.emplace_back(size);
  return out;
}

}  // namespace

const std::vector<std::string>& classes() {
  static const std::vector<std::string> out = make_classes();
  return out;
}

std::size_t class_of(std::string_view name) {
  const auto found = std::ranges::find(classes(), name);
  VL_CHECK(found != classes().end(), "a class that there is not");
  return static_cast<std::size_t>(found - classes().begin());
}

void Totals::add(std::uint64_t index, const Subject& subject, const Tensor& tensor, const Outcome& outcome) {
  ++cases;
  elements += static_cast<std::uint64_t>(outcome.elements);
  switch (outcome.verdict) {
    case Answered::Proved: ++proved; break;
    case Answered::Refuted: ++refuted; break;
    case Answered::Unknown: ++unknown; break;
  }
  if (outcome.ran.way == Way::Rows) ++unplanned;
  const std::uint64_t word = mix(index * 4 + static_cast<std::uint64_t>(outcome.verdict)) ^ outcome.hash;
  const std::uint64_t low = mix(word);
  digest[0] += low;
  digest[1] += mix(word + 0x452821e638d01377U);
  digest[1] += digest[0] < low ? 1 : 0;  // one sum of 128 bits
  for (std::uint32_t left = subject.features; left != 0; left &= left - 1)
    ++counts[static_cast<std::size_t>(std::countr_zero(left))];
  ++counts[kRank0 + std::min(subject.tensor.size.size(), kRanks - 1)];
  ++counts[kSlotRank0 + std::min(device_rank(subject), kRanks - 1)];
  const auto way = static_cast<std::size_t>(outcome.ran.way);
  ++counts[kVerb0 + static_cast<std::size_t>(outcome.ran.verb) * kWays + way];
  ++counts[kHost0 + static_cast<std::size_t>(outcome.ran.where) * kWays + way];
  if (tensor.streamed) ++counts[kStreamed];
  if (tensor.empty) ++counts[kEmpty];
  ++counts[kUnit0 + static_cast<std::size_t>(std::countr_zero(tensor.unit))];
  ++counts[kPattern0 + static_cast<std::size_t>(tensor.pattern)];
  std::size_t size = 0;
  while (outcome.elements > kSizeEnds[size]) ++size;
  ++counts[kSize0 + size];
  if (!outcome.mismatch) return;
  ++mismatches;
  Found& one = found[key_of(subject, tensor, *outcome.mismatch)];
  if (one.count++ == 0 || index < one.first) {
    one.first = index;
    one.detail = outcome.mismatch->detail;
  }
}

void Totals::add(const Totals& other) {
  cases += other.cases;
  elements += other.elements;
  proved += other.proved;
  refuted += other.refuted;
  unknown += other.unknown;
  unplanned += other.unplanned;
  mismatches += other.mismatches;
  digest[0] += other.digest[0];
  digest[1] += other.digest[1] + (digest[0] < other.digest[0] ? 1 : 0);
  for (std::size_t k = 0; k < other.counts.size(); ++k) counts[k] += other.counts[k];
  for (const auto& [key, more] : other.found) {
    Found& one = found[key];
    if (one.count == 0 || more.first < one.first) {
      one.first = more.first;
      one.detail = more.detail;
    }
    one.count += more.count;
  }
}

std::string Totals::digest_text() const { return fmt::format("{:016x}{:016x}", digest[1], digest[0]); }

std::string to_text(const Record& record) {
  const Totals& t = record.totals;
  nlohmann::ordered_json distribution;
  for (std::size_t k = 0; k < t.counts.size(); ++k) distribution[classes()[k]] = t.counts[k];
  nlohmann::ordered_json found = nlohmann::ordered_json::array();
  for (const auto& [key, one] : t.found)
    found.push_back({{"key", key}, {"first", one.first}, {"count", one.count}, {"detail", one.detail}});
  const nlohmann::ordered_json out = {{"kind", "shard"},
                                      {"version", kVersion},
                                      {"family", record.family},
                                      {"seed", record.seed},
                                      {"definition", record.always ? "always" : "sometimes"},
                                      {"from", record.from},
                                      {"to", record.to},
                                      {"cases", t.cases},
                                      {"elements", t.elements},
                                      {"proved", t.proved},
                                      {"refuted", t.refuted},
                                      {"unknown", t.unknown},
                                      {"unplanned", t.unplanned},
                                      {"mismatches", t.mismatches},
                                      {"digest", t.digest_text()},
                                      {"distribution", distribution},
                                      {"found", found}};
  std::string text = out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  text.pop_back();  // the brace
  return fmt::format("{},\"checksum\":\"{:016x}\"}}\n", text, hash_of(std::as_bytes(std::span(text))));
}

Result<Record> record_of(const std::string& text) {
  const auto wrong = [](std::string message) { return Error{ErrorCode::Value, std::move(message)}; };
  try {
    // A record has three levels; what is deeper is passed over, and not kept in memory.
    const auto shallow = [](int depth, nlohmann::json::parse_event_t, nlohmann::json&) { return depth <= 3; };
    const auto in = nlohmann::json::parse(text, shallow);
    if (in.at("kind") != "shard") return wrong("is not a shard of a campaign");
    if (in.at("version") != kVersion)
      return wrong(fmt::format("is a shard of another version's campaign; expected version {}", kVersion));
    if (!in.contains("checksum"))
      return wrong("has no checksum, as an older version wrote it; delete it, or start in another folder");
    Record record;  // not Record{…}: g++ 12 destroys the totals twice if a later initialiser throws
    record.family = in.at("family").get<std::string>();
    record.seed = count_in(in, "seed");
    record.from = count_in(in, "from");
    record.to = count_in(in, "to");
    record.always = in.at("definition") == "always";
    Totals& t = record.totals;
    t.cases = count_in(in, "cases");
    t.elements = count_in(in, "elements");
    t.proved = count_in(in, "proved");
    t.refuted = count_in(in, "refuted");
    t.unknown = count_in(in, "unknown");
    t.unplanned = count_in(in, "unplanned");
    t.mismatches = count_in(in, "mismatches");
    const std::string digest = in.at("digest");
    if (digest.size() != 32 || digest.find_first_not_of("0123456789abcdef") != std::string::npos)
      return wrong("has a digest that is no 32 hexadecimal digits");
    t.digest = {std::stoull(digest.substr(16), nullptr, 16), std::stoull(digest.substr(0, 16), nullptr, 16)};
    const auto& distribution = in.at("distribution");
    std::ranges::transform(classes(), t.counts.begin(),
                           [&](const std::string& name) { return count_in(distribution, name.c_str()); });
    for (const auto& one : in.at("found"))
      t.found[one.at("key")] = {count_in(one, "first"), count_in(one, "count"), one.at("detail")};
    if (to_text(record) != text)  // the checksum is a part of the text
      return wrong(
          "was altered or damaged: its checksum is not that of its content; delete it, or start in another folder");
    if (auto what = contradiction(record)) return wrong(std::move(*what));
    return record;
  } catch (const nlohmann::json::exception& error) {
    return wrong(fmt::format("is not a complete shard file of a campaign ({})", error.id));
  }
}

Result<Record> read_record(const std::string& path) {
  const auto text = read_whole(path, kMostBytes);
  if (!text) return text.error();
  return record_of(*text);
}

Result<std::vector<Record>> merge(std::vector<Record> records) {
  std::ranges::sort(records, {}, [](const Record& r) { return std::pair(r.from, r.to); });
  std::vector<Record> out;
  for (Record& record : records) {
    if (!out.empty() && (record.family != out[0].family || record.seed != out[0].seed))
      return Error{ErrorCode::Value, fmt::format("campaigns of {} with seed {} and of {} with seed {} do not merge",
                                                 out[0].family, out[0].seed, record.family, record.seed)};
    if (!out.empty() && record.from < out.back().to)
      return Error{ErrorCode::Value, fmt::format("the cases from {} to {} are in two shards", record.from,
                                                 std::min(record.to, out.back().to))};
    const std::uint64_t before = out.empty() ? 0 : out.back().totals.elements;  // the cases of ranges never overflow
    if (record.totals.elements > UINT64_MAX - before)
      return Error{ErrorCode::Overflow, "the shards have more than 2^64 elements"};
    if (!out.empty() && record.from == out.back().to) {
      out.back().to = record.to;
      out.back().totals.add(record.totals);
      out.back().always = out.back().always && record.always;
    } else {
      out.push_back(std::move(record));
    }
  }
  return out;
}

std::vector<std::string> too_rare(const Record& record) {
  std::vector<std::string> out;
  const Totals& t = record.totals;
  if (t.cases < 64 * kGroup) return out;
  const auto floor = [&](std::string_view what, std::uint64_t have, std::uint64_t one_in) {
    if (have * one_in < t.cases)
      out.push_back(fmt::format("{} of {} cases are {}; a campaign needs one in {}", have, t.cases, what, one_in));
  };
  floor("proved", t.proved, 10);
  floor("refuted", t.refuted, 10);
  if (t.unplanned * 5 > t.proved)
    out.push_back(fmt::format("{} of {} proved cases have no plan", t.unplanned, t.proved));
  if (t.cases < 8192 * kGroup) return out;  // rare classes need more groups
  // By the verb and the host that were carried out in the end.
  for (const auto& [name, one_in] : kFloors) floor(name, t.counts[class_of(name)], one_in);
  const use::Campaign& campaign = *campaign_family(record.family).campaign;
  for (std::size_t k = 0; k < kClasses; ++k) {
    if (kVerb0 <= k && k < kStreamed) continue;  // they have their own floors
    if (k < kFeatures && std::ranges::count(campaign.never, static_cast<Feature>(k)) > 0) continue;
    if (!campaign.empty_tensors && (k == kEmpty || k == kSize0)) continue;
    const std::string_view name = classes()[k];
    if (name == "rank-5+" || name == "digits-0") continue;
    floor(name, t.counts[k], 1000);
  }
  return out;
}

}  // namespace vl::oracle
