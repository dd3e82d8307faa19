// Solver: obligations to Z3 and cvc5, and back. solver.cpp is the only file that sees Z3; every Z3 exception ends in
// it.
//
// Lowering, stage by stage. Affine rows are linear terms. A split becomes fresh digits q_k and rests r_k with
// r_{k-1} = w_k·q_k + r_k and 0 <= r_k < w_k: the solver is never asked to rediscover radix structure through div and
// mod. Without a swizzle everything is linear integer arithmetic over bounded digits; with one, bit-vectors of the
// least width that holds every intermediate result. That no sum or product wraps at this width is the side
// condition of the bit-vector form; it is proved by interval arithmetic while the width is computed (width.h).
//
// The second encoding says the same otherwise, so that a mistake in one is no mistake in the other: splits are div and
// mod (of unsigned numbers in bit-vectors) and no digit is a variable, a swizzle is written bit by bit, and without a
// swizzle it is in the other theory.
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

/// How splits and swizzles are said: digits as variables and words that are shifted; or functions and single bits.
enum class Form { Digits, Functions };

/// No values satisfy the obligation.
struct Unsatisfiable {};
/// These do: one value a variable, in the order of Obligation::variables().
struct Satisfiable {
  std::vector<Index> values;
};
/// The solver gave no answer. Never an agreement with anything.
struct Undecided {
  enum class Why { Timeout, ResourceLimit, Memory, Incomplete, SolverFault, NotInstalled, Interrupted };
  Why why = Why::SolverFault;
  std::string detail;  // the solver's own words
};
using Outcome = std::variant<Unsatisfiable, Satisfiable, Undecided>;

/// By Z3.
[[nodiscard]] Outcome solve(const Obligation& obligation, const Budget& budget, Theory theory = Theory::Automatic);
/// By Z3 on the second encoding of what solve() is given.
[[nodiscard]] Outcome solve_otherwise(const Obligation& obligation, const Budget& budget,
                                      Theory theory = Theory::Automatic);
/// By the program cvc5 on the text of what solve() is given. Its own units are dearer: it gets a fifth as many.
[[nodiscard]] Outcome solve_with_cvc5(const Obligation& obligation, const Budget& budget,
                                      Theory theory = Theory::Automatic);

using Solve = Outcome(const Obligation&, const Budget&, Theory);

/// The theory of the second encoding: the other one, where there is no swizzle.
[[nodiscard]] Theory other_theory(const Obligation& obligation, Theory theory);

/// The obligation as an SMT-LIB 2 script that ends in (check-sat): `sat` iff solve() would find values. Its variables
/// are v0, v1, … in their order. Empty when the solver faults.
[[nodiscard]] std::string to_smtlib(const Obligation& obligation, Theory theory = Theory::Automatic,
                                    Form form = Form::Digits);

/// The same for solve_otherwise().
[[nodiscard]] std::string second_smtlib(const Obligation& obligation, Theory theory = Theory::Automatic);

/// The first argument of a program that is to be a worker.
constexpr std::string_view kWorker = "smt-worker";
/// What a worker does: reads a script from standard input, writes Z3's answer to standard output, gives the exit
/// status. `arguments` are those after kWorker. It ends with the thread that started it.
[[nodiscard]] int run_worker(const std::vector<std::string>& arguments);

/// What the lowered term of a map says at each point: for holding the lowering against map::evaluate. Requires:
/// points of the domain; Theory::Integers only for maps without a swizzle.
/// Error: Value when the solver gives no answer, no value, or more than one value for a point.
[[nodiscard]] Result<std::vector<Point>> lowered_outputs(const map::Map& map, std::span<const Point> points,
                                                         Theory theory = Theory::Automatic, Form form = Form::Digits);

/// "1.0.3"; nothing when budget.cvc5 cannot be asked.
[[nodiscard]] std::optional<std::string> cvc5_version(const Budget& budget);

/// "5.4.0". Does not create a context.
[[nodiscard]] std::string z3_version();

}  // namespace vl::smt
