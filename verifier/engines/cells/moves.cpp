#include "verifier/engines/cells/moves.h"

#include <algorithm>

#include "verifier/engines/cells/peel.h"
#include "verifier/engines/cells/search.h"

namespace vl::engines::cells {
namespace {

using kernel::Layout;
using kernel::Nest;
using kernel::Notes;
using kernel::Row;
using kernel::Space;
using kernel::Stage;
using Weights = std::vector<Wide>;

constexpr std::size_t kMostCells = 256;
constexpr long long kMostWalked = 1 << 20;  // moves and points

// What is tried.
struct Plan {
  std::size_t by = 1;      // which slot tells moves apart: 0 the one that is read, 1 the one that is written
  std::size_t anchor = 1;  // and which tells their element: its side has a decode map
  bool fused = false;      // loops that walks step through as one have one number
  bool divides = false;    // coordinates of slots become atoms of their own
  bool halves = false;     // a cell of which nothing is known is cut in the middle
  std::vector<Weights> digits = {};
};

// Whether loop k and the one before it are one loop of the walks that a goal is about: where slots are written, and to
// implement where they are read.
bool is_one(const MovesTask& task, const Nest& nest, std::size_t k) {
  const auto steps_on = [&](const Row& row) {
    return row.terms[k - 1].second == row.terms[k].second * nest.box.extents[k];
  };
  return steps_on(nest.slots[1]) && (task.goal != MovesGoal::Implement || steps_on(nest.slots[0]));
}

// Stages that have the numbers `first`, … in notes.
Lines carry_from(std::size_t first, const std::vector<Stage>& stages, Cell& cell, Lines values, Notes<Wide>& notes) {
  std::vector<Stage> all(first);
  all.insert(all.end(), stages.begin(), stages.end());
  return kernel::carry(cell, all, first, std::move(values), notes);
}

// Whether values lie in [0, extent), by notes where the box is too wide; false where none does. Wants a cut where some
// do.
bool within(const Cell& cell, const Line& line, const Wide& extent) {
  const Bound low = least(cell, line), high = least(cell, Line{}.plus(line, -1));
  const Wide most = Wide(0) - high.value;
  if (most < 0 || low.value >= extent) return false;
  for (const Wide& bound : {Wide(0), extent}) {
    if (bound == 0 ? low.value >= 0 : most < extent) continue;
    const auto cut = across(cell, line, bound);
    throw Wants{cut ? Next(*cut) : Next(Stop{})};
  }
  return true;
}

// The same of a value that a step shows: the note that it needs is the next one, or wanted.
void inside(const Cell& cell, const Lines& lines, const Space& box, Notes<Wide>& notes) {
  for (std::size_t j = 0; j < lines.size(); ++j) {
    const Wide extent = j < box.rank() ? box.extents[j] : Wide(1);
    if (!within(cell, lines[j], extent)) throw Wants{Stop{}};
    if (notes.take(kernel::kCoordinates, j, false) != nullptr) continue;
    if (cell.low(lines[j]) >= 0 && cell.high(lines[j]) < extent) continue;
    const Bound low = least(cell, lines[j]), high = least(cell, Line{}.plus(lines[j], -1));
    throw Wants{Note<Wide>{kernel::kCoordinates, j, false, low.by, high.by, {}, {}, {}}};
  }
}

class MovesFinder : private Search {
 public:
  MovesFinder(const MovesTask& task, Plan plan)
      : Search(false, kMostCells, false),
        task_(task),
        plan_(std::move(plan)),
        layouts_{&task.source, &task.destination} {}

  std::optional<Steps> steps() {
    if (task_.goal != MovesGoal::Inside) {
      steps_.push_back({"keys", {static_cast<long long>(plan_.by)}});
      for (const Weights& weights : plan_.digits) steps_.push_back({"digits", weights});
    }
    for (const Nest& nest : task_.nests) {
      nest_ = &nest;
      Cell cell(nest.box);
      std::size_t g = 0;
      for (std::size_t k = 1; k < nest.box.rank(); ++k) {
        if (plan_.fused && is_one(task_, nest, k)) apply(cell, {"fuse", {static_cast<long long>(g)}});
        else ++g;
      }
      if (!treat(std::move(cell))) return std::nullopt;
    }
    return std::move(steps_);
  }

 private:
  [[nodiscard]] std::size_t sides() const override { return task_.goal == MovesGoal::Inside ? 0 : 1; }

  Lines run(Cell& cell, std::size_t, Notes<Wide>& notes) override {
    Lines out{kernel::carry(cell, nest_->slots[plan_.by], notes)};
    const Lines number{out};
    for (std::size_t c = 0; c < plan_.digits.size(); ++c)
      for (Line& digit : carry_from(c, {{Stage::Kind::Split, {}, 0, plan_.digits[c]}}, cell, number, notes))
        out.push_back(std::move(digit));
    return out;
  }

  Next close(Cell& ran) override {
    if (task_.goal == MovesGoal::Inside) return close_inside(ran);
    kernel::Difference<Wide> shown(ran, ran.sides[0], std::vector<bool>(ran.atoms(), false));
    Steps peeled = peel(ran, shown);
    for (std::size_t j = 0; j < ran.sides[0].size() && !ran.facts.empty(); ++j) {
      const Line& key = ran.sides[0][j];
      const Bound low = least(ran, key), high = least(ran, Line{}.plus(key, -1));
      if (low.by.empty() && high.by.empty()) continue;
      peeled.push_back({"range",
                        {static_cast<long long>(j), low.value, Wide(0) - high.value},
                        {{0, 0, false, low.by, high.by, {}, {}, {}}}});
    }
    bool apart = true;
    for (const auto& group : ran.groups)
      for (const std::size_t k : ran.atoms_of(group)) apart = apart && shown.is_known(k);
    if (task_.goal != MovesGoal::Apart) return close_moves(ran, apart, peeled);
    if (!apart) return Stop{};
    append(peeled);
    steps_.push_back({"serves"});
    return Closed{};
  }

  // The middle of the steps that are the largest.
  [[nodiscard]] std::optional<Cut> otherwise(const Cell& cell) const override {
    if (!plan_.halves) return std::nullopt;
    Cell copy = cell;
    const std::vector<Note<Wide>> none;
    Notes<Wide> notes(none);
    const Line number = kernel::carry(copy, nest_->slots[plan_.by], notes);
    std::optional<std::size_t> most;
    for (const auto& group : cell.groups)
      for (const std::size_t k : cell.atoms_of(group))
        if (!most || number.at(k).abs() > number.at(*most).abs()) most = k;
    return most ? std::optional(Cut{*most, cell.extents[*most] / 2}) : std::nullopt;
  }

  Next close_inside(const Cell& ran) {
    const Space slots{{}, {layouts_[0]->physical.volume(), layouts_[1]->physical.volume()}};
    return close_by({"inside"}, ran, [&](Cell& cell, Notes<Wide>& notes) {
      Lines walks;
      for (const Row& row : nest_->slots) walks.push_back(kernel::carry(cell, row, notes));
      inside(cell, walks, slots, notes);
    });
  }

  Next close_moves(const Cell& ran, bool apart, const Steps& peeled) {
    std::optional<Lines> e;
    Next next = hinted(ran, [&](Cell& cell, Notes<Wide>& notes) { e = element(cell, notes); });
    if (!std::holds_alternative<Closed>(next)) return next;
    if (!e && task_.goal == MovesGoal::Once) return append(peeled), steps_.push_back({"idle"}), Closed{};
    const std::size_t own = ran.records.empty() ? ran.atoms() : ran.records.front().atom;
    if (!e || !apart) return Stop{};
    Step out{"moves"};
    for (const Line& line : *e) {
      out.numbers.push_back(line.constant);
      for (std::size_t k = 0; k < own; ++k) out.numbers.push_back(line.at(k));
      for (std::size_t k = own; k < line.terms.size(); ++k)
        if (line.terms[k] != 0) return Stop{};
    }
    append(peeled);
    return close_by(std::move(out), ran, [&](Cell& cell, Notes<Wide>& notes) {
      const std::size_t logical = task_.destination.logical;
      const auto of_source = static_cast<std::ptrdiff_t>(task_.destination.map.domain.rank());
      place(cell, 1, {e->begin(), e->begin() + of_source}, notes);
      if (task_.goal != MovesGoal::Implement) return;
      Lines point(e->begin(), e->begin() + static_cast<std::ptrdiff_t>(logical));
      point.insert(point.end(), e->begin() + of_source, e->end());
      place(cell, 0, std::move(point), notes);
    });
  }

  void place(Cell& cell, std::size_t side, Lines point, Notes<Wide>& notes) const {
    const Layout& layout = *layouts_[side];
    const Line number = kernel::carry(cell, nest_->slots[side], notes);
    inside(cell, point, layout.map.domain, notes);
    const std::size_t first = side == 1 ? 0 : task_.destination.map.stages.size() + 1;
    const Lines outputs = divided(cell, [&] { return carry_from(first, layout.map.stages, cell, point, notes); });
    inside(cell, outputs, layout.physical, notes);
    Line off = kernel::sum(layout.physical.number(), outputs).plus(number, -1);
    const std::size_t stage = first + layout.map.stages.size();
    if (notes.take(stage, 0, true) != nullptr || off.is_zero()) return;
    auto uses = note_of_equations(cell, std::move(off), stage, 0);
    throw Wants{uses ? Next(std::move(*uses)) : Next(Stop{})};
  }

  // Lines of slots, where a quotient may become an atom.
  template <class Work>
  Lines divided(const Cell& cell, Work work) const {
    try {
      return work();
    } catch (const NoForm& stuck) {
      if (!plan_.divides) throw;
      throw Wants{division(cell, stuck)};
    }
  }

  // Notes until `work` needs no other one; they are no part of a step.
  Next hinted(const Cell& ran, const std::function<void(Cell&, Notes<Wide>&)>& work) {
    const std::size_t before = steps_.size();
    Next out = close_by({"hints"}, ran, work);
    steps_.resize(before);
    return out;
  }

  // x, the replica of D and, where it is read, that of S. Nothing when no element lives in those slots.
  std::optional<Lines> element(Cell& cell, Notes<Wide>& notes) const {
    auto decoded = decode(cell, plan_.anchor, notes);
    if (!decoded) return std::nullopt;
    Lines out(decoded->begin(), decoded->begin() + static_cast<std::ptrdiff_t>(task_.source.logical));
    for (const std::size_t side : {std::size_t{1}, std::size_t{0}}) {
      const Layout& layout = *layouts_[side];
      if (layout.replicas().rank() == 0 || (side == 0 && task_.goal == MovesGoal::Once)) continue;
      const auto replicas = side == plan_.anchor ? decoded : decode(cell, side, notes);
      if (!replicas) return std::nullopt;
      out.insert(out.end(), replicas->begin() + static_cast<std::ptrdiff_t>(layout.logical), replicas->end());
    }
    return out;
  }

  [[nodiscard]] std::size_t stages_of(std::size_t side) const {
    return 1 + layouts_[side]->map.stages.size() + layouts_[side]->decode->stages.size();
  }

  // What lives in the slots of a side; nothing when they are those of no element.
  std::optional<Lines> decode(Cell& cell, std::size_t side, Notes<Wide>& notes) const {
    const Layout& layout = *layouts_[side];
    if (!layout.decode) return std::nullopt;  // the anchor has one, the other side may not
    const std::size_t first = side == plan_.anchor ? 0 : stages_of(plan_.anchor);  // no note is about two maps
    const Line number = kernel::carry(cell, nest_->slots[side], notes);
    if (!within(cell, number, layout.physical.volume())) return std::nullopt;
    const Row row_major = layout.physical.number();
    Stage split{Stage::Kind::Split, {}, 0, {}};
    for (const auto& [dim, weight] : row_major.terms) split.weights.insert(split.weights.begin(), weight);
    Lines slot = divided(cell, [&] { return carry_from(first, {split}, cell, {number}, notes); });
    Lines back = carry_from(first + 1, layout.decode->stages, cell, std::move(slot), notes);
    const std::size_t rank = layout.map.domain.rank();
    for (std::size_t i = 0; i < back.size(); ++i)
      if (!within(cell, back[i], i < rank ? layout.map.domain.extents[i] : Wide(1))) return std::nullopt;
    back.resize(rank);
    const Lines place = divided(cell, [&] {
      return carry_from(first + 1 + layout.decode->stages.size(), layout.map.stages, cell, back, notes);
    });
    for (std::size_t j = 0; j < place.size(); ++j)
      if (!within(cell, place[j], j < layout.physical.rank() ? layout.physical.extents[j] : Wide(1)))
        return std::nullopt;
    const Line off = kernel::sum(row_major, place).plus(number, -1);
    const auto uses = note_of_equations(cell, off, 0, 0);
    if (!within(cell, uses ? cell.with_equations(off, uses->below) : off, 1)) return std::nullopt;
    return back;
  }

  const MovesTask& task_;
  Plan plan_;
  const Layout* layouts_[2];
  const Nest* nest_ = nullptr;
};

// Weights by which the slots of a memory fall into digits that are the same for all nests: those of its box; those of
// the one affine row that fills it (a host); those that the nests step by. None comes first: the numbers themselves may
// do.
std::vector<std::vector<Weights>> digits_of(const Layout& layout, const std::vector<Nest>& nests, std::size_t side) {
  Weights box, row, steps;
  for (const auto& [dim, weight] : layout.physical.number().terms) box.push_back(weight);
  if (layout.map.stages.size() == 1 && layout.map.stages[0].kind == Stage::Kind::Affine && layout.physical.rank() == 1)
    for (const auto& [input, weight] : layout.map.stages[0].rows[0].terms) row.push_back(weight.abs());
  for (const Nest& nest : nests)
    for (const auto& [loop, weight] : nest.slots[side].terms) steps.push_back(weight.abs());
  std::vector<std::vector<Weights>> out{{}};
  for (Weights* weights : {&box, &row, &steps}) {
    weights->push_back(1);
    std::ranges::sort(*weights, std::greater());
    weights->erase(std::unique(weights->begin(), weights->end()), weights->end());
    while (weights->back() == 0) weights->pop_back();
    const std::vector<Weights> digits{*weights};
    if (weights->size() > 1 && std::ranges::find(out, digits) == out.end()) out.push_back(digits);
  }
  return out;
}

bool has_fused(const MovesTask& task, const Nest& nest) {
  for (std::size_t k = 1; k < nest.box.rank(); ++k)
    if (is_one(task, nest, k)) return true;
  return false;
}

bool is_small(const MovesTask& task) {
  Wide count = task.source.map.domain.volume() + task.destination.map.domain.volume();
  for (const Nest& nest : task.nests) count += nest.box.volume();
  return count <= kMostWalked;
}

std::vector<Plan> plans_of(const MovesTask& task) {
  if (task.goal == MovesGoal::Inside) return {Plan{}};
  const Layout* sides[2] = {&task.source, &task.destination};
  const bool fuses = std::ranges::any_of(task.nests, [&](const Nest& nest) { return has_fused(task, nest); });
  const bool elements = task.goal != MovesGoal::Apart;
  std::vector<Plan> out;
  for (const bool halves : {false, true})
    for (const bool divides : {false, true})
      for (const bool fused : {false, true})
        for (const std::size_t by : {1U, 0U})
          for (const std::size_t anchor : {1U, 0U}) {
            if ((fused && (halves || !fuses)) || (divides && (halves || !elements))) continue;
            if (halves && is_small(task)) continue;
            if (by == 0 && task.goal != MovesGoal::Implement) continue;
            if (elements ? !sides[anchor]->decode : anchor == 0) continue;
            for (auto& digits : digits_of(*sides[by], task.nests, by))
              out.push_back({by, anchor, fused, divides, halves, std::move(digits)});
          }
  return out;
}

}  // namespace

bool holds(const MovesTask& task, const Steps& steps) {
  try {
    const kernel::Moves moves(task.source, task.destination, task.nests);
    switch (task.goal) {
      case MovesGoal::Inside: moves.inside(steps); break;
      case MovesGoal::Apart: moves.apart(steps); break;
      case MovesGoal::Once: moves.once(steps); break;
      case MovesGoal::Implement: moves.implement(steps); break;
    }
    return true;
  } catch (const kernel::Rejected&) {
    return false;
  }
}

std::optional<Steps> find(const MovesTask& task) {
  try {
    for (Plan& plan : plans_of(task)) {
      const GivesBack memory;
      try {
        auto found = MovesFinder(task, std::move(plan)).steps();
        if (found && holds(task, *found)) return found;
      } catch (const kernel::OverBudget&) {
        throw;
      } catch (const kernel::Rejected&) {  // this plan does not lead there
      }
    }
    if (is_small(task)) return Steps{{"sweep"}};
  } catch (const kernel::Rejected&) {  // no map, or no work left
  }
  return std::nullopt;
}

}  // namespace vl::engines::cells
