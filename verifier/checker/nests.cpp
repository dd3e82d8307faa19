#include "verifier/checker/nests.h"

#include <algorithm>

namespace vl::checker {
namespace {

using Json = nlohmann::json;

struct Nest {
  Space box;     // not empty
  Row slots[2];  // over the box: the number of the slot that is read, and of the one that is written
};

// The layouts of what is read and of what is written, called `names`, and the nests that move something.
std::vector<Nest> read_nests(Fields statement, const char* const (&names)[2], Layout (&layouts)[2]) {
  Fields bases(statement.take("bases"));
  for (std::size_t side = 0; side < 2; ++side) layouts[side] = read_layout(statement.take(names[side]));
  require(layouts[0].elements().extents == layouts[1].elements().extents, "memories of different tensors");
  const Wide base[2] = {integer(bases.take(names[0])), integer(bases.take(names[1]))};
  std::vector<Nest> out;
  for (const Json& json : statement.take("nests")) {
    Fields parts(json);
    Nest nest;
    for (const Json& extent : parts.take("extents")) nest.box.extents.push_back(integer(extent));
    require(std::ranges::all_of(nest.box.extents, [](Wide extent) { return extent >= 0; }), "a negative extent");
    for (std::size_t side = 0; side < 2; ++side) {
      const Json& walk = parts.take(names[side]);
      require(walk.size() == nest.box.rank() + 1, "not an offset and one stride a loop");
      nest.slots[side].constant = integer(walk.at(0)) - base[side];
      for (std::size_t k = 1; k < walk.size(); ++k) nest.slots[side].terms.emplace_back(k - 1, integer(walk.at(k)));
    }
    parts.end();
    if (nest.box.volume() > 0) out.push_back(std::move(nest));
  }
  bases.end(), statement.end();
  return out;
}

// Cuts [nest, loop, at] take nests apart, one loop of one nest at a time; the later iterations come last.
void cut(std::vector<Nest>& nests, const Json& cuts) {
  for (const Json& json : cuts) {
    const std::size_t n = index(json.at(0)), k = index(json.at(1));
    const Wide first = integer(json.at(2));
    require(n < nests.size() && k < nests[n].box.rank() && first > 0 && first < nests[n].box.extents[k],
            "a cut of nothing");
    nests.push_back(nests[n]);
    nests[n].box.extents[k] = first;
    nests.back().box.extents[k] = nests.back().box.extents[k] - first;
    for (Row& row : nests.back().slots) row.constant += row.terms[k].second * first;
  }
}

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

bool reads(const Layout& layout, std::size_t input) {
  const auto is_it = [&](const auto& term) { return term.first == input; };
  const auto names = [&](const Row& row) { return std::ranges::any_of(row.terms, is_it); };
  const std::vector<Stage>& stages = layout.map.stages;
  return stages.empty() || stages[0].kind != Stage::Kind::Affine || std::ranges::any_of(stages[0].rows, names);
}

}  // namespace

// "cuts" take nests apart into pieces. Each has digits of its own (forms.h). The number of the slot that is written
// (`by` 1; or read: 0) and its digits by each chain of "weights" are forms over them, the piece's keys: functions of
// that number. A piece *serves* when it is injective in its keys (steps), and for every other piece there is a key
// whose ranges are disjoint: then no other move has the number of a move that serves.
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
void check_nests(const std::string& claim, Fields& statement, Fields& evidence) {
  const bool bounds = claim == "in-bounds", overlap = claim == "no-overlap";
  const bool once = claim == "covers-once", back = claim == "symmetric";
  require(bounds || overlap || once || back || claim == "implements", "no claim about nests");
  Layout layouts[2];
  const auto& [from, to] = layouts;
  const char* const names[2] = {back ? "destination" : "source", back ? "source" : "destination"};
  std::vector<Nest> nests = read_nests(Fields(statement.take("transfer")), names, layouts);
  cut(nests, evidence.take("cuts"));
  const auto by = index(evidence.take("by"));
  const bool either = !overlap && !once && from.replicas().rank() + to.replicas().rank() == 0;
  require(by == 1 || (by == 0 && either), "moves told apart by nothing");
  const auto chains = integers(evidence.take("weights"));
  const Json& pieces = evidence.take("pieces");
  require(pieces.size() == nests.size() && !nests.empty() && nests.size() <= 4096, "pieces of other nests");
  std::vector<std::pair<bool, std::vector<Interval>>> done;
  Wide served = 0, wanted = 1;
  for (std::size_t n = 0; n < nests.size(); ++n) {
    Fields piece(pieces.at(n));
    Forms forms(nests[n].box, read_groups(piece.take("digits")));
    for (std::size_t side = 0; side < 2 && bounds; ++side)
      require_within(forms.range(forms.of(nests[n].slots[side])), layouts[side].physical.volume(),
                     "a move that may leave");
    std::vector<Form> keys{forms.of(nests[n].slots[by])};
    for (const auto& weights : chains)
      for (Form& digit : run({{Stage::Kind::Split, {}, 0, {weights.begin(), weights.end()}}}, {keys[0]}, forms))
        keys.push_back(digit);
    const bool serves = piece.has("steps");
    require(serves || once || bounds, "a nest that is not shown to serve");
    if (serves) check_peel(forms, keys, {}, read_steps(piece.take("steps"))), served += nests[n].box.volume();
    if (serves && !overlap && !bounds) {
      std::vector<Form> e;
      for (const auto& row : integers(piece.take("element"))) {
        require(!row.empty() && row.size() <= forms.digits() + 1, "an element of other digits");
        e.push_back({row[0], {row.begin() + 1, row.end()}});
      }
      require(e.size() >= to.map.domain.rank(), "an element of another tensor");
      const auto replicas = e.begin() + static_cast<std::ptrdiff_t>(to.map.domain.rank());  // of S
      check_place(to, forms, {e.begin(), replicas}, nests[n].slots[1]);
      e.erase(e.begin() + static_cast<std::ptrdiff_t>(from.logical), replicas);
      if (!once) check_place(from, forms, e, nests[n].slots[0]);
    }
    piece.end();
    std::vector<Interval> ranges;
    for (const Form& key : keys) ranges.push_back(forms.range(key));
    for (const auto& [other, theirs] : done) {
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

}  // namespace vl::checker
