// Layouts of tt-mlir for campaigns. A right one joins the dimensions row-major, sometimes in another order or with
// gaps, takes any grid, and states the shard that its rule gives; the sizes are computed here, apart from the rules. A
// broken one states a shard that ends in front of the place of the tensor's last element, or loses a dimension, or
// steps along two of them alike.
#include "encodings/ttmlir/samples.h"

#include <algorithm>
#include <numeric>

#include "encodings/base/check.h"
#include "encodings/ttmlir/ttmlir.h"

namespace vl::ttmlir {
namespace sampling {  // apart from the family's names
namespace {

using use::Feature;
using use::Random;
using Sizes = std::vector<Index>;
constexpr auto& parsed_of = use::notation_of<Parsed>;

Index ceil_of(Index value, Index step) { return (value + step - 1) / step; }
Index rounded(Index value, Index step) { return ceil_of(value, step) * step; }
Index product(const Sizes& sizes) { return std::accumulate(sizes.begin(), sizes.end(), Index{1}, std::multiplies<>{}); }

struct Draft {
  use::Sample sample;
  std::optional<Tile> tile;
  bool gaps = false;

  [[nodiscard]] const Sizes& size() const { return sample.tensor.size; }
  [[nodiscard]] Index side(std::size_t i, std::size_t n) const {
    if (!tile || i + 2 < n) return 1;
    return i + 1 == n ? tile->width : tile->height;
  }
};

std::optional<Tile> some_tile(Random& random, Index elements) {
  if (random.chance(40)) return std::nullopt;
  if (elements > 500 && random.chance(30)) return Tile{32, random.chance(70) ? 32 : 16};
  return Tile{random.chance(75) ? 2 : 1, random.chance(75) ? 2 : 3};
}

Sizes some_grid(Random& random, std::size_t n) {
  Sizes grid(n);
  for (Index& extent : grid) extent = random.between(1, 3);
  return grid;
}

// The last results are one dimension each, the first one joins the others, the last of them innermost. Of fewer
// dimensions than results the first results are 0.
AffineMap some_map(Random& random, Draft& draft, const Sizes& padded, std::size_t n) {
  const std::size_t rank = padded.size();
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  // TTNN pads the tensor's last two dimensions, so there the order stays.
  if (padded == draft.size() && random.chance(Feature::Permuted, 20)) random.shuffle(std::span(order));
  if (!std::ranges::is_sorted(order)) draft.sample.set(Feature::Permuted);
  AffineMap out{rank, std::vector<map::Row>(n), true};
  Index step = 1;
  for (std::size_t k = rank; k-- > 0;) {
    const std::size_t d = order[k];
    const std::size_t result = k + n > rank ? k + n - rank : 0;
    out.results[result].terms.push_back({d, result > 0 ? 1 : step});
    if (result > 0) continue;
    step *= padded[d];
    if (!draft.gaps || !random.chance(50)) continue;
    step += random.between(1, 2);
    draft.sample.set(Feature::Strided);
  }
  for (map::Row& row : out.results) std::ranges::sort(row.terms, {}, &map::Term::input);
  return out;
}

// The place of the element with the greatest coordinates.
Sizes last_place(const AffineMap& map, const Sizes& size) {
  Sizes out;
  for (const map::Row& row : map.results) {
    Index place = row.constant;
    for (const map::Term& term : row.terms) place += term.coefficient * (size[term.input] - 1);
    out.push_back(place);
  }
  return out;
}

// Takes one dimension out of a map, or lets it step like another one of its result: surely two elements meet. False
// where no dimension has two coordinates.
bool collide(Random& random, const Draft& draft, AffineMap& map) {
  const auto is_long = [&](const map::Term& term) { return draft.size()[term.input] > 1; };
  std::vector<map::Row*> rows;
  for (map::Row& row : map.results)
    if (std::ranges::any_of(row.terms, is_long)) rows.push_back(&row);
  if (rows.empty()) return false;
  std::vector<map::Term>& terms = rows[random.below(rows.size())]->terms;
  std::vector<map::Term*> longs;
  for (map::Term& term : terms)
    if (is_long(term)) longs.push_back(&term);
  map::Term& one = *longs[random.below(longs.size())];
  const map::Term other = *longs[random.below(longs.size())];
  if (other.input == one.input) std::erase(terms, other);
  else one.coefficient = other.coefficient;
  return true;
}

// Changes a number of the shard, the grid or the map, which may leave the layout right.
void change_one(Random& random, Sizes& shard, Sizes& grid, AffineMap* map) {
  if (map != nullptr && map->dims > 0 && random.chance(33)) {
    for (map::Row& row : map->results)
      for (map::Term& term : row.terms)
        if (random.chance(40)) term.coefficient = random.between(1, 5);
    return;
  }
  Sizes& one = random.chance(70) ? shard : grid;
  Index& number = one[random.below(one.size())];
  number = std::max<Index>(&one == &grid ? 1 : 0, number + random.between(-1, 1));
}

// Rules A and C.
Parsed with_map(Random& random, Draft& draft, unsigned kind, bool ttnn) {
  const std::size_t rank = draft.size().size();
  const auto n = static_cast<std::size_t>(ttnn && random.chance(75) ? 2 : random.between(draft.tile ? 2 : 1, 3));
  Sizes padded = draft.size();
  for (std::size_t d = 0; ttnn && draft.tile && d < rank; ++d)
    if (d + 2 >= rank) padded[d] = rounded(padded[d], 32);  // whatever the tile
  draft.gaps = random.chance(Feature::Strided, 20);
  AffineMap map = some_map(random, draft, padded, n);
  const bool collides = kind == 1 && random.chance(50) && collide(random, draft, map);
  Sizes grid = some_grid(random, n);
  const Sizes far = last_place(map, padded), last = last_place(map, draft.size());
  const bool dealt = ttnn && n == 2 && draft.tile && random.chance(40);
  Sizes shard(n), tiles(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Index share = ceil_of(far[i] + 1, grid[i]), side = draft.side(i, n);
    shard[i] = ceil_of(share, side), tiles[i] = ceil_of(far[i] + 1, side);
    if (share % side != 0 || (far[i] + 1) % grid[i] != 0) draft.sample.set(Feature::Ragged);
  }
  if (dealt) shard = {1, ceil_of(product(tiles), product(grid))};
  if (kind == 1 && !collides) {
    const std::size_t i = random.below(n);
    if (dealt) shard[1] = (last[0] / draft.side(0, n) * tiles[1] + last[1] / draft.side(1, n)) / product(grid);
    else shard[i] = last[i] % ceil_of(far[i] + 1, grid[i]) / draft.side(i, n);
  } else if (kind == 3 && random.chance(50)) {
    change_one(random, shard, grid, &map);
  }
  Cells cells{std::move(shard), draft.tile, "f32"};
  if (ttnn)
    return {TtnnLayout{std::move(map),
                       {std::move(grid), {}},
                       std::move(cells),
                       "l1",
                       dealt ? "interleaved" : "block_sharded",
                       dealt ? std::vector<std::string>{} : std::vector<std::string>{"exactGrid = true"},
                       std::nullopt},
            std::nullopt};
  return {MapLayout{"ttcore.metal_layout", std::move(map), "undef", {std::move(grid), {}}, std::move(cells), "l1", {}},
          std::nullopt};
}

// Intervals of neighbouring dimensions from one on, to the end or not; the others stay alone, and those in front of the
// first interval are lost.
std::vector<std::pair<Index, Index>> some_intervals(Random& random, Index from, Index rank) {
  std::vector<std::pair<Index, Index>> out;
  for (Index at = from; at < rank && ((from > 0 && out.empty()) || random.chance(75));) {
    const Index end = random.between(at + 1, rank);
    out.emplace_back(at, end < rank && random.chance(30) ? end - rank : end);
    at = end;
  }
  return out;
}

// Rule B: one more than the far end of each physical dimension, and the place of the last element.
struct Joined {
  Sizes extent, last;
};

Joined join(const Sizes& size, const Sizes& alignments, const std::vector<std::pair<Index, Index>>& intervals) {
  const auto rank = static_cast<Index>(size.size());
  const auto at = [](const Sizes& of, Index d) { return of[static_cast<std::size_t>(d)]; };
  Joined out;
  for (Index missing = rank; missing < 2; ++missing) out.extent.push_back(32), out.last.push_back(0);
  const auto add = [&](Index from, Index to) {
    Index extent = 1, last = 0;
    for (Index d = to; d-- > from;) {
      last += extent * (at(size, d) - 1);
      extent = rounded(extent * at(size, d), at(alignments, d));
    }
    out.extent.push_back(extent), out.last.push_back(last);
  };
  Index end = 0;
  for (const auto& [from, to] : intervals) {
    end = to < 0 ? to + rank : to;
    add(from, end);
  }
  for (; end < rank; ++end) add(end, end + 1);
  return out;
}

Parsed with_alignments(Random& random, Draft& draft, unsigned kind) {
  const auto rank = static_cast<Index>(draft.size().size());
  const Index lost =
      kind == 1 && rank > 1 && draft.size()[0] > 1 && random.chance(50) ? random.between(1, rank - 1) : 0;
  auto intervals = some_intervals(random, lost, rank);
  Sizes alignments(draft.size().size());
  for (Index& alignment : alignments) alignment = random.chance(66) ? 1 : random.between(1, 5);
  if (std::ranges::any_of(alignments, [](Index alignment) { return alignment > 1; }))
    draft.sample.set(Feature::Strided);
  const Joined joined = join(draft.size(), alignments, intervals);
  const std::size_t n = joined.extent.size();
  if (n < 2) draft.tile.reset();  // tiles need two dimensions
  Sizes grid = some_grid(random, n), shard(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Index share = ceil_of(joined.extent[i], grid[i]), side = draft.side(i, n);
    shard[i] = ceil_of(share, side);
    if (share % side != 0 || joined.extent[i] % grid[i] != 0) draft.sample.set(Feature::Ragged);
  }
  if (kind == 1 && lost == 0) {
    const std::size_t i = random.below(n);
    shard[i] = joined.last[i] / (grid[i] * draft.side(i, n));  // so many shards end at or in front of the last element
  } else if (kind == 3 && random.chance(50)) {
    change_one(random, shard, grid, nullptr);
  }
  Cells device{std::move(grid), draft.tile, "f32"};
  device.shape.insert(device.shape.end(), shard.begin(), shard.end());
  return {AlignedLayout{draft.size(), std::move(alignments), std::move(intervals), {}, "l1", "sharded", std::nullopt},
          std::move(device)};
}

// The slots of the image.
Index slots_of(const Parsed& parsed) {
  const auto cells = [](const Cells& of) {
    return product(of.shape) * (of.tile ? of.tile->height * of.tile->width : 1);
  };
  if (const auto* a = std::get_if<MapLayout>(&parsed.layout)) return product(a->grid.shape) * cells(a->shard);
  if (const auto* c = std::get_if<TtnnLayout>(&parsed.layout)) return product(c->grid.shape) * cells(c->shard);
  return cells(*parsed.of);
}

// A layout of the draft's tensor; false where its image is larger than `most`.
bool make(Random& random, unsigned kind, Index most, bool ttnn, Draft& draft) {
  const bool aligned = !ttnn && random.chance(50);
  Parsed made = aligned ? with_alignments(random, draft, kind) : with_map(random, draft, kind, ttnn);
  const bool fits = slots_of(made) <= most;
  draft.sample.family = ttnn ? &ttnn::family() : &metal::family();
  draft.sample.set(Feature::Threads);  // the axes of the grid
  if (draft.tile) draft.sample.set(Feature::Tiled);
  if (kind == 1) draft.sample.set(Feature::Broken);
  draft.sample.notation = std::move(made);
  return fits;
}

use::Sample draw(Random& random, unsigned kind, bool large, bool ttnn) {
  for (int attempt = 0;; ++attempt) {
    Draft draft;
    draft.sample.tensor.type = map::ElementType::F32;
    const Index elements = use::some_size(random, large) / (attempt + 1);
    draft.sample.tensor.size = use::some_shape(random, std::max<Index>(elements, 1));
    draft.tile = attempt > 5 ? std::nullopt : some_tile(random, elements);
    if (make(random, kind, use::most_places(large), ttnn, draft) || attempt >= 12) return draft.sample;
  }
}

// Another grid, other tiles or none, another rule.
template <bool ttnn>
use::Sample companion(const map::Tensor& tensor, Random& random) {
  for (int attempt = 0;; ++attempt) {
    Draft draft;
    draft.sample.tensor = tensor;
    draft.tile = attempt > 5 ? std::nullopt : some_tile(random, product(tensor.size));
    if (make(random, 0, use::most_places(false), ttnn, draft) || attempt >= 12) return draft.sample;
  }
}

// Numbers of a layout, each of which can be made smaller.
std::vector<Index*> numbers_of(Parsed& parsed) {
  std::vector<Index*> out;
  const auto add = [&](Sizes& sizes) {
    for (Index& size : sizes) out.push_back(&size);
  };
  if (auto* a = std::get_if<MapLayout>(&parsed.layout)) add(a->grid.shape), add(a->shard.shape);
  if (auto* c = std::get_if<TtnnLayout>(&parsed.layout)) add(c->grid.shape), add(c->shard.shape);
  if (auto* b = std::get_if<AlignedLayout>(&parsed.layout)) add(b->alignments), add(parsed.of->shape);
  return out;
}

void smaller(const use::Sample& from, const use::TakeSample& take) {
  const auto add = [&](const auto& change) { use::take_changed<Parsed>(take, from, change); };
  for (std::size_t d = 0; d < from.tensor.size.size(); ++d)
    for (const Index wanted : {Index{1}, from.tensor.size[d] / 2, from.tensor.size[d] - 1})
      add([&](use::Sample& next, Parsed& parsed) {
        auto* b = std::get_if<AlignedLayout>(&parsed.layout);
        if (b != nullptr && d < b->logical_shape.size()) b->logical_shape[d] = wanted;
        return use::lower_to(next.tensor.size[d], wanted, 1);
      });
  Parsed copy = parsed_of(from);
  const std::size_t count = numbers_of(copy).size();
  for (std::size_t k = 0; k < count; ++k)
    for (const Index wanted : {Index{1}, *numbers_of(copy)[k] / 2, *numbers_of(copy)[k] - 1})
      add([&](use::Sample&, Parsed& next) { return use::lower_to(*numbers_of(next)[k], wanted, 1); });
}

std::string print(const use::Sample& sample) { return ttmlir::print(parsed_of(sample)); }

template <const use::Family& (*family)()>
Result<use::Sample> read(std::string_view text, const map::Tensor& tensor) {
  auto parsed = parse(text);
  if (!parsed) return parsed.error();
  return use::Sample{&family(), std::move(*parsed), tensor, 0};
}

Result<map::Layout> lower(const use::Sample& sample) {
  auto reading = ttmlir::read(parsed_of(sample), sample.tensor);
  if (!reading) return reading.error();
  if (const auto* why = reading->undecidable()) return Error{ErrorCode::Value, why->reason};
  return *reading->layout();
}

std::size_t digits(const use::Sample& sample) {
  const Parsed& parsed = parsed_of(sample);
  const auto of_map = [](const auto& layout) { return layout.grid.shape.size() + (layout.shard.tile ? 1 : 0); };
  const std::size_t more = sample.tensor.size.size() > 2 ? 1 : 0;
  if (const auto* a = std::get_if<MapLayout>(&parsed.layout)) return more + of_map(*a);
  if (const auto* c = std::get_if<TtnnLayout>(&parsed.layout)) return more + of_map(*c);
  return more + parsed.of->shape.size() / 2 + (parsed.of->tile ? 1 : 0);
}

use::Sample draw_metal(Random& random, unsigned kind, bool large) { return draw(random, kind, large, false); }
use::Sample draw_ttnn(Random& random, unsigned kind, bool large) { return draw(random, kind, large, true); }

constexpr Feature kNever[] = {Feature::Constructed, Feature::DimMap,   Feature::Sparse, Feature::Synthetic,
                              Feature::Reversed,    Feature::Expanded, Feature::Offset, Feature::Replicated,
                              Feature::Swizzled,    Feature::Boxed,    Feature::Far};
constexpr Feature kWishes[] = {Feature::Permuted, Feature::Strided};

constexpr use::Campaign campaign_of(std::uint64_t stream, use::Sample (*draw_one)(Random&, unsigned, bool),
                                    use::Sample (*companion_of_one)(const map::Tensor&, Random&),
                                    Result<use::Sample> (*read_one)(std::string_view, const map::Tensor&)) {
  return {.stream = stream,
          .bijective = true,
          .empty_tensors = false,
          .never = kNever,
          .wishes = kWishes,
          .draw = draw_one,
          .companion = companion_of_one,
          .print = print,
          .read = read_one,
          .lower = lower,
          .digits = digits,
          .smaller = smaller};
}

}  // namespace
}  // namespace sampling

constinit const use::Campaign kMetalCampaign =
    sampling::campaign_of(3, sampling::draw_metal, sampling::companion<false>, sampling::read<metal::family>);
constinit const use::Campaign kTtnnCampaign =
    sampling::campaign_of(4, sampling::draw_ttnn, sampling::companion<true>, sampling::read<ttnn::family>);

}  // namespace vl::ttmlir
