// The smt engine: each question as one obligation over the layout's maps, given to Z3.
#include "verifier/engines/obligations.h"

namespace vl::engines {

Answer decide_smt(const Question& question, const Options& options) {
  return decide_by([&](const smt::Obligation& obligation) { return Solved{smt::solve(obligation, options.budget), false}; },
                   question);
}

std::string smtlib_of(const Question& question) {
  const auto encoded = encode(question);
  return encoded ? smt::to_smtlib(encoded->obligation) : std::string{};
}

}  // namespace vl::engines
