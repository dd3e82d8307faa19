#include "verifier/lemmas/prove.h"

#include <fmt/format.h>

#include "verifier/engines/solvers/propositional.h"

namespace vl::lemmas {
namespace {

using Answer = std::variant<values_kernel::LemmaEvidence, False, Open>;
using Outcome = engines::PropositionalAnswer::Outcome;

engines::PropositionalAnswer ask(const rup::Clauses& made) {
  return engines::solve_propositional(made, {2'000'000, {}, std::size_t{1} << 20});
}

values_kernel::Codes8 codes_of(const std::vector<Point>& points) {
  values_kernel::Codes8 out;
  for (const Index bits : points.at(0)) out.push_back(static_cast<values_kernel::Code>(bits));
  return out;
}

Answer refuted_clauses(const values_kernel::Lemma& lemma, const std::vector<values_kernel::Lemma>& before) {
  const auto statement = values_kernel::parse_statement(values_kernel::format_of(lemma.wide),
                                                        values_kernel::format_of(lemma.type), lemma.text);
  values_kernel::LemmaEvidence out;
  if (auto example = ask(values_kernel::encode_hypotheses(statement)); example.outcome == Outcome::Found)
    out.example = codes_of(example.points);
  else return Open{"no codes of the hypotheses: " + example.why};
  auto answer = ask(values_kernel::encode(statement));
  switch (answer.outcome) {
    case Outcome::Undecided: return Open{answer.why};
    case Outcome::Found: {
      const values_kernel::Codes8 codes = codes_of(answer.points);
      if (values_kernel::is_true(statement, codes)) return Open{"circuits and codes do not agree"};
      return False{codes};
    }
    case Outcome::None: break;
  }
  out.refutation = std::move(answer.drat);
  values_kernel::check_lemma(lemma, out, before);
  return out;
}

}  // namespace

Answer prove(const values_kernel::Lemma& lemma, const std::vector<values_kernel::Lemma>& before) {
  try {
    if (lemma.kind == values_kernel::Lemma::Rup) return refuted_clauses(lemma, before);
    values_kernel::check_lemma(lemma, {}, before);
    return values_kernel::LemmaEvidence{};
  } catch (const kernel::Rejected& why) {
    if (lemma.kind == values_kernel::Lemma::OfLaw || lemma.kind == values_kernel::Lemma::Count) return Open{why.what()};
    const auto statement = values_kernel::parse_statement(values_kernel::format_of(lemma.wide),
                                                          values_kernel::format_of(lemma.type), lemma.text);
    std::uint64_t applied = 0;
    if (lemma.kind != values_kernel::Lemma::Rup)
      if (auto codes = values_kernel::sweep(statement, applied)) return False{*codes};
    return Open{why.what()};
  }
}

}  // namespace vl::lemmas
