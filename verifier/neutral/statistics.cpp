#include "verifier/neutral/statistics.h"

#include <algorithm>

#include "encodings/values/division.h"

namespace vl::neutral {
namespace {

constexpr Code kEpsilonOfF64 = 0x3EE4F8B588E368F1;  // 10^-5

Code count_of(const Question& question, const Row& row) {
  const auto pads = static_cast<std::size_t>(std::ranges::count_if(row, &Item::pad));
  return values::count_code(question.accumulate, question.divide == Divide::Padded ? row.size() : row.size() - pads);
}

// The sum of a function of each element, from left to right.
template <class Function>
Code sum_over(const Question& question, const Row& row, Function function) {
  std::optional<Code> sum;
  if (question.start != Start::First) sum = start_of(question);
  for (const Item& item : row) {
    const Code term = function(item.code);
    sum = sum ? values::add(question.accumulate, *sum, term) : term;
  }
  return *sum;
}

}  // namespace

Code epsilon_of(const Format& format) { return values::convert(*values::find_format("f64"), format, kEpsilonOfF64); }

Outcomes norms(const Question& question, const Row& row, Results which) {
  const Format& wide = question.accumulate;
  const bool centred = question.operation == Operation::LayerNorm;
  const Code n = count_of(question, row);
  const Code squares = values::div(wide, sum_over(question, row, [&](Code x) { return values::mul(wide, x, x); }), n);
  const Code mean = centred ? values::div(wide, sum_over(question, row, [](Code x) { return x; }), n) : 0;
  const Code spread = centred ? values::sub(wide, squares, values::mul(wide, mean, mean)) : squares;
  const Code scale =
      values::div(wide, values::one(wide), values::root(wide, values::add(wide, spread, epsilon_of(wide))));
  Outcomes out;
  for (const Item& item : row)
    if (!item.pad || which == Results::Everywhere)
      out.emplace_back(values::mul(wide, centred ? values::sub(wide, item.code, mean) : item.code, scale));
  return out;
}

Code variance(const Question& question, const Row& row) {
  const Format& wide = question.accumulate;
  const Code n = count_of(question, row);
  const Code mean = values::div(wide, sum_over(question, row, [](Code x) { return x; }), n);
  const Code squares = sum_over(question, row, [&](Code x) {
    const Code distance = values::sub(wide, x, mean);
    return values::mul(wide, distance, distance);
  });
  return values::div(wide, squares, n);
}

Code welford(const Question& question, const Row& row) {
  const Format& wide = question.accumulate;
  Code mean = 0, squares = 0;
  std::uint64_t count = 0;
  for (const Item& item : row) {
    ++count;
    const Code distance = values::sub(wide, item.code, mean);
    mean = values::add(wide, mean, values::div(wide, distance, values::count_code(wide, count)));
    squares = values::add(wide, squares, values::mul(wide, distance, values::sub(wide, item.code, mean)));
  }
  return values::div(wide, squares, count_of(question, row));
}

}  // namespace vl::neutral
