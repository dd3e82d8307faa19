#include "verifier/lemmas/prove.h"

#include <fmt/format.h>

#include "verifier/engines/solvers/propositional.h"

namespace vl::lemmas {
namespace {

using Answer = std::variant<checker::LemmaEvidence, False, Open>;
using Outcome = engines::PropositionalAnswer::Outcome;

engines::PropositionalAnswer ask(const checker::Clauses& made) {
  return engines::solve_propositional(made, {2'000'000, {}, std::size_t{1} << 20});
}

checker::Codes8 codes_of(const std::vector<Point>& points) {
  checker::Codes8 out;
  for (const Index bits : points.at(0)) out.push_back(static_cast<checker::Code>(bits));
  return out;
}

Answer refuted_clauses(const checker::Lemma& lemma, const std::vector<checker::Lemma>& before) {
  const auto statement =
      checker::parse_statement(checker::format_of(lemma.wide), checker::format_of(lemma.type), lemma.text);
  checker::LemmaEvidence out;
  if (auto example = ask(checker::encode_hypotheses(statement)); example.outcome == Outcome::Found)
    out.example = codes_of(example.points);
  else return Open{"no codes of the hypotheses: " + example.why};
  auto answer = ask(checker::encode(statement));
  switch (answer.outcome) {
    case Outcome::Undecided: return Open{answer.why};
    case Outcome::Found: {
      const checker::Codes8 codes = codes_of(answer.points);
      if (checker::is_true(statement, codes)) return Open{"circuits and codes do not agree"};
      return False{codes};
    }
    case Outcome::None: break;
  }
  out.refutation = std::move(answer.drat);
  checker::check_lemma(lemma, out, before);
  return out;
}

}  // namespace

Answer prove(const checker::Lemma& lemma, const std::vector<checker::Lemma>& before) {
  try {
    if (lemma.kind == checker::Lemma::Rup) return refuted_clauses(lemma, before);
    checker::check_lemma(lemma, {}, before);
    return checker::LemmaEvidence{};
  } catch (const checker::Rejected& why) {
    if (lemma.kind == checker::Lemma::OfLaw || lemma.kind == checker::Lemma::Count) return Open{why.what()};
    const auto statement =
        checker::parse_statement(checker::format_of(lemma.wide), checker::format_of(lemma.type), lemma.text);
    std::uint64_t applied = 0;
    if (lemma.kind != checker::Lemma::Rup)
      if (auto codes = checker::sweep(statement, applied)) return False{*codes};
    return Open{why.what()};
  }
}

}  // namespace vl::lemmas
