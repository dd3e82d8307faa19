// The enumerating engine on loop nests: every move in a list, sorted by what it writes. No arithmetic on structure, so
// it shares nothing with the strided engine; it decides whatever is small. Of what is large it looks at a sample, which
// can refute and never prove.
#include <algorithm>
#include <set>

#include "verifier/engines/walk/walks.h"
#include "verifier/question/transfer.h"

namespace vl::engines {
namespace {

using use::Memory;

constexpr Index kMostMoves = Index{1} << 22;

struct Move {
  Index destination = 0;
  Index source = 0;
  Index number = 0;  // in the order of nests and iterations
};

struct Pair {
  Index destination = 0;
  Index source = 0;

  auto operator<=>(const Pair&) const = default;
};

std::optional<std::vector<Move>> moves_of(const use::Transfer& transfer) {
  std::vector<Move> moves;
  for (const use::Nest& nest : transfer.nests) {
    const auto count = checked_product(nest.extents);
    if (!count || *count > kMostMoves - static_cast<Index>(moves.size())) return std::nullopt;
    Point iteration(nest.extents.size(), 0);
    const auto space = map::Space::create(map::Space::dims("i", nest.extents));
    if (!space) return std::nullopt;
    for (Index left = *count; left > 0; --left, map::advance(*space, iteration)) {
      const auto s = question::offset_at(nest.source, iteration);
      const auto d = question::offset_at(nest.destination, iteration);
      if (!s || !d) return std::nullopt;
      moves.push_back({*d, *s, static_cast<Index>(moves.size())});
    }
  }
  return moves;
}

// The move with that number, as nest and iteration.
Point move_of(const use::Transfer& transfer, Index number) {
  for (std::size_t n = 0;; ++n) {
    VL_CHECK(n < transfer.nests.size(), "no such move");
    const Index count = *checked_product(transfer.nests[n].extents);
    if (number >= count) {
      number -= count;
      continue;
    }
    const auto space = map::Space::create(map::Space::dims("i", transfer.nests[n].extents));
    Point move = space->point(number);
    move.insert(move.begin(), static_cast<Index>(n));
    return move;
  }
}

bool is_outside(const Memory& memory, Index offset) {
  return offset < memory.base || offset - memory.base >= memory.layout.physical().volume();
}

class Walker {
 public:
  Walker(const TransferQuestion& question, std::vector<Move> moves) : question_(question), moves_(std::move(moves)) {}

  Answer leaves() {
    for (const Move& move : moves_)
      if (is_outside(*question_.source, move.source) || is_outside(*question_.destination, move.destination))
        return found(move.number);
    return None{};
  }

  Answer overwrites() {
    sort();
    std::optional<std::pair<Index, Index>> first;
    for (std::size_t k = 0; k + 1 < moves_.size(); ++k) {
      const bool opens = k == 0 || moves_[k - 1].destination != moves_[k].destination;
      if (!opens || moves_[k + 1].destination != moves_[k].destination) continue;
      const std::pair both{moves_[k].number, moves_[k + 1].number};
      if (!first || both < *first) first = both;
    }
    if (!first) return None{};
    return Found{{move_of(*question_.transfer, first->first), move_of(*question_.transfer, first->second), {}}, true};
  }

  Answer misserves() {
    sort();
    return first_unserved([&](Index place, std::span<const Index>) { return writers_of(place).size() == 1; });
  }

  Answer deviates() {
    const map::Space& logical = question_.source->layout.logical();
    std::vector<Pair> pairs;
    Point x(logical.rank(), 0);
    for (Index left = logical.volume(); left > 0; --left, map::advance(logical, x)) {
      const std::vector<Index> from = question::memory_of(question_.source->layout, x);
      const std::vector<Index> to = question::memory_of(question_.destination->layout, x);
      if (static_cast<Index>(pairs.size() + from.size() * to.size()) > kMostMoves)
        return Abstained{question::Reason::OutOfReach, "too many pairs of places"};
      for (const Index s : from)
        for (const Index d : to) pairs.push_back({question_.destination->base + d, question_.source->base + s});
    }
    std::ranges::sort(pairs);
    for (const Move& move : moves_)
      if (!std::ranges::binary_search(pairs, Pair{move.destination, move.source})) return found(move.number);
    sort();
    return first_unserved([&](Index place, std::span<const Index> element) {
      const std::vector<Index> from = question::memory_of(question_.source->layout, element);
      return std::ranges::count_if(writers_of(place), [&](const Move& move) {
               return std::ranges::binary_search(from, move.source - question_.source->base);
             }) == 1;
    });
  }

 private:
  void sort() {
    std::ranges::sort(moves_, {}, [](const Move& move) { return std::pair(move.destination, move.number); });
  }

  // The moves to a place. Requires: sorted. (Not by equal_range, whose subrange clang 14 does not take.)
  [[nodiscard]] std::span<const Move> writers_of(Index place) const {
    const auto first = std::ranges::lower_bound(moves_, place, {}, &Move::destination);
    const auto last = std::ranges::upper_bound(moves_, place, {}, &Move::destination);
    return {first, last};
  }

  [[nodiscard]] Answer found(Index number) const { return Found{{move_of(*question_.transfer, number), {}, {}}, true}; }

  // The first point of the destination's domain without a slot, or with a place that is not served.
  Answer first_unserved(const std::function<bool(Index, std::span<const Index>)>& served) {
    const map::Layout& layout = question_.destination->layout;
    map::Evaluator encode(layout.map());
    Point p(layout.domain().rank(), 0);
    for (Index left = layout.domain().volume(); left > 0; --left, map::advance(layout.domain(), p)) {
      const auto outputs = encode(p);
      const bool ok =
          layout.is_slot(outputs) &&
          served(question_.destination->base + layout.physical().linear(outputs.first(layout.physical().rank())),
                 std::span(p).first(layout.logical().rank()));
      if (!ok) return Found{{{}, p, {}}, true};
    }
    return None{};
  }

  const TransferQuestion& question_;
  std::vector<Move> moves_;
};

// The points of a box with 0, 1, the middle, last - 1 or last in each dimension, ascending; none when those are too
// many.
std::vector<Point> sample_of(const std::vector<Index>& extents) {
  constexpr std::size_t kMostSampled = 4096;
  std::vector<Point> points{Point{}};
  for (const Index extent : extents) {
    std::vector<Point> longer;
    for (const Point& point : points)
      for (const Index value : std::set<Index>{0, 1, extent / 2, extent - 2, extent - 1}) {
        if (value < 0 || value >= extent) continue;
        longer.push_back(point);
        longer.back().push_back(value);
      }
    if (longer.size() > kMostSampled) return {};
    points = std::move(longer);
  }
  return points;
}

// A witness among a few moves and elements, shown by evaluation. Nothing says that it is the smallest.
std::optional<question::Witness> sampled(const TransferQuestion& question) {
  const auto shows = [&](const question::Witness& witness) { return question::replay(question, witness); };
  // That a move is none of the layouts' can be replayed only where a place tells its element.
  const bool may_stray =
      question.kind == Kind::Escapes || tells(*question.source, question) || tells(*question.destination, question);
  if (question.kind == Kind::Escapes || question.kind == Kind::Differs)
    for (std::size_t n = 0; n < question.transfer->nests.size(); ++n)
      for (Point& move : may_stray ? sample_of(question.transfer->nests[n].extents) : std::vector<Point>{}) {
        move.insert(move.begin(), static_cast<Index>(n));
        question::Witness witness{std::move(move), {}, {}};
        if (shows(witness)) return witness;
      }
  if (question.kind == Kind::Misses || question.kind == Kind::Differs) {
    std::vector<Index> extents;
    for (const map::Dim& dim : question.destination->layout.domain().dims()) extents.push_back(dim.extent);
    for (Point& point : sample_of(extents)) {
      question::Witness witness{{}, std::move(point), {}};
      if (shows(witness)) return witness;
    }
  }
  return std::nullopt;
}

}  // namespace

Answer walk_moves(const TransferQuestion& question) {
  const auto too_large = [&](std::string_view what) -> Answer {
    if (auto witness = sampled(question)) return Found{std::move(*witness), false};
    return Abstained{question::Reason::OutOfReach,
                     std::string(what) + " are more than are run (2^22), and a sample shows nothing"};
  };
  for (const Memory* memory : {question.source, question.destination})
    if (memory->layout.replicas().volume() > question::kMostReplicas)
      return Abstained{question::Reason::OutOfReach, "more replicas of an element than are listed (2^20)"};
  for (const Memory* memory : {question.source, question.destination})
    if (memory->layout.domain().volume() > kMostMoves) return too_large("elements");
  auto moves = moves_of(*question.transfer);
  if (!moves) return too_large("moves");
  Walker walker(question, std::move(*moves));
  switch (question.kind) {
    case Kind::Escapes: return walker.leaves();
    case Kind::Differs: return walker.deviates();
    case Kind::Misses: return walker.misserves();
    case Kind::Collides: return walker.overwrites();
    case Kind::Lands:
    case Kind::Misdecodes:
    case Kind::Breaks:
    case Kind::Count:
    case Kind::Crowds: return abstain("not asked of nests");
  }
  VL_CHECK(false, "unknown kind");
}

}  // namespace vl::engines
