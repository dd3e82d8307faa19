#include "oracle/gate/expect.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace vl::gate {
namespace {

constexpr std::size_t kMostOfGlob = 20;  // signatures that one entry may cover

// The next part of a version: a number, or letters.
struct Part {
  std::uint64_t number = 0;
  std::string_view word;
};

Part next_part(std::string_view& text) {
  while (!text.empty() && (text[0] == '.' || text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  Part out;
  std::size_t size = 0;
  while (size < text.size() && digit(text[size])) {
    if (out.number < (std::uint64_t{1} << 50))
      out.number = out.number * 10 + static_cast<std::uint64_t>(text[size] - '0');
    ++size;
  }
  if (size == 0)
    while (size < text.size() && !digit(text[size]) && text[size] != '.') ++size;
  if (size > 0 && !digit(text[0])) out.word = text.substr(0, size);
  text.remove_prefix(size);
  return out;
}

int compare_versions(std::string_view a, std::string_view b) {
  while (!a.empty() || !b.empty()) {
    const Part one = next_part(a), other = next_part(b);
    if (one.number != other.number) return one.number < other.number ? -1 : 1;
    if (one.word != other.word) return one.word < other.word ? -1 : 1;
  }
  return 0;
}

bool holds(std::string_view version, std::string_view condition) {
  for (const std::string_view sign : {"==", ">=", "<=", ">", "<"}) {
    if (!condition.starts_with(sign)) continue;
    std::string_view than = condition.substr(sign.size());
    while (!than.empty() && than.front() == ' ') than.remove_prefix(1);
    const int order = compare_versions(version, than);
    if (sign == "==") return order == 0;
    if (sign == ">=") return order >= 0;
    if (sign == "<=") return order <= 0;
    return sign == ">" ? order > 0 : order < 0;
  }
  return compare_versions(version, condition) == 0;
}

double share(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

// What a reply says, as an expectation has it.
std::string answer_text(const Reply& reply) {
  if (is_fault(reply.kind)) return fault_word(reply);
  Json out;
  out.set(std::string(name(reply.kind)), reply.value.read());
  return print_json(out);
}

class Comparison {
 public:
  Comparison(const Expectations& expected, const CampaignResult& result, std::map<std::string, std::string>* known)
      : expected_(expected), result_(result), known_(known) {}

  void red(std::string reason, std::string what, std::size_t line, std::string signature = {}) {
    reds_.push_back({std::move(reason), std::move(what), std::move(signature), line});
  }

  void who(const Peer& peer) {
    if (peer.name != expected_.peer)
      red("peer", fmt::format("the file is about '{}', the adapter about '{}'", expected_.peer, peer.name),
          expected_.line_of_peer);
    if (!satisfies(peer.version, expected_.versions))
      red("version", fmt::format("version {} is not {}; run with --update", peer.version, expected_.versions),
          expected_.line_of_versions);
    if (expected_.generator != 0 && expected_.generator != kGenerator)
      red("generator", fmt::format("the file is of generator {}, this is {}", expected_.generator, kGenerator),
          expected_.line_of_generator);
  }

  void minima(bool whole) {
    for (const auto& one : expected_.minima) {
      const std::string& name = one.first;
      const Minimum& minimum = one.second;
      const auto op = std::ranges::find_if(
          result_.ops, [&](const OpTotals& totals) { return totals.family + "/" + totals.op == name; });
      if (op == result_.ops.end()) {
        if (whole) red("minimum", fmt::format("{} was not asked", name), minimum.line);
        continue;
      }
      for (const auto& [word, wanted] : minimum.shares) {
        const std::uint64_t have = word == "agree"     ? op->count(Word::Agree)
                                   : word == "decided" ? op->judged()
                                   : word == "yes"     ? op->yes
                                                       : op->no;
        if (share(have, op->asked) < wanted)
          red("minimum",
              fmt::format("{}: {} of {} cases are '{}'; expected a share of {}", name, have, op->asked, word, wanted),
              minimum.line);
      }
    }
  }

  void entry(const Known& known, const KnownAnswer* answer, bool whole, int today) {
    if (known.issue.empty()) red("no-issue", "a known finding has no issue", known.line, known.signature);
    if (known.until && today > *known.until)
      red("expired", fmt::format("the entry was to last until {}", *known.until), known.line, known.signature);
    std::uint64_t count = 0, asked = 0;
    std::size_t covered = 0;
    for (const OpTotals& op : result_.ops)
      for (const auto& [signature, finding] : op.findings) {
        if (finding.judgement != known.judgement || !matches(known.signature, signature)) continue;
        ++covered;
        count += finding.count;
        asked = std::max(asked, op.asked);
        (*known_)[signature] = known.issue;
      }
    if (covered > kMostOfGlob)
      red("glob",
          fmt::format("'{}' covers {} signatures, at most {} are allowed", known.signature, covered, kMostOfGlob),
          known.line, known.signature);
    if (known.rate && whole) {
      const double have = share(count, asked);
      if (have < known.rate->first || have > known.rate->second)
        red("rate",
            fmt::format("it was {} of {} cases, outside of [{}, {}]", count, asked, known.rate->first,
                        known.rate->second),
            known.line, known.signature);
    }
    if (answer != nullptr) asked_by_itself(known, *answer);
  }

  void fresh() {
    for (const OpTotals& op : result_.ops)
      for (const auto& [signature, finding] : op.findings)
        if (!known_->contains(signature))
          red("new", fmt::format("{} ({}): {}", signature, finding.judgement, finding.detail), 0, signature);
  }

  std::vector<Red> take() { return std::move(reds_); }

 private:
  void over(std::string_view reason, std::string what, const Known& known) {
    red(std::string(reason), std::move(what), known.line, known.signature);
    reds_.back().is_over = true;
  }

  void asked_by_itself(const Known& known, const KnownAnswer& answer) {
    const std::string_view word = name(answer.judgement.word);
    const Word judged = answer.judgement.word;
    if (judged == Word::Agree) return over("stale", "the known case agrees now: remove the entry", known);
    if (judged == Word::Undecided || judged == Word::Unsupported || judged == Word::UndecidedOurs)
      return red("skipped", fmt::format("the known case is {} now", word), known.line, known.signature);
    if (word != known.judgement && !is_finding(judged))
      return over("changed",
                  fmt::format("the known case is {} now, which is no finding, and was {}: remove the entry", word,
                              known.judgement),
                  known);
    if (word != known.judgement)
      return red("changed", fmt::format("the known case is {} now, and was {}", word, known.judgement), known.line,
                 known.signature);
    if (known.answer.empty()) return;
    const std::string have = answer_text(answer.reply);
    const bool same = answer.reply.kind == ReplyKind::Ok ? have == known.answer : have.starts_with(known.answer);
    if (!same)
      red("changed", fmt::format("the known case is answered by {} now", have.substr(0, 300)), known.line,
          known.signature);
  }

  const Expectations& expected_;
  const CampaignResult& result_;
  std::map<std::string, std::string>* known_;
  std::vector<Red> reds_;
};

}  // namespace

bool satisfies(std::string_view version, std::string_view condition) {
  for (std::size_t at = 0; at < condition.size();) {
    const std::size_t end = std::min(condition.find(',', at), condition.size());
    std::string_view one = condition.substr(at, end - at);
    at = end + 1;
    while (!one.empty() && one.front() == ' ') one.remove_prefix(1);
    while (!one.empty() && one.back() == ' ') one.remove_suffix(1);
    if (!one.empty() && !holds(version, one)) return false;
  }
  return true;
}

bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') star = p++, mark = t;
    else if (p < pattern.size() && pattern[p] == text[t]) ++p, ++t;
    else if (star != std::string_view::npos) p = star + 1, t = ++mark;
    else return false;
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::vector<Red> compare(const Expectations& expected, const Peer& peer, const CampaignResult& result,
                         const std::vector<KnownAnswer>& answers, bool whole, int today,
                         std::map<std::string, std::string>* known) {
  Comparison out(expected, result, known);
  out.who(peer);
  out.minima(whole);
  for (std::size_t k = 0; k < expected.known.size(); ++k)
    out.entry(expected.known[k], k < answers.size() ? &answers[k] : nullptr, whole, today);
  out.fresh();
  return out.take();
}

int code_of(const std::vector<Red>& reds) {
  if (reds.empty()) return 0;
  return std::ranges::all_of(reds, [](const Red& red) { return red.reason == "minimum"; }) ? 5 : 10;
}

}  // namespace vl::gate
