#include "verifier/checker/linear.h"

#include "verifier/checker/kernel.h"

namespace vl::checker {
namespace {

constexpr std::size_t kDeepest = 256;  // nodes on a path; far beyond any proof that is made

}  // namespace

void check_no_solution(const std::vector<std::vector<Wide>>& coefficients, const std::vector<Wide>& right,
                       const std::vector<Wide>& extents, const LinearProof& proof) {
  require(coefficients.size() == right.size() && right.size() < kDeepest, "a proof too deep");
  charge(extents.size() * (right.size() + 8) + 1);
  const std::vector<Wide> factors(proof.combine.begin(), proof.combine.end());
  const Wide modulus = proof.modulus.value_or(0);
  std::vector<Wide> quotients(proof.quotients.begin(), proof.quotients.end());
  if (!proof.modulus) quotients.resize(extents.size());
  require(factors.size() == right.size() && quotients.size() == extents.size(), "a list of another length");
  Wide low, high, common, b;  // of what is left of a·x: its least and largest values, its gcd
  for (std::size_t j = 0; j < right.size(); ++j) b += factors[j] * right[j];
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] <= 0) return;  // the box has no point
    Wide left = Wide(0) - modulus * quotients[i];
    for (std::size_t j = 0; j < right.size(); ++j) left += factors[j] * coefficients[j].at(i);
    (left < 0 ? low : high) += left * (extents[i] - 1);
    common = gcd(common, left);
  }
  if (!proof.modulus)
    return require(b < low || b > high || (common != 0 && b % common != 0), "an equation that may have a solution");
  const Wide first = Wide(0) - (high - b) / modulus, last = (b - low) / modulus;
  const Wide count = first > last ? Wide(0) : last - first + 1;
  require(Wide(static_cast<long long>(proof.branches.size())) == count, "a branch is missing, or one too many");
  Held held;
  held.take((coefficients.size() + 1) * extents.size() * sizeof(Wide));
  auto rows = coefficients;
  auto values = right;
  rows.push_back(quotients);
  values.push_back(first);
  for (const LinearProof& branch : proof.branches) {
    check_no_solution(rows, values, extents, branch);
    values.back() += 1;
  }
}

void check_one_to_one(const std::vector<std::vector<Wide>>& coefficients, const std::vector<Wide>& extents,
                      const OneToOneProof& proof) {
  const auto& [order, first] = proof;
  require(order.size() == extents.size() && first.size() == extents.size(), "a coordinate is missing");
  std::vector<std::vector<Wide>> rows(coefficients.size());
  std::vector<Wide> right(coefficients.size()), box;
  std::vector<bool> seen(extents.size());
  for (std::size_t k = order.size(); k-- > 0;) {  // those behind are in `rows` and `box` already, the nearest last
    const std::size_t i = order[k];
    require(i < extents.size() && !seen[i] && extents[i] > 0, "no coordinate, one twice, or without a value");
    seen[i] = true;
    charge((rows.size() + 1) * (box.size() + 1));
    box.insert(box.begin(), extents[i] - 1);
    auto values = right;  // Σ a·d = 0 with d_i = x_i + 1 and d_j = x_j - (e_j - 1)
    for (std::size_t j = 0; j < rows.size(); ++j) {
      rows[j].insert(rows[j].begin(), coefficients[j].at(i));
      values[j] = values[j] - coefficients[j].at(i);
      right[j] += coefficients[j].at(i) * (extents[i] - 1);
    }
    check_no_solution(rows, values, box, first[k]);
    box.front() = box.front() + extents[i];
  }
}

}  // namespace vl::checker
