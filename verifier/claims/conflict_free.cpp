// conflict-free:  ∀ instance: wavefronts(instance) = number of phases with an active lane
// conflicts:      max over instances of wavefronts - that number; with a limit k, whether it is at most k
// wavefronts:     max over instances of wavefronts
//
// An instance is a choice of the access's variables, the free base included. In each phase the active lanes touch
// words; a phase costs the largest number of different words in one bank (engines/banks.h). Lanes that are not aligned
// to their width are counted by the words that they touch. Sources: the seed document's "Bank conflicts"; the phases
// are the hardware's.
//
// A lane's bytes begin at its element's address. The claim does not say that they are the following elements, or that
// they end within the buffer (for a layout of threads and values this is checked). Unsupported if the access leaves the
// tensor; vacuous if no lane is ever active.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "verifier/claims/claim.h"
#include "verifier/question/access.h"

namespace vl::claims {
namespace {

using engines::Reach;

// Why the access is not judged; nothing if it can be.
std::optional<Verdict> not_judged(const Accessed& about, Inquiry& inquiry) {
  const Reach& reach = about.reach;
  const engines::Answer outside = inquiry.ask({Kind::Escapes, &reach, 0});
  if (const auto* found = std::get_if<engines::Found>(&outside))
    return unsupported(engines::show_outside(reach, found->witness.p));
  if (const auto* abstained = std::get_if<engines::Abstained>(&outside)) return inquiry.unknown(*abstained);
  if (!reach.when) return std::nullopt;
  const engines::Answer active = inquiry.ask({Kind::Lands, &reach, 0});
  if (const auto* abstained = std::get_if<engines::Abstained>(&active)) return inquiry.unknown(*abstained);
  if (std::holds_alternative<engines::None>(active)) return inquiry.vacuous("no lane is ever active");
  return std::nullopt;
}

Verdict count_wavefronts(const Accessed& about, Inquiry& inquiry, question::Measure measure) {
  const engines::Answer answer = inquiry.ask({Kind::Count, &about.reach, 0, measure});
  if (const auto* abstained = std::get_if<engines::Abstained>(&answer)) return inquiry.unknown(*abstained);
  return inquiry.proved(std::get<engines::Counted>(answer).count);
}

std::string misaligned(const Reach& reach, Index lane, Index byte) {
  if (floor_mod(byte, reach.width) == 0) return {};
  return fmt::format("; byte {} of lane {} is not a multiple of its {} bytes", byte, lane, reach.width);
}

// "8 wavefronts where 1 is ideal", "12 wavefronts where 4 are ideal (by phase: 6, 2, 2, 2)".
std::string show_cost(const engines::Cost& cost) {
  const std::string total = fmt::format("{} wavefront{} where {} {} ideal", cost.wavefronts,
                                        cost.wavefronts == 1 ? "" : "s", cost.ideal, cost.ideal == 1 ? "is" : "are");
  return cost.phases.size() < 2 ? total : fmt::format("{} (by phase: {})", total, fmt::join(cost.phases, ", "));
}

// What conflict-free shows of one instance: its variables in people's numbers, two lanes and their coordinates, what
// the lanes need (in bytes and words), and what the instance costs.
Counterexample conflicting(const Reach& reach, const Point& instance) {
  const engines::Cost cost = engines::cost_of(reach, instance);
  VL_CHECK(cost.conflict.has_value(), "an instance without a conflict");
  const engines::Cost::Pair& pair = *cost.conflict;
  const auto at = [&](const map::Map& map, Index lane) {
    auto values = map::evaluate(map, engines::lane_point(lane, instance));
    VL_CHECK(values.has_value(), "a lane outside its map");
    return std::move(*values);
  };
  const Index address = at(reach.bytes, pair.lane)[0];
  const Index other = at(reach.bytes, pair.other_lane)[0];
  Counterexample out;
  if (!instance.empty()) out.fields.emplace_back("instance", engines::named(reach, instance));
  out.fields.emplace_back("a", at(reach.coordinates, pair.lane));
  out.fields.emplace_back("b", at(reach.coordinates, pair.other_lane));
  for (const auto& [key, value] : {std::pair{"lane", pair.lane},
                                   {"other_lane", pair.other_lane},
                                   {"bank", pair.bank},
                                   {"word", pair.word},
                                   {"other_word", pair.other_word},
                                   {"address", address},
                                   {"other_address", other},
                                   {"wavefronts", cost.wavefronts},
                                   {"ideal", cost.ideal}})
    out.fields.emplace_back(key, value);
  const std::string where = engines::show_instance(reach, instance);
  const std::string who = pair.lane == pair.other_lane ? fmt::format("lane {} (byte {}) needs", pair.lane, address)
                                                       : fmt::format("lanes {} and {} (bytes {} and {}) need",
                                                                     pair.lane, pair.other_lane, address, other);
  const std::string what =
      pair.word == pair.other_word
          ? fmt::format("word {} of bank {} each, and nothing is shared", pair.word, pair.bank)
          : fmt::format("words {} and {} of bank {} in one phase", pair.word, pair.other_word, pair.bank);
  out.explanation = fmt::format("{}{} {}: {}{}", where.empty() ? "" : "for " + where + ", ", who, what, show_cost(cost),
                                misaligned(reach, pair.lane, address));
  if (pair.lane != pair.other_lane) out.explanation += misaligned(reach, pair.other_lane, other);
  return out;
}

// Whether no other two lanes of one phase that need different words of one bank have smaller coordinates than those
// that conflicting() shows, which are from the phase that costs most. Not where what conflicts is one word, or one
// lane.
bool shows_first_pair(const Reach& reach, const Point& instance) {
  const engines::Cost cost = engines::cost_of(reach, instance);
  VL_CHECK(cost.conflict.has_value(), "an instance without a conflict");
  if (!reach.broadcasts || cost.conflict->lane == cost.conflict->other_lane) return false;
  if (std::ranges::any_of(reach.step, [](Index step) { return step < 0; })) return false;
  const auto at = [&](Index lane) { return *map::evaluate(reach.coordinates, engines::lane_point(lane, instance)); };
  const auto words = [&](Index lane) {
    const Index byte = (*map::evaluate(reach.bytes, engines::lane_point(lane, instance)))[0];
    const Index unit = reach.bytes_per_bank;
    return map::Range{floor_div(byte, unit), floor_div(byte + reach.width - 1, unit)};
  };
  const auto meet = [&](const map::Range& a, const map::Range& b) {
    for (Index x = a.low; x <= a.high; ++x)
      for (Index y = b.low; y <= b.high; ++y)
        if (x != y && floor_mod(x - y, reach.banks) == 0) return true;
    return false;
  };
  const std::pair shown(at(cost.conflict->lane), at(cost.conflict->other_lane));
  question::LaneWalk walk(reach);
  for (const std::vector<Index>& phase : question::phases_of(reach, walk, instance))
    for (const Index lane : phase)
      for (const Index other : phase)
        if (lane < other && engines::is_active(reach, lane, instance) && engines::is_active(reach, other, instance) &&
            std::pair(at(lane), at(other)) < shown && meet(words(lane), words(other)))
          return false;
  return true;
}

// Whether every instance has at most `limit` wavefronts beyond the ideal.
Verdict at_most(const Accessed& about, Inquiry& inquiry, Index limit) {
  return inquiry.settle(
      {Kind::Crowds, &about.reach, limit}, [&](const Witness& w) { return conflicting(about.reach, w.p); },
      [&](const Witness& w) { return shows_first_pair(about.reach, w.p); });
}

Verdict conflict_free(const Accessed& about, Inquiry& inquiry) {
  if (auto verdict = not_judged(about, inquiry)) return std::move(*verdict);
  return at_most(about, inquiry, 0);
}

Verdict conflicts(const Accessed& about, Inquiry& inquiry) {
  if (auto verdict = not_judged(about, inquiry)) return std::move(*verdict);
  if (!about.at_most) return count_wavefronts(about, inquiry, question::Measure::Excess);
  if (*about.at_most < 0) return unsupported("a limit below 0");
  return at_most(about, inquiry, *about.at_most);
}

Verdict wavefronts(const Accessed& about, Inquiry& inquiry) {
  if (about.at_most) return unsupported("a limit goes with conflicts, not with wavefronts");
  if (auto verdict = not_judged(about, inquiry)) return std::move(*verdict);
  return count_wavefronts(about, inquiry, question::Measure::Wavefronts);
}

}  // namespace

std::optional<Accessed> Accessed::bind(Offer& offer) {
  if (offer.first() == nullptr) return std::nullopt;
  if (!offer.reading.unsized.empty()) offer.undecidable = use::Undecidable{offer.reading.unsized};
  if (offer.undecidable) return std::nullopt;
  for (const auto& [key, what] :
       {std::pair{"access", "an access: access = \"lanes=32 …\""}, {"hardware", "the hardware: hardware = \"sm_90\""}})
    if (offer.argument(key) == nullptr)
      return offer.wrong(key, {ErrorCode::Value, fmt::format("the claim {} needs {}", offer.claim, what)});
  const engines::Reach* reach = offer.take(offer.read_reach());
  return reach != nullptr ? std::optional(Accessed{*reach, offer.at_most}) : std::nullopt;
}

extern const Claim kConflictFree = {
    .name = "conflict-free",
    .statement = "an access costs one wavefront per phase, for all values of its free variables",
    .witness = "instance, a, b, lane, other_lane, bank, word, other_word, address, other_address, wavefronts, ideal",
    .keys = {"access hardware"},
    .decide = conflict_free,
    .proof = {Part::Instances},
    .lifted = Lifted::Conflicts,
    .needs_tensor = true};

extern const Claim kConflicts = {
    .name = "conflicts",
    .statement =
        "the wavefronts of an access beyond one per phase, for the worst values of its free variables; or whether "
        "they are at most a limit",
    .witness = "with a limit: as conflict-free",
    .measures = true,
    .keys = {"access hardware at_most"},
    .decide = conflicts,
    .proof = {Part::Instances},
    .lifted = Lifted::Conflicts,
    .needs_tensor = true};

extern const Claim kWavefronts = {
    .name = "wavefronts",
    .statement = "the wavefronts that an access costs, for the worst choice of its free variables",
    .witness = "",
    .measures = true,
    .keys = {"access hardware at_most"},
    .decide = wavefronts,
    .proof = {Part::Instances},
    .lifted = Lifted::Wavefronts,
    .needs_tensor = true};

}  // namespace vl::claims
