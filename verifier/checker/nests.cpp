#include "verifier/checker/nests.h"

#include <algorithm>
#include <array>
#include <span>

#include "verifier/checker/kernel.h"

namespace vl::checker {
namespace {

using Slots = std::vector<Wide>;

// A move: the numbers of the slot that is read and of the one that is written.
using Move = std::array<Wide, 2>;

bool is_in(const Slots& slots, const Wide& slot) { return std::ranges::find(slots, slot) != slots.end(); }

// The numbers of the element's slots. `all`: whether each replica has one.
Slots slots_at(const Layout& layout, const Point& element, bool& all) {
  Slots out;
  const Space replicas = layout.replicas();
  require(replicas.volume() > 0 && replicas.volume() <= 1 << 12, "too many replicas to look through");
  for_each(replicas, [&](const Point& r) {
    Point p = element;
    p.insert(p.end(), r.begin(), r.end());
    charge(8LL + static_cast<long long>(out.size()));
    const Point outputs = evaluate(layout.map, p);
    const bool lands = layout.is_slot(outputs, layout.physical);
    all = all && lands;
    if (lands && !is_in(out, layout.number(outputs))) out.push_back(layout.number(outputs));
  });
  return out;
}

// Collects the moves of one nest that have a slot of this number on one side: loop by loop, as far as the loops that
// are left can still reach it.
class MovesAt {
 public:
  MovesAt(const kernel::Nest& nest, std::size_t side, std::vector<Move>& out) : nest_(nest), side_(side), out_(out) {
    const std::size_t loops = nest.box.rank();
    require(loops <= 64, "too many loops to look through");
    low_.assign(loops + 1, 0), high_.assign(loops + 1, 0), at_.assign(loops, 0);
    for (std::size_t k = loops; k-- > 0;) {
      const Wide reach = stride(k) * (nest.box.extents[k] - 1);
      low_[k] = low_[k + 1] + std::min(reach, Wide(0)), high_[k] = high_[k + 1] + std::max(reach, Wide(0));
    }
  }

  void collect(const Wide& slot) { from(0, slot - nest_.slots[side_].constant); }

 private:
  [[nodiscard]] const Wide& stride(std::size_t k) const { return nest_.slots[side_].terms[k].second; }

  void from(std::size_t k, const Wide& left) {
    charge(4LL);
    if (left < low_[k] || left > high_[k]) return;
    if (k < at_.size()) {
      for (at_[k] = 0; at_[k] < nest_.box.extents[k]; at_[k] += 1) from(k + 1, left - stride(k) * at_[k]);
      return;
    }
    charge(2 * at_.size());
    keep(out_, Move{Concrete::sum(nest_.slots[0], at_), Concrete::sum(nest_.slots[1], at_)});
  }

  const kernel::Nest& nest_;
  std::size_t side_;
  std::vector<Move>& out_;
  Slots low_, high_;  // of what the loops from k on add
  Point at_;
};

// Whether no element lies at both ends of the move.
bool is_stray(const Move& move, const Layout (&layouts)[2]) {
  bool found = false, all = true;
  if (layouts[0].elements().volume() == 0) return true;
  for_each(layouts[0].elements(), [&](const Point& x) {
    found = found || (is_in(slots_at(layouts[0], x, all), move[0]) && is_in(slots_at(layouts[1], x, all), move[1]));
  });
  return !found;
}

// Whether the element has no slot to be written, a slot that is not written once from its own, or a move from or to
// its slots that is no element's.
bool is_misserved(const Point& x, const std::vector<kernel::Nest>& nests, const Layout (&layouts)[2]) {
  bool lands = true, any = true;
  const Slots slots[2] = {slots_at(layouts[0], x, any), slots_at(layouts[1], x, lands)};
  if (!lands) return true;
  Slots written;
  std::vector<Move> moves, other;
  for (std::size_t side = 0; side < 2; ++side) {
    moves.clear();
    for (const Wide& slot : slots[side])
      for (const kernel::Nest& nest : nests) MovesAt(nest, side, moves).collect(slot);
    for (const Move& move : moves) {
      charge(slots[0].size() + slots[1].size());
      if (!is_in(slots[0], move[0]) || !is_in(slots[1], move[1])) keep(other, move);
      else if (side == 1) keep(written, move[1]);  // its own moves are found from both sides
    }
  }
  for (const Wide& slot : slots[1]) {
    charge(written.size());
    if (std::ranges::count(written, slot) != 1) return true;
  }
  return std::ranges::any_of(other, [&](const Move& move) { return is_stray(move, layouts); });
}

}  // namespace

std::vector<kernel::Nest> parse_nests(const TransferText& text, bool back, Layout (&layouts)[2]) {
  enter(__FILE__);
  layouts[back] = parse_layout(text.source), layouts[!back] = parse_layout(text.destination);
  require(layouts[0].elements().extents == layouts[1].elements().extents, "memories of different tensors");
  std::vector<kernel::Nest> out;
  for (const TransferText::Nest& said : text.nests) {
    kernel::Nest nest;
    nest.box.extents.assign(said.extents.begin(), said.extents.end());
    require(std::ranges::all_of(said.extents, [](std::int64_t extent) { return extent >= 0; }), "a negative extent");
    const auto slot = [&](const Integers& walk, Wide base) {
      require(walk.size() == nest.box.rank() + 1, "not an offset and one stride a loop");
      Row row{walk[0] - base, {}};
      for (std::size_t k = 1; k < walk.size(); ++k) row.terms.emplace_back(k - 1, walk[k]);
      return row;
    };
    nest.slots[back] = slot(said.source, text.bases.source);
    nest.slots[!back] = slot(said.destination, text.bases.destination);
    if (nest.box.volume() > 0) out.push_back(std::move(nest));
  }
  return out;
}

void check_nests(const std::string& claim, const TransferText& transfer, Evidence& evidence) {
  Layout layouts[2];
  const std::vector<kernel::Nest> nests = parse_nests(transfer, claim == "symmetric", layouts);
  const kernel::Moves moves(layouts[0], layouts[1], nests);
  const kernel::Steps steps = take(evidence.moves);
  if (claim == "in-bounds") return moves.inside(steps);
  if (claim == "no-overlap") return moves.apart(steps);
  if (claim == "covers-once") return static_cast<void>(moves.once(steps));
  require(claim == "symmetric" || claim == "implements" || claim == "carries", "no claim about nests");
  moves.implement(steps);
}

void refute_nests(const TransferText& transfer, const Showing& witness) {
  Layout layouts[2];
  const std::vector<kernel::Nest> nests = parse_nests(transfer, false, layouts);
  if (!witness.b) {
    require(witness.a.size() == layouts[0].logical && layouts[0].elements().contains(witness.a),
            "a witness that is not an element");
    return require(is_misserved(witness.a, nests, layouts), "a witness that shows nothing");
  }
  require(witness.a.size() == 1 && witness.a[0] >= 0 && witness.a[0] < static_cast<long long>(transfer.nests.size()),
          "a witness that is no nest");
  const auto before = std::span(transfer.nests).first(static_cast<std::size_t>(witness.a[0].narrow()) + 1);
  const auto moves = std::ranges::count_if(
      before, [](const TransferText::Nest& one) { return std::ranges::find(one.extents, 0) == one.extents.end(); });
  require(std::ranges::find(before.back().extents, 0) == before.back().extents.end(), "a nest that moves nothing");
  const kernel::Nest& nest = nests[static_cast<std::size_t>(moves - 1)];
  require(witness.b->size() == nest.box.rank() && nest.box.contains(*witness.b), "a witness that is no move");
  const Move move{Concrete::sum(nest.slots[0], *witness.b), Concrete::sum(nest.slots[1], *witness.b)};
  require(is_stray(move, layouts), "a witness that shows nothing");
}

void check_aligned_moves(const TransferText& transfer, Wide bits, Wide alignment, Wide minimum) {
  require(bits > 0 && alignment > 0, "elements or an alignment without a size");
  Layout layouts[2];
  static_cast<void>(parse_nests(transfer, false, layouts));  // they are layouts of one tensor
  bool moves = false;
  const Wide period = alignment * 8;
  for (const TransferText::Nest& nest : transfer.nests) {
    const std::size_t loops = nest.extents.size();
    require(nest.source.size() == loops + 1 && nest.destination.size() == loops + 1,
            "not an offset and one stride a loop");
    require(std::ranges::all_of(nest.extents, [](std::int64_t extent) { return extent >= 0; }), "a negative extent");
    if (std::ranges::find(nest.extents, 0) != nest.extents.end()) continue;
    moves = true;
    Wide run = 1;
    bool inside = true;
    for (std::size_t k = loops + 1; k-- > 0;) {
      const Wide extent = k == 0 ? 2 : nest.extents[k - 1];  // number 0 is the offset
      inside = inside && k > 0 && (extent == 1 || (nest.source[k] == run && nest.destination[k] == run));
      if (inside) run = run * extent;
      else if (extent > 1)
        require((Wide(nest.source[k]) - nest.destination[k]) * bits % period == 0, "ends that are not alike");
    }
    require(run * bits >= minimum * 8, "a transfer of too few bytes");
  }
  require(moves, "the claim says nothing: the nests move nothing");
}

}  // namespace vl::checker
