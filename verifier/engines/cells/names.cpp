#include "verifier/engines/cells/names.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "verifier/engines/cells/search.h"

namespace vl::engines::cells {
namespace {

using NamedCell = kernel::Cell<Polynomial>;
using NamedLine = kernel::Line<Polynomial>;
using NamedLines = kernel::LinesOf<Polynomial>;
using NamedNote = kernel::Note<Polynomial>;
using NamedStep = kernel::BasicStep<Polynomial>;
using Multiples = kernel::Multiples<Polynomial>;
using NamedStuck = kernel::NoForm<Polynomial>;

constexpr int kNamedTries = 96;  // of a cell
constexpr int kNamedFacts = 3;   // multiples that show one end
constexpr int kNamedSamples = 24;
constexpr int kNamedLooks = 256;  // for them
constexpr std::size_t kNamedWays = 12;

Polynomial number(std::size_t k) { return Polynomial(static_cast<long long>(k)); }

// The multiple of a term below 0 that is a term's powers, and at least its coefficient; nothing if there is none.
std::optional<Polynomial> multiple(const Polynomial::Term& term, const Polynomial::Term& of) {
  if (of.coefficient > 0) return std::nullopt;
  const Wide each = of.coefficient.abs();
  Polynomial::Term out{{}, (term.coefficient.abs() + each - 1) / each};
  for (std::size_t v = 0; v < Polynomial::kVariables; ++v) {
    if (of.powers[v] > term.powers[v]) return std::nullopt;
    out.powers[v] = static_cast<std::uint8_t>(term.powers[v] - of.powers[v]);
  }
  return Polynomial::of({out});
}

// What is given, and some sizes at which it holds: what is below 0 there, no multiples show.
class Given {
 public:
  explicit Given(std::vector<Polynomial> facts) : facts_(std::move(facts)) {
    std::uint64_t next = 1;
    for (int k = 0; k < kNamedSamples; ++k) {
      std::array<std::int64_t, Polynomial::kVariables> sizes{};
      for (std::int64_t& size : sizes) {
        next = next * 6364136223846793005 + 1442695040888963407;
        size = k == 0 ? 0 : static_cast<std::int64_t>(next >> 33) % (k % 2 == 0 ? 3 : 70);
      }
      const auto holds = [&](const Polynomial& fact) { return at(fact, sizes) >= 0; };
      if (std::ranges::all_of(facts_, holds)) samples_.push_back(sizes);
    }
  }
  [[nodiscard]] const std::vector<Polynomial>& facts() const { return facts_; }
  [[nodiscard]] bool refutes(const Polynomial& p) const {
    return std::ranges::any_of(samples_, [&](const auto& sizes) { return at(p, sizes) < 0; });
  }

 private:
  static long double at(const Polynomial& p, const std::array<std::int64_t, Polynomial::kVariables>& sizes) {
    long double out = 0;
    for (const Polynomial::Term& term : p.terms()) {
      if (term.coefficient.abs() >= 1LL << 62) return 0;
      auto product = static_cast<long double>(term.coefficient.narrow());
      for (std::size_t v = 0; v < Polynomial::kVariables; ++v)
        for (int power = term.powers[v]; power > 0; --power) product *= static_cast<long double>(sizes[v]);
      out += product;
    }
    return out;
  }

  std::vector<Polynomial> facts_;
  std::vector<std::array<std::int64_t, Polynomial::kVariables>> samples_;
};

// Multiples of facts and of what is given that show a line to be >= 0.
class NamedShows {
 public:
  NamedShows(const NamedCell& cell, const Given& given)
      : cell_(cell), all_(given), given_(given.facts()), first_(cell.facts.size() + cell.records.size()) {
    for (std::size_t j = 0; j < given_.size(); ++j)
      if (const auto v = bounded(given_[j])) bounds_.emplace_back(j, *v);
      else facts_.push_back(j);
  }

  std::optional<Multiples> operator()(const NamedLine& line) {
    if (cell_.facts.empty() && all_.refutes(cell_.low(line))) return std::nullopt;
    for (int most = 0; most <= kNamedFacts; ++most) {
      looks_ = kNamedLooks;
      Multiples by;
      if (look(line, most, by)) return by;
    }
    return std::nullopt;
  }

 private:
  bool look(const NamedLine& line, int most, Multiples& by) {
    if (by_given(cell_.low(line), most, by)) return true;
    if (most == 0) return false;
    for (std::size_t j = 0; j < cell_.facts.size(); ++j) {
      const NamedLine& fact = cell_.facts[j];
      for (std::size_t k = 0; k < fact.terms.size(); ++k) {
        const Polynomial f = fact.at(k), p = line.at(k);
        if (f == Polynomial(0) || p == Polynomial(0)) continue;
        const auto times = p.over(f);
        if (!times || *times == Polynomial(0) || !kernel::is_shown(*times) || looks_-- <= 0) continue;
        by.emplace_back(j, *times);
        if (look(line.plus(fact, Polynomial(0) - *times), most - 1, by)) return true;
        by.pop_back();
      }
    }
    return false;
  }

  // Without atoms: each fact once, where it takes a term away; else as often as a term needs it.
  bool by_given(const Polynomial& low, int most, Multiples& by) {
    Multiples bounds;
    if (kernel::is_shown(at_bounds(low, bounds))) {
      by.insert(by.end(), bounds.begin(), bounds.end());
      return true;
    }
    if (most == 0 || all_.refutes(low)) return false;
    const auto with = [&](std::size_t j, const Polynomial& times) {
      if (looks_-- <= 0) return false;
      by.emplace_back(first_ + j, times);
      if (by_given(low - times * given_[j], most - 1, by)) return true;
      by.pop_back();
      return false;
    };
    const auto lacks = [&](const Polynomial::Term& term) { return term.coefficient < 0 && !has_bounded(term); };
    const bool lack = std::ranges::any_of(low.terms(), lacks);
    for (const Way way : {Way::Once, Way::All, Way::Alone})
      for (const Polynomial::Term& term : low.terms()) {
        if (lack ? !lacks(term) : term.coefficient > 0) continue;
        for (const std::size_t j : facts_)
          for (const Polynomial::Term& of : given_[j].terms()) {
            const auto times = times_of(way, low, term, of);
            if (times && with(j, *times)) return true;
          }
        if (lack) break;
      }
    return false;
  }

  // How often a fact is taken for a term that one of its own takes away: once; for all such terms; for this one.
  enum class Way { Once, All, Alone };
  static std::optional<Polynomial> times_of(Way way, const Polynomial& low, const Polynomial::Term& term,
                                            const Polynomial::Term& of) {
    const auto alone = multiple(term, of);
    if (!alone) return std::nullopt;
    if (way == Way::Once) return of.powers == term.powers ? std::optional(Polynomial(1)) : std::nullopt;
    if (way == Way::Alone) return *alone == Polynomial(1) ? std::nullopt : alone;
    std::vector<Polynomial::Term> all;
    for (const Polynomial::Term& other : low.terms())
      if (other.coefficient < 0)
        if (const auto times = multiple(other, of)) all.push_back(times->terms()[0]);
    return all.size() > 1 ? std::optional(Polynomial::of(std::move(all))) : std::nullopt;
  }

  // The variable that a given most - v bounds.
  static std::optional<std::size_t> bounded(const Polynomial& given) {
    if (given.terms().empty() || given.terms().size() > 2) return std::nullopt;
    for (std::size_t v = 0; v < Polynomial::kVariables; ++v)
      if (given.linear(v) == -1 && (given + Polynomial::variable(v)).number()) return v;
    return std::nullopt;
  }
  [[nodiscard]] bool has_bounded(const Polynomial::Term& term) const {
    return std::ranges::any_of(bounds_, [&](const auto& bound) { return term.powers[bound.second] > 0; });
  }
  // Where bounded variables have their greatest values in terms below 0.
  Polynomial at_bounds(Polynomial p, Multiples& by) const {
    for (const auto& [j, v] : bounds_) {
      std::vector<Polynomial::Term> terms;
      for (Polynomial::Term term : p.terms())
        if (term.coefficient < 0 && term.powers[v] > 0) {
          --term.powers[v], term.coefficient = term.coefficient.abs();
          terms.push_back(term);
        }
      if (terms.empty()) continue;
      const Polynomial times = Polynomial::of(std::move(terms));
      by.emplace_back(first_ + j, times);
      p = p - times * given_[j];
    }
    return p;
  }

  const NamedCell& cell_;
  const Given& all_;
  const std::vector<Polynomial>& given_;
  std::size_t first_;
  std::vector<std::pair<std::size_t, std::size_t>> bounds_;  // and their variables
  std::vector<std::size_t> facts_;
  int looks_ = 0;
};

struct NamedBlock {
  std::size_t atom;
  Polynomial size;
  std::optional<Polynomial> count;  // none where they fit
  Multiples by;
};
struct NamedShift {
  std::size_t group;
  Polynomial by;
};
using NamedNext = std::variant<Closed, NamedNote, NamedBlock, NamedShift, Stop>;

// Where no block helps, a quotient becomes an atom of its own; or each does, below the extent of a level; or sizes are
// parted.
enum class NamedMode { Blocks, Divides, Values, Asks };

class NamedFinder {
 public:
  NamedFinder(const NamedTask& task, const Given& given, NamedMode mode)
      : task_(task), mode_(mode), given_(given), goals_(task.a, task.b, given.facts()) {}

  std::optional<NamedSteps> with(const std::vector<std::size_t>& way) {
    shifts_.assign(way.size(), 0);
    for (std::size_t restarts = 0; restarts <= way.size(); ++restarts) {
      steps_.clear(), shift_.reset();
      NamedCell cell(goals_.root(), given_.facts());
      for (std::size_t g = 0; g < way.size(); ++g)
        for (std::size_t i = 1; i < way[g]; ++i) {
          cell.fuse(g);
          steps_.push_back({"fuse", {number(g)}});
        }
      for (std::size_t g = 0; g < way.size(); ++g) {
        const auto own = cell.atoms_of(cell.groups[g]);
        if (shifts_[g] == Polynomial(0) || own.size() != 1) continue;
        cell.shift(own[0], shifts_[g]);
        steps_.push_back({"shift", {number(own[0]), shifts_[g]}});
      }
      if (treat(std::move(cell))) return std::move(steps_);
      if (!shift_) return std::nullopt;
      shifts_[shift_->group] = shift_->by;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::size_t sides() const { return task_.goal == Goal::Equal ? 2 : 1; }

  bool treat(NamedCell cell) {
    std::vector<NamedNote> notes[2];
    if (mode_ == NamedMode::Values) notes[0] = all_values(cell);
    for (int tries = 0; tries < kNamedTries; ++tries) {
      const std::size_t before = steps_.size();
      NamedCell ran = cell;
      NamedNext next = Stop{};
      std::size_t side = 0;
      try {
        for (; side < sides(); ++side) {
          kernel::Notes<Polynomial> given(notes[side]);
          ran.sides[side] = kernel::carry(ran, side == 0 ? task_.a.map : task_.b->map, goals_.inputs(side), given);
          ran.ran[side] = true;
          steps_.push_back({"run", {number(side)}, notes[side]});
        }
        next = close(ran);
        if (std::holds_alternative<Closed>(next)) return true;
      } catch (const NamedStuck& stuck) {
        const auto& known = notes[side];
        if (!known.empty() && known.back().stage == stuck.stage && known.back().at == stuck.at) return false;
        next = for_quotient(ran, stuck);
      }
      steps_.resize(before);
      if (auto* note = std::get_if<NamedNote>(&next)) {
        notes[side].push_back(std::move(*note));
      } else if (auto* block = std::get_if<NamedBlock>(&next)) {
        NamedStep step{"block", {number(block->atom), block->size}};
        if (block->count) step.numbers.push_back(*block->count);
        if (!block->by.empty()) step.notes.push_back({0, 0, false, block->by, {}, {}, {}, {}});
        cell.block(block->atom, block->size, block->count, block->by);
        steps_.push_back(std::move(step));
        notes[0].clear(), notes[1].clear();
      } else {
        if (auto* shift = std::get_if<NamedShift>(&next)) shift_ = std::move(*shift);
        return false;
      }
    }
    return false;
  }

  // σ takes the box into itself where it has whole blocks.
  NamedNext for_swizzle(const NamedCell& cell, const NamedStuck& stuck) {
    const auto& swizzle = task_.a.map.stages[stuck.stage];
    const Polynomial block = 1LL << (swizzle.base + swizzle.bits + (swizzle.up ? swizzle.shift : 0));
    Polynomial extent = task_.a.physical.extents[swizzle.input];
    if (mode_ == NamedMode::Asks && !extent.over(block)) {
      const Polynomial period = 1LL << (swizzle.base + swizzle.bits + swizzle.shift);
      if (task_.goal == Goal::Apart) extent = (task_.sizes.quotient(cell.high(stuck.line), block) + 1) * block;
      else static_cast<void>(task_.sizes.rest(extent, number_of(period)));
    }
    NamedShows shows(cell, given_);
    auto below = shows(stuck.line);
    auto above = shows(NamedLine{extent - 1, {}}.plus(stuck.line, -1));
    if (!below || !above) return Stop{};
    return NamedNote{stuck.stage, stuck.at, false, std::move(*below), std::move(*above), {}, Polynomial(0), extent};
  }

  NamedNext for_quotient(const NamedCell& cell, const NamedStuck& stuck) {
    if (stuck.weight == Polynomial(0)) return for_swizzle(cell, stuck);
    NamedShows shows(cell, given_);
    const auto within = [&](const Polynomial& more) -> std::optional<NamedNote> {
      const NamedLine rest = stuck.rest.plus(NamedLine{more * stuck.weight, {}}, -1);
      auto below = shows(rest);
      auto above = below ? shows(NamedLine{stuck.weight - 1, {}}.plus(rest, -1)) : std::nullopt;
      if (!above) return std::nullopt;
      NamedNote note{stuck.stage, stuck.at, false, std::move(*below), std::move(*above), {}, {}, {}};
      if (!(more == Polynomial(0))) note.quotient = stuck.quotient + more;
      return note;
    };
    for (const int more : {0, 1, -1})
      if (auto note = within(more)) return std::move(*note);
    if (mode_ == NamedMode::Divides || mode_ == NamedMode::Values) return division(cell, stuck);
    for (std::size_t g = cell.groups.size(); g-- > 0;)
      for (const std::size_t k : cell.atoms_of(cell.groups[g]))
        if (auto block = block_of(cell, stuck, k)) return std::move(*block);
    if (auto shift = shift_for(cell, stuck)) return std::move(*shift);
    // What the sizes have to say first.
    const NamedLine over = NamedLine{stuck.weight - 1, {}}.plus(stuck.rest, -1);
    static_cast<void>(decides(cell.low(stuck.rest)));
    static_cast<void>(decides(cell.low(over)));
    return Stop{};
  }

  // Each digit of side 0 as a value of its own.
  std::vector<NamedNote> all_values(const NamedCell& cell) {
    std::vector<NamedNote> out;
    kernel::BasicMap<Polynomial> map = task_.a.map;
    for (std::size_t s = 0; s < task_.a.map.stages.size(); ++s) {
      const auto& stage = task_.a.map.stages[s];
      for (std::size_t at = 0; at < stage.weights.size(); ++at) {
        map.stages.assign(task_.a.map.stages.begin(), task_.a.map.stages.begin() + static_cast<std::ptrdiff_t>(s) + 1);
        map.stages.back().weights.resize(at);
        map.stages.back().weights.emplace_back(1);
        NamedCell ran = cell;
        kernel::Notes<Polynomial> given(out);
        NamedLine line = kernel::carry(ran, map, goals_.inputs(0), given)[stage.input + at];
        auto next = division(ran, NamedStuck(line, line, 0, stage.weights[at], s, at));
        if (auto* note = std::get_if<NamedNote>(&next)) out.push_back(std::move(*note));
      }
    }
    return out;
  }

  [[nodiscard]] bool decides(const Polynomial& p) const {
    return mode_ == NamedMode::Asks ? task_.sizes.decides(p) : task_.sizes.shows(p);
  }

  // A value of its own below the extent of a level, or of a place.
  NamedNext division(const NamedCell& cell, const NamedStuck& stuck) {
    NamedShows shows(cell, given_);
    auto below = shows(stuck.line);
    if (!below || stuck.stage >= task_.a.map.stages.size()) return Stop{};
    const auto& weights = task_.a.map.stages[stuck.stage].weights;
    std::vector<Polynomial> ends;
    if (stuck.at > 0 && stuck.at < weights.size())
      if (const auto ratio = weights[stuck.at - 1].over(stuck.weight)) ends.push_back(*ratio);
    ends.insert(ends.end(), task_.ends.begin(), task_.ends.end());
    if (task_.goal == Goal::Apart) ends.push_back(cell.high(stuck.line) + 1);
    std::optional<NamedNote> least;
    for (const Polynomial& end : ends) {
      if (least && !kernel::is_shown(*least->extent - end - 1)) continue;
      if (auto above = shows(NamedLine{stuck.weight * end - 1, {}}.plus(stuck.line, -1)))
        least = {stuck.stage, stuck.at, false, *below, std::move(*above), {}, Polynomial(0), end};
    }
    return least ? NamedNext(std::move(*least)) : NamedNext(Stop{});
  }

  // The shift of a group with which a rest loses its constant.
  std::optional<NamedShift> shift_for(const NamedCell& cell, const NamedStuck& stuck) const {
    for (std::size_t g = 0; g < cell.groups.size(); ++g) {
      const auto own = cell.atoms_of(cell.groups[g]);
      if (own.empty() || !(shifts_[g] == Polynomial(0))) continue;
      const Polynomial by = stuck.rest.constant.divided(stuck.rest.at(own.back())).first;
      if (!(by == Polynomial(0)) && kernel::is_shown(by)) return NamedShift{g, by};
    }
    return std::nullopt;
  }

  // A block of an atom of which the rest has then a multiple of the weight.
  std::optional<NamedBlock> block_of(const NamedCell& cell, const NamedStuck& stuck, std::size_t k) {
    const Polynomial each = stuck.rest.at(k);
    if (each == Polynomial(0)) return std::nullopt;
    const auto size = stuck.weight.over(each);
    if (!size || *size == Polynomial(1)) return std::nullopt;
    const Polynomial& extent = cell.extents[k];
    if (!decides(extent - *size - 1)) return std::nullopt;
    if (extent.over(*size)) return NamedBlock{k, *size, {}, {}};
    if (mode_ != NamedMode::Asks) return std::nullopt;
    const Polynomial count = task_.sizes.quotient(extent + *size - 1, *size);
    auto by = NamedShows(cell, given_)(NamedLine{count * *size - extent, {}});
    if (!by) return std::nullopt;
    return NamedBlock{k, *size, count, std::move(*by)};
  }

  NamedNext close(NamedCell& cell) {
    const auto& box = task_.box != nullptr ? *task_.box : task_.a.physical;
    for (std::size_t j = 0; task_.goal != Goal::In && task_.goal != Goal::Equal && j < cell.sides[0].size(); ++j)
      if (kernel::lies_out(cell, cell.sides[0][j], j < box.rank() ? box.extents[j] : Polynomial(1)))
        return steps_.push_back({"out", {number(j)}}), Closed{};
    switch (task_.goal) {
      case Goal::In: return close_in(cell, box, "in");
      case Goal::Count: {
        peel(cell, kernel::unused(cell, cell.sides[0]));
        return close_in(cell, box, "count");
      }
      case Goal::Apart: {
        peel(cell, std::vector<bool>(cell.atoms(), false));
        steps_.push_back({"apart"});
        return Closed{};
      }
      case Goal::Identity: return close_identity(cell);
      case Goal::Equal: steps_.push_back({"eq"}); return Closed{};
      default: return Stop{};
    }
  }

  NamedNext close_in(const NamedCell& cell, const kernel::BasicSpace<Polynomial>& box, const char* name) {
    NamedStep out{name};
    NamedShows shows(cell, given_);
    for (std::size_t j = 0; j < cell.sides[0].size(); ++j) {
      const NamedLine& line = cell.sides[0][j];
      const Polynomial most = j < box.rank() ? box.extents[j] - 1 : Polynomial(0);
      const NamedLine over = NamedLine{most, {}}.plus(line, -1);
      const auto below = shows(line), above = shows(over);
      if (!below) static_cast<void>(decides(cell.low(line)));
      if (!above) static_cast<void>(decides(cell.low(over)));
      if (!below || !above) return Stop{};
      if (!below->empty() || !above->empty()) out.notes.push_back({j, 0, false, *below, *above, {}, {}, {}});
    }
    steps_.push_back(std::move(out));
    return Closed{};
  }

  NamedNext close_identity(const NamedCell& ran) {
    NamedStep out{"id"};
    for (int tries = 0; tries < kNamedTries; ++tries) {
      NamedCell cell = ran;
      kernel::Notes<Polynomial> notes(out.notes);
      try {
        static_cast<void>(kernel::carry(cell, task_.a.identity->second, notes));
        steps_.push_back(std::move(out));
        return Closed{};
      } catch (const NamedStuck& stuck) {
        auto next = for_quotient(cell, stuck);
        auto* note = std::get_if<NamedNote>(&next);
        if (note == nullptr) return next;
        out.notes.push_back(std::move(*note));
      }
    }
    return Stop{};
  }

  // Steps that make one difference after the other known.
  void peel(const NamedCell& cell, std::vector<bool> known) {
    kernel::Difference<Polynomial> shown(cell, cell.sides[0], std::move(known));
    std::optional<Polynomial> open;
    std::vector<bool> opened(cell.records.size(), false);
    for (bool again = true; std::exchange(again, false);) {
      open.reset();
      for (std::size_t j = 0; j < cell.records.size(); ++j)
        if (!opened[j] && shown.is_known(cell.records[j].atom) &&
            (!cell.records[j].divides() || shown.is_known(cell.records[j].atom + 1))) {
          shown.open(j), opened[j] = again = true;
          steps_.push_back({"open", {number(j)}});
        }
      for (std::size_t r = 0; r < shown.rows().size(); ++r)
        for (std::size_t k = 0; k < shown.rows()[r].terms.size(); ++k)
          if (!(shown.rows()[r].terms[k] == Polynomial(0)) && !shown.is_known(k))
            again = tell(cell, shown, r, k, open) || again;
    }
    bool all = true;
    for (const auto& group : cell.groups)
      for (const std::size_t k : cell.atoms_of(group)) all = all && shown.is_known(k);
    if (!all && open) static_cast<void>(decides(*open));
  }

  bool tell(const NamedCell& cell, kernel::Difference<Polynomial>& shown, std::size_t r, std::size_t k,
            std::optional<Polynomial>& open) {
    NamedLine others{0, shown.rows()[r].terms};
    for (std::size_t j = 0; j < others.terms.size(); ++j)
      if (j == k || shown.is_known(j)) others.terms[j] = 0;
    const Polynomial each = shown.rows()[r].terms[k];
    const Polynomial size = decides(each) ? each : Polynomial(0) - each;
    const Polynomial low = cell.low(others), more = size - (cell.high(others) - low) - 1;
    const std::vector<Polynomial> at{number(r), number(k)};
    if (kernel::is_shown(more) && kernel::is_shown(size)) {
      shown.large(r, k, {});
      return steps_.push_back({"large", at}), true;
    }
    if (kernel::is_shown(each) || kernel::is_shown(Polynomial(0) - each)) {
      const Polynomial most = low + size - 1;
      if (const auto above = NamedShows(cell, given_)(NamedLine{most, {}}.plus(others, -1))) {
        shown.large(r, k, kernel::Difference<Polynomial>::Span{low, most, {}, *above});
        return steps_.push_back({"large", {at[0], at[1], low, most}, {{0, 0, false, {}, *above, {}, {}, {}}}}), true;
      }
      if (by_modulus(cell, shown, others, size, r, k)) return true;
    }
    if (!task_.sizes.shows(Polynomial(-1) - more) && (!open || more.terms().size() < open->terms().size())) open = more;
    return false;
  }

  bool by_modulus(const NamedCell& cell, kernel::Difference<Polynomial>& shown, const NamedLine& others,
                  const Polynomial& size, std::size_t r, std::size_t k) {
    for (const Polynomial& term : others.terms) {
      if (term == Polynomial(0)) continue;
      const Polynomial by = kernel::is_shown(term) ? term : Polynomial(0) - term;
      const bool divides =
          std::ranges::all_of(others.terms, [&](const Polynomial& one) { return one == kernel::share(one, by) * by; });
      if (!divides || !kernel::is_shown(size - 1) || !kernel::is_shown(by - 1 - size * (cell.extents[k] - 1))) continue;
      shown.mod(r, k, by);
      return steps_.push_back({"mod", {number(r), number(k), by}}), true;
    }
    return false;
  }

  const NamedTask& task_;
  NamedMode mode_;
  const Given& given_;
  kernel::BasicGoals<Polynomial> goals_;
  NamedSteps steps_;
  std::vector<Polynomial> shifts_;
  std::optional<NamedShift> shift_;
};

bool named_holds(const NamedTask& task, const NamedSteps& steps) {
  const kernel::BasicGoals<Polynomial> goals(task.a, task.b, task.sizes.given());
  switch (task.goal) {
    case Goal::In: goals.in(task.box != nullptr ? *task.box : task.a.physical, steps); break;
    case Goal::Apart: goals.apart(false, steps); break;
    case Goal::Count: static_cast<void>(goals.occupied(steps)); break;
    case Goal::Identity: goals.identity(steps); break;
    case Goal::Equal: goals.equal(steps); break;
    default: return false;
  }
  return true;
}

std::vector<std::vector<std::size_t>> named_ways(std::size_t logical, std::size_t rank) {
  std::uint64_t all = rank == 0 ? 0 : (std::uint64_t{1} << std::min<std::size_t>(rank - 1, 62)) - 1;
  for (const std::size_t end : {logical, rank})
    if (end > 0 && end < 63) all &= ~(std::uint64_t{1} << (end - 1));
  std::vector<std::vector<std::size_t>> out;
  std::uint64_t joined = 0;
  do {
    std::vector<std::size_t> way;
    for (std::size_t i = 0; i < rank; ++i)
      if (i > 0 && i < 63 && (joined >> (i - 1) & 1) != 0) ++way.back();
      else way.push_back(1);
    out.push_back(std::move(way));
    joined = (joined - 1) & all;
  } while (joined != 0 && out.size() < kNamedWays);
  return out;
}

// The steps of one attempt; nothing where it leads nowhere.
std::optional<NamedSteps> named_attempt(const NamedTask& task, const Given& given, NamedMode mode,
                                        const std::vector<std::size_t>& way) {
  const GivesBack memory;
  try {
    auto found = NamedFinder(task, given, mode).with(way);
    if (found && named_holds(task, *found)) return found;
  } catch (const kernel::OverBudget&) {
    throw;
  } catch (const kernel::Rejected&) {
  }
  return std::nullopt;
}

}  // namespace

std::optional<NamedSteps> find(const NamedTask& task) {
  const Given given(task.sizes.given());
  const auto ways = named_ways(task.a.logical, kernel::BasicGoals<Polynomial>(task.a, task.b).root().rank());
  for (const NamedMode mode : {NamedMode::Blocks, NamedMode::Divides, NamedMode::Values, NamedMode::Asks})
    for (const auto& way : ways) {
      if (mode != NamedMode::Asks && &way != ways.data() && (mode != NamedMode::Blocks || &way != &ways[1])) break;
      if (auto found = named_attempt(task, given, mode, way)) return found;
    }
  return std::nullopt;
}

}  // namespace vl::engines::cells
