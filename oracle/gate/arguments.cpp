// Arguments: what a case asks beside its layout, drawn at random, and what of it a peer needs to see.
#include "oracle/gate/drawn.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "oracle/gate/construct.h"
#include "oracle/gate/cost.h"
#include "oracle/gate/images.h"
#include "oracle/gate/nests.h"
#include "oracle/gate/neutral.h"

namespace vl::gate {
namespace {

std::vector<Index> factored(Random& random, Index volume, std::size_t rank) {
  std::vector<Index> out(rank, 1);
  if (rank > 0) use::deal_factors(random, volume, out);
  return out;
}

Json region_in(Random& random, const std::vector<Index>& shape) {
  Json::List out;
  for (const Index extent : shape) {
    const Index begin = random.chance(40) ? 0 : random.between(0, extent - 1);
    const Index end = random.chance(30) ? extent : random.between(begin + 1, extent);
    out.push_back(Json(std::vector<Index>{begin, end}));
  }
  return out;
}

// A layout without a swizzle and its shape, of that many dimensions. Beside a swizzle it is on memory alone: a swizzled
// layout has no other axes.
bool add_operand(const use::Family& family, Random& random, const Subject& inner, std::string_view layout,
                 std::string_view shape, Json& request) {
  const std::size_t rank = inner.tensor.size.size();
  for (int tries = 0; tries < 30; ++tries) {
    // Where its offset is no multiple of the inner one's span, one that goes down would lead a swizzle below 0.
    if (inner.has(use::Feature::Swizzled)) random.wishes.off = use::bit(use::Feature::Reversed);
    auto drawn = draw(family, random, static_cast<unsigned>(random.below(2) * 2), rank == 0 ? 1 : 16, {});
    random.wishes = {};
    if (!drawn) return false;
    if (drawn->subject.has(use::Feature::Swizzled)) continue;
    if (inner.has(use::Feature::Swizzled) && drawn->subject.has(use::Feature::Threads)) continue;
    request.set(std::string(layout), family.campaign->print(drawn->subject));
    request.set(std::string(shape), Json(factored(random, volume_of(drawn->subject.tensor), rank)));
    return true;
  }
  return false;
}

// A second layout of the same tensor: the same in half of the cases, else one that is smaller in one number, or
// another.
std::string with_of(const use::Family& family, Random& random, const Drawn& drawn, bool equal) {
  if (equal && random.chance(45)) {
    std::string text = oracle::text_of(drawn.subject);
    if (!random.chance(50)) return text;
    auto reading = family.read(text, drawn.subject.tensor);
    return reading ? std::move(reading->normal) : text;
  }
  std::vector<std::string> near;
  family.campaign->smaller(drawn.subject, [&](const Subject& next) {
    if (next.tensor.size != drawn.subject.tensor.size) return;
    std::string text = family.campaign->print(next);
    const auto read = family.read(text, drawn.subject.tensor);
    const auto holds = [](const use::Rule& rule) { return rule.have == rule.want; };  // others a library may refuse
    if (read && read->layout() != nullptr && std::ranges::all_of(read->rules, holds)) near.push_back(std::move(text));
  });
  if (!near.empty() && (equal || random.chance(40))) return near[random.below(near.size())];
  if (!equal && random.chance(60)) {  // behind it, perhaps far enough
    std::string moved = fmt::format("{} + {}", oracle::text_of(drawn.subject), random.between(1, 80));
    if (family.read(moved, drawn.subject.tensor)) return moved;
  }
  if (family.campaign->companion == nullptr) return oracle::text_of(drawn.subject);
  return family.campaign->print(family.campaign->companion(drawn.subject.tensor, random));
}

Json slots_of(Random& random, const map::Layout& layout) {
  Json::List out;
  for (int k = 0; k < 24; ++k) {
    Point slot;
    if (random.chance(60) && layout.logical().volume() > 0) {
      const Point element = layout.logical().point(random.between(0, layout.logical().volume() - 1));
      const Point outputs = map::outputs_at(layout, element, Point(layout.replicas().rank(), 0));
      if (!layout.is_slot(outputs)) continue;
      slot.assign(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(layout.physical().rank()));
    } else {
      for (const map::Dim& dim : layout.physical().dims())
        slot.push_back(dim.extent > 0 ? random.between(0, std::min<Index>(dim.extent, 1 << 20) - 1) : 0);
    }
    out.emplace_back(slot);
  }
  return out;
}

// Some elements of a tensor, ascending: those at its corners, on both sides of each of its strides and of each power of
// two, and others at random.
std::vector<Index> some_elements(Random& random, const std::vector<Index>& shape) {
  Index count = 1;
  for (const Index extent : shape) count *= extent;
  std::set<Index> out;
  const auto add = [&](Index near) {
    for (Index k = std::max<Index>(near - 1, 0); k <= near + 1 && k < count; ++k) out.insert(k);
  };
  add(0), add(count - 1);
  Index stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) add(stride *= shape[d]);
  for (Index power = 4; power < count; power *= 4) add(power);
  for (int k = 0; k < 24; ++k) out.insert(random.between(0, count - 1));
  return {out.begin(), out.end()};
}

// Random bytes, so that every element can be told from its neighbours, also NaNs with their payloads.
bool add_data(const Operation& op, Random& random, const Drawn& drawn, Json& request) {
  const auto data =
      bytes_for(op, drawn.layout, unit_of(drawn.subject.tensor), [&] { return static_cast<char>(random.below(256)); });
  if (!data) return false;
  request.set("image", image_of(drawn.layout));
  request.set("data", to_base64(*data));
  return true;
}

// A second layout of the dense tensor. In half of the cases it is the one that is moved.
bool add_destination(const use::Family& family, Random& random, Drawn& drawn, Json& request) {
  const map::Tensor& tensor = drawn.subject.tensor;
  if (family.campaign->companion == nullptr || tensor.strides || tensor.offset != 0 || tensor.view_offset != 0)
    return false;
  Subject other = family.campaign->companion(tensor, random);
  auto layout = family.campaign->lower(other);
  if (!layout || layout->physical().volume() > kMostSlots) return false;
  Drawn to{std::move(other), std::move(*layout)};
  if (random.chance(50)) std::swap(drawn, to);
  request.set("to", oracle::text_of(to.subject));
  request.set("to_image", image_of(to.layout));
  return true;
}

// One more than the largest place of a layout on one axis; nothing for others, and with places below 0.
std::optional<Index> reach_of(const map::Layout& layout) {
  if (layout.physical().rank() != 1 || layout.replicas().volume() != 1 || layout.logical().volume() == 0)
    return std::nullopt;
  Index out = 0;
  for (Index k = 0; k < layout.logical().volume(); ++k) {
    const Index place = map::outputs_at(layout, layout.logical().point(k), Point(layout.replicas().rank(), 0))[0];
    if (place < 0) return std::nullopt;
    out = std::max(out, place + 1);
  }
  return out;
}

// Whether there is the complement with which an operation tiles or repeats a layout. `values`: of the operand.
bool has_rest(const use::Family& family, const Operation& op, const Drawn& drawn, const Drawn& operand, Index values) {
  const Index volume = volume_of(drawn.subject.tensor);
  if (family.complement == nullptr) return true;
  if (op.claim == "divide") return family.complement(oracle::text_of(operand.subject), volume).has_value();
  return op.claim != "product" || family.complement(oracle::text_of(drawn.subject), volume * values).has_value();
}

// The operand of an operation on functions of numbers, whose values the layout has.
bool add_number_operand(const use::Family& family, const Operation& op, Random& random, const Drawn& drawn,
                        Json& request) {
  const auto reach = reach_of(drawn.layout);
  if (!reach) return false;
  if (op.name == "derive.complement") request.set("cotarget", *reach * random.between(1, 4) + random.between(0, 2));
  const bool bounded = op.name != "derive.product";
  for (const OpArgument& argument : op.arguments) {
    if (argument.kind != ArgumentKind::Layout) continue;
    bool found = false;
    for (int tries = 0; tries < 40 && !found; ++tries) {
      const auto operand = draw(family, random, static_cast<unsigned>(random.below(4)), 16, {});
      const auto values = operand ? reach_of(operand->layout) : std::nullopt;
      found = values && *values <= (bounded ? volume_of(drawn.subject.tensor) : 64) &&
              has_rest(family, op, drawn, *operand, *values);
      if (found) request.set(std::string(argument.key), oracle::text_of(operand->subject));
    }
    if (!found) return false;
  }
  return true;
}

}  // namespace

bool operand_is_inside(const Case& of) {
  constexpr Index kMostLooked = 4096;
  if (!of.op->numbers || of.op->name == "derive.product") return true;
  const use::Family& family = *use::family_of({}, of.family);
  for (const CaseArgument& argument : of.arguments) {
    const auto kind = std::ranges::find(of.op->arguments, std::string_view(argument.key), &OpArgument::key);
    if (kind == of.op->arguments.end() || kind->kind != ArgumentKind::Layout) continue;
    map::Tensor tensor;
    if (const auto count = family.elements(argument.text)) tensor.size = {*count};
    const auto read = family.read(argument.text, tensor);
    const map::Layout* operand = read ? read->layout() : nullptr;
    if (operand == nullptr || operand->logical().volume() > kMostLooked) continue;
    const auto reach = reach_of(*operand);
    if (!reach || *reach > volume_of(of.tensor)) return false;
  }
  return true;
}

bool add_arguments(const use::Family& family, const Operation& op, Random& random, Drawn& drawn, Json& request) {
  const std::vector<Index>& shape = drawn.subject.tensor.size;
  const Index volume = volume_of(drawn.subject.tensor);
  const std::string_view name = op.name;
  if (name == "place") request.set("at", "all");
  if (op.kind == OpKind::PlaceAt) request.set("elements", Json(some_elements(random, drawn.subject.tensor.size)));
  if (op.kind == OpKind::Back) {
    Json::List axes;
    axes.reserve(drawn.layout.physical().dims().size());
    for (const map::Dim& dim : drawn.layout.physical().dims()) axes.emplace_back(dim.name);
    request.set("axes", std::move(axes));
    request.set("slots", slots_of(random, drawn.layout));
  }
  if (name == "decide.equal" || name == "decide.disjoint")
    request.set("with", with_of(family, random, drawn, name == "decide.equal"));
  if (has_destination(op) && !add_destination(family, random, drawn, request)) return false;
  if (op.kind == OpKind::Nests) {
    if (!has_destination(op)) request.set("direction", random.chance(60) ? "h2d" : "d2h");
    Case known;
    known.op = &op, known.family = family.name, known.tensor = drawn.subject.tensor;
    known.map = std::make_shared<const map::Layout>(drawn.layout);
    return !refit_nests(known, request);
  }
  if (op.kind == OpKind::Reduce) return add_reduction(random, drawn, request);
  if (op.kind == OpKind::Cost) return add_access(random, drawn, request);
  if (op.kind == OpKind::Construct) return add_given(family, random, drawn, request);
  if (op.numbers) return add_number_operand(family, op, random, drawn, request);
  if (op.kind == OpKind::Image) return add_data(op, random, drawn, request);
  if (name == "derive.slice") request.set("region", region_in(random, shape));
  if (name == "derive.group")
    request.set("shape", Json(factored(random, volume, static_cast<std::size_t>(random.between(volume > 1, 4)))));
  if (name == "derive.tile") return add_operand(family, random, drawn.subject, "outer", "outer_shape", request);
  if (name == "derive.direct-sum") return add_operand(family, random, drawn.subject, "left", "left_shape", request);
  if (name == "derive.permute") {
    std::vector<Index> order(shape.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<Index>(k);
    random.shuffle(std::span(order));
    request.set("order", Json(order));
  }
  if (name == "derive.broadcast") {
    request.set("extent", random.between(1, 4));
    request.set("at", random.between(0, static_cast<Index>(shape.size())));
  }
  if (name == "derive.pack" || name == "derive.unpack") request.set("factor", Index{1} << random.between(1, 3));
  return true;
}

}  // namespace vl::gate
