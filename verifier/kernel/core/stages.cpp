#include "verifier/kernel/core/stages.h"

namespace vl::kernel {
namespace {

constexpr std::size_t kMostRecords = 256;
const Wide kLookedThrough = 4096;  // numbers of a block whose swizzle is looked at one by one

// The domain of kernel::run() whose values are lines.
template <class S>
struct Carrier {
  Cell<S>& cell;
  Notes<S>& notes;
  std::size_t stage = 0;

  // Twice the same division is the same pair of atoms.
  std::pair<Line<S>, Line<S>> fresh(const Line<S>& line, const S& weight, const Note<S>& note) {
    require(note.from && note.extent, "a quotient without a range");
    const auto pair_of = [&](const Record<S>& one) {
      return std::pair{Line<S>{one.from, {}}.plus(cell.value(one.atom)), cell.value(one.atom + 1)};
    };
    for (const Record<S>& one : cell.records)
      if (one.divides() && one.weight == weight && one.inner == line) return pair_of(one);
    const Line<S> above = line.plus(Line<S>{weight * *note.from, {}}, -1);
    const Line<S> below = Line<S>{weight * (*note.from + *note.extent) - S(1), {}}.plus(line, -1);
    require(cell.is_positive(above, note.below) && cell.is_positive(below, note.above) &&
                (is_shown(weight) || is_shown(*note.extent)),  // weight·extent >= 1: with one both are at least 1
            "a quotient out of its range");
    require(cell.records.size() < kMostRecords, "too many values without a form");
    cell.record({line, 0, *note.from, weight, {}}, {*note.extent, weight});
    return pair_of(cell.records.back());
  }

  std::pair<Line<S>, Line<S>> divide(Line<S> line, const S& weight, std::size_t at) {
    if (const Note<S>* note = notes.take(stage, at, true)) line = cell.with_equations(std::move(line), note->below);
    const Note<S>* note = notes.take(stage, at, false);
    if (note != nullptr && note->extent) return fresh(line, weight, *note);
    charge(2 * line.terms.size() + 1);
    Line<S> quotient{0, std::vector<S>(line.terms.size(), S(0))}, rest = line;
    for (std::size_t k = 0; k < line.terms.size(); ++k) {
      quotient.terms[k] = share(line.terms[k], weight);
      rest.terms[k] = line.terms[k] - quotient.terms[k] * weight;
    }
    quotient.constant = note != nullptr && note->quotient ? *note->quotient : floor_of(cell.low(rest), weight);
    rest.constant = rest.constant - quotient.constant * weight;
    const Note<S> none, &by = note != nullptr ? *note : none;
    const bool shown =
        cell.is_positive(rest, by.below) && cell.is_positive(Line<S>{weight - S(1), {}}.plus(rest, -1), by.above);
    if (!shown) {
      throw NoForm<S>(std::move(line), std::move(rest), quotient.constant, weight, stage, at);
    }
    return {std::move(quotient), std::move(rest)};
  }

  // σ keeps each block [j·2^top, (j+1)·2^top), top the end of the field that it changes: so only the blocks of the
  // smallest and of the greatest value are looked at more closely, and only small ones.
  std::pair<Wide, Wide> image(Wide low, Wide high, const Stage& by) const {
    const Wide block = Wide(1LL << (by.base + by.bits + (by.up ? by.shift : 0)));
    const Wide first = low - low % block, last = high - high % block + (block - 1);
    if (block > kLookedThrough) return {first, last};
    charge(16 * block);
    Wide least = by.swizzled(low), most = by.swizzled(high);
    for (Wide x = low; x <= std::min(high, first + (block - 1)); x += 1) least = std::min(least, by.swizzled(x));
    for (Wide x = std::max(low, last - (block - 1)); x <= high; x += 1) most = std::max(most, by.swizzled(x));
    return {least, most};
  }

  Line<S> swizzle(const Line<S>& line, const BasicStage<S>& by) {
    const Note<S>* note = notes.take(stage, 0, false);
    require(cell.is_positive(line, note != nullptr ? note->below : Multiples<S>{}),
            "a swizzle of what may be negative");
    if (by.bits == 0) return line;
    if constexpr (std::same_as<S, Wide>) return swizzle_number(line, by);
    if (note == nullptr || !note->extent) throw NoForm<S>(line, line, 0, 0, stage, 0);
    require(cell.is_positive(Line<S>{*note->extent - S(1), {}}.plus(line, -1), note->above) && keeps(by, *note->extent),
            "a swizzle that leads out of its range");
    return swizzled(line, by, 0, *note->extent);
  }

  // σ takes [0, extent) to itself: it does so with whole blocks, and what it does with the rest of a last one depends
  // on its numbers modulo the period.
  static bool keeps(const BasicStage<S>& by, const S& extent) {
    const int within = by.base + by.bits, all = within + by.shift;
    const S block = S(1LL << (by.up ? all : within)), period = S(1LL << all);
    if (extent == share(extent, block) * block) return true;
    const Wide end = number_of(rest_of(extent, period)), first = end - end % number_of(block);
    if (end - first > kLookedThrough) return false;
    charge(16 * (end - first));
    for (Wide x = first; x < end; x += 1)
      if (by.swizzled(x) >= end) return false;
    return true;
  }

  // A value of its own; twice the same swizzle of the same line is the same one.
  Line<S> swizzled(const Line<S>& line, const BasicStage<S>& by, const S& from, const S& extent) {
    const auto value_of = [&](const Record<S>& one) { return Line<S>{one.from, {}}.plus(cell.value(one.atom)); };
    for (const Record<S>& one : cell.records) {
      if (one.divides() || !one.swizzle.same_swizzle(by)) continue;
      if (one.inner == line) return value_of(one);
      if (value_of(one) == line && by.shift >= by.bits) return one.inner;  // an involution
    }
    require(cell.records.size() < kMostRecords, "too many values without a form");
    cell.record({line, 0, from, 0, by}, {extent});
    return value_of(cell.records.back());
  }

  Line<S> swizzle_number(const Line<S>& line, const Stage& by) {
    const Wide low = cell.low(line), high = cell.high(line), unit = Wide(1LL << by.base);
    const Wide end = Wide(1LL << (by.base + by.bits + by.shift));
    Line<S> moved = line;  // what is added depends on the bits [base, end) alone
    for (S& term : moved.terms)
      if (term % end == S(0)) term = 0;
    const Wide at = cell.low(moved), part = at % end;
    if (at / unit == cell.high(moved) / unit) return line.plus(Line<S>{by.swizzled(part) - part, {}});
    require(low >= 0, "a swizzle of what may be negative");
    const auto [least, most] = image(low, high, by);
    return swizzled(line, by, least, most - least + 1);
  }
};

// Rows over the root's coordinates; each quotient of a group's number is made once.
template <class S>
class Coordinates {
 public:
  Coordinates(Cell<S>& cell, Notes<S>& notes) : carrier_{cell, notes, kCoordinates}, quotients_(cell.root().rank()) {}

  Line<S> of(const BasicRow<S>& row) {
    return carrier_.cell.of(row, [&](const Line<S>& number, const S& weight, std::size_t i) {
      if (!quotients_[i]) quotients_[i] = carrier_.divide(number, weight, i).first;
      return *quotients_[i];
    });
  }

 private:
  Carrier<S> carrier_;
  std::vector<std::optional<Line<S>>> quotients_;
};

}  // namespace

template <class S>
Line<S> sum(const BasicRow<S>& row, const std::vector<Line<S>>& values) {
  Line<S> out{row.constant, {}};
  for (const auto& [input, coefficient] : row.terms) out.add(values[input], coefficient);
  return out;
}

template <class S>
std::vector<Line<S>> carry(Cell<S>& cell, const std::vector<BasicStage<S>>& stages, std::size_t first,
                           std::vector<Line<S>> values, Notes<S>& notes) {
  Carrier<S> carrier{cell, notes};
  for (carrier.stage = first; carrier.stage < stages.size(); ++carrier.stage) {
    const BasicStage<S>& stage = stages[carrier.stage];
    charge(values.size() + 1);
    if (stage.kind == BasicStage<S>::Kind::Swizzle) {
      values[stage.input] = carrier.swizzle(values[stage.input], stage);
      continue;
    }
    std::vector<Line<S>> made;
    if (stage.kind == BasicStage<S>::Kind::Affine)
      for (const BasicRow<S>& row : stage.rows) {
        made.push_back(sum(row, values));
        hold(made.back().bytes());
        if (const Note<S>* note = notes.take(carrier.stage, made.size() - 1, true))
          made.back() = cell.with_equations(std::move(made.back()), note->below);
      }
    for (std::size_t i = 0; i < values.size() && stage.kind == BasicStage<S>::Kind::Split; ++i) {
      if (i != stage.input) made.push_back(std::move(values[i]));
      for (std::size_t k = 0; i == stage.input && k < stage.weights.size(); ++k) {
        auto [quotient, rest] = carrier.divide(std::move(values[i]), stage.weights[k], k);
        hold(quotient.bytes());
        made.push_back(std::move(quotient));
        values[i] = std::move(rest);
      }
    }
    values.swap(made);
  }
  return values;
}

template <class S>
std::vector<Line<S>> carry(Cell<S>& cell, const BasicMap<S>& map, const std::vector<std::size_t>& inputs,
                           Notes<S>& notes) {
  const bool starts = !map.stages.empty() && map.stages[0].kind == BasicStage<S>::Kind::Affine;
  Coordinates<S> coordinates(cell, notes);
  std::vector<Line<S>> values;
  for (std::size_t j = 0; j < (starts ? map.stages[0].rows.size() : inputs.size()); ++j) {
    BasicRow<S> row = starts ? map.stages[0].rows[j] : BasicRow<S>{0, {{j, 1}}};
    for (auto& [input, coefficient] : row.terms) input = inputs[input];
    values.push_back(coordinates.of(row));
    hold(values.back().bytes());
    if (const Note<S>* note = starts ? notes.take(0, j, true) : nullptr)
      values.back() = cell.with_equations(std::move(values.back()), note->below);
  }
  return carry(cell, map.stages, starts ? 1 : 0, std::move(values), notes);
}

template <class S>
Line<S> carry(Cell<S>& cell, const BasicRow<S>& row, Notes<S>& notes) {
  return Coordinates<S>(cell, notes).of(row);
}

template Line<Wide> carry(Cell<Wide>&, const Row&, Notes<Wide>&);
template Line<Wide> sum(const Row&, const std::vector<Line<Wide>>&);
template std::vector<Line<Wide>> carry(Cell<Wide>&, const Map&, const std::vector<std::size_t>&, Notes<Wide>&);
template std::vector<Line<Wide>> carry(Cell<Wide>&, const std::vector<Stage>&, std::size_t, std::vector<Line<Wide>>,
                                       Notes<Wide>&);
template Line<Polynomial> carry(Cell<Polynomial>&, const BasicRow<Polynomial>&, Notes<Polynomial>&);
template Line<Polynomial> sum(const BasicRow<Polynomial>&, const std::vector<Line<Polynomial>>&);
template std::vector<Line<Polynomial>> carry(Cell<Polynomial>&, const BasicMap<Polynomial>&,
                                             const std::vector<std::size_t>&, Notes<Polynomial>&);
template std::vector<Line<Polynomial>> carry(Cell<Polynomial>&, const std::vector<BasicStage<Polynomial>>&, std::size_t,
                                             std::vector<Line<Polynomial>>, Notes<Polynomial>&);

}  // namespace vl::kernel
