#include "oracle/gate/shrink.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/interrupt.h"
#include "oracle/gate/drawn.h"
#include "oracle/gate/paired.h"
#include "oracle/gate/shrink_steps.h"
#include "oracle/gate/signature.h"

namespace vl::gate {
namespace {

constexpr std::size_t kFewAtOnce = 3, kAtOnce = 5;  // most steps are found among the first questions
constexpr std::size_t kMostOfOne = 1024;
constexpr std::size_t kMostCrashes = 48;  // questions whose answer may be a process that has to be started again

// One finding on its way. What is asked next depends on the case that it has become, on the class, the standing and the
// kind of judgement that it must keep, and on nothing else.
class Shrinker {
 public:
  Shrinker(Child& child, const Judge& judge, const Finding& finding, const std::vector<std::string>& contract,
           ShrunkCases& known, Case first)
      : child_(child),
        judge_(judge),
        contract_(contract),
        known_(known),
        best_(std::move(first)),
        rank_(rank_of(class_of(best_))),
        standing_(standing_of(best_, contract)),
        inside_(operand_is_inside(best_)),
        most_(finding.judgement == "fault" ? kMostCrashes : kMostAsked),
        said_of_best_(said_of(best_)),
        out_(finding),
        kept_(fmt::format("{}/{}/{}/{}/", out_.judgement, out_.kind, out_.convention, name(standing_))) {}

  Finding go(std::uint64_t* asked) {
    child_.forget_faults();  // those of findings before are no sign that the adapter is gone
    std::vector<std::string> passed;
    bool ended = false;
    while (questions_ < most_ && !Interrupt::told() && child_.gone().empty()) {
      const std::string here = fmt::format("{}{}/{}/{}", kept_, rank_, inside_, best_.request.text());
      if (const auto found = known_.ends.find(here); found != known_.ends.end()) {
        become(found->second);
        ended = true;
        break;
      }
      passed.push_back(here);
      const Case before = best_;
      if (step(smaller_cases(best_))) {
        go_further(before);
        continue;
      }
      if (step(plainer_cases(best_)) || step(paired_cases(best_))) continue;
      ended = questions_ < most_;
      break;
    }
    if (asked != nullptr) *asked += questions_;
    if (ended && !Interrupt::told() && child_.gone().empty())
      for (std::string& one : passed) known_.ends.emplace(std::move(one), out_);
    return out_;
  }

 private:
  void become(const Finding& other) {
    out_.request = other.request, out_.answer = other.answer, out_.right = other.right;
    out_.detail = other.detail, out_.signature = other.signature;
  }

  // Whether a case may take the place of the best one, if it fails in the same way.
  [[nodiscard]] bool may_become(const Case& next) const {
    return rank_of(class_of(next)) >= rank_ && standing_of(next, contract_) == standing_ &&
           (!inside_ || operand_is_inside(next)) && said_of(next) <= said_of_best_;
  }

  // Takes the first of these cases that fails in the same way. A case that did not once never will: it is not asked
  // again.
  bool step(const std::vector<Case>& near) {
    std::size_t most_at_once = kFewAtOnce;
    for (std::size_t at = 0; at < near.size() && questions_ < most_;
         most_at_once = std::min(2 * most_at_once, kAtOnce)) {
      std::vector<const Case*> some;
      std::vector<std::string> texts;
      for (; at < near.size() && some.size() < most_at_once; ++at) {
        if (known_.others.contains(kept_ + near[at].request.text()) || !may_become(near[at])) continue;
        some.push_back(&near[at]);
        texts.push_back(text_for(child_.peer(), near[at]));
      }
      if (some.empty()) return false;
      questions_ += some.size();
      const std::vector<Reply> replies = child_.ask(std::move(texts));
      bool better = false;
      for (std::size_t k = 0; k < some.size(); ++k) {
        const Judgement said = judge_.judge(*some[k], replies[k], standing_, out_.convention);
        if (name(said.word) == out_.judgement && said.kind == out_.kind) {
          if (!better) take(*some[k], replies[k], said);
          better = true;
        } else if (child_.gone().empty()) {
          known_.others.insert(kept_ + some[k]->request.text());
        }
      }
      if (better) return true;
    }
    return false;
  }

  // A step by 1 that was right is often right many times: once more, twice, four times, as long as it is.
  void go_further(const Case& before) {
    const Case over = best_;
    for (Index times = 1; questions_ < most_; times = 2 * times + 1) {
      auto next = further(before, over, times);
      if (!next || cost_of(*next) >= cost_of(best_) || !step({std::move(*next)})) return;
    }
  }

  void take(const Case& next, const Reply& reply, const Judgement& said) {
    best_ = next;
    said_of_best_ = said_of(next);
    out_.request = next.request.read();
    out_.answer = {};
    if (!is_fault(reply.kind)) out_.answer.set(std::string(name(reply.kind)), reply.value.read());
    out_.right = said.right;
    out_.detail = said.detail;
    out_.signature = signature_of(next, said);
  }

  Child& child_;
  const Judge& judge_;
  const std::vector<std::string>& contract_;
  ShrunkCases& known_;
  Case best_;
  const int rank_;
  const Standing standing_;
  const bool inside_;
  const std::size_t most_;
  std::size_t questions_ = 0, said_of_best_;
  Finding out_;
  const std::string kept_;  // what every step keeps
};

}  // namespace

Finding shrink(Child& child, const Judge& judge, const Finding& finding, const std::vector<std::string>& contract,
               ShrunkCases& known, std::uint64_t* asked) {
  auto first = case_of(finding.request);
  if (!first) return finding;
  return Shrinker(child, judge, finding, contract, known, std::move(*first)).go(asked);
}

void shrink_all(Child& child, const Judge& judge, CampaignResult& result,
                const std::function<void(std::size_t)>& done) {
  std::size_t seen = 0;
  for (OpTotals& op : result.ops) {
    std::vector<Finding> all;
    all.reserve(op.findings.size());
    for (const auto& [signature, finding] : op.findings) all.push_back(finding);
    std::ranges::sort(all, {}, [](const Finding& f) { return std::pair(~f.count, f.index); });
    op.findings.clear();
    ShrunkCases known;
    for (std::size_t k = 0; k < all.size(); ++k) {
      // Of faults only a crash belongs to a case; a hang costs its timeout each time.
      const bool fault = all[k].judgement == "fault" && !all[k].kind.starts_with("crashed");
      const bool stays = k >= kMostOfOne || all[k].judgement == "unstable" || fault;
      Finding small = stays ? all[k] : shrink(child, judge, all[k], op.contract, known, &result.shrink_asked);
      Finding& one = op.findings[small.signature];
      const std::uint64_t count = one.count + small.count;
      const std::uint64_t index = one.count == 0 ? small.index : std::min(one.index, small.index);
      if (one.count == 0 || print_json(small.request).size() < print_json(one.request).size()) one = std::move(small);
      one.count = count;
      one.index = index;
      done(++seen);
    }
  }
}

}  // namespace vl::gate
