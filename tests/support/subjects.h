// Subjects of claims, made from a layout and further parts, for tests that ask claims by name.
#pragma once

#include <string_view>

#include "encodings/base/result.h"
#include "verifier/claims/claim.h"

namespace vl::test {

struct Given {
  const map::Layout* other = nullptr;  // the second layout, or the law of a result
  int element_bits = 0;
  Index base = 0;
  Index capacity = 0;
  Index at = 0;
  std::span<const use::Rule> rules = {};
};

/// Requires: a claim about layouts, and the second one where the claim needs one.
[[nodiscard]] inline claims::Subject about(const claims::Claim& claim, const map::Layout& layout, const Given& given) {
  using namespace claims;
  const auto other = [&]() -> const map::Layout& {
    VL_CHECK(given.other != nullptr, "the claim needs a second layout");
    return *given.other;
  };
  const auto no = [&]() -> Subject { VL_CHECK(false, "the claim is not about layouts"); };
  return std::visit(overloaded{
                        [&](DecideOf<OneLayout>) -> Subject { return OneLayout{layout}; },
                        [&](DecideOf<TextRules>) -> Subject { return TextRules{given.rules}; },
                        [&](DecideOf<Sized>) -> Subject {
                          return Sized{layout, given.element_bits};
                        },
                        [&](DecideOf<Pair>) -> Subject {
                          return Pair{layout, other()};
                        },
                        [&](DecideOf<WayBack>) -> Subject {
                          return WayBack{layout, other()};
                        },
                        [&](DecideOf<SharedBuffer>) -> Subject {
                          return SharedBuffer{layout, other(), given.at};
                        },
                        [&](DecideOf<LawResult>) -> Subject {
                          return LawResult{&layout, &other(), given.rules};
                        },
                        [&](DecideOf<NumberLaw>) -> Subject {
                          return NumberLaw{&layout, &other(), given.rules, {}};
                        },
                        [&](DecideOf<Based>) -> Subject {
                          return Based{layout, given.element_bits, given.base};
                        },
                        [&](DecideOf<Fitted>) -> Subject {
                          return Fitted{layout, given.element_bits, given.capacity};
                        },
                        [&](DecideOf<RowsOfBytes>) -> Subject {
                          return RowsOfBytes{layout, given.element_bits, given.base};
                        },
                        [&](auto) -> Subject { return no(); },  // all others
                    },
                    claim.decide);
}

/// The answer to the claim of that name.
[[nodiscard]] inline claims::Judged ask(std::string_view name, const map::Layout& layout, const Given& given = {},
                                        const engines::Options& options = {}) {
  const claims::Claim* claim = claims::find_claim(name);
  VL_CHECK(claim != nullptr, "a claim of the test");
  return claims::decide(*claim, about(*claim, layout, given), options);
}

}  // namespace vl::test
