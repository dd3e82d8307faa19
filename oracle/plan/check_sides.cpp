#include "oracle/plan/check_sides.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace vl::oracle::checker {
namespace {

constexpr Index kMostBytes = Index{1} << 60;  // of a memory: no sum of an address and a stride within it leaves 64 bits
constexpr int kMostBits = 62;                 // every bit that a swizzle of bytes names lies below

Objection too_many_variables() { return fmt::format("more than {} variables", kMostVariables); }

const char* name(std::size_t k) { return k == 0 ? "source" : "destination"; }

bool same_extents(const map::Space& a, const map::Space& b) {
  return std::ranges::equal(a.dims(), b.dims(), {}, &map::Dim::extent, &map::Dim::extent);
}

// Units of a memory; -1 if that leaves 64 bits, -2 if an offset is negative.
Index units_in(const Side& side) {
  const map::Layout& layout = *side.layout;
  if (side.kind == Side::Kind::Dense) return layout.logical().volume();
  if (side.kind == Side::Kind::Image) return layout.physical().volume();
  if (layout.logical().volume() == 0) return 0;
  Index low = layout.host_offset().constant;
  Index high = low;
  for (const map::Term& term : layout.host_offset().terms)
    if (!accumulate(term.coefficient < 0 ? low : high, term.coefficient, layout.logical().extent(term.input) - 1))
      return -1;
  if (low < 0) return -2;
  return checked_add(high, 1).value_or(-1);
}

bool pinned(const Side& side, std::size_t dim) { return dim < 64 && (side.pinned >> dim & 1) != 0; }

// Whether a map without this stage is the same map.
bool has_no_effect(const map::Stage& stage) {
  if (const auto* split = std::get_if<map::Split>(&stage)) return split->weights.size() == 1;
  if (const auto* swizzle = std::get_if<map::Swizzle>(&stage)) return swizzle->bits == 0;
  return false;
}

}  // namespace

Objection Sides::sizes() {
  const Index unit = relation_.unit;
  if (unit != 1 && unit != 2 && unit != 4 && unit != 8 && unit != 16) return fmt::format("a unit of {} bytes", unit);
  for (std::size_t k = 0; k < 2; ++k) {
    if (side(k).layout == nullptr) return fmt::format("the {} has no layout", name(k));
    if (side(k).replicas && side(k).kind != Side::Kind::Image)
      return fmt::format("replicas of the {}, no image", name(k));
    units_[k] = units_in(side(k));
    if (units_[k] == -2) return fmt::format("the {} has negative offsets", name(k));
    if (units_[k] < 0 || units_[k] > kMostBytes / unit) return fmt::format("the {} is too large", name(k));
  }
  if (relation_.nests == nullptr && !same_extents(side(0).layout->logical(), side(1).layout->logical()))
    return "two sides of different tensors";
  return std::nullopt;
}

bool Sides::onto_each_unit_once() const {
  if (relation_.nests != nullptr || side(1).kind != Side::Kind::Dense) return false;
  const map::Space& logical = side(1).layout->logical();
  for (std::size_t k = 0; k < logical.rank(); ++k)
    if (pinned(side(1), k) && logical.extent(k) > 1) return false;
  return !side(0).replicas || side(0).layout->replicas().volume() == 1;
}

Objection Sides::start(bool& more) {
  const std::size_t cells = relation_.nests == nullptr ? 1 : relation_.nests->nests.size();
  more = false;
  while (!more && started_ < cells) {
    bool empty = false;
    cells_.clear();
    auto objection =
        relation_.nests == nullptr ? start_domain(empty) : start_nest(relation_.nests->nests[started_], empty);
    if (objection) return objection;
    ++started_;
    more = !empty;
  }
  return std::nullopt;
}

// One variable for each dimension of the domain whose extent is not 1, then the lines that begin there.
Objection Sides::start_domain(bool& empty) {
  const auto variable_of = [&](Index extent, std::size_t& variable) {
    variable = kNone;
    empty = empty || extent == 0;
    if (extent == 1) return true;
    if (cells_.variables == kMostVariables) return false;
    cells_.extents[variable = cells_.variables++] = extent;
    return true;
  };
  const map::Space& logical = side(0).layout->logical();
  for (std::size_t k = 0; k < 2; ++k) {
    input_count_[k] = logical.rank() + (side(k).kind == Side::Kind::Image ? side(k).layout->replicas().rank() : 0);
    if (input_count_[k] > kMostLines) return fmt::format("the {} has more than {} dimensions", name(k), kMostLines);
  }
  for (std::size_t dim = 0; dim < logical.rank(); ++dim) {
    const bool nowhere = pinned(side(0), dim) && pinned(side(1), dim) && logical.extent(dim) > 0;
    std::size_t variable = kNone;
    if (!variable_of(nowhere ? 1 : logical.extent(dim), variable)) return too_many_variables();
    for (std::size_t k = 0; k < 2; ++k) inputs_[k][dim] = pinned(side(k), dim) ? kNone : variable;
  }
  for (std::size_t k = 0; k < 2; ++k)
    for (std::size_t i = logical.rank(); i < input_count_[k]; ++i) {
      const Index extent = side(k).layout->replicas().extent(i - logical.rank());
      inputs_[k][i] = kNone;
      if (!side(k).replicas && extent == 0 && logical.volume() > 0)
        return fmt::format("the {} has no replica", name(k));
      if (side(k).replicas && !variable_of(extent, inputs_[k][i])) return too_many_variables();
    }
  if (empty) return std::nullopt;
  for (std::size_t k = 0; k < 2; ++k) {
    if (side(k).kind == Side::Kind::View) view(k);
    if (auto objection = side(k).kind == Side::Kind::Dense   ? dense(k)
                         : side(k).kind == Side::Kind::Image ? image(k)
                                                             : std::nullopt)
      return objection;
  }
  return std::nullopt;
}

Objection Sides::start_nest(const use::Nest& nest, bool& empty) {
  const std::size_t rank = nest.extents.size();
  if (nest.source.strides.size() != rank || nest.destination.strides.size() != rank) return "strides of another rank";
  if (std::ranges::any_of(nest.extents, [](Index extent) { return extent < 0; })) return "a negative extent";
  empty = std::ranges::find(nest.extents, Index{0}) != nest.extents.end();
  if (empty) return std::nullopt;
  Lines& from = cells_.lines(0);
  Lines& to = cells_.lines(1);
  from.count = to.count = 1;
  from.constants[0] = nest.source.offset;
  to.constants[0] = nest.destination.offset;
  for (std::size_t k = 0; k < rank; ++k) {
    if (nest.extents[k] == 1) continue;
    if (cells_.variables == kMostVariables) return too_many_variables();
    const std::size_t variable = cells_.variables++;
    cells_.extents[variable] = nest.extents[k];
    from.coefficients[0][variable] = nest.source.strides[k];
    to.coefficients[0][variable] = nest.destination.strides[k];
  }
  for (Progress& progress : cells_.progress) progress.is_address = true;
  return std::nullopt;
}

Objection Sides::dense(std::size_t k) {
  Lines& lines = cells_.lines(k);
  lines.set(0, cells_.variables, 0);
  lines.count = 1;
  cells_.progress[k].is_address = true;
  Index weight = 1;
  const map::Space& logical = side(k).layout->logical();
  for (std::size_t dim = logical.rank(); dim-- > 0;) {
    if (inputs_[k][dim] != kNone) lines.coefficients[0][inputs_[k][dim]] = weight;
    if (__builtin_mul_overflow(weight, logical.extent(dim), &weight)) return overflow();
  }
  return std::nullopt;
}

void Sides::view(std::size_t k) {
  Lines& lines = cells_.lines(k);
  lines.set(0, cells_.variables, side(k).layout->host_offset().constant);
  lines.count = 1;
  cells_.progress[k].is_address = true;
  for (const map::Term& term : side(k).layout->host_offset().terms)
    if (inputs_[k][term.input] != kNone) lines.coefficients[0][inputs_[k][term.input]] = term.coefficient;
}

// The inputs of the map; or the outputs of its first stage, if that is affine.
Objection Sides::image(std::size_t k) {
  Lines& lines = cells_.lines(k);
  const auto* first = stages(k).empty() ? nullptr : std::get_if<map::Affine>(&stages(k).front());
  lines.count = first == nullptr ? input_count_[k] : first->rows.size();
  if (lines.count > kMostLines) return fmt::format("the {} has more than {} lines", name(k), kMostLines);
  for (std::size_t i = 0; i < lines.count; ++i) {
    lines.set(i, cells_.variables, first == nullptr ? 0 : first->rows[i].constant);
    if (first == nullptr && inputs_[k][i] != kNone) lines.coefficients[i][inputs_[k][i]] = 1;
    if (first == nullptr) continue;
    for (const map::Term& term : first->rows[i].terms)  // of inputs that ascend: none comes twice
      if (inputs_[k][term.input] != kNone) lines.coefficients[i][inputs_[k][term.input]] = term.coefficient;
  }
  cells_.progress[k].stage = first == nullptr ? 0 : 1;
  pass_stages_without_effect(k);
  return std::nullopt;
}

void Sides::pass_stages_without_effect(std::size_t k) {
  Progress& progress = cells_.progress[k];
  while (progress.stage < stages(k).size() && has_no_effect(stages(k)[progress.stage])) ++progress.stage;
}

Objection Sides::rewrite(Rule rule) {
  const std::size_t k = cells_.progress[0].is_address ? 1 : 0;
  Progress& progress = cells_.progress[k];
  if (progress.is_address) return "both sides are addresses already";
  if (rule == Rule::Address) return address(k);
  if (progress.stage == stages(k).size()) return fmt::format("the map of the {} has no stage left", name(k));
  const map::Stage& stage = stages(k)[progress.stage];
  const auto* split = std::get_if<map::Split>(&stage);
  const auto* rows = std::get_if<map::Affine>(&stage);
  const auto* swizzle = std::get_if<map::Swizzle>(&stage);
  if (split != nullptr && rule == Rule::Digit) return digit(k, *split);
  if (rows != nullptr && rule == Rule::Affine) {
    if (auto objection = affine(k, *rows)) return objection;
  } else if (swizzle != nullptr && rule == Rule::Constant) {
    if (auto objection = constant(k, *swizzle)) return objection;
  } else if (swizzle != nullptr && rule == Rule::Swizzle) {
    progress.left = swizzle;
  } else {
    return fmt::format("the next stage of the {} is another one", name(k));
  }
  ++progress.stage;
  pass_stages_without_effect(k);
  if (progress.left != nullptr && progress.stage != stages(k).size())
    return fmt::format("a stage of the {} follows the swizzle", name(k));
  return std::nullopt;
}

Objection Sides::affine(std::size_t k, const map::Affine& stage) {
  const Lines& in = cells_.lines(k);
  Lines& out = cells_.spare();
  if (stage.rows.size() > kMostLines) return fmt::format("the {} has more than {} lines", name(k), kMostLines);
  out.count = stage.rows.size();
  for (std::size_t i = 0; i < out.count; ++i) {
    const map::Row& row = stage.rows[i];
    if (row.constant == 0 && row.terms.size() == 1 && row.terms[0].coefficient == 1) {  // as most are
      out.copy(i, in, row.terms[0].input, cells_.variables);
      continue;
    }
    out.set(i, cells_.variables, row.constant);
    for (const map::Term& term : row.terms) {
      if (!accumulate(out.constants[i], term.coefficient, in.constants[term.input])) return overflow();
      for (std::size_t v = 0; v < cells_.variables; ++v)
        if (!accumulate(out.coefficients[i][v], term.coefficient, in.coefficients[term.input][v])) return overflow();
    }
  }
  cells_.take_spare(k);
  return std::nullopt;
}

// line = w·quotient + rest as lines, whatever the numbers are; with 0 <= rest < w at every point, the quotient is
// floor(line / w) and the rest is line mod w. No part of the rest is negative, so its largest value is the sum of
// theirs.
Objection Sides::digit(std::size_t k, const map::Split& stage) {
  Lines& lines = cells_.lines(k);
  Progress& progress = cells_.progress[k];
  const std::size_t at = stage.input + progress.weight;
  const Index w = stage.weights[progress.weight];
  if (lines.count == kMostLines) return fmt::format("the {} has more than {} lines", name(k), kMostLines);
  for (std::size_t i = lines.count; i-- > at + 1;) lines.copy(i + 1, lines, i, cells_.variables);
  ++lines.count;
  const auto divide = [w](Index& quotient, Index& rest) {
    const Index number = quotient;
    const bool small = number >= 0 && number < w;  // as most are
    quotient = small ? 0 : floor_div(number, w);
    rest = small ? number : floor_mod(number, w);
  };
  lines.constants[at + 1] = lines.constants[at];
  divide(lines.constants[at], lines.constants[at + 1]);
  Index most = lines.constants[at + 1];
  for (std::size_t v = 0; v < cells_.variables; ++v) {
    Index& rest = lines.coefficients[at + 1][v];
    divide(lines.coefficients[at][v], rest);
    if (!accumulate(most, rest, cells_.extents[v] - 1)) return overflow();
  }
  if (most >= w) return fmt::format("the rest reaches {}, the weight is {}", most, w);
  if (++progress.weight + 1 < stage.weights.size()) return std::nullopt;
  progress.weight = 0;
  ++progress.stage;
  pass_stages_without_effect(k);
  return std::nullopt;
}

Objection Sides::constant(std::size_t k, const map::Swizzle& stage) {
  Lines& lines = cells_.lines(k);
  if (!cells_.is_constant(k, stage.input)) return "the swizzled line is not constant";
  if (lines.constants[stage.input] < 0) return "the swizzled number is negative";
  lines.set(stage.input, cells_.variables, map::apply(stage, lines.constants[stage.input]));
  return std::nullopt;
}

Objection Sides::address(std::size_t k) {
  const Lines& lines = cells_.lines(k);
  Progress& progress = cells_.progress[k];
  if (progress.stage != stages(k).size()) return fmt::format("a stage of the {} is left", name(k));
  const map::Space& physical = side(k).layout->physical();
  const map::Swizzle* swizzle = progress.left;
  for (std::size_t i = 0; i < lines.count; ++i) {
    const Index extent = i < physical.rank() ? physical.extent(i) : 1;  // a guard is 0
    if (auto objection = in_box(k, i, extent, swizzle != nullptr && swizzle->input == i ? swizzle : nullptr))
      return objection;
  }
  std::array<Index, kMostLines> weights;
  Index volume = 1;
  for (std::size_t i = physical.rank(); i-- > 0;) {
    weights[i] = volume;
    if (__builtin_mul_overflow(volume, physical.extent(i), &volume)) return overflow();
  }
  Lines& out = cells_.spare();
  out.count = 1;
  out.set(0, cells_.variables, 0);
  for (std::size_t i = 0; i < physical.rank(); ++i) {
    // If a guard is swizzled, no part of the address is.
    if (swizzle != nullptr && swizzle->input == i)
      if (auto objection = swizzle_as_a_whole(k, *swizzle, out, weights[i])) return objection;
    if (!accumulate(out.constants[0], weights[i], lines.constants[i])) return overflow();
    for (std::size_t v = 0; v < cells_.variables; ++v)
      if (cells_.extents[v] != 1 && !accumulate(out.coefficients[0][v], weights[i], lines.coefficients[i][v]))
        return overflow();
  }
  progress.is_address = true;
  cells_.take_spare(k);
  return std::nullopt;
}

Objection Sides::in_box(std::size_t k, std::size_t line, Index extent, const map::Swizzle* swizzle) const {
  const auto range = cells_.range(k, line);
  if (!range) return overflow();
  Index high = range->high;
  if (swizzle != nullptr && range->low >= 0)
    high = bound_of({static_cast<std::uint8_t>(swizzle->base), static_cast<std::uint8_t>(swizzle->bits),
                     static_cast<std::uint8_t>(swizzle->shift), swizzle->direction == map::Swizzle::Direction::Up},
                    high);
  if (range->low >= 0 && high < extent) return std::nullopt;
  if (line < side(k).layout->physical().rank())
    return fmt::format("coordinate {} of the {} runs from {} to {} in [0, {})", line, name(k), range->low, high,
                       extent);
  return fmt::format("a guard of the {} runs from {} to {}", name(k), range->low, high);
}

// The number of a unit is above + 2^k·c + below with c the swizzled coordinate and 0 <= below < 2^k. With `above` a
// multiple of 2^k times a power of two beyond the swizzle's bits, bit i of c is bit i + k of the number wherever the
// swizzle looks or writes: swizzling c is swizzling the number k bits further up.
Objection Sides::swizzle_as_a_whole(std::size_t k, const map::Swizzle& swizzle, const Lines& above, Index weight) {
  if (!std::has_single_bit(static_cast<std::uint64_t>(weight)))
    return fmt::format("a swizzled coordinate of weight {}", weight);
  const int up = std::countr_zero(static_cast<std::uint64_t>(weight));
  const int end = swizzle.base + swizzle.bits + swizzle.shift + up;
  const int bytes = std::countr_zero(static_cast<std::uint64_t>(relation_.unit));
  if (end + bytes > kMostBits) return "a swizzle of bits that no address has";
  const Index below = (Index{1} << end) - 1;
  bool multiples = (above.constants[0] & below) == 0;
  for (std::size_t v = 0; v < cells_.variables; ++v) multiples = multiples && (above.coefficients[0][v] & below) == 0;
  if (!multiples) return "coordinates above the swizzled one reach into its bits";
  cells_.progress[k].swizzle = {static_cast<std::uint8_t>(swizzle.base + up), static_cast<std::uint8_t>(swizzle.bits),
                                static_cast<std::uint8_t>(swizzle.shift),
                                swizzle.direction == map::Swizzle::Direction::Up};
  return std::nullopt;
}

Objection Sides::emit() const {
  for (std::size_t k = 0; k < 2; ++k) {
    if (!cells_.progress[k].is_address) return fmt::format("the {} is not an address yet", name(k));
    const auto range = cells_.range(k, 0);
    if (!range) return overflow();
    if (range->low < 0 || range->high >= units_[k])
      return fmt::format("units {} to {} of the {}, which has {}", range->low, range->high, name(k), units_[k]);
  }
  return std::nullopt;
}

// Only bits below `top` change, so x <= high becomes at most high with these bits set. Down, where the bits that are
// read are 0 in `high`: an x <= high that has one differs from it first above all of them, and stays below.
Index bound_of(const ByteSwizzle& swizzle, Index high) {
  const int width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(high)));
  const int read = swizzle.up ? swizzle.base : swizzle.base + swizzle.shift;
  const Index field = (Index{1} << swizzle.bits) - 1;
  if (swizzle.bits == 0 || width <= read || (!swizzle.up && ((high >> read) & field) == 0)) return high;
  const int top = swizzle.up ? std::min(swizzle.base + swizzle.bits, width) + swizzle.shift
                             : std::min(swizzle.base + swizzle.bits, width - swizzle.shift);
  return high | ((Index{1} << top) - 1);
}

}  // namespace vl::oracle::checker
