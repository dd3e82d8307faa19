#include "encodings/spyre/rule_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/spyre/blueprint.h"
#include "encodings/spyre/forms.h"
#include "encodings/spyre/scan_host.h"

namespace vl::spyre {
namespace {

using map::Expression;

// A restickify in a text: the layout that it gives, and by its law (laws.h) the constructor's for the dim order with
// two dimensions exchanged.
struct Move {
  std::string operation;  // "restickify(1)"
  NamedLayout result, law;
};

struct Said : NamedLayout {
  std::vector<Index> slots = {};  // which host dimension each device dimension is of, of a constructor
  std::vector<Move> moves = {};
  std::vector<Expression> fits = {};  // what is computed besides, in 64 bits: bytes, further strides
};

std::vector<Expression> strides_of(const NamedLayout& constructed) {
  return constructed.host_strides ? *constructed.host_strides : *dense_of(*constructed.host_size);
}

Expression bytes_of(const NamedLayout& said) {
  return map::product_of(said.device_size) * (kStickBits / 8 / said.device_dtype.elements_per_stick);
}

Result<NamedLayout> constructed_again(const NamedLayout& said) {
  return construct_by<Expression>(Generation::S2, *said.host_size, strides_of(said), said.device_dtype,
                                  *said.dim_order);
}

// The strides of one more slot outwards of each host dimension.
void add_further_strides(Said& said) {
  const std::vector<Expression> strides = strides_of(said);
  for (std::size_t host = 0; host < strides.size(); ++host) {
    Expression further = strides[host];
    for (std::size_t i = 0; i < said.slots.size(); ++i)
      if (said.slots[i] == static_cast<Index>(host)) further = further * said.device_size[i];
    said.fits.push_back(std::move(further));
  }
}

// Why the stick cannot move; empty once it has. As in derive.h: the device dimensions of a constructor are known by
// their slots.
std::string moved(Said& said, Index to) {
  const std::size_t rank = said.host_size->size();
  const Index from = said.slots.back();
  if (to < 0 || to >= static_cast<Index>(rank))
    return fmt::format("{} is not a dimension of a host tensor of rank {}", to, rank);
  if (from == kSparse) return "the stick is sparse: it holds one element and no dimension that could move";
  if (from == to) return fmt::format("host dimension {} has the stick already", to);
  const auto slot_of = [&](Index dim) { return std::ranges::find(said.slots, dim) - said.slots.begin(); };
  const auto count = static_cast<std::size_t>(slot_of(from)), place = static_cast<std::size_t>(slot_of(to));
  move_stick<Expression>(said, *said.host_size, strides_of(said), {count, place}, from, to);
  said.slots.back() = said.slots[count] = to, said.slots[place] = from;
  said.fits.push_back(bytes_of(said));
  return {};
}

// .restickify(1)
void take_method(Cursor& in, Said& said, const NamedLayout& read) {
  const std::size_t start = in.offset();
  if (!in.accept("restickify")) {
    said.unsupported = "another derivation than restickify";
    return;
  }
  in.expect("(");
  if (in.accept("dim")) in.expect("=");
  const Index to = in.integer("a host dimension");
  in.expect(")");
  if (in.failed()) return;
  if (!said.host_size) said.unsupported = "a raw layout whose stick moves";
  else if (constructed_again(read)->stride_map != read.stride_map)
    said.unsupported = "a layout of S3 whose stick moves";
  else if (const std::string why = moved(said, to); !why.empty())
    in.fail(ErrorCode::Value, fmt::format("restickify({}): {}", to, why), start);
  else said.moves.push_back({fmt::format("restickify({})", to), said, *constructed_again(said)});
}

Result<Said> read_said(std::string_view text) {
  Cursor in(text);
  Said out{read_named(in)};
  const NamedLayout read = out;
  if (!in.failed() && out.unsupported.empty()) {
    if (out.host_size) {
      out.slots = *slots_by(Generation::S2, out.host_size->size(), *out.dim_order);
      add_further_strides(out);
    }
    out.fits.push_back(bytes_of(out));
  }
  while (!in.failed() && out.unsupported.empty() && in.accept(".")) take_method(in, out, read);
  if (out.unsupported.empty()) in.expect_end();
  if (in.failed()) return in.error();
  return out;
}

bool has_names(const NamedLayout& said, const map::RuleTensor& tensor) {
  std::vector<std::string> names;
  for (const auto& list : {said.device_size, said.stride_map, said.host_size.value_or(std::vector<Expression>{}),
                           said.host_strides.value_or(std::vector<Expression>{}), tensor.size})
    for (const Expression& one : list) map::add_names(one, names);
  return !names.empty();
}

// Why a text is no rule; empty if it is one.
std::string no_rule(const Said& said, const map::RuleTensor& tensor) {
  if (!said.unsupported.empty()) return said.unsupported + " is not encoded for all sizes";
  if (!said.dim_map.empty() && !said.device_size.back().number())
    return "a stick whose length is a name, beside a dim_map, is not encoded for all sizes";
  for (std::size_t j = 0; j < said.stride_map.size(); ++j)
    if (said.stride_map[j].number() == 0 && said.device_size[j].number() != 1 &&
        (j + 1 == said.stride_map.size() || !said.dim_map.empty()))
      return "a stick that repeats one element, or repeated elements beside a dim_map, are not encoded for all sizes";
  for (std::size_t i = 0; !said.dim_map.empty() && i < tensor.size.size(); ++i)
    if (std::ranges::find(said.dim_map, static_cast<Index>(i)) == said.dim_map.end() && tensor.size[i].number() != 1)
      return "a host dimension that dim_map lacks is not encoded for all sizes";
  if (!said.dim_map.empty() && tensor.view_offset.number() != 0) return "a view beside a dim_map";
  if (!said.host_size) return {};
  bool same = said.host_size->size() == tensor.size.size();
  for (std::size_t d = 0; same && d < tensor.size.size(); ++d)
    same = map::print((*said.host_size)[d]) == map::print(tensor.size[d]);
  return same ? "" : "the constructor's size and the tensor's are not the same expressions";
}

// How far the digits of a dim_map reach together in the host's memory, if no stride is below 0.
Expression reach_of(const map::Rule& rule, const std::vector<Expression>& strides) {
  Expression reach = 0;
  std::size_t end = 0;
  for (const map::RuleNumber& number : rule.numbers) {
    end += number.levels;
    for (std::size_t k = end; k-- > end - number.levels;)
      reach = reach + strides[number.dims.front()] * rule.levels[k].weight * (rule.levels[k].extent - 1);
  }
  return reach;
}

map::Rule rule_of(const NamedLayout& said, const std::vector<Expression>& fits, const map::RuleTensor& tensor) {
  const std::vector<Expression> strides = tensor.strides ? *tensor.strides : *dense_of(tensor.size);
  map::Rule rule{device_of(said.device_size, tensor, strides), {}, {}};
  rule.fits = fits;
  if (!said.device_size.back().number())
    rule.laws.push_back(
        {said.device_size.back(), map::Condition::Relation::Equal, said.device_dtype.elements_per_stick, {}});
  if (said.dim_map.empty()) add_levels(rule, said.stride_map);
  else if (!add_numbers(rule, said.dim_map)) rule.fits.push_back(reach_of(rule, strides));
  for (std::string& name : map::names_of(rule)) rule.symbols.push_back({std::move(name), 1});
  return rule;
}

}  // namespace

Result<std::string> text_at(std::string_view text, const map::Sizes& sizes) {
  Cursor in(text);
  const std::vector<Argument> arguments = parse_call(in, kType, Entries::Expressions);
  if (in.failed()) return in.error();
  std::string out;
  std::size_t copied = 0;
  for (const Argument& argument : arguments) {
    const auto* entries = std::get_if<Expressions>(&argument.value);
    for (std::size_t k = 0; entries != nullptr && k < entries->list.size(); ++k) {
      const map::Expression& entry = entries->list[k];
      const auto [start, end] = entries->spans[k];
      std::vector<std::string> names;
      map::add_names(entry, names);
      if (!std::ranges::all_of(names, [&](const std::string& name) { return sizes.contains(name); })) continue;
      const auto value = map::evaluate(entry, sizes);
      if (!value) return Error{value.error().code, value.error().message, start};
      if (*value < -1 && !entry.number())  // no list has such a number
        return Error{ErrorCode::Value, fmt::format("{} is {}", text.substr(start, end - start), *value), start};
      out += fmt::format("{}{}", text.substr(copied, start - copied), *value);
      copied = end;
    }
  }
  return out + std::string(text.substr(copied));
}

std::optional<RuleSays> rule_says(std::string_view text) {
  if (!text.starts_with(kType)) return std::nullopt;
  const auto said = read_said(text);
  const std::size_t torch = std::min(text.find("torch."), text.size());
  const auto type = stated_type(text.substr(torch));
  if (!said || (said->host_size && !type)) return std::nullopt;
  RuleSays out;
  out.format = said->device_dtype.name;
  if (said->host_size) {
    const auto same = [](const map::Expression& a, const map::Expression& b) { return map::print(a) == map::print(b); };
    out.tensor = {*type, *said->host_size, {}};
    if (!std::ranges::equal(strides_of(*said), *dense_of(*said->host_size), same))
      out.tensor->strides = said->host_strides;
  }
  if (!no_rule(*said, out.tensor.value_or(map::RuleTensor{})).empty()) return std::nullopt;
  for (const auto* list : {&said->device_size, &said->stride_map})
    for (const map::Expression& one : *list) map::add_names(one, out.names);
  return out.names.empty() ? std::nullopt : std::optional(std::move(out));
}

Result<use::Reading> read_rule(std::string_view text, const map::RuleTensor& tensor) {
  const std::size_t start = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  use::Reading reading{
      use::Undecidable{"this form with names is not encoded for all sizes"}, {}, std::string(text), {}, 0, {}};
  if (!text.substr(start).starts_with(kType)) return reading;
  const auto said = read_said(text);
  if (!said) return said.error();
  for (const Index dim : said->dim_map)
    if (dim >= static_cast<Index>(tensor.size.size()))
      return Error{ErrorCode::Shape,
                   fmt::format("dim_map names host dimension {}, the tensor has rank {}", dim, tensor.size.size())};
  if (!said->unsupported.empty() && !has_names(*said, tensor))
    return Error{ErrorCode::Value, "the reader of numbers says what this text is", start};
  if (const std::string why = no_rule(*said, tensor); !why.empty()) {
    reading.what = use::Undecidable{why};
    return reading;
  }
  reading.device_bits = static_cast<int>(kStickBits / said->device_dtype.elements_per_stick);
  reading.lanes = said->device_dtype.elements_per_stick;
  if (const auto stick = said->device_size.back().number()) {
    reading.unsized = unsized(*stick, reading.lanes);
    reading.rules.push_back({fmt::format("the last device dimension is one stick: {} elements of {}",
                                         said->device_dtype.elements_per_stick, said->device_dtype.name),
                             *stick, said->device_dtype.elements_per_stick});
  } else {  // a law of the rule
    reading.unsized = "memory holds whole sticks, and the length of the last device dimension is a name";
  }
  for (const Move& move : said->moves)
    reading.derived_rules.push_back(
        {move.operation, rule_of(move.result, said->fits, tensor), rule_of(move.law, said->fits, tensor)});
  reading.what = rule_of(*said, said->fits, tensor);
  const auto named = [](const map::Expression& extent) { return !extent.number(); };
  if (!said->dim_map.empty() && std::ranges::none_of(said->device_size, named))
    reading.what = map::Rule{};  // of no name
  return reading;
}

}  // namespace vl::spyre
