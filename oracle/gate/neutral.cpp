#include "oracle/gate/neutral.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "encodings/values/arithmetic.h"
#include "oracle/gate/images.h"
#include "oracle/gate/judge.h"
#include "oracle/ops/run.h"

namespace vl::gate {
namespace {

namespace ops = oracle::ops;
using values::Code;
using values::Format;

constexpr std::array<std::string_view, 4> kReductions = {"sum", "prod", "max", "min"};

bool is_order(std::string_view reduction) { return reduction == "max" || reduction == "min"; }

Code code_at(std::string_view bytes, std::size_t at, std::size_t unit) {
  Code out = 0;
  for (std::size_t k = unit; k-- > 0;) out = out << 8 | static_cast<unsigned char>(bytes[at * unit + k]);
  return out;
}

void store(std::string& bytes, std::size_t at, std::size_t unit, Code code) {
  for (std::size_t k = 0; k < unit; ++k) bytes[at * unit + k] = static_cast<char>(code >> (8 * k) & 0xFF);
}

std::vector<Code> codes_of(std::string_view bytes, std::size_t unit) {
  std::vector<Code> out;
  for (std::size_t at = 0; at * unit < bytes.size(); ++at) out.push_back(code_at(bytes, at, unit));
  return out;
}

// The code that a reduction is said not to see.
Code neutral_of(std::string_view reduction, const Format& format) {
  if (reduction == "sum") return values::zero(format, false);
  if (reduction == "prod") return values::one(format);
  const bool low = reduction == "max";
  if (format.is_float() && values::has_infinity(format)) return values::infinity(format, low);
  return values::largest(format, low);
}

// An element: a small integer, which sums exactly in every order, or any code that is no NaN where NaNs have no order.
Code drawn_code(Random& random, bool small, bool no_nan, const Format& format) {
  const Format& i8 = *values::find_format("i8");
  const auto integer = [&] {
    const auto value = static_cast<Code>(random.between(-4, 4)) & 0xFF;
    return values::convert(i8, format, value);
  };
  if (small || random.chance(20)) return integer();
  const Code mask = format.bits < 64 ? (Code{1} << format.bits) - 1 : ~Code{0};
  const Code any = random.next() & mask;
  return no_nan && format.is_float() && values::is_nan(format, any) ? integer() : any;
}

// Calls visit(element, slot) for every element and replica. Requires: has_image().
template <class Visit>
void every_slot(const map::Layout& layout, Visit visit) {
  Point p(layout.domain().rank(), 0);
  const std::size_t rank = layout.logical().rank();
  do {
    const std::span<const Index> all(p);
    const auto slot = layout.slot_number(map::outputs_at(layout, all.first(rank), all.subspan(rank)));
    VL_CHECK(slot.has_value(), "an element without a slot");
    visit(layout.logical().linear(all.first(rank)), static_cast<std::size_t>(*slot));
  } while (map::advance(layout.domain(), p));
}

// The tensor's places in memory, row-major.
Result<map::Layout> dense(const std::vector<Index>& extents) {
  auto logical = map::Space::create(map::Space::dims("y", extents));
  if (!logical) return logical.error();
  auto physical = map::Space::create({map::Dim{"s", logical->volume()}});
  if (!physical) return physical.error();
  auto none = map::Space::create({});
  if (!none) return none.error();
  const map::Row row = map::row_major_number(*logical);
  map::LayoutParts parts{std::move(*logical),
                         std::move(*none),
                         std::move(*physical),
                         {map::Affine{{row}}},
                         0,
                         std::nullopt,
                         0,
                         std::nullopt,
                         row};
  return map::Layout::create(std::move(parts));
}

struct Reduction {
  std::string name;
  std::size_t over = 0;
};

Result<Reduction> reduction_of(const Case& of) {
  Reduction out;
  for (const CaseArgument& argument : of.arguments) {
    if (argument.key == "reduction") out.name = argument.text;
    if (argument.key != "over") continue;
    const auto number = parse_json(argument.text);
    if (!number || number->integer() == nullptr) return Error{ErrorCode::Value, "no dimension", 0};
    out.over = static_cast<std::size_t>(*number->integer());
  }
  return out;
}

// The elements of the result, row-major.
Result<std::vector<Code>> reduced(const Case& of, std::string_view how) {
  const auto reduction = reduction_of(of);
  if (!reduction) return reduction.error();
  const Format& format = *values::find_format(map::name(of.tensor.type));
  const Format& wide =
      how.ends_with("f32") && format.is_float() && format.bits < 32 ? *values::find_format("f32") : format;
  std::vector<Index> kept, has, lacks;
  ops::Task task;
  task.operation = *ops::find_operation(reduction->name);
  for (std::size_t d = 0; d < of.tensor.size.size(); ++d) {
    const Index extent = of.tensor.size[d];
    task.dims.push_back({fmt::format("x{}", d), extent, extent});
    has.push_back(static_cast<Index>(d));
    lacks.push_back(d == reduction->over ? -1 : static_cast<Index>(kept.size()));
    if (d != reduction->over) kept.push_back(extent);
  }
  auto result = dense(kept);
  if (!result) return result.error();
  task.arithmetic.accumulate = wide;
  task.order.kind = how.starts_with("tree") ? ops::Order::Kind::Tree : ops::Order::Kind::Sequential;
  task.operands.push_back({"x", of.of(), of.tensor.size, format, has});
  task.operands.push_back({"y", std::move(*result), kept, format, lacks});
  const auto prepared = ops::Prepared::create(std::move(task));
  if (!prepared) return prepared.error();
  return prepared->valid_run({codes_of(of.data, unit_of(of.tensor))});
}

}  // namespace

bool add_reduction(Random& random, const Drawn& drawn, Json& request) {
  const map::Tensor& tensor = drawn.subject.tensor;
  const std::size_t unit = unit_of(tensor);
  const Format* format = values::find_format(map::name(tensor.type));
  if (tensor.size.empty() || format == nullptr || unit == 0 || is_too_large(drawn.layout) || !has_image(drawn.layout))
    return false;
  const std::string_view reduction = kReductions[random.below(kReductions.size())];
  const bool small = random.chance(50), neutral = random.chance(50);
  std::string data(static_cast<std::size_t>(drawn.layout.physical().volume()) * unit, '\0');
  for (std::size_t at = 0; at * unit < data.size(); ++at)
    store(data, at, unit, neutral ? neutral_of(reduction, *format) : random.next());
  std::vector<Code> elements;
  for (Index k = 0; k < drawn.layout.logical().volume(); ++k)
    elements.push_back(drawn_code(random, small, is_order(reduction), *format));
  every_slot(drawn.layout,
             [&](Index k, std::size_t slot) { store(data, slot, unit, elements[static_cast<std::size_t>(k)]); });
  request.set("reduction", reduction);
  request.set("over", static_cast<Index>(random.below(tensor.size.size())));
  request.set("image", image_of(drawn.layout));
  request.set("data", to_base64(data));
  return true;
}

std::optional<Error> check_reduction(const Case& known, const Json& request) {
  const auto bad = [](std::string message) { return Error{ErrorCode::Value, std::move(message), 0}; };
  const std::string* reduction = request.text("reduction");
  const Json* over = request.find("over");
  if (reduction == nullptr || std::ranges::find(kReductions, *reduction) == kReductions.end())
    return bad(fmt::format("the reduction is none of {}", fmt::join(kReductions, ", ")));
  if (over == nullptr || over->integer() == nullptr || *over->integer() < 0 ||
      *over->integer() >= static_cast<Index>(known.tensor.size.size()))
    return bad("'over' is no dimension of the tensor");
  if (values::find_format(map::name(known.tensor.type)) == nullptr || unit_of(known.tensor) == 0)
    return bad("the tensor's type has no arithmetic here");
  if (is_too_large(known.of()) || !has_image(known.of()))
    return bad("this layout has no image: an element has no slot, or shares one");
  return std::nullopt;
}

bool refit_reduction(const Case& from, Json& request) {
  const auto known = known_of(request);
  if (!known || check_reduction(*known, request)) return false;
  const std::size_t unit = unit_of(known->tensor);
  const auto count = from.of().logical().volume(), slots = known->of().physical().volume();
  if (unit != unit_of(from.tensor) || slots > kMostSlots) return false;
  std::vector<Code> elements(static_cast<std::size_t>(count));
  every_slot(from.of(), [&](Index k, std::size_t slot) {
    elements[static_cast<std::size_t>(k)] = code_at(from.data, slot, unit);
  });
  std::string data(static_cast<std::size_t>(slots) * unit, '\xFF');
  every_slot(known->of(), [&](Index k, std::size_t slot) {
    store(data, slot, unit, elements[static_cast<std::size_t>(k % count)]);
  });
  Json out;
  for (const auto& [key, value] : *request.fields())
    if (key != "image" && key != "data") out.set(key, value);
  out.set("image", image_of(known->of()));
  out.set("data", to_base64(data));
  request = std::move(out);
  return true;
}

Judgement Judge::of_reduction(const Case& of, const Json& answer, std::string_view how) const {
  const std::size_t unit = unit_of(of.tensor);
  const Format& format = *values::find_format(map::name(of.tensor.type));
  const std::string* text = answer.text("data");
  const auto said = text != nullptr && answer.fields()->size() == 1 ? from_base64(*text) : std::nullopt;
  if (!said) return differs("unreadable", "the answer is no 'data' in base64");
  const auto right = reduced(of, how);
  if (!right) return {.word = Word::UndecidedOurs, .detail = right.error().message};
  if (said->size() != right->size() * unit)
    return differs("size", fmt::format("{} bytes; expected {}", said->size(), right->size() * unit));
  const bool one_zero = of.arguments.front().text != "prod";  // a sum may start from +0, and an order takes either zero
  for (std::size_t k = 0; k < right->size(); ++k) {
    const Code have = code_at(*said, k, unit), want = (*right)[k];
    if (have == want) continue;
    if (format.is_float()) {
      if (values::is_nan(format, have) && values::is_nan(format, want)) continue;
      if (one_zero && values::is_zero(format, have) && values::is_zero(format, want)) continue;
    }
    Judgement out = differs("value", fmt::format("element {} of the result is 0x{:0{}x}; the answer says 0x{:0{}x}", k,
                                                 want, 2 * unit, have, 2 * unit));
    std::string bytes(unit, '\0');
    store(bytes, 0, unit, want);
    out.right.set("element", static_cast<Index>(k));
    out.right.set("bytes", to_base64(bytes));
    return out;
  }
  return {.word = Word::Agree, .scope = "all-elements"};
}

}  // namespace vl::gate
