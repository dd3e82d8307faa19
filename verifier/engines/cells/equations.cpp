#include "verifier/engines/cells/equations.h"

#include <utility>

namespace vl::engines::cells {
namespace {

void append(const LinearProof& proof, kernel::Steps& out) {
  kernel::Step step{proof.modulus ? "branch" : "never"};
  if (proof.modulus) step.numbers.emplace_back(*proof.modulus);
  step.numbers.insert(step.numbers.end(), proof.combine.begin(), proof.combine.end());
  std::size_t used = proof.quotients.size();  // those that are left out are 0
  while (used > 0 && proof.quotients[used - 1] == 0) --used;
  for (std::size_t k = 0; proof.modulus && k < used; ++k) step.numbers.emplace_back(proof.quotients[k]);
  out.push_back(std::move(step));
  for (const LinearProof& branch : proof.branches) append(branch, out);
}

}  // namespace

kernel::Steps steps_of(const LinearProof& proof) {
  kernel::Steps out;
  append(proof, out);
  return out;
}

std::optional<kernel::Steps> no_solution(const kernel::Cell<kernel::Wide>& cell, const kernel::Lines& rows,
                                         LinearEffort& effort) {
  LinearSystem system;
  for (const auto& row : rows) {
    auto& out = system.rows.emplace_back();
    for (std::size_t k = 0; k < cell.atoms(); ++k) out.push_back(row.at(k).narrow());
    system.right.push_back((kernel::Wide(0) - row.constant).narrow());
  }
  for (const kernel::Wide& extent : cell.extents) system.extents.push_back(extent.narrow());
  const LinearAnswer answer = solve(system, effort);
  const auto* none = std::get_if<Unsolvable>(&answer);
  return none != nullptr ? std::optional(steps_of(none->proof)) : std::nullopt;
}

}  // namespace vl::engines::cells
