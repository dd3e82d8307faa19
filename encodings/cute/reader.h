// Reads texts of CuTe layouts, as the IR and the DSL, C++ and pycute print and construct them. Numbers are integers, or
// expressions in names (rule_text.h).
//
//   layout  = swizzle "o" [offset "o"] plain | plain
//           | "ComposedLayout" "<" swizzle "," offset "," layout ">"
//           | ("ComposedLayout" | "composition") "(" swizzle "," [offset ","] layout ")"
//   plain   = tuple ":" tuple | "Layout" "<" tuple ["," tuple] ">"
//           | ("Layout" | "make_layout") "(" tuple ["," ["stride" "="] tuple] ")"
//   tuple   = integer | "(" [tuple {"," tuple}] ")" | NAME ("<" … ">" | "(" … ")")
//             NAME is Shape, Stride, make_shape, …
//   integer = 4 | -1 | _4 | Int<4> | C<4> | ? | ?{i64} | 1@0; 4 is also an expression, as in 2*M and Int<K/2>
//   swizzle = ("S" | "Sw" | "Swizzle") "<" bits "," base "," shift ">" | "Swizzle" "(" … ")"
//           | "SW_" bits "_" base "_" shift
//
// Every name may have "cute::" or "cute." in front and "{}" behind. Without strides the layout is compact, the first
// leaf fastest.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <type_traits>

#include "encodings/cute/cute.h"
#include "encodings/cute/pointer.h"
#include "encodings/cute/tuples.h"

namespace vl::cute {

/// Number: Index, or map::Expression.
template <class Number>
class Reader : private TupleReader<Number> {
 public:
  using Tuples = TupleReader<Number>;
  using typename Tuples::Item;
  using Mode = BasicMode<Number>;
  using Layout = BasicLayout<Number>;

  explicit Reader(std::string_view text) : Tuples(text) {}

  /// Errors: those of parse.
  Result<Layout> read() {
    Layout out = layout();
    in_.expect_end();
    if (in_.failed()) return in_.error();
    return out;
  }
  /// What of the text read is no number, and for expressions what is none; empty if all is.
  [[nodiscard]] const std::string& symbolic() const { return symbolic_; }
  /// Where its expressions stand, in order.
  [[nodiscard]] const std::vector<use::NamedSize>& named() const { return named_; }
  /// Whether the text says its strides, and is not compact.
  [[nodiscard]] bool has_strides() const { return has_strides_; }

 private:
  using Tuples::braces, Tuples::called, Tuples::in_, Tuples::integer, Tuples::is_letter, Tuples::kHasNames;
  using Tuples::named_, Tuples::number_of, Tuples::one_of, Tuples::say, Tuples::symbolic_, Tuples::tuple, Tuples::word;

  Layout layout() {
    if (++depth_ > kDeepest) in_.fail("layouts in layouts, too deep");
    Layout out = any_layout();
    --depth_;
    return out;
  }

  Layout any_layout() {
    Layout out;
    const bool composed = called("ComposedLayout");
    if (composed || called("composition", "(")) {
      const std::string_view close = composed && in_.accept("<") ? ">" : ")";
      if (close == ")") in_.expect("(");
      composition_of(out, ",");
      in_.expect(close);
      braces();
      return out;
    }
    const std::size_t start = in_.offset();
    if (swizzle(out)) {
      in_.move_to(start);
      named_.clear();  // they are read once more
      composition_of(out, "o");
      return out;
    }
    out.mode = plain();
    return out;
  }

  // swizzle SEPARATOR [offset SEPARATOR] layout.
  void composition_of(Layout& out, std::string_view separator) {
    if (!swizzle(out)) in_.fail("expected a swizzle, as in Sw<3,4,3>");
    const Swizzle outer = out.swizzle.value_or(Swizzle{});
    in_.expect(separator);
    int unit = 0;
    const std::size_t start = in_.offset();
    if (pointer(unit, outer)) {
      in_.expect(separator);
    } else if (const auto offset = offset_before(separator)) {
      out.offset = *offset;
    }
    out.swizzle = outer;
    out.swizzle->base += unit;
    if (out.swizzle->bits > 0 && out.swizzle->base < 0) say("the swizzle moves parts of an element");
    if (reach_of(*out.swizzle) > 62)
      in_.fail(ErrorCode::Value, "the swizzle counts in the bits of elements, beyond 62 bits", start);
    out.mode = plain();
  }

  // smem_ptr[16b](unset): the swizzle counts bytes of elements of so many bits. It acts on the address too: only one
  // whose bits it does not read moves nothing.
  bool pointer(int& unit, const Swizzle& swizzle) {
    if (!word("smem_ptr")) return false;
    in_.expect("[");
    const std::size_t at = in_.offset();
    Index bits = digits();
    in_.expect("b");
    in_.expect("]");
    in_.expect("(");
    if (!is_aligned_address(in_.expression("an address"), reach_of(swizzle)))
      say("an address behind smem_ptr: the swizzle acts on it, too");
    in_.expect(")");
    int width = 0;
    for (; bits > 1 && bits % 2 == 0; bits /= 2) ++width;
    if (bits != 1 || width > 10) in_.fail(ErrorCode::Value, "expected a power of two for the bits of an element", at);
    unit = 3 - width;
    return true;
  }

  // An integer, if the separator follows and not a ':' of a layout.
  std::optional<Number> offset_before(std::string_view separator) {
    if (in_.failed()) return std::nullopt;
    Reader ahead(in_.text());
    ahead.in_.move_to(in_.offset());
    const Item item = ahead.tuple();  // or a layout
    if (ahead.in_.failed() || !ahead.in_.accept(separator)) return std::nullopt;
    in_.move_to(ahead.in_.offset());
    named_.insert(named_.end(), ahead.named_.begin(), ahead.named_.end());
    if (!item.leaf) say("an offset of several coordinates");
    if (!ahead.symbolic_.empty()) say(ahead.symbolic_);
    return item.value;
  }

  bool swizzle(Layout& out) {
    const std::size_t start = in_.offset();
    std::array<Index, 3> numbers{};
    if (in_.peek() == 'S' && in_.text().substr(in_.offset()).starts_with("SW_")) {
      in_.move_to(in_.offset() + 3);
      for (std::size_t k = 0; k < 3; ++k) {
        numbers[k] = digits();
        if (k < 2) underscore();
        else if (in_.offset() < in_.text().size() && is_letter(in_.text()[in_.offset()]))
          in_.fail("expected the end of the swizzle, found " + in_.found());
      }
    } else {
      if (!called("Swizzle") && !called("Sw") && !called("S")) return false;
      const std::string_view close = in_.accept("<") ? ">" : ")";
      if (close == ")") in_.expect("(");
      for (std::size_t k = 0; k < 3; ++k) {
        const auto number = number_of(integer().value);
        if (!number) say("a swizzle whose numbers are names");
        numbers[k] = number.value_or(0);
        if (k < 2) in_.expect(",");
      }
      in_.expect(close);
      braces();
    }
    if (in_.failed()) return true;
    const auto& [bits, base, shift] = numbers;
    const Index far = shift < 0 ? -shift : shift;
    if (bits < 0 || base < 0 || bits > 62 || base > 62 || shift < -62 || shift > 62 || bits + base + far > 62)
      in_.fail(ErrorCode::Value, "a swizzle's numbers are bits >= 0, base >= 0 and shift, within 62 bits", start);
    else if (bits > far)
      in_.fail(ErrorCode::Value, fmt::format("a swizzle of {} bits, shifted by {}: they overlap", bits, shift), start);
    out.swizzle = Swizzle{static_cast<int>(bits), static_cast<int>(base), static_cast<int>(shift)};
    return true;
  }
  // Digits with an optional '-', whatever stands behind them.
  Index digits() {
    const std::string_view rest = in_.text().substr(in_.offset());
    Index value = 0;
    const auto [stop, code] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (code != std::errc{}) in_.fail("expected an integer, found " + in_.found());
    else in_.move_to(in_.offset() + static_cast<std::size_t>(stop - rest.data()));
    return value;
  }
  void underscore() {
    if (in_.failed()) return;
    if (in_.offset() >= in_.text().size() || in_.text()[in_.offset()] != '_') return in_.fail("expected '_'");
    in_.move_to(in_.offset() + 1);
  }

  Mode plain() {
    const std::size_t start = in_.offset();
    if (called("make_layout", "(")) return arguments("(", ")", start);
    if (called("Layout")) {
      const bool type = in_.accept("<");
      if (!type) in_.expect("(");
      Mode out = arguments("", type ? ">" : ")", start);
      braces();
      return out;
    }
    const Item shape = tuple();
    in_.expect(":");
    return put_together(shape, tuple(), start);
  }

  // SHAPE [, STRIDE] CLOSE; a stride is also LayoutLeft, LayoutRight or GenColMajor, GenRowMajor.
  Mode arguments(std::string_view open, std::string_view close, std::size_t start) {
    if (!open.empty()) in_.expect(open);
    const Item shape = tuple();
    Mode out;
    if (in_.accept(":")) {  // Layout((4,2):(1,4))
      out = put_together(shape, tuple(), start);
    } else if (!in_.accept(",") || (close == ")" && in_.peek() == ')')) {  // a comma behind the last one is Python's
      out = compact(shape, start, false);
    } else {
      constexpr std::array<std::string_view, 2> kLeft = {"LayoutLeft", "GenColMajor"};
      constexpr std::array<std::string_view, 2> kRight = {"LayoutRight", "GenRowMajor"};
      const bool right = one_of(kRight);
      if (right || one_of(kLeft)) {
        braces();
        out = compact(shape, start, right);
      } else {
        const std::size_t at = in_.offset();
        if (in_.accept("stride") && !in_.accept("=")) in_.move_to(at);  // stride=(2, 1) of Python, or a name
        out = put_together(shape, tuple(), start);
      }
    }
    if (close == ")") static_cast<void>(in_.accept(","));
    in_.expect(close);
    return out;
  }

  Mode put_together(const Item& shape, const Item& stride, std::size_t start) {
    Mode out;
    out.leaf = shape.leaf;
    has_strides_ = true;
    if (in_.failed()) return out;
    if (shape.leaf != stride.leaf || shape.items.size() != stride.items.size()) {
      in_.fail(ErrorCode::Shape,
               shape.leaf != stride.leaf
                   ? std::string("an integer stands against a tuple; shape and stride must nest alike")
                   : fmt::format("the shape has {} modes where the stride has {}; they must nest alike",
                                 shape.items.size(), stride.items.size()),
               start);
      return out;
    }
    if (shape.leaf) out.extent = extent(shape.value, start), out.stride = stride.value;
    for (std::size_t k = 0; k < shape.items.size(); ++k)
      out.modes.push_back(put_together(shape.items[k], stride.items[k], start));
    return out;
  }

  Number extent(Number value, std::size_t start) {
    if (const auto number = number_of(value); number && *number < 1)
      in_.fail(ErrorCode::Value, fmt::format("an extent of {}; expected 1 or more", *number), start);
    return value;
  }

  // Compact strides, the first leaf fastest, or the last one; of an extent that is a fixed 1 the stride is 0
  // (CompactLambda in include/cute/stride.hpp of CUTLASS 4.2.0).
  Mode compact(const Item& shape, std::size_t start, bool last_fastest) {
    Number next = 1;
    return compact_from(shape, start, last_fastest, next);
  }
  Mode compact_from(const Item& shape, std::size_t start, bool last_fastest, Number& next) {
    Mode out;
    out.leaf = shape.leaf;
    if (in_.failed()) return out;
    if (shape.leaf) {
      out.extent = extent(shape.value, start);
      out.stride = shape.fixed && number_of(out.extent) == 1 ? Number(0) : next;
      next = times(next, out.extent, start);
    }
    out.modes.resize(shape.items.size());
    for (std::size_t k = 0; k < shape.items.size(); ++k) {
      const std::size_t at = last_fastest ? shape.items.size() - 1 - k : k;
      out.modes[at] = compact_from(shape.items[at], start, last_fastest, next);
    }
    return out;
  }
  Number times(const Number& a, const Number& b, std::size_t start) {
    if constexpr (kHasNames) {
      if (a.size() + b.size() > map::kMostParts)
        in_.fail(ErrorCode::Value, fmt::format("a size of more than {} parts", map::kMostParts), start);
      return in_.failed() ? a : a * b;
    } else {
      const auto product = checked_mul(a, b);
      if (!product) in_.fail(ErrorCode::Overflow, "the size does not fit in 64 bits", start);
      return product.value_or(1);
    }
  }

  int depth_ = 0;  // of layouts
  bool has_strides_ = false;
};

}  // namespace vl::cute
