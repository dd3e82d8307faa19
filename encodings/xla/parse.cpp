// The text of a shape, with numbers or with names for them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

#include "encodings/xla/xla.h"

namespace vl::xla {
namespace {

const TypeName* type_named(std::string_view word) {
  std::string lower(word);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  const auto* const row = std::ranges::find(kTypes, lower, &TypeName::name);
  return row == kTypes.end() ? nullptr : row;
}

// The fields after the colon, in the order in which XLA prints and reads them.
constexpr std::array<std::string_view, 10> kFields = {"D", "T", "L", "#", "*", "E", "S", "SC", "P", "M"};

template <class N>
class Reader {
 public:
  explicit Reader(use::Numbers<N>& text) : text_(text), in_(text.in) {}

  BasicShape<N> take() {
    take_type();
    take_dims();
    if (in_.peek() == '{') take_layout();
    else
      for (std::size_t dim = out_.dims.size(); dim-- > 0;) out_.minor_to_major.push_back(static_cast<Index>(dim));
    return std::move(out_);
  }

 private:
  void leave(const std::string& reason) {
    if (text_.undecidable.empty()) text_.undecidable = reason;
  }

  void take_type() {
    in_.skip_space();
    const std::size_t at = in_.offset();
    const std::string_view word = in_.identifier("an element type, as in f32[3,5]{1,0}");
    const TypeName* const row = type_named(word);
    if (row == nullptr && !in_.failed())
      in_.fail(ErrorCode::Value, fmt::format("'{}' is not an element type of XLA; expected f32, bf16, s8, …", word),
               at);
    if (row == nullptr) return;
    if (!row->here.empty()) out_.type = map::element_type_of(row->here);
    if (row->here.empty()) leave(fmt::format("elements of type {} are not read: no tensor here has that type", word));
  }

  void take_dims() {
    in_.expect("[");
    while (!in_.failed() && in_.peek() != ']') {
      if (!out_.dims.empty()) in_.expect(",");
      const bool bounded = in_.accept("<=");
      if (bounded || in_.accept("?"))
        leave(fmt::format("dimension {} is dynamic: its size is known when the program runs", out_.dims.size()));
      out_.dims.push_back(bounded || in_.peek() != ',' ? take_size() : N(1));
    }
    in_.expect("]");
  }
  N take_size() {
    if (in_.peek() == ']' && !text_.undecidable.empty()) return 1;  // f32[?]
    in_.skip_space();
    const std::size_t at = in_.offset();
    N out = text_.take();
    if (const auto known = number_of(out); known && *known < 0)
      in_.fail(ErrorCode::Value, fmt::format("a dimension of {}; expected 0 or more", *known), at);
    return out;
  }
  static std::optional<Index> number_of(const N& number) {
    if constexpr (use::Numbers<N>::kHasNames) return number.number();
    else return number;
  }

  void take_layout() {
    in_.expect("{");
    const std::size_t at = in_.offset();
    while (!in_.failed() && in_.peek() != ':' && in_.peek() != '}') {
      if (!out_.minor_to_major.empty()) in_.expect(",");
      out_.minor_to_major.push_back(in_.integer("a dimension, as in {1,0}"));
    }
    check_order(at);
    if (in_.accept(":")) take_fields();
    in_.expect("}");
  }
  void check_order(std::size_t at) {
    std::vector<Index> sorted = out_.minor_to_major, wanted(out_.dims.size());
    std::ranges::sort(sorted);
    std::iota(wanted.begin(), wanted.end(), 0);
    if (sorted != wanted && !in_.failed())
      in_.fail(ErrorCode::Value,
               fmt::format("minor_to_major is {{{}}}; expected each dimension of {} once, as in {{{}}}",
                           fmt::join(out_.minor_to_major, ","), wanted.size(),
                           fmt::join(wanted.rbegin(), wanted.rend(), ",")),
               at);
  }

  void take_fields() {
    for (std::size_t next = 0; !in_.failed() && in_.peek() != '}';) {
      in_.skip_space();
      const std::size_t at = in_.offset();
      std::size_t field = 0;
      while (field < kFields.size() && !in_.accept(kFields[field])) ++field;
      if (field == kFields.size() || field < next)
        return in_.fail(ErrorCode::Syntax,
                        fmt::format("expected the fields {}, each at most once and in this order; found {}",
                                    fmt::join(kFields, " "),
                                    field == kFields.size() ? in_.found() : fmt::format("'{}'", kFields[field])),
                        at);
      next = field + 1;
      take_field(kFields[field]);
    }
  }
  void take_field(std::string_view field) {
    if (field == "D") take_dimension_types();
    else if (field == "T") take_tiles();
    else if (field == "L") out_.tail = take_number("L", 1, std::numeric_limits<Index>::max());
    else if (field == "E") out_.bits = take_number("E", 0, 1 << 16);
    else if (field == "S") out_.memory = take_number("S", 0, std::numeric_limits<Index>::max());
    else skip_field(field);
  }
  Index take_number(std::string_view field, Index least, Index most) {
    in_.expect("(");
    in_.skip_space();
    const std::size_t at = in_.offset();
    const Index out = in_.integer("a number");
    if (out < least || out > most)
      in_.fail(ErrorCode::Value, fmt::format("{}({}); expected a number from {} to {}", field, out, least, most), at);
    in_.expect(")");
    return in_.failed() ? least : out;
  }
  // Dense dimensions alone have addresses; of them, + and ~ say nothing.
  void take_dimension_types() {
    in_.expect("(");
    for (bool first = true; !in_.failed() && in_.peek() != ')'; first = false) {
      if (!first) in_.expect(",");
      const std::string_view type = in_.identifier("a type of dimension, as in D(D,C)");
      if (type != "D") leave(fmt::format("a dimension of type {} is sparse: its elements have no fixed place", type));
      while (in_.accept("+") || in_.accept("~")) {
      }
    }
    in_.expect(")");
  }
  void take_tiles() {
    do {
      in_.expect("(");
      std::vector<BasicTileSize<N>>& tile = out_.tiles.emplace_back();
      while (!in_.failed() && in_.peek() != ')') {
        if (!tile.empty()) in_.expect(",");
        tile.push_back(take_tile_size());
      }
      if (!tile.empty() && tile.back().joins)
        in_.fail("'*' is the last size of a tile; expected a number: no dimension is more minor");
      in_.expect(")");
    } while (!in_.failed() && in_.peek() == '(');
  }
  BasicTileSize<N> take_tile_size() {
    if (in_.accept("*")) return {true, 1};
    in_.skip_space();
    const std::size_t at = in_.offset();
    const N size = text_.take();
    if (const auto known = number_of(size); known && *known < 1)
      in_.fail(ErrorCode::Value, fmt::format("a tile size of {}; expected 1 or more, or *", *known), at);
    return {false, in_.failed() ? N(1) : size};
  }
  // #, *, SC, P and M: pairs of brackets, which may nest.
  void skip_field(std::string_view field) {
    if (field == "SC") leave("SC splits the array over several memories, which have no common address");
    else if (field == "M") leave("M(n) puts metadata of a dynamic shape beside the elements");
    else leave(fmt::format("{} is a field of sparse arrays, whose elements have no fixed place", field));
    do {
      in_.expect("(");
      for (int depth = 1; depth > 0 && !in_.failed();) {
        const char c = in_.peek();
        if (c == '\0') return in_.expect(")");
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        in_.move_to(in_.offset() + 1);
      }
    } while (!in_.failed() && in_.peek() == '(');
  }

  use::Numbers<N>& text_;
  Cursor& in_;
  BasicShape<N> out_;
};

}  // namespace

template <class N>
BasicShape<N> take_shape(use::Numbers<N>& text) {
  return Reader<N>(text).take();
}
template BasicShape<Index> take_shape(use::Numbers<Index>& text);
template BasicShape<map::Expression> take_shape(use::Numbers<map::Expression>& text);

bool recognises(std::string_view text) {
  Cursor in(text);
  const std::string_view word = in.identifier("");
  return !in.failed() && type_named(word) != nullptr && in.text().substr(in.offset()).starts_with("[");
}

}  // namespace vl::xla
