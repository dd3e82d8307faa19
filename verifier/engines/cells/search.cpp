#include "verifier/engines/cells/search.h"

#include <utility>

namespace vl::engines::cells {
namespace {

constexpr int kMostTries = 96;  // of one cell

}  // namespace

void Search::apply(Cell& cell, Step step) {
  if (step.name == "fuse") cell.fuse(static_cast<std::size_t>(step.numbers[0].narrow()));
  if (step.name == "shift") cell.shift(static_cast<std::size_t>(step.numbers[0].narrow()), step.numbers[1]);
  if (step.name == "block") cell.block(static_cast<std::size_t>(step.numbers[0].narrow()), step.numbers[1]);
  steps_.push_back(std::move(step));
}

// Multiples of equations with which a line loses values without a form: c·(w·q + r) is c·inner.
std::optional<Note<Wide>> Search::note_of_equations(const Cell& cell, Line line, std::size_t stage, std::size_t at) {
  Note<Wide> out{stage, at, true, {}, {}, {}, {}, {}};
  for (std::size_t j = cell.records.size(); j-- > 0;) {
    const auto& one = cell.records[j];
    if (!one.divides()) continue;
    const Wide factor = cell.extents[one.atom + 1] > 1 ? line.at(one.atom + 1) : line.at(one.atom) / one.weight;
    if (factor == 0 || (cell.extents[one.atom] > 1 && line.at(one.atom) != factor * one.weight)) continue;
    line.add(cell.equation(j), factor);
    out.below.emplace_back(cell.facts.size() + j, factor);
  }
  return out.below.empty() ? std::nullopt : std::optional(std::move(out));
}

Next Search::for_quotient(const Cell& cell, const NoForm& stuck) const {
  const Bound low = least(cell, stuck.rest), high = least(cell, Line{}.plus(stuck.rest, -1));
  const Wide first = low.value / stuck.weight, last = (Wide(0) - high.value) / stuck.weight;
  if (first == last) {
    Note<Wide> note{stuck.stage, stuck.at, false, low.by, high.by, {}, {}, {}};
    if (first != 0) note.quotient = stuck.quotient + first;
    return note;
  }
  if (const auto block = block_for(cell, stuck.rest, stuck.weight)) return *block;
  const auto cut = across(cell, stuck.rest, (first + 1) * stuck.weight);
  if (cut && last == first + 1 && cells_ < most_) return *cut;
  if (const auto shift = shift_for(cell, stuck)) return *shift;
  if (!divides_) return cut && cells_ < most_ ? Next(*cut) : Next(Stop{});
  return division(cell, stuck);
}

Note<Wide> Search::division(const Cell& cell, const NoForm& stuck) {
  const Bound least_line = least(cell, stuck.line), most_line = least(cell, Line{}.plus(stuck.line, -1));
  const Wide from = least_line.value / stuck.weight;
  return Note<Wide>{stuck.stage,  stuck.at, false, least_line.by,
                    most_line.by, {},       from,  (Wide(0) - most_line.value) / stuck.weight - from + 1};
}

// The shift of a group with which a rest loses its constant.
std::optional<Shift> Search::shift_for(const Cell& cell, const NoForm& stuck) const {
  if (!shifts_ || cells_ > 1) return std::nullopt;
  const Wide constant = stuck.rest.constant;
  for (std::size_t g = 0; g < cell.groups.size(); ++g) {
    const auto own = cell.atoms_of(cell.groups[g]);
    if (own.empty()) continue;
    const Wide unit = stuck.rest.at(own.back());
    if (unit <= 0 || cell.groups[g].number.constant != 0 || stuck.weight % unit != 0 || constant % unit != 0) continue;
    const Wide by = constant / unit % (stuck.weight / unit);
    if (by != 0) return Shift{g, by};
  }
  return std::nullopt;
}

bool Search::treat(Cell cell) {
  for (std::size_t j = 0; j < cell.facts.size(); ++j)
    if (cell.high(cell.facts[j]) < 0) return steps_.push_back({"empty", {static_cast<long long>(j)}}), true;
  std::vector<Note<Wide>> notes[2];
  for (int tries = 0; tries < kMostTries; ++tries) {
    const std::size_t before = steps_.size();
    Cell ran = cell;
    Next next = Closed{};
    std::size_t side = 0;
    try {
      for (; side < sides(); ++side) {
        kernel::Notes<Wide> given(notes[side]);
        ran.sides[side] = run(ran, side, given);
        ran.ran[side] = true;
        steps_.push_back({"run", {static_cast<long long>(side)}, notes[side]});
      }
      next = close(ran);
      if (std::holds_alternative<Closed>(next)) return true;
    } catch (const NoForm& stuck) {
      const auto& known = notes[side];
      if (!known.empty() && known.back().stage == stuck.stage && known.back().at == stuck.at) return false;
      next = for_quotient(ran, stuck);
    } catch (const Wants& wants) {
      next = wants.next;
    }
    if (std::holds_alternative<Stop>(next))
      if (const auto cut = may_cut() ? otherwise(cell) : std::nullopt) next = *cut;
    steps_.resize(before);
    if (const auto* note = std::get_if<Note<Wide>>(&next); note != nullptr && side < sides()) {
      notes[side].push_back(*note);
    } else if (const auto* block = std::get_if<Block>(&next)) {
      apply(cell, {"block", {static_cast<long long>(block->atom), block->size}});
      notes[0].clear(), notes[1].clear();
    } else if (const auto* cut = std::get_if<Cut>(&next)) {
      steps_.push_back({"cut", {static_cast<long long>(cut->atom), cut->at}});
      ++cells_;
      Cell above = cell.cut(cut->atom, cut->at);
      return treat(std::move(cell)) && treat(std::move(above));
    } else {
      if (const auto* shift = std::get_if<Shift>(&next)) shift_ = *shift;
      return false;
    }
  }
  return false;
}

// A last step whose notes are found one after the other: `carry` runs a second map, and throws where one is missing.
Next Search::close_by(Step out, const Cell& ran, const std::function<void(Cell&, kernel::Notes<Wide>&)>& carry) {
  for (int tries = 0; tries < kMostTries; ++tries) {
    Cell cell = ran;
    kernel::Notes<Wide> notes(out.notes);
    try {
      carry(cell, notes);
      steps_.push_back(std::move(out));
      return Closed{};
    } catch (const NoForm& stuck) {
      auto uses = note_of_equations(cell, stuck.line, stuck.stage, stuck.at);
      Next next = uses ? Next(std::move(*uses)) : for_quotient(cell, stuck);
      const auto* note = std::get_if<Note<Wide>>(&next);
      if (note == nullptr) return next;
      out.notes.push_back(*note);
    } catch (const Wants& wants) {
      const auto* note = std::get_if<Note<Wide>>(&wants.next);
      if (note == nullptr) return wants.next;
      out.notes.push_back(*note);
    }
  }
  return Stop{};
}

}  // namespace vl::engines::cells
