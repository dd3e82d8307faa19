// Specs for campaigns. A right one has as many cores as shards, in one rectangle or two; the physical array is computed
// here, apart from the rules. A broken one has too few cores for the shard of the tensor's last element, one core
// twice, shards that end in front of it, or cores that no grid has.
#include "encodings/ttmetal/samples.h"

#include <algorithm>

#include "encodings/ttmetal/ttmetal.h"

namespace vl::ttmetal {
namespace sampling {  // apart from the family's names
namespace {

using use::Feature;
using use::Random;
using Sizes = std::vector<Index>;
constexpr auto& parsed_of = use::notation_of<Parsed>;

Index ceil_of(Index value, Index step) { return (value + step - 1) / step; }
Index rounded(Index value, Index step) { return ceil_of(value, step) * step; }

Tile some_tile(Random& random, Index elements) {
  Tile out;
  if (elements > 500 && random.chance(30)) out = tile_of(random.chance(50) ? 32 : 16, random.chance(70) ? 32 : 16);
  else if (random.chance(70)) out = {2, 2, 1, 1, false, false};
  else out = {random.chance(50) ? 4 : 2, random.chance(50) ? 4 : 6, random.chance(50) ? 2 : 1, 2, false, false};
  out.faces_by_column = random.chance(20);
  out.within_by_column = random.chance(20);
  return out;
}

// At least `count` cores: a rectangle somewhere, or one with a part of a row below.
std::vector<CoreRange> some_cores(Random& random, Index count, bool one) {
  const Index x = random.chance(30) ? random.between(1, 2) : 0, y = random.chance(30) ? random.between(1, 2) : 0;
  const Index width = random.between(1, std::min<Index>(count, 5)), rows = count / width, rest = count % width;
  if (one || rows == 0 || rest == 0) return {{x, y, x + width - 1, y + ceil_of(count, width) - 1}};
  const Index shift = random.chance(30) ? 1 : 0;  // the second does not continue the first
  return {{x, y, x + width - 1, y + rows - 1}, {x + shift, y + rows, x + shift + rest - 1, y + rows}};
}

// Two ranges of `count` cores together, which share some: one core gets two of so many shards. Requires: count > 1.
std::vector<CoreRange> shared_cores(Random& random, Index count) {
  const Index first = random.between(1, count - 1), from = random.between(0, first - 1), y = random.between(0, 1);
  return {{0, y, first - 1, y}, {from, y, from + count - first - 1, y}};
}

struct Draft {
  use::Sample sample;
  Spec spec;
  Sizes whole = {1, 1};  // the physical array
  Sizes last = {0, 0};   // the place of the last element

  [[nodiscard]] Index side(std::size_t i, std::size_t n) const {
    if (!*spec.tiled) return 1;
    return i + 1 == n ? spec.tile.width : i + 2 == n ? spec.tile.height : 1;
  }
};

// The physical array, from the last dimension outwards.
void measure(Draft& draft, const Sizes& alignment) {
  const Sizes& size = draft.sample.tensor.size;
  for (std::size_t k = 1; k <= std::max(size.size(), alignment.size()); ++k) {
    Index& extent = draft.whole[k == 1 ? 1 : 0];
    if (k <= size.size()) {
      draft.last[k == 1 ? 1 : 0] += extent * (size[size.size() - k] - 1);
      extent *= size[size.size() - k];
    }
    const Index before = extent;
    if (k <= alignment.size()) extent = rounded(extent, alignment[alignment.size() - k]);
    if (extent != before) draft.sample.set(k == 1 ? Feature::Ragged : Feature::Strided);
  }
}

// The alignment that the text states, and what becomes of it.
Sizes some_alignment(Random& random, Draft& draft, Index width, bool may_state) {
  Sizes usual{width};
  if (*draft.spec.tiled) usual = {draft.spec.tile.height, draft.spec.tile.width};
  if (!may_state || !random.chance(25)) return usual;
  const Index rank = random.between(static_cast<Index>(usual.size()), 3);
  Sizes& stated = draft.spec.alignment;
  for (Index k = 0; k < rank; ++k) stated.push_back(random.between(1, 4));
  Sizes out = stated;
  for (std::size_t k = 1; k <= usual.size(); ++k)
    out[out.size() - k] = rounded(out[out.size() - k], usual[usual.size() - k]);
  return out;
}

void make_interleaved(Random& random, Draft& draft) {
  measure(draft, some_alignment(random, draft, 1, true));
  draft.spec.banks = random.between(1, 6);
}

Index some_part(Random& random, Index whole, Index side) {
  return rounded(
      random.chance(40) ? std::max<Index>(whole, 1) : ceil_of(std::max<Index>(whole, 1), random.between(1, 4)), side);
}

// Height, width or blocks. `broken`: the last element finds no core, or no place in its shard.
void make_shards(Random& random, Draft& draft, bool broken) {
  Spec& spec = draft.spec;
  const Index raw = draft.sample.tensor.size.empty() ? 1 : draft.sample.tensor.size.back();
  Shard shard;
  const Index width =
      spec.memory == Memory::Height ? rounded(raw, draft.side(1, 2)) : some_part(random, raw, draft.side(1, 2));
  measure(draft, some_alignment(random, draft, width, false));
  shard.shape = {spec.memory == Memory::Width ? draft.whole[0] : some_part(random, draft.whole[0], draft.side(0, 2)),
                 width};
  shard.by_column = random.chance(35);
  const Index high = ceil_of(draft.whole[0], shard.shape[0]), wide = ceil_of(draft.whole[1], width);
  const Index extra = random.chance(30) ? 1 : 0;
  if (spec.memory == Memory::Block) {
    Index rows = shard.by_column ? wide : high, columns = shard.by_column ? high : wide;
    const Index x = random.between(0, 1), y = random.between(0, 1);
    shard.grid = {{x, y, x + columns + extra - 1, y + rows - 1}};
    if (broken) shard.grid.push_back({x, y + rows, x, y + rows});
  } else {
    const std::size_t i = spec.memory == Memory::Height ? 0 : 1;
    const Index last = draft.last[i] / shard.shape[i];
    if (broken && last > 0 && random.chance(50)) shard.grid = shared_cores(random, last + 1);
    else if (broken && last > 0) shard.grid = some_cores(random, last, false);
    else shard.grid = some_cores(random, high * wide + extra, false);
    if (broken && last == 0) {  // a second rectangle for blocks has no order
      spec.memory = Memory::Block;
      shard.grid = {{0, 0, 0, 0}, {1, 1, 1, 1}};
    }
  }
  spec.shard = std::move(shard);
}

void make_nd(Random& random, Draft& draft, bool broken) {
  Spec& spec = draft.spec;
  const Sizes& size = draft.sample.tensor.size;
  const std::size_t rank = std::max<std::size_t>(size.size(), *spec.tiled ? 2 : 1);
  Shard shard;
  const std::size_t least = *spec.tiled ? 2 : 1;
  const std::size_t n = least + random.below(rank - least + 1);
  Sizes padded(rank, 1);
  std::ranges::copy_backward(size, padded.end());
  for (std::size_t d = 0; d < rank; ++d) padded[d] = rounded(padded[d], draft.side(d, rank));
  Index parts = 1;
  for (std::size_t i = 0; i < n; ++i) {
    Index whole = padded[rank - n + i];
    for (std::size_t d = 0; i == 0 && d < rank - n; ++d) whole *= padded[d];  // the first ones are joined
    shard.shape.push_back(some_part(random, whole, draft.side(i, n)));
    parts *= ceil_of(whole, shard.shape.back());
    if (whole % shard.shape.back() != 0) draft.sample.set(Feature::Ragged);
  }
  shard.by_column = random.chance(35);
  shard.grid = some_cores(random, random.between(1, std::min<Index>(parts, 6)), false);
  if (n == 2 && size.size() == 2 && random.chance(25)) shard.deal = Deal::Grid;
  if (shard.deal == Deal::Grid) {
    const auto along = [&](std::size_t i) { return ceil_of(rounded(size[i], draft.side(i, 2)), shard.shape[i]); };
    const Index rows = shard.by_column ? along(1) : along(0), columns = shard.by_column ? along(0) : along(1);
    shard.grid = {{1, 0, columns, rows - 1}};
  } else if (random.chance(20)) {
    shard.deal = Deal::Contiguous;
  }
  if (broken) shard.shape.insert(shard.shape.begin(), rank + 1 - n, 1);  // more dimensions than the tensor has
  spec.shard = std::move(shard);
}

// Changes a number, which may leave the spec right.
void change_one(Random& random, Spec& spec) {
  if (spec.memory == Memory::Interleaved) {
    spec.banks = std::max<Index>(1, *spec.banks + random.between(-1, 1));
    return;
  }
  Shard& shard = *spec.shard;
  if (random.chance(50)) {
    Index& number = shard.shape[random.below(shard.shape.size())];
    number = std::max<Index>(1, number + random.between(-1, 1));
  } else {
    CoreRange& range = shard.grid[random.below(shard.grid.size())];
    Index& number = random.chance(50) ? range.x1 : range.y1;
    number = std::max(&number == &range.x1 ? range.x0 : range.y0, number + random.between(-1, 1));
  }
}

Index slots_of(const use::Sample& sample);

// A spec of the draft's tensor; false where its image is larger than `most`.
bool make(Random& random, unsigned kind, Index most, std::optional<Tile> tile, Draft& draft) {
  constexpr Memory kMemories[] = {Memory::Interleaved, Memory::Height, Memory::Width, Memory::Block, Memory::Nd};
  draft.spec.dtype = "float32";
  draft.spec.tiled = tile.has_value();
  if (tile) draft.spec.tile = *tile;
  draft.spec.memory = kMemories[kind == 1 ? 1 + random.below(4) : random.below(5)];
  draft.spec.buffer = draft.spec.memory == Memory::Interleaved ? "DRAM" : "L1";
  if (draft.spec.memory == Memory::Interleaved) make_interleaved(random, draft);
  else if (draft.spec.memory == Memory::Nd) make_nd(random, draft, kind == 1);
  else make_shards(random, draft, kind == 1);
  if (kind == 3 && random.chance(50)) change_one(random, draft.spec);
  draft.sample.family = &family();
  draft.sample.notation = Parsed{draft.spec, {}};
  draft.sample.set(Feature::Threads);  // cores or banks
  if (*draft.spec.tiled) draft.sample.set(Feature::Tiled);
  if (kind == 1) draft.sample.set(Feature::Broken);
  return slots_of(draft.sample) <= most;
}

use::Sample draw(Random& random, unsigned kind, bool large) {
  for (int attempt = 0;; ++attempt) {
    Draft draft;
    draft.sample.tensor.type = map::ElementType::F32;
    const Index elements = use::some_size(random, large) / (attempt + 1);
    draft.sample.tensor.size = use::some_shape(random, std::max<Index>(elements, 1));
    const auto tile = attempt <= 5 && random.chance(60) ? std::optional(some_tile(random, elements)) : std::nullopt;
    if (make(random, kind, use::most_places(large), tile, draft) || attempt >= 12) return draft.sample;
  }
}

// Other shards, tiles or rows, or pages in banks.
use::Sample companion(const map::Tensor& tensor, Random& random) {
  Index elements = 1;
  for (const Index extent : tensor.size) elements *= extent;
  for (int attempt = 0;; ++attempt) {
    Draft draft;
    draft.sample.tensor = tensor;
    const auto tile = attempt <= 5 && random.chance(60) ? std::optional(some_tile(random, elements)) : std::nullopt;
    if (make(random, 0, use::most_places(false), tile, draft) || attempt >= 12) return draft.sample;
  }
}

// Numbers of a spec, each of which can be made smaller, with the least that it can be.
std::vector<std::pair<Index*, Index>> numbers_of(Spec& spec) {
  std::vector<std::pair<Index*, Index>> out;
  for (Index& alignment : spec.alignment) out.emplace_back(&alignment, 1);
  if (spec.banks) out.emplace_back(&*spec.banks, 1);
  if (!spec.shard) return out;
  for (Index& size : spec.shard->shape) out.emplace_back(&size, 1);
  for (CoreRange& range : spec.shard->grid)
    out.emplace_back(&range.x1, range.x0), out.emplace_back(&range.y1, range.y0);
  return out;
}

void smaller(const use::Sample& from, const use::TakeSample& take) {
  const auto add = [&](const auto& change) { use::take_changed<Parsed>(take, from, change); };
  for (std::size_t d = 0; d < from.tensor.size.size(); ++d)
    for (const Index wanted : {Index{1}, from.tensor.size[d] / 2, from.tensor.size[d] - 1})
      add([&](use::Sample& next, Parsed&) { return use::lower_to(next.tensor.size[d], wanted, 1); });
  Parsed copy = parsed_of(from);
  const std::size_t count = numbers_of(copy.spec).size();
  for (std::size_t k = 0; k < count; ++k) {
    const auto [number, least] = numbers_of(copy.spec)[k];
    for (const Index wanted : {least, *number / 2, *number - 1})
      add([&, least = least](use::Sample&, Parsed& next) {
        return use::lower_to(*numbers_of(next.spec)[k].first, wanted, least);
      });
  }
}

std::string print(const use::Sample& sample) { return ttmetal::print(parsed_of(sample).spec); }

Result<use::Sample> read(std::string_view text, const map::Tensor& tensor) {
  auto parsed = parse(text);
  if (!parsed) return parsed.error();
  return use::Sample{&family(), std::move(*parsed), tensor, 0};
}

Result<map::Layout> lower(const use::Sample& sample) {
  auto reading = ttmetal::read(parsed_of(sample), sample.tensor);
  if (!reading) return reading.error();
  if (const auto* why = reading->undecidable()) return Error{ErrorCode::Value, why->reason};
  return *reading->layout();
}

// The slots of the image; more than any limit where there is none.
Index slots_of(const use::Sample& sample) {
  const auto layout = lower(sample);
  return layout ? layout->physical().volume() : INT64_MAX;
}

std::size_t digits(const use::Sample& sample) {
  const Spec& spec = parsed_of(sample).spec;
  return sample.tensor.size.size() + (*spec.tiled ? 1 : 0) +
         (spec.shard ? spec.shard->shape.size() + spec.shard->grid.size() : 0);
}

constexpr Feature kNever[] = {Feature::Constructed, Feature::DimMap,   Feature::Sparse,   Feature::Synthetic,
                              Feature::Permuted,    Feature::Reversed, Feature::Expanded, Feature::Offset,
                              Feature::Replicated,  Feature::Swizzled, Feature::Boxed,    Feature::Far};

}  // namespace
}  // namespace sampling

constinit const use::Campaign kCampaign{.stream = 5,
                                        .bijective = true,
                                        .empty_tensors = false,
                                        .never = sampling::kNever,
                                        .draw = sampling::draw,
                                        .companion = sampling::companion,
                                        .print = sampling::print,
                                        .read = sampling::read,
                                        .lower = sampling::lower,
                                        .digits = sampling::digits,
                                        .smaller = sampling::smaller};

}  // namespace vl::ttmetal
