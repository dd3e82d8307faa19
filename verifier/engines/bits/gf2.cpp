// The gf2 engine: layouts of power-of-two boxes whose outputs are exclusive-or forms of the bits of an element's number
// (xor_form.h). Then every question is about solutions of linear equations over GF(2), at any size.
//
//   landing    the points with a slot: output bits from log2(extent) on are 0. Extents that are not a power of two are
//              decided if the largest value of the output stays below them.
//   Collides   rank < input bits, and a point lands: adding a kernel vector k keeps the outputs. The smallest landing
//              p is the smallest of its coset, so its bit at the leading place of the smallest k is 0, and q = p ^ k
//              is the next.
//   Misses     the image is a coset. The smallest number outside of a subspace is a power of two, so only slot 0 and
//              the slots of one bit have to be tried.
//   Count      2^(rank of the outputs - rank of the landing equations), the latter being some of the former
//   Misdecodes, Breaks, Differs   a difference of two forms is not 0 somewhere; sets of replicas are cosets of a span
//
// Example: S[8:2] in a box of 16: columns 2, 4, 8, rank 3 of 3 input bits: injective, 8 slots are hit, slot 1 is the
// first that is not.
#include <algorithm>
#include <bit>

#include "verifier/engines/bits/gf2_equations.h"
#include "verifier/engines/engine.h"

namespace vl::engines {
namespace {

int log2_of(Index power) { return std::countr_zero(static_cast<Word>(power)); }
bool is_power_box(const map::Space& space) {
  return std::ranges::all_of(space.dims(), [](const map::Dim& dim) { return is_power(dim.extent); });
}

// One layout with forms.
class LinearLayout {
 public:
  static std::optional<LinearLayout> of(const map::Layout& layout) {
    if (!is_power_box(layout.domain())) return std::nullopt;
    auto forms = forms_by_number(layout.map());
    if (!forms) return std::nullopt;
    return LinearLayout(layout, std::move(*forms));
  }

  [[nodiscard]] const BitMatrix& forms() const { return forms_; }
  [[nodiscard]] Solutions everything() const { return Solutions(bits_); }
  [[nodiscard]] Point point(Word number) const { return layout_->domain().point(static_cast<Index>(number)); }

  [[nodiscard]] Index extent(std::size_t output) const {
    return output < layout_->physical().rank() ? layout_->physical().extent(output) : 1;
  }
  [[nodiscard]] bool some_escape(const Solutions& set) const {
    for (std::size_t j = 0; j < forms_.size(); ++j)
      if (largest(forms_[j], set) >= extent(j)) return true;
    return false;
  }
  // The points with a slot; nothing when they are no solutions of linear equations.
  [[nodiscard]] std::optional<Solutions> landing() const {
    Solutions set(bits_);
    for (std::size_t j = 0; j < forms_.size(); ++j)
      if (is_power(extent(j)))
        for (int bit = log2_of(extent(j)); bit <= kMostBits; ++bit)
          if ((forms_[j].support() >> bit & 1) != 0) set.require(bit_is(forms_[j], bit, false));
    if (set.exist() && some_escape(set)) return std::nullopt;
    return set;
  }
  // Differences of points with the same outputs.
  [[nodiscard]] Solutions kernel() const {
    Solutions set(bits_);
    for (const XorForm& form : forms_)
      for (int bit = 0; bit <= kMostBits; ++bit)
        if (Equation equation = bit_is(form, bit, true); equation.mask != 0) set.require({equation.mask, false});
    return set;
  }
  [[nodiscard]] bool is_hit(const Point& slot) const {
    Solutions set(bits_);
    for (std::size_t j = 0; j < forms_.size(); ++j) {
      const Word value = j < slot.size() ? static_cast<Word>(slot[j]) : 0;
      for (int bit = 0; bit <= kMostBits; ++bit) set.require(bit_is(forms_[j], bit, (value >> bit & 1) != 0));
    }
    return set.exist();
  }
  // The form of a row over the outputs. Nothing when its sum may carry.
  [[nodiscard]] std::optional<XorForm> sum(const map::Row& row) const {
    std::vector<map::Stage> stages = layout_->map().stages();
    stages.emplace_back(map::Affine{{row}});
    const auto map = map::Map::create(layout_->domain(), std::move(stages));
    auto forms = map ? forms_by_number(*map) : std::nullopt;
    return forms ? std::optional(std::move((*forms)[0])) : std::nullopt;
  }

 private:
  LinearLayout(const map::Layout& layout, BitMatrix forms)
      : layout_(&layout), forms_(std::move(forms)), bits_(static_cast<int>(input_bits(layout.domain()).size())) {}

  const map::Layout* layout_;
  BitMatrix forms_;
  int bits_;
};

Answer first(const LinearLayout& linear, const Solutions& set, const Accepts& somewhere) {
  if (!set.exist() || !somewhere(set)) return None{};
  return Found{{linear.point(smallest(set, somewhere)), {}, {}}, true};
}

Answer collides(const LinearLayout& linear) {
  const Solutions kernel = linear.kernel();
  if (kernel.rank() == kernel.bits()) return None{};
  const auto landing = linear.landing();
  if (!landing) return abstain("points with a slot are not solutions of linear equations");
  if (!landing->exist()) return None{};
  const Accepts any = [](const Solutions&) { return true; };
  const Word p = smallest(*landing, any);
  for (int lead = 0; lead < kernel.bits(); ++lead) {
    Solutions led = kernel.with({Word{1} << lead, true});
    for (int bit = lead + 1; bit < kernel.bits(); ++bit) led.require({Word{1} << bit, false});
    if (led.exist()) return Found{{linear.point(p), linear.point(p ^ smallest(led, any)), {}}, true};
  }
  VL_CHECK(false, "a kernel without a vector");
}

Answer unhit(const map::Layout& layout, const LinearLayout& linear) {
  const std::size_t rank = layout.physical().rank();
  std::vector<Point> slots{Point(rank, 0)};
  for (std::size_t j = rank; j-- > 0;)
    for (Index bit = 1; bit < layout.physical().extent(j); bit *= 2) {
      slots.emplace_back(rank, 0);
      slots.back()[j] = bit;
      if (bit > layout.physical().extent(j) / 2) break;
    }
  const auto empty = std::ranges::find_if(slots, [&](const Point& slot) { return !linear.is_hit(slot); });
  if (empty == slots.end()) return None{};
  Witness witness{{}, {}, *empty};
  const bool is_large = !layout.decode() && layout.domain().volume() > question::kReplayWalk;
  if (is_large && !question::replay({Kind::Misses, &layout, nullptr}, witness))
    return abstain("an empty slot of so large a layout without a decode map could not be replayed");
  return Found{std::move(witness), true};
}

// What is not 0 at a point in a slot whose decoded point leaves the domain, or lives elsewhere.
std::optional<BitMatrix> undone(const map::Layout& layout, const LinearLayout& linear) {
  const auto decode = xor_forms(*layout.decode());
  const auto encode = xor_forms(layout.map());
  if (!decode || !encode) return std::nullopt;
  const std::size_t columns = static_cast<std::size_t>(linear.everything().bits());
  const std::vector<InputBit> slot_bits = input_bits(layout.physical());
  BitMatrix decoded;
  for (const XorForm& form : *decode) decoded.push_back(composed(form, slot_bits, linear.forms(), columns));
  BitMatrix out;
  for (std::size_t k = 0; k < decoded.size(); ++k) {
    XorForm high = decoded[k];
    const Word low = k < layout.domain().rank() ? static_cast<Word>(layout.domain().extent(k)) - 1 : 0;
    high.constant &= ~low;
    for (Word& column : high.columns) column &= ~low;
    out.push_back(std::move(high));
  }
  const std::vector<InputBit> point_bits = input_bits(layout.domain());
  for (std::size_t j = 0; j < encode->size(); ++j)
    out.push_back(difference(composed((*encode)[j], point_bits, decoded, columns), linear.forms()[j]));
  return out;
}

Answer misdecodes(const map::Layout& layout, const LinearLayout& linear) {
  const auto landing = linear.landing();
  const auto forms = undone(layout, linear);
  if (!landing || !forms) return abstain("points with a slot, or the decode map, are not linear");
  return first(linear, *landing, [&](const Solutions& set) { return not_zero(*forms, set); });
}

Answer breaks(const map::Layout& layout, const LinearLayout& linear) {
  const auto landing = linear.landing();
  const auto slot = linear.sum(layout.identity()->slot);
  const auto element_map = map::Map::create(layout.domain(), {map::Affine{{layout.identity()->element}}});
  const auto element = element_map ? forms_by_number(*element_map) : std::nullopt;
  if (!landing || !slot || !element) return abstain("points with a slot, or a side of the identity, are not linear");
  const BitMatrix forms{difference(*slot, (*element)[0])};
  return first(linear, *landing, [&](const Solutions& set) { return not_zero(forms, set); });
}

Answer differs(const Question& question) {
  std::vector<XorForm> places;
  std::vector<std::vector<Word>> spans;
  for (const map::Layout* layout : {question.layout, question.other}) {
    if (layout->replicas().volume() > question::kMostReplicas) return abstain("more replicas than can be replayed");
    const auto linear = LinearLayout::of(*layout);
    if (!linear || linear->some_escape(linear->everything())) return abstain("not linear, or a point has no slot");
    auto place = linear->sum(map::row_major_number(layout->physical()));
    if (!place) return abstain("the number of a slot is not linear");
    const auto cut = place->columns.begin() + log2_of(layout->replicas().volume());
    spans.push_back(echelon({place->columns.begin(), cut}));
    place->columns.erase(place->columns.begin(), cut);
    places.push_back(std::move(*place));
  }
  std::vector<Word> joint = spans[0];
  joint.insert(joint.end(), spans[1].begin(), spans[1].end());
  joint = echelon(joint);
  const Point zero(question.layout->logical().rank(), 0);
  if (joint.size() != spans[0].size() || joint.size() != spans[1].size()) return Found{{zero, {}, {}}, true};
  XorForm form = difference(places[0], places[1]);
  const auto reduce = [&](Word& word) {
    for (const Word row : joint)
      if ((word & std::bit_floor(row)) != 0) word ^= row;
  };
  reduce(form.constant);
  std::ranges::for_each(form.columns, reduce);
  const BitMatrix forms{form};
  const Solutions all(static_cast<int>(form.columns.size()));
  if (!not_zero(forms, all)) return None{};
  const Word number = smallest(all, [&](const Solutions& set) { return not_zero(forms, set); });
  return Found{{question.layout->logical().point(static_cast<Index>(number)), {}, {}}, true};
}

}  // namespace

Answer decide_gf2(const Question& question, const Options&) {
  if (question.kind == Kind::Differs) return differs(question);
  if (question.kind == Kind::Collides && question.other != nullptr)
    return abstain("two layouts in one buffer are not a single linear map");
  const map::Layout& layout = *question.layout;
  const auto linear = LinearLayout::of(layout);
  if (!linear) return abstain("an extent or a split that is not a power of two, or an addition that may carry");
  switch (question.kind) {
    case Kind::Escapes:
      return first(*linear, linear->everything(), [&](const Solutions& set) { return linear->some_escape(set); });
    case Kind::Collides: return collides(*linear);
    case Kind::Misses: return unhit(layout, *linear);
    case Kind::Misdecodes: return misdecodes(layout, *linear);
    case Kind::Breaks: return breaks(layout, *linear);
    case Kind::Lands:
    case Kind::Count: break;
    case Kind::Differs:
    case Kind::Crowds: VL_CHECK(false, "answered above");
  }
  const auto landing = linear->landing();
  if (!landing) return abstain("points with a slot are not solutions of linear equations");
  if (question.kind == Kind::Lands) return first(*linear, *landing, [](const Solutions&) { return true; });
  return Counted{landing->exist() ? Index{1} << (linear->kernel().rank() - landing->rank()) : 0};
}

}  // namespace vl::engines
