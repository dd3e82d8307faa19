// The strided engine: questions about blocks, answered by counting. A block's offsets usually fill an interval; then
// "some offset has no slot" is "fewer allowed offsets than offsets", and the smallest witness is found coordinate by
// coordinate: the least v such that the sub-box up to v already contains one, by binary search on the counts.
#include <algorithm>
#include <numeric>

#include "verifier/engines/engine.h"
#include "verifier/engines/forms/bisect.h"
#include "verifier/engines/forms/blocks.h"
#include "verifier/engines/forms/collision.h"
#include "verifier/engines/forms/over_digits.h"
#include "verifier/engines/forms/same_places.h"
#include "verifier/engines/forms/stagewise.h"

namespace vl::engines {
namespace {

Box full_box(const map::Space& space) { return whole(map::extents_of(space)); }

// Coordinates by descending stride: sub-boxes in this order keep filling intervals.
std::vector<std::size_t> stride_order(const Blocks& blocks, std::size_t rank) {
  std::vector<Index> strides(rank, 0);
  for (const SplitBlock& block : blocks.blocks())
    for (const map::Term& term : block.source.terms)
      strides[term.input] = term.coefficient < 0 ? -term.coefficient : term.coefficient;
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return strides[a] > strides[b]; });
  return order;
}

std::optional<bool> some_escape(const Blocks& blocks, const Box& inputs) {
  if (!blocks.constants_allowed(blocks.slot_box())) return true;
  bool known = true;
  for (const SplitBlock& block : blocks.blocks()) {
    const Tally tally = blocks.tally(block, inputs, blocks.slot_box());
    if (tally.distinct && tally.allowed && *tally.allowed < *tally.distinct) return true;
    known = known && tally.all_allowed;
  }
  return known ? std::optional(false) : std::nullopt;
}

std::optional<bool> some_land(const Blocks& blocks, const Box& inputs) {
  if (!blocks.constants_allowed(blocks.slot_box())) return false;
  bool known = true;
  for (const SplitBlock& block : blocks.blocks()) {
    const Tally tally = blocks.tally(block, inputs, blocks.slot_box());
    if (tally.allowed && *tally.allowed == 0) return false;
    known = known && (tally.all_allowed || (tally.allowed && *tally.allowed > 0));
  }
  return known ? std::optional(true) : std::nullopt;
}

Answer find_point(const Question& question, const Blocks& blocks,
                  std::optional<bool> (*property)(const Blocks&, const Box&)) {
  const map::Layout& layout = *question.layout;
  const Box box = full_box(layout.domain());
  const Bad holds = [&](const Box& inputs) { return property(blocks, inputs); };
  First first = first_bad(box, holds);
  const bool minimal = first.decided;
  if (!minimal) first = first_bad(box, holds, 0, stride_order(blocks, box.size()));
  if (first.decided && !first.point) return None{};
  if (first.decided) return Found{{std::move(*first.point), {}, {}}, minimal};
  Point last;  // the far corner is where a box that is too small shows first
  for (const Range& range : box) last.push_back(range.high);
  if (question::replay(question, {last, {}, {}})) return Found{{last, {}, {}}, false};
  return abstain("the host's offsets fill no interval");
}

// p and q = p + delta over the terms of a block, both in the box; the other coordinates as in `base`.
std::pair<Point, Point> collision_from(const SplitBlock& block, const std::vector<Index>& delta, const Point& base) {
  Point p = base;
  Point q = base;
  for (std::size_t t = 0; t < delta.size(); ++t) {
    const std::size_t input = block.source.terms[t].input;
    p[input] = std::max<Index>(0, -delta[t]);
    q[input] = std::max<Index>(0, delta[t]);
  }
  if (q < p) std::swap(p, q);
  return {p, q};
}

Answer collides(const Question& question, const Blocks& blocks) {
  const map::Layout& layout = *question.layout;
  const Box box = full_box(layout.domain());
  if (blocks.loses_digits()) return abstain("a digit is dropped, so offsets alone do not decide");
  bool undetermined = false;
  const SplitBlock* colliding = nullptr;
  std::vector<Index> delta;
  for (const SplitBlock& block : blocks.blocks()) {
    const auto modes = modes_of(block.source, box);
    if (!modes) return abstain("an offset leaves 64 bits");
    const Injectivity answer = injectivity(modes->modes);
    undetermined = undetermined || std::holds_alternative<Undetermined>(answer);
    if (const auto* found = std::get_if<Colliding>(&answer); found && !colliding) {
      colliding = &block;
      delta = found->delta;
    }
  }
  if (!colliding && !undetermined && blocks.idle_inputs().empty()) return None{};

  // Where every element has a slot, every collision counts.
  const auto escape = some_escape(blocks, box);
  if (escape && !*escape) {
    std::vector<Row> rows;
    for (const SplitBlock& block : blocks.blocks()) rows.push_back(block.source);
    const Collision first = smallest_collision(rows, box);
    if (first.decided && !first.pair) return None{};
    if (first.pair) return Found{{first.pair->first, first.pair->second, {}}, true};
  }

  if (!colliding && blocks.idle_inputs().empty()) return abstain("the strides neither peel nor collide in pairs");
  // Coordinates collide; a collision counts where it has a slot.
  const Answer landing = find_point({Kind::Lands, question.layout, nullptr}, blocks, some_land);
  if (std::holds_alternative<None>(landing)) {
    const Witness origin{Point(box.size(), 0), {}, {}};
    VL_CHECK(!question::replay({Kind::Lands, question.layout, nullptr}, origin), "counting lost a slot");
    return None{};
  }
  const auto* first = std::get_if<Found>(&landing);
  if (!first) return abstain("whether any element has a slot is not known");
  Point p = first->witness.p;
  Point q = p;
  bool minimal = false;
  if (!blocks.idle_inputs().empty()) {
    p[blocks.idle_inputs().back()] = 0;
    q[blocks.idle_inputs().back()] = 1;
    minimal = first->minimal && !colliding && !undetermined;
  } else {
    std::tie(p, q) = collision_from(*colliding, delta, p);
  }
  Witness witness{p, q, {}};
  if (question::replay(question, witness)) return Found{std::move(witness), minimal};
  return abstain("the collision that the strides show has no slot");
}

// Lexicographically smallest slot that is not hit: the least v whose sub-box has fewer hits than slots.
Answer unhit(const Question& question, const Blocks& blocks) {
  const map::Space& physical = question.layout->physical();
  const Box inputs = full_box(question.layout->domain());
  const auto some_unhit = [&](const Box& slots) -> std::optional<bool> {
    Box outputs = blocks.slot_box();
    std::ranges::copy(slots, outputs.begin());
    std::vector<Index> extents;
    for (const Range& range : slots) extents.push_back(range.high - range.low + 1);
    const auto hit = blocks.occupied(inputs, outputs);
    if (!hit) return std::nullopt;
    return *hit < *checked_product(extents);
  };
  First first = first_bad(full_box(physical), some_unhit);
  if (first.decided && !first.point) return None{};
  const bool is_large = !question.layout->decode() && question.layout->domain().volume() > question::kReplayWalk;
  if (first.decided && is_large && !question::replay(question, {{}, {}, *first.point}))
    return abstain("an empty slot of so large a layout without a decode map could not be replayed");
  if (first.decided) return Found{{{}, {}, std::move(*first.point)}, true};
  return abstain("the number of occupied slots is not known in closed form");
}

// Facts about points that have a slot, by rewriting alone.
class OnSlots {
 public:
  explicit OnSlots(const map::Layout& layout) : layout_(layout), symbolic_(layout.domain()) {
    outputs_ = symbolic_.inputs();
    fits_ = symbolic_.run(layout.map().stages(), outputs_);
    for (std::size_t j = 0; fits_ && j < outputs_.size(); ++j)
      symbolic_.assume(outputs_[j],
                       j < layout.physical().rank() ? Range{0, layout.physical().extent(j) - 1} : Range{0, 0});
    for (Row& row : outputs_) {
      if (!fits_) break;
      auto simple = symbolic_.simplify(row);
      fits_ = simple.has_value();
      if (fits_) row = std::move(*simple);
    }
  }

  // decode(m(p)) = p for every p with a slot.
  [[nodiscard]] bool decode_inverts() {
    if (!fits_) return false;
    std::vector<Row> values(outputs_.begin(),
                            outputs_.begin() + static_cast<std::ptrdiff_t>(layout_.physical().rank()));
    if (!symbolic_.run(layout_.decode()->stages(), values)) return false;
    const std::vector<Row> expected = symbolic_.inputs();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto simple = symbolic_.simplify(values[i]);
      const auto same = symbolic_.simplify(i < expected.size() ? expected[i] : Row{});
      if (!simple || !same || *simple != *same) return false;
    }
    return true;
  }

  // The offset identity holds as an identity of linear rows.
  [[nodiscard]] bool identity_holds() const {
    if (!fits_) return false;
    const auto slot = symbolic_.combine(layout_.identity()->slot, outputs_);
    const auto element = symbolic_.combine(layout_.identity()->element, symbolic_.inputs());
    return slot && element && *slot == *element;
  }

 private:
  const map::Layout& layout_;
  Symbolic symbolic_;
  std::vector<Row> outputs_;
  bool fits_ = false;
};

// Both maps give every element a slot, and as linear rows over shared digits the two places in memory are the same, for
// every element and replica.
bool same_memory(const Question& question, const Options& options) {
  const map::Space& domain = question.layout->domain();
  if (map::extents_of(domain) != map::extents_of(question.other->domain())) return false;
  Symbolic symbolic(domain);
  std::vector<Row> rows;
  for (const map::Layout* layout : {question.layout, question.other}) {
    if (!std::holds_alternative<None>(decide_strided({Kind::Escapes, layout, nullptr}, options))) return false;
    std::vector<Row> outputs = symbolic.inputs();
    if (!symbolic.run(layout->map().stages(), outputs)) return false;
    auto row = symbolic.combine(map::row_major_number(layout->physical()), outputs);
    if (!row) return false;
    rows.push_back(std::move(*row));
  }
  return rows[0] == rows[1];
}

bool same_layout(const map::Layout& a, const map::Layout& b) {
  return a.map().stages() == b.map().stages() && a.logical() == b.logical() && a.replicas() == b.replicas() &&
         a.physical() == b.physical();
}

Answer differs(const Question& question, const Options& options) {
  if (same_layout(*question.layout, *question.other) || same_memory(question, options)) return None{};
  for (const bool keep_idle_swizzle : {false, true}) {
    const auto a = DigitDomain::of(*question.layout, keep_idle_swizzle);
    const auto b = DigitDomain::of(*question.other, keep_idle_swizzle);
    if (!a || !b || (keep_idle_swizzle && !a->swizzle())) continue;
    Answer answer = decide_same_places(question, *a, *b);
    if (!std::holds_alternative<Abstained>(answer)) return answer;
  }
  if (auto witness = differing_sample(question)) return Found{std::move(*witness), false};
  return abstain("rewriting does not show that the maps are the same");
}

// What the ranges of the outputs and the stages show, of a box in which every point has a slot.
std::optional<Answer> by_stages(const Question& question) {
  const map::Layout& layout = *question.layout;
  switch (question.kind) {
    case Kind::Escapes: return lands_by_ranges(layout) ? std::optional<Answer>(None{}) : std::nullopt;
    case Kind::Collides: return told_by_stages(layout.map()) ? std::optional<Answer>(None{}) : std::nullopt;
    case Kind::Count:
      if (!lands_by_ranges(layout) || !told_by_stages(layout.map())) return std::nullopt;
      return Counted{layout.domain().volume()};
    default: return std::nullopt;
  }
}

}  // namespace

Answer decide_strided(const Question& question, const Options& options) {
  const map::Layout& layout = *question.layout;
  if (question.kind == Kind::Differs) return differs(question, options);
  if (question.kind == Kind::Collides && question.other != nullptr)
    return abstain("images of two layouts are not compared in closed form");
  if (question.kind == Kind::Misdecodes)
    return OnSlots(layout).decode_inverts() ? Answer(None{}) : Answer(abstain("rewriting does not invert the map"));
  if (question.kind == Kind::Breaks)
    return OnSlots(layout).identity_holds() ? Answer(None{}) : Answer(abstain("rewriting does not show the identity"));

  if (const auto digits = DigitDomain::of(layout)) {
    Answer answer = decide_over_digits(question, *digits);
    if (!std::holds_alternative<Abstained>(answer)) return answer;
  }
  if (auto answer = by_stages(question)) return std::move(*answer);
  const auto fragment = Blocks::of(layout);
  if (const auto* why = std::get_if<std::string>(&fragment)) return abstain(*why);
  const Blocks& blocks = std::get<Blocks>(fragment);
  switch (question.kind) {
    case Kind::Escapes: return find_point(question, blocks, some_escape);
    case Kind::Lands: return find_point(question, blocks, some_land);
    case Kind::Collides: return collides(question, blocks);
    case Kind::Misses: return unhit(question, blocks);
    case Kind::Count: {
      const auto count = blocks.occupied(full_box(layout.domain()), blocks.slot_box());
      return count ? Answer(Counted{*count}) : Answer(abstain("the host's offsets fill no interval"));
    }
    case Kind::Misdecodes:
    case Kind::Breaks:
    case Kind::Differs:
    case Kind::Crowds: break;
  }
  VL_CHECK(false, "unknown kind of question");
}

}  // namespace vl::engines
