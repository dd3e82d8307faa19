#include "encodings/program/opspec_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "encodings/notation/mlir.h"

namespace vl::program {
namespace {

using python::Kind;
using python::Node;

constexpr Index kStickBytes = 128, kLargest = Index{1} << 32;

// Element types in MLIR's notation, and how many a stick has. Those without a type here are none of programs.
struct Format {
  std::string_view name, type;
  Index lanes;
};
constexpr std::array kFormats = std::to_array<Format>(
    {{"SEN169_FP16", "dl16", 64}, {"IEEE_FP32", "f32", 32}, {"BFLOAT16", "bf16", 64}, {"IEEE_INT32", "si32", 32}});

struct Coordinate {
  enum class Form { Zero, Plain, Stick, Lane, Other } form = Form::Other;
  std::string symbol = {};
  Index by = 1;
};

bool is_symbol(std::string_view text) {
  return !text.empty() && (text[0] < '0' || text[0] > '9') && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

Coordinate coordinate_of(std::string text) {
  std::erase(text, ' ');
  if (text == "0") return {Coordinate::Form::Zero};
  if (is_symbol(text)) return {Coordinate::Form::Plain, text};
  const bool stick = text.starts_with("floor("), lane = text.starts_with("Mod(");
  const std::size_t open = text.find('('), sign = text.find(stick ? '/' : ',');
  if ((!stick && !lane) || sign == std::string::npos || !text.ends_with(')')) return {};
  const auto by = mlir::integers_of(std::string_view(text).substr(sign + 1, text.size() - sign - 2));
  std::string symbol = text.substr(open + 1, sign - open - 1);
  if (!by || by->size() != 1 || (*by)[0] < 1 || !is_symbol(symbol)) return {};
  return {stick ? Coordinate::Form::Stick : Coordinate::Form::Lane, std::move(symbol), (*by)[0]};
}

std::optional<std::vector<Index>> integers(const Node* node) {
  if (node == nullptr || (node->kind != Kind::List && node->kind != Kind::Tuple)) return std::nullopt;
  std::vector<Index> out;
  for (const Node& part : node->parts) {
    const auto text = spec_text(part);
    const auto number = text ? mlir::integers_of(*text) : std::nullopt;
    if (!number || number->size() != 1) return std::nullopt;
    out.push_back((*number)[0]);
  }
  return out;
}

// Where it lies: {'hbm': 0}.
bool read_place(const Node* node, bool numbered, SpecTensor& out) {
  if (node == nullptr || node->kind != Kind::Dict) return false;
  if (node->parts.empty()) return out.argument >= 0;  // by its number alone
  if (node->parts.size() != 2) return false;
  const auto space = python::string_of(node->parts[0]), text = spec_text(node->parts[1]);
  const auto offset = text ? mlir::integers_of(*text) : std::nullopt;
  if (!space || space->empty() || !offset || offset->size() != 1 || (*offset)[0] < 0) return false;
  if (numbered && *space == "hbm") return true;
  out.space = *space, out.begin = (*offset)[0];
  return true;
}

std::string read_axes(const std::vector<Index>& sizes, const std::vector<Coordinate>& at, const SpecSpace& space,
                      std::vector<SpecAxis>& out) {
  using Form = Coordinate::Form;
  const Coordinate& last = at.back();
  const Index lanes = sizes.back();
  // The place of the sticks, one behind the other, of the dimension in which lanes are.
  std::size_t sticks = at.size();
  for (std::size_t i = at.size() - 1; i-- > 0;) {
    const bool zero = last.form == Form::Zero && at[i].form == Form::Zero && sizes[i] == 1;
    const bool split = last.form == Form::Lane && at[i].form == Form::Stick && at[i].symbol == last.symbol;
    if (zero || split) sticks = i;
  }
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (i == sticks) continue;
    const bool lane = i + 1 == at.size();
    SpecAxis axis{at[i].symbol, 1, lane && sticks < at.size() ? sizes[sticks] * lanes : sizes[i], lane};
    if (at[i].form == Coordinate::Form::Other) return "a coordinate that is not known";
    if (const auto known = space.find(axis.symbol); known != space.end())
      axis.size = known->second.size, axis.is_split = known->second.is_split;
    else if (at[i].form != Form::Zero) return fmt::format("its symbol {} is not one of the iteration", axis.symbol);
    const bool plain = at[i].form == Form::Plain || at[i].form == Form::Zero;
    if (lane ? !plain && (at[i].form != Form::Lane || at[i].by != lanes) : !plain)
      return "a coordinate that is not known";
    if (lane && sticks < at.size() && last.form == Form::Lane && at[sticks].by != lanes)
      return "its sticks and its lanes are split by other numbers";
    if (!lane && at[i].form == Form::Zero && sizes[i] != 1) return "a coordinate that stays at 0 of several";
    if (axis.size > axis.padded)
      return fmt::format("{} goes to {}, and its device_size to {}", axis.symbol, axis.size, axis.padded);
    if (lane && axis.padded - axis.size >= lanes) return "it has sticks to which its iteration does not come";
    out.push_back(std::move(axis));
  }
  for (std::size_t i = 0; i < out.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (!out[i].symbol.empty() && out[i].symbol == out[k].symbol) return "a symbol goes through two dimensions";
  return {};
}

// Fields that say something else of a tensor than where its elements are.
bool is_beside(std::string_view key) {
  constexpr std::array<std::string_view, 3> kBeside{"name", "debug_handle", "stride_map"};
  return std::ranges::find(kBeside, key) != kBeside.end();
}

// Coordinates of a KernelSpec's argument: device dimension j is host dimension dim_map[j] (-1: none), and the iteration
// goes through that by its dimension it_dim_map[dim_map[j]]. The last device dimension has the lanes of its host
// dimension; another one of the same host dimension has the sticks.
std::string read_coordinates(const Node& call, const Node& layout, const SpecSpace& space, Index lanes,
                             std::vector<Coordinate>& out) {
  const auto host = integers(python::argument(call, "host_size")),
             goes = integers(python::argument(call, "it_dim_map"));
  const auto map = integers(python::argument(layout, "dim_map"));
  if (!host || !goes || host->size() != goes->size() || !map || map->empty())
    return "its host_size, it_dim_map and dim_map are not known";
  for (std::size_t j = 0; j < map->size(); ++j) {
    const Index of = (*map)[j];
    if (of < -1 || of >= static_cast<Index>(goes->size())) return "its dim_map names a dimension that there is not";
    const Index by = of < 0 ? -1 : (*goes)[static_cast<std::size_t>(of)];
    const auto known = space.find(fmt::format("d{}", by));
    if (by >= 0 && known == space.end()) return "its it_dim_map names a dimension that there is not";
    const Index size = of < 0 ? 1 : (*host)[static_cast<std::size_t>(of)];
    if (size != (by < 0 ? 1 : known->second.size))
      return fmt::format("its host_size has {}, and the iteration {}", size, by < 0 ? 1 : known->second.size);
    using Form = Coordinate::Form;
    const bool last = j + 1 == map->size(), stick = of >= 0 && of == map->back();
    out.push_back(by < 0 ? Coordinate{Form::Zero}
                         : Coordinate{last    ? Form::Lane
                                      : stick ? Form::Stick
                                              : Form::Plain,
                                      known->first, lanes});
  }
  return {};
}

// The elements by which a place moves on in a round of each loop: floor(32768*t0) + floor(64*t1).
std::optional<std::vector<Index>> read_advance(const Node& node, const SpecContext& context) {
  std::vector<Index> out(context.loops.size(), 0);
  std::string text(spec_text(node).value_or(""));
  std::erase(text, ' ');
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('+', at), text.size());
    std::string_view term = std::string_view(text).substr(at, end - at);
    at = end + 1;
    constexpr std::string_view kFloor = "floor(";
    if (term.starts_with(kFloor) && term.ends_with(')')) term.remove_prefix(kFloor.size()), term.remove_suffix(1);
    const std::size_t sign = term.find('*');
    const auto by =
        sign == std::string_view::npos ? std::optional(std::vector<Index>{1}) : mlir::integers_of(term.substr(0, sign));
    const auto level = context.levels.find(sign == std::string_view::npos ? term : term.substr(sign + 1));
    if (level == context.levels.end() || !by || by->size() != 1 || (*by)[0] < 1 || (*by)[0] > kLargest * kStickBytes)
      return std::nullopt;
    out[level->second] += (*by)[0];
  }
  return out;
}

// Lets symbols go on in the loops in which the place of a tensor moves on by a whole tile.
std::string read_rounds(const Node& call, const std::vector<Index>& sizes, const std::vector<Coordinate>& at,
                        const SpecContext& context, SpecSpace& space, SpecTensor& out) {
  const Node* said = python::argument(call, "device_tile_advance_expr");
  if (said == nullptr || said->text == "None") return {};
  const auto advance = read_advance(*said, context);
  if (!advance) return fmt::format("its device_tile_advance_expr {} is not known", said->text.substr(0, 60));
  for (std::size_t level = advance->size(); level-- > 0;) {
    const Index by = (*advance)[level];
    std::set<std::string> found;
    Index stride = 1;  // elements from one place of the dimension to the next
    for (std::size_t d = sizes.size(); by > 0 && d-- > 0;) {
      const auto range = space.find(at[d].symbol);
      const bool plain = at[d].form == Coordinate::Form::Plain, stick = at[d].form == Coordinate::Form::Stick;
      if (range != space.end() && (plain || stick)) {
        const Index tile = range->second.size, places = plain ? tile : tile / at[d].by;
        if ((plain || tile % at[d].by == 0) && by % stride == 0 && by / stride == places) found.insert(at[d].symbol);
      }
      const auto next = checked_product(std::vector<Index>{stride, sizes[d]});
      if (!next) break;
      stride = *next;
    }
    if (by == 0) continue;
    if (found.size() != 1)
      return fmt::format("it moves on by {} elements, and no dimension has a tile of that size", by);
    SpecRange& range = space.find(*found.begin())->second;
    if (range.size > kLargest / context.loops[level].count) return "its device_size is too large";
    range.size *= context.loops[level].count;
    out.moves.emplace(context.loops[level].number, *found.begin());
  }
  return {};
}

std::string read_shape(const Node& argument, const SpecContext& context, SpecTensor& out) {
  SpecSpace space = context.space;
  const Node* layout = python::argument(argument, "device_layout");  // of a KernelSpec
  const Node& call = layout == nullptr ? argument : *layout;
  const auto sizes = integers(python::argument(call, "device_size"));
  if (!sizes || sizes->empty()) return "its device_size is not one of numbers";
  out.device_size = fmt::format("[{}]", fmt::join(*sizes, ", "));
  if (std::ranges::any_of(*sizes, [](Index size) { return size < 1; })) return "its device_size has no elements";
  const auto count = checked_product(std::vector<Index>(sizes->begin(), sizes->end() - 1));
  if (!count || *count > kLargest || sizes->back() > kLargest) return "its device_size is too large";
  out.end = out.begin + *count * kStickBytes;
  const Node* coordinates = python::argument(call, "device_coordinates");
  std::vector<Coordinate> at;
  if (layout != nullptr) {
    if (std::string why = read_coordinates(argument, *layout, space, sizes->back(), at); !why.empty()) return why;
  } else if (coordinates == nullptr || coordinates->kind != Kind::List) {
    return "it has no device_coordinates";
  } else {
    for (const Node& part : coordinates->parts) at.push_back(coordinate_of(std::string(spec_text(part).value_or(""))));
  }
  if (at.size() != sizes->size())
    return fmt::format("its {} has {} entries, and its device_size {}",
                       layout == nullptr ? "device_coordinates" : "dim_map", at.size(), sizes->size());
  if (std::string why = read_rounds(call, *sizes, at, context, space, out); !why.empty()) return why;
  if (std::string why = read_axes(*sizes, at, space, out.axes); !why.empty()) return why;
  if (layout != nullptr)  // a dimension of one that neither the host nor the iteration has
    std::erase_if(out.axes, [](const SpecAxis& a) { return a.symbol.empty() && !a.in_sticks && a.padded == 1; });
  out.is_placed = true;
  if (const Node* map = python::argument(call, "stride_map"))
    if (const auto strides = integers(map); strides && strides->size() != sizes->size())
      return fmt::format("its stride_map has {} entries, and its device_size {}", strides->size(), sizes->size());
  const Node* dtype = python::argument(call, "device_dtype");
  std::string_view name = dtype == nullptr ? std::string_view() : dtype->text;
  name.remove_prefix(name.find('.') == std::string_view::npos ? 0 : name.find('.') + 1);
  const auto format = std::ranges::find(kFormats, name, &Format::name);
  if (format == kFormats.end()) return fmt::format("its device_dtype {} is not known", name.substr(0, 40));
  if (format->lanes != sizes->back())
    return fmt::format("its device_size ends in {}, and a stick of {} has {}", sizes->back(), name, format->lanes);
  out.element = format->type;
  out.set_type();
  return {};
}

// Each call of TensorArg within an expression.
void for_each_argument(const Node& node, const std::function<void(const Node&)>& take) {
  if (node.kind == Kind::Call && node.parts[0].text == "TensorArg") return take(node);
  for (const Node& part : node.parts) for_each_argument(part, take);
}

}  // namespace

void SpecTensor::set_type() {
  std::string shape;
  std::vector<Index> granules;
  for (const SpecAxis& axis : axes) {
    shape += fmt::format("{}x", axis.size);
    granules.push_back(axis.padded == axis.size ? 1 : axis.padded);
  }
  type = fmt::format("tensor<{}{}, granules<{}>>", shape, element, fmt::join(granules, ","));
}

bool SpecTensor::is_same(const SpecTensor& other) const {
  return begin == other.begin && end == other.end && type == other.type && device_size == other.device_size &&
         std::ranges::equal(axes, other.axes, {}, &SpecAxis::loops, &SpecAxis::loops);
}

bool has_numbers(const Node& specs) {
  bool all = true, some = false;
  for_each_argument(specs, [&](const Node& call) {
    const Node *place = python::argument(call, "allocation"), *number = python::argument(call, "arg_index");
    const bool in_hbm = place != nullptr && place->kind == Kind::Dict && place->parts.size() == 2 &&
                        python::string_of(place->parts[0]) == "hbm";
    if (!in_hbm) return;
    const auto index = number == nullptr ? std::nullopt : python::integer_of(*number);
    all = all && index && spec_text(place->parts[1]) == std::to_string(*index);
    some = some || (index && *index > 0);
  });
  return all && some;
}

std::optional<std::string_view> spec_text(const Node& node) {
  if (node.kind == Kind::Number || node.kind == Kind::Name) return node.text;
  const bool named = node.kind == Kind::Call && node.parts.size() >= 2 &&
                     (node.parts[0].text == "sympify" || node.parts[0].text.ends_with("Symbol"));
  return named ? python::string_of(node.parts[1]) : std::nullopt;
}

std::optional<SpecSpace> spec_space(const Node& node) {
  SpecSpace out;
  if (const auto sizes = integers(&node)) {  // of a KernelSpec, whose dimensions have no symbols
    for (std::size_t i = 0; i < sizes->size(); ++i) out[fmt::format("d{}", i)] = {(*sizes)[i], true};
    return std::ranges::any_of(*sizes, [](Index size) { return size < 1; }) ? std::nullopt : std::optional(out);
  }
  if (node.kind != Kind::Dict) return std::nullopt;
  for (std::size_t i = 0; i + 1 < node.parts.size(); i += 2) {
    const auto symbol = spec_text(node.parts[i]);
    const Node& range = node.parts[i + 1];
    const bool pair = (range.kind == Kind::Tuple || range.kind == Kind::List) && !range.parts.empty();
    const auto text = spec_text(pair ? range.parts[0] : range);
    const auto size = text ? mlir::integers_of(*text) : std::nullopt;
    if (!symbol || !is_symbol(*symbol) || !size || size->size() != 1 || (*size)[0] < 1) return std::nullopt;
    const bool split = !pair || range.parts.size() < 2 || spec_text(range.parts[1]) != "1";
    if (!out.emplace(*symbol, SpecRange{(*size)[0], split}).second) return std::nullopt;
  }
  return out;
}

SpecTensor spec_tensor(const Node& call, const SpecContext& context) {
  SpecTensor out;
  const Node *input = python::argument(call, "is_input"), *number = python::argument(call, "arg_index");
  const auto index = number == nullptr ? std::nullopt : python::integer_of(*number);
  out.is_input = input != nullptr && input->text == "True";
  out.argument = index.value_or(-1);
  const Node* name = python::argument(call, "name");
  out.name = name == nullptr ? "" : python::string_of(*name).value_or("");
  if (out.name.find_first_of("[](){}<>,\"' ") != std::string::npos) out.name.clear();
  const bool placed = read_place(python::argument(call, "allocation"), context.numbered, out);
  out.why = read_shape(call, context, out);
  out.is_placed = out.is_placed && placed;
  if (!placed && out.why.empty()) out.why = "it is not said where it lies";
  constexpr std::array kRead = std::to_array<std::string_view>(
      {"is_input", "arg_index", "device_dtype", "device_size", "device_coordinates", "allocation", "dtype", "host_size",
       "it_dim_map", "device_layout", "device_tile_advance_expr"});
  for (std::size_t i = 1; i < call.parts.size(); ++i) {
    const std::string_view key = call.parts[i].key;
    if (std::ranges::find(kRead, key) != kRead.end() || is_beside(key) || call.parts[i].text == "None") continue;
    out.is_placed = false;  // it may say that it lies elsewhere
    out.why = fmt::format("its field {} is not known", key.empty() ? call.parts[i].text.substr(0, 40) : key);
  }
  if (input == nullptr || (input->text != "True" && input->text != "False")) out.why = "it is no input and no output";
  return out;
}

}  // namespace vl::program
