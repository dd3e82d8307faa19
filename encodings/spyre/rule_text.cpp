#include "encodings/spyre/rule_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "encodings/base/cursor.h"
#include "encodings/spyre/construct_parts.h"
#include "encodings/spyre/scan_host.h"

namespace vl::spyre {
namespace {

using map::Expression;

// A list of expressions, or a word.
struct RuleArgument {
  std::string_view keyword;
  std::optional<std::vector<Expression>> list;
  std::string_view word;
  std::size_t offset = 0;
  std::vector<std::pair<std::size_t, std::size_t>> spans = {};  // of the list's expressions in the text
};

// What a text says, with expressions for numbers.
struct RuleSaid {
  std::vector<Expression> device_size;
  std::vector<Expression> stride_map;  // empty iff dim_map decides
  std::vector<Index> dim_map;
  DeviceFormat format;
  std::optional<std::vector<Expression>> host_size;
  std::optional<map::ElementType> host_type;
  std::vector<Expression> host_strides;  // of a constructor
  std::vector<Index> slots;              // which host dimension each device dimension is of, of a constructor
  std::string unsupported;
};

RuleArgument take_argument(Cursor& in) {
  RuleArgument out;
  Cursor ahead = in;
  const std::string_view keyword = ahead.identifier("a keyword");
  if (!ahead.failed() && ahead.accept("=")) {
    out.keyword = keyword;
    in = ahead;
  }
  in.skip_space();
  out.offset = in.offset();
  const bool round = in.accept("(");
  if (!round && !in.accept("[")) {
    out.word = in.dotted_name("a list or a dtype");
    if (in.accept("(")) {  // get_device_dtype(torch.float16)
      out.word = in.dotted_name("a dtype");
      in.expect(")");
    }
    return out;
  }
  out.list.emplace();
  std::size_t parts = 0;
  const std::string_view close = round ? ")" : "]";
  while (!in.failed() && !in.accept(close)) {
    in.skip_space();
    const std::size_t start = in.offset();
    out.list->push_back(map::take_expression(in));
    out.spans.emplace_back(start, in.offset());
    parts += out.list->back().size();
    if (parts > map::kMostParts) in.fail(fmt::format("a list of more than {} parts", map::kMostParts));
    if (out.list->size() > 64) in.fail("more than 64 dimensions");
    if (!in.accept(",") && in.peek() != close.front())
      in.fail(fmt::format("expected ',' or '{}', found {}", close, in.found()));
  }
  return out;
}

// The call SpyreTensorLayout(…).
std::vector<RuleArgument> take_rule_call(Cursor& in) {
  std::vector<RuleArgument> arguments;
  in.expect("SpyreTensorLayout");
  in.expect("(");
  while (!in.failed() && !in.accept(")")) {
    if (!arguments.empty()) {
      in.expect(",");
      if (in.accept(")")) break;
    }
    arguments.push_back(take_argument(in));
    if (arguments.size() > 12) in.fail("more arguments than any form has");
  }
  return arguments;
}

class RuleCall {
 public:
  explicit RuleCall(std::string_view text) : in_(text) {}

  Result<RuleSaid> read() {
    arguments_ = take_rule_call(in_);
    if (in_.failed()) return in_.error();
    name_positional();
    RuleSaid out = find("device_size") != nullptr ? raw() : constructed();
    while (!in_.failed() && out.unsupported.empty() && in_.accept(".")) method(out);
    if (out.unsupported.empty()) in_.expect_end();
    if (in_.failed()) return in_.error();
    return out;
  }

 private:
  void name_positional() {
    const auto is_list = [&](std::size_t k) { return k < arguments_.size() && arguments_[k].list.has_value(); };
    const bool torch = std::ranges::any_of(
        arguments_, [](const RuleArgument& argument) { return argument.word.starts_with("torch."); });
    std::vector<std::string_view> names{"size", "dtype", "dim_order"};
    if (is_list(1) && arguments_[1].keyword.empty()) names = {"size", "strides", "dtype", "dim_order"};
    if (!torch) names = {"device_size", "stride_map", "device_dtype", "element_arrangement"};
    std::size_t position = 0;
    for (RuleArgument& argument : arguments_) {
      if (!argument.keyword.empty()) continue;
      if (position < names.size()) argument.keyword = names[position];
      else in_.fail(ErrorCode::Shape, "more arguments than this form has", argument.offset);
      ++position;
    }
    for (std::size_t k = 0; k < arguments_.size(); ++k)
      for (std::size_t j = 0; j < k; ++j)
        if (arguments_[k].keyword == arguments_[j].keyword)
          in_.fail(ErrorCode::Syntax, fmt::format("{} is given twice", arguments_[k].keyword), arguments_[k].offset);
  }

  const RuleArgument* find(std::string_view keyword) const {
    const auto found = std::ranges::find(arguments_, keyword, &RuleArgument::keyword);
    return found == arguments_.end() ? nullptr : &*found;
  }
  std::vector<Expression> list(std::string_view keyword) {
    const RuleArgument* argument = find(keyword);
    if (argument == nullptr || !argument->list) {
      in_.fail(ErrorCode::Syntax, fmt::format("expected a list for {}", keyword),
               argument == nullptr ? in_.text().size() : argument->offset);
      return {};
    }
    return *argument->list;
  }
  std::string_view word(std::string_view keyword) {
    const RuleArgument* argument = find(keyword);
    return argument == nullptr ? std::string_view{} : argument->word.substr(argument->word.rfind('.') + 1);
  }
  void take_format(const Result<DeviceFormat>& format, std::string_view keyword, RuleSaid& out) {
    if (format) out.format = *format;
    else in_.fail(format.error().code, format.error().message, find(keyword) != nullptr ? find(keyword)->offset : 0);
  }

  RuleSaid raw() {
    RuleSaid out;
    out.device_size = list("device_size");
    const bool by_dims = find("dim_map") != nullptr;
    if (!by_dims) out.stride_map = list("stride_map");
    else if (find("stride_map") == nullptr) out.dim_map = dim_map();
    else out.unsupported = "a dim_map beside a stride_map";
    const RuleArgument* dtype = find("device_dtype");
    if (dtype == nullptr) in_.fail(ErrorCode::Syntax, "device_dtype is missing", in_.text().size());
    else
      take_format(dtype->word.starts_with("torch.") ? device_format_of_torch(dtype->word) : device_format(dtype->word),
                  "device_dtype", out);
    if (find("element_arrangement") != nullptr && word("element_arrangement") != "STANDARD")
      out.unsupported = "an element arrangement with names";
    only({"device_size", "stride_map", "dim_map", "device_dtype", "element_arrangement"}, out);
    const std::size_t entries = by_dims ? out.dim_map.size() : out.stride_map.size();
    if (out.unsupported.empty() && entries != out.device_size.size() && !in_.failed()) {
      const std::string_view field = by_dims ? "dim_map" : "stride_map";
      in_.fail(ErrorCode::Shape,
               fmt::format("{} has {} entries, device_size has {}", field, entries, out.device_size.size()),
               find(field)->offset);
    }
    if (out.device_size.empty()) in_.fail(ErrorCode::Shape, "device_size is empty", find("device_size")->offset);
    for (const Expression& stride : out.stride_map)
      if (stride.number() && *stride.number() < -1)
        in_.fail(ErrorCode::Value, fmt::format("{} is not a valid entry of stride_map", *stride.number()),
                 find("stride_map")->offset);
    return out;
  }

  std::vector<Index> dim_map() {
    std::vector<Index> out;
    for (const Expression& dim : list("dim_map")) {
      if (!dim.number() || *dim.number() < -1)
        in_.fail(ErrorCode::Value, fmt::format("{} is not a valid entry of dim_map", map::print(dim)),
                 find("dim_map")->offset);
      out.push_back(dim.number().value_or(0));
    }
    return out;
  }

  RuleSaid constructed() {
    RuleSaid out;
    const std::vector<Expression> size = list("size");
    if (find("dtype") == nullptr) in_.fail(ErrorCode::Syntax, "dtype is missing", in_.text().size());
    else take_format(device_format_of_torch(find("dtype")->word), "dtype", out);
    only({"size", "strides", "dtype", "dim_order", "generation"}, out);
    const std::string_view said = word("generation");
    const auto generation = said.empty() ? std::optional(Generation::S2) : generation_of(said);
    if (!generation || (*generation != Generation::S2 && *generation != Generation::S3))
      out.unsupported = "an older constructor with names";
    std::vector<Expression> strides(size.size());
    Expression next = 1;
    for (std::size_t i = size.size(); i-- > 0; next = next * size[i]) strides[i] = next;
    if (find("strides") != nullptr) strides = list("strides");
    if (strides.size() != size.size() && !in_.failed())
      in_.fail(ErrorCode::Shape, fmt::format("{} strides for {} sizes", strides.size(), size.size()),
               find("strides")->offset);
    if (find("strides") != nullptr && find("dim_order") == nullptr)
      in_.fail(ErrorCode::Syntax, "dim_order is missing: expected a list of integers", in_.text().size());
    std::vector<Index> order(size.size());
    std::iota(order.begin(), order.end(), 0);
    if (find("dim_order") != nullptr) {
      order.clear();
      for (const Expression& dim : list("dim_order")) {
        if (!dim.number()) in_.fail(ErrorCode::Value, "a dim order of names", find("dim_order")->offset);
        order.push_back(dim.number().value_or(0));
      }
    }
    if (in_.failed() || !out.unsupported.empty()) return out;
    const auto slots = slots_by(*generation, size.size(), order);
    if (!slots) {
      in_.fail(slots.error().code, slots.error().message, find("dim_order") != nullptr ? find("dim_order")->offset : 0);
      return out;
    }
    out.device_size = device_size_of<Expression>(*slots, size, out.format.elements_per_stick);
    std::size_t where = 0;
    out.stride_map =
        *stride_map_of<Expression>(*slots, out.device_size, size, strides, *generation == Generation::S3, where);
    out.host_size = size;
    out.host_type = stated_type(find("dtype")->word);
    out.host_strides = strides;
    out.slots = *slots;
    return out;
  }

  // .restickify(1), as in derive.h: the device dimensions of a constructor are known by their slots.
  void method(RuleSaid& layout) {
    const std::size_t start = in_.offset();
    if (!in_.accept("restickify")) {
      layout.unsupported = "another derivation than restickify";
      return;
    }
    in_.expect("(");
    if (in_.accept("dim")) in_.expect("=");
    const Index to = in_.integer("a host dimension");
    in_.expect(")");
    if (in_.failed()) return;
    if (!layout.host_size || word("generation") == "S3") {
      layout.unsupported = layout.host_size ? "a layout of S3 whose stick moves" : "a raw layout whose stick moves";
      return;
    }
    if (const std::string why = moved(layout, to); !why.empty())
      in_.fail(ErrorCode::Value, fmt::format("restickify({}): {}", to, why), start);
  }

  // Why the stick cannot move; empty once it has.
  static std::string moved(RuleSaid& layout, Index to) {
    const std::vector<Expression>& size = *layout.host_size;
    const Index from = layout.slots.back();
    if (to < 0 || to >= static_cast<Index>(size.size()))
      return fmt::format("{} is not a dimension of a host tensor of rank {}", to, size.size());
    if (from == kSparse) return "the stick is sparse: it holds one element and no dimension that could move";
    if (from == to) return fmt::format("host dimension {} has the stick already", to);
    const Index lanes = layout.format.elements_per_stick;
    const auto put = [&](std::size_t slot, Index dim, const Expression& extent, const Expression& stride) {
      const Expression& whole = size[static_cast<std::size_t>(dim)];
      layout.slots[slot] = dim;
      layout.device_size[slot] = extent;
      layout.stride_map[slot] = is_one(whole) ? Expression(-1) : unless_one(whole, stride);
    };
    const std::size_t last = layout.slots.size() - 1;
    const auto slot_of = [&](Index dim) {
      return static_cast<std::size_t>(std::ranges::find(layout.slots, dim) - layout.slots.begin());
    };
    const std::size_t count = slot_of(from), place = slot_of(to);
    const auto p = static_cast<std::size_t>(from), q = static_cast<std::size_t>(to);
    put(last, to, lanes, layout.host_strides[q]);
    put(count, to, ceil_of(size[q], lanes), layout.host_strides[q] * lanes);
    put(place, from, size[p], layout.host_strides[p]);
    return {};
  }

  void only(std::initializer_list<std::string_view> known, RuleSaid& out) {
    for (const RuleArgument& argument : arguments_)
      if (std::ranges::find(known, argument.keyword) == known.end())
        out.unsupported = fmt::format("the field {} with names", argument.keyword);
  }

  Cursor in_;
  std::vector<RuleArgument> arguments_;
};

// Why a text is no rule; empty if it is one.
std::string no_rule(const RuleSaid& said, const map::RuleTensor& tensor) {
  if (!said.unsupported.empty()) return said.unsupported + " is not encoded for all sizes";
  if (!said.device_size.back().number()) return "a stick whose length is a name is not encoded for all sizes";
  for (std::size_t j = 0; j < said.stride_map.size(); ++j)
    if (said.stride_map[j].number() == 0 && said.device_size[j].number() != 1)
      return "a device dimension that repeats elements is not encoded for all sizes";
  for (std::size_t i = 0; !said.dim_map.empty() && i < tensor.size.size(); ++i)
    if (std::ranges::find(said.dim_map, static_cast<Index>(i)) == said.dim_map.end() && !is_one(tensor.size[i]))
      return "a host dimension that dim_map lacks is not encoded for all sizes";
  if (!said.host_size) return {};
  bool same = said.host_size->size() == tensor.size.size();
  for (std::size_t d = 0; same && d < tensor.size.size(); ++d)
    same = map::print((*said.host_size)[d]) == map::print(tensor.size[d]);
  return same ? "" : "the constructor's size and the tensor's are not the same expressions";
}

// One level a device dimension, of the number of the host.
void add_levels(const RuleSaid& said, map::Rule& rule) {
  rule.decodes = true;
  for (std::size_t j = 0; j < said.device_size.size(); ++j) {
    rule.levels.push_back({said.stride_map[j], said.device_size[j]});
    rule.places[j].terms.push_back({j, 1});
  }
}

// One number a host dimension, whose digits are its device dimensions: the last one counts ones, and each other one the
// product of those behind it. A device dimension without a host dimension is 0.
void add_numbers(const RuleSaid& said, map::Rule& rule) {
  rule.strides.assign(rule.logical.size(), 1);
  for (std::size_t i = 0; i < rule.logical.size(); ++i) {
    map::RuleNumber number{{i}, 0};
    Expression weight = 1;
    std::vector<map::RuleLevel> levels;
    for (std::size_t j = said.dim_map.size(); j-- > 0;) {
      if (said.dim_map[j] != static_cast<Index>(i)) continue;
      levels.insert(levels.begin(), {weight, said.device_size[j]});
      weight = weight * said.device_size[j];
    }
    for (std::size_t j = 0; j < said.dim_map.size(); ++j)
      if (said.dim_map[j] == static_cast<Index>(i))
        rule.places[j].terms.push_back({rule.levels.size() + number.levels++, 1});
    rule.levels.insert(rule.levels.end(), levels.begin(), levels.end());
    rule.numbers.push_back(std::move(number));
  }
}

map::Rule rule_of(const RuleSaid& said, const map::RuleTensor& tensor) {
  map::Rule rule;
  rule.logical = tensor.size;
  rule.strides.resize(tensor.size.size());
  Expression number = 1;
  for (std::size_t i = tensor.size.size(); i-- > 0; number = number * tensor.size[i]) rule.strides[i] = number;
  if (tensor.strides) rule.strides = *tensor.strides;
  for (std::size_t j = 0; j < said.device_size.size(); ++j) {
    map::RulePlace place;
    place.name = fmt::format("d{}", j);
    place.extent = said.device_size[j];
    rule.places.push_back(std::move(place));
  }
  Expression reach = 0;  // of the host
  for (std::size_t i = 0; tensor.strides && i < tensor.size.size(); ++i)
    reach = reach + rule.strides[i] * (tensor.size[i] - 1);
  rule.fits = {map::product_of(said.device_size) * (kStickBits / 8 / said.format.elements_per_stick)};
  if (tensor.strides) rule.fits.push_back(reach);
  if (said.dim_map.empty()) add_levels(said, rule);
  else add_numbers(said, rule);
  for (std::string& name : map::names_of(rule)) rule.symbols.push_back({std::move(name), 1});
  return rule;
}

}  // namespace

Result<std::string> text_at(std::string_view text, const map::Sizes& sizes) {
  Cursor in(text);
  const std::vector<RuleArgument> arguments = take_rule_call(in);
  if (in.failed()) return in.error();
  std::string out;
  std::size_t copied = 0;
  for (const RuleArgument& argument : arguments)
    for (std::size_t k = 0; k < argument.spans.size(); ++k) {
      const auto [start, end] = argument.spans[k];
      std::vector<std::string> names;
      map::add_names((*argument.list)[k], names);
      if (!std::ranges::all_of(names, [&](const std::string& name) { return sizes.contains(name); })) continue;
      const auto value = map::evaluate((*argument.list)[k], sizes);
      if (!value) return Error{value.error().code, value.error().message, start};
      if (*value < -1 && !(*argument.list)[k].number())  // no list has such a number
        return Error{ErrorCode::Value, fmt::format("{} is {}", text.substr(start, end - start), *value), start};
      out += fmt::format("{}{}", text.substr(copied, start - copied), *value);
      copied = end;
    }
  return out + std::string(text.substr(copied));
}

std::optional<RuleSays> rule_says(std::string_view text) {
  if (!text.starts_with("SpyreTensorLayout")) return std::nullopt;
  const auto said = RuleCall(text).read();
  if (!said || (said->host_size && !said->host_type)) return std::nullopt;
  RuleSays out;
  if (said->host_size) out.tensor = {*said->host_type, *said->host_size};
  if (!no_rule(*said, out.tensor.value_or(map::RuleTensor{})).empty()) return std::nullopt;
  for (const auto* list : {&said->device_size, &said->stride_map})
    for (const map::Expression& one : *list) map::add_names(one, out.names);
  return out.names.empty() ? std::nullopt : std::optional(std::move(out));
}

Result<use::Reading> read_rule(std::string_view text, const map::RuleTensor& tensor) {
  const std::size_t start = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  use::Reading reading{
      use::Undecidable{"this form with names is not encoded for all sizes"}, {}, std::string(text), {}, 0, {}};
  if (!text.substr(start).starts_with("SpyreTensorLayout")) return reading;
  const auto said = RuleCall(text).read();
  if (!said) return said.error();
  for (const Index dim : said->dim_map)
    if (dim >= static_cast<Index>(tensor.size.size()))
      return Error{ErrorCode::Shape,
                   fmt::format("dim_map names host dimension {}, the tensor has rank {}", dim, tensor.size.size())};
  if (const std::string why = no_rule(*said, tensor); !why.empty()) {
    reading.what = use::Undecidable{why};
    return reading;
  }
  reading.device_bits = static_cast<int>(kStickBits / said->format.elements_per_stick);
  reading.lanes = said->format.elements_per_stick;
  reading.unsized = unsized(*said->device_size.back().number(), reading.lanes);
  reading.rules.push_back({fmt::format("the last device dimension is one stick: {} elements of {}",
                                       said->format.elements_per_stick, said->format.name),
                           *said->device_size.back().number(), said->format.elements_per_stick});
  reading.what = rule_of(*said, tensor);
  const auto named = [](const map::Expression& extent) { return !extent.number(); };
  if (!said->dim_map.empty() && std::ranges::none_of(said->device_size, named))
    reading.what = map::Rule{};  // of no name
  return reading;
}

}  // namespace vl::spyre
