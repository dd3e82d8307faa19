// contiguous: the coalescing factor of a layout change, a number. Cores fill their shards of the result in row-major
// order; the factor g is the greatest number such that each block of g positions, from the beginning of a shard, is
// read from places of one core of the source that follow one another:
//   g = gcd of a shard's volume and of all positions u >= 1 of any core with A(c, u) != A(c, u - 1) + 1
// (contiguous.h says what A and the units are). A transfer of g units never has to be cut.
//
// Decided without a look at every position: where blocks of g are not read in one piece, the witness has a break in
// some block, and g becomes its gcd with the break's place in the block. Each step at least halves g. When blocks of g
// are proved, g is the factor, because every break found is one.
//
// Example: 6x3x15 on 1x3x3 cores, unchanged: 30, a whole shard of 6x1x5. From shards of 3x5x1 of 15x15x8 to shards of
// 75x1 of 225x8: 5, since 5 rows lie in one core of the source.
// Vacuous without positions; unsupported where a place outside of the source is read (the claim remap tells which).
// Source: tt-mlir at 19c86fca, include/ttmlir/AffineMapUtils.h, calculateCoalescingFactor.
#include "verifier/claims/contiguous.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "encodings/map/algebra.h"
#include "encodings/use/remap.h"

namespace vl::claims {
namespace {

using map::Affine;
using map::pick;
using map::Split;

std::vector<Index> units_of(const use::Shards& shards) {
  std::vector<Index> out;
  for (std::size_t i = 0; i < shards.shard.size(); ++i) out.push_back(shards.shard[i] / shards.tile[i]);
  return out;
}

// Row-major weights: of 2x3x5 they are 15, 5, 1.
std::vector<Index> weights_of(const std::vector<Index>& extents) {
  std::vector<Index> out(extents.size(), 1);
  for (std::size_t i = extents.size(); i-- > 1;) out[i - 1] = out[i] * extents[i];  // at most a shard's volume
  return out;
}

// (c, position) -> the place P of the result; the array is the shards side by side.
std::vector<map::Stage> places_of(const use::Shards& to) {
  const std::size_t n = to.grid.size();
  std::vector<map::Stage> out;
  Affine join;
  for (std::size_t i = 0; i < n; ++i) join.rows.push_back({0, {{i, to.shard[i]}, {n + i, to.tile[i]}}});
  if (n > 0) out.emplace_back(Split{n, weights_of(units_of(to))});
  out.emplace_back(std::move(join));
  return out;
}

// The place Q of the source -> its cores, what is left in its tile, and the number in its shard, plus column `more`.
std::vector<map::Stage> numbers_of(const use::Shards& from, std::optional<std::size_t> more) {
  const std::size_t m = from.grid.size(), first = more ? 1 : 0;
  std::vector<map::Stage> out;
  for (std::size_t i = m; i-- > 0;) out.emplace_back(Split{first + i, {from.shard[i], from.tile[i], 1}});
  const std::vector<Index> weights = weights_of(units_of(from));
  Affine last;
  map::Row number;
  if (more) number.terms.push_back({0, 1});
  for (const std::size_t digit : {0U, 2U})
    for (std::size_t i = 0; i < m; ++i) last.rows.push_back(pick(first + 3 * i + digit));
  for (std::size_t i = 0; i < m; ++i) number.terms.push_back({first + 3 * i + 1, weights[i]});
  last.rows.push_back(std::move(number));
  out.emplace_back(std::move(last));
  return out;
}

Result<map::Space> box_of(const use::Shards& from) {
  std::vector<map::Dim> dims;
  for (std::size_t i = 0; i < from.grid.size(); ++i)
    dims.push_back({fmt::format("c{}", i), from.grid[i], map::Unit::Core});
  for (std::size_t i = 0; i < from.grid.size(); ++i)
    dims.push_back({fmt::format("in{}", i), from.tile[i], map::Unit::Element});
  const auto volume = checked_product(units_of(from));
  if (!volume) return Error{ErrorCode::Overflow, "a shard does not fit in 64 bits", 0};
  dims.push_back({std::string(map::kMemoryAxis), *volume, map::Unit::Element});
  return map::Space::create(std::move(dims));
}

Result<map::Layout> layout_of(const use::Remap& change, Index length, bool counted) {
  const use::Shards &to = change.result, &from = change.source;
  const std::size_t n = to.grid.size();
  const Index blocks = *checked_product(units_of(to)) / length;
  std::vector<map::Dim> dims;
  for (std::size_t i = 0; i < n; ++i) dims.push_back({fmt::format("c{}", i), to.grid[i], map::Unit::Core});
  dims.push_back({"block", blocks, map::Unit::Element});
  dims.push_back({"step", length, map::Unit::Element});
  auto domain = map::Space::create(std::move(dims));
  auto box = box_of(from);
  if (!domain) return domain.error();
  if (!box) return box.error();
  Affine enter;
  if (counted) enter.rows.push_back(pick(n + 1));  // the step comes first and is carried along
  for (std::size_t i = 0; i < n; ++i) enter.rows.push_back(pick(i));
  enter.rows.push_back({0, {{n, length}}});
  if (!counted) enter.rows.back().terms.push_back({n + 1, 1});
  std::vector<map::Stage> inner = places_of(to);
  const auto& reads = change.reads.map().stages();
  inner.insert(inner.end(), reads.begin(), reads.end());
  if (counted) inner = map::carried(std::move(inner), 1);
  map::LayoutParts parts;
  parts.logical = std::move(*domain), parts.physical = std::move(*box);
  parts.map.emplace_back(std::move(enter));
  std::ranges::move(inner, std::back_inserter(parts.map));
  std::ranges::move(numbers_of(from, counted ? std::optional<std::size_t>(0) : std::nullopt),
                    std::back_inserter(parts.map));
  parts.named_axes = true;
  return map::Layout::create(std::move(parts));
}

// A position u in 1..step of a block, with A(u) != A(u - 1) + 1: the block is read in one piece up to some step, and
// not up to the last one.
Index break_in(const Runs& runs, Point p) {
  const std::size_t step = p.size() - 1;
  Index fits = 0, breaks = p[step];
  while (breaks - fits > 1) {
    p[step] = fits + (breaks - fits) / 2;
    const bool same = map::outputs_at(runs.reads, p, {}) == map::outputs_at(runs.runs, p, {});
    (same ? fits : breaks) = p[step];
  }
  return breaks;
}

// The gcd of `length` and of the breaks among the first positions of each core: most are found here, and engines then
// have less to find.
Index first_breaks(const Runs& whole, Index length) {
  constexpr Index kMost = Index{1} << 14;
  const map::Space& points = whole.reads.domain();
  const std::size_t step = points.rank() - 1;
  const Index cores = points.volume() / length, each = std::min(length, std::max<Index>(kMost / cores, 2));
  map::Evaluator reads(whole.reads.map());
  const std::size_t memory = whole.reads.physical().rank() - 1;
  Index out = length;
  for (Index core = 0; core < std::min(cores, kMost) && out > 1; ++core) {
    Point p = points.point(core * length), expected;
    for (p[step] = 0; p[step] < each; ++p[step]) {
      const auto at = reads(p);
      if (p[step] > 0 && !std::ranges::equal(at, expected)) out = std::gcd(out, p[step]);
      expected.assign(at.begin(), at.end());
      ++expected[memory];
    }
  }
  return out;
}

Verdict factor(const Remapped& about, Inquiry& inquiry) {
  const use::Remap& change = about.change;
  const auto volume = checked_product(units_of(change.result));
  if (!volume) return inquiry.out_of_reach("a shard does not fit in 64 bits");
  if (*volume == 0 || change.reads.domain().volume() == 0) return inquiry.vacuous("the result has no place");
  const engines::Answer inside = inquiry.ask({Kind::Escapes, &change.reads, nullptr});
  if (std::holds_alternative<engines::Found>(inside))
    return unsupported("the layout change reads outside of the source; the claim remap tells where");
  if (const auto* open = std::get_if<engines::Abstained>(&inside)) return inquiry.unknown(*open);
  const auto whole = runs_of(change, *volume);
  if (!whole) return inquiry.out_of_reach(whole.error().message);
  Index length = first_breaks(*whole, *volume);
  while (length > 1) {
    const auto runs = runs_of(change, length);
    if (!runs) return inquiry.out_of_reach(runs.error().message);
    const engines::Answer answer = inquiry.ask({Kind::Differs, &runs->reads, &runs->runs});
    if (const auto* open = std::get_if<engines::Abstained>(&answer)) return inquiry.unknown(*open);
    const auto* found = std::get_if<engines::Found>(&answer);
    if (found == nullptr) break;
    length = std::gcd(length, break_in(*runs, found->witness.p));
  }
  return inquiry.proved(length);
}

}  // namespace

Result<Runs> runs_of(const use::Remap& change, Index length) {
  auto reads = layout_of(change, length, false), runs = layout_of(change, length, true);
  if (!reads) return reads.error();
  if (!runs) return runs.error();
  return Runs{std::move(*reads), std::move(*runs)};
}

extern const Claim kContiguous = {
    .name = "contiguous",
    .statement = "the coalescing factor of a layout change: tiles or elements that are always read in one piece",
    .witness = "",
    .measures = true,
    .keys = {"with map", "LAYOUT", true},
    .decide = factor,
    .proof = {Part::Runs}};

}  // namespace vl::claims
