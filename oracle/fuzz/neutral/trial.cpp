#include "oracle/fuzz/neutral/trial.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/check.h"
#include "encodings/values/division.h"
#include "encodings/values/state.h"
#include "oracle/fuzz/data.h"
#include "oracle/fuzz/neutral/lists.h"

namespace vl::oracle {
namespace {

constexpr std::uint64_t kElements = 0x656c656d;

Answered answered(const neutral::Verdict& verdict) {
  if (std::holds_alternative<neutral::Proved>(verdict)) return Answered::Proved;
  return std::holds_alternative<neutral::Refuted>(verdict) ? Answered::Refuted : Answered::Unknown;
}

bool is_logical(const neutral::Question& question) {
  return question.operation == neutral::Operation::Any || question.operation == neutral::Operation::All;
}

std::string digits_of(const neutral::Question& question, Code code) {
  return is_logical(question) ? std::to_string(code) : values::in_digits(question.accumulate, code);
}

// The first result that its pads change, by any way to break ties that the question allows; else the first of all.
NeutralResults results_of_lists(const neutral::Question& question, const NeutralRow& row) {
  NeutralResults out;
  for (const Taken taken : {Taken::First, Taken::Last}) {
    const bool last = question.ties == neutral::Ties::Last;
    if (question.ties != neutral::Ties::Unspecified && last != (taken == Taken::Last)) continue;
    const auto with = results_of_list(question, row.terms, true, taken),
               without = results_of_list(question, row.terms, false, taken);
    VL_CHECK(!with.empty() && with.size() == without.size(), "a row without a valid element");
    out = {with[0], without[0]};
    for (std::size_t i = 0; i < with.size(); ++i)
      if (!are_equal(question, with[i], without[i])) return {with[i], without[i]};
  }
  return out;
}

// Whether the row has these two results at one place.
bool has_results(const neutral::Question& question, const NeutralRow& row, const neutral::Refuted& refuted) {
  for (const Taken taken : {Taken::First, Taken::Last}) {
    const bool last = question.ties == neutral::Ties::Last;
    if (question.ties != neutral::Ties::Unspecified && last != (taken == Taken::Last)) continue;
    const auto with = results_of_list(question, row.terms, true, taken),
               without = results_of_list(question, row.terms, false, taken);
    if (refuted.at < with.size() && with[refuted.at] == refuted.got && without[refuted.at] == refuted.want) return true;
  }
  return false;
}

std::optional<Mismatch> wrong_counterexample(const NeutralQuestion& asked, const neutral::Refuted& refuted) {
  const auto says = [](std::string what) { return Mismatch{"false-refuted", "the counterexample " + std::move(what)}; };
  const NeutralRow row = row_of(asked.question, refuted.evaluation);
  if (!fits(asked, row)) return says("has codes or a tree that the question does not have");
  NeutralResults results = results_of(asked.question, row);
  if (is_list(asked.question.operation) && has_results(asked.question, row, refuted))
    results = {refuted.got, refuted.want};
  const auto digits = [&](Code code) { return digits_of(asked.question, code); };
  if (results.with_pads != refuted.got || results.without != refuted.want)
    return says(fmt::format("gives {} and {}, and not {} and {}", digits(results.with_pads), digits(results.without),
                            digits(refuted.got), digits(refuted.want)));
  if (are_equal(asked.question, results.with_pads, results.without)) return says("gives equal results");
  return std::nullopt;
}

std::uint64_t hash_of_results(std::uint64_t hash, const NeutralResults& results) {
  return use::mix(use::mix(hash ^ results.with_pads) + results.without);
}

// Contents and pads of one image: a code per slot.
std::vector<Code> drawn_image(const ops::Prepared& image, std::size_t operand, const Codes& contents, const Codes& fill,
                              Random& random) {
  std::vector<Code> out(image.slots(operand));
  const bool one = random.chance(30);  // one code in all elements, and one in all pads
  const Code element = contents.draw(random), pad = fill.draw(random);
  for (std::size_t slot = 0; slot < out.size(); ++slot) {
    const bool holds = image.holds(operand, slot);
    out[slot] = one ? (holds ? element : pad) : holds ? contents.draw(random) : fill.draw(random);
  }
  return out;
}

// The row of one element of the result, straight from the images: no part of Prepared's runs but its slots.
NeutralRow row_in(const ops::Prepared& image, const std::vector<std::vector<Code>>& images, Index element) {
  const ops::Task& task = image.task();
  std::vector<Index> kept, reduced;
  for (std::size_t d = 0; d < task.dims.size(); ++d) {
    kept.push_back(task.result().scales[d] < 0 ? 1 : task.dims[d].extent);
    reduced.push_back(task.result().scales[d] < 0 ? task.dims[d].padded : 1);
  }
  const auto outer = *map::Space::create(map::Space::dims("d", kept));
  const auto inner = *map::Space::create(map::Space::dims("d", reduced));
  const Point at = outer.point(element);
  NeutralRow out;
  for (Index k = 0; k < inner.volume(); ++k) {
    Point x = inner.point(k);
    ops::Term term;
    for (std::size_t d = 0; d < x.size(); ++d) {
      term.pad = term.pad || (task.result().scales[d] < 0 && x[d] >= task.dims[d].extent);
      x[d] += at[d];
    }
    const ops::Operand& first = task.operands.front();  // its dimensions are the iteration's
    const auto slot =
        static_cast<std::size_t>(image.slots_of(0)[static_cast<std::size_t>(first.places.logical().linear(x))]);
    term.a = images[0][slot];
    if (images.size() > 1) term.b = images[1][slot];
    out.terms.push_back(term);
  }
  const bool start = task.arithmetic.start != values::Start::First;
  out.tree = ops::tree_of(task.order, out.terms.size() + (start ? 1 : 0), start);
  return out;
}

}  // namespace

NeutralResults results_of(const neutral::Question& question, const NeutralRow& row) {
  if (is_list(question.operation)) return results_of_lists(question, row);
  const ops::Scalar scalar(operation_of(question.operation), arithmetic_of(question), question.type);
  const auto with = ops::reduced(scalar, row.tree, row.terms, true);
  const auto without = ops::reduced(scalar, row.tree, row.terms, false);
  VL_CHECK(with && without, "a row without a valid element");
  if (question.operation != neutral::Operation::Mean) return {*with, *without};
  const auto valid = static_cast<std::uint64_t>(std::ranges::count(row.terms, false, &ops::Term::pad));
  const auto quotient = [&](Code sum, std::uint64_t count) {
    return values::div(question.accumulate, sum, values::count_code(question.accumulate, count));
  };
  const bool all = question.divide == neutral::Divide::Padded;
  return {quotient(*with, all ? row.terms.size() : valid), quotient(*without, valid)};
}

bool are_equal(const neutral::Question& question, Code a, Code b) {
  if (a == b) return true;
  const Format& format = question.accumulate;
  if (is_statistic(question.operation) && is_nan(format, a) && is_nan(format, b)) return true;
  if (is_logical(question) || is_index(question.operation) || question.equal == neutral::Equality::Bits) return false;
  if (is_nan(format, a) || is_nan(format, b)) return is_nan(format, a) && is_nan(format, b);
  return question.equal == neutral::Equality::AnyNanAndZero && is_zero(format, a) && is_zero(format, b);
}

bool fits(const NeutralQuestion& asked, const NeutralRow& row) {
  const std::size_t start = asked.question.start == neutral::Start::First ? 0 : 1;
  const bool list = is_list(asked.question.operation);
  std::size_t valid = 0;
  bool behind = false;  // a pad was there
  for (const ops::Term& term : row.terms) {
    if (list && asked.question.pads == neutral::Pads::After && behind && !term.pad) return false;
    behind = behind || term.pad;
    valid += term.pad ? 0 : 1;
    if (!(term.pad ? asked.fill : asked.question.contents).contains(term.a)) return false;
    if (asked.second && !(term.pad ? *asked.second : asked.question.contents).contains(term.b)) return false;
  }
  if (valid < asked.question.k || row.tree.leaves != row.terms.size() + start ||
      row.tree.nodes.size() + 1 != row.tree.leaves)
    return false;
  return (asked.question.tree == neutral::Tree::Any && !list) ||
         row.tree == ops::tree_of({}, row.tree.leaves, start == 1);
}

NeutralRow row_of(const neutral::Question& question, const neutral::Evaluation& evaluation) {
  NeutralRow out;
  if (is_list(question.operation)) {
    std::size_t element = 0, pad = 0;
    for (const char sign : evaluation.shape)
      out.terms.push_back(
          {sign == 'p' ? evaluation.pads.at(pad++).a : evaluation.valid.at(element++).a, 0, sign == 'p'});
    const bool starts = question.start != neutral::Start::First;
    out.tree = ops::tree_of({}, out.terms.size() + (starts ? 1 : 0), starts);
    return out;
  }
  const std::uint32_t start = question.start == neutral::Start::First ? 0 : 1;
  std::vector<std::uint32_t> stack;
  std::size_t valid = 0, pads = 0;
  const auto leaves =
      static_cast<std::uint32_t>(std::ranges::count_if(evaluation.shape, [](char sign) { return sign != '+'; }));
  for (const char sign : evaluation.shape) {
    if (sign == '+') {
      VL_CHECK(stack.size() >= 2, "a shape that is no tree");
      const std::uint32_t right = stack.back();
      stack.pop_back();
      out.tree.nodes.push_back({stack.back(), right});
      stack.back() = leaves + static_cast<std::uint32_t>(out.tree.nodes.size()) - 1;
      continue;
    }
    if (sign == 's') {
      stack.push_back(0);
      continue;
    }
    const bool pad = sign == 'p';
    const neutral::Term& term = pad ? evaluation.pads.at(pads++) : evaluation.valid.at(valid++);
    stack.push_back(start + static_cast<std::uint32_t>(out.terms.size()));
    out.terms.push_back({term.a, term.b, pad});
  }
  out.tree.leaves = leaves;
  return out;
}

NeutralTrial::NeutralTrial(NeutralQuestion asked, std::optional<neutral::Verdict> decided)
    : asked_(std::move(asked)),
      sources_(asked_),
      verdict_(decided ? std::move(*decided) : neutral::decide(asked_.question, asked_.fill, asked_.other())) {
  if (const auto* refuted = std::get_if<neutral::Refuted>(&verdict_))
    counterexample_ = wrong_counterexample(asked_, *refuted);
}

NeutralOutcome NeutralTrial::outcome() const { return {answered(verdict_)}; }

NeutralOutcome NeutralTrial::run(NeutralRow row) const {
  NeutralOutcome out = outcome();
  const NeutralResults results = results_of(asked_.question, row);
  out.elements = row.terms.size();
  out.hash = hash_of_results(0, results);
  out.differs = !are_equal(asked_.question, results.with_pads, results.without);
  if (!out.differs || out.verdict != Answered::Proved) return out;
  out.mismatch = {"false-proved", fmt::format("with its pads the row gives {}, without them {}",
                                              digits_of(asked_.question, results.with_pads),
                                              digits_of(asked_.question, results.without))};
  out.row = std::move(row);
  return out;
}

NeutralOutcome NeutralTrial::run(const ops::Prepared& image, const NeutralStates& states, std::uint64_t seed,
                                 std::uint64_t index) const {
  NeutralOutcome out = outcome();
  Random random(seed, kElements, index);
  std::vector<std::vector<Code>> images{drawn_image(image, 0, sources_.contents, sources_.fill, random)};
  if (asked_.second) images.push_back(drawn_image(image, 1, sources_.contents, sources_.second, random));
  std::vector<Code> stored(image.slots(images.size()));
  image.run(images, stored);
  const std::vector<Code> with_pads = image.elements(stored), without = image.valid_run(images);
  out.elements = images.size() * images[0].size();
  for (std::size_t r = 0; r < without.size(); ++r) {
    out.hash = hash_of_results(out.hash, {with_pads[r], without[r]});
    const bool differs = !are_equal(asked_.question, with_pads[r], without[r]);
    // Rows that differ, and one in 16 of the others, are evaluated once more without the image.
    if (!differs && (index + r) % 16 != 0) continue;
    NeutralRow row = row_in(image, images, static_cast<Index>(r));
    const NeutralResults again = results_of(asked_.question, row);
    const auto shown = [&](Code code) { return is_logical(asked_.question) ? Code{code != 0} : code; };
    if (again.with_pads != shown(with_pads[r]) || again.without != shown(without[r])) {
      out.mismatch = {"image", fmt::format("element {} of the result is another one than its row gives", r)};
      out.row = std::move(row);
      return out;
    }
    out.differs = out.differs || differs;
    if (!differs || out.verdict != Answered::Proved || out.mismatch) continue;
    out.mismatch = run(row).mismatch;
    out.row = std::move(row);
  }
  if (out.mismatch) return out;
  out.mismatch = wrong_state(asked_, image, states, stored, out.stored);
  if (out.mismatch) out.row = row_in(image, images, 0);  // a file has a row; the seed and the index run it again
  return out;
}

NeutralOutcome neutral_outcome(std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t group = index / kNeutralGroup;
  const NeutralQuestion asked = question_of(seed, group);
  const NeutralTrial trial(asked);
  const auto image = image_of(asked, seed, group);
  const auto ready = image ? ops::Prepared::create(image->task) : Result<ops::Prepared>(Error{});
  NeutralOutcome out = ready && is_image(index) ? trial.run(*ready, states_of(asked, *ready), seed, index)
                                                : trial.run(row_of(asked, trial.sources(), seed, index));
  if (!out.mismatch && trial.counterexample() && index % kNeutralGroup == 0) {
    out.mismatch = trial.counterexample();
    out.row = row_of(asked.question, std::get<neutral::Refuted>(trial.verdict()).evaluation);
  }
  return out;
}

}  // namespace vl::oracle
