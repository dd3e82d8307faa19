#include "verifier/values_kernel/chain_rows.h"

#include <array>

#include "verifier/values_kernel/fold.h"

namespace vl::values_kernel {
namespace {

bool asks_one_of(const StepText& step, std::initializer_list<const char*> words) {
  return std::ranges::find(words, *step.operation) != words.end();
}

CodeRanges softmax(const Format& wide, const CodeRanges& elements, const CodeRanges& all, const CodeRanges& here) {
  if (!wide.infinities) return all_of(wide);
  const Code infinity = wide.first_nan - 1;
  const Codes every(wide, all), some(wide, elements), at(wide, here);
  const bool nan = every.has_nan() || every.has(infinity) || some.has(wide.sign() | infinity);
  const auto least = some.extremes(), greatest = at.extremes();
  if (!nan && !least.empty() && !greatest.empty() && !at.has_nan()) {
    const auto code_at = [&](std::int64_t place) {
      return place < 0 ? wide.sign() | static_cast<Code>(-1 - place) : static_cast<Code>(place);
    };
    const Code low = code_at(least.front()), high = code_at(greatest.back());
    const Code minus = added(wide, high, wide.one_zero && low == 0 ? low : low ^ wide.sign());
    if (exp_is_zero(wide, minus)) return {{0, 0}};
  }
  return ranges_of(wide, {0, wide.place(wide.one()), nan, false});
}

}  // namespace

ReductionText row_text_of(const StepText& step, const std::string& type, const std::string& equal) {
  require(step.operation && step.accumulate && step.start && step.order && step.max && step.row &&
              !step.fused.value_or(false),
          "a row without its rules");
  ReductionText out;
  out.operation = *step.operation, out.type = type, out.accumulate = *step.accumulate;
  out.start = *step.start, out.order = *step.order, out.max = *step.max, out.equal = equal;
  out.row = step.row;
  return out;
}

bool is_per_slot(const StepText& step) {
  return asks_one_of(step, {"softmax", "layernorm", "rmsnorm", "sort", "sort-descending", "cumsum", "cumsum-reverse"});
}
bool gives_places(const StepText& step) { return asks_one_of(step, {"argmax", "argmin", "topk-indices"}); }

CodeRanges image_of_row(const StepText& step, const Format& type, const RowParts& parts) {
  const Format &from = format_of(type.name), &wide = format_of(*step.accumulate), &to = format_of(step.type);
  if (gives_places(step)) {
    require(step.type == "i32" && parts.size > 0 && parts.size < std::int64_t{1} << 31, "places of another type");
    return {{0, static_cast<Code>(parts.size - 1)}};
  }
  require(&from == &to, "a row of another type");
  if (asks_one_of(step, {"topk", "sort", "sort-descending"})) return parts.all;
  const auto widened_set = [&](const CodeRanges& set) { return image_of_conversion(from, wide, set); };
  CodeRanges out = all_of(wide);
  if (asks_one_of(step, {"softmax"}))
    out = softmax(wide, widened_set(parts.elements), widened_set(parts.all), widened_set(parts.here));
  else if (asks_one_of(step, {"cumsum", "cumsum-reverse"}))
    out = fold_of(wide, step, widened_set(parts.all), Wide(parts.size));
  else
    require(asks_one_of(step, {"layernorm", "rmsnorm", "variance", "welford", "logsumexp"}), "a row that is not known");
  return image_of_conversion(wide, to, out);
}

CodeRanges divisors_of_mean(const Format& wide, const StepText& step, Wide valid, Wide all) {
  require(wide.is_float && step.row.has_value(), "a mean without its count");
  // Each run divides by the count that it has itself, and the one without padding has the valid elements alone.
  const auto divisor = [&](Wide count) {
    const Code code = ratio(wide, static_cast<std::uint64_t>(count.narrow()), 1);
    return CodeRanges{{code, code}};
  };
  return step.row->divide == "P" ? united(divisor(valid), divisor(all)) : divisor(valid);
}

bool is_order(const StepText& step) {
  return asks_one_of(step, {"argmax", "argmin", "topk", "topk-indices", "sort", "sort-descending"});
}

}  // namespace vl::values_kernel
