// Z3 and cvc5 are not part of the explorer: every obligation is undecided, and has no text.
#include "encodings/smt/solver.h"

namespace vl::smt {
namespace {

Outcome not_installed() { return Undecided{Undecided::Why::NotInstalled, "the explorer has no solver"}; }

}  // namespace

Outcome solve(const Obligation&, const Budget&, Theory) { return not_installed(); }
Outcome solve_otherwise(const Obligation&, const Budget&, Theory) { return not_installed(); }
Outcome solve_with_cvc5(const Obligation&, const Budget&, Theory) { return not_installed(); }
Outcome solve_text(const std::string&, std::size_t, const Budget&) { return not_installed(); }
Theory other_theory(const Obligation&, Theory theory) { return theory; }
std::string to_smtlib(const Obligation&, Theory, Form) { return {}; }
std::string second_smtlib(const Obligation&, Theory) { return {}; }
std::string z3_version() { return "not installed"; }

}  // namespace vl::smt
