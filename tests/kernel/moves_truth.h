// Random statements about loop nests, and what moves.h says of them, looked up at every move and every element.
#pragma once

#include <random>

#include "tests/kernel/truth.h"
#include "verifier/kernel/claims/moves.h"

namespace vl::kernel::tests::moves {

inline std::mt19937_64 engine;
inline long long roll(long long a, long long b) {
  return b <= a ? a : a + static_cast<long long>(engine() % static_cast<unsigned long long>(b - a + 1));
}
inline bool one_in(int n) { return roll(1, n) == 1; }
template <class T>
T& pick(std::vector<T>& list) {
  return list[static_cast<std::size_t>(roll(0, std::ssize(list) - 1))];
}

struct Statement {
  Layout sides[2];
  std::vector<Nest> nests;
};
inline std::optional<Index> slot(const Layout& layout, const Values& p) {
  const auto place = outputs(layout.map.stages, p);
  test::Listed box;
  box.box = narrow(layout.physical.extents);
  if (!place || !box.has_slot(*place)) return std::nullopt;
  return value(layout.physical.number(), *place);
}

struct Law {  // what moves.h says
  bool holds[4];
  std::map<Index, std::vector<Values>> lives[2];
  explicit Law(const Statement& s) {
    std::vector<test::BruteMove> moves;
    for (const Nest& n : s.nests)
      for (const Values& p : points(n.box)) moves.push_back({p, value(n.slots[0], p), value(n.slots[1], p)});
    test::BruteMemory memories[2];
    for (const int k : {0, 1}) {
      const Layout& side = s.sides[k];
      memories[k].end = side.physical.volume().narrow();
      const std::vector<Index> logical(narrow(side.elements().extents));
      for (const Values& p : points(side.map.domain)) {
        const auto element = test::number_of({p.begin(), p.begin() + static_cast<long>(side.logical)}, logical);
        const auto n = slot(side, p);
        memories[k].points.push_back({p, element, n});
        if (n) lives[k][*n].push_back(p);
      }
    }
    constexpr question::Kind kAsked[] = {question::Kind::Escapes, question::Kind::Collides, question::Kind::Misses,
                                         question::Kind::Breaks};
    for (int goal = 0; goal < 4; ++goal)
      holds[goal] = (goal < 2 || !lives[1].empty()) && !test::brute(kAsked[goal], moves, memories[0], memories[1]);
  }
};

inline Layout random_layout(const std::vector<Wide>& logical) {
  Layout out;
  std::vector<Wide>& extents = out.map.domain.extents = logical;
  out.logical = logical.size(), out.map.size = 40;
  if (one_in(3)) extents.emplace_back(roll(1, 3));
  Stage affine{Stage::Kind::Affine, {{one_in(12) ? roll(-1, 2) : 0, {}}}, 0, {}};
  Wide weight = 1;
  for (std::size_t i = extents.size(); i-- > 0;)
    if (!one_in(8)) affine.rows[0].terms.emplace_back(i, weight), weight = weight * extents[i] + (one_in(10) ? 1 : 0);
  if (affine.rows[0].terms.size() > 1 && one_in(2))
    std::swap(affine.rows[0].terms[0].first, affine.rows[0].terms[1].first);
  if (one_in(3)) affine.rows.push_back({0, {}});  // a guard, or a dimension
  out.map.stages = {affine}, out.map.outputs = affine.rows.size();
  if (one_in(4))
    out.map.stages.push_back(
        {Stage::Kind::Swizzle, {}, 0, {}, static_cast<int>(roll(0, 1)), 1, static_cast<int>(roll(1, 2)), one_in(2)});
  if (one_in(3)) out.map.stages.push_back({Stage::Kind::Split, {}, 0, {roll(1, 5), 1}}), ++out.map.outputs;
  out.physical.extents.assign(out.map.outputs - (affine.rows.size() > 1 && one_in(2) ? 1 : 0), 1);
  for (const Values& p : points(out.map.domain))
    if (const auto place = outputs(out.map.stages, p))
      for (std::size_t j = 0; j < out.physical.rank(); ++j)
        out.physical.extents[j] = std::max(out.physical.extents[j], Wide((*place)[j] + 1));
  for (Space* space : {&out.map.domain, &out.physical}) space->names.assign(space->rank(), "d");
  return out;
}

// Nests along which both walks are affine; `copy`: the replica of the source.
inline void cover(Statement& s, const Values& low, const Values& high, long long copy) {
  Nest nest;
  Values c[2], first = low;
  const auto number = [&](int k, Values p) {
    if (k == 0) p.resize(s.sides[0].logical), p.resize(s.sides[0].map.domain.rank(), copy);
    return slot(s.sides[k], p).value_or(-1);
  };
  for (std::size_t i = 0; i < low.size(); ++i) nest.box.extents.emplace_back(high[i] - low[i]);
  bool affine = true;
  for (const int k : {0, 1}) {
    nest.slots[k].constant = number(k, low);
    for (std::size_t i = 0; i < low.size(); ++i, first = low)
      nest.slots[k].terms.emplace_back(i, high[i] - low[i] > 1 ? (++first[i], number(k, first)) - number(k, low) : 0);
    for (const Values& p : points(nest.box)) {
      for (std::size_t i = 0; i < low.size(); ++i) first[i] = low[i] + p[i];
      affine = affine && number(k, first) == value(nest.slots[k], p);
    }
    first = low;
  }
  if (affine) return s.nests.push_back(nest);
  std::size_t i = 0;
  while (high[i] - low[i] < 2 || (one_in(2) && i + 1 < low.size() && high[i + 1] - low[i + 1] > 1)) ++i;
  Values middle = high, from = low;
  middle[i] = from[i] = roll(low[i] + 1, high[i] - 1);
  cover(s, low, middle, copy), cover(s, from, high, copy);
}
inline Wide changed(const Wide& n) { return one_in(4) ? Wide(0) : one_in(4) ? n * 2 : n + (one_in(2) ? 1 : -1); }
inline void change(Row& row) {
  Wide& n = row.terms.empty() || one_in(3) ? row.constant : pick(row.terms).second;
  n = changed(n);
}
inline void mutate(Statement& s) {
  Layout& layout = s.sides[roll(0, 1)];
  switch (roll(0, 7)) {
    case 0:
    case 1: return change(pick(s.nests).slots[roll(0, 1)]);
    case 2: s.nests.push_back(Nest(pick(s.nests))), s.nests.back().slots[1].constant += roll(0, 9); return;
    case 3:
      if (s.nests.size() > 1) s.nests.pop_back();
      return;
    case 4: {
      Wide& n = pick(layout.physical.extents);
      n = std::max(Wide(1), changed(n));
      return;
    }
    case 5: {
      const auto i = static_cast<std::size_t>(roll(0, std::ssize(layout.map.domain.extents) - 1));
      for (Layout* side : {&layout, &s.sides[0], &s.sides[1]})
        if (side == &layout || i < layout.logical)
          side->map.domain.extents[i] = Wide(roll(i < layout.logical ? 0 : 1, 4));
      if (i < layout.logical) s.sides[0].map.domain.extents[i] = s.sides[1].map.domain.extents[i];
      return;
    }
    case 6:
      if (auto& box = pick(s.nests).box.extents; !box.empty()) {
        Wide& n = pick(box);
        n = std::max(Wide(1), changed(n));
      }
      return;
    default: return change(pick(layout.map.stages[0].rows));
  }
}

}  // namespace vl::kernel::tests::moves
