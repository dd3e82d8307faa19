#include "verifier/kernel/core/cell.h"

namespace vl::kernel {
namespace {

constexpr std::size_t kMostAtoms = 4096;

template <class S>
bool at_least(const S& a, const S& b) {
  return is_shown(a - b);
}

}  // namespace

template <class S>
Cell<S>::Cell(const BasicSpace<S>& root, std::vector<S> given) : root_(root), given_(std::move(given)) {
  enter(__FILE__);
  for (const S& one : given_) hold(bytes_of(one));
  for (std::size_t i = 0; i < root.rank(); ++i) {
    const S most = root.extents[i] - S(1);
    require(is_shown(most) || std::ranges::find(given_, most) != given_.end(), "a box without a point");
    const std::size_t a = atom(root.extents[i]);
    groups.push_back({i, 1, value(a), root.extents[i]});
  }
}

template <class S>
std::size_t Cell<S>::atom(const S& extent) {
  charge(8LL), hold(sizeof(S));
  require(extents.size() < kMostAtoms, "too many atoms");
  extents.push_back(extent);
  return extents.size() - 1;
}

template <class S>
Line<S> Cell<S>::value(std::size_t a) const {
  return extents[a] == S(1) ? Line<S>{} : Line<S>::atom(a);
}

template <class S>
void Cell<S>::substitute(std::size_t a, const S& times, const Line<S>& other) {
  charge(4 * lines() + 4);
  for (Line<S>& fact : facts) fact.substitute(a, times, other);
  for (Record<S>& one : records) one.inner.substitute(a, times, other);
  for (Group<S>& group : groups) group.number.substitute(a, times, other);
  for (std::vector<Line<S>>& side : sides)
    for (Line<S>& line : side) line.substitute(a, times, other);
}

// What is told by a record's inner line cannot be changed alone.
template <class S>
bool Cell<S>::is_recorded(std::size_t k) const {
  return std::ranges::any_of(
      records, [&](const Record<S>& one) { return k == one.atom || (one.divides() && k == one.atom + 1); });
}

// The group that an atom is of. One that no group has says nothing of points: a rule about it would be one about what
// sweep() does not see.
template <class S>
Group<S>& Cell<S>::group_of(std::size_t a) {
  charge(groups.size());
  const auto it = std::ranges::find_if(groups, [&](const Group<S>& group) { return !(group.number.at(a) == S(0)); });
  require(it != groups.end(), "an atom of no group");
  return *it;
}

// Of names: beside what numbers would take.
template <class S>
std::size_t Cell<S>::bytes() const {
  std::size_t out = 0;
  const auto add = [&](const Line<S>& line) { out += line.bytes(); };
  std::ranges::for_each(facts, add);
  for (const Record<S>& one : records) add(one.inner);
  for (const Group<S>& group : groups) add(group.number);
  for (const std::vector<Line<S>>& side : sides) std::ranges::for_each(side, add);
  for (const std::vector<S>* list : {&extents, &given_, &root_.extents})
    for (const S& one : *list) out += bytes_of(one);
  return out;
}

template <class S>
std::size_t Cell<S>::lines() const {
  return facts.size() + records.size() + groups.size() + sides[0].size() + sides[1].size();
}

// A fact that the box implies binds nothing.
template <class S>
bool Cell<S>::is_bound(std::size_t k) const {
  charge(facts.size());
  return std::ranges::any_of(facts,
                             [&](const Line<S>& fact) { return !(fact.at(k) == S(0)) && !at_least(low(fact), S(0)); });
}

template <class S>
bool Cell<S>::is_whole(const Group<S>& group) const {
  S all = 1;
  for (std::size_t i = group.first; i < group.first + group.dims; ++i) all = all * root_.extents[i];
  return group.total && *group.total == all;
}

template <class S>
bool Cell<S>::has_points() const {
  for (const Line<S>& fact : facts) {
    const bool varies = std::ranges::any_of(fact.terms, [](const S& term) { return !(term == S(0)); });
    if (!varies && !at_least(fact.constant, S(0))) return false;
  }
  return std::ranges::all_of(groups, [&](const Group<S>& group) { return group.total || counted(group); });
}

template <class S>
std::vector<std::size_t> Cell<S>::atoms_of(const Group<S>& group) const {
  std::vector<std::size_t> out;
  charge(group.number.terms.size() + 1);
  for (std::size_t k = 0; k < group.number.terms.size(); ++k)
    if (!(group.number.terms[k] == S(0)) && !(extents[k] == S(1))) out.push_back(k);
  return out;
}

// Without facts about its atoms a group's points are all choices of their values.
template <class S>
std::optional<S> Cell<S>::counted(const Group<S>& group) const {
  S out = 1;
  for (const std::size_t k : atoms_of(group)) {
    if (is_bound(k)) return std::nullopt;
    out = out * extents[k];
  }
  return out;
}

template <class S>
Cell<S> Cell<S>::cut(std::size_t a, const S& n) {
  require(a < atoms() && at_least(n, S(1)) && at_least(extents[a], n + S(1)), "a cut of nothing");
  require(!is_recorded(a), "a cut of a value without a form");
  charge((lines() + 2) * (atoms() + 1));
  hold((lines() + 2) * (sizeof(Line<S>) + 16 + (atoms() + 1) * sizeof(S)));
  if constexpr (!std::same_as<S, Wide>) charge(bytes() / 16), hold(bytes());
  const std::ptrdiff_t of_group = &group_of(a) - groups.data();
  Cell above = *this;
  above.extents[a] = extents[a] - n;
  above.substitute(a, 1, Line<S>{n, {}});
  extents[a] = n;
  if (above.extents[a] == S(1)) above.substitute(a, 0, {});
  if (n == S(1)) substitute(a, 0, {});
  for (Cell* part : {this, &above})
    for (Group<S>& group : part->groups)
      if (&group - part->groups.data() == of_group) group.total = part->counted(group);
  return above;
}

template <class S>
void Cell<S>::block(std::size_t a, const S& n, const std::optional<S>& q, const Multiples<S>& by) {
  require(a < atoms(), "a block of nothing");
  require(!is_recorded(a), "a block of a value without a form");
  static_cast<void>(group_of(a));
  const S whole = extents[a], count = q ? *q : blocks_of(whole, n);
  require((is_shown(n) || is_shown(count)) && is_positive(Line<S>{count * n - whole, {}}, by),
          "blocks of nothing, or that end too early");  // count·n >= 1: with one both are at least 1
  const std::size_t z = atom(n);
  extents[a] = count;
  substitute(a, count == S(1) ? S(0) : n, value(z));
  if (!q && count * n == whole) return;
  Line<S> fact{whole - S(1), {}};
  fact.add(value(a), S(0) - n).add(value(z), S(-1));
  hold(fact.bytes());
  facts.push_back(std::move(fact));
}

template <class S>
void Cell<S>::shift(std::size_t a, const S& k) {
  require(a < atoms() && at_least(k, S(0)), "a negative shift");
  require(!is_recorded(a), "a shift of a value without a form");
  static_cast<void>(group_of(a));
  extents[a] = extents[a] + k;
  substitute(a, 1, Line<S>{S(0) - k, {}});
  facts.push_back(Line<S>{S(0) - k, {}}.plus(value(a)));
  hold(facts.back().bytes());
}

template <class S>
void Cell<S>::fuse(std::size_t g) {
  require(g + 1 < groups.size() && facts.empty() && records.empty() && !ran[0] && !ran[1], "a join of what is known");
  Group<S>&a = groups[g], &b = groups[g + 1];
  const std::vector<std::size_t> of_a = atoms_of(a), of_b = atoms_of(b);
  require(of_a.size() <= 1 && of_b.size() <= 1 && is_whole(a) && is_whole(b), "a join of blocks or of parts");
  a.dims += b.dims;
  a.total = *a.total * *b.total;
  a.number = value(atom(*a.total));
  groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(g) + 1);
}

template <class S>
S Cell<S>::low(const Line<S>& line) const {
  charge(line.terms.size() + line.work());
  S out = line.constant;
  for (std::size_t k = 0; k < line.terms.size(); ++k)
    if (!is_shown(line.terms[k])) out = out + below_zero(line.terms[k]) * (extents[k] - S(1));
  return out;
}

template <class S>
Line<S> Cell<S>::equation(std::size_t record) const {
  require(record < records.size() && records[record].divides(), "an equation of nothing");
  const auto& [inner, atom, from, weight, swizzle] = records[record];
  Line<S> out = inner.plus(Line<S>{weight * from, {}}, -1);
  return out.add(value(atom), S(0) - weight).add(value(atom + 1), -1);
}

template <class S>
Line<S> Cell<S>::with_equations(Line<S> line, const Multiples<S>& by) const {
  for (const auto& [j, m] : by) {
    require(j >= facts.size() && j < facts.size() + records.size(), "a fact in the place of an equation");
    line.add(equation(j - facts.size()), m);
  }
  return line;
}

template <class S>
bool Cell<S>::is_positive(Line<S> p, const Multiples<S>& by) const {
  for (const auto& [j, m] : by) {
    const std::size_t known = facts.size() + records.size();
    require(j < known + given_.size(), "a multiple of nothing");
    require((j >= facts.size() && j < known) || is_shown(m), "a multiple that is not positive");
    p.add(j < facts.size() ? facts[j]
          : j < known      ? equation(j - facts.size())
                           : Line<S>{given_[j - known], {}},
          S(0) - m);
  }
  return at_least(low(p), S(0));
}

template <class S>
std::size_t Cell<S>::record(Record<S> made, const std::vector<S>& fresh) {
  hold(sizeof(Record<S>) + made.inner.bytes());
  made.atom = extents.size();
  for (const S& extent : fresh) atom(extent);
  records.push_back(std::move(made));
  return records.back().atom;
}

template class Cell<Wide>;
template class Cell<Polynomial>;

}  // namespace vl::kernel
