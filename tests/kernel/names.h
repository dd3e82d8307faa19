// Layouts and proofs about names, and the same at some sizes: numbers for variables.
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "verifier/engines/cells/names.h"
#include "verifier/kernel/claims/goals.h"

namespace vl::kernel::tests {

using Sizes = std::vector<long long>;
using NamedLayout = BasicLayout<Polynomial>;
using NamedSteps = StepsOf<Polynomial>;

inline Wide at(const Polynomial& p, const Sizes& sizes) {
  Wide out = 0;
  for (const Polynomial::Term& term : p.terms()) {
    Wide product = term.coefficient;
    for (std::size_t v = 0; v < Polynomial::kVariables; ++v)
      for (int power = term.powers[v]; power > 0; --power) product = product * sizes.at(v);
    out += product;
  }
  return out;
}

inline Row at(const BasicRow<Polynomial>& row, const Sizes& sizes) {
  Row out{at(row.constant, sizes), {}};
  for (const auto& [input, coefficient] : row.terms) out.terms.emplace_back(input, at(coefficient, sizes));
  return out;
}

inline Space at(const BasicSpace<Polynomial>& space, const Sizes& sizes) {
  Space out{space.names, {}};
  for (const Polynomial& extent : space.extents) out.extents.push_back(at(extent, sizes));
  return out;
}

inline Map at(const BasicMap<Polynomial>& map, const Sizes& sizes) {
  Map out{at(map.domain, sizes), {}, map.outputs, map.size};
  for (const auto& stage : map.stages) {
    Stage& made = out.stages.emplace_back();
    made.kind = static_cast<Stage::Kind>(stage.kind);
    for (const auto& row : stage.rows) made.rows.push_back(at(row, sizes));
    for (const Polynomial& weight : stage.weights) made.weights.push_back(at(weight, sizes));
    made.input = stage.input, made.base = stage.base, made.bits = stage.bits, made.shift = stage.shift;
    made.up = stage.up;
  }
  return out;
}

inline Layout at(const NamedLayout& layout, const Sizes& sizes) {
  Layout out;
  out.map = at(layout.map, sizes), out.logical = layout.logical, out.physical = at(layout.physical, sizes);
  out.named = layout.named;
  if (layout.identity) out.identity = {at(layout.identity->first, sizes), at(layout.identity->second, sizes)};
  return out;
}

inline Multiples<Wide> at(const Multiples<Polynomial>& multiples, const Sizes& sizes) {
  Multiples<Wide> out;
  for (const auto& [j, m] : multiples) out.emplace_back(j, at(m, sizes));
  return out;
}

inline Steps at(const NamedSteps& steps, const Sizes& sizes) {
  const auto maybe = [&](const std::optional<Polynomial>& p) {
    return p ? std::optional(at(*p, sizes)) : std::optional<Wide>();
  };
  Steps out;
  for (const auto& step : steps) {
    Step& made = out.emplace_back(Step{step.name, {}, {}});
    for (const Polynomial& number : step.numbers) made.numbers.push_back(at(number, sizes));
    for (const auto& note : step.notes)
      made.notes.push_back({note.stage, note.at, note.uses, at(note.below, sizes), at(note.above, sizes),
                            maybe(note.quotient), maybe(note.from), maybe(note.extent)});
  }
  return out;
}

/// What is >= 0 by its form; where that does not say enough, no step is known.
class PlainSizes : public engines::cells::Sizes {
 public:
  explicit PlainSizes(std::vector<Polynomial> given = {}) : given_(std::move(given)) {}
  [[nodiscard]] bool shows(const Polynomial& p) const override { return is_shown(p); }
  [[nodiscard]] bool decides(const Polynomial& p) const override {
    if (is_shown(p)) return true;
    return is_shown(Polynomial(-1) - p) ? false : (unknown(), false);
  }
  [[nodiscard]] Polynomial quotient(const Polynomial& p, const Polynomial& by) const override {
    const auto [quotient, rest] = p.divided(by);
    if (!is_shown(rest) || !is_shown(by - 1 - rest)) unknown();
    return quotient;
  }
  [[nodiscard]] Wide rest(const Polynomial& p, const Wide& m) const override {
    const auto rest = p.split(m).second.number();
    if (!rest) unknown();
    return *rest;
  }
  [[nodiscard]] std::vector<Polynomial> given() const override { return given_; }

 private:
  [[noreturn]] static void unknown() { throw engines::cells::Open{}; }

  std::vector<Polynomial> given_;
};

}  // namespace vl::kernel::tests
