// Solver: obligations to Z3 and back. solver.cpp is the only file that sees Z3; every Z3 exception ends in it.
//
// Lowering, stage by stage. Affine rows are linear terms. A split becomes fresh digits q_k and rests r_k with
// r_{k-1} = w_k·q_k + r_k and 0 <= r_k < w_k: the solver is never asked to rediscover radix structure through div and
// mod. Without a swizzle everything is linear integer arithmetic over bounded digits; with one, bit-vectors of the
// least width that holds every intermediate result. That no sum or product wraps at this width is the side
// condition of the bit-vector form; it is proved by interval arithmetic while the width is computed.
#pragma once

#include <chrono>
#include <string>
#include <variant>

#include "encodings/smt/obligation.h"

namespace vl::smt {

enum class Theory { Automatic, Integers, BitVectors };

struct Budget {
  std::chrono::milliseconds wall{10'000};
  std::uint64_t rlimit = 20'000'000;  // Z3's resource units: deterministic, about 5 seconds
};

/// No values satisfy the obligation.
struct Unsatisfiable {};
/// These do: one value a variable, in the order of Obligation::variables().
struct Satisfiable {
  std::vector<Index> values;
};
/// The solver gave no answer. Never an agreement with anything.
struct Undecided {
  enum class Why { Timeout, ResourceLimit, Memory, Incomplete, SolverFault };
  Why why = Why::SolverFault;
  std::string detail;  // the solver's own words
};
using Outcome = std::variant<Unsatisfiable, Satisfiable, Undecided>;

[[nodiscard]] Outcome solve(const Obligation& obligation, const Budget& budget, Theory theory = Theory::Automatic);

/// The obligation as an SMT-LIB 2 script that ends in (check-sat): `sat` iff solve() would find values.
/// Empty when the solver faults.
[[nodiscard]] std::string to_smtlib(const Obligation& obligation, Theory theory = Theory::Automatic);

/// What the lowered term of a map says at each point: for holding the lowering against map::evaluate. Requires:
/// points of the domain; Theory::Integers only for maps without a swizzle.
/// Error: Value when the solver gives no answer, no value, or more than one value for a point.
[[nodiscard]] Result<std::vector<Point>> lowered_outputs(const map::Map& map, std::span<const Point> points,
                                                         Theory theory = Theory::Automatic);

/// "5.4.0". Does not create a context.
[[nodiscard]] std::string z3_version();

}  // namespace vl::smt
