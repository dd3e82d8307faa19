// neutral: the valid elements of an operation's result are what the operation gives without any padding. With P the
// padded iteration (padded_run.h) and F(region) the codes that the user states of each region of an operand's padding,
//   ∀ contents, ∀ fillings of the pads from F, ∀ orders of evaluation, ∀ valid result elements r:
//     eval(padded)(r) ≈ eval(valid)(r),
// where the valid evaluation is the padded one with its pads cut out (verifier/neutral/question.h).
//
//   outside   an index of P has no slot: refuted before any arithmetic
//   alias     an index has the slot of an element: its state is the contents
//   pad       its state is F of its region
//   holes     positions of tiles that no index reaches are read with their tiles: what is stated of holes
//
// A result that reduces nothing reads valid elements only. Of rows (softmax, sort, argmax, cumsum, …; verifier/neutral/
// rows.h) the row is all indices of the dimensions that `reduce` names, in the order of their indices: along one
// dimension all pads are behind the elements. A place is counted in the tensor, so it is changed if another element is
// taken. `divide = "P"`: means, variances and norms divide by all indices that they read. The arithmetic is a profile;
// the claim is proved if it holds for each of its alternatives, refuted if for none. Requires elements of formats in
// encodings/values. Operands in a block format (bfp8 and the like) are read as bf16 and covered if all of their padding
// is 0, whose exponent changes no lane; they are proved or unknown. Unsupported: results that
// are stored in a block format, whose exponents padding can change.
//
// Worked example: matmul x f16[55,67] y f16[67,99] on Spyre, y with room for 128 rows, arithmetic "accumulate=f32
// start=+0": x's lanes 67 to 127 finite and y's rows 67 to 127 zero is proved, since +0 plus finite times zero is +0;
// x's lanes any is refuted: NaN times 0.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "encodings/values/block.h"
#include "encodings/values/state.h"
#include "verifier/claims/padded_run.h"
#include "verifier/neutral/row_laws.h"

namespace vl::claims {
namespace {

using values::CodeSet;

std::string equality_in_words(neutral::Equality equal) {
  return equal == neutral::Equality::Bits     ? "bit for bit"
         : equal == neutral::Equality::AnyNan ? "bit for bit but for the kind of NaN"
                                              : "but for the kind of NaN and the sign of zero";
}

// What a proof takes for granted.
std::string note_of(const PaddedAsked& asked, std::span<const CodeSet> fills, const std::string& reason) {
  if (asked.alternatives.empty()) return "valid results read valid elements only";
  std::string out;
  for (std::size_t i = 0; i < fills.size(); ++i) {
    const values::Format& format = *asked.inputs[i].format;
    const std::string name = name_of(asked.of.operation, i);
    if (fills[i].empty()) out += fmt::format("{}no padding of {} is read", out.empty() ? "" : "; ", name);
    else
      out += fmt::format(
          "{}the padding of {} that is read holds {} codes of {}{}", out.empty() ? "" : "; ", name, fills[i].count(),
          format.name,
          fills[i].count() == 1 ? fmt::format(", {}", values::in_words(format, fills[i].ranges().front().first)) : "");
    const std::string& contents = asked.of.operands[i].contents;
    out += fmt::format(", its contents {}", contents.empty() ? "any" : contents);
  }
  for (std::size_t k = 0; k < asked.alternatives.size() && k < 3; ++k)
    out += fmt::format("{}{}", k == 0 ? "; arithmetic " : " | ", neutral::in_words(asked.alternatives[k]));
  if (asked.alternatives.size() > 3) out += fmt::format(" | … ({} of them)", asked.alternatives.size());
  if (asked.of.operation.what->divides)
    out += fmt::format("; the sum is divided by the {} logical elements", [&] {
      Index count = 1;
      for (const std::size_t d : reduced_dims(asked.of.operation)) count *= asked.of.operation.dims[d].extent;
      return count;
    }());
  const auto facts = neutral::assumptions(asked.alternatives.front().question);
  if (!facts.empty()) out += fmt::format("; assumes: {}", fmt::join(facts, "; "));
  out += fmt::format("; equal {}", equality_in_words(asked.alternatives.front().question.equal));
  return reason.empty() ? out : fmt::format("{}; {}", out, reason);
}

Verdict about_values(const PaddedAsked& asked, std::span<const Landings> landings, Inquiry& inquiry) {
  const std::vector<CodeSet> fills = fills_of(asked, landings);
  const bool none = std::ranges::all_of(fills, &CodeSet::empty);
  if (!none && std::ranges::any_of(fills, &CodeSet::empty))
    return inquiry.out_of_reach("tiles of one operand have positions that no index reaches, and the other's have not");
  neutral::Answers answers{neutral::Proved{}, 0, {}, {}};
  const std::vector<neutral::Alternative>* all = &asked.alternatives;
  const auto decide = [&] { return neutral::decide(*all, fills[0], fills.size() > 1 ? &fills[1] : nullptr); };
  if (!none) answers = decide();
  // Equal sums have equal quotients; others may have them too.
  const bool of_sums = !none && asked.of.operation.what->divides &&
                       asked.alternatives.front().question.operation == neutral::Operation::Sum;
  if (of_sums && !std::holds_alternative<neutral::Proved>(answers.verdict)) {
    if (asked.quotients.empty() && std::holds_alternative<neutral::Refuted>(answers.verdict))
      return inquiry.unknown({Reason::Incomplete, "the padding changes a sum, and its quotient may be the same"});
    if (!asked.quotients.empty()) all = &asked.quotients, answers = decide();
  }
  if (const auto* open = std::get_if<neutral::Unknown>(&answers.verdict)) {
    const std::string decides = answers.decides.empty() ? "" : fmt::format("; {} makes a difference", answers.decides);
    return inquiry.unknown({Reason::Incomplete, open->reason + decides});
  }
  if (const auto* proof = std::get_if<neutral::Proved>(&answers.verdict)) {
    Verdict out = inquiry.proved();
    std::get<Proved>(out).note = note_of(asked, fills, proof->reason);
    return out;
  }
  if (std::ranges::any_of(asked.inputs, &PaddedValues::shares))
    return inquiry.unknown(
        {Reason::Incomplete, "elements of block floats share exponents, and no run of them is shown"});
  // Each alternative has an evaluation of its own with as many elements and pads as there are here.
  std::optional<Counterexample> shown;
  for (std::size_t k = 0; k < answers.each.size(); ++k) {
    auto found = replayed(asked, landings, (*all)[k].question, std::get<neutral::Refuted>(answers.each[k]));
    if (!found)
      return inquiry.unknown(
          {Reason::Incomplete, fmt::format("some numbers of elements and pads show that it is not "
                                           "neutral under {}, and for these numbers nothing was found",
                                           neutral::in_words((*all)[k]))});
    if (k == answers.at) shown = std::move(found);
  }
  VL_CHECK(shown.has_value(), "a refutation of no alternative");
  return inquiry.refuted(std::move(*shown));
}

// A dimension of size 1 of which it is not known whether it lies along lanes runs over a whole stick here.
bool widen_doubtful(PaddedAsked& asked) {
  bool any = false;
  const auto reduced = reduced_dims(asked.of.operation);
  for (std::size_t i = 0; i < asked.of.operands.size(); ++i) {
    auto* from = std::get_if<use::Continued>(&asked.of.operands[i].beyond);
    const use::Operand& operand = asked.of.operation.operands[i];
    for (const std::size_t d : reduced)
      if (from != nullptr && from->doubtful && operand.scales[d] == static_cast<Index>(*from->doubtful)) {
        from->whole[*from->doubtful] = from->layout.physical().dims().back().extent;
        any = true;
      }
  }
  return any;
}

const use::Constraint* broken_shape(const std::vector<use::Constraint>& shapes) {
  const auto found = std::ranges::find_if(shapes, [](const use::Constraint& c) { return c.rule.have != c.rule.want; });
  return found == shapes.end() ? nullptr : &*found;
}

std::variant<std::vector<Landings>, Verdict> land_all(const PaddedAsked& asked, Inquiry& inquiry) {
  std::vector<Landings> landings;
  const std::vector<Index> extents = iterated(asked.of);
  for (std::size_t i = 0; i < asked.of.operands.size(); ++i) {
    auto landed = landings_of(asked.of, i, extents, inquiry);
    if (auto* verdict = std::get_if<Verdict>(&landed)) return std::move(*verdict);
    landings.push_back(std::get<Landings>(std::move(landed)));
  }
  return landings;
}

Verdict decide_padded(const PaddedAsked& asked, Inquiry& inquiry) {
  const auto landings = land_all(asked, inquiry);
  if (const auto* verdict = std::get_if<Verdict>(&landings)) return *verdict;
  return about_values(asked, std::get<std::vector<Landings>>(landings), inquiry);
}

Verdict neutral_run(const PaddedRun& about, Inquiry& inquiry) {
  const use::Operation& operation = about.asked.of.operation;
  const auto shapes = use::shape_constraints(operation);
  if (const use::Constraint* constraint = broken_shape(shapes))
    return inquiry.refuted({{{"operand", static_cast<Index>(constraint->operand)},
                             {"have", constraint->rule.have},
                             {"want", constraint->rule.want}},
                            constraint->words});
  if (std::ranges::any_of(operation.dims, [](const use::OperationDim& dim) { return dim.extent == 0; }))
    return inquiry.vacuous("the operation iterates over nothing");
  if (!about.asked.unsupported.empty()) return unsupported(about.asked.unsupported);
  for (std::size_t i = about.asked.of.operands.size(); i < operation.operands.size(); ++i)
    if (values::find_block_format(operation.operands[i].reading.values) != nullptr)
      return unsupported("the result is stored in block floats, whose elements its padding can change");
  for (const PaddedOperand& operand : about.asked.of.operands)
    if (operand.continued() == nullptr) return unsupported(std::get<std::string>(operand.beyond));
  PaddedAsked widened = about.asked;
  if (!widen_doubtful(widened)) return decide_padded(about.asked, inquiry);
  Verdict verdict = decide_padded(widened, inquiry);
  if (!std::holds_alternative<Refuted>(verdict)) return verdict;
  return inquiry.unknown({Reason::Incomplete,
                          "a dimension of size 1 may lie along the lanes of a stick, whose padding "
                          "is then read; the layout's text does not tell"});
}

}  // namespace

std::optional<std::vector<Landings>> all_landings(const PaddedAsked& asked, const engines::Options& options) {
  PaddedAsked widened = asked;
  static_cast<void>(widen_doubtful(widened));
  Inquiry inquiry(options);
  auto landings = land_all(widened, inquiry);
  auto* found = std::get_if<std::vector<Landings>>(&landings);
  return found != nullptr ? std::optional(std::move(*found)) : std::nullopt;
}

std::vector<CodeSet> fills_of(const PaddedAsked& asked, std::span<const Landings> landings) {
  std::vector<CodeSet> out(asked.inputs.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const PaddedValues& values = asked.inputs[i];
    const use::Operand& operand = asked.of.operation.operands[i];
    for (const Landing& landing : landings[i].regions) {
      out[i] = out[i].united(values.states.of(in_operation(operand, landing.region), *values.format));
      if (landing.aliases) out[i] = out[i].united(values.contents);
    }
    for (const std::size_t d : reduced_dims(asked.of.operation))
      if (operand.scales[d] >= 0 && (asked.of.operands[i].continued()->ragged >> operand.scales[d] & 1) != 0)
        out[i] = out[i].united(values.states.of_holes(*values.format));
  }
  return out;
}

std::optional<PaddedRun> PaddedRun::bind(Offer& offer) {
  auto asked = read_padded_asked(offer);
  return asked ? std::optional(PaddedRun{*offer.keep(std::move(*asked))}) : std::nullopt;
}

extern const Claim kNeutral = {
    .name = "neutral",
    .statement = "the valid results of an operation are what it gives without any padding",
    .witness = "operand, element, physical, got, want; or operand, element, physical; or operand, have, want",
    .keys = {"operation operands results scales dims reduce rule arithmetic equal divide"},
    .decide = neutral_run,
    .proof = {Part::OperandsInBox},
    .needs_tensor = true};

}  // namespace vl::claims
