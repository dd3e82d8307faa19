// The obligations of queries: what is asked, as existential problems over maps and bounded integers, for every engine
// that decides such problems (Z3, cvc5, isl). Queries are those that decide_empty() does not answer.
//
//   layouts   one obligation, over the layouts' maps. Misses: a slot that is not valid is not hit, provided that every
//             slot that is hit is valid (Misdecodes has the answer None). Count: the number of points, if all have a
//             slot and no two share one
//   accesses  one obligation: an active lane, or two lanes that conflict (bank_obligations.cpp)
//   nests     several, some of which are premises: they say which others follow (transfer_asker.cpp)
#pragma once

#include <functional>
#include <optional>

#include "encodings/smt/solver.h"
#include "verifier/engines/engine.h"
#include "verifier/engines/solvers/smt_terms.h"

namespace vl::engines {

/// What a solver says of an obligation. `smallest`: no values come before these, lexicographically.
struct Solved {
  smt::Outcome outcome;
  bool smallest = false;
};
/// Solves an obligation within what is left of a budget.
using Solve = std::function<Solved(const smt::Obligation&, const Budget& left, smt::Theory)>;
/// Writes an obligation down, under its name within the query.
using Write = std::function<void(const std::string& name, const smt::Obligation&, smt::Theory)>;

/// Decides a query by what `solve` says of its obligations, all within options.budget; abstains where `solve` is
/// undecided, and on queries that have none: comparisons of replicas, coverage without a decode map, counts of layouts
/// that are not injective and of accesses, limits other than 0. Z3's witnesses are whatever it finds first.
[[nodiscard]] Answer decide_by(const Solve& solve, const Query& query, const Options& options);

/// Every obligation that decide_by() may ask about. Solves nothing.
void write_obligations(const Write& write, const Query& query);

/// Solves one of them. The answer is a witness, None, or why there is neither.
[[nodiscard]] Answer solve_one(const Solve& solve, const Encoded& encoded, const Budget& left);

/// Nothing of counts, and of limits other than 0.
[[nodiscard]] std::optional<Encoded> encode_lanes(const BankQuestion& question);

// Of decide_by() and write_obligations(), the parts about nests.
[[nodiscard]] Answer decide_nests_by(const Solve& solve, const TransferQuestion& question, const Options& options);
void write_nests(const Write& write, const TransferQuestion& question);

}  // namespace vl::engines
