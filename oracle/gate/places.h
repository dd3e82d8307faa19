// Places: what the operations place, back and measure answer, compared with the map point by point.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "oracle/gate/judge.h"

namespace vl::gate {

/// place: {"axes":["m"],"values":[[0],[1],…]}, one row an element in row-major order, one column an axis. An element of
/// several places has a list of rows; one without a place has null. Axes with names are compared by their names, and an
/// axis that one side lacks is 0; others by their order, or as the single axis "offset", the slot's row-major number.
/// Of place.at only the elements that are asked, in their order, and the judgement says so: "sampled".
[[nodiscard]] Judgement judge_place(const Case& of, const Json& answer, std::string_view convention);
/// The same of rows that lay in the shared memory, 64-bit integers: {"axes":["m"],"bulk":{…}} and the rows' bytes.
[[nodiscard]] Judgement judge_rows(const Case& of, const Json& answer, std::string_view rows,
                                   std::string_view convention);
/// Whether a text is an answer of which judge_place() says that it agrees, seen at once. False: ask judge_place().
/// Requires: the text is JSON.
[[nodiscard]] bool places_agree(const Case& of, std::string_view answer, std::string_view convention);
/// The same of rows as numbers, one column an axis. Requires: the axes differ; a row for each element.
[[nodiscard]] bool rows_agree(const map::Layout& layout, std::span<const std::string> axes, std::span<const Index> rows,
                              std::string_view convention);
/// The text of an answer with one place an element, from rows that stand one after the other.
[[nodiscard]] std::string rows_text(std::span<const std::string> axes, std::span<const Index> rows,
                                    std::size_t elements);
/// back: {"elements":[3,-1,…]}, the row-major number of an element that lives in each slot, -1 if none does.
[[nodiscard]] Judgement judge_back(const Case& of, const Json& answer);
/// measure.size and measure.cosize; nothing if it cannot be said.
[[nodiscard]] std::optional<Index> size_of(const Case& of);
[[nodiscard]] std::optional<Index> cosize_of(const Case& of, std::string_view convention);
/// Whether the map and the family's second meaning put every element into the same slots, or, of more than
/// kMostLookedAt elements, so many of them, here and there; true if there is no second meaning.
constexpr std::size_t kMostLookedAt = 4096;
[[nodiscard]] bool meanings_agree(const Case& of);
/// The elements that a witness names, read from {"a":[…],"b":[…]}. False: they do not show what they should.
[[nodiscard]] std::optional<bool> witness_shows(const Case& of, std::string_view claim, const Json& witness);

}  // namespace vl::gate
