// tt-metal's specs, the second meaning: pages and shards one by one, with plain numbers, from the runtime's sources. It
// uses neither the IR nor the family's parser.
//
//   tensor_layout.cpp      compute_physical_shape, compute_padded_shape: from the last dimension to the first
//   page_config.cpp        a page is a tile, or a row as wide as a shard
//   buffer.cpp             interleaved: page i in bank i mod banks; core_to_host_pages: shards of two dimensions
//   buffer_distribution_spec.cpp   squeeze_shape_ranks, then page -> shard -> core of shards of many dimensions
//
// A slot is (y, x, element of the core's memory), or (bank, element of the bank).
#include "encodings/use/reference.h"

#include <algorithm>

#include "encodings/ttmetal/reference_text.h"

namespace vl::ttmetal {
namespace {

using second::Place;
using second::Said;
using Slot = std::optional<Point>;

Index up(Index value, Index multiple) { return (value + multiple - 1) / multiple * multiple; }
Index times_up(Index value, Index part) { return (value + part - 1) / part; }

// All the text says, and what follows from it for one tensor.
struct Job {
  Said said;
  std::vector<Index> size;
  std::vector<Index> alignment;
  std::vector<Place> cores;
  Index page_high = 1, page_wide = 1;
};

std::vector<Place> in_order(const Said& said) {
  std::vector<Place> out;
  for (const auto& range : said.ranges) {
    const Place a = range[0], b = range[1];
    if (said.down) {
      for (Index x = a.x; x <= b.x; ++x)
        for (Index y = a.y; y <= b.y; ++y) out.push_back({y, x});
    } else {
      for (Index y = a.y; y <= b.y; ++y)
        for (Index x = a.x; x <= b.x; ++x) out.push_back({y, x});
    }
  }
  return out;
}

// initialize_alignment: the default, merged into what the text states.
std::vector<Index> alignment_of(const Said& said) {
  std::vector<Index> usual{1};
  if (said.tiled) usual = {said.high, said.wide};
  else if (!said.shard.empty()) usual = {said.shard.back()};
  if (said.alignment.empty()) return usual;
  std::vector<Index> out(std::max(said.alignment.size(), usual.size()), 1);
  for (std::size_t i = 0; i < said.alignment.size(); ++i)
    out[i + out.size() - said.alignment.size()] = said.alignment[i];
  for (std::size_t i = 0; i < usual.size(); ++i) {
    Index& value = out[i + out.size() - usual.size()];
    value = up(value, usual[i]);
  }
  return out;
}

// Row and column of x in the physical array, and its sizes: dimension i from the end multiplies, then is rounded up.
struct Physical {
  Index row = 0, column = 0, height = 1, width = 1;
};

Physical physical_of(const Job& job, std::span<const Index> x, bool aligned) {
  Physical out;
  const auto rank = static_cast<Index>(job.size.size());
  const Index steps = aligned ? static_cast<Index>(job.alignment.size()) : 0;
  for (Index i = -1; i >= -std::max(rank, steps); --i) {
    Index& extent = i == -1 ? out.width : out.height;
    if (i >= -rank) {
      (i == -1 ? out.column : out.row) += extent * x[static_cast<std::size_t>(rank + i)];
      extent *= job.size[static_cast<std::size_t>(rank + i)];
    }
    if (i >= -steps) extent = up(extent, job.alignment[static_cast<std::size_t>(steps + i)]);
  }
  return out;
}

// The number of an element in a tile: whole faces in front of its own, then elements of its face.
Index in_tile(const Said& said, Index row, Index column) {
  const Index down = said.high / said.face_high, across = said.wide / said.face_wide;
  const Index face_row = row / said.face_high, face_column = column / said.face_wide;
  const Index face = said.faces_down ? face_column * down + face_row : face_row * across + face_column;
  const Index r = row % said.face_high, c = column % said.face_wide;
  return face * said.face_high * said.face_wide + (said.within_down ? c * said.face_high + r : r * said.face_wide + c);
}

// Row and column in a page.
Index in_page(const Job& job, Index row, Index column) {
  return job.said.tiled ? in_tile(job.said, row % job.page_high, column % job.page_wide) : column % job.page_wide;
}

Index page_volume(const Job& job) { return job.page_high * job.page_wide; }

Slot on(const Place& core, Index page, const Job& job, Index row, Index column) {
  return Point{core.y, core.x, page * page_volume(job) + in_page(job, row, column)};
}

Slot interleaved(const Job& job, std::span<const Index> x) {
  const Physical at = physical_of(job, x, true);
  Job own = job;
  if (!job.said.tiled) own.page_wide = at.width;
  const Index page = at.row / own.page_high * (at.width / own.page_wide) + at.column / own.page_wide;
  return Point{page % job.said.banks, page / job.said.banks * page_volume(own) + in_page(own, at.row, at.column)};
}

// One shard of two dimensions a core. What lies outside of a shard that is not divided has no place.
Slot sharded(const Job& job, std::span<const Index> x) {
  const Said& said = job.said;
  const Physical at = physical_of(job, x, !said.logical);
  const Index whole_high = up(said.shard[0], job.page_high), whole_wide = up(said.shard[1], said.tiled ? said.wide : 1);
  const Index high = said.logical ? said.shard[0] : whole_high, wide = said.logical ? said.shard[1] : whole_wide;
  const Index own_high = said.padded_to.empty() ? whole_high : said.padded_to[0];
  const Index own_wide = said.padded_to.empty() ? whole_wide : said.padded_to[1];
  const Index i = said.memory == "WIDTH_SHARDED" ? 0 : at.row / high;
  const Index j = said.memory == "HEIGHT_SHARDED" ? 0 : at.column / wide;
  const Index row = at.row - i * high, column = at.column - j * wide;
  const Index pages_high = std::max<Index>(own_high / job.page_high, 1);
  const Index pages_wide = said.tiled ? std::max<Index>(own_wide / said.wide, 1) : 1;
  Job own = job;
  if (!said.tiled) own.page_wide = std::max<Index>(own_wide, 1);
  if (row >= pages_high * own.page_high || column >= pages_wide * own.page_wide) return std::nullopt;
  const Index page = row / own.page_high * pages_wide + column / own.page_wide;
  if (said.memory == "BLOCK_SHARDED") {
    if (said.ranges.size() != 1) return std::nullopt;
    const Place first = said.ranges[0][0], last = said.ranges[0][1];
    const Place core{first.y + (said.down ? j : i), first.x + (said.down ? i : j)};
    if (core.y > last.y || core.x > last.x) return std::nullopt;
    return on(core, page, own, row, column);
  }
  const auto number = static_cast<std::size_t>(i + j);
  if (number >= job.cores.size()) return std::nullopt;
  return on(job.cores[number], page, own, row, column);
}

// compute_padded_shape.
std::optional<std::vector<Index>> padded_of(const Job& job) {
  const auto rank = static_cast<int>(job.size.size()), steps = static_cast<int>(job.alignment.size());
  std::vector<Index> out(static_cast<std::size_t>(std::max(rank, steps)), 1);
  Index together = 1;
  int d = rank - 1, a = steps - 1;
  auto at = static_cast<int>(out.size()) - 1;
  for (; a >= 0; --d, --a, --at) {
    const Index size = d >= 0 ? job.size[static_cast<std::size_t>(d)] : 1,
                step = job.alignment[static_cast<std::size_t>(a)];
    Index& padded = out[static_cast<std::size_t>(at)];
    if (d >= rank - 2) padded = up(size, step);
    else if (together % step == 0) padded = size;
    else if (together != 0 && step % together == 0) padded = up(size, step / together);
    else return std::nullopt;
    if (d != rank - 1) together *= padded;
  }
  for (; d >= 0; --d, --at) out[static_cast<std::size_t>(at)] = job.size[static_cast<std::size_t>(d)];
  return out;
}

// squeeze_shape_ranks: neighbouring dimensions become one where that leaves every page in its place. `x` goes along.
void squeeze(std::vector<Index>& tensor, std::vector<Index>& shard, std::vector<Index>& x) {
  std::vector<Index> new_tensor, new_shard, new_x;  // the last dimension first
  bool same = false, divisible = false;
  const std::size_t n = tensor.size(), r = shard.size();
  for (std::size_t k = 1; k <= n; ++k) {
    const Index size = tensor[n - k], at = x[n - k];
    const bool beyond = k > r;
    const Index part = beyond ? 1 : shard[r - k];
    const bool merge = k > 1 && (beyond || same || (part == 1 && divisible));
    if (merge) {
      new_x.back() += at * new_tensor.back();
      new_tensor.back() *= size;
      new_shard.back() *= part;
    } else {
      new_tensor.push_back(size), new_shard.push_back(part), new_x.push_back(at);
      same = true;
    }
    same = same && size == part;
    divisible = size % part == 0;
  }
  tensor.assign(new_tensor.rbegin(), new_tensor.rend());
  shard.assign(new_shard.rbegin(), new_shard.rend());
  x.assign(new_x.rbegin(), new_x.rend());
}

// Shards of many dimensions: pages, squeezed, shards by rows, cores in turn.
Slot distributed(const Job& job, std::span<const Index> x) {
  const Said& said = job.said;
  auto tensor = padded_of(job);
  std::vector<Index> shard = said.shard;
  if (!tensor || shard.size() > tensor->size() || (said.tiled && shard.size() < 2)) return std::nullopt;
  std::vector<Index> at(tensor->size() - x.size(), 0);
  at.insert(at.end(), x.begin(), x.end());
  const Index row = at.size() > 1 ? at[at.size() - 2] : 0, column = at.back();
  Job own = job;
  if (!said.tiled) own.page_wide = shard.back();
  const auto to_pages = [&](std::vector<Index>& values, bool sizes) {
    const std::size_t n = values.size();
    values[n - 1] = sizes ? times_up(values[n - 1], own.page_wide) : values[n - 1] / own.page_wide;
    if (n > 1) values[n - 2] = sizes ? times_up(values[n - 2], own.page_high) : values[n - 2] / own.page_high;
  };
  to_pages(*tensor, true), to_pages(shard, true), to_pages(at, false);
  const bool grid = said.deal == "GRID_2D";
  if (grid) {  // the cores of as many rows and columns as there are shards
    if (said.ranges.size() != 1 || shard.size() > 2) return std::nullopt;
    Index height = tensor->size() > 1 ? (*tensor)[tensor->size() - 2] : 1, i = at.size() > 1 ? at[at.size() - 2] : 0;
    for (std::size_t d = tensor->size(); d-- > 2;) i += at[d - 2] * height, height *= (*tensor)[d - 2];
    if (shard.size() == 1) i = 0;
    if (shard.size() > 1) i /= shard[0];
    Index j = at.back();
    if (shard.size() == 1) {
      Index step = 1;
      j = 0;
      for (std::size_t d = tensor->size(); d-- > 0;) j += at[d] * step, step *= (*tensor)[d];
    }
    j /= shard.back();
    const Place first = said.ranges[0][0], last = said.ranges[0][1];
    if (first.y + (said.down ? j : i) > last.y || first.x + (said.down ? i : j) > last.x) return std::nullopt;
  }
  std::vector<Index> before = *tensor, parts = shard;
  squeeze(*tensor, shard, at);
  Index number = 0, page = 0, shards = 1, volume = 1;
  for (std::size_t d = 0; d < at.size(); ++d) {
    const Index count = times_up((*tensor)[d], shard[d]);
    number = number * count + at[d] / shard[d];
    page = page * shard[d] + at[d] % shard[d];
    shards *= count, volume *= shard[d];
  }
  std::vector<Place> cores = job.cores;
  if (grid) {
    Index high = 1;
    for (std::size_t d = 0; d + 1 < before.size(); ++d) high *= before[d];
    Index wide = times_up(parts.size() == 1 ? high * before.back() : before.back(), parts.back());
    high = parts.size() == 1 ? 1 : times_up(high, parts[0]);
    Said trimmed = said;
    const Place first = said.ranges[0][0];
    trimmed.ranges = {{first, {first.y + (said.down ? wide : high) - 1, first.x + (said.down ? high : wide) - 1}}};
    cores = in_order(trimmed);
  }
  const auto count = static_cast<Index>(cores.size());
  if (count == 0) return std::nullopt;
  const Index run = times_up(shards, count);
  const bool runs = said.deal == "CONTIGUOUS_1D";
  const Index core = runs ? number / run : number % count, turn = runs ? number % run : number / count;
  return on(cores[static_cast<std::size_t>(core)], turn * volume + page, own, row, column);
}

Result<use::Slots> slots(std::string_view text, const map::Tensor& tensor) {
  Job job{second::read_said(text), tensor.size, {}, {}, 1, 1};
  for (const map::Extent& extent : tensor.box)
    if (extent.axis == "bank") job.said.banks = extent.extent;
  if (job.said.tiled) job.page_high = job.said.high, job.page_wide = job.said.wide;
  if (job.said.memory == "INTERLEAVED" && job.said.banks < 1)
    return Error{ErrorCode::Value, "the text names no number of banks"};
  job.alignment = alignment_of(job.said);
  job.cores = in_order(job.said);
  return use::Slots([job = std::move(job)](std::span<const Index> x) {
    const Slot slot = job.said.memory == "INTERLEAVED"  ? interleaved(job, x)
                      : job.said.memory == "ND_SHARDED" ? distributed(job, x)
                                                        : sharded(job, x);
    return slot ? std::vector<Point>{*slot} : std::vector<Point>{};
  });
}

constexpr use::Reference kReference{"ttmetal", slots};

}  // namespace

const use::Reference& reference() { return kReference; }

}  // namespace vl::ttmetal
