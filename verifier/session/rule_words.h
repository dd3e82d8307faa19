// Rules in words, for answers and for what case files expect of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "encodings/use/family.h"
#include "verifier/question/record.h"

namespace vl::session {

/// The extents of the physical dimensions.
[[nodiscard]] std::vector<map::Expression> extents_of(const map::Rule& rule);
/// A layout whose slots are counted in bytes, and the bits of a slot, above 0.
struct SizedRule {
  map::Rule rule;
  int bits = 0;
};
/// The layout; of a block format that of its tiles, where m counts tiles, and an element lies in its tile. Or why the
/// bytes are not known. Example: bfp8[M,N] in tiles of 32x32 has ceil(M/32)*ceil(N/32) slots of 8704 bits.
[[nodiscard]] std::variant<SizedRule, std::string> sized_rule(const map::Rule& rule, const use::Reading& reading);
/// The bytes of the box: ceil(bits·Π extents / 8).
[[nodiscard]] map::Expression bytes_of(const SizedRule& sized);
/// Why the places of a layout are no addresses in one memory; empty: they are.
[[nodiscard]] std::string why_no_addresses(const map::Rule& rule, const use::Reading& reading);
/// What is left of so many bytes for the slots of one memory: of the axis m, else of the whole box (claims/bytes.cpp).
/// Of slots that are no whole bytes, eight times that. Or why that is not known.
[[nodiscard]] std::variant<map::Expression, question::Unknown> room_left(const map::Rule& rule,
                                                                         const use::Reading& reading,
                                                                         std::optional<Index> capacity);
/// The number of elements and replicas.
[[nodiscard]] map::Expression points_of(const map::Rule& rule);

/// Whether the layout itself has a name, and not only its tensor. A layout of numbers is one layout, and no rule.
/// Defined in reading.cpp.
[[nodiscard]] bool has_own_names(const map::Rule& rule);
/// Whether tensors of several sizes have such a layout, so that names of the tensor alone are sizes: it has names of
/// its own; or it is one on sticks, which says only of how large a tensor it has room.
[[nodiscard]] bool takes_any_tensor(const map::Rule& rule);

/// "M=2, N=3", in the order of the rule's symbols. Requires: a size of each.
[[nodiscard]] std::string sizes_in_words(const map::Rule& rule, const map::Sizes& sizes);

/// In words, simplified, with the symbols in the rule's order: "42*N*M".
[[nodiscard]] std::string print_of(const map::Rule& rule, const map::Expression& expression);

/// The same, of a number that an answer gives: made of integers, names, + - * // %, parentheses and ceil(a/b). Nothing
/// where a minimum, a maximum or a choice is left in it.
[[nodiscard]] std::optional<std::string> value_of(const map::Rule& rule, const map::Expression& expression);

/// Sizes that keep the bounds, the conditions and these have an instance: M*N <= 2**63 - 1 fits, and K - 1 >= 0 is the
/// layout's own. In them are extents, strides, the greatest and the least offset of host and device, divisors that may
/// be 0, what must not be negative, and what the family asks besides. Not in them are the host's own offset, and the
/// most cores or banks that a device has (tt-metal: 65536). Near 2^63 they may leave out sizes that have an instance: a
/// stride counts also where the dimension has size 1, and the digits of a number in a tile are bounded by the tile.
/// Defined in rule_exists.cpp.
struct Existence {
  std::vector<map::Condition> fits;  // in 64 bits
  std::vector<map::Condition> own;   // as many elements as the tensor, no extent below 0
};
[[nodiscard]] Existence existence_of(const map::Rule& rule, const std::vector<map::Condition>& where);
/// "M*N <= 2**63 - 1 and K - 1 >= 0"; "always".
[[nodiscard]] std::string in_words(const Existence& existence);

/// The rule's symbols, the conditions that were given, and when an instance exists.
[[nodiscard]] question::RuleView view_of(const map::Rule& rule, const std::vector<map::Condition>& where);

/// Whether "P >= N or M = 1 and A = 1" says these alternatives, in any order, each condition in any way: N <= P, P > N
/// -
/// 1. Without conditions it says "always" or "never".
[[nodiscard]] bool same_alternatives(const map::Rule& rule, std::string_view said,
                                     const std::vector<std::vector<map::Condition>>& holds);
/// Whether two expressions are shown to be the same number at all sizes: 64*ceil(N/64) and N + (-N)%64.
[[nodiscard]] bool same_value(const map::Rule& rule, const std::string& a, const std::string& b);

}  // namespace vl::session
