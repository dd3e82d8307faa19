// The enumerating engine on loop nests: every move in a list, sorted by what it writes. No arithmetic on structure, so
// it shares nothing with the strided engine; it decides whatever is small. Of what is large it looks at a sample, which
// can refute and never prove.
#include <algorithm>
#include <array>
#include <set>

#include "verifier/engines/walk/walk.h"
#include "verifier/question/transfer.h"

namespace vl::engines {
namespace {

constexpr Index kMostMoves = Index{1} << 22;

using Pair = std::pair<Index, Index>;  // destination, source

class Walker {
 public:
  Walker(const TransferQuestion& question, Limit& limit) : question_(question), limit_(limit) {}

  // False when there are more moves than are run.
  [[nodiscard]] bool fits() {
    Index moves = 0;
    for (const use::Nest& nest : question_.transfer->nests) {
      auto box = map::Space::create(map::Space::dims("i", nest.extents));
      if (!box || box->volume() > kMostMoves - moves) return false;
      moves += box->volume();
      iterations_.push_back(std::move(*box));
    }
    return true;
  }

  Answer answer() {
    for (std::size_t n = 0; n < iterations_.size(); ++n) {
      const use::Nest& nest = question_.transfer->nests[n];
      Answer listed = first_point(iterations_[n], limit_, [&](const Point& iteration) {
        const auto s = question::offset_at(nest.source, iteration);
        const auto d = question::offset_at(nest.destination, iteration);
        if (s && d) moves_.emplace_back(*d, *s);
        return !s || !d;
      });
      if (std::holds_alternative<Found>(listed)) return abstain("an offset beyond 64 bits");
      if (!decided(listed)) return listed;
    }
    switch (question_.kind) {
      case Kind::Escapes:
        return first_move([&](const Pair& move) {
          return question::is_outside(*question_.destination, move.first) ||
                 question::is_outside(*question_.source, move.second);
        });
      case Kind::Differs: return deviates();
      case Kind::Misses:
        return first_unserved(
            [](std::span<const Pair> writers, std::span<const Index>) { return writers.size() == 1; });
      case Kind::Collides: {
        const auto shared = first_shared(written());
        if (!shared) return None{};
        return Found{{move_of(shared->first), move_of(shared->second), {}}, true};
      }
      case Kind::Lands:
      case Kind::Misdecodes:
      case Kind::Breaks:
      case Kind::Count:
      case Kind::Crowds: return abstain("not asked of nests");
    }
    VL_CHECK(false, "unknown kind");
  }

 private:
  Answer deviates() {
    std::vector<Pair> pairs;
    Answer listed = first_point(question_.source->layout.logical(), limit_, [&](const Point& x) {
      const std::vector<Index> from = question::memory_of(question_.source->layout, x);
      const std::vector<Index> to = question::memory_of(question_.destination->layout, x);
      if (static_cast<Index>(pairs.size() + from.size() * to.size()) > kMostMoves) return true;
      for (const Index s : from)
        for (const Index d : to) pairs.emplace_back(question_.destination->base + d, question_.source->base + s);
      return false;
    });
    if (std::holds_alternative<Found>(listed)) return abstain("too many pairs of places");
    if (!decided(listed)) return listed;
    std::ranges::sort(pairs);
    Answer stray = first_move([&](const Pair& move) { return !std::ranges::binary_search(pairs, move); });
    if (std::holds_alternative<Found>(stray)) return stray;
    return first_unserved([&](std::span<const Pair> writers, std::span<const Index> element) {
      const std::vector<Index> from = question::memory_of(question_.source->layout, element);
      return std::ranges::count_if(writers, [&](const Pair& writer) {
               const Index source = moves_[static_cast<std::size_t>(writer.second)].second;
               return std::ranges::binary_search(from, source - question_.source->base);
             }) == 1;
    });
  }

  // What is written, with the numbers of the moves in the order of nests and iterations.
  [[nodiscard]] Listed written() const {
    Listed out;
    for (const Pair& move : moves_) out.emplace_back(move.first, static_cast<Index>(out.size()));
    std::ranges::sort(out);
    return out;
  }

  // The move with that number, as nest and iteration.
  [[nodiscard]] Point move_of(Index number) const {
    std::size_t n = 0;
    for (; number >= iterations_[n].volume(); ++n) number -= iterations_[n].volume();
    Point move = iterations_[n].point(number);
    move.insert(move.begin(), static_cast<Index>(n));
    return move;
  }

  template <class Holds>
  [[nodiscard]] Answer first_move(const Holds& holds) const {
    const auto found = std::ranges::find_if(moves_, holds);
    return found == moves_.end() ? Answer(None{}) : Found{{move_of(found - moves_.begin()), {}, {}}, true};
  }

  // The first point of the destination's domain without a slot, or which its place's writers do not serve.
  template <class Serve>
  Answer first_unserved(const Serve& serve) {
    const map::Layout& layout = question_.destination->layout;
    const Listed taken = written();
    map::Evaluator encode(layout.map());
    Answer answer = first_point(layout.domain(), limit_, [&](const Point& p) {
      const auto number = layout.slot_number(encode(p));
      if (!number) return true;
      const Index place = question_.destination->base + *number;
      const auto first = std::ranges::lower_bound(taken, place, {}, &Pair::first);
      const auto last = std::ranges::upper_bound(taken, place, {}, &Pair::first);
      return !serve(std::span<const Pair>(first, last), std::span(p).first(layout.logical().rank()));
    });
    if (auto* found = std::get_if<Found>(&answer)) std::swap(found->witness.p, found->witness.q);
    return answer;
  }

  const TransferQuestion& question_;
  Limit& limit_;
  std::vector<map::Space> iterations_;  // of each nest
  std::vector<Pair> moves_;
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

Answer walk_moves(const TransferQuestion& question, Limit& limit) {
  const auto too_large = [&](std::string_view what) -> Answer {
    if (auto witness = sampled(question)) return Found{std::move(*witness), false};
    return abstain(std::string(what) + " are more than are run (2^22), and a sample shows nothing");
  };
  const std::array<const map::Layout*, 2> layouts{&question.source->layout, &question.destination->layout};
  for (const map::Layout* layout : layouts)
    if (layout->replicas().volume() > question::kMostReplicas)
      return abstain("more replicas of an element than are listed (2^20)");
  for (const map::Layout* layout : layouts)
    if (layout->domain().volume() > kMostMoves) return too_large("elements");
  Walker walker(question, limit);
  return walker.fits() ? walker.answer() : too_large("moves");
}

}  // namespace vl::engines
