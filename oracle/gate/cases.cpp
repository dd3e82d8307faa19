// Cases, made: a subject, the arguments of the operation, and whether the question has a meaning.
#include "oracle/gate/drawn.h"

#include <fmt/format.h>

#include <algorithm>

#include "oracle/gate/contract.h"

namespace vl::gate {
namespace {

constexpr int kTries = 16, kDraws = 400;  // of a case; of a subject
constexpr int kWishing = 3;               // the first tries; what is wished for may not be possible

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
  for (; tries > 0; --tries) {
    Subject subject;
    if (campaign.draw_small != nullptr) {
      if (!campaign.draw_small(random, kind, most, tries, subject)) return std::nullopt;
      auto layout = campaign.lower(subject);
      VL_CHECK(layout.has_value(), "a small subject without a map");
      return Drawn{std::move(subject), std::move(*layout)};
    }
    subject = campaign.draw(random, kind, false);
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

}  // namespace

Index volume_of(const map::Tensor& tensor) {
  Index out = 1;
  for (const Index extent : tensor.size) out *= extent;
  return out;
}

std::optional<Drawn> draw(const use::Family& family, Random& random, unsigned kind, Index most,
                          const CaseLimits& limits) {
  if (limits.elements > 0) most = std::min(most, limits.elements);
  for (int tries = kDraws; tries > 0; --tries) {
    auto drawn = next_small(family, random, kind, most, tries);
    if (!drawn) return std::nullopt;
    Subject& subject = drawn->subject;
    map::Layout& layout = drawn->layout;
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

namespace {

std::uint64_t stream_of(std::string_view family, std::string_view op) {
  std::uint64_t out = kGenerator;
  for (const std::string_view part : {family, op})
    for (const char c : part) out = oracle::mix(out ^ static_cast<unsigned char>(c));
  return out;
}

}  // namespace

bool applies(const Operation& op, const use::Family& family) {
  if (family.campaign == nullptr || !has_claim(op)) return false;
  if (op.kind == OpKind::PlaceAt) return family.campaign->draw_small != nullptr;  // at once, whatever the size
  if (op.numbers) return family.elements != nullptr && family.law == nullptr;     // which have an algebra of their own
  if (op.kind == OpKind::Construct) return family.campaign->refusals;
  return op.kind != OpKind::Derive || op.claim == "inverse" || family.law != nullptr;
}

namespace {

// Whether the operation has a meaning on this layout; that there may be no result is the peer's matter.
bool has_meaning(const use::Family& family, const Case& of) {
  // Injective and its kin are said of elements that have a slot; a peer does not know which these are.
  const std::string_view claim = of.op->claim;
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

// The most elements of a case, before the peer's limit.
Index most_of(const Operation& op, std::uint64_t number, const CaseLimits& limits) {
  if (op.kind == OpKind::PlaceAt) return Index{1} << (11 + number % 21);
  return number % 8 == 5 ? limits.large : std::min<Index>(limits.large, 64);
}

std::optional<Case> try_case(const use::Family& family, const Operation& op, Random& random, std::uint64_t number,
                             const CaseLimits& limits, use::Wishes wishes) {
  const bool broken = number % 4 == 1 && !is_about_images(op);  // what is surely broken has no image
  random.wishes = wishes;
  auto drawn = draw(family, random, number % 4 == 1 && !broken ? 0 : static_cast<unsigned>(number % 4),
                    most_of(op, number, limits), limits);
  random.wishes = {};  // of operands there are none
  if (!drawn) return std::nullopt;
  drawn->number = number;
  Subject& subject = drawn->subject;
  bool other = false;  // another tensor than the one that was drawn
  if (op.name == "measure.cosize" || has_destination(op) || op.kind == OpKind::Cost || op.kind == OpKind::Construct)
    other = !std::exchange(subject.tensor.box, {}).empty();
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
  Json arguments;
  if (!add_arguments(family, op, random, *drawn, arguments)) return std::nullopt;
  Case known;
  known.op = &op, known.family = family.name, known.tensor = subject.tensor;
  known.layout = oracle::text_of(subject);
  known.traits = traits_of(subject);
  if (op.name == "measure.bytes")
    if (const auto read = family.read(known.layout, known.tensor); !read || !read->unsized.empty()) return std::nullopt;
  if (limits.parts && family.campaign->parts != nullptr) known.parts = family.campaign->parts(subject);
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
  const use::Wishes wishes = wishes_of(family, op, seed, number);
  for (int tries = 0; tries < kTries; ++tries) {
    auto made = try_case(family, op, random, number, limits, tries < kWishing ? wishes : use::Wishes{});
    if (!made) continue;
    made->name = fmt::format("{}/{}@{}:{}", family.name, op.name, seed, number);
    return made;
  }
  return std::nullopt;
}

bool PlaceSubjects::has(const use::Family& family, const Operation& op, const CaseLimits& limits) {
  return op.kind == OpKind::Place && applies(op, family) && family.campaign->draw_small != nullptr &&
         family.campaign->places != nullptr && limits.rank == 0 && limits.bits == 0 && limits.dtypes.empty();
}

PlaceSubjects::PlaceSubjects(const use::Family& family, const Operation& op, std::uint64_t seed,
                             const CaseLimits& limits)
    : family_(&family), op_(&op), seed_(seed), stream_(stream_of(family.name, op.name)), limits_(limits) {}

bool PlaceSubjects::draw(std::uint64_t number, Subject& out) const {
  Random random(seed_, stream_, number);
  Index most = most_of(*op_, number, limits_);
  if (limits_.elements > 0) most = std::min(most, limits_.elements);
  random.wishes = wishes_of(*family_, *op_, seed_, number);
  for (int tries = 0; tries < kTries; ++tries) {
    if (tries == kWishing) random.wishes = {};
    if (family_->campaign->draw_small(random, static_cast<unsigned>(number % 4), most, kDraws, out)) return true;
  }
  return false;
}

}  // namespace vl::gate
