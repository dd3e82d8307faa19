// The solver of propositional.h, and the only file that sees CaDiCaL.
#include <fmt/format.h>

#include <cadical.hpp>
#include <cstdio>
#include <cstdlib>

#include "verifier/engines/panel.h"
#include "verifier/engines/solvers/propositional.h"

namespace vl::engines {
namespace {

using question::Reason;
using Outcome = PropositionalAnswer::Outcome;

class Until : public CaDiCaL::Terminator {
 public:
  explicit Until(const Budget& budget) : budget_(budget) {}
  bool terminate() override { return budget_.stopped(); }

 private:
  const Budget& budget_;
};

// A file in memory: what CaDiCaL writes its proof to.
class ProofFile {
 public:
  ProofFile() : file_(open_memstream(&text_, &size_)) {}
  ProofFile(const ProofFile&) = delete;
  ProofFile& operator=(const ProofFile&) = delete;
  ~ProofFile() {
    if (file_ != nullptr) std::fclose(file_);
    std::free(text_);
  }
  [[nodiscard]] std::FILE* file() const { return file_; }
  [[nodiscard]] std::string_view text() {
    std::fflush(file_);
    return {text_, size_};
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_;
};

// The checker keeps every clause, so the proof is stored without deletions.
std::string without_deletions(std::string_view proof) {
  std::string out;
  for (std::size_t start = 0; start < proof.size();) {
    const std::size_t end = std::min(proof.find('\n', start), proof.size() - 1) + 1;
    if (proof[start] != 'd') out += proof.substr(start, end - start);
    if (proof.substr(start, end - start) == "0\n") break;  // the empty clause
    start = end;
  }
  return out;
}

Point point_of(CaDiCaL::Solver& solver, const std::vector<rup::Number>& numbers) {
  Point point;
  for (const rup::Number& number : numbers) {
    Index value = number.low.narrow();
    for (std::size_t k = 0; k < number.bits.size(); ++k)
      if (solver.val(number.bits[k]) > 0) value += Index{1} << k;
    point.push_back(value);
  }
  return point;
}

PropositionalAnswer undecided(PropositionalAnswer answer, Reason reason, std::string why) {
  answer.reason = reason;
  answer.why = std::move(why);
  return answer;
}

}  // namespace

PropositionalAnswer solve_propositional(const rup::Clauses& made, const PropositionalBudget& budget) {
  PropositionalAnswer answer{Outcome::Undecided, made.variables, made.clauses.size(), {}, {}, Reason::OutOfReach, {}};
  if (made.clauses.size() > budget.clauses)
    return undecided(std::move(answer), Reason::OutOfReach, fmt::format("more than {} clauses", budget.clauses));
  ProofFile proof;
  Until until(budget.until);
  CaDiCaL::Solver solver;
  solver.set("quiet", 1);
  solver.set("binary", 0);
  if (proof.file() == nullptr || !solver.trace_proof(proof.file(), "memory"))
    return undecided(std::move(answer), Reason::SolverFault, "CaDiCaL cannot write a proof");
  for (const rup::Word& clause : made.clauses) {
    for (const int literal : clause) solver.add(literal);
    solver.add(0);
  }
  solver.connect_terminator(&until);
  solver.limit("conflicts", budget.conflicts);
  const int status = solver.solve();
  solver.disconnect_terminator();
  if (status == 10) {
    answer.outcome = Outcome::Found;
    for (std::size_t i = 0; i < made.points.size(); i += 2) answer.points.push_back(point_of(solver, made.points[i]));
  } else if (status == 20) {
    solver.close_proof_trace();
    answer.drat = without_deletions(proof.text());
    // Where one of the clauses is empty, CaDiCaL does not say so again.
    if (answer.drat != "0\n" && !answer.drat.ends_with("\n0\n")) answer.drat += "0\n";
    try {
      rup::check_refutation(made.variables, made.clauses, answer.drat);
    } catch (const kernel::Rejected& why) {
      return undecided(std::move(answer), Reason::SolverFault, fmt::format("CaDiCaL's proof is none: {}", why.what()));
    }
    answer.outcome = Outcome::None;
  } else if (until.terminate()) {
    Abstained over = ended(budget.until);
    return undecided(std::move(answer), over.reason, std::move(over.why));
  } else {
    return undecided(std::move(answer), Reason::ResourceLimit, fmt::format("CaDiCaL: {} conflicts", budget.conflicts));
  }
  return answer;
}

std::string cadical_version() { return CaDiCaL::Solver::version(); }

}  // namespace vl::engines
