// Solver: gives obligations to Z3 and cvc5, and reads their answers. solver.cpp is the only file that sees Z3; every Z3
// exception is caught in it.
//
// Lowering, stage by stage. Affine rows are linear terms. A split becomes fresh digits q_k and rests r_k with
// r_{k-1} = w_k·q_k + r_k and 0 <= r_k < w_k: the solver need not rediscover radix structure through div and mod.
// Without a swizzle all terms are linear integer arithmetic over bounded digits. With a swizzle they are bit-vectors of
// the least width that holds every intermediate result. The bit-vector form has a side condition: no sum or product
// wraps at this width. Interval arithmetic proves it while the width is computed (width.h).
//
// The second encoding states the same in another way, so that an error in one is not an error in the other. Splits are
// div and mod (of unsigned numbers in bit-vectors), and no digit is a variable. A swizzle is written bit by bit.
// Without a swizzle the second encoding uses the other theory.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "encodings/base/budget.h"
#include "encodings/smt/obligation.h"

namespace vl::smt {

enum class Theory { Automatic, Integers, BitVectors };

/// How splits and swizzles are written: digits as variables and shifted words; or functions and single bits.
enum class Form { Digits, Functions };

/// No values satisfy the obligation.
struct Unsatisfiable {};
/// These values satisfy the obligation: one value per variable, in the order of Obligation::variables().
struct Satisfiable {
  std::vector<Index> values;
};
/// The solver gave no answer. This is never an agreement with another answer.
struct Undecided {
  enum class Why { Timeout, ResourceLimit, Memory, Incomplete, SolverFault, NotInstalled, Interrupted };
  Why why = Why::SolverFault;
  std::string detail;  // the solver's own words
};
using Outcome = std::variant<Unsatisfiable, Satisfiable, Undecided>;

/// Why a solver is not asked. Requires: budget.stopped().
[[nodiscard]] Undecided stopped_by(const Budget& budget);

/// By Z3.
[[nodiscard]] Outcome solve(const Obligation& obligation, const Budget& budget, Theory theory = Theory::Automatic);
/// By Z3 on the second encoding of the obligation.
[[nodiscard]] Outcome solve_otherwise(const Obligation& obligation, const Budget& budget,
                                      Theory theory = Theory::Automatic);
/// By the program cvc5 on the text of the obligation that solve() gets. Its units cost more: it gets a fifth as many.
[[nodiscard]] Outcome solve_with_cvc5(const Obligation& obligation, const Budget& budget,
                                      Theory theory = Theory::Automatic);

/// By Z3 on an SMT-LIB 2 script that names its logic first and its variables v0, v1, …; for what is no obligation, as
/// products of variables (QF_NIA). A variable that the script lacks has the value 0.
[[nodiscard]] Outcome solve_text(const std::string& script, std::size_t variables, const Budget& budget);

using Solve = Outcome(const Obligation&, const Budget&, Theory);

/// The theory of the second encoding: the other theory if there is no swizzle.
[[nodiscard]] Theory other_theory(const Obligation& obligation, Theory theory);

/// The obligation as an SMT-LIB 2 script that ends in (check-sat): `sat` iff solve() would find values. Its variables
/// are v0, v1, … in their order. Empty if the solver faults.
[[nodiscard]] std::string to_smtlib(const Obligation& obligation, Theory theory = Theory::Automatic,
                                    Form form = Form::Digits);

/// The same for solve_otherwise().
[[nodiscard]] std::string second_smtlib(const Obligation& obligation, Theory theory = Theory::Automatic);

/// The first argument of a program that runs as a worker.
constexpr std::string_view kWorker = "smt-worker";
/// Runs a worker: reads a script from standard input, writes Z3's answer to standard output, returns the exit status.
/// `arguments` are those after kWorker. The worker ends with the thread that started it.
[[nodiscard]] int run_worker(const std::vector<std::string>& arguments);

/// The value of a map's lowered term at each point, to compare the lowering with map::evaluate. Requires: points of the
/// domain; Theory::Integers only for maps without a swizzle.
/// Error: Value if the solver gives no answer, no value, or more than one value for a point.
[[nodiscard]] Result<std::vector<Point>> lowered_outputs(const map::Map& map, std::span<const Point> points,
                                                         Theory theory = Theory::Automatic, Form form = Form::Digits);

/// "1.0.3"; nothing if budget.cvc5 cannot be asked.
[[nodiscard]] std::optional<std::string> cvc5_version(const Budget& budget);

/// "5.4.0". Does not create a context.
[[nodiscard]] std::string z3_version();

}  // namespace vl::smt
