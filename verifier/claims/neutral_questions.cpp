// What a claim about padding asks, as its case and its texts say: the values of each input, and the question under each
// arithmetic that is allowed.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/values/block.h"
#include "encodings/values/state.h"
#include "verifier/claims/padded_run.h"

namespace vl::claims {
namespace {

using neutral::Operation;
using values::CodeSet;

std::string unsupported_kind(const use::Operation& operation) {
  if (operation.what->kind == use::OperationKind::Reduction && !reduction_of(operation))
    return "the reduction has no meaning here: name it, as in sum or max";
  return "";
}

// What an operation is about besides its arithmetic: its count, its k, and where its pads are.
std::string read_row(Offer& offer, const PaddedAsked& asked, neutral::Question& out) {
  const use::Operation& operation = asked.of.operation;
  const auto rows = reduced_dims(operation);
  const std::string_view* divide = offer.argument("divide");
  if (divide != nullptr && *divide == "P") out.divide = neutral::Divide::Padded;
  const bool holes = std::ranges::any_of(asked.of.operands, [](const PaddedOperand& operand) {
    return operand.continued() != nullptr && operand.continued()->ragged != 0;
  });
  const bool in_order = neutral::is_ordering(out.operation) || out.operation == Operation::CumSum ||
                        out.operation == Operation::CumSumReverse;
  if (in_order && rows.size() == 1 && !holes) out.pads = neutral::Pads::After;
  if (operation.what->kind != use::OperationKind::TopK) return "";
  Index k = 1, elements = 1;
  for (const std::size_t d : rows) elements *= operation.dims[d].extent;
  for (std::size_t d = 0; d < operation.dims.size(); ++d)
    if (!use::has_dim(operation.operands.front(), d)) k *= operation.dims[d].extent;
  if (k > elements) return fmt::format("topk takes {} of {} elements", k, elements);
  if (k < 1 || k > neutral::kMostK) return fmt::format("topk of {} elements: 1 to {} are covered", k, neutral::kMostK);
  out.k = static_cast<unsigned>(k);
  return "";
}

std::optional<neutral::Equality> equality_of(std::string_view text) {
  if (text.empty() || text == "any-nan") return neutral::Equality::AnyNan;
  if (text == "bits") return neutral::Equality::Bits;
  if (text == "any-nan+zero") return neutral::Equality::AnyNanAndZero;
  return std::nullopt;
}

// A block float, whose lanes share an exponent. A pad of exponent 0 leaves every lane as it is and is read as +0, which
// is the only code of a zero; any other pad may change elements, and be changed by them. What elements are read as is a
// number of bf16 with fewer bits; of contents other than finite ones any is taken, but -0.
bool read_block(PaddedAsked& asked, std::size_t i, const std::string& block) {
  PaddedValues& out = asked.inputs[i];
  const values::Format& format = *out.format;
  CodeSet padding = out.states.of_holes(format);
  for (const PaddingStates::Said& said : out.states.said) padding = padding.united(said.codes);
  const bool whole =
      std::ranges::any_of(out.states.said, [](const PaddingStates::Said& said) { return said.dims == 0; });
  for (const values::CodeRange& range : padding.ranges())
    for (const values::Code code : {range.first, range.last})
      if (!whole || values::exponent_of(format, code) != 0 ||
          range.last - range.first >= values::Code{1} << format.fraction_bits) {
        asked.unsupported = fmt::format(
            "{} holds {}: a pad that is not 0 shares its exponent with elements, and only padding of 0 is covered",
            name_of(asked.of.operation, i), block);
        return false;
      }
  out.shares = true;
  out.states = {};
  out.states.said.push_back({0, CodeSet::of(0)});
  const bool finite = out.contents.is_subset_of(values::finite_codes(format));
  out.contents = (finite ? values::finite_codes(format) : CodeSet::all(format))
                     .without(CodeSet::of(values::negative_zero(format)), format);
  return true;
}

// The text of a layout may say what fills its padding. Where the user says nothing, the padding holds that; what the
// user says is what of it the fill leaves. False: nothing is left, or the fill is no number of the format.
bool fill_states(Offer& offer, PaddedAsked& asked, std::size_t i) {
  const std::string& fill = asked.of.operation.operands[i].reading.fill;
  if (fill.empty()) return true;
  PaddedValues& out = asked.inputs[i];
  const auto codes = values::codes_of_fill(fill, *out.format);
  const std::string name = name_of(asked.of.operation, i);
  if (!codes) {
    asked.unsupported =
        fmt::format("the layout of {} fills its padding with {}, which {} does not have", name, fill, out.format->name);
    return false;
  }
  bool consistent = true;
  const auto restrict_to = [&](CodeSet& said) {
    said = said.intersected(*codes);
    consistent = consistent && !said.empty();
  };
  for (PaddingStates::Said& said : out.states.said) restrict_to(said.codes);
  if (out.states.holes) restrict_to(*out.states.holes);
  if (std::ranges::find(out.states.said, use::Region{0}, &PaddingStates::Said::dims) == out.states.said.end())
    out.states.said.push_back({0, *codes});
  if (consistent) return true;
  if (!offer.diagnostic)
    offer.diagnostic = asked.of.operands[i].diagnose(
        "padding", {ErrorCode::Value,
                    fmt::format("the layout of {} fills its padding with {} (its oob_val); the padding that is stated "
                                "holds no such value",
                                name, fill)});
  return false;
}

// The values of one input; false where a text is wrong, or a format not known, and why.
bool read_values(Offer& offer, PaddedAsked& asked, std::size_t i) {
  const PaddedOperand& operand = asked.of.operands[i];
  PaddedValues& out = asked.inputs.emplace_back();
  const auto* from = operand.continued();
  const std::string name = name_of(asked.of.operation, i);
  if (from == nullptr) return asked.unsupported = std::get<std::string>(operand.beyond), false;
  const bool shares = values::find_block_format(from->values) != nullptr;
  out.format = values::find_format(shares ? "bf16" : from->values);
  if (out.format == nullptr) {
    asked.unsupported = from->values.empty()
                            ? fmt::format("no source states the numbers that {} holds", name)
                            : fmt::format("{} holds {}, whose arithmetic is not covered", name, from->values);
    return false;
  }
  const auto contents = values::parse_state(operand.contents.empty() ? "any" : operand.contents, *out.format, nullptr);
  if (!contents) {
    if (!offer.diagnostic) offer.diagnostic = operand.diagnose("contents", contents.error());
    return false;
  }
  out.contents = *contents;
  auto states = read_padding(operand.padding, asked.of.operation.dims, *out.format, out.contents);
  if (!states) {
    if (!offer.diagnostic) offer.diagnostic = operand.diagnose("padding", states.error());
    return false;
  }
  out.states = std::move(*states);
  if (!fill_states(offer, asked, i)) return false;
  return !shares || read_block(asked, i, from->values);
}

// The questions about values, one per alternative. False: something is wrong, or not covered.
bool read_questions(Offer& offer, PaddedAsked& asked, std::optional<Operation> operation) {
  for (std::size_t i = 0; i < asked.of.operands.size(); ++i)
    if (!read_values(offer, asked, i)) return false;
  if (!operation) return true;
  const values::Format& type = *asked.inputs.front().format;
  CodeSet contents;
  for (const PaddedValues& input : asked.inputs) {
    if (!(*input.format == type)) return asked.unsupported = "the operands hold different number formats", false;
    contents = contents.united(input.contents);
  }
  values::Profile profile;
  if (offer.argument("arithmetic") != nullptr) {
    const auto* read = offer.take(offer.read_arithmetic("arithmetic"));
    if (read == nullptr) return false;
    profile = *read;
  }
  const auto* words = offer.argument("equal");
  const auto equal = equality_of(words != nullptr ? *words : std::string_view{});
  if (!equal) {
    offer.wrong("equal", {ErrorCode::Value, "expected bits, any-nan or any-nan+zero"});
    return false;
  }
  neutral::Question base;
  base.operation = *operation, base.type = type, base.accumulate = type, base.equal = *equal, base.contents = contents;
  if (std::string why = read_row(offer, asked, base); !why.empty()) return asked.unsupported = std::move(why), false;
  if (base.divide == neutral::Divide::Logical && base.operation == Operation::Mean) {
    neutral::Question mean = base;
    base.operation = Operation::Sum;
    if (neutral::misfit(mean).empty()) asked.quotients = neutral::alternatives(mean, profile);
  }
  if (std::string why = neutral::misfit(base); !why.empty()) return asked.unsupported = std::move(why), false;
  asked.alternatives = neutral::alternatives(base, profile);
  if (asked.alternatives.empty())
    return asked.unsupported = fmt::format("the arithmetic has no accumulator for {}", type.name), false;
  return true;
}

}  // namespace

std::optional<Operation> reduction_of(const use::Operation& operation) {
  const use::OperationName& what = *operation.what;
  switch (what.kind) {
    case use::OperationKind::Matmul: return Operation::Dot;
    case use::OperationKind::Exx2: return Operation::SumOfSquares;
    case use::OperationKind::Reduction: return neutral::find_operation(what.name);
    case use::OperationKind::Pointwise:
    case use::OperationKind::LayerNormNorm: return std::nullopt;
    case use::OperationKind::Row:
    case use::OperationKind::RowToOne: return neutral::find_operation(what.name);
    case use::OperationKind::TopK: {  // whose values are the same where the indices are
      const bool indices = std::ranges::any_of(operation.operands, [](const auto& o) { return o.role == "indices"; });
      return indices ? Operation::TopKIndices : Operation::TopK;
    }
  }
  VL_CHECK(false, "unknown kind of operation");
}

std::optional<PaddedAsked> read_padded_asked(Offer& offer) {
  const PaddedOperation* read = offer.take(offer.read_padded());
  if (read == nullptr) return std::nullopt;
  if (const auto* divide = offer.argument("divide"); divide != nullptr && *divide != "N" && *divide != "P")
    return offer.wrong("divide", {ErrorCode::Value, "expected N or P"});
  PaddedAsked asked;
  asked.of = *read;
  asked.unsupported = unsupported_kind(asked.of.operation);
  if (asked.unsupported.empty()) static_cast<void>(read_questions(offer, asked, reduction_of(asked.of.operation)));
  if (offer.diagnostic) return std::nullopt;
  return asked;
}

}  // namespace vl::claims
