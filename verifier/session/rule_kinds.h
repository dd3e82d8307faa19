// Kinds of padding for all sizes: the claim padding-kind, of the boxes in encodings/use/rule_boxes.h.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "verifier/engines/polynomial/prove.h"
#include "verifier/session/all_sizes.h"

namespace vl::session {

/// What is padding of a kind: of each rule the slots of its box that no place of a smaller box takes. A law says that
/// the tensor has elements. Example, 53x63 on 3x2 cores divided first: of tile the rule x -> x of 54x64 in 96x64.
struct RulesOfKind {
  map::Rule rule;
  std::optional<map::Rule> other = {};
};

/// The rules of the kind that the claim names; or why there are none: of no array of shards, or of a text with a rule
/// that does not hold at any size. Requires: the reading is a rule.
[[nodiscard]] std::variant<RulesOfKind, std::string> rules_of_kind(const ClaimRequest& claim,
                                                                   const use::Reading& reading);

/// Whether each element has one place, and no other one has it: else padding is of no kind. False where that is not
/// known.
[[nodiscard]] bool has_one_place_each(const map::Rule& rule, const engines::AllSizesOptions& options = {});

/// How many slots that are.
[[nodiscard]] map::Expression slots_of(const RulesOfKind& kind);

}  // namespace vl::session
