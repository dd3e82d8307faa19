// Queries about loop nests as a few existential obligations over iterations and points (transfer_obligations.h), which
// a solver is given one by one.
//
//   Escapes   for each nest: an iteration that is outside
//   Collides  for each two nests: two iterations that meet
//   Misses    an element without a slot; one whose place no nest writes; for each two nests: one that is served twice
//   Differs   for each nest: an iteration that is outside, or a stray one, told by the side whose offsets tell elements
//             (a premise, an obligation of its own). Then as Misses: where the destination tells, all that writes a
//             place reads its element, since nothing strays; else only the moves that read the element count
//
// Two iterations of one nest whose strides nest never meet, nor do nests that write disjoint intervals: they are not
// asked about.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

// The lowest and the highest offset that a nest writes.
map::Range written_by(const Nest& nest) {
  map::Range range{nest.destination.offset, nest.destination.offset};
  for (std::size_t k = 0; k < nest.extents.size(); ++k) {
    const Index stride = nest.destination.strides[k];
    VL_CHECK(accumulate(stride < 0 ? range.low : range.high, stride, nest.extents[k] - 1), "a nest beyond 64 bits");
  }
  return range;
}

std::string_view name(Anchor side) { return side == Anchor::Destination ? "destination" : "source"; }

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
    std::optional<Witness> found = ask();
    if (found) return Found{std::move(*found), false};
    if (undecided_) return std::move(*undecided_);
    return None{};
  }

 private:
  std::optional<Witness> ask() {
    switch (question_.kind) {
      case Kind::Escapes: return leaves();
      case Kind::Collides: return overwrites();
      case Kind::Misses: return misserves(Serving::ByWriting);
      case Kind::Differs: return deviates();
      case Kind::Lands:
      case Kind::Misdecodes:
      case Kind::Breaks:
      case Kind::Count:
      case Kind::Crowds: abstain(engines::abstain("not asked of nests")); return std::nullopt;
    }
    VL_CHECK(false, "unknown kind");
  }

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

  // Calls visit(n, m) for nests that may write one offset twice, until it finds something.
  template <typename Visit>
  std::optional<Witness> each_two(Serving serving, const Visit& visit) {
    for (std::size_t a = 0; a < busy_.size(); ++a)
      for (std::size_t b = a; b < busy_.size(); ++b) {
        const Nest& nest = nests_[busy_[a]];
        const map::Range one = written_by(nest);
        const map::Range two = written_by(nests_[busy_[b]]);
        if (one.high < two.low || two.high < one.low) continue;
        if (a == b && tells_iterations(nest, serving == Serving::ByReadingToo)) continue;
        if (auto found = visit(busy_[a], busy_[b])) return found;
      }
    return std::nullopt;
  }

  std::optional<Witness> overwrites() {
    return each_two(Serving::ByWriting, [&](std::size_t n, std::size_t m) {
      return solve(fmt::format("meet.nest{}.nest{}", n, m), meeting(question_, n, m));
    });
  }

  std::optional<Witness> misserves(Serving serving) {
    if (auto found = solve("homeless", homeless(question_))) return found;
    const bool reading = serving == Serving::ByReadingToo;
    if (destination_.physical().volume() == 0 || (reading && source_.physical().volume() == 0)) {
      abstain({Reason::OutOfReach, "a memory without slots"});
      return std::nullopt;
    }
    std::vector<Nest> slices;
    bool nest = true;
    for (const std::size_t n : busy_) {
      const auto some = nested_slices(nests_[n], reading, kMostSlicesOfNest);
      nest = nest && some;
      if (nest) slices.insert(slices.end(), some->begin(), some->end());
      else abstain({Reason::OutOfReach, fmt::format("the strides of nest {} do not nest", n)});
    }
    if (nest)
      if (auto found = solve("unserved", unserved(question_, slices, serving))) return found;
    return each_two(serving, [&](std::size_t n, std::size_t m) -> std::optional<Witness> {
      if (holds(fmt::format("apart.nest{}.nest{}", n, m), meeting(question_, n, m)) && !writes()) return std::nullopt;
      return solve(fmt::format("twice.nest{}.nest{}", n, m), served_twice(question_, n, m, serving));
    });
  }

  static bool may_tell(const Memory& memory) {
    return memory.layout.decode() && memory.layout.physical().volume() != 0;
  }

  // Whether a place of this side tells which element lies there.
  bool tells(Anchor side) {
    const bool destination = side == Anchor::Destination;
    const Memory& anchor = destination ? *question_.destination : *question_.source;
    const Memory& other = destination ? *question_.source : *question_.destination;
    return may_tell(anchor) && holds(fmt::format("{}-tells", name(side)), ambiguous(anchor, other));
  }

  // Whether stray() may be asked with this anchor.
  bool anchors(Anchor side) {
    if (!tells(side)) return false;
    const Memory& other = side == Anchor::Destination ? *question_.source : *question_.destination;
    if (other.layout.replicas().rank() == 0) return true;
    return may_tell(other) && holds(fmt::format("{}-tells-replicas", name(side)), ambiguous_replica(other));
  }

  std::optional<Witness> strays(Anchor side) {
    const Memory& other = side == Anchor::Destination ? *question_.source : *question_.destination;
    given_ = fmt::format("given-{}-tells{}.", name(side), other.layout.replicas().rank() == 0 ? "" : "-replicas");
    std::optional<Witness> found;
    for (std::size_t i = 0; i < busy_.size() && !found; ++i)
      found = solve(fmt::format("stray.nest{}", busy_[i]), stray(question_, busy_[i], side));
    given_.clear();
    return found;
  }

  // Strays are told by one side: where both can tell, by the one that leaves the solver fewer digits, since only the
  // other side's map is applied.
  std::optional<Witness> deviates() {
    if (auto found = leaves()) return found;
    std::optional<Anchor> by;
    const bool destination_first = splits(source_.map()) <= splits(destination_.map());
    for (const bool destination : {destination_first, !destination_first}) {
      const Anchor side = destination ? Anchor::Destination : Anchor::Source;
      if ((by && !writes()) || !anchors(side)) continue;
      by = side;
      if (auto found = strays(side)) return found;
    }
    if (!by) abstain({Reason::OutOfReach, "it is not known that either side tells which element an offset belongs to"});
    if (writes()) {
      given_ = "given-destination-tells.";
      if (may_tell(*question_.destination)) (void)misserves(Serving::ByWriting);
      given_.clear();
      if (source_.replicas().rank() == 0) (void)misserves(Serving::ByReadingToo);
      return std::nullopt;
    }
    const bool by_writing = !undecided_ && (by == Anchor::Destination || tells(Anchor::Destination));
    if (!by_writing && source_.replicas().rank() > 0) {
      abstain({Reason::OutOfReach, "elements share places, and their replicas may be read"});
      return std::nullopt;
    }
    return misserves(by_writing ? Serving::ByWriting : Serving::ByReadingToo);
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
