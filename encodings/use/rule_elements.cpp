// Which elements nests between two devices move.
#include <cstdlib>
#include <limits>

#include "encodings/use/guess.h"
#include "encodings/use/rule_nests.h"

namespace vl::use {
namespace {

using map::Expression;

// A layout of which the places are the digits: by how much a digit moves the slot, and the number of the element.
class Digits {
 public:
  Digits(const map::Rule& rule, const map::Sizes& sizes) : sizes_(sizes) {
    Expression box = 1;
    for (std::size_t j = rule.places.size(); j-- > 0; box = box * rule.places[j].extent)
      if (rule.levels[j].extent.number() != 1) digits_.emplace_back(box, rule.levels[j].weight);
  }

  /// Which element a slot has, or by how many elements a step leads on: each term of the slot along the digit of which
  /// it is the least multiple, or the outermost one where it is 0 at the sizes. Nothing where a term is along none.
  [[nodiscard]] std::optional<Expression> number_at(const Expression& slot) const {
    std::vector<Expression> variables;
    const auto terms = polynomial_of(slot, variables);
    if (!terms || !terms->fits()) return std::nullopt;
    Expression out = 0;
    for (const map::Polynomial::Term& term : terms->terms()) {
      const auto part = expression_of(map::Polynomial(term), variables);
      const auto number = part ? number_along(*part) : std::nullopt;
      if (!number) return std::nullopt;
      out = out + *number;
    }
    return out;
  }

 private:
  [[nodiscard]] std::optional<Expression> number_along(const Expression& part) const {
    std::optional<Expression> out;
    Index least = 0;
    for (const auto& [box, weight] : digits_) {
      const auto times = quotient_of(part, box);
      const auto value = times ? map::evaluate(*times, sizes_) : Result<Index>(0);
      if (!times || !value || *value == std::numeric_limits<Index>::min()) continue;
      if (out && (std::abs(*value) > least || (std::abs(*value) == least && least != 0))) continue;
      least = std::abs(*value);
      out = *times * weight;
    }
    return out;
  }

  const map::Sizes& sizes_;
  std::vector<std::pair<Expression, Expression>> digits_;
};

}  // namespace

std::optional<RuleTransfer> with_elements(RuleTransfer transfer, const map::Rule& from, const map::Rule& to) {
  if (!from.decodes || !to.decodes || !from.replicas.empty() || !to.replicas.empty()) return std::nullopt;
  const auto sizes = generic_sizes(to);
  if (!sizes) return std::nullopt;
  const Digits source(from, *sizes), target(to, *sizes);
  const auto number_of = [&](const Expression& there, const Expression& here) {
    const auto number = source.number_at(there);
    return number ? number : target.number_at(here);
  };
  for (RuleNest& nest : transfer.nests) {
    const auto first = number_of(nest.from.offset, nest.device.offset);
    if (!first) return std::nullopt;
    nest.host = {{}, from.offset + *first - from.start};
    for (std::size_t k = 0; k < nest.extents.size(); ++k) {
      const auto step = nest.extents[k].number() == 1 ? std::optional(Expression(0))
                                                      : number_of(nest.from.strides[k], nest.device.strides[k]);
      if (!step) return std::nullopt;
      nest.host.strides.push_back(*step);
    }
  }
  return transfer;
}

}  // namespace vl::use
