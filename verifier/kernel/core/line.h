// Line: an affine form c + Σ c_k·a_k over the atoms of a cell (cell.h). S: the scalar.
#pragma once

#include <algorithm>
#include <concepts>
#include <vector>

#include "verifier/kernel/core/work.h"

namespace vl::kernel {

template <class S>
struct Line {
  S constant = 0;
  std::vector<S> terms = {};  // one an atom; those at the end that are missing are 0

  [[nodiscard]] static Line atom(std::size_t k) {
    Line out{0, std::vector<S>(k + 1, S(0))};
    out.terms[k] = 1;
    return out;
  }
  [[nodiscard]] S at(std::size_t k) const { return k < terms.size() ? terms[k] : S(0); }

  /// *this + factor·other. Every line that is made goes through here, so here it is charged for.
  Line& add(const Line& other, const S& factor) {
    charge(other.terms.size() + 1);
    constant = constant + factor * other.constant;
    if (terms.size() < other.terms.size()) terms.resize(other.terms.size(), S(0));
    for (std::size_t k = 0; k < other.terms.size(); ++k) terms[k] = terms[k] + factor * other.terms[k];
    return *this;
  }
  [[nodiscard]] Line plus(const Line& other, const S& factor = 1) const {
    charge(work());
    Line out = *this;
    return out.add(other, factor);
  }
  [[nodiscard]] bool is_zero() const {
    return constant == S(0) && std::ranges::all_of(terms, [](const S& term) { return term == S(0); });
  }
  bool operator==(const Line& other) const { return plus(other, -1).is_zero(); }

  /// What looking at all of it takes.
  [[nodiscard]] std::size_t work() const {
    std::size_t out = terms.size() + 1;
    if constexpr (!std::same_as<S, Wide>) out += bytes() / 16;
    return out;
  }
  /// What it takes where it is kept.
  [[nodiscard]] std::size_t bytes() const {
    std::size_t out = sizeof(Line) + bytes_of(constant);
    for (const S& term : terms) out += bytes_of(term);
    return out;
  }

  /// Atom k becomes times·a_k + other: what blocks, cuts and shifts do to every line.
  void substitute(std::size_t k, const S& times, const Line& other) {
    if (at(k) == S(0)) return;
    const S factor = terms[k];
    terms[k] = factor * times;
    add(other, factor);
  }
};

}  // namespace vl::kernel
