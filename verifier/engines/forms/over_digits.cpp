#include "verifier/engines/forms/over_digits.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "verifier/engines/forms/bisect.h"
#include "verifier/engines/forms/collision.h"
#include "verifier/engines/forms/modes.h"
#include "verifier/engines/forms/subset_sum.h"
#include "verifier/engines/forms/swizzled.h"

namespace vl::engines {
namespace {

// (a, b) -> ceil and floor of the steps k with base + step·k in the range, within [0, count).
Index count_of(const Filling& filling, const Range& range) {
  const __int128 low = __int128{range.low} - filling.base;
  const __int128 high = __int128{range.high} - filling.base;
  if (high < 0) return 0;
  const __int128 first = low <= 0 ? 0 : (low + filling.step - 1) / filling.step;
  const __int128 last = std::min<__int128>(high / filling.step, filling.count - 1);
  return last < first ? 0 : static_cast<Index>(last - first + 1);
}

class DigitQuestions {
 public:
  DigitQuestions(const map::Layout& layout, const DigitDomain& digits)
      : layout_(layout), digits_(digits), uses_(digits.box().size()) {
    const std::size_t physical = layout.physical().rank();
    for (std::size_t j = 0; j < digits.rows().size(); ++j) {
      extents_.push_back(j < physical ? layout.physical().extent(j) : 1);
      for (const map::Term& term : digits.rows()[j].terms)
        if (digits.box()[term.input].high > 0) uses_[term.input].push_back(j);
    }
    if (!digits.swizzle()) return;
    const std::size_t s = digits.swizzle()->input;
    sides_ = sides_of(*digits.swizzle(), extents_[s], range_of(digits.rows()[s], digits.box())->high);
  }

  /// False where the swizzle's part is not known: nothing is decided then.
  [[nodiscard]] bool known() const {
    return !digits_.swizzle() || (sides_ && digits_.after().constant == 0 && digits_.after().terms.empty());
  }

  std::optional<bool> some_escape(const Box& box) {
    bool known = true;
    for (std::size_t j = 0; j < extents_.size(); ++j) {
      const Row& row = digits_.rows()[j];
      if (swizzled(j)) {
        const auto met = meets_any(row, box, sides_->leave, effort_);
        if (met && *met) return true;
        known = known && met;
      } else if (const auto range = range_of(row, box); !range || range->low < 0 || range->high >= extents_[j]) {
        return range ? std::optional(true) : std::nullopt;
      }
    }
    return known ? std::optional(false) : std::nullopt;
  }

  std::optional<bool> some_land(const Box& box) {
    bool known = true;
    for (std::size_t j = 0; j < extents_.size(); ++j) {
      const auto met = meets_any(digits_.rows()[j], box, allowed(j), effort_);
      if (met && !*met) return false;
      known = known && met;
    }
    if (known && apart()) return true;
    const auto escape = some_escape(box);
    return escape && !*escape ? std::optional(true) : std::nullopt;
  }

  Answer first_point(const Bad& holds) const {
    const First first = first_bad(digits_.box(), holds);
    if (!first.decided) return abstain("the strides nest too little for a search");
    return first.point ? Answer(Found{{digits_.point(*first.point), {}, {}}, true}) : None{};
  }

  Answer collides();
  Answer unhit();
  Answer occupied();

 private:
  [[nodiscard]] bool swizzled(std::size_t j) const { return digits_.swizzle() && digits_.swizzle()->input == j; }
  /// The values of row j, before the swizzle, with which output j is in its range.
  [[nodiscard]] std::vector<Range> allowed(std::size_t j) const {
    return swizzled(j) ? sides_->stay : std::vector<Range>{{0, extents_[j] - 1}};
  }
  /// No two outputs share an input, so that each can be looked at alone.
  [[nodiscard]] bool apart() const {
    return std::ranges::all_of(uses_, [](const auto& rows) { return rows.size() <= 1; });
  }
  [[nodiscard]] Box unpinned() const;
  [[nodiscard]] std::vector<Point> shifts(const Box& open) const;
  std::optional<Index> gap(std::size_t j);

  const map::Layout& layout_;
  const DigitDomain& digits_;
  std::vector<std::vector<std::size_t>> uses_;  // one an input of more than one value: the rows that it is in
  std::vector<Index> extents_;
  std::optional<Sides> sides_;
  Effort effort_;
};

// How many values the modes take. Where all larger strides are multiples of a number that exceeds what the smaller
// modes reach, a value says what each part of it is, and the parts are counted apart. (4,128,8):(1024,1,1) takes 4 ·
// 135.
std::optional<Index> values_of(std::vector<Mode> modes) {
  std::erase_if(modes, [](const Mode& mode) { return mode.extent == 1 || mode.stride == 0; });
  for (Mode& mode : modes) mode.stride = mode.stride < 0 ? -mode.stride : mode.stride;
  std::ranges::sort(modes, {}, &Mode::stride);
  Index count = 1;
  for (std::size_t first = 0, last = 0; first < modes.size(); first = last) {
    Index reach = 0;
    Index common = 0;
    do {
      if (!accumulate(reach, modes[last].stride, modes[last].extent - 1)) return std::nullopt;
      ++last;
      common = 0;
      for (std::size_t k = last; k < modes.size(); ++k) common = std::gcd(common, modes[k].stride);
    } while (last < modes.size() && common <= reach);
    const std::vector<Mode> part(modes.begin() + static_cast<std::ptrdiff_t>(first),
                                 modes.begin() + static_cast<std::ptrdiff_t>(last));
    Index values = 1;
    if (const auto filling = progression(0, part)) values = filling->count;
    else if (!std::holds_alternative<Injective>(injectivity(part))) return std::nullopt;
    else
      for (const Mode& mode : part) values *= mode.extent;
    const auto product = checked_mul(count, values);
    if (!product) return std::nullopt;
    count = *product;
  }
  return count;
}

// The box in which inputs stand at 0 in which no two points with equal rows differ.
Box DigitQuestions::unpinned() const {
  Box open = digits_.box();
  const auto moves = [&](const map::Term& term) { return open[term.input].high > 0; };
  for (bool more = true; more;) {
    more = false;
    for (const Row& row : digits_.rows()) {
      const auto modes = modes_of(row, open);
      if (std::ranges::none_of(row.terms, moves) || !std::holds_alternative<Injective>(injectivity(modes->modes)))
        continue;
      for (const map::Term& term : row.terms) open[term.input] = {0, 0};
      more = true;
    }
  }
  return open;
}

// Differences of two points with equal rows, the innermost input first.
std::vector<Point> DigitQuestions::shifts(const Box& open) const {
  std::vector<Point> out;
  for (std::size_t i = open.size(); i-- > 0;)
    if (open[i].high > 0 && uses_[i].empty()) out.emplace_back(open.size(), 0)[i] = 1;
  for (const Row& row : digits_.rows()) {
    const Injectivity answer = injectivity(modes_of(row, open)->modes);
    const auto* colliding = std::get_if<Colliding>(&answer);
    if (colliding == nullptr) continue;
    Point shift(open.size(), 0);
    bool alone = true;
    for (std::size_t t = 0; t < row.terms.size(); ++t) {
      shift[row.terms[t].input] = colliding->delta[t];
      alone = alone && (colliding->delta[t] == 0 || uses_[row.terms[t].input].size() == 1);
    }
    if (alone) out.push_back(std::move(shift));
  }
  return out;
}

Answer DigitQuestions::collides() {
  const Box open = unpinned();
  if (std::ranges::all_of(open, [](const Range& input) { return input.high == 0; })) return None{};
  const auto lands = [this](const Box& box) { return some_land(box); };
  const auto any = lands(digits_.box());
  if (any && !*any) return None{};
  const auto escape = some_escape(digits_.box());
  if (apart() && escape && !*escape) {
    const Collision first = smallest_collision(digits_.rows(), digits_.box());
    if (first.decided && !first.pair) return None{};
    if (first.pair) return Found{{digits_.point(first.pair->first), digits_.point(first.pair->second), {}}, true};
  }
  for (const Point& shift : shifts(open)) {
    Box box = digits_.box();  // the points p with p and p + shift in the domain
    for (std::size_t i = 0; i < box.size(); ++i) {
      box[i].low = std::max<Index>(0, -shift[i]);
      box[i].high -= std::max<Index>(0, shift[i]);
    }
    const auto p = first_bad(box, lands).point;
    if (!p) continue;
    Point q = *p;
    for (std::size_t i = 0; i < q.size(); ++i) q[i] += shift[i];
    Witness witness{digits_.point(*p), digits_.point(q), {}};
    if (witness.q < witness.p) std::swap(witness.p, witness.q);
    return Found{std::move(witness), false};
  }
  return abstain("the strides neither peel nor collide in pairs, or no such collision has a slot");
}

// The smallest value of output j in [0, extent) that no point has; the extent when there is none.
std::optional<Index> DigitQuestions::gap(std::size_t j) {
  const Row& row = digits_.rows()[j];
  const Index extent = extents_[j];
  const auto first = first_gap(row, digits_.box(), 0, extent - 1, effort_);
  if (!swizzled(j) || !first) return first;
  // Addresses below the gap are all taken, so the outputs of whole blocks below it are too: begin at the gap's block,
  // and look at each chunk of outputs through the chunk of addresses that goes there.
  const map::Swizzle& swizzle = *digits_.swizzle();
  const bool down = swizzle.direction == map::Swizzle::Direction::Down;
  const Index chunk = Index{1} << swizzle.base;
  const Index block = Index{1} << (swizzle.base + swizzle.bits + (down ? 0 : swizzle.shift));
  if (block / chunk > 4096) return std::nullopt;
  std::vector<std::pair<Index, Index>> chunks;  // first output, first address
  const Index start = std::min(*first, extent - 1) / block * block;
  for (Index c = 0; c < block / chunk; ++c)
    chunks.emplace_back(map::apply(swizzle, start + c * chunk), start + c * chunk);
  std::ranges::sort(chunks);
  for (const auto& [output, address] : chunks) {
    const Index last = std::min(chunk - 1, extent - 1 - output);
    if (last < 0) break;
    const auto inside = first_gap(row, digits_.box(), address, address + last, effort_);
    if (!inside) return std::nullopt;
    if (*inside <= address + last) return output + (*inside - address);
  }
  // No gap in this block. If the extent ends here that is all; else the first gap was here and cannot have been missed.
  return extent - start <= block ? std::optional(extent) : std::nullopt;
}

Answer DigitQuestions::unhit() {
  if (!apart() || layout_.guards() > 0) return abstain("outputs share a coordinate, or are guarded");
  std::optional<std::size_t> last;
  Index value = 0;
  for (std::size_t j = 0; j < extents_.size(); ++j) {
    const auto gap = this->gap(j);
    if (!gap) return abstain("the strides nest too little for a search of gaps");
    if (*gap == extents_[j] || (last && value == 0)) continue;
    last = j;  // with a 0 anywhere, the first slot is empty
    value = *gap;
  }
  if (!last) return None{};
  Witness witness{{}, {}, Point(extents_.size(), 0)};
  witness.slot[*last] = value;
  if (!question::replay({Kind::Misses, &layout_, nullptr}, witness))
    return abstain("an empty slot that cannot be replayed");
  return Found{std::move(witness), true};
}

Answer DigitQuestions::occupied() {
  const auto escape = some_escape(digits_.box());
  if (escape && !*escape && std::holds_alternative<None>(collides())) return Counted{layout_.domain().volume()};
  if (!apart()) return abstain("outputs share a coordinate");
  Index count = 1;
  for (std::size_t j = 0; j < extents_.size(); ++j) {
    const Row& row = digits_.rows()[j];
    const std::vector<Mode> modes = modes_of(row, digits_.box())->modes;
    Index values = 0;
    if (const auto filling = progression(row.constant, modes)) {
      for (const Range& range : allowed(j)) values += count_of(*filling, range);
    } else if (const auto distinct = escape && !*escape ? values_of(modes) : std::nullopt) {
      values = *distinct;
    } else {
      return abstain("the values of an output fill no progression");
    }
    const auto product = checked_mul(count, values);
    if (!product) return abstain("more than 64 bits of slots");
    count = *product;
  }
  return Counted{count};
}

}  // namespace

Answer decide_over_digits(const Question& question, const DigitDomain& digits) {
  DigitQuestions questions(*question.layout, digits);
  if (!questions.known()) return abstain("a swizzle over too many chunks, or a sum behind it");
  switch (question.kind) {
    case Kind::Escapes: return questions.first_point([&](const Box& box) { return questions.some_escape(box); });
    case Kind::Lands: return questions.first_point([&](const Box& box) { return questions.some_land(box); });
    case Kind::Collides: return questions.collides();
    case Kind::Misses: return questions.unhit();
    case Kind::Count: return questions.occupied();
    case Kind::Misdecodes:
    case Kind::Breaks:
    case Kind::Differs:
    case Kind::Crowds: break;
  }
  VL_CHECK(false, "decide_over_digits() of another kind of question");
}

std::optional<bool> all_land(const map::Layout& layout, const DigitDomain& digits) {
  DigitQuestions questions(layout, digits);
  if (!questions.known()) return std::nullopt;
  const auto escape = questions.some_escape(digits.box());
  return escape ? std::optional(!*escape) : std::nullopt;
}

}  // namespace vl::engines
