// Totals: what became of the cases of a campaign, as sums. Those of two ranges of cases add up to those of both.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "oracle/gate/judge.h"

namespace vl::gate {

/// All cases with one signature: how many, and the first one.
struct Finding {
  std::string signature, family, op;
  std::string judgement;  // "disagree", "refused-valid", "error", "fault", "unstable",
                          // "invalid-accepted"
  std::string kind, detail, standing, convention, name;
  Json request, answer, right;
  std::uint64_t count = 0;
  std::uint64_t index = 0;
};

/// The first case that was neither judged nor a finding, of one word, and why: the first 200 bytes of the reason, or
/// fewer.
struct Unjudged {
  std::uint64_t index = 0;
  std::string name, why;
};

/// One operation of a family, under one convention.
struct OpTotals {
  std::string family, op, convention;
  std::vector<std::string> contract;
  std::uint64_t asked = 0, throttled = 0;  // throttled: left out (throttle.h)
  std::array<std::uint64_t, kWords> words{};
  std::uint64_t yes = 0, no = 0;  // right answers by truth value
  std::uint64_t within = 0, outside = 0, unstated = 0;
  std::uint64_t proved = 0, all_elements = 0, sampled = 0, checked = 0;  // of those that were judged
  std::uint64_t by_definition = 0;                                       // of all_elements: Judgement::defined
  PairCounts pairs = {};
  std::array<std::uint64_t, 2> digest{};
  std::map<std::string, Finding> findings;            // by signature
  std::map<Word, Unjudged> unjudged = {};             // with a reason: refused, undecided, unsupported, undecided-ours
  std::map<std::string, std::uint64_t> scouted = {};  // how often the scouts of this window found each; no sum

  [[nodiscard]] std::uint64_t count(Word word) const { return words[static_cast<std::size_t>(word)]; }
  /// Answers that were judged.
  [[nodiscard]] std::uint64_t judged() const {
    std::uint64_t out = 0;
    for (std::size_t k = 0; k < kWords; ++k) out += is_judged(static_cast<Word>(k)) ? words[k] : 0;
    return out;
  }
  void add(std::uint64_t index, const Case& of, const Reply& reply, const Judgement& judgement, Standing standing);
  /// The same for a judgement that is no finding. Requires: that.
  void add_plain(std::uint64_t index, const Judgement& judgement, Standing standing, Traits traits);
  /// Keeps a case that was not judged, if it is the first of its word.
  void keep(Word word, const Unjudged& one);
  [[nodiscard]] bool would_keep(Word word, std::uint64_t index) const {
    const auto found = unjudged.find(word);
    return found == unjudged.end() || index < found->second.index;
  }
  /// Undoes add() of a case, whose answer turned out to be another one. A finding of several cases keeps its first one.
  void take_back(std::uint64_t index, const Case& of, const Judgement& judgement, Standing standing);
  void add(const OpTotals& other);

 private:
  void tally(const Judgement& judgement, Standing standing, Traits traits, std::uint64_t by);
};

/// Adds the digest of one more case: a sum modulo 2^128 of one number per (index, word, kind).
void add_digest(std::array<std::uint64_t, 2>& digest, std::uint64_t index, const Judgement& judgement);
void add_digest(std::array<std::uint64_t, 2>& digest, const std::array<std::uint64_t, 2>& other);
[[nodiscard]] std::string digest_text(const std::array<std::uint64_t, 2>& digest);

}  // namespace vl::gate
