// Notation: layouts whose texts say a blueprint (encodings/map/blueprint.h), once for numbers and for names. A family
// with such texts writes one reader, and these functions make readings of it.
//
//   struct Rows {  // rows[M, N] pitch P: element [i, j] lies at P·i + j
//     static constexpr std::string_view kName = "rows", kForms = "rows[8, 4] pitch 4";
//     template <class N>
//     static Result<map::Blueprint<N>> blueprint(use::Numbers<N>& text, const map::BasicTensor<N>& tensor);
//   };
//   const use::Family kRows = use::family_of_notation<Rows>();
//
// `f16[8,4]` with `rows[8, 4] pitch 4` is then a layout, `f16[M,4]` with `rows[M, 4] pitch P` one for all sizes, and
// every claim, certificate, nest and execution of a layout is one of both.
#pragma once

#include <fmt/format.h>

#include <array>
#include <limits>
#include <type_traits>

#include "encodings/use/family.h"
#include "encodings/use/named_sizes.h"

namespace vl::use {

/// The numbers of a text: integers, or expressions in names (N is map::Expression).
template <class N>
class Numbers {
 public:
  static constexpr bool kHasNames = std::is_same_v<N, map::Expression>;

  explicit Numbers(std::string_view text) : in(text) {}

  /// Takes an integer or an expression (map/expression.h). What is no number, where integers are wanted, is 1 and
  /// makes the text undecidable.
  N take() {
    in.skip_space();
    const std::size_t start = in.offset();
    map::Expression read = map::take_expression(in);
    if (in.failed()) return 1;
    if constexpr (kHasNames) {
      const std::size_t last = in.text().find_last_not_of(" \t\r\n", in.offset() - 1);
      named.push_back({start, last + 1, read});
      return read;
    } else {
      std::vector<std::string> names;
      map::add_names(read, names);
      if (!names.empty() && undecidable.empty())
        undecidable = fmt::format("'{}' is a name, not a number", names.front());
      return read.number().value_or(1);
    }
  }

  /// As take; an error of the text where it is known to be below 1.
  N extent() {
    in.skip_space();
    const std::size_t start = in.offset();
    N out = take();
    std::optional<Index> known;
    if constexpr (kHasNames) known = out.number();
    else known = out;
    if (known && *known < 1)
      in.fail(ErrorCode::Value, fmt::format("an extent of {}; expected 1 or more", *known), start);
    return out;
  }
  /// a * b. An error of the text where that leaves 64 bits.
  N times(const N& a, const N& b) {
    if constexpr (kHasNames) {
      return a * b;
    } else {
      const auto product = checked_mul(a, b);
      if (!product) in.fail(ErrorCode::Overflow, "the size does not fit in 64 bits", 0);
      return product.value_or(1);
    }
  }

  Cursor in;
  std::string undecidable = {};       // why nothing can be computed of the text; empty: it can
  std::vector<NamedSize> named = {};  // the expressions, in the order of the text
};

/// What a text of a tensor says before it is lowered: the text as it is, and the type's bits and format.
[[nodiscard]] Reading reading_of(std::string_view text, map::ElementType type);

/// What a blueprint of a tensor is: a layout, or a rule. Without sizes of its own it splits the tensor's row-major
/// number. Of one number that does not decode the levels count the tensor's elements, the first one slowest. Errors:
/// those of map::host_of, map::layout_of and map::counting_rule, Shape for another number of elements, Value for the
/// start of a view where the notation says itself where a layout starts.
[[nodiscard]] Result<map::Layout> made_of(map::Blueprint<Index> blueprint, const map::Tensor& tensor);
[[nodiscard]] Result<map::Rule> made_of(map::Blueprint<map::Expression> blueprint, const map::RuleTensor& tensor);

/// A reading by a notation's blueprint. Errors: those of the notation and of the layout.
template <class Notation, class N>
[[nodiscard]] Result<Reading> read_notation(std::string_view text, const map::BasicTensor<N>& tensor) {
  Numbers<N> numbers(text);
  auto blueprint = Notation::template blueprint<N>(numbers, tensor);
  numbers.in.expect_end();
  if (numbers.in.failed()) return numbers.in.error();
  Reading out = reading_of(text, tensor.type);
  if (!numbers.undecidable.empty()) {
    out.what = Undecidable{std::move(numbers.undecidable)};
    return out;
  }
  if (!blueprint) return blueprint.error();
  if (tensor.box.empty() && blueprint->named_axes)
    for (const map::BasicPlace<N>& place : blueprint->places) out.own_span.push_back(place.name);
  auto made = made_of(std::move(*blueprint), tensor);
  if (!made) return made.error();
  out.what = std::move(*made);
  return out;
}

/// The text with numbers for names. Errors: those of the notation's reader and of with_sizes.
template <class Notation>
[[nodiscard]] Result<std::string> notation_at(std::string_view text, const map::Sizes& sizes) {
  Numbers<map::Expression> numbers(text);
  static_cast<void>(Notation::template blueprint<map::Expression>(numbers, {}));
  if (numbers.in.failed()) return numbers.in.error();
  return with_sizes(text, numbers.named, sizes, std::numeric_limits<Index>::min());
}

inline constexpr std::array<std::string_view, 2> kNotationClaims = {"in-bounds", "injective"};

/// kName is the word with which its texts begin.
template <class Notation>
[[nodiscard]] constexpr Family family_of_notation() {
  return {.name = Notation::kName,
          .forms = Notation::kForms,
          .default_claims = kNotationClaims,
          .recognises = [](std::string_view text) { return Cursor(text).accept(Notation::kName); },
          .read = read_notation<Notation, Index>,
          .read_rule = read_notation<Notation, map::Expression>,
          .text_at = notation_at<Notation>};
}

}  // namespace vl::use
