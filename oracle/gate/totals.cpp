#include "oracle/gate/totals.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/printable.h"
#include "oracle/fuzz/subject.h"
#include "oracle/gate/signature.h"

namespace vl::gate {
namespace {

constexpr std::size_t kMostWhy = 200;  // bytes

// The start of what a peer says, whole characters of it, and without what acts on a terminal.
std::string shortened(std::string_view text) {
  std::size_t end = std::min(text.size(), kMostWhy);
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return printable(text.substr(0, end));
}

}  // namespace

void add_digest(std::array<std::uint64_t, 2>& digest, const std::array<std::uint64_t, 2>& other) {
  digest[0] += other[0];
  digest[1] += other[1] + (digest[0] < other[0] ? 1 : 0);
}

void add_digest(std::array<std::uint64_t, 2>& digest, std::uint64_t index, const Judgement& judgement) {
  std::uint64_t word = oracle::mix(index * kWords + static_cast<std::uint64_t>(judgement.word));
  for (const char c : judgement.kind) word = oracle::mix(word ^ static_cast<unsigned char>(c));
  add_digest(digest, {word, oracle::mix(word + 0x452821e638d01377U)});
}

std::string digest_text(const std::array<std::uint64_t, 2>& digest) {
  return fmt::format("{:016x}{:016x}", digest[1], digest[0]);
}

void OpTotals::tally(const Judgement& judgement, Standing standing, Traits traits, std::uint64_t by) {
  asked += by;
  const bool answered = is_judged(judgement.word) && standing != Standing::Outside;
  pairs.add(traits, PairCounts::Of::Asked, answered ? PairCounts::Of::Answered : PairCounts::Of::Asked, by);
  if (answered) {
    if (judgement.truth) pairs.add(traits, *judgement.truth ? PairCounts::Of::Yes : PairCounts::Of::No, by);
  }
  words[static_cast<std::size_t>(judgement.word)] += by;
  (standing == Standing::Within ? within : standing == Standing::Outside ? outside : unstated) += by;
  if (judgement.word == Word::Agree && judgement.truth) (*judgement.truth ? yes : no) += by;
  if (judgement.scope == "proved") proved += by;
  if (judgement.scope == "all-elements" || judgement.scope == "all-bytes") all_elements += by;
  if (judgement.scope == "sampled") sampled += by;
  if (judgement.checked) checked += by;
  if (judgement.defined) by_definition += by;
}

void OpTotals::keep(Word word, const Unjudged& one) {
  if (would_keep(word, one.index)) unjudged[word] = {one.index, one.name, shortened(one.why)};
}

void OpTotals::take_back(std::uint64_t index, const Case& of, const Judgement& judgement, Standing standing) {
  tally(judgement, standing, of.traits, ~std::uint64_t{0});  // -1
  std::array<std::uint64_t, 2> was{};
  add_digest(was, index, judgement);
  add_digest(digest, {~was[0] + 1, ~was[1] + (was[0] == 0 ? 1 : 0)});
  if (!is_finding(judgement.word)) return;
  const auto finding = findings.find(signature_of(of, judgement));
  if (finding != findings.end() && --finding->second.count == 0) findings.erase(finding);
}

void OpTotals::add_plain(std::uint64_t index, const Judgement& judgement, Standing standing, Traits traits) {
  VL_CHECK(!is_finding(judgement.word), "a finding without its case");
  tally(judgement, standing, traits, 1);
  add_digest(digest, index, judgement);
}

void OpTotals::add(std::uint64_t index, const Case& of, const Reply& reply, const Judgement& judgement,
                   Standing standing) {
  if (!is_finding(judgement.word)) {
    if (!is_judged(judgement.word) && !judgement.detail.empty() && would_keep(judgement.word, index))
      keep(judgement.word, {index, of.name, judgement.detail});
    return add_plain(index, judgement, standing, of.traits);
  }
  tally(judgement, standing, of.traits, 1);
  add_digest(digest, index, judgement);
  Finding& one = findings[signature_of(of, judgement)];
  if (one.count++ > 0 && one.index <= index) return;
  one.signature = signature_of(of, judgement);
  one.family = of.family;
  one.op = of.op->name;
  one.judgement = name(judgement.word);
  one.kind = judgement.kind;
  one.detail = judgement.detail;
  one.standing = name(standing);
  one.convention = convention;
  one.name = of.name;
  one.request = of.request.read();
  one.answer = {};
  if (!is_fault(reply.kind)) one.answer.set(std::string(name(reply.kind)), reply.value.read());
  one.right = judgement.right;
  one.index = index;
}

void OpTotals::add(const OpTotals& other) {
  asked += other.asked;
  throttled += other.throttled;
  for (std::size_t k = 0; k < kWords; ++k) words[k] += other.words[k];
  yes += other.yes, no += other.no;
  within += other.within, outside += other.outside, unstated += other.unstated;
  proved += other.proved, all_elements += other.all_elements, checked += other.checked;
  sampled += other.sampled, by_definition += other.by_definition;
  pairs.add(other.pairs);
  add_digest(digest, other.digest);
  for (const auto& [word, one] : other.unjudged) keep(word, one);
  for (const auto& [key, more] : other.findings) {
    Finding& one = findings[key];
    const std::uint64_t count = one.count + more.count;
    if (one.count == 0 || more.index < one.index) one = more;
    one.count = count;
  }
}

}  // namespace vl::gate
