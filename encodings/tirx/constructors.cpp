// TileLayout(…), SwizzleLayout(…) and ComposeLayout(…), in both generations: until 0.25 a ComposeLayout took a
// SwizzleLayout and a tile; since then it has the three numbers itself. Also the Python functions that do not change a
// value.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "encodings/tirx/builders.h"

namespace vl::tirx {
namespace {

using Kind = Node::Kind;

constexpr Index kSwizzleBits = 62;  // a swizzle changes only bits below: addresses stay non-negative

// The arguments of a call by their keywords.
class CallArguments {
 public:
  CallArguments(Evaluation& evaluation, const Node& call, std::span<const std::string_view> keywords)
      : evaluation_(evaluation), call_(call), keywords_(keywords), nodes_(keywords.size()), values_(keywords.size()) {
    std::size_t position = 0;
    for (std::size_t i = 1; i < call.children.size(); ++i) {
      const Node& argument = call.children[i];
      const bool named = argument.kind == Kind::Keyword;
      const std::size_t place = named ? place_of(argument.text) : position++;
      const bool known = place < keywords.size();
      if (!known && named)
        fail(argument, fmt::format("'{}' is not an argument; expected {}", argument.text, fmt::join(keywords, ", ")));
      else if (!known)
        fail(argument, fmt::format("more than {} arguments; expected {}", keywords.size(), fmt::join(keywords, ", ")));
      else if (nodes_[place] != nullptr) fail(argument, fmt::format("'{}' is given twice", keywords[place]));
      if (!known || evaluation_.error()) return;
      if (named) position = keywords.size();
      nodes_[place] = named ? &argument.children[0] : &argument;
      values_[place] = evaluation.evaluate(*nodes_[place]);
    }
  }

  [[nodiscard]] bool has(std::size_t place) const { return nodes_[place] != nullptr; }
  [[nodiscard]] const Value& operator[](std::size_t place) const { return values_[place]; }
  [[nodiscard]] const Node& node(std::size_t place) const { return *nodes_[place]; }
  void need(std::size_t place) {
    if (!has(place)) fail(call_, fmt::format("'{}' is missing", keywords_[place]));
  }

 private:
  // `inner` is a short spelling of swizzle_inner, `tile` one of tile_layout.
  [[nodiscard]] std::size_t place_of(std::string_view keyword) const {
    if (keyword == "inner") keyword = "swizzle_inner";
    if (keyword == "tile") keyword = "tile_layout";
    return static_cast<std::size_t>(std::ranges::find(keywords_, keyword) - keywords_.begin());
  }
  void fail(const Node& where, std::string message) {
    evaluation_.fail(ErrorCode::Syntax, where.offset, std::move(message));
  }

  Evaluation& evaluation_;
  const Node& call_;
  std::span<const std::string_view> keywords_;
  std::vector<const Node*> nodes_;
  std::vector<Value> values_;
};

constexpr std::array<std::string_view, 1> kTile = {"spec"};
constexpr std::array<std::string_view, 4> kSwizzle = {"per_element", "swizzle_len", "atom_len", "swizzle_inner"};
constexpr std::array<std::string_view, 5> kCompose = {"per_element", "swizzle_len", "atom_len", "tile_layout",
                                                      "swizzle_inner"};
constexpr std::array<std::string_view, 2> kOlder = {"swizzle", "tile_layout"};

// A tile in a ComposeLayout or TileLayout: a sum of S, R and offsets, or a TileLayout.
std::optional<TileLayout> tile_in(Evaluation& evaluation, const Value& value, const Node& node) {
  if (value.unknown() || evaluation.error()) return std::nullopt;
  if (const Layout* layout = value.as<Layout>(); layout && layout->tile && !layout->swizzle) return layout->tile;
  const Spec* spec = value.as<Spec>();
  if (!spec) {
    evaluation.fail(ErrorCode::Syntax, node.offset, "expected a sum of S[…], R[…] and an offset");
    return std::nullopt;
  }
  auto tile = tile_of(*spec);
  if (tile) return std::move(*tile);
  evaluation.fail(tile.error().code, node.offset, tile.error().message);
  return std::nullopt;
}

Value make_tile(Evaluation& evaluation, const Node& call) {
  CallArguments given(evaluation, call, kTile);
  given.need(0);
  if (evaluation.error()) return Unknown{};
  const auto tile = tile_in(evaluation, given[0], given.node(0));
  if (!tile) return Unknown{};
  return Layout{std::nullopt, *tile};
}

// TileLayout.from_iters(offset={"m": 3}): so TVM prints a layout of one element without iters; any other it prints as a
// sum.
Value make_from_iters(Evaluation& evaluation, const Node& call) {
  const auto fail = [&](const Node& where, std::string message) -> Value {
    evaluation.fail(ErrorCode::Syntax, where.offset, std::move(message));
    return Unknown{};
  };
  std::vector<std::string_view> axes;
  Spec out{std::vector<Iter>{}, std::nullopt, {}};
  for (std::size_t i = 1; i < call.children.size(); ++i) {
    const Node& argument = call.children[i];
    const bool offset = argument.kind == Kind::Keyword && argument.text == "offset" && i == 1;
    if (!offset || argument.children[0].kind != Kind::Dictionary)
      return fail(argument, "expected offset={…} alone, as TVM prints it; write iters as S[…] + R[…]");
    for (const Node& entry : argument.children[0].children) {
      if (std::ranges::find(axes, entry.text) != axes.end())
        return fail(entry, fmt::format("'{}' is given twice", entry.text));
      axes.push_back(entry.text);
      const Axis axis = evaluation.axis(entry.text, entry.offset);
      const Index by = evaluation.integer(evaluation.evaluate(entry.children[0]), entry.children[0], "an offset");
      out.offset.insert(std::ranges::lower_bound(out.offset, axis, {}, &std::pair<Axis, Index>::first), {axis, by});
    }
  }
  if (evaluation.error() || !evaluation.symbolic().empty()) return Unknown{};
  auto tile = tile_of(out);
  if (!tile) return fail(call, tile.error().message);
  return Layout{std::nullopt, std::move(*tile)};
}

int swizzle_number(Evaluation& evaluation, const CallArguments& given, std::size_t place) {
  const Index number = evaluation.integer(given[place], given.node(place), kSwizzle[place]);
  if (number < 0 || number > kSwizzleBits)
    evaluation.fail(ErrorCode::Value, given.node(place).offset,
                    fmt::format("{} is {}; expected 0 to {}", kSwizzle[place], number, kSwizzleBits));
  return evaluation.error() ? 0 : static_cast<int>(number);
}

// The three numbers and the direction, which is argument number `inner`.
std::optional<SwizzleLayout> swizzle_in(Evaluation& evaluation, CallArguments& given, std::size_t inner) {
  for (std::size_t place = 0; place < 3; ++place) given.need(place);
  if (evaluation.error()) return std::nullopt;
  SwizzleLayout swizzle{swizzle_number(evaluation, given, 0), swizzle_number(evaluation, given, 1),
                        swizzle_number(evaluation, given, 2), true};
  if (given.has(inner) && !given[inner].unknown()) {
    const bool* flag = given[inner].as<bool>();
    if (!flag) evaluation.fail(ErrorCode::Value, given.node(inner).offset, "swizzle_inner is neither True nor False");
    else swizzle.swizzle_inner = *flag;
  }
  const bool known = !given[0].unknown() && !given[1].unknown() && !given[2].unknown();
  if (known && swizzle.atom_len == 0 && swizzle.swizzle_len > 0)
    evaluation.fail(ErrorCode::Value, given.node(2).offset,
                    "atom_len is 0: a field XORed into itself is 0, and upstream rejects it; expected 1 or more");
  if (known && swizzle.per_element + swizzle.swizzle_len + swizzle.atom_len > kSwizzleBits)
    evaluation.fail(ErrorCode::Value, given.node(0).offset,
                    fmt::format("per_element + swizzle_len + atom_len is {}; expected at most {}",
                                swizzle.per_element + swizzle.swizzle_len + swizzle.atom_len, kSwizzleBits));
  if (!known || evaluation.error()) return std::nullopt;
  return swizzle;
}

Value make_swizzle(Evaluation& evaluation, const Node& call) {
  CallArguments given(evaluation, call, kSwizzle);
  const auto swizzle = swizzle_in(evaluation, given, 3);
  if (!swizzle) return Unknown{};
  return Layout{*swizzle, std::nullopt};
}

Value compose(Evaluation& evaluation, const std::optional<SwizzleLayout>& swizzle, const CallArguments& given,
              std::size_t place) {
  if (evaluation.error()) return Unknown{};
  const auto tile = tile_in(evaluation, given[place], given.node(place));
  if (!tile) return Unknown{};
  for (const Axis axis : axes_of(*tile))
    if (axis != Axis::M)
      evaluation.fail(
          ErrorCode::Value, given.node(place).offset,
          fmt::format("a swizzle works on addresses: its tile must be on m alone, not on {}", info(axis).name));
  if (!swizzle || evaluation.error()) return Unknown{};
  return Layout{*swizzle, *tile};
}

bool is_older(const Node& call) {
  const std::size_t given = call.children.size() - 1;
  const auto named = [](const Node& node) { return node.kind == Kind::Keyword && node.text == "swizzle"; };
  if (std::ranges::any_of(call.children, named)) return true;
  return given == 2 && call.children[1].kind != Kind::Keyword && call.children[1].kind != Kind::Integer;
}

Value make_compose(Evaluation& evaluation, const Node& call) {
  if (is_older(call)) {
    CallArguments given(evaluation, call, kOlder);
    given.need(0);
    given.need(1);
    if (evaluation.error()) return Unknown{};
    const Layout* layout = given[0].as<Layout>();
    const bool swizzle = layout && layout->swizzle && !layout->tile;
    if (!swizzle && !given[0].unknown())
      evaluation.fail(ErrorCode::Syntax, given.node(0).offset, "expected a SwizzleLayout(…)");
    return compose(evaluation, swizzle ? layout->swizzle : std::nullopt, given, 1);
  }
  CallArguments given(evaluation, call, kCompose);
  given.need(3);
  const auto swizzle = swizzle_in(evaluation, given, 4);
  return compose(evaluation, swizzle, given, 3);
}

// int(…), tuple(…), …: the value itself.
std::optional<Value> unchanged(Evaluation& evaluation, std::string_view called, const Node& call) {
  const bool list = called == "tuple" || called == "list";
  if (call.children.size() != 2 || (!list && called != "int" && called != "bool")) return std::nullopt;
  Value value = evaluation.evaluate(call.children[1]);
  const bool fits = list              ? value.as<Values>() != nullptr
                    : called == "int" ? value.as<Index>() != nullptr
                                      : value.as<bool>() != nullptr;
  if (!fits && !value.unknown())
    evaluation.fail(ErrorCode::Value, call.offset,
                    fmt::format("{}(…) of something else; expected the value itself", called));
  return value;
}

}  // namespace

std::optional<Value> construct(Evaluation& evaluation, std::string_view called, const Node& call) {
  if (called == "TileLayout") return make_tile(evaluation, call);
  if (called == "TileLayout.from_iters") return make_from_iters(evaluation, call);
  if (called == "SwizzleLayout") return make_swizzle(evaluation, call);
  if (called == "ComposeLayout") return make_compose(evaluation, call);
  if (auto built = build(evaluation, called, call)) return built;
  return unchanged(evaluation, called, call);
}

}  // namespace vl::tirx
