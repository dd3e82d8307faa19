// A refutation about values, which has one or two elements and pads, carried over to the row of one result: its other
// elements and pads get values too, and both runs are evaluated.
//
// Every value stands in a slot. A pad whose slot is an element's has that element's value, and two pads of one slot
// have one value. The holes of tiles are pads of the row; where it is not clear which of them it has, nothing is
// replayed. The values that are tried for the other elements and pads are those of the refutation and a few that
// often change nothing: zeros, one, infinities, the greatest numbers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "encodings/values/state.h"
#include "verifier/claims/padded_row.h"
#include "verifier/neutral/row_laws.h"

namespace vl::claims {
namespace {

using neutral::Code;
using neutral::Term;
using values::CodeSet;

constexpr Index kMostTerms = Index{1} << 16;  // of one reduction
constexpr Index kMostOfRow = Index{1} << 14;  // of what is no single tree, and takes longer

// Terms that often change nothing: pairs of dot, or codes.
std::vector<Term> usual_terms(const neutral::Question& question) {
  const values::Format& format = question.type;
  std::vector<Code> codes{0, values::one(format)};
  if (values::has_negative_zero(format)) codes.insert(codes.begin() + 1, values::negative_zero(format));
  for (const bool negative : {true, false}) {
    if (values::has_infinity(format)) codes.push_back(values::infinity(format, negative));
    codes.push_back(values::largest(format, negative));
  }
  std::vector<Term> out;
  out.reserve(codes.size());
  for (const Code code : codes) out.push_back({code, 0});
  if (question.operation != neutral::Operation::Dot) return out;
  if (values::has_negative_zero(format)) out.push_back({values::negative_zero(format), values::one(format)});
  out.push_back({values::one(format), values::one(format)});
  return out;
}

// One filling of a row, and what it shows.
struct Filled {
  neutral::Evaluation evaluation;
  std::vector<std::size_t> pads;  // positions, in the order of the evaluation
  neutral::Change change;
};

class Filler {
 public:
  Filler(const neutral::Question& question, const neutral::Refuted& refuted, const PaddedRow& row)
      : question_(question), refuted_(refuted.evaluation), row_(row) {}

  // Where the refutation's own terms are put: they come first, or last, or nowhere.
  enum class Own { First, Last, Nowhere };

  std::optional<Filled> fill(const Term& valid, const Term& pad, Own own) {
    slots_.assign(row_.positions().front().places.size(), {});
    terms_.assign(row_.positions().size(), {});
    for (const bool valid_ones : {true, false}) {
      const auto& special = valid_ones ? refuted_.valid : refuted_.pads;
      const auto all = std::ranges::count(row_.positions(), valid_ones, &Position::valid);
      const std::size_t skip = own == Own::Last && valid_ones ? static_cast<std::size_t>(all) - special.size() : 0;
      std::size_t next = own == Own::Nowhere ? special.size() : 0, seen = 0;
      for (std::size_t j = 0; j < terms_.size(); ++j) {
        if (row_.positions()[j].valid != valid_ones) continue;
        const bool mine = seen++ >= skip && next < special.size();
        const Term& want = mine ? special[next] : valid_ones ? valid : pad;
        if (!put(j, want)) return std::nullopt;
        next += mine && terms_[j] == want ? 1 : 0;
      }
      if (next < special.size()) return std::nullopt;
    }
    return evaluated();
  }

 private:
  // The term of position j, as near to `want` as its slots allow.
  bool put(std::size_t j, const Term& want) {
    const auto& places = row_.positions()[j].places;
    Code codes[2] = {want.a, want.b};
    for (std::size_t i = 0; i < places.size(); ++i) {
      const CodeSet& allowed = *places[i].allowed;
      const Code first = allowed.contains(codes[i]) ? codes[i] : allowed.ranges().front().first;
      codes[i] = slots_[i].try_emplace(places[i].slot, first).first->second;
      if (!allowed.contains(codes[i])) return false;
    }
    terms_[j] = {codes[0], places.size() > 1 ? codes[1] : 0};
    return true;
  }
  // By the refutation's tree first and then one after the other; or all in the order of the iteration.
  std::optional<Filled> evaluated() const {
    Filled out;
    std::vector<std::size_t> valid, pads;
    for (std::size_t j = 0; j < terms_.size(); ++j) (row_.positions()[j].valid ? valid : pads).push_back(j);
    for (const std::size_t j : valid) out.evaluation.valid.push_back(terms_[j]);
    for (const std::size_t j : pads) out.evaluation.pads.push_back(terms_[j]);
    out.pads = pads;
    std::string& shape = out.evaluation.shape;
    if (neutral::is_row(question_.operation)) {
      for (const Position& position : row_.positions()) shape += position.valid ? 'c' : 'p';
    } else if (question_.tree == neutral::Tree::Any) {
      shape = refuted_.shape;
      for (std::size_t n = refuted_.valid.size(); n < valid.size(); ++n) shape += "c+";
      for (std::size_t n = refuted_.pads.size(); n < pads.size(); ++n) shape += "p+";
    } else {
      const bool starts = question_.start != neutral::Start::First;
      if (starts) shape = "s";
      for (std::size_t j = 0; j < terms_.size(); ++j) {
        shape += row_.positions()[j].valid ? 'c' : 'p';
        if (starts || j > 0) shape += '+';
      }
    }
    const auto change = neutral::change(question_, out.evaluation);
    if (!change) return std::nullopt;
    out.change = *change;
    return out;
  }

  const neutral::Question& question_;
  const neutral::Evaluation& refuted_;
  const PaddedRow& row_;
  std::vector<std::map<Index, Code>> slots_;  // of each operand
  std::vector<Term> terms_;
};

std::optional<Filled> search(const neutral::Question& question, const neutral::Refuted& refuted, const PaddedRow& row) {
  const auto valid = std::ranges::count(row.positions(), true, &Position::valid);
  const auto& shown = refuted.evaluation;
  if (valid < static_cast<std::ptrdiff_t>(shown.valid.size()) ||
      std::ssize(row.positions()) - valid < static_cast<std::ptrdiff_t>(shown.pads.size()))
    return std::nullopt;
  std::vector<Term> elements = usual_terms(question), pads = elements;
  elements.insert(elements.begin(), shown.valid.front());
  pads.insert(pads.begin(), shown.pads.front());
  Filler filler(question, refuted, row);
  for (const Term& element : elements)
    for (const Term& pad : pads)
      if (auto found = filler.fill(element, pad, Filler::Own::First)) return found;
  // Rows have orders, and facts about few values.
  for (const auto own : {Filler::Own::Last, Filler::Own::Nowhere})
    for (const Term& element : neutral::is_row(question.operation) ? elements : std::vector<Term>{})
      for (const Term& pad : pads)
        if (auto found = filler.fill(element, pad, own)) return found;
  return std::nullopt;
}

// "x [0, 67] (stick [1, 0], lane 3) holds 0x7fff (NaN)".
std::string pad_in_words(const PaddedAsked& asked, const Landings& landings, std::size_t i, const PadPlace& place,
                         Code code) {
  const use::Continued& from = *asked.of.operands[i].continued();
  const map::Layout& over = landings.over;
  const Point slot = over.physical().point(place.slot);
  const std::string index = place.is_hole() ? "a position that no index reaches" : show(place.element);
  std::string out = fmt::format("{} {} ({}", asked.of.operation.operands[i].role, index, use::in_words(from, slot));
  for (const Landing& landing : landings.regions)
    if (landing.aliases && !place.is_hole() && landing.alias == place.element)
      out += fmt::format(", which is element {}", show(landing.aliased));
  return out + fmt::format(") holds {}", values::in_words(*asked.inputs[i].format, code));
}

// A code of the accumulator, a truth value, or the place of an element in its row.
std::string result_in_words(const neutral::Question& question, Code code) {
  static const values::Format truth{"truth", values::Kind::Unsigned, 8};
  if (neutral::is_index(question.operation)) return fmt::format("place {}", code);
  const bool logical = question.operation == neutral::Operation::Any || question.operation == neutral::Operation::All;
  return values::in_words(logical ? truth : question.accumulate, code);
}

// The element of the result that is changed.
Point result_of(const PaddedAsked& asked, const PaddedRow& row, const Filled& found) {
  const use::Operation& operation = asked.of.operation;
  Point dims = row.result();
  if (operation.what->kind == use::OperationKind::Row) {  // the place of an element
    std::size_t left = found.change.at;
    for (const Position& position : row.positions()) {
      if (!position.valid) continue;
      const Point& element = position.places.front().element;
      if (left-- == 0)
        for (const std::size_t d : operation.row)
          dims[d] = element[static_cast<std::size_t>(operation.operands.front().scales[d])];
    }
  } else if (operation.what->kind == use::OperationKind::TopK) {
    for (std::size_t d = 0; d < dims.size(); ++d)
      if (!use::has_dim(operation.operands.front(), d)) dims[d] = static_cast<Index>(found.change.at);
  }
  const use::Operand& result = operation.operands[asked.of.operands.size()];
  Point at(result.tensor.size.size(), 0);
  for (std::size_t d = 0; d < result.scales.size(); ++d)
    if (result.scales[d] >= 0) at[static_cast<std::size_t>(result.scales[d])] = dims[d];
  return at;
}

}  // namespace

std::optional<Counterexample> replayed(const PaddedAsked& asked, std::span<const Landings> landings,
                                       const neutral::Question& question, const neutral::Refuted& refuted) {
  // A row has an order, and nobody says where in it positions are that no index reaches.
  const auto is_ragged = [](const PaddedOperand& operand) { return operand.continued()->ragged != 0; };
  if (neutral::is_row(question.operation) && std::ranges::any_of(asked.of.operands, is_ragged)) return std::nullopt;
  // Nor whether what divides by all indices counts them.
  for (std::size_t i = 0; i < asked.of.operands.size(); ++i)
    if (question.divide == neutral::Divide::Padded && has_holes(asked.of.operation, asked.of.operands[i], i))
      return std::nullopt;
  PaddedRow row(asked, landings);
  if (!row.make(neutral::is_row(question.operation) ? kMostOfRow : kMostTerms)) return std::nullopt;
  const auto found = search(question, refuted, row);
  if (!found) return std::nullopt;
  // The first pad that the refutation names; of dot the operand that is not zero there.
  const Term& named = refuted.evaluation.pads.front();
  std::optional<std::size_t> chosen;
  for (std::size_t j = found->pads.size(); j-- > 0;) {
    const bool hole = row.positions()[found->pads[j]].places.front().is_hole();
    const bool better = !chosen || !hole || row.positions()[found->pads[*chosen]].places.front().is_hole();
    if (found->evaluation.pads[j] == named && better) chosen = j;
  }
  const std::size_t number = chosen.value_or(0);
  const Position& first = row.positions()[found->pads[number]];
  const Term& pad = found->evaluation.pads[number];
  const std::size_t i = first.places.size() > 1 && values::is_zero(question.type, pad.a) ? 1 : 0;
  const Point at = result_of(asked, row, *found);
  const auto value = [&](Code code) { return result_in_words(question, code); };
  std::string words =
      fmt::format("{} {} is {}; without padding it is {}", asked.of.operation.operands[asked.of.operands.size()].role,
                  show(at), value(found->change.got), value(found->change.want));
  words += fmt::format(": {}", pad_in_words(asked, landings[0], 0, first.places[0], pad.a));
  if (first.places.size() > 1)
    words += fmt::format(", {}", pad_in_words(asked, landings[1], 1, first.places[1], pad.b));
  const Term& element = found->evaluation.valid.front();
  words += fmt::format("; its first element holds {}", values::in_words(question.type, element.a));
  if (first.places.size() > 1) words += fmt::format(" times {}", values::in_words(question.type, element.b));
  words += fmt::format(", and there are {} elements and {} pads", found->evaluation.valid.size(), found->pads.size());
  if (const auto facts = neutral::assumptions(question); !facts.empty())
    words += fmt::format("; assumes: {}", fmt::join(facts, "; "));
  return Counterexample{{{"operand", static_cast<Index>(i)},
                         {"element", first.places[i].element},
                         {"physical", landings[i].over.physical().point(first.places[i].slot)},
                         {"got", static_cast<Index>(found->change.got)},
                         {"want", static_cast<Index>(found->change.want)}},
                        std::move(words)};
}

}  // namespace vl::claims
