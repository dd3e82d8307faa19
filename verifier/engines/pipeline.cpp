#include "verifier/engines/pipeline.h"

#include "encodings/map/run.h"

namespace vl::engines {
namespace {

using map::Affine;
using map::Row;
using map::Stage;
using map::Swizzle;

Affine identity(std::size_t values) {
  Affine out;
  for (std::size_t i = 0; i < values; ++i) out.rows.push_back(map::pick(i));
  return out;
}

// The smallest multiple of 2^bits that is at least `value`; nothing beyond 62 bits.
std::optional<Index> rounded_up(Index value, int bits) {
  const Index unit = Index{1} << bits;
  return checked_mul(ceil_div(value, unit), unit);
}

}  // namespace

void Pipeline::push(Stage stage) {
  values_ = map::values_after(stage, values_);
  stages_.push_back(std::move(stage));
}

void Pipeline::rewrite(std::vector<Row> rows, std::size_t inputs) {
  Affine affine{std::move(rows)};
  for (std::size_t i = inputs; i < values_; ++i) affine.rows.push_back(map::pick(i));
  push(std::move(affine));
}

void Pipeline::append(std::span<const Stage> stages, std::size_t inputs) {
  VL_CHECK(inputs <= values_, "stages over more values than there are");
  const std::size_t carried = values_ - inputs;
  for (const Stage& stage : stages) {
    if (const auto* affine = std::get_if<Affine>(&stage)) rewrite(affine->rows, values_ - carried);
    else push(stage);
  }
}

void Pipeline::add(std::size_t to, Index constant, Index coefficient, std::size_t by) {
  Affine affine = identity(values_);
  auto& terms = affine.rows[to].terms;
  affine.rows[to].constant = constant;
  if (coefficient != 0) terms.insert(by < to ? terms.begin() : terms.end(), {by, coefficient});
  push(std::move(affine));
}

Result<map::Map> Pipeline::map() const {
  Pipeline lifted(domain_);
  for (const Stage& stage : stages_) {
    const auto* swizzle = std::get_if<Swizzle>(&stage);
    if (swizzle == nullptr) {
      lifted.push(stage);
      continue;
    }
    const auto before = map::Map::create(domain_, lifted.stages_);
    if (!before) return before.error();
    if (swizzle->input >= before->outputs()) return Error{ErrorCode::Shape, "a swizzle of a value that does not exist"};
    const Index low = before->ranges(lifted.stages_.size())[swizzle->input].low;
    const int bits = swizzle->base + swizzle->bits + swizzle->shift;
    const auto negated = checked_mul(low, -1);
    const auto raise = low >= 0 ? Index{0} : negated && bits <= 61 ? rounded_up(*negated, bits) : std::nullopt;
    if (!raise) return Error{ErrorCode::Overflow, "a swizzle of a value that leaves 64 bits"};
    if (*raise > 0) lifted.add(swizzle->input, *raise, 0, 0);
    lifted.push(stage);
    if (*raise > 0) lifted.add(swizzle->input, -*raise, 0, 0);
  }
  return map::Map::create(domain_, lifted.stages_);
}

}  // namespace vl::engines
