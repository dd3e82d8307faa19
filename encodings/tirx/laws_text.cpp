// Laws from texts: the keys of each operation, each read once; every other key is an error.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "encodings/base/words.h"
#include "encodings/tirx/arguments.h"
#include "encodings/tirx/derive.h"
#include "encodings/tirx/laws.h"
#include "encodings/tirx/operations.h"

namespace vl::tirx {
namespace {

using Answer = std::variant<use::Law, use::Impossible, use::LawError>;

// An operation's arguments. The first error is kept.
class LawArguments {
 public:
  explicit LawArguments(std::span<const use::LawArgument> all) : all_(all) {}

  [[nodiscard]] const use::LawArgument* find(std::string_view key) {
    known_.push_back(key);
    const auto found = std::ranges::find(all_, key, &use::LawArgument::key);
    return found == all_.end() ? nullptr : &*found;
  }

  // Reads a key's whole text with `read`. Nothing if the key is absent or wrong.
  template <class Read>
  auto take(std::string_view key, bool needed, Read read) -> std::optional<decltype(read(std::declval<Cursor&>()))> {
    const use::LawArgument* argument = find(key);
    if (argument == nullptr) {
      if (needed) fail(key, Error{ErrorCode::Value, fmt::format("expected an argument {}", key)});
      return std::nullopt;
    }
    Cursor in(argument->text);
    auto value = read(in);
    in.expect_end();
    if (in.failed()) fail(key, in.error());
    if (in.failed()) return std::nullopt;
    return value;
  }

  std::optional<std::vector<Index>> shape(std::string_view key, bool needed = true) {
    return take(key, needed, [&](Cursor& in) { return read_list(in, key); });
  }
  std::optional<Index> number(std::string_view key) {
    return take(key, true, [&](Cursor& in) { return in.integer(key); });
  }

  std::optional<TileLayout> tile(std::string_view key) {
    const use::LawArgument* argument = find(key);
    if (argument == nullptr) {
      fail(key, Error{ErrorCode::Value, fmt::format("expected an argument {}, a layout", key)});
      return std::nullopt;
    }
    const auto read = parse(argument->text);
    if (!read) {
      fail(key, read.error());
    } else if (!read->symbolic.empty()) {
      fail(key, Error{ErrorCode::Value, read->symbolic});
    } else if (!read->layout.tile || read->layout.swizzle) {
      fail(key, Error{ErrorCode::Value, "expected a TileLayout without a swizzle"});
    } else {
      return read->layout.tile;
    }
    return std::nullopt;
  }

  void fail(std::string_view key, Error error) {
    if (!error_) error_ = use::LawError{std::string(key), std::move(error)};
  }

  // The first error of the arguments; a key that was not read is an error.
  std::optional<use::LawError> error() {
    for (std::size_t k = 0; k < all_.size(); ++k) {
      const std::string_view key = all_[k].key;
      const auto twice = std::ranges::count(all_, key, &use::LawArgument::key) > 1;
      if (key != "with" && std::ranges::find(known_, key) == known_.end())
        fail(key, Error{ErrorCode::Value, known_.empty() ? "the operation has no arguments" : one_of(key, known_)});
      if (twice) fail(key, Error{ErrorCode::Value, "the argument is given twice"});
    }
    return error_;
  }

 private:
  std::span<const use::LawArgument> all_;
  std::vector<std::string_view> known_;
  std::optional<use::LawError> error_;
};

struct Question {
  const Layout& layout;
  const map::Tensor& tensor;
  std::optional<TileLayout> with;  // the judged result, if it can be read
};

std::optional<TileLayout> with_of(std::span<const use::LawArgument> arguments, const map::Tensor& tensor) {
  const auto found = std::ranges::find(arguments, std::string_view("with"), &use::LawArgument::key);
  if (found == arguments.end()) return std::nullopt;
  const auto read = read_derived(found->text, tensor);
  if (!read || !read->parsed.symbolic.empty()) return std::nullopt;
  return read->parsed.layout.tile;
}

// The operand shape of a tile or a direct sum may also be given; it must be the tensor's.
void check_inner(LawArguments& in, std::string_view key, const map::Tensor& tensor) {
  const auto shape = in.shape(key, false);
  if (shape && *shape != tensor.size)
    in.fail(key, Error{ErrorCode::Shape, fmt::format("[{}] is not the tensor's size [{}]", fmt::join(*shape, ", "),
                                                     fmt::join(tensor.size, ", "))});
}

// The outer axis of the split: given as in "tx, wgid", else the one that the result names.
Axis outer_of(Axis from, const std::optional<TileLayout>& with) {
  if (with)
    for (const Axis axis : axes_of(*with))
      if (const auto pair = split_axes(from, axis)) return pair->first;
  if (from == Axis::Tx && with)
    for (const Axis axis : axes_of(*with))
      if (axis == Axis::TidInWg) return Axis::Wgid;
  const auto usual = split_axes(from);
  return usual ? usual->first : from;
}

// Every dimension of the shape begins at the beginning of an iter: the products of the inner extents are the same.
std::vector<use::Rule> group_rules(const TileLayout& result, std::span<const Index> shape) {
  std::vector<Index> ends{1};
  for (std::size_t k = result.shard.size(); k-- > 0;) ends.push_back(ends.back() * result.shard[k].extent);
  std::vector<use::Rule> rules;
  Index inner = 1;
  for (std::size_t d = shape.size(); d-- > 1;) {
    inner *= shape[d];
    rules.push_back({fmt::format("the iters are split where dimension {} begins, every {} elements", d, inner),
                     std::ranges::count(ends, inner) > 0 ? 1 : 0, 1});
  }
  return rules;
}

// The operations that some layouts do not allow.
std::optional<use::Impossible> impossible(std::string_view operation, const Question& q, LawArguments& in) {
  if (operation == "pack") return no_pack(q.layout, in.number("factor").value_or(0));
  if (operation != "fuse") return std::nullopt;
  const auto to = in.take("axis", true, [](Cursor& text) { return read_axis(text); });
  return to ? no_fuse(q.layout, *to) : std::nullopt;
}

Result<use::Law> law_in(std::string_view operation, const Question& q, LawArguments& in) {
  // in() has noted the error of a missing argument; then the value does not matter.
  const auto shape_of = [&](std::string_view key) { return in.shape(key).value_or(std::vector<Index>{}); };
  if (operation == "canonical") return canonical_law(q.layout, q.tensor, q.with);
  if (operation == "slice") {
    const auto region = in.take("region", true, [](Cursor& text) { return read_region(text); });
    return slice_law(q.layout, q.tensor, region.value_or(std::vector<use::Interval>{}));
  }
  if (operation == "tile" || operation == "direct-sum") {
    const bool tiles = operation == "tile";
    const auto outer = in.tile(tiles ? "outer" : "left");
    const auto shape = shape_of(tiles ? "outer_shape" : "left_shape");
    check_inner(in, tiles ? "inner_shape" : "right_shape", q.tensor);
    return (tiles ? tile_law : direct_sum_law)(q.layout, q.tensor, outer.value_or(TileLayout{}), shape);
  }
  if (operation == "permute") return permute_law(q.layout, q.tensor, shape_of("order"));
  if (operation == "group") {
    map::Tensor grouped = q.tensor;
    grouped.size = shape_of("shape");
    auto law = same_law(q.layout, grouped);
    if (law && q.with) law->rules = group_rules(*q.with, grouped.size);
    return law;
  }
  if (operation == "broadcast") {
    const auto extent = in.number("extent");
    return broadcast_law(q.layout, q.tensor, extent.value_or(0), in.number("at").value_or(0));
  }
  if (operation == "unpack" || operation == "pack")
    return (operation == "pack" ? pack_law : unpack_law)(q.layout, q.tensor, in.number("factor").value_or(0));
  if (operation == "swizzle") {
    const auto by = in.take("swizzle", true, [](Cursor& text) { return read_swizzle(text); });
    return swizzle_law(q.layout, q.tensor, by.value_or(SwizzleLayout{}));
  }
  if (operation == "fuse") {
    const auto to = in.take("axis", true, [](Cursor& text) { return read_axis(text); });
    return fuse_law(q.layout, q.tensor, to.value_or(Axis::M));
  }
  if (operation == "split") {
    std::optional<Axis> outer;
    const auto from = in.take("axis", true, [&](Cursor& text) {
      const Axis axis = read_axis(text);
      if (text.accept(",")) outer = read_axis(text);
      return axis;
    });
    const Axis axis = from.value_or(Axis::M);
    return split_law(q.layout, q.tensor, axis, outer ? *outer : outer_of(axis, q.with));
  }
  return Error{ErrorCode::Value, fmt::format("TIRx layouts have no operation '{}'", operation)};
}

// The argument that asks for what cannot be done, of operations that every layout allows; else the layout, as "".
std::string blamed(std::string_view operation, const Question& q) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kAsks = {
      {{"slice", "region"}, {"permute", "order"}, {"broadcast", "extent"}}};
  const auto found = std::ranges::find(kAsks, operation, &std::pair<std::string_view, std::string_view>::first);
  return found != kAsks.end() && same_law(q.layout, q.tensor) ? std::string(found->second) : std::string();
}

}  // namespace

Answer law(std::string_view operation, std::string_view text, const map::Tensor& tensor,
           std::span<const use::LawArgument> arguments) {
  const auto read = read_derived(text, tensor);
  if (!read) return use::LawError{"", read.error()};
  if (!read->parsed.symbolic.empty()) return use::LawError{"", Error{ErrorCode::Value, read->parsed.symbolic}};
  LawArguments in(arguments);
  const Question question{read->parsed.layout, tensor, with_of(arguments, tensor)};
  auto law = law_in(operation, question, in);
  if (auto error = in.error()) return *error;
  if (auto no = impossible(operation, question, in)) return *no;
  if (!law) return use::LawError{blamed(operation, question), law.error()};
  return std::move(*law);
}

}  // namespace vl::tirx
