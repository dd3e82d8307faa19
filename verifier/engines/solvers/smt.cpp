// The smt engine and its second opinions: a query's obligations, given to Z3 or cvc5; and the same as text.
#include <fmt/format.h>

#include "verifier/engines/solvers/obligations.h"

namespace vl::engines {
namespace {

Answer decide_with(smt::Solve& solver, const Query& query, const Options& options) {
  return decide_by(
      [&](const smt::Obligation& obligation, const Budget& left, smt::Theory theory) {
        return Solved{solver(obligation, left, theory), false};
      },
      query, options);
}

}  // namespace

Answer decide_smt(const Query& query, const Options& options) { return decide_with(smt::solve, query, options); }
Answer decide_smt_2(const Query& query, const Options& options) {
  return decide_with(smt::solve_otherwise, query, options);
}
Answer decide_cvc5(const Query& query, const Options& options) {
  return decide_with(smt::solve_with_cvc5, query, options);
}

void dump_obligations(const Query& query, const Options& options) {
  write_obligations(
      [&](const std::string& name, const smt::Obligation& obligation, smt::Theory theory) {
        if (const std::string text = smt::to_smtlib(obligation, theory); !text.empty()) options.dump(name, text);
        if (!options.cross_check) return;
        if (const std::string text = smt::second_smtlib(obligation, theory); !text.empty())
          options.dump(fmt::format("{}.smt-2", name), text);
      },
      query);
}

}  // namespace vl::engines
