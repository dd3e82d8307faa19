// The smt engine: each question as one obligation over the layout's maps, given to Z3.
#include "verifier/engines/solvers/obligations.h"

namespace vl::engines {
namespace {

Answer decide_with(smt::Solve& solver, const Question& question, const Options& options) {
  return decide_by(
      [&](const smt::Obligation& obligation) {
        return Solved{solver(obligation, options.budget, smt::Theory::Automatic), false};
      },
      question);
}

}  // namespace

Answer decide_smt(const Question& question, const Options& options) {
  return decide_with(smt::solve, question, options);
}
Answer decide_smt_2(const Question& question, const Options& options) {
  return decide_with(smt::solve_otherwise, question, options);
}
Answer decide_cvc5(const Question& question, const Options& options) {
  return decide_with(smt::solve_with_cvc5, question, options);
}

std::string smtlib_of(const Question& question) {
  const auto encoded = encode(question);
  return encoded ? smt::to_smtlib(encoded->obligation) : std::string{};
}

std::string smtlib_2_of(const Question& question) {
  const auto encoded = encode(question);
  return encoded ? smt::second_smtlib(encoded->obligation) : std::string{};
}

}  // namespace vl::engines
