#include "verifier/checker/linear.h"

#include "verifier/checker/questions.h"

namespace vl::checker {
namespace {

constexpr std::size_t kDeepest = 256;  // nodes on a path; far beyond any proof that is made

const nlohmann::json& field(const nlohmann::json& node, const char* name) {
  require(node.is_object() && node.contains(name), "a field is missing");
  return node.at(name);
}

Wide number(const nlohmann::json& item) { return integer(item); }

std::vector<Wide> numbers(const nlohmann::json& list, std::size_t count) {
  require(list.is_array() && list.size() == count, "a list of another length");
  std::vector<Wide> out;
  for (const nlohmann::json& item : list) out.push_back(number(item));
  return out;
}

}  // namespace

void check_no_solution(const std::vector<std::vector<Wide>>& coefficients, const std::vector<Wide>& right,
                       const std::vector<Wide>& extents, const nlohmann::json& proof) {
  require(coefficients.size() == right.size() && right.size() < kDeepest, "a proof too deep");
  const std::vector<Wide> factors = numbers(field(proof, "combine"), right.size());
  const bool leaf = proof.size() == 1;
  const Wide modulus = leaf ? Wide(0) : number(field(proof, "modulus"));
  const auto quotients = leaf ? std::vector<Wide>(extents.size()) : numbers(field(proof, "quotients"), extents.size());
  Wide low, high, common, b;  // of what is left of a·x: its least and largest values, its gcd
  for (std::size_t j = 0; j < right.size(); ++j) b += factors[j] * right[j];
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] <= 0) return;  // the box has no point
    Wide left = Wide(0) - modulus * quotients[i];
    for (std::size_t j = 0; j < right.size(); ++j) left += factors[j] * coefficients[j].at(i);
    (left < 0 ? low : high) += left * (extents[i] - 1);
    common = gcd(common, left);
  }
  if (leaf)
    return require(b < low || b > high || (common != 0 && b % common != 0), "an equation that may have a solution");
  const Wide first = Wide(0) - (high - b) / modulus, last = (b - low) / modulus;
  const nlohmann::json& branches = field(proof, "branches");
  const Wide count = first > last ? Wide(0) : last - first + 1;
  require(branches.is_array() && proof.size() == 4, "no node of a proof");
  require(Wide(static_cast<long long>(branches.size())) == count, "a branch is missing, or one too many");
  auto rows = coefficients;
  auto values = right;
  rows.push_back(quotients);
  values.push_back(first);
  for (const nlohmann::json& branch : branches) {
    check_no_solution(rows, values, extents, branch);
    values.back() += 1;
  }
}

void check_one_to_one(const std::vector<std::vector<Wide>>& coefficients, const std::vector<Wide>& extents,
                      const nlohmann::json& proof) {
  const std::vector<Wide> order = numbers(field(proof, "order"), extents.size());
  const nlohmann::json& first = field(proof, "first");
  require(proof.size() == 2 && first.is_array() && first.size() == extents.size(), "a coordinate is missing");
  std::vector<std::vector<Wide>> rows(coefficients.size());
  std::vector<Wide> right(coefficients.size()), box;
  std::vector<bool> seen(extents.size());
  for (std::size_t k = order.size();
       k-- > 0;) {  // the coordinates behind are in `rows` and `box` already, the nearest last
    require(order[k] >= 0 && order[k] < static_cast<long long>(extents.size()), "no coordinate");
    const auto i = static_cast<std::size_t>(order[k].narrow());
    require(!seen[i] && extents[i] > 0, "a coordinate twice, or without a value");
    seen[i] = true;
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
