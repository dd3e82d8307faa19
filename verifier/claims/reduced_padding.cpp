// padding-state of reductions. An element of the result in a region R of its padding combines, over the whole extents
// of the reduced dimensions, what each input holds at R and, for each set Q of padded reduced dimensions, at R with Q:
//
//   the leaves        conversions of those sets into the accumulator, their squares, or the products of each pair
//   the image         of so many leaves (program::image_of_reduction), which may be larger than what there is
//   one code in each  from left to right along one dimension there is one result, which is evaluated
//   mean              the image divided by the count, and every result rounded into the result's format
//
// If it lies in what is claimed, the claim is proved. A refutation is one evaluation from left to right, in the order
// of the indices, with one code in the elements that are at R alone and one in the others.
//
// Worked example: sum over d1 of f32[5,6] in tiles of 8, padding "1", from +0: rows 5 to 7 of the result are sums of
// eight ones: 8. "d0: {8}" is proved of order=seq; of any order the image is [1 .. 16], and "d0: [1..16]" is proved.
// "d0: 0" is refuted.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/values/division.h"
#include "encodings/values/state.h"
#include "verifier/claims/padded_run.h"
#include "verifier/neutral/program/states.h"
#include "verifier/neutral/transfer.h"

namespace vl::claims {
namespace {

using neutral::Code;
using neutral::Question;
using neutral::Term;
using values::CodeSet;
using values::Format;

constexpr Index kMostLeaves = Index{1} << 16;  // of an evaluation

// The positions of a row whose reduced indices are beyond in the same dimensions.
struct LeafPart {
  use::Region beyond = 0;  // reduced dimensions
  std::vector<CodeSet> operands;
};

class ReducedRegion {
 public:
  ReducedRegion(const PaddedAsked& asked, std::span<const Landings> landings, use::Region region)
      : asked_(asked), extents_(whole_extents(asked.of)), dims_(reduced_dims(asked.of.operation)) {
    std::vector<Index> valid, whole;
    for (const std::size_t d : dims_) {
      valid.push_back(asked.of.operation.dims[d].extent);
      whole.push_back(extents_[d]);
    }
    box_ = whole;
    parts_.push_back({0, sets(landings, region)});
    for (const use::Region in_row : use::regions_of(valid, whole)) {
      use::Region beyond = 0;
      for (std::size_t j = 0; j < dims_.size(); ++j)
        if ((in_row >> j & 1) != 0) beyond |= use::Region{1} << dims_[j];
      parts_.push_back({beyond, sets(landings, region | beyond)});
    }
  }

  // How many leaves there are; nothing if they are more than 64 bits count.
  [[nodiscard]] std::optional<Index> leaves() const {
    std::optional<Index> out = 1;
    for (const Index extent : box_) out = out ? checked_mul(*out, extent) : std::nullopt;
    return out;
  }

  // Every code of the type that the result can be, and maybe more.
  [[nodiscard]] CodeSet image(const Question& question, Index count, Index divisor) const {
    const Format& wide = question.accumulate;
    if (const auto terms = only_terms(); terms && in_one_order(question, *terms) && count <= kMostLeaves) {
      const Code code = evaluated(question, divisor, *terms);
      return values::is_nan(question.type, code) ? values::nans(question.type) : CodeSet::of(code);
    }
    CodeSet all;
    for (const LeafPart& part : parts_) {
      std::vector<CodeSet> in_wide;
      for (const CodeSet& set : part.operands) in_wide.push_back(converted(question.type, wide, set));
      if (neutral::is_square(question.operation))
        in_wide = {neutral::image(neutral::Function::Square, wide, question.max, in_wide).codes};
      else if (question.operation == neutral::Operation::Dot)
        in_wide = {neutral::image(neutral::Function::Mul, wide, question.max, in_wide).codes};
      all = all.united(in_wide.front());
    }
    CodeSet out = neutral::program::image_of_reduction(question, all, count);
    if (divisor > 0) {
      const CodeSet by = CodeSet::of(values::count_code(wide, static_cast<std::uint64_t>(divisor)));
      const std::vector<CodeSet> both{std::move(out), by};
      out = neutral::image(neutral::Function::Div, wide, question.max, both).codes;
    }
    return converted(wide, question.type, out);
  }

  // A result that some evaluation gives, and that is not claimed.
  [[nodiscard]] std::optional<Code> outside(const Question& question, Index divisor, const CodeSet& claimed) const {
    for (std::size_t i = 0; i < kTries; ++i)
      for (std::size_t j = 0; j < kTries; ++j) {
        std::vector<Term> terms;
        for (const LeafPart& part : parts_) {
          const std::size_t pick = part.beyond == 0 ? i : j;
          const auto code = [&](std::size_t operand) { return picked(question.type, part.operands[operand], pick); };
          terms.push_back({code(0), part.operands.size() > 1 ? code(1) : Code{0}});
        }
        const Code got = evaluated(question, divisor, terms);
        const bool any_nan = values::is_nan(question.type, got);  // whose bits are an implementation's
        const CodeSet possible = any_nan ? values::nans(question.type) : CodeSet::of(got);
        if (possible.intersected(claimed).empty()) return got;
      }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kTries = 6;

  [[nodiscard]] std::vector<CodeSet> sets(std::span<const Landings> landings, use::Region region) const {
    std::vector<CodeSet> out;
    for (std::size_t i = 0; i < asked_.inputs.size(); ++i) out.push_back(at_region(asked_, landings, i, region));
    return out;
  }
  // The terms of the parts, if each is the only one.
  [[nodiscard]] std::optional<std::vector<Term>> only_terms() const {
    std::vector<Term> out;
    for (const LeafPart& part : parts_) {
      if (std::ranges::any_of(part.operands, [](const CodeSet& set) { return set.count() != 1; })) return std::nullopt;
      const auto code = [&](std::size_t operand) { return part.operands[operand].ranges().front().first; };
      out.push_back({code(0), part.operands.size() > 1 ? code(1) : Code{0}});
    }
    return out;
  }
  // Of several dimensions nobody says which comes first.
  [[nodiscard]] bool in_one_order(const Question& question, const std::vector<Term>& terms) const {
    const bool alike = std::ranges::all_of(terms, [&](const Term& term) { return term == terms.front(); });
    return question.tree == neutral::Tree::Sequential && (alike || dims_.size() == 1);
  }
  static CodeSet converted(const Format& from, const Format& to, const CodeSet& set) {
    return from == to ? set : neutral::image_of_conversion(from, to, set).codes;
  }
  // Codes that are likely to tell: zero, one, the ends of the first and of the last range.
  static Code picked(const Format& format, const CodeSet& set, std::size_t pick) {
    const auto ranges = set.ranges();
    const Code likely[kTries] = {0,
                                 values::one(format),
                                 ranges.front().first,
                                 ranges.back().last,
                                 ranges.front().last,
                                 values::has_negative_zero(format) ? values::negative_zero(format) : Code{0}};
    return set.contains(likely[pick]) ? likely[pick] : ranges.front().first;
  }
  [[nodiscard]] Code evaluated(const Question& question, Index divisor, const std::vector<Term>& terms) const {
    std::optional<Code> sum;
    if (question.start != neutral::Start::First) sum = neutral::start_of(question);
    const auto box = *map::Space::create(map::Space::dims("k", box_));
    Point k(dims_.size(), 0);
    do {
      use::Region beyond = 0;
      for (std::size_t j = 0; j < dims_.size(); ++j)
        beyond |= use::Region{k[j] >= asked_.of.operation.dims[dims_[j]].extent} << dims_[j];
      const auto at = std::ranges::find(parts_, beyond, &LeafPart::beyond) - parts_.begin();
      const Term& term = terms[static_cast<std::size_t>(at)];
      sum = sum ? neutral::next(question, *sum, term) : neutral::leaf(question, term);
    } while (map::advance(box, k));
    const Format& wide = question.accumulate;
    Code out = *sum;
    if (divisor > 0) out = values::div(wide, out, values::count_code(wide, static_cast<std::uint64_t>(divisor)));
    return question.type == wide ? out : values::convert(wide, question.type, out);
  }

  const PaddedAsked& asked_;
  std::vector<Index> extents_;
  std::vector<std::size_t> dims_;
  std::vector<Index> box_;
  std::vector<LeafPart> parts_;
};

std::string not_covered(const PaddedAsked& asked) {
  using neutral::Operation;
  const Question& question = asked.alternatives.front().question;
  const std::string_view name = asked.of.operation.what->name;
  if (neutral::is_row(question.operation) || question.operation == Operation::Any ||
      question.operation == Operation::All)
    return fmt::format("what the padding of {} holds is not covered", name);
  if (asked.of.operation.what->divides && !question.type.is_float()) return "no source says how integers are divided";
  for (const PaddedOperand& operand : asked.of.operands)
    if (operand.continued()->ragged != 0) return "positions of tiles that no index reaches are read, too";
  for (const neutral::Alternative& each : asked.alternatives)
    if (!(each.question.mode == values::Mode{}))
      return "only rounding to nearest even without flushing is covered, and integers that wrap";
  return "";
}

}  // namespace

Verdict reduced_padding(const PaddedAsked& asked, std::span<const Landings> landings, Inquiry& inquiry) {
  if (auto why = not_covered(asked); !why.empty()) return unsupported(std::move(why));
  const use::Operation& operation = asked.of.operation;
  const auto reduced = reduced_dims(operation);
  std::vector<Index> valid, whole = whole_extents(asked.of);
  for (const use::OperationDim& dim : operation.dims) valid.push_back(dim.extent);
  Index elements = 1;
  for (const std::size_t d : reduced) elements *= valid[d], whole[d] = valid[d];
  // Where two indices have one slot, codes that differ would not be a filling.
  const bool shared =
      std::ranges::any_of(landings, [](const Landings& one) { return !one.regions.empty() && !one.apart; });
  const Format& type = *asked.inputs.front().format;
  bool any = false;
  for (const use::Region region : use::regions_of(valid, whole)) {
    const auto covers = [&](const PaddingStates::Said& said) { return (said.dims & ~region) == 0; };
    if (std::ranges::none_of(asked.result.said, covers)) continue;
    any = true;
    const CodeSet claimed = asked.result.of(region, type);
    const ReducedRegion row(asked, landings, region);
    const auto leaves = row.leaves();
    if (!leaves) return inquiry.out_of_reach("more elements are reduced than 64 bits count");
    std::size_t refuted = 0;
    std::optional<Code> shown;
    bool open = false;
    for (const neutral::Alternative& each : asked.alternatives) {
      Question question = each.question;
      const bool padded = question.divide == neutral::Divide::Padded;
      if (question.operation == neutral::Operation::Mean) question.operation = neutral::Operation::Sum;
      const Index divisor = !operation.what->divides ? 0 : padded ? *leaves : elements;
      if (row.image(question, *leaves, divisor).is_subset_of(claimed)) continue;
      open = true;
      if (shared || *leaves > kMostLeaves) continue;
      const auto found = row.outside(question, divisor, claimed);
      if (found) ++refuted, shown = shown ? shown : found;
    }
    if (refuted == asked.alternatives.size())
      return inquiry.refuted({{{"region", static_cast<Index>(region)}, {"got", static_cast<Index>(*shown)}},
                              fmt::format("the padding of the result with {} beyond can be {}, of {} elements",
                                          region_name(operation, region), values::in_words(type, *shown), *leaves)});
    if (open)
      return inquiry.unknown({Reason::Incomplete, fmt::format("with {} beyond the result may be outside of what is "
                                                              "claimed, and no evaluation was found that is",
                                                              region_name(operation, region))});
  }
  if (!any) return inquiry.vacuous("no index of the iteration lies in such a region");
  Verdict out = inquiry.proved();
  std::get<Proved>(out).note = fmt::format("arithmetic {}", neutral::in_words(asked.alternatives.front()));
  return out;
}

}  // namespace vl::claims
