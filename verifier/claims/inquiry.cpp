// Inquiry: asks engines for one claim.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "verifier/claims/claim.h"

namespace vl::claims {

engines::Answer Inquiry::ask(Kind kind, const map::Layout& layout) {
  return remember(engines::decide(question::Question{kind, &layout, nullptr}, options_));
}

engines::Answer Inquiry::ask(Kind kind, const map::Layout& layout, const map::Layout& other) {
  return remember(engines::decide(question::Question{kind, &layout, &other}, options_));
}

engines::Answer Inquiry::ask(const question::Query& query) { return remember(engines::decide(query, options_)); }

engines::Answer Inquiry::remember(engines::Decision decision) {
  attempts_.insert(attempts_.end(), decision.attempts.begin(), decision.attempts.end());
  disagreement_ = disagreement_ || decision.disagreement;
  std::ranges::move(decision.disagreements, std::back_inserter(disagreements_));
  if (!decision.engine.empty() && std::ranges::find(answered_, decision.engine) == answered_.end())
    answered_.push_back(decision.engine);
  return std::move(decision.answer);
}

engines::Answer Inquiry::some_slot(const map::Layout& layout) {
  if (layout.domain().volume() == 0) return engines::None{};
  const engines::Witness first{Point(layout.domain().rank(), 0), {}, {}};
  if (question::replay({Kind::Lands, &layout, nullptr}, first)) return engines::Found{first, true};
  return ask(Kind::Lands, layout);
}

std::string Inquiry::engine() const {
  return answered_.empty() ? "evaluation" : fmt::format("{}", fmt::join(answered_, "+"));
}

Verdict Inquiry::proved(std::optional<Index> value) const { return Proved{engine(), question::Trust::Trusted, value}; }

Verdict Inquiry::refuted(Counterexample counterexample) const { return Refuted{engine(), std::move(counterexample)}; }

Verdict Inquiry::unknown(const engines::Abstained& abstained) const {
  return Unknown{abstained.reason, abstained.why, engine()};
}

Verdict Inquiry::vacuous(std::string detail) const { return Unknown{Reason::Vacuous, std::move(detail), engine()}; }

}  // namespace vl::claims
