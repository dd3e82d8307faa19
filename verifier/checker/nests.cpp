#include "verifier/checker/nests.h"

#include <algorithm>

#include "verifier/checker/kernel.h"

namespace vl::checker {
namespace {

void require_within(const Interval& span, Wide extent, const char* why) {
  require(span.low >= 0 && span.high < extent, why);
}

// At each move, `point` is one of the layout's domain, and the slot that it has is number `slot`.
void check_place(const Layout& layout, Forms& forms, const std::vector<Form>& point, const Row& slot) {
  require(point.size() == layout.map.domain.rank(), "an element of another tensor");
  for (std::size_t i = 0; i < point.size(); ++i)
    require_within(forms.range(point[i]), layout.map.domain.extents[i], "an element that may not exist");
  const std::vector<Form> place = run(layout.map.stages, point, forms);
  for (std::size_t j = 0; j < place.size(); ++j)
    require_within(forms.range(place[j]), j < layout.physical.rank() ? layout.physical.extents[j] : 1,
                   "an element without a slot");
  const Form off = forms.sum({0, {{0, 1}, {1, -1}}}, {forms.sum(layout.physical.number(), place), forms.of(slot)});
  require_within(forms.range(off), 1, "a move to or from another slot");
}

using Pair = std::pair<Wide, Wide>;

// (number of the slot, number of its element) of all points of a layout that have a slot, ascending, each once.
std::vector<Pair> slots_of(const Layout& layout, bool all) {
  std::vector<Pair> out;
  const Row element = layout.elements().number();
  Evaluator places(layout.map);
  walk(layout.map.domain, layout.map, [&](const Point& p) {
    const Point& place = places(p);
    const bool lands = layout.is_slot(place, layout.physical);
    require(lands || !all, "an element without a slot");
    charge(element.terms.size() + layout.physical.rank());
    if (lands) keep(out, Pair(layout.number(place), Concrete::sum(element, p)));
  });
  charge_sorting(out.size());
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// (number written, number read) of all moves, ascending.
std::vector<Pair> moves_of(const std::vector<Nest>& nests) {
  Wide cost = 0;
  for (const Nest& nest : nests) cost += nest.box.volume() * static_cast<long long>(3 * nest.box.rank() + 4);
  if (cost > work_left()) needs_more_work();  // before anything is done
  std::vector<Pair> out;
  for (const Nest& nest : nests)
    for_each(nest.box, [&](const Point& at) {
      charge(2 * at.size() + 1);
      keep(out, Pair(Concrete::sum(nest.slots[1], at), Concrete::sum(nest.slots[0], at)));
    });
  charge_sorting(out.size());
  std::ranges::sort(out);
  return out;
}

bool reads(const Layout& layout, std::size_t input) {
  charge(layout.map.size + 1);
  const auto is_it = [&](const auto& term) { return term.first == input; };
  const auto names = [&](const Row& row) { return std::ranges::any_of(row.terms, is_it); };
  const std::vector<Stage>& stages = layout.map.stages;
  return stages.empty() || stages[0].kind != Stage::Kind::Affine || std::ranges::any_of(stages[0].rows, names);
}

}  // namespace

std::vector<Nest> parse_nests(const TransferText& text, bool back, Layout (&layouts)[2]) {
  layouts[back] = parse_layout(text.source), layouts[!back] = parse_layout(text.destination);
  require(layouts[0].elements().extents == layouts[1].elements().extents, "memories of different tensors");
  std::vector<Nest> out;
  for (const TransferText::Nest& said : text.nests) {
    Nest nest;
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

void cut_apart(const Cut& cut, std::vector<Nest>& nests) {
  const auto& [n, k, first] = cut;
  require(n < nests.size() && k < nests[n].box.rank() && first > 0 && first < nests[n].box.extents[k],
          "a cut of nothing");
  charge(8 * nests[n].box.rank() + 8);
  hold(sizeof(Nest) + nests[n].box.rank() * (sizeof(Wide) + 4 * sizeof(std::pair<int, Wide>)));
  nests.push_back(nests[n]);
  nests[n].box.extents[k] = first;
  nests.back().box.extents[k] = nests.back().box.extents[k] - first;
  for (Row& row : nests.back().slots) row.constant += row.terms[k].second * first;
}

namespace {

// The claims as they stand: every move, and every element with its slots.
void walk_nests(const std::string& claim, const Layout (&layouts)[2], const std::vector<Nest>& nests) {
  const auto& [from, to] = layouts;
  const std::vector<Pair> moves = moves_of(nests);
  if (claim == "in-bounds" || claim == "no-overlap") require(!moves.empty(), "nests that move nothing");
  if (claim == "in-bounds") {
    const Wide targets = to.physical.volume(), sources = from.physical.volume();
    for (const auto& [d, s] : moves) require(d >= 0 && d < targets && s >= 0 && s < sources, "a move that leaves");
    return;
  }
  if (claim == "no-overlap")
    return require(std::ranges::adjacent_find(moves, {}, &Pair::first) == moves.end(), "a slot that is written twice");
  const bool once = claim == "covers-once";
  const std::vector<Pair> wanted = slots_of(to, true), known = once ? std::vector<Pair>() : slots_of(from, false);
  require(!wanted.empty(), "the claim says nothing: there is no element");
  std::vector<bool> serves(moves.size(), false);
  for (const auto& [slot, element] : wanted) {
    charge(32LL);  // looking it up
    int times = 0;
    for (auto move = std::ranges::lower_bound(moves, slot, {}, &Pair::first);
         move != moves.end() && move->first == slot; ++move) {
      charge(once ? 1LL : 32LL);
      if (!once && !std::ranges::binary_search(known, Pair(move->second, element))) continue;
      serves[static_cast<std::size_t>(move - moves.begin())] = true;
      ++times;
    }
    require(times == 1, "an element that is not moved once");
  }
  require(once || std::ranges::find(serves, false) == serves.end(), "a move of no element");
}

}  // namespace

// "form" is "exhaustion", and all is walked over; else "cuts" take nests apart into pieces. Each has digits of its own
// (forms.h). The number of the slot that is written (`by` 1; or read: 0) and its digits by each chain of "weights" are
// forms over them, the piece's keys: functions of that number. A piece *serves* when it is injective in its keys
// (steps), and for every other piece there is a key whose ranges are disjoint: then no other move has the number of a
// move that serves.
//
//   no-overlap   all pieces serve.
//   covers-once  pieces that serve name the point e = (x, replica of D) of each move as forms, and the number written
//                is that of D(e). Only the dimensions that D's map reads matter: in these, moves with different
//                numbers have different e. As many moves serve as there are such points, so each point has its move,
//                hence a slot, and no other move writes there.
//   implements   also: all pieces serve, and the number read is that of S(x, replica); dimensions of x that S's map
//                reads also matter.
//
// If neither side has replicas, the numbers read may distinguish moves: the rest of the argument is the same.
void check_nests(const std::string& claim, const TransferText& transfer, Evidence& evidence) {
  const bool bounds = claim == "in-bounds", overlap = claim == "no-overlap";
  const bool once = claim == "covers-once", back = claim == "symmetric";
  require(bounds || overlap || once || back || claim == "implements", "no claim about nests");
  Layout layouts[2];
  const auto& [from, to] = layouts;
  std::vector<Nest> nests = parse_nests(transfer, back, layouts);
  if (evidence.form) {
    require(take(evidence.form) == "exhaustion", "a form that shows no such thing");
    return walk_nests(claim, layouts, nests);
  }
  for (const Cut& cut : take(evidence.cuts)) cut_apart(cut, nests);
  const std::size_t by = take(evidence.by);
  const bool either = !overlap && !once && from.replicas().rank() + to.replicas().rank() == 0;
  require(by == 1 || (by == 0 && either), "moves told apart by nothing");
  const auto chains = take(evidence.weights);
  const std::vector<NestPiece> pieces = take(evidence.pieces);
  require(pieces.size() == nests.size() && !nests.empty() && nests.size() <= 4096, "pieces of other nests");
  std::vector<std::pair<bool, std::vector<Interval>>> done;
  Wide served = 0, wanted = 1;
  for (std::size_t n = 0; n < nests.size(); ++n) {
    const NestPiece& piece = pieces[n];
    Forms forms(nests[n].box, piece.digits);
    for (std::size_t side = 0; side < 2 && bounds; ++side)
      require_within(forms.range(forms.of(nests[n].slots[side])), layouts[side].physical.volume(),
                     "a move that may leave");
    std::vector<Form> keys{forms.of(nests[n].slots[by])};
    for (const auto& weights : chains)
      for (Form& digit : run({{Stage::Kind::Split, {}, 0, weights}}, {keys[0]}, forms)) keys.push_back(digit);
    const bool serves = piece.steps.has_value(), names = serves && !overlap && !bounds;
    require(serves || once || bounds, "a nest that is not shown to serve");
    require(piece.element.has_value() == names, "an element of a piece that serves, and only of one");
    if (serves) check_peel(forms, keys, {}, *piece.steps), served += nests[n].box.volume();
    if (names) {
      std::vector<Form> e;
      for (const auto& row : *piece.element) {
        require(!row.empty() && row.size() <= forms.digits() + 1, "an element of other digits");
        e.push_back({row[0], {row.begin() + 1, row.end()}});
      }
      require(e.size() >= to.map.domain.rank(), "an element of another tensor");
      const auto replicas = e.begin() + static_cast<std::ptrdiff_t>(to.map.domain.rank());  // of S
      check_place(to, forms, {e.begin(), replicas}, nests[n].slots[1]);
      e.erase(e.begin() + static_cast<std::ptrdiff_t>(from.logical), replicas);
      if (!once) check_place(from, forms, e, nests[n].slots[0]);
    }
    std::vector<Interval> ranges;
    ranges.reserve(keys.size());
    for (const Form& key : keys) ranges.push_back(forms.range(key));
    for (const auto& [other, theirs] : done) {
      charge(keys.size() + 1);
      bool apart = !serves && !other;
      for (std::size_t k = 0; k < keys.size(); ++k)
        apart = apart || ranges[k].high < theirs[k].low || theirs[k].high < ranges[k].low;
      require(apart, "two nests that may meet");
    }
    done.emplace_back(serves, std::move(ranges));
  }
  for (std::size_t i = 0; i < to.map.domain.rank(); ++i)
    if (reads(to, i) || (!once && i < to.logical && reads(from, i))) wanted = wanted * to.map.domain.extents[i];
  require(bounds || overlap || (served > 0 && served == wanted), "elements that no move serves");
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
