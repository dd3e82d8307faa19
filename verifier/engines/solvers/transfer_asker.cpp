// Queries about loop nests as a few existential obligations over iterations and points (transfer_obligations.h), which
// a solver is given one by one.
//
//   Escapes   for each nest: an iteration that is outside
//   Collides  for each two nests: two iterations that meet
//   Misses    an element without a slot; one whose place no nest writes; for each two nests: one that is served twice
//   Differs   for each nest: an iteration that is outside, or a stray one, told by the side whose offsets tell elements
//             (a premise, an obligation of its own). Then as Misses, where the destination tells: all that writes a
//             place reads its element, since nothing strays. Else, of one place an element, as Misses of the source:
//             all that reads its place writes it where it belongs
//
// Two iterations of one nest whose strides nest never meet, nor do nests on disjoint intervals: they are not asked
// about.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "encodings/map/pieces.h"
#include "verifier/engines/solvers/nest_memories.h"
#include "verifier/engines/solvers/obligations.h"
#include "verifier/engines/solvers/transfer_obligations.h"

namespace vl::engines {
namespace {

using use::Memory;
using use::Nest;

constexpr std::size_t kMostNests = 64;
constexpr int kMostAsked = 1024;
constexpr int kMostExhausted = 2;
constexpr std::size_t kMostSlicesOfNest = 64;  // of one nest

// The lowest and the highest offset of a nest on one side.
map::Range visited_by(const Nest& nest, Side side) {
  const auto range = map::range_of({walk_of(nest, side).offset, walk_of(nest, side).strides}, nest.extents);
  VL_CHECK(range.has_value(), "a nest beyond 64 bits");
  return *range;
}

std::string_view name(Side side) { return side == Side::Destination ? "destination" : "source"; }

std::ptrdiff_t splits(const map::Map& map) {
  return std::ranges::count_if(map.stages(),
                               [](const map::Stage& stage) { return std::holds_alternative<map::Split>(stage); });
}

// Goes through the obligations of a question, up to the first with values. Without a solver nothing is known of any of
// them: each is written, and so is all that could follow from what a solver says of it.
class Asker {
 public:
  Asker(const TransferQuestion& question, const Budget& budget, std::variant<Solve, Write> next)
      : question_(question),
        next_(std::move(next)),
        nests_(question.transfer->nests),
        source_(question.source->layout),
        destination_(question.destination->layout),
        budget_(budget) {
    for (std::size_t n = 0; n < nests_.size(); ++n)
      if (std::ranges::find(nests_[n].extents, 0) == nests_[n].extents.end()) busy_.push_back(n);
  }

  Answer answer() {
    if (busy_.size() > kMostNests) return Abstained{Reason::OutOfReach, fmt::format("more than {} nests", kMostNests)};
    std::optional<Witness> found;
    switch (question_.kind) {
      case Kind::Escapes: found = leaves(); break;
      case Kind::Collides: found = overwrites(); break;
      case Kind::Misses: found = misserves(Side::Destination); break;
      case Kind::Differs: found = deviates(); break;
      case Kind::Lands:
      case Kind::Misdecodes:
      case Kind::Breaks:
      case Kind::Count:
      case Kind::Crowds: return engines::abstain("not asked of nests");
    }
    if (found) return Found{std::move(*found), false};
    if (undecided_) return std::move(*undecided_);
    return None{};
  }

 private:
  // ---- one obligation ----

  void abstain(Abstained why) {
    if (!undecided_) undecided_ = std::move(why);
  }

  // The witness of an obligation that has values. Remembers why one was not decided.
  std::optional<Witness> solve(const std::string& part, const Encoded& encoded) {
    const auto* write = std::get_if<Write>(&next_);
    if (write != nullptr && encoded.fits) {
      (*write)(fmt::format("{}.{}{}", question::name(question_.kind), given_, part), encoded.obligation,
               encoded.theory);
      return std::nullopt;
    }
    if (write == nullptr && (exhausted_ >= kMostExhausted || ++asked_ > kMostAsked)) {
      abstain({Reason::ResourceLimit, exhausted_ >= kMostExhausted
                                          ? "earlier obligations of the question took all of its units"
                                          : fmt::format("more than {} obligations", kMostAsked)});
      return std::nullopt;
    }
    Answer answer = solve_one(write != nullptr ? Solve() : std::get<Solve>(next_), encoded, budget_);
    if (auto* abstained = std::get_if<Abstained>(&answer)) {
      exhausted_ += abstained->reason == Reason::ResourceLimit ? 1 : 0;
      abstain(std::move(*abstained));
    }
    auto* found = std::get_if<Found>(&answer);
    return found != nullptr ? std::optional(std::move(found->witness)) : std::nullopt;
  }

  [[nodiscard]] bool writes() const { return std::holds_alternative<Write>(next_); }

  // An obligation without values, or one that is only written. When it has some, or is not decided, another way is
  // tried.
  bool holds(const std::string& part, const Encoded& encoded) {
    const auto before = std::exchange(undecided_, std::nullopt);
    const bool fails = solve("premise." + part, encoded).has_value();
    return !std::exchange(undecided_, before) && !fails;
  }

  // ---- the questions ----

  std::optional<Witness> leaves() {
    for (const std::size_t n : busy_)
      if (auto found = solve(fmt::format("outside.nest{}", n), leaving(question_, n))) return found;
    return std::nullopt;
  }

  // Calls visit(n, m) for nests that may be at one offset of the side twice, until it finds something.
  template <typename Visit>
  std::optional<Witness> each_two(Side side, const Visit& visit) {
    for (std::size_t a = 0; a < busy_.size(); ++a)
      for (std::size_t b = a; b < busy_.size(); ++b) {
        const Nest& nest = nests_[busy_[a]];
        const map::Range one = visited_by(nest, side);
        const map::Range two = visited_by(nests_[busy_[b]], side);
        if (one.high < two.low || two.high < one.low) continue;
        if (a == b && tells_iterations(nest, walk_of(nest, side))) continue;
        if (auto found = visit(busy_[a], busy_[b])) return found;
      }
    return std::nullopt;
  }

  std::optional<Witness> overwrites() {
    return each_two(Side::Destination, [&](std::size_t n, std::size_t m) {
      return solve(fmt::format("meet.nest{}.nest{}", n, m), meeting(question_, n, m, Side::Destination));
    });
  }

  std::optional<Witness> misserves(Side side) {
    const char* read = side == Side::Source ? "read-" : "";
    const bool serves = side == Side::Destination || !undecided_;  // else what reads an element may be a stray
    if (auto found = solve("homeless", homeless(question_, Side::Destination))) return found;
    if (side == Side::Source)
      if (auto found = solve("read-homeless", homeless(question_, side))) return found;
    if (memory_of(question_, side).layout.physical().volume() == 0) {
      abstain({Reason::OutOfReach, "a memory without slots"});
      return std::nullopt;
    }
    std::vector<Memory> memories;
    bool nest = true;
    for (const std::size_t n : busy_) {
      auto some = nested_memories(nests_[n], walk_of(nests_[n], side), kMostSlicesOfNest);
      nest = nest && some;
      if (nest) std::ranges::move(*some, std::back_inserter(memories));
      else abstain({Reason::OutOfReach, fmt::format("the strides of nest {} do not nest", n)});
    }
    if (nest)
      if (auto found = solve(fmt::format("{}unserved", read), unserved(question_, memories, side))) return found;
    if (!serves) return std::nullopt;
    return each_two(side, [&](std::size_t n, std::size_t m) -> std::optional<Witness> {
      const std::string both = fmt::format("nest{}.nest{}", n, m);
      if (holds(fmt::format("{}apart.{}", read, both), meeting(question_, n, m, side)) && !writes())
        return std::nullopt;
      return solve(fmt::format("{}twice.{}", read, both), served_twice(question_, n, m, side));
    });
  }

  static bool may_tell(const Memory& memory) {
    return memory.layout.decode() && memory.layout.physical().volume() != 0;
  }

  // Whether a place of this side tells which element lies there.
  bool tells(Side side) {
    const Memory& anchor = memory_of(question_, side);
    return may_tell(anchor) &&
           holds(fmt::format("{}-tells", name(side)), ambiguous(anchor, memory_of(question_, other_of(side))));
  }

  // Whether stray() may be asked with this anchor.
  bool anchors(Side side) {
    if (!tells(side)) return false;
    const Memory& other = memory_of(question_, other_of(side));
    if (other.layout.replicas().rank() == 0) return true;
    return may_tell(other) && holds(fmt::format("{}-tells-replicas", name(side)), ambiguous_replica(other));
  }

  std::optional<Witness> strays(Side side) {
    const bool replicas = memory_of(question_, other_of(side)).layout.replicas().rank() > 0;
    given_ = fmt::format("given-{}-tells{}.", name(side), replicas ? "-replicas" : "");
    std::optional<Witness> found;
    for (std::size_t i = 0; i < busy_.size() && !found; ++i)
      found = solve(fmt::format("stray.nest{}", busy_[i]), stray(question_, busy_[i], side));
    given_.clear();
    return found;
  }

  // Strays are told by one side: where both can tell, by the one that leaves the solver fewer digits.
  std::optional<Witness> deviates() {
    if (auto found = leaves()) return found;
    std::optional<Side> by;
    const bool destination_first = splits(source_.map()) <= splits(destination_.map());
    for (const bool destination : {destination_first, !destination_first}) {
      const Side side = destination ? Side::Destination : Side::Source;
      if ((by && !writes()) || !anchors(side)) continue;
      by = side;
      if (auto found = strays(side)) return found;
    }
    if (!by) abstain({Reason::OutOfReach, "it is not known that either side tells which element an offset belongs to"});
    const bool single = source_.replicas().rank() == 0 && destination_.replicas().rank() == 0;
    if (writes()) {
      for (const Side side : {Side::Destination, Side::Source}) {
        if (side == Side::Source ? !single : !may_tell(*question_.destination)) continue;
        given_ = fmt::format("given-{}-tells.", name(side));
        (void)misserves(side);
      }
      given_.clear();
      return std::nullopt;
    }
    if (!undecided_ && (by == Side::Destination || tells(Side::Destination))) return misserves(Side::Destination);
    if (single) return misserves(Side::Source);
    abstain({Reason::OutOfReach, "elements share places, and their replicas may be read"});
    return std::nullopt;
  }

  const TransferQuestion& question_;
  std::variant<Solve, Write> next_;
  const std::vector<Nest>& nests_;
  const map::Layout& source_;
  const map::Layout& destination_;
  const Budget& budget_;
  int asked_ = 0;
  int exhausted_ = 0;              // obligations that took all units of a solver
  std::vector<std::size_t> busy_;  // nests that move something
  std::optional<Abstained> undecided_;
  std::string given_;  // of the names of what is written: the premise that it needs
};

}  // namespace

Answer decide_nests_by(const Solve& solve, const TransferQuestion& question, const Options& options) {
  return Asker(question, options.budget, solve).answer();
}

void write_nests(const Write& write, const TransferQuestion& question) {
  (void)Asker(question, Budget{}, write).answer();
}

}  // namespace vl::engines
