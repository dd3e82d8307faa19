// Cases, made: a subject, the arguments of the operation, and whether the question has a meaning.
#include "oracle/gate/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "oracle/fuzz/subject.h"
#include "oracle/gate/contract.h"

namespace vl::gate {
namespace {

using oracle::Random;
using oracle::Subject;

void add_list(const std::vector<Index>& values, std::string& out) {
  out += '[';
  for (const Index value : values) {
    if (out.back() != '[') out += ',';
    const fmt::format_int text(value);
    out.append(text.data(), text.size());
  }
  out += ']';
}

// {"dtype":"f16","shape":[2,3]}, and whatever of the host and of the box is not as it is elsewhere.
void add_tensor(const map::Tensor& tensor, std::string& out) {
  out += "{\"dtype\":\"";
  out += map::name(tensor.type);
  out += "\",\"shape\":";
  add_list(tensor.size, out);
  if (tensor.strides) out += ",\"strides\":", add_list(*tensor.strides, out);
  if (tensor.offset != 0) out += fmt::format(",\"offset\":{}", tensor.offset);
  if (tensor.view_offset != 0) out += fmt::format(",\"view_offset\":{}", tensor.view_offset);
  if (!tensor.box.empty()) {
    out += ",\"box\":[";
    for (const map::Extent& extent : tensor.box)
      out += fmt::format("{}[{},{}]", out.back() == '[' ? "" : ",", print_json(extent.axis), extent.extent);
    out += ']';
  }
  out += '}';
}

// The text of a request, whose arguments are the fields of an object, or null.
std::string request_of(const Case& of, const Json& arguments) {
  std::string out;
  out.reserve(160 + of.layout.size());
  out += "{\"op\":\"";
  out += of.op->name;
  out += "\",\"family\":\"";
  out += of.family;
  out += "\",\"layout\":";
  out += print_json(of.layout);
  out += ",\"tensor\":";
  add_tensor(of.tensor, out);
  if (arguments.is_null()) return out + "}";
  out += ',';
  return out.append(print_json(arguments), 1);
}

std::vector<Index> factored(Random& random, Index volume, std::size_t rank) {
  std::vector<Index> out(rank, 1);
  for (Index factor = 2; volume > 1 && rank > 0; ++factor) {
    if (factor * factor > volume) factor = volume;
    for (; volume % factor == 0; volume /= factor) out[random.below(rank)] *= factor;
  }
  return out;
}

Index volume_of(const map::Tensor& tensor) {
  Index out = 1;
  for (const Index extent : tensor.size) out *= extent;
  return out;
}

struct Drawn {
  Subject subject;
  map::Layout layout;
};

// The map of a subject, after its host was forgotten if the layout has named axes: of these the host's strides are no
// part.
Result<map::Layout> lowered(const use::Family& family, Subject& subject) {
  auto strides = std::exchange(subject.tensor.strides, std::nullopt);
  const Index offset = std::exchange(subject.tensor.offset, 0);
  auto layout = family.campaign->lower(subject);
  if ((layout && layout->named_axes()) || (!strides && offset == 0)) return layout;
  subject.tensor.strides = std::move(strides), subject.tensor.offset = offset;
  return family.campaign->lower(subject);
}

// The next subject of at most that many elements, and its map.
std::optional<Drawn> next_small(const use::Family& family, Random& random, unsigned kind, Index most, int& tries) {
  const use::Campaign& campaign = *family.campaign;
  if (campaign.draw_small != nullptr) {
    auto small = campaign.draw_small(random, kind, most, tries);
    return small ? std::optional(Drawn{std::move(small->first), std::move(small->second)}) : std::nullopt;
  }
  for (; tries > 0; --tries) {
    Subject subject = campaign.draw(random, kind, false);
    if (volume_of(subject.tensor) > most) continue;
    if (auto layout = lowered(family, subject)) return Drawn{std::move(subject), std::move(*layout)};
  }
  return std::nullopt;
}

// Whether every number on the way from an element to its place, and every extent, is one of so many bits.
bool fits_in(const map::Layout& layout, Index bits) {
  if (bits < 1 || bits > 63) return true;
  const Index end = Index{1} << (bits - 1);
  for (std::size_t stage = 0; stage <= layout.map().stages().size(); ++stage)
    for (const map::Range& range : layout.map().ranges(stage))
      if (range.low < -end || range.high >= end) return false;
  const auto fits = [&](const map::Space& space) {
    return space.volume() < end && std::ranges::all_of(space.dims(), [&](const map::Dim& d) { return d.extent < end; });
  };
  return fits(layout.logical()) && fits(layout.physical());
}

std::optional<Drawn> draw(const use::Family& family, Random& random, unsigned kind, Index most,
                          const CaseLimits& limits) {
  if (limits.elements > 0) most = std::min(most, limits.elements);
  for (int tries = 400; tries > 0; --tries) {
    auto drawn = next_small(family, random, kind, most, tries);
    if (!drawn) return std::nullopt;
    auto& [subject, layout] = *drawn;
    if (limits.rank > 0 && static_cast<Index>(subject.tensor.size.size()) > limits.rank) continue;
    if (layout.replicas().volume() > 64 || !fits_in(layout, limits.bits)) continue;
    if (!limits.dtypes.empty() &&
        std::ranges::find(limits.dtypes, map::name(subject.tensor.type)) == limits.dtypes.end()) {
      const auto type = map::element_type_of(limits.dtypes[random.below(limits.dtypes.size())]);
      if (!type || !layout.named_axes()) continue;
      subject.tensor.type = *type;
      auto again = family.campaign->lower(subject);
      if (!again) continue;
      layout = std::move(*again);
    }
    return drawn;
  }
  return std::nullopt;
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
    auto drawn = draw(family, random, static_cast<unsigned>(random.below(2) * 2), rank == 0 ? 1 : 16, {});
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
    if (read && read->layout() != nullptr) near.push_back(std::move(text));
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

// Random bytes, so that every element can be told from its neighbours, also NaNs with their payloads.
bool add_data(Random& random, const Drawn& drawn, bool pack, Json& request) {
  const map::Layout& layout = drawn.layout;
  const std::size_t unit = unit_of(drawn.subject.tensor);
  const Index places = pack ? layout.logical().volume() : layout.physical().volume();
  if (unit == 0 || layout.physical().volume() > kMostSlots || places < 1) return false;
  std::string data;
  for (std::size_t k = 0; k < static_cast<std::size_t>(places) * unit; ++k)
    data += static_cast<char>(random.below(256));
  if (!pack) {  // the replicas of an element agree
    std::map<Index, std::string> known;
    Point p(layout.domain().rank(), 0);
    const std::size_t rank = layout.logical().rank();
    do {
      const std::span<const Index> all(p);
      const auto slot = layout.slot_number(map::outputs_at(layout, all.first(rank), all.subspan(rank)));
      if (!slot) return false;
      const std::size_t at = static_cast<std::size_t>(*slot) * unit;
      const auto [first, is_new] = known.try_emplace(layout.logical().linear(all.first(rank)), data.substr(at, unit));
      if (!is_new) data.replace(at, unit, first->second);
    } while (map::advance(layout.domain(), p));
  }
  Json::List axes;
  axes.reserve(layout.physical().dims().size());
  for (const map::Dim& dim : layout.physical().dims()) axes.emplace_back(dim.name);
  Json image;
  image.set("axes", std::move(axes));
  image.set("extents", Json(map::extents_of(layout.physical())));
  request.set("image", std::move(image));
  request.set("data", to_base64(data));
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
      found = values && *values <= (bounded ? volume_of(drawn.subject.tensor) : 64);
      if (found) request.set(std::string(argument.key), oracle::text_of(operand->subject));
    }
    if (!found) return false;
  }
  return true;
}

bool add_arguments(const use::Family& family, const Operation& op, Random& random, const Drawn& drawn, Json& request) {
  const std::vector<Index>& shape = drawn.subject.tensor.size;
  const Index volume = volume_of(drawn.subject.tensor);
  const std::string_view name = op.name;
  if (name == "place") request.set("at", "all");
  if (op.kind == OpKind::Back) {
    Json::List axes;
    axes.reserve(drawn.layout.physical().dims().size());
    for (const map::Dim& dim : drawn.layout.physical().dims()) axes.emplace_back(dim.name);
    request.set("axes", std::move(axes));
    request.set("slots", slots_of(random, drawn.layout));
  }
  if (name == "decide.equal" || name == "decide.disjoint")
    request.set("with", with_of(family, random, drawn, name == "decide.equal"));
  if (op.numbers) return add_number_operand(family, op, random, drawn, request);
  if (op.kind == OpKind::Image) return add_data(random, drawn, name == "image.pack", request);
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

std::uint64_t stream_of(std::string_view family, std::string_view op) {
  std::uint64_t out = kGenerator;
  for (const std::string_view part : {family, op})
    for (const char c : part) out = oracle::mix(out ^ static_cast<unsigned char>(c));
  return out;
}

}  // namespace

bool applies(const Operation& op, const use::Family& family) {
  if (family.campaign == nullptr || !has_claim(op)) return false;
  if (op.numbers) return family.elements != nullptr && family.law == nullptr;  // which have an algebra of their own
  return op.kind != OpKind::Derive || op.claim == "inverse" || family.law != nullptr;
}

namespace {

// Whether the operation has a meaning on this layout; that there may be no result is the peer's matter.
bool has_meaning(const use::Family& family, const Case& of) {
  // Injective and its kin are said of elements that have a slot; a peer does not know which these are.
  const std::string_view claim = of.op->claim;
  if (of.op->kind == OpKind::Image) return all_placed(of.of()) && has_property(of, "injective");
  if (of.op->kind == OpKind::Decide && (claim == "injective" || claim == "bijective" || claim == "onto"))
    return all_placed(of.of());
  if (of.op->kind != OpKind::Derive) return true;
  if (of.op->claim == "left-inverse" || of.op->claim == "complement") return has_property(of, "injective");
  if (of.op->numbers) return true;
  if (of.op->claim == "inverse") return of.of().replicas().volume() == 1 && of.of().physical().rank() == 1;
  std::vector<use::LawArgument> arguments;
  arguments.reserve(of.arguments.size());
  for (const CaseArgument& argument : of.arguments) arguments.push_back({argument.key, argument.text});
  return !std::holds_alternative<use::LawError>(family.law(of.op->claim, of.layout, of.tensor, arguments));
}

std::optional<Case> try_case(const use::Family& family, const Operation& op, Random& random, std::uint64_t number,
                             const CaseLimits& limits) {
  const Index most = number % 8 == 5 ? kMostElements : 64;
  auto drawn = draw(family, random, static_cast<unsigned>(number % 4), most, limits);
  if (!drawn) return std::nullopt;
  Subject& subject = drawn->subject;
  bool other = false;  // another tensor than the one that was drawn
  if (op.name == "measure.cosize") other = !std::exchange(subject.tensor.box, {}).empty();
  if (op.numbers) {
    subject.tensor.size = {volume_of(subject.tensor)};
    subject.tensor.strides.reset();
    other = true;
  }
  if (other) {
    auto again = family.campaign->lower(subject);
    if (!again) return std::nullopt;
    drawn->layout = std::move(*again);
  }
  Case known;
  known.op = &op, known.family = family.name, known.tensor = subject.tensor;
  known.layout = oracle::text_of(subject);
  if (limits.parts && family.campaign->parts != nullptr) known.parts = family.campaign->parts(subject);
  Json arguments;
  if (!add_arguments(family, op, random, *drawn, arguments)) return std::nullopt;
  known.map = std::make_shared<const map::Layout>(std::move(drawn->layout));
  known.request = JsonText::of(request_of(known, arguments));
  auto made = with_arguments(std::move(known), arguments);
  if (!made || !has_meaning(family, *made)) return std::nullopt;
  return std::move(*made);
}

}  // namespace

std::optional<Case> make_case(const use::Family& family, const Operation& op, std::uint64_t seed, std::uint64_t number,
                              const CaseLimits& limits) {
  if (!applies(op, family)) return std::nullopt;
  Random random(seed, stream_of(family.name, op.name), number);
  for (int tries = 0; tries < 16; ++tries) {
    auto made = try_case(family, op, random, number, limits);
    if (!made) continue;
    made->name = fmt::format("{}/{}@{}:{}", family.name, op.name, seed, number);
    return made;
  }
  return std::nullopt;
}

}  // namespace vl::gate
