#include "verifier/engines/cells/named_inverse.h"

#include <algorithm>

namespace vl::engines::cells {
namespace {

using NamedStage = kernel::BasicStage<Polynomial>;
using NamedTerms = std::vector<std::pair<std::size_t, Polynomial>>;

// What values have to be; anything where there is no line.
using Told = std::optional<NamedLine>;
using ToldValues = std::vector<Told>;

class NamedInverse {
 public:
  NamedInverse(const kernel::BasicLayout<Polynomial>& layout, NamedCell& cell, NamedNotes& notes, const Sizes& sizes)
      : layout_(layout), cell_(cell), notes_(notes), sizes_(sizes) {}

  NamedLines of(const NamedLines& outputs) {
    const std::vector<std::vector<bool>> varying = varying_values();
    ToldValues values;
    for (const NamedLine& line : outputs) values.emplace_back(line);
    values.resize(varying.back().size(), NamedLine{});  // guards
    for (std::size_t s = layout_.map.stages.size(); s-- > 0;) {
      const NamedStage& stage = layout_.map.stages[s];
      ToldValues before(varying[s].size());
      if (stage.kind == NamedStage::Kind::Swizzle) throw NamedDeadEnd{};
      if (stage.kind == NamedStage::Kind::Split) join(stage, values, before);
      else
        for (std::size_t j = 0; j < values.size(); ++j)
          if (values[j]) part(stage.rows[j], *values[j], varying[s], before);
      values = std::move(before);
    }
    NamedLines out;
    for (Told& value : values) out.push_back(value ? std::move(*value) : NamedLine{});
    return out;
  }

 private:
  // Of each stage's inputs, and of the outputs: whether they have more than one value.
  [[nodiscard]] std::vector<std::vector<bool>> varying_values() const {
    std::vector<std::vector<bool>> out(1);
    for (const Polynomial& extent : layout_.map.domain.extents) out[0].push_back(!sizes_.shows(Polynomial(1) - extent));
    for (const NamedStage& stage : layout_.map.stages) {
      std::vector<bool> next = out.back();
      if (stage.kind == NamedStage::Kind::Split)
        next.insert(next.begin() + static_cast<std::ptrdiff_t>(stage.input), stage.weights.size() - 1,
                    next[stage.input]);
      if (stage.kind == NamedStage::Kind::Affine) {
        const auto varies = [&](const auto& term) { return out.back()[term.first]; };
        next.clear();
        for (const auto& row : stage.rows) next.push_back(std::ranges::any_of(row.terms, varies));
      }
      out.push_back(std::move(next));
    }
    return out;
  }

  // A number of its digits.
  static void join(const NamedStage& stage, const ToldValues& values, ToldValues& before) {
    const std::size_t count = stage.weights.size();
    Told& number = before[stage.input];
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i < stage.input || i >= stage.input + count) {
        before[i < stage.input ? i : i + 1 - count] = values[i];
      } else if (values[i]) {
        if (!number) number.emplace();
        number->add(*values[i], stage.weights[i - stage.input]);
      }
    }
  }

  static void tell(Told& value, NamedLine line) {
    if (value && !(*value == line)) throw NamedDeadEnd{};
    value = std::move(line);
  }

  // The values of which a row is the sum.
  void part(const kernel::BasicRow<Polynomial>& row, const NamedLine& told, const std::vector<bool>& varying,
            ToldValues& before) {
    NamedTerms terms;
    for (const auto& [input, coefficient] : row.terms) {
      if (!varying[input]) continue;
      auto at = terms.end();
      while (at != terms.begin() && !sizes_.shows(std::prev(at)->second - coefficient)) --at;
      terms.insert(at, {input, coefficient});
    }
    if (terms.empty()) return;
    NamedLine line = told.plus(NamedLine{row.constant, {}}, -1);
    const Polynomial last = terms.back().second;
    if (terms.size() == 1 && last == Polynomial(1)) return tell(before[terms[0].first], std::move(line));
    const auto divides = [&](const Polynomial& p) { return p.over(last).has_value(); };
    if (!divides(line.constant) || !std::ranges::all_of(line.terms, divides)) line.constant = line.constant + last - 1;
    std::vector<Polynomial> weights;
    for (const auto& [input, coefficient] : terms) weights.push_back(coefficient);
    if (!(last == Polynomial(1))) weights.emplace_back(1);
    const std::size_t number = divisions_++;
    const NamedLines digits =
        kernel::carry(cell_, numbered(number, {split_by(std::move(weights))}), number, NamedLines{line}, notes_);
    for (std::size_t k = 0; k < terms.size(); ++k) tell(before[terms[k].first], digits[k]);
  }

  const kernel::BasicLayout<Polynomial>& layout_;
  NamedCell& cell_;
  NamedNotes& notes_;
  const Sizes& sizes_;
  std::size_t divisions_ = 0;
};

}  // namespace

std::vector<kernel::BasicStage<Polynomial>> numbered(std::size_t first,
                                                     const std::vector<kernel::BasicStage<Polynomial>>& stages) {
  std::vector<kernel::BasicStage<Polynomial>> out(first);
  out.insert(out.end(), stages.begin(), stages.end());
  return out;
}

kernel::BasicStage<Polynomial> split_by(std::vector<Polynomial> weights) {
  kernel::BasicStage<Polynomial> out;
  out.kind = kernel::BasicStage<Polynomial>::Kind::Split, out.weights = std::move(weights);
  return out;
}

NamedLines inverse(const kernel::BasicLayout<Polynomial>& layout, NamedCell& cell, const NamedLines& outputs,
                   NamedNotes& notes, const Sizes& sizes) {
  return NamedInverse(layout, cell, notes, sizes).of(outputs);
}

}  // namespace vl::engines::cells
