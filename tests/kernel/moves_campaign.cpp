// Dealt proofs about loop nests: random cells, closed honestly and half-honestly. What the kernel takes is true by a
// look at every move and element. Statements are true ones and their mutants: one number changed.
#include <gtest/gtest.h>

#include "tests/kernel/moves_truth.h"
#include "tests/support/shard.h"
#include "verifier/engines/cells/hints.h"
#include "verifier/engines/cells/moves.h"
#include "verifier/engines/cells/peel.h"

namespace vl::kernel::tests {
namespace kernel_moves_campaign {

using engines::cells::least;
using engines::cells::MovesGoal;
using moves::changed;
using moves::cover;
using moves::engine;
using moves::Law;
using moves::mutate;
using moves::one_in;
using moves::pick;
using moves::random_layout;
using moves::roll;
using moves::Statement;

struct Dealer {
  Statement& s;
  const Law& law;
  int goal, lies;  // one in so many steps is no honest one; 0: none
  Steps steps = {};
  std::size_t by = 1;
  std::vector<Stage> digits = {};
  const Nest* nest = nullptr;

  bool lie(int n) const { return lies > 0 && one_in(n * lies); }
  Steps deal() {
    if (goal == 3 && one_in(3)) by = 0;
    if (goal > 0) steps.push_back({"keys", {static_cast<long long>(by)}});
    for (long long n = goal > 0 ? roll(-1, 2) : 0; n > 0; --n) {
      std::vector<Wide> weights{roll(1, 7), roll(1, 3)};
      for (const auto& [i, weight] : s.sides[by].physical.number().terms)
        if (one_in(2)) weights[1] = std::max(Wide(1), weight);
      steps.push_back({"digits", weights}), digits.push_back({Stage::Kind::Split, {}, 0, weights});
    }
    for (const Nest& n : s.nests) nest = &n, treat(Cell<Wide>(n.box));
    return std::move(steps);
  }
  void treat(Cell<Wide> cell) {
    for (long long n = one_in(3) ? 0 : roll(0, 4); n > 0 && cell.atoms() > 0 && steps.size() < 60; --n) {
      const long long atom = roll(0, std::ssize(cell.extents) - 1), number = roll(1, 4);
      std::optional<Cell<Wide>> above;
      try {
        switch (roll(0, 4)) {
          case 0: cell.fuse(0), steps.push_back({"fuse", {0}}); break;
          case 1: cell.shift(static_cast<std::size_t>(atom), number), steps.push_back({"shift", {atom, number}}); break;
          case 2: cell.block(static_cast<std::size_t>(atom), number), steps.push_back({"block", {atom, number}}); break;
          default: above = cell.cut(static_cast<std::size_t>(atom), number), steps.push_back({"cut", {atom, number}});
        }
      } catch (const Rejected&) {  // a rule that does not apply here
      }
      if (above) return treat(std::move(cell)), treat(std::move(*above));
    }
    try {
      close(cell);
    } catch (const Rejected&) {
      steps.push_back({"run", {0}});
    }
  }
  // What a line needs: the facts that show its ends.
  static Note<Wide> ends(const Cell<Wide>& cell, const Line<Wide>& line, std::size_t j) {
    return {kCoordinates, j, false, least(cell, line).by, least(cell, Line<Wide>{}.plus(line, -1)).by, {}, {}, {}};
  }
  template <class Work>  // notes for digits without a form
  static std::vector<Note<Wide>> noted(const Cell<Wide>& cell, Work work) {
    std::vector<Note<Wide>> out;
    while (true) {
      Cell<Wide> copy = cell;
      Notes<Wide> notes(out);
      try {
        return work(copy, notes, out), out;
      } catch (const NoForm<Wide>& stuck) {
        const auto low = least(copy, stuck.line), high = least(copy, Line<Wide>{}.plus(stuck.line, -1));
        const Wide from = low.value / stuck.weight;
        if (!out.empty() && out.back().stage == stuck.stage && out.back().at == stuck.at) throw;
        out.push_back({stuck.stage,
                       stuck.at,
                       false,
                       low.by,
                       high.by,
                       {},
                       from,
                       (Wide(0) - high.value) / stuck.weight - from + 1});
      }
    }
  }
  void close(Cell<Wide> cell) {
    for (std::size_t j = 0; j < cell.facts.size(); ++j)
      if ((cell.high(cell.facts[j]) < 0 && one_in(2)) || lie(30))
        return steps.push_back({"empty", {static_cast<long long>(j)}});
    if (goal == 0) {
      Notes<Wide> none(no_notes);
      std::vector<Note<Wide>> notes;
      for (const std::size_t k : {0U, 1U}) notes.push_back(ends(cell, carry(cell, nest->slots[k], none), k));
      return steps.push_back({"inside", {}, notes});
    }
    const auto run = [&](Cell<Wide>& of, Notes<Wide>& notes, auto&) {
      Lines keys{carry(of, nest->slots[by], notes)}, number = keys;
      for (std::size_t c = 0; c < digits.size(); ++c) {
        std::vector<Stage> stages(c + 1, digits[c]);
        for (auto& digit : carry(of, stages, c, number, notes)) keys.push_back(digit);
      }
      of.sides[0] = keys;
    };
    steps.push_back({"run", {0}, noted(cell, run)});
    Notes<Wide> notes(steps.back().notes);
    run(cell, notes, digits);
    Difference<Wide> shown(cell, cell.sides[0], std::vector<bool>(cell.atoms(), false));
    Steps peeled = engines::cells::peel(cell, shown);
    if (!peeled.empty() && lie(8)) pick(peeled).numbers.back() = roll(0, 3);
    for (long long k = 0; lie(8) && k < std::ssize(cell.extents); ++k)  // by a span that is wrong
      peeled.push_back({"large", {0, k, roll(0, 2), roll(0, 2)}, {ends(cell, cell.sides[0][0], 0)}});
    if (!cell.records.empty() && lie(4)) {  // what is not known is opened
      peeled = {{"open", {0}}};
      for (long long k = std::ssize(cell.extents) - 1; k >= 0; --k)
        if (cell.records[0].inner.at(static_cast<std::size_t>(k)) != 0)
          peeled.push_back({"large", {std::ssize(cell.sides[0]), k}});
    }
    for (std::size_t j = 0; j < cell.sides[0].size(); ++j) {
      const Line<Wide>& key = cell.sides[0][j];
      const Wide low = least(cell, key).value, high = Wide(0) - least(cell, Line<Wide>{}.plus(key, -1)).value;
      peeled.push_back({"range",
                        {static_cast<long long>(j), low + (lie(4) ? 1 : 0), high - (lie(4) ? 1 : 0)},
                        {ends(cell, key, 0)}});
    }
    steps.insert(steps.end(), peeled.begin(), peeled.end());
    if (goal == 1) return steps.push_back({lie(4) ? "idle" : "serves"});
    moves(cell);
  }
  // The elements that live where the atoms 0 and their neighbours are written.
  void moves(Cell<Wide>& cell) {
    Notes<Wide> none(no_notes);
    const Line<Wide> read = carry(cell, nest->slots[0], none), written = carry(cell, nest->slots[1], none);
    const auto element = [&](std::size_t atom) -> std::optional<Values> {
      const auto of = [&](const Line<Wide>& line) { return (line.constant + line.at(atom)).narrow(); };
      for (const Values& p :
           law.lives[1].contains(of(written)) ? law.lives[1].at(of(written)) : std::vector<Values>()) {
        if (goal == 2) return p;
        for (const Values& q : law.lives[0].contains(of(read)) ? law.lives[0].at(of(read)) : std::vector<Values>())
          if (std::equal(q.begin(), q.begin() + static_cast<long>(s.sides[0].logical), p.begin())) {
            Values e = p;
            return e.insert(e.end(), q.begin() + static_cast<long>(s.sides[0].logical), q.end()), e;
          }
      }
      return std::nullopt;
    };
    const std::size_t own = cell.records.empty() ? cell.atoms() : cell.records[0].atom;
    const std::size_t rank = s.sides[1].map.domain.rank() + (goal == 3 ? s.sides[0].replicas().rank() : 0);
    const auto first = element(cell.atoms());
    if ((!first && (goal == 2 || lie(2))) || lie(6)) return steps.push_back({"idle"});
    Step out{"moves"};
    Lines e(rank, {0, std::vector<Wide>(own)});
    const std::size_t all =
        lie(3) ? static_cast<std::size_t>(roll(0, std::ssize(e))) : rank;  // one that has all of the number
    for (std::size_t i = 0; i < rank; ++i) {
      e[i].constant = first ? (*first)[i] : 0;
      for (std::size_t k = 0; k < own; ++k)
        if (const auto next = first && cell.extents[k] > 1 ? element(k) : first)
          e[i].terms[k] = (*next)[i] - (*first)[i];
      if (all < rank)
        for (std::size_t k = 0; k <= own; ++k)
          (k < own ? e[i].terms[k] : e[i].constant) = i != all ? Wide(0) : k < own ? written.at(k) : written.constant;
      if (lie(20)) e[i].constant = changed(e[i].constant);
      out.numbers.push_back(e[i].constant), out.numbers.insert(out.numbers.end(), e[i].terms.begin(), e[i].terms.end());
    }
    const auto place = [&](const Layout& layout, const Lines& point, Cell<Wide>& of, Notes<Wide>& notes, auto& list,
                           std::size_t from) {
      std::vector<Stage> stages(from);
      stages.insert(stages.end(), layout.map.stages.begin(), layout.map.stages.end());
      const auto ended = [&](const Lines& lines) {
        for (std::size_t j = 0; j < lines.size(); ++j)
          if (notes.take(kCoordinates, j, false) == nullptr)
            list.push_back(ends(of, lines[j], j)), static_cast<void>(notes.take(kCoordinates, j, false));
      };
      ended(point), ended(carry(of, stages, from, point, notes));
    };
    out.notes = noted(cell, [&](Cell<Wide>& of, Notes<Wide>& notes, auto& list) {
      Lines point(e.begin(), e.begin() + static_cast<long>(s.sides[1].map.domain.rank()));
      static_cast<void>(carry(of, nest->slots[1], notes));
      place(s.sides[1], point, of, notes, list, 0);
      if (goal == 2) return;
      point.resize(s.sides[1].logical),
          point.insert(point.end(), e.begin() + static_cast<long>(s.sides[1].map.domain.rank()), e.end());
      static_cast<void>(carry(of, nest->slots[0], notes));
      place(s.sides[0], point, of, notes, list, s.sides[1].map.stages.size() + 1);
    });
    steps.push_back(out);
  }
  inline static const std::vector<Note<Wide>> no_notes = {};
};

Steps forged(Steps steps) {  // one number, step or order
  const auto step = steps.begin() + roll(0, std::ssize(steps) - 1);
  switch (roll(0, 4)) {
    case 0: steps.erase(step); break;
    case 1:
      if (step + 1 != steps.end()) std::iter_swap(step, step + 1);
      break;
    case 2: steps.insert(step, Step(pick(steps))); break;
    case 3:
      if (!step->notes.empty()) {
        pick(step->notes).below.emplace_back(roll(0, 2), roll(-1, 2));
        break;
      }
      [[fallthrough]];
    default:
      if (!step->numbers.empty()) {
        Wide& n = pick(step->numbers);
        n = changed(n);
      }
  }
  return steps;
}

TEST(KernelMoves, DealtProofsAreRefusedOrTrue) {
  engine.seed(20261129);
  long long asked[4] = {}, taken[4] = {}, of_changed[4] = {}, wrong = 0;
  const auto judge = [&](const Statement& s, const Law& law, int goal, const Steps& steps, bool is_changed) {
    Metered budget(2'000'000);
    ++asked[goal];
    if (!engines::cells::holds({static_cast<MovesGoal>(goal), s.sides[0], s.sides[1], s.nests}, steps)) return false;
    ++taken[goal], of_changed[goal] += is_changed;
    if (!law.holds[goal] && ++wrong <= 3) ADD_FAILURE() << "goal " << goal << ": false, and taken";
    return true;
  };
  for (int n = 0; n < test::cases(600, 60'000); ++n) {
    std::vector<Wide> logical;
    for (long long rank = roll(0, 2); rank >= 0; --rank) logical.emplace_back(roll(1, 4));
    Statement first{{random_layout(logical), random_layout(logical)}, {}};
    Values low(first.sides[1].map.domain.rank(), 0), high;
    for (const Wide& extent : first.sides[1].map.domain.extents) high.push_back(extent.narrow());
    if (one_in(5)) high[0] = (high[0] + 1) / 2;
    for (long long copy = one_in(4) ? 1 : 0; copy >= 0; --copy) cover(first, low, high, copy);
    std::vector<Steps> kept[4];
    for (int mutant = 0; mutant < 3; ++mutant) {
      Statement s = first;
      if (mutant > 0) mutate(s);
      const Law law(s);
      for (int goal = 0; goal < 4; ++goal) {
        for (const Steps& steps : kept[goal]) judge(s, law, goal, steps, mutant > 0);
        for (int k = 0; k < 8; ++k) {
          const Steps steps = Dealer{s, law, goal, k / 2}.deal();
          if (judge(s, law, goal, steps, mutant > 0) && mutant == 0) kept[goal].push_back(steps);
          for (int f = 0; f < 3; ++f) judge(s, law, goal, forged(steps), mutant > 0);
        }
      }
    }
  }
  EXPECT_EQ(wrong, 0);
  for (int goal = 0; goal < 4; ++goal) {
    std::printf("goal %d: %lld asked, %lld taken, %lld of changed statements\n", goal, asked[goal], taken[goal],
                of_changed[goal]);
    EXPECT_GE(taken[goal], asked[goal] / 40);
  }
}

}  // namespace kernel_moves_campaign
}  // namespace vl::kernel::tests
