#include "encodings/use/host_places.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "encodings/map/pieces.h"

namespace vl::use {
namespace {

constexpr std::size_t kMostSteps = std::size_t{1} << 20;  // of work on one set

// Integers [first, end).
struct Run {
  Index first = 0;
  Index end = 0;
};
using Runs = std::vector<Run>;  // disjoint, ascending, with gaps; the first one starts at 0

// Nothing if there are too many.
std::optional<Runs> united(Runs runs) {
  std::ranges::sort(runs, {}, &Run::first);
  Runs out;
  for (const Run& run : runs) {
    if (!out.empty() && run.first <= out.back().end) out.back().end = std::max(out.back().end, run.end);
    else out.push_back(run);
  }
  return out.size() <= map::kMostPieces ? std::optional(std::move(out)) : std::nullopt;
}

// Every run moved by 0, step, …, (count - 1)·step.
std::optional<Runs> repeated(const Runs& runs, Index step, Index count) {
  Runs out;
  for (const Run& run : runs) {
    const bool closed = run.end - run.first >= step;  // what it covers has no gaps
    if (!closed && std::cmp_greater(count, kMostSteps - std::min(out.size(), kMostSteps))) return std::nullopt;
    Run moved = run;
    if (closed && !accumulate(moved.end, step, count - 1)) return std::nullopt;
    if (closed) out.push_back(moved);
    for (Index t = 0; !closed && t < count; ++t) {
      out.push_back(moved);
      if (t + 1 < count && (!accumulate(moved.first, step, 1) || !accumulate(moved.end, step, 1))) return std::nullopt;
    }
  }
  return united(std::move(out));
}

// The same for many repetitions: from the reach of the runs to the start of the last repetition, the union depends on
// the residue modulo step alone. If it has no gap there, further repetitions only lengthen that run.
std::optional<Runs> plus(const Runs& runs, Index step, Index count) {
  const Index reach = runs.back().end - 1;
  if (reach / step > static_cast<Index>(kMostSteps)) return repeated(runs, step, count);
  const Index few = 2 * (reach / step) + 4;
  if (count <= few) return repeated(runs, step, count);
  auto out = repeated(runs, step, few);
  if (!out) return std::nullopt;
  const Index from = reach, to = step * (few - 1);
  const auto middle = std::ranges::find_if(*out, [&](const Run& run) { return run.first <= from && to < run.end; });
  if (middle == out->end()) return repeated(runs, step, count);
  Index more = 0;
  if (!accumulate(more, step, count - few)) return std::nullopt;
  for (auto run = middle; run != out->end(); ++run)
    if ((run != middle && !accumulate(run->first, more, 1)) || !accumulate(run->end, more, 1)) return std::nullopt;
  return out;
}

struct Level {
  Index step = 1;
  Runs at;
};

class Levels {
 public:
  // Adds {0, stride, …, (count - 1)·stride}. Strides come in ascending order, counts are at least 2.
  bool add(Index stride, Index count) {
    for (;;) {
      const auto most = reach(levels_.size());
      if (!most) return false;
      if (levels_.empty() || (stride > *most && !continues(levels_.back(), stride))) {
        levels_.push_back({stride, {{0, count}}});
        return true;
      }
      if (stride % levels_.back().step == 0) return widen(levels_.back(), stride / levels_.back().step, {{0, count}});
      if (!join(stride)) return false;
    }
  }

  [[nodiscard]] std::optional<std::vector<Progression>> progressions() const {
    if (!reach(levels_.size())) return std::nullopt;
    std::vector<Progression> out(1);
    for (const Level& level : levels_) {
      std::vector<Progression> longer;
      for (const Progression& before : out)
        for (const Run& run : level.at) {
          if (longer.size() == map::kMostPieces) return std::nullopt;
          Progression& one = longer.emplace_back(before);
          if (!accumulate(one.start, level.step, run.first)) return std::nullopt;
          one.extents.push_back(run.end - run.first);
          one.strides.push_back(level.step);
        }
      out = std::move(longer);
    }
    return out;
  }

 private:
  // Whether the stride goes on where the level's one run ends: they make a longer run.
  static bool continues(const Level& level, Index stride) {
    return level.at.size() == 1 && stride % level.step == 0 && stride / level.step == level.at.front().end;
  }

  // What the first levels reach together.
  [[nodiscard]] std::optional<Index> reach(std::size_t levels) const {
    Index sum = 0;
    for (std::size_t k = 0; k < levels; ++k)
      if (!accumulate(sum, levels_[k].step, levels_[k].at.back().end - 1)) return std::nullopt;
    return sum;
  }

  // Adds factor·m for every m of `more`, in steps of the level.
  static bool widen(Level& level, Index factor, const Runs& more) {
    Runs all;
    for (const Run& run : more) {
      auto part = plus(level.at, factor, run.end - run.first);
      Index shift = 0;
      if (!part || !accumulate(shift, factor, run.first)) return false;
      for (Run& moved : *part)
        if (!accumulate(moved.first, shift, 1) || !accumulate(moved.end, shift, 1)) return false;
      all.insert(all.end(), part->begin(), part->end());
    }
    auto made = united(std::move(all));
    if (made) level.at = std::move(*made);
    return made.has_value();
  }

  // Gives the only level a step that divides the stride, or makes one level of the last two. Its step may be smaller
  // than theirs, so levels below that reach it are joined too.
  bool join(Index stride) {
    if (levels_.size() == 1) {
      Level& level = levels_.front();
      const Level was = std::exchange(level, Level{std::gcd(level.step, stride), {{0, 1}}});
      return widen(level, was.step / level.step, was.at);
    }
    for (;;) {
      const Level top = std::move(levels_.back());
      levels_.pop_back();
      Level& below = levels_.back();
      const Index step = std::gcd(below.step, top.step);
      const Level was = std::exchange(below, Level{step, {{0, 1}}});
      if (!widen(below, was.step / step, was.at) || !widen(below, top.step / step, top.at)) return false;
      const auto most = reach(levels_.size() - 1);
      if (!most) return false;
      if (*most < step) return true;
    }
  }

  std::vector<Level> levels_;
};

struct Mode {
  Index stride = 1;  // > 0
  Index count = 2;
};

// The dimensions that move, by ascending |coefficient|; `low` becomes the row's smallest value.
std::optional<std::vector<Mode>> modes_of(const map::Row& row, const map::Space& space, Index& low) {
  std::vector<Mode> out;
  low = row.constant;
  for (const map::Term& term : row.terms) {
    const Index count = space.extent(term.input);
    if (count <= 1 || term.coefficient == 0) continue;
    const auto size = term.coefficient < 0 ? checked_mul(term.coefficient, -1) : std::optional(term.coefficient);
    if (!size || (term.coefficient < 0 && !accumulate(low, term.coefficient, count - 1))) return std::nullopt;
    out.push_back({*size, count});
  }
  std::ranges::stable_sort(out, {}, &Mode::stride);
  return out;
}

}  // namespace

std::optional<std::vector<Progression>> distinct_values(const map::Row& row, const map::Space& space) {
  Index low = 0;
  const auto modes = modes_of(row, space, low);
  if (!modes) return std::nullopt;
  Levels levels;
  for (const Mode& mode : *modes)
    if (!levels.add(mode.stride, mode.count)) return std::nullopt;
  auto out = levels.progressions();
  if (!out) return std::nullopt;
  for (Progression& one : *out)
    if (!accumulate(one.start, low, 1)) return std::nullopt;
  return out;
}

bool nests(const map::Row& row, const map::Space& space) {
  Index low = 0;
  const auto modes = modes_of(row, space, low);
  if (!modes) return false;
  Index reach = 0;
  for (const Mode& mode : *modes)
    if (mode.stride <= reach || !accumulate(reach, mode.stride, mode.count - 1)) return false;
  return true;
}

std::optional<std::vector<Index>> factors_of_offset(const map::Layout& layout) {
  const auto& stages = layout.map().stages();
  const auto* first = stages.empty() ? nullptr : std::get_if<map::Affine>(&stages.front());
  if (first == nullptr) return std::nullopt;
  const std::size_t rank = layout.logical().rank();
  const auto over_elements = [&](const map::Row& row) {
    std::vector<Index> out(rank, 0);
    for (const map::Term& term : row.terms)
      if (term.input < rank && layout.logical().extent(term.input) > 1) out[term.input] = term.coefficient;
    return out;
  };
  const std::vector<Index> host = over_elements(layout.host_offset());
  const auto moves = std::ranges::find_if(host, [](Index stride) { return stride != 0; });
  if (moves == host.end()) return std::nullopt;
  std::vector<Index> factors;
  for (const map::Row& row : first->rows) {
    const std::vector<Index> own = over_elements(row);
    const Index coefficient = own[static_cast<std::size_t>(moves - host.begin())];
    const auto factor = *moves == -1 ? checked_mul(coefficient, -1) : std::optional(coefficient / *moves);
    for (std::size_t k = 0; k < rank; ++k)
      if (!factor || checked_mul(*factor, host[k]) != own[k]) return std::nullopt;
    factors.push_back(*factor);
  }
  return factors;
}

}  // namespace vl::use
