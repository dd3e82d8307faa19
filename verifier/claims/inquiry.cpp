// Inquiry: asks engines for one claim.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "verifier/claims/claim.h"
#include "verifier/engines/smallest/smallest.h"

namespace vl::claims {

engines::Answer Inquiry::ask(const question::Query& query) {
  engines::Decision decision = engines::decide(query, options_);
  std::ranges::move(decision.attempts, std::back_inserter(attempts_));
  std::ranges::move(decision.disagreements, std::back_inserter(disagreements_));
  if (!decision.engine.empty() && std::ranges::find(answered_, decision.engine) == answered_.end())
    answered_.push_back(decision.engine);
  return std::move(decision.answer);
}

engines::Found Inquiry::by_elements(const question::Query& query, const engines::Found& found) const {
  const auto* asked = std::get_if<question::Question>(&query.of);
  if (!found.minimal || asked == nullptr) return found;
  auto witness = asked->kind == Kind::Collides ? engines::first_elements(*asked, found.witness, options_.budget)
                                               : std::optional(found.witness);
  if (witness) witness = engines::least_place(*asked, *witness);
  return witness ? engines::Found{std::move(*witness), true} : engines::Found{found.witness, false};
}

std::optional<Point> Inquiry::first_empty(const map::Layout& layout) const {
  Point last;
  for (const map::Dim& dim : layout.physical().dims()) last.push_back(dim.extent - 1);
  const question::Question misses{Kind::Misses, &layout, nullptr};
  auto found = engines::bisected(misses, {{}, {}, last}, options_.budget);
  if (!found || !question::replay(misses, *found)) return std::nullopt;
  return std::move(found->slot);
}

void Inquiry::leave_open(const engines::Answer& answer) {
  const auto* abstained = std::get_if<engines::Abstained>(&answer);
  VL_CHECK(abstained != nullptr || std::holds_alternative<engines::None>(answer), "an answer to another question");
  if (abstained != nullptr && !open_) open_ = *abstained;
}

std::optional<Verdict> Inquiry::unless_lands(const map::Layout& layout, std::string_view detail) {
  const question::Query lands{Kind::Lands, &layout, nullptr};
  const auto empty = [&] { return std::optional(vacuous(std::string(detail))); };
  if (layout.domain().volume() == 0) return empty();
  if (question::replay(lands, {Point(layout.domain().rank(), 0), {}, {}})) return std::nullopt;
  const engines::Answer answer = ask(lands);
  if (std::holds_alternative<engines::None>(answer)) return empty();
  if (!std::holds_alternative<engines::Found>(answer)) leave_open(answer);
  return std::nullopt;
}

std::string Inquiry::engine() const {
  return answered_.empty() ? "evaluation" : fmt::format("{}", fmt::join(answered_, "+"));
}

Verdict Inquiry::proved(std::optional<Index> value) const {
  VL_CHECK(!open_, "a claim is proved with a question left open");
  return Proved{engine(), question::Trust::Trusted, value};
}

Verdict Inquiry::refuted(Counterexample counterexample) const { return Refuted{engine(), std::move(counterexample)}; }

Verdict Inquiry::unknown(const engines::Abstained& abstained) const {
  return Unknown{abstained.reason, abstained.why, engine()};
}

Verdict Inquiry::vacuous(std::string detail) const { return Unknown{Reason::Vacuous, std::move(detail), engine()}; }

}  // namespace vl::claims
