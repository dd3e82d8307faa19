// The calls of builders: their arguments by position and keyword, with Python's rules.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "encodings/tirx/builders.h"

namespace vl::tirx {
namespace {

using Kind = Node::Kind;

constexpr std::array<std::string_view, 9> kNames = {"tmem_datapath_layout", "tmem_datapath",     "sf_tmem_layout",
                                                    "mma_shared_layout",    "tma_shared_layout", "mma_atom_layout",
                                                    "tma_atom_layout",      "trainium",          "TileLayout.trainium"};

constexpr std::array<std::pair<std::string_view, Index>, 12> kModes = {{{"none", 0},
                                                                        {"32B", 1},
                                                                        {"64B", 2},
                                                                        {"128B", 3},
                                                                        {"SWIZZLE_NONE", 0},
                                                                        {"SWIZZLE_32B_ATOM", 1},
                                                                        {"SWIZZLE_64B_ATOM", 2},
                                                                        {"SWIZZLE_128B_ATOM", 3},
                                                                        {"NONE", 0},
                                                                        {"SWIZZLE_32B", 1},
                                                                        {"SWIZZLE_64B", 2},
                                                                        {"SWIZZLE_128B", 3}}};

/// The arguments of one call, bound but not evaluated: a mode may be a name for a number.
class Bound {
 public:
  Bound(Evaluation& evaluation, const Node& call, std::span<const std::string_view> keywords, std::size_t needed)
      : evaluation_(evaluation), keywords_(keywords), nodes_(keywords.size()) {
    std::size_t position = 0;
    for (std::size_t i = 1; i < call.children.size(); ++i) bind(call.children[i], position);
    for (std::size_t k = 0; k < needed; ++k)
      if (nodes_[k] == nullptr) syntax(call, fmt::format("'{}' is missing", keywords_[k]));
  }

  [[nodiscard]] bool has(std::size_t k) const { return nodes_[k] != nullptr; }
  [[nodiscard]] const Node& node(std::size_t k) const { return *nodes_[k]; }

  /// Whether an unknown value was read.
  [[nodiscard]] bool unknown() const { return unknown_; }

  Index integer(std::size_t k, Index otherwise) {
    if (evaluation_.error() || !has(k) || is_none(k)) return otherwise;
    const Value value = evaluation_.evaluate(node(k));
    unknown_ = unknown_ || value.unknown();
    return evaluation_.integer(value, node(k), keywords_[k]);
  }
  std::optional<Index> optional_integer(std::size_t k) {
    if (!has(k) || is_none(k)) return std::nullopt;
    return integer(k, 0);
  }
  bool flag(std::size_t k) {
    if (evaluation_.error() || !has(k)) return false;
    const Value value = evaluation_.evaluate(node(k));
    unknown_ = unknown_ || value.unknown();
    if (const bool* given = value.as<bool>()) return *given;
    if (!value.unknown()) wrong(k, "neither True nor False");
    return false;
  }
  std::vector<Index> integers(std::size_t k) {
    std::vector<Index> out;
    if (evaluation_.error()) return out;
    const Value value = evaluation_.evaluate(node(k));
    const Values* list = value.as<Values>();
    unknown_ = unknown_ || value.unknown();
    if (!list && !value.unknown()) wrong(k, "not a tuple of integers");
    if (!list) return out;
    for (const Value& each : *list) {
      unknown_ = unknown_ || each.unknown();
      out.push_back(evaluation_.integer(each, node(k), keywords_[k]));
    }
    return out;
  }
  std::string_view text(std::size_t k) {
    if (evaluation_.error()) return {};
    const Value value = evaluation_.evaluate(node(k));
    unknown_ = unknown_ || value.unknown();
    if (const auto* given = value.as<std::string_view>()) return *given;
    if (!value.unknown()) wrong(k, "not a text in quotes");
    return {};
  }
  void wrong(std::size_t k, std::string_view why) {
    evaluation_.fail(ErrorCode::Value, node(k).offset, fmt::format("{} is {}", keywords_[k], why));
  }

 private:
  void bind(const Node& argument, std::size_t& position) {
    const bool named = argument.kind == Kind::Keyword;
    const auto found = std::ranges::find(keywords_, argument.text);
    const std::size_t k = named ? static_cast<std::size_t>(found - keywords_.begin()) : position++;
    if (k >= keywords_.size())
      syntax(argument, named ? fmt::format("there is no argument '{}'", argument.text)
                             : fmt::format("more than {} arguments", keywords_.size()));
    else if (nodes_[k] != nullptr) syntax(argument, fmt::format("'{}' is given twice", keywords_[k]));
    else nodes_[k] = named ? &argument.children[0] : &argument;
    if (named) position = keywords_.size();
  }
  void syntax(const Node& at, std::string message) {
    evaluation_.fail(ErrorCode::Syntax, at.offset,
                     fmt::format("{}; expected ({})", message, fmt::join(keywords_, ", ")));
  }
  [[nodiscard]] bool is_none(std::size_t k) const { return node(k).kind == Kind::Name && node(k).text == "None"; }

  Evaluation& evaluation_;
  std::span<const std::string_view> keywords_;
  std::vector<const Node*> nodes_;
  bool unknown_ = false;
};

/// The bits of "float16", "bfloat16", "float8_e4m3fn", "uint8", "f16": letters, then the bits. 0: none of these.
Index bits_of(std::string_view dtype) {
  const auto digits = static_cast<std::size_t>(
      std::ranges::find_if(dtype, [](char c) { return c >= '0' && c <= '9'; }) - dtype.begin());
  const std::string_view kind = dtype.substr(0, digits);
  constexpr std::array<std::string_view, 8> kinds = {"float", "bfloat", "int", "uint", "f", "bf", "i", "u"};
  if (std::ranges::find(kinds, kind) == kinds.end()) return 0;
  Index bits = 0;
  const std::string_view rest = dtype.substr(digits);
  const auto [end, failed] = std::from_chars(rest.data(), rest.data() + rest.size(), bits);
  const bool ends = end == rest.data() + rest.size() || *end == '_' || *end == 'e';
  return failed == std::errc{} && ends ? bits : 0;
}

Index element_bits(Bound& given, std::size_t k) {
  const std::string_view dtype = given.text(k);
  const Index bits = bits_of(dtype);
  if (bits == 0 && !given.unknown()) given.wrong(k, fmt::format("'{}', no dtype with a number of bits", dtype));
  return bits == 0 ? 16 : bits;
}

Index mode_of(Bound& given, std::size_t k) {
  if (!given.has(k)) return 0;
  const Node& node = given.node(k);
  std::string_view name = node.text;
  if (node.kind == Kind::Name && name.starts_with("SwizzleMode.")) name.remove_prefix(12);
  const auto known = std::ranges::find(kModes, name, &std::pair<std::string_view, Index>::first);
  if ((node.kind == Kind::Text || name.size() != node.text.size()) && known != kModes.end()) return known->second;
  if (node.kind == Kind::Text || name.size() != node.text.size()) {
    given.wrong(k, fmt::format("'{}'; expected 0 to 3, none, 32B, 64B or 128B", name));
    return 0;
  }
  return given.integer(k, 0);
}

template <class T>
Value taken(Evaluation& evaluation, const Node& call, const Bound& given, Result<T> made) {
  if (evaluation.error() || given.unknown()) return Unknown{};
  if (!made) {
    evaluation.fail(made.error().code, call.offset, made.error().message);
    return Unknown{};
  }
  if constexpr (std::is_same_v<T, TileLayout>) return Layout{std::nullopt, std::move(*made)};
  else if constexpr (std::is_same_v<T, SwizzleLayout>) return Layout{*made, std::nullopt};
  else return std::move(*made);
}

Value datapath(Evaluation& evaluation, const Node& call) {
  constexpr std::array<std::string_view, 4> keywords = {"datapath", "rows", "cols", "sub_slab"};
  Bound given(evaluation, call, keywords, 3);
  if (evaluation.error()) return Unknown{};
  const std::string_view letter = given.text(0);
  const Index rows = given.integer(1, 0);
  const Index cols = given.integer(2, 0);
  const Index sub_slab = given.integer(3, 0);
  return taken(evaluation, call, given, tmem_datapath(letter.size() == 1 ? letter[0] : '?', rows, cols, sub_slab));
}

Value scale_factors(Evaluation& evaluation, const Node& call) {
  constexpr std::array<std::string_view, 5> keywords = {"rows", "SF_K", "sf_per_mma", "sf_reuse", "pipe_depth"};
  Bound given(evaluation, call, keywords, 3);
  if (evaluation.error()) return Unknown{};
  const ScaleFactors wanted{given.integer(0, 0), given.integer(1, 0), given.integer(2, 0), given.integer(3, 1),
                            given.optional_integer(4)};
  return taken(evaluation, call, given, sf_tmem_layout(wanted));
}

Value scratchpad(Evaluation& evaluation, const Node& call) {
  constexpr std::array<std::string_view, 3> keywords = {"annotation", "shape", "is_psum"};
  Bound given(evaluation, call, keywords, 2);
  if (evaluation.error()) return Unknown{};
  const std::string_view letters = given.text(0);
  const std::vector<Index> shape = given.integers(1);
  const bool psum = given.flag(2);
  return taken(evaluation, call, given, trainium(letters, shape, psum));
}

Value operand(Evaluation& evaluation, const Node& call, bool atom) {
  constexpr std::array<std::string_view, 3> keywords = {"dtype", "swizzle_mode", "shape"};
  Bound given(evaluation, call, std::span(keywords).first(atom ? 2 : 3), atom ? 2 : 3);
  if (evaluation.error()) return Unknown{};
  const Index bits = element_bits(given, 0);
  const Index mode = mode_of(given, 1);
  if (atom) return taken(evaluation, call, given, mma_atom_layout(bits, mode));
  const std::vector<Index> shape = given.integers(2);
  return taken(evaluation, call, given, mma_shared_layout(bits, mode, shape));
}

}  // namespace

std::span<const std::string_view> builders() { return kNames; }

std::optional<Value> build(Evaluation& evaluation, std::string_view called, const Node& call) {
  if (std::ranges::find(kNames, called) == kNames.end()) return std::nullopt;
  if (called.starts_with("tmem")) return datapath(evaluation, call);
  if (called == "sf_tmem_layout") return scale_factors(evaluation, call);
  if (called.ends_with("trainium")) return scratchpad(evaluation, call);
  return operand(evaluation, call, called.ends_with("atom_layout"));
}

}  // namespace vl::tirx
