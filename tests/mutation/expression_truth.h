// What expressions of a statement about all sizes are at some sizes, by the words of verifier/checker/rules.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "verifier/checker/certificate.h"

namespace vl::mutation {

class ExpressionsAtSizes {
 protected:
  using Numbers = std::vector<std::int64_t>;
  static constexpr std::int64_t kLargest = std::int64_t{1} << 40;  // larger numbers are not looked at

  static std::int64_t floor_of(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

  std::int64_t value(const checker::ExpressionText& said) {
    if (said.word.empty()) return said.number;
    if (said.parts.empty()) {
      const auto found = symbols_.find(said.word);
      exists_ = exists_ && found != symbols_.end();
      return exists_ ? found->second : 1;
    }
    if (said.parts.size() != (said.word == "?" ? 4 : 2)) exists_ = false;
    if (!exists_) return 1;
    const std::int64_t a = value(said.parts[0]), b = value(said.parts[1]);
    std::int64_t out = 1;
    const bool divides = said.word == "//" || said.word == "%" || said.word == "ceil";
    if (divides && b < 1) exists_ = false;
    if (!exists_) return 1;
    if (said.word == "+") out = a + b;
    else if (said.word == "-") out = a - b;
    else if (said.word == "*") out = a * b;
    else if (said.word == "//") out = floor_of(a, b);
    else if (said.word == "%") out = a - floor_of(a, b) * b;
    else if (said.word == "ceil") out = floor_of(a + b - 1, b);
    else if (said.word == "min") out = std::min(a, b);
    else if (said.word == "max") out = std::max(a, b);
    else if (said.word == "?") out = value(said.parts[a >= b ? 2 : 3]);
    else exists_ = false;
    if (out > kLargest || out < -kLargest || a > kLargest / 1024 || b > kLargest / 1024) exists_ = false;
    return exists_ ? out : 1;
  }

  bool holds(const checker::RuleText::Condition& condition) {
    const std::int64_t a = value(condition.left), b = value(condition.right);
    if (condition.relation == "<") return a < b;
    if (condition.relation == "<=") return a <= b;
    if (condition.relation == ">") return a > b;
    if (condition.relation == ">=") return a >= b;
    return a == b;
  }

  static std::int64_t product(const Numbers& numbers) {
    std::int64_t out = 1;
    for (const std::int64_t number : numbers) {
      if (number != 0 && out > kLargest / number) return kLargest;
      out *= number;
    }
    return out;
  }

  std::map<std::string, std::int64_t> symbols_;
  bool exists_ = true;  // what has a value so far
};

}  // namespace vl::mutation
