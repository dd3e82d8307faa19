#include "encodings/tirx/derive.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "encodings/tirx/arguments.h"
#include "encodings/tirx/laws.h"
#include "encodings/tirx/operations.h"

namespace vl::tirx {
namespace {

constexpr int kDeepestOperand = 16;  // operands within operands
constexpr std::size_t kMost = 64;    // operations behind one layout

constexpr std::array<std::string_view, 15> kOperations = {
    "slice",     "canonicalize", "group",   "tile",    "tile_to", "direct_sum", "pack",   "unpack",
    "broadcast", "permute_dims", "permute", "storage", "fuse",    "split",      "swizzle"};

bool in_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// The name of the operation that is called behind the dot at `dot`; empty if there is none.
std::string_view operation_at(std::string_view text, std::size_t dot) {
  const std::size_t start = text.find_first_not_of(" \t\r\n", dot + 1);
  if (start == std::string_view::npos) return {};
  std::size_t end = start;
  while (end < text.size() && in_word(text[end])) ++end;
  const std::size_t open = text.find_first_not_of(" \t\r\n", end);
  const std::string_view name = text.substr(start, end - start);
  const bool known = std::ranges::find(kOperations, name) != kOperations.end();
  return known && open != std::string_view::npos && text[open] == '(' ? name : std::string_view{};
}

// The place of the first operation's dot, outside of all brackets.
std::optional<std::size_t> first_operation(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == ']') --depth;
    if (text[i] == '.' && depth == 0 && !operation_at(text, i).empty()) return i;
  }
  return std::nullopt;
}

// A sum outside of all brackets: a dot behind it would bind to its last term.
bool is_sum(std::string_view text) {
  int depth = 0;
  for (const char c : text) {
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if ((c == '+' || c == '@') && depth == 0) return true;
  }
  return false;
}

struct Step {
  Result<Layout> result;
  Result<use::Law> law;
};

class DerivedReader {
 public:
  DerivedReader(std::string_view text, const map::Tensor& tensor, int depth)
      : in_(text), text_(text), tensor_(tensor), depth_(depth) {}

  Result<Derived> read() {
    base();
    std::size_t count = 0;
    while (!in_.failed() && in_.accept(".")) {
      if (++count > kMost) in_.fail(fmt::format("expected at most {} operations", kMost));
      operation();
    }
    in_.expect_end();
    if (in_.failed()) return in_.error();
    return std::move(out_);
  }

 private:
  void base() {
    const std::size_t end = first_operation(text_).value_or(text_.size());
    auto read = parse(text_.substr(0, end));
    if (!read) in_.fail(read.error().code, read.error().message, read.error().offset);
    if (in_.failed()) return;
    out_.parsed = std::move(*read);
    if (end < text_.size() && is_sum(text_.substr(0, end)))
      in_.fail(ErrorCode::Syntax, "an operation behind a sum; expected TileLayout(…) around the sum", end);
    if (end < text_.size() && !out_.parsed.symbolic.empty())
      in_.fail(ErrorCode::Value,
               fmt::format("'{}' is a name, not a number: operations need numbers", out_.parsed.symbolic), 0);
    in_.move_to(end);
  }

  void operation() {
    in_.skip_space();
    const std::size_t start = in_.offset();
    const std::string_view name = in_.identifier("an operation");
    if (!in_.failed() && std::ranges::find(kOperations, name) == kOperations.end())
      in_.fail(ErrorCode::Syntax,
               fmt::format("'{}' is not an operation; expected one of {}", name, fmt::join(kOperations, ", ")), start);
    in_.expect("(");
    const bool counts = name == "permute" || name == "permute_dims" || name == "broadcast";
    if (!in_.failed() && counts && open_iters_)
      in_.fail(ErrorCode::Value,
               fmt::format("{} counts the shard's iters, and the operation before it leaves open which "
                           "there are; expected .canonicalize() in between",
                           name),
               start);
    const Step step = in_.failed() ? Step{in_.error(), in_.error()} : performed(name);
    in_.accept(",");
    in_.expect(")");
    if (in_.failed()) return;
    take(step, std::string(text_.substr(start, in_.offset() - start)), start);
    constexpr std::array<std::string_view, 6> kOpen = {"slice", "tile", "tile_to", "direct_sum", "fuse", "split"};
    const bool opens = std::ranges::find(kOpen, name) != kOpen.end();
    open_iters_ = opens || (open_iters_ && name != "canonicalize" && name != "group");
  }

  void take(const Step& step, std::string what, std::size_t start) {
    const auto fail = [&](const Error& error) {
      in_.fail(error.code, fmt::format("{}: {}", what, error.message), start);
    };
    if (!step.result) return fail(step.result.error());
    if (!step.law) return fail(step.law.error());
    auto lowered = lower(*step.result, step.law->tensor);
    if (!lowered) return fail(lowered.error());
    out_.parsed.layout = *step.result;
    out_.steps.push_back({std::move(what), std::move(*lowered), step.law->expected});
  }

  [[nodiscard]] const Layout& layout() const { return out_.parsed.layout; }

  map::Tensor of(std::vector<Index> size) const {
    map::Tensor out;
    out.type = tensor_.type;
    out.size = std::move(size);
    return out;
  }
  // The dimensions of an operation without a shape argument: the iters of the shard.
  map::Tensor of_iters() const {
    std::vector<Index> size;
    if (layout().tile)
      for (const Iter& iter : layout().tile->shard) size.push_back(iter.extent);
    return of(std::move(size));
  }

  // An optional NAME= before an argument.
  void keyword(std::string_view name) {
    in_.skip_space();
    const std::size_t start = in_.offset();
    if (in_.accept(name) && !in_.accept("=")) in_.move_to(start);
  }
  std::vector<Index> shape(std::string_view name) {
    in_.expect(",");
    keyword(name);
    return read_shape(in_, name);
  }
  Index number(std::string_view name) {
    keyword(name);
    return in_.integer(name);
  }

  // A layout as an argument.
  TileLayout operand(std::string_view name) {
    keyword(name);
    in_.skip_space();
    const std::size_t start = in_.offset();
    const std::string_view text = in_.expression("a layout");
    if (in_.failed()) return {};
    if (depth_ >= kDeepestOperand)
      in_.fail(ErrorCode::Syntax, fmt::format("more than {} operands within operands", kDeepestOperand), start);
    if (in_.failed()) return {};
    auto read = DerivedReader(text, tensor_, depth_ + 1).read();
    if (!read) in_.fail(read.error().code, read.error().message, start + read.error().offset);
    if (read && !read->parsed.symbolic.empty())
      in_.fail(ErrorCode::Value,
               fmt::format("'{}' is a name, not a number: operations need numbers", read->parsed.symbolic), start);
    if (read && (read->parsed.layout.swizzle || !read->parsed.layout.tile))
      in_.fail(ErrorCode::Value, "expected a TileLayout without a swizzle", start);
    if (in_.failed()) return {};
    std::ranges::move(read->steps, std::back_inserter(out_.steps));
    return std::move(*read->parsed.layout.tile);
  }

  Step performed(std::string_view name) {
    if (name == "slice") return sliced();
    if (name == "tile" || name == "direct_sum") return combined(name == "tile");
    if (name == "tile_to") return tiled_to();
    if (name == "group") return grouped();
    if (!layout().tile) {
      const Error error{ErrorCode::Value, "a swizzle alone has no number of elements; expected a ComposeLayout"};
      in_.fail(error.code, error.message, in_.offset());
      return {error, error};
    }
    if (name == "permute" || name == "permute_dims") {
      keyword("perm");
      const auto order = read_shape(in_, "an order");
      const map::Tensor before = of_iters();
      return {permute(layout(), before.size, order), permute_law(layout(), before, order)};
    }
    if (name == "broadcast") {
      const Index extent = number("num");
      Index at = -1;
      if (in_.accept(",") && in_.peek() != ')') at = number("position");
      const map::Tensor before = of_iters();
      return {broadcast(layout(), before.size, extent, at), broadcast_law(layout(), before, extent, at)};
    }
    return on_elements(name);
  }

  // The operations without dimensions.
  Step on_elements(std::string_view name) {
    const map::Tensor before = of_iters();
    if (name == "canonicalize") {
      const auto result = canonicalize(layout());
      if (!result) return {result.error(), result.error()};
      return {result, canonical_law(layout(), before, result->tile)};
    }
    if (name == "storage") return {storage(layout()), storage_law(layout(), tensor_.type)};
    if (name == "swizzle") {
      const SwizzleLayout by = read_swizzle(in_);
      return {swizzle(layout(), by), swizzle_law(layout(), before, by)};
    }
    if (name == "fuse") {
      const Axis to = read_axis(in_);
      return {fuse(layout(), to), fuse_law(layout(), before, to)};
    }
    if (name == "split") {
      const Axis from = read_axis(in_);
      std::optional<Axis> outer;
      if (in_.accept(",") && in_.peek() != ')') outer = read_axis(in_);
      const auto axes = split_axes(from, outer);
      return {split(layout(), from, outer), split_law(layout(), before, from, axes ? axes->first : from)};
    }
    const Index n = number("num");
    if (name == "pack") return {pack(layout(), n), pack_law(layout(), before, n)};
    VL_CHECK(name == "unpack", "every operation is one of those above");
    return {unpack(layout(), n), unpack_law(layout(), before, n)};
  }

  Step sliced() {
    keyword("shape");
    const std::vector<Index> size = read_shape(in_, "a shape");
    in_.expect(",");
    keyword("region");
    const auto region = read_region(in_);
    return {slice(layout(), size, region), slice_law(layout(), of(size), region)};
  }

  Step combined(bool tiles) {
    const TileLayout outer = operand(tiles ? "outer" : "left");
    const auto outer_shape = shape(tiles ? "outer_shape" : "left_shape");
    const auto inner_shape = shape(tiles ? "inner_shape" : "right_shape");
    const auto& make = tiles ? tile : direct_sum;
    const auto& law = tiles ? tile_law : direct_sum_law;
    return {make(layout(), outer, outer_shape, inner_shape), law(layout(), of(inner_shape), outer, outer_shape)};
  }

  Step tiled_to() {
    keyword("to_shape");
    const std::vector<Index> to = read_shape(in_, "a shape");
    const std::vector<Index> now = shape("current_shape");
    std::vector<Index> count;
    bool whole = to.size() == now.size();
    for (std::size_t d = 0; whole && d < to.size(); ++d) {
      whole = now[d] >= 1 && to[d] >= 1 && to[d] % now[d] == 0;
      if (whole) count.push_back(to[d] / now[d]);
    }
    const auto strides = map::dense_strides(count);
    if (!whole || !strides) {
      const Error error{ErrorCode::Shape,
                        fmt::format("[{}] is not a multiple of [{}]", fmt::join(to, ", "), fmt::join(now, ", "))};
      return {error, error};
    }
    TileLayout outer;
    for (std::size_t d = 0; d < count.size(); ++d) outer.shard.push_back({count[d], (*strides)[d], Axis::M});
    return {tile(layout(), outer, count, now), tile_law(layout(), of(now), outer, count)};
  }

  Step grouped() {
    keyword("shape");
    const std::vector<Index> size = read_shape(in_, "a shape");
    const map::Tensor before = of(size);
    if (!layout().tile) return {layout(), same_law(layout(), before)};
    auto cut = group(*layout().tile, size);
    if (!cut) return {cut.error(), cut.error()};
    if (cut->layout.shard.empty()) cut->layout.shard.push_back({1, 1, Axis::M});
    return {Layout{layout().swizzle, std::move(cut->layout)}, same_law(layout(), before)};
  }

  Cursor in_;
  std::string_view text_;
  const map::Tensor& tensor_;
  int depth_ = 0;
  bool open_iters_ = false;
  Derived out_;
};

}  // namespace

bool is_derived(std::string_view text) { return first_operation(text).has_value(); }

Result<Derived> read_derived(std::string_view text, const map::Tensor& tensor) {
  return DerivedReader(text, tensor, 0).read();
}

}  // namespace vl::tirx
