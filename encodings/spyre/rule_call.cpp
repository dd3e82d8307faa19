#include "encodings/spyre/rule_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "encodings/spyre/construct_parts.h"
#include "encodings/spyre/scan_host.h"

namespace vl::spyre {
namespace {

using map::Expression;

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

class RuleCall {
 public:
  explicit RuleCall(std::string_view text) : in_(text) {}

  Result<RuleSaid> read() {
    arguments_ = take_rule_call(in_);
    if (in_.failed()) return in_.error();
    name_positional();
    RuleSaid out = find("device_size") != nullptr ? raw() : constructed();
    if (!in_.failed() && out.unsupported.empty()) out.fits.push_back(bytes_of(out));
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
    for (std::size_t host = 0; host < size.size(); ++host) {  // the stride of one more slot outwards
      Expression further = strides[host];
      for (std::size_t i = 0; i < slots->size(); ++i)
        if ((*slots)[i] == static_cast<Index>(host)) further = further * out.device_size[i];
      out.fits.push_back(std::move(further));
    }
    out.host_size = size;
    out.host_type = stated_type(find("dtype")->word);
    out.host_strides = strides;
    out.slots = *slots, out.dim_order = order;
    return out;
  }

  static Expression bytes_of(const RuleSaid& said) {
    return map::product_of(said.device_size) * (kStickBits / 8 / said.format.elements_per_stick);
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
    else add_move(layout, to);
  }

  static void add_move(RuleSaid& layout, Index to) {
    std::iter_swap(std::ranges::find(layout.dim_order, to), layout.dim_order.end() - 1);
    const auto slots = slots_by(Generation::S2, layout.host_size->size(), layout.dim_order);
    VL_CHECK(slots.has_value(), "two dimensions exchanged are no order");
    RuleMove move{fmt::format("restickify({})", to), layout.device_size, layout.stride_map, {}, {}};
    move.law_device_size = device_size_of<Expression>(*slots, *layout.host_size, layout.format.elements_per_stick);
    std::size_t where = 0;
    move.law_stride_map =
        *stride_map_of<Expression>(*slots, move.law_device_size, *layout.host_size, layout.host_strides, false, where);
    layout.moves.push_back(std::move(move));
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
      layout.stride_map[slot] = whole.number() == 1 ? Expression(-1) : unless_one(whole, stride);
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
    layout.fits.push_back(bytes_of(layout));
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

}  // namespace

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

Result<RuleSaid> read_rule_call(std::string_view text) { return RuleCall(text).read(); }

}  // namespace vl::spyre
