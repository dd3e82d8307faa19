// Cases that were kept or written by hand, asked once more.
#include <fmt/format.h>

#include <algorithm>

#include "oracle/gate/campaign.h"
#include "oracle/gate/convention.h"

namespace vl::gate {
namespace {

struct Again {
  std::size_t index = 0;
  const Case* of = nullptr;
  const Reply* reply = nullptr;
  std::vector<std::string> contract;
  Standing standing = Standing::Unstated;
  std::vector<std::string> conventions;  // under which it can be judged
  std::vector<Judgement> judgements;     // one for each
  std::size_t chosen = 0;
};

std::vector<std::string> conventions_for(const Peer& peer, const Case& of) {
  const Convention* convention = convention_of(of.op->name);
  if (convention == nullptr) return {""};
  for (const auto& [name, value] : peer.conventions)
    if (name == convention->name) return {value};
  if (!of.convention.empty()) return {of.convention};
  return {convention->values.begin(), convention->values.end()};
}

bool same_operation(const Case& a, const Case& b) { return a.family == b.family && a.op == b.op; }

// Chooses one convention for all cases of an operation that none is known of.
void choose(std::vector<Again>& all, CampaignResult& out) {
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Again& first = all[k];
    const auto open = [&](const Again& one) {
      return one.conventions.size() > 1 && same_operation(*one.of, *first.of);
    };
    if (!open(first) || std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k), open)) continue;
    std::vector<std::pair<std::size_t, std::size_t>> against(first.conventions.size());  // not judged, or other; other
    for (const Again& one : all)
      for (std::size_t v = 0; open(one) && v < against.size(); ++v) {
        const Word word = one.judgements[v].word;
        if (word == Word::Disagree || word == Word::UndecidedOurs) ++against[v].first;
        if (word == Word::Disagree) ++against[v].second;
      }
    const auto best = static_cast<std::size_t>(std::ranges::min_element(against) - against.begin());
    for (Again& one : all)
      if (open(one)) one.chosen = best;
    out.conventions.emplace_back(fmt::format("{} of {}", convention_of(first.of->op->name)->name, first.of->family),
                                 fmt::format("undeclared, and judged under {}", first.conventions[best]));
  }
}

OpTotals& row_of(CampaignResult& out, const Again& one) {
  const std::string& convention = one.conventions[one.chosen];
  const auto found = std::ranges::find_if(out.ops, [&](const OpTotals& row) {
    return row.family == one.of->family && row.op == one.of->op->name && row.convention == convention;
  });
  if (found != out.ops.end()) return *found;
  OpTotals& row = out.ops.emplace_back();
  row.family = one.of->family, row.op = one.of->op->name, row.convention = convention, row.contract = one.contract;
  return row;
}

}  // namespace

CampaignResult run_cases(Child& child, const Judge& judge, const std::vector<Case>& cases,
                         const std::function<void(const Case&, const Reply&, const Judgement&)>& told) {
  CampaignResult out;
  std::vector<std::string> texts;
  texts.reserve(cases.size());
  for (const Case& of : cases) texts.push_back(text_for(child.peer(), of));
  const std::vector<Reply> replies = child.ask(std::move(texts));
  std::vector<Again> all;
  for (std::size_t k = 0; k < cases.size(); ++k) {
    if (replies[k].kind == ReplyKind::Lost) {  // it was not asked: interrupted, or the adapter is gone
      out.ended_early = true;
      continue;
    }
    Again& one = all.emplace_back();
    one.index = k, one.of = &cases[k], one.reply = &replies[k];
    for (const PeerOp& op : child.peer().ops)
      if (op.family == one.of->family && op.op == one.of->op->name) one.contract = op.contract;
    one.standing = standing_of(*one.of, one.contract);
    one.conventions = conventions_for(child.peer(), *one.of);
    for (const std::string& convention : one.conventions)
      one.judgements.push_back(judge.judge(*one.of, *one.reply, one.standing, convention));
  }
  choose(all, out);
  for (const Again& one : all) {
    const Judgement& judgement = one.judgements[one.chosen];
    Case of = *one.of;
    of.convention = one.conventions[one.chosen];
    ++out.cases;
    row_of(out, one).add(one.index, of, *one.reply, judgement, one.standing);
    if (judgement.engines_differ) out.engines_differ = of.name;
    told(of, *one.reply, judgement);
  }
  for (const OpTotals& row : out.ops) add_digest(out.digest, row.digest);
  return out;
}

}  // namespace vl::gate
