#include <sstream>

#include "verifier/rup/clauses.h"

namespace vl::rup {
namespace {

// Clauses lie in `all`, each ended by 0, and wait at two of their literals, the first ones, to become false. Whatever
// they wait at, a literal is only ever derived from a clause all whose other literals are false.
struct Propagation {
  int middle;
  std::vector<signed char> values = std::vector<signed char>(static_cast<std::size_t>(2 * middle + 1));
  std::vector<std::vector<std::size_t>> waiting = std::vector<std::vector<std::size_t>>(values.size());
  std::vector<int> all{}, trail{};
  std::size_t next = 0;
  bool refuted = false;

  [[nodiscard]] std::size_t at(int literal) const { return static_cast<std::size_t>(std::ptrdiff_t{middle} + literal); }
  [[nodiscard]] int value(int literal) const { return values[at(literal)]; }
  void assign(int literal) { values[at(literal)] = 1, values[at(-literal)] = -1, trail.push_back(literal); }

  bool propagate() {
    for (; next < trail.size(); ++next) {
      std::vector<std::size_t>& list = waiting[at(-trail[next])];
      for (std::size_t i = 0; i < list.size();) {
        charge(2LL);
        int *const clause = &all[list[i]], *free = clause + 2;
        if (clause[0] == -trail[next]) std::swap(clause[0], clause[1]);
        while (value(clause[0]) <= 0 && value(*free) < 0) charge(1LL), ++free;  // 0, the end, is not false
        if (value(clause[0]) <= 0 && *free != 0) {
          std::swap(clause[1], *free);
          waiting[at(clause[1])].push_back(list[i]);
          list[i] = list.back(), list.pop_back();
          continue;
        }
        if (value(clause[0]) < 0) return false;
        if (value(clause[0]) == 0) assign(clause[0]);
        ++i;
      }
    }
    return true;
  }

  bool implies(const Word& clause) {
    charge(2 * clause.size() + 1);
    const std::size_t root = trail.size();
    bool conflict = refuted;
    for (const int literal : clause) {
      conflict = conflict || value(literal) > 0;
      if (value(literal) == 0) assign(-literal);
    }
    conflict = conflict || !propagate();
    for (next = root; trail.size() > root; trail.pop_back()) values[at(trail.back())] = values[at(-trail.back())] = 0;
    return conflict;
  }

  // What has a value now keeps it: literals that are false are left out.
  void add(const Word& clause) {
    charge(2 * clause.size() + 1), hold(2 * (clause.size() + 1) * sizeof(int) + 32);
    const std::size_t start = all.size();
    for (const int literal : clause) {
      if (value(literal) > 0) return all.resize(start);
      if (value(literal) == 0) all.push_back(literal);
    }
    const std::size_t size = all.size() - start;
    all.push_back(0);
    for (std::size_t k = start; k < start + 2 && size >= 2; ++k) waiting[at(all[k])].push_back(start);
    if (size == 1) assign(all[start]);
    refuted = refuted || size == 0 || !propagate();
  }
};

}  // namespace

void check_refutation(int variables, const std::vector<Word>& clauses, const std::string& proof) {
  require(variables >= 0 && variables < 1 << 24, "too many variables");
  hold(2LL * variables * static_cast<long long>(sizeof(std::vector<std::size_t>) + 1));
  charge(proof.size()), hold(2 * static_cast<long long>(proof.size()));  // a copy of it, and a clause
  Propagation known{variables};
  for (const Word& clause : clauses) known.add(clause);
  std::istringstream text(proof);
  Word lemma;
  bool ended = false;
  for (int literal = 0; !ended && text >> literal;) {
    require(-variables <= literal && literal <= variables, "a literal of no variable");
    if (literal != 0) {
      lemma.push_back(literal);
    } else {
      require(known.implies(lemma), "a clause that does not follow");
      known.add(lemma), ended = lemma.empty(), lemma.clear();
    }
  }
  require(ended && (text >> std::ws).eof(), "a proof that is not a list of clauses up to the empty one");
}

}  // namespace vl::rup
