// Runs on sets: reductions and rows of which some term is one of several codes.
#include <functional>

#include "encodings/values/division.h"
#include "verifier/neutral/exponential.h"
#include "verifier/neutral/program/execute.h"
#include "verifier/neutral/program/question.h"
#include "verifier/neutral/statistics.h"

namespace vl::neutral::program {
namespace {

Function function_that_joins(Operation operation) {
  switch (operation) {
    case Operation::Prod: return Function::Mul;
    case Operation::Max: return Function::Max;
    case Operation::Min: return Function::Min;
    default: return Function::Add;
  }
}

using Operands = std::vector<Reach>;

// The evaluations of rows.h on the parts of a row, with images of functions and of each operation on codes. exp and log
// are those of functions.h where the facts of rows do not give one code.
class RowOnSets {
 public:
  using ImageOf = std::function<Reach(Function, const Operands&)>;

  RowOnSets(const Question& question, Operands parts, std::vector<Index> counts, std::uint64_t n, ImageOf image)
      : question_(question),
        wide_(question.accumulate),
        x_(std::move(parts)),
        counts_(std::move(counts)),
        n_{values::count_code(wide_, n)},
        image_(std::move(image)) {}

  // One for each part; of logsumexp and variance one.
  [[nodiscard]] Operands results() const {
    switch (question_.operation) {
      case Operation::Softmax:
      case Operation::LogSumExp: return exponentials();
      case Operation::RmsNorm:
      case Operation::LayerNorm: return norms();
      case Operation::Variance: return {variance()};
      default: return {};
    }
  }

 private:
  [[nodiscard]] Reach image(Function function, const Operands& operands) const { return image_(function, operands); }

  // Terms of a part are equal, so when one of them changes the sum no more, none of the others does.
  [[nodiscard]] Reach sum_of(const Operands& terms) const {
    std::optional<Reach> sum;
    if (question_.start != Start::First) sum = Reach{start_of(question_)};
    for (std::size_t i = 0; i < terms.size(); ++i)
      for (Index left = counts_[i]; left > 0; --left) {
        const std::optional<Reach> before = sum;
        sum = sum ? image(Function::Add, {*sum, terms[i]}) : terms[i];
        if (!sum->is_known()) return {};
        if (before == sum) break;
      }
    return *sum;
  }

  [[nodiscard]] Reach mean_of(const Operands& terms) const { return image(Function::Div, {sum_of(terms), n_}); }

  [[nodiscard]] Operands each(Function function, const Reach* other = nullptr) const {
    Operands out;
    for (const Reach& x : x_) out.push_back(image(function, other != nullptr ? Operands{x, *other} : Operands{x}));
    return out;
  }

  // A row of one part has equal elements, and the maximum is one of them.
  [[nodiscard]] Reach distance(const Reach& x, const Reach& maximum) const {
    const bool finite = x.is_known() && x.codes(wide_).is_subset_of(values::finite_codes(wide_));
    return x_.size() == 1 && finite ? Reach{Code{0}} : image(Function::Sub, {x, maximum});
  }

  [[nodiscard]] Reach exponential(const Reach& x) const {
    const auto known = x.code ? exp_by_facts(wide_, *x.code) : std::nullopt;
    return known ? Reach{known} : image(Function::Exp, {x});
  }

  [[nodiscard]] Operands exponentials() const {
    Reach maximum = x_.front();
    for (const Reach& x : x_) maximum = image(Function::Max, {maximum, x});
    Operands powers;
    for (const Reach& x : x_) powers.push_back(exponential(distance(x, maximum)));
    const Reach sum = sum_of(powers);
    if (question_.operation == Operation::Softmax) {
      for (Reach& power : powers) power = image(Function::Div, {power, sum});
      return powers;
    }
    const auto known = sum.code ? log_by_facts(wide_, *sum.code) : std::nullopt;
    return {image(Function::Add, {maximum, known ? Reach{known} : image(Function::Log, {sum})})};
  }

  [[nodiscard]] Operands norms() const {
    const bool centred = question_.operation == Operation::LayerNorm;
    const Reach squares = mean_of(each(Function::Square)), mean = centred ? mean_of(x_) : Reach{Code{0}};
    const Reach spread = centred ? image(Function::Sub, {squares, image(Function::Square, {mean})}) : squares;
    const Reach root = image(Function::Sqrt, {image(Function::Add, {spread, {epsilon_of(wide_)}})});
    const Reach scale = image(Function::Div, {{values::one(wide_)}, root});
    Operands out = centred ? each(Function::Sub, &mean) : x_;
    for (Reach& x : out) x = image(Function::Mul, {x, scale});
    return out;
  }

  [[nodiscard]] Reach variance() const {
    const Reach mean = mean_of(x_);
    Operands squares = each(Function::Sub, &mean);
    for (Reach& x : squares) x = image(Function::Square, {x});
    return mean_of(squares);
  }

  const Question& question_;
  const Format& wide_;
  Operands x_;
  std::vector<Index> counts_;
  Reach n_;
  ImageOf image_;
};

}  // namespace

// Products that are added without rounding have no image, and neither has whether something is zero.
Reach Execution::next_on_sets(const Fold& fold, const Operands& term) {
  const Node& node = fold.node;
  const Operation operation = node.operation;
  if (!on_sets_ || node.fused || operation == Operation::Any || operation == Operation::All) return {};
  const Format& wide = *node.accumulate;
  Operands widened;
  for (const Reach& x : term) widened.push_back(converted(fold.question.type, wide, x));
  Reach leaf = widened[0];
  if (operation == Operation::Dot) leaf = image_of(Function::Mul, wide, node.rule, widened);
  if (is_square(operation)) leaf = image_of(Function::Square, wide, node.rule, widened);
  return fold.sum ? image_of(function_that_joins(operation), wide, node.rule, {*fold.sum, leaf}) : leaf;
}

std::vector<Reach> Execution::row_on_sets(const Node& node, const std::vector<Part>& parts) {
  const Question question = question_of(program_, node, {});
  if (!question.accumulate.is_float()) return {};  // places and orders of integers
  Operands elements;
  std::vector<Index> counts;
  std::uint64_t n = 0;
  for (const Part& part : parts) {
    elements.push_back(converted(question.type, question.accumulate, part.x));
    counts.push_back(part.count);
    if (!part.pad || node.divide == Divide::Padded) n += static_cast<std::uint64_t>(part.count);
  }
  const RowOnSets row(question, elements, counts, n, [&](Function function, const Operands& operands) {
    return image_of(function, *node.accumulate, values::MaxRule::NanWins, operands);
  });
  Operands results = row.results();
  if (results.size() != parts.size()) return results;
  std::vector<Reach> out;
  for (std::size_t i = 0; i < results.size(); ++i)
    out.insert(out.end(), static_cast<std::size_t>(counts[i]), results[i]);
  return out;
}

}  // namespace vl::neutral::program
