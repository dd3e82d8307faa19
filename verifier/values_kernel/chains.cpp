#include "verifier/values_kernel/chains.h"

#include <algorithm>
#include <utility>

#include "verifier/values_kernel/chain_link.h"
#include "verifier/values_kernel/chain_mode.h"
#include "verifier/values_kernel/chain_moves.h"
#include "verifier/values_kernel/chain_rows.h"
#include "verifier/values_kernel/fold.h"
#include "verifier/values_kernel/reductions.h"
#include "verifier/values_kernel/uses.h"

namespace vl::values_kernel {
namespace {

constexpr std::size_t kMostSteps = 2000, kMostDimensions = 8;

class Chain {
 public:
  Chain(const ChainText& said, const ChainProof& proof)
      : said_(said), proof_(proof), mode_(said), equal_(equal_of(said.equal)) {
    require(!said.steps.empty() && said.steps.size() <= kMostSteps && proof.sets.size() == said.steps.size() &&
                proof.differ.size() == said.steps.size(),
            "steps without a proof, or the other way round");
  }

  void check() {
    for (std::size_t at = 0; at < said_.steps.size(); ++at) {
      Link step = read(at);
      for (Region region = 0; region < step.sets.size(); ++region) {
        if (!step.exists(region)) continue;
        CodeRanges made = normal(computed(step, region));
        if (region == 0 && reads_padding(step)) made = closed(*step.type, std::move(made));
        require(covers(step.sets[region], made), "a set that is too small");
      }
      check_equality(step);
      steps_.push_back(std::move(step));
    }
  }

  void check_shapes() {
    for (std::size_t at = 0; at < said_.steps.size(); ++at) {
      Link step = read(at);
      for (Region region = 0; region < step.sets.size(); ++region)
        if (step.exists(region)) static_cast<void>(computed(step, region));
      steps_.push_back(std::move(step));
    }
  }

 private:
  [[nodiscard]] const Link& operand(const Link& of, std::size_t i) const {
    return steps_[static_cast<std::size_t>(of.said->operands[i])];
  }

  [[nodiscard]] Link read(std::size_t at) const {
    Link out;
    out.said = &said_.steps[at];
    out.type = &format_of(out.said->type);
    out.differs = equal_of(proof_.differ[at]);
    require(out.differs <= equal_, "an equality that is too coarse");
    const std::size_t rank = out.said->sizes.size();
    require(rank <= kMostDimensions && out.said->granules.size() == rank, "a shape that is none");
    Wide volume = 1;
    for (std::size_t d = 0; d < rank; ++d) {
      require(out.said->sizes[d] > 0 && out.said->granules[d] > 0, "a dimension without a size");
      out.padded.push_back(out.said->sizes[d] % out.said->granules[d] != 0);
      volume = volume * out.whole(d);
      static_cast<void>(volume.narrow());
    }
    require(proof_.sets[at].size() == bit(rank), "regions without a set");
    for (const auto& ranges : proof_.sets[at]) out.sets.push_back(Codes(*out.type, ranges).ranges());
    for (const std::int64_t other : out.said->operands)
      require(other >= 0 && std::cmp_less(other, at), "an operand that is not there yet");
    return out;
  }

  [[nodiscard]] std::vector<const Link*> operands(const Link& of) const {
    std::vector<const Link*> out;
    for (std::size_t i = 0; i < of.said->operands.size(); ++i) out.push_back(&operand(of, i));
    return out;
  }

  void takes(const Link& step, std::size_t operands) const {
    require(step.said->operands.size() == operands, "operands of another step");
  }
  // The codes that a step makes in a region, by its kind.
  [[nodiscard]] CodeRanges computed(const Link& step, Region region) const {
    const std::string& kind = step.said->kind;
    if (kind == "input") {
      takes(step, 0);
      require(step.said->holds && step.said->holds->size() == step.sets.size(), "an input that holds nothing");
      const Codes held(*step.type, (*step.said->holds)[region]);
      require(!held.empty(), "a region that holds nothing");
      return held.ranges();
    }
    if (kind == "pointwise") return pointwise(step, region);
    if (kind == "unknown") {
      const std::string reads = step.said->function.value_or("");
      require(!step.said->function || reads == "pointwise" || reads == "elements" || reads == "numbers",
              "an unknown function of another kind");
      for (const Link* of : operands(step))
        if (reads == "pointwise") same_shape(step, *of);
      return all_of(*step.type);
    }
    if (kind == "matmul") return matmul(step, region);
    if (is_move(*step.said)) return moved(step, operands(step), region);
    takes(step, 1);
    const Link& of = operand(step, 0);
    if (kind == "cast") return same_shape(step, of), image_of_cast(*of.type, *step.type, of.sets[region], mode_);
    if (kind == "row") return row(step, of, region);
    require(of.type == step.type, "a step of another type");
    require(kind == "reduce", "a step that is not known");
    return reduce(step, of, region);
  }

  [[nodiscard]] CodeRanges pointwise(const Link& step, Region region) const {
    require(step.said->function && step.said->max, "a function without a name");
    require(step.said->operands.size() <= 3, "operands of another function");
    std::vector<CodeRanges> sets;
    for (std::size_t i = 0; i < step.said->operands.size(); ++i) {
      same_shape(step, operand(step, i));
      require(operand(step, i).type == step.type, "operands of another type");
      sets.push_back(operand(step, i).sets[region]);
    }
    if (is_twice(*step.said)) sets.pop_back();
    return mode_.image(*step.said->function, *step.type, *step.said->max, sets);
  }

  // Where a reduction keeps its dimensions (of size 1), their padding is not computed.
  [[nodiscard]] CodeRanges reduce(const Link& step, const Link& of, Region region) const {
    require(step.said->operation && step.said->accumulate && step.said->start, "a reduction without a name");
    const auto axes = axes_of(step, of.rank());
    const bool keeps = step.rank() == of.rank();
    require(keeps || step.rank() + axes.size() == of.rank(), "a reduction of another rank");
    Region reduced = 0, from = 0;
    Wide count = 1;
    for (const std::size_t axis : axes) reduced |= bit(axis), count = count * of.whole(axis);
    for (std::size_t d = 0, next = 0; d < of.rank(); ++d) {
      if (has(reduced, d)) {
        require(!keeps || step.said->sizes[next] == 1, "a reduced dimension of another size");
        if (keeps && has(region, next++)) return all_of(*step.type);
        continue;
      }
      require(step.same_dimension(next, of, d), "a reduction of other sizes");
      if (has(region, next++)) from |= bit(d);
    }
    CodeRanges elements = of.sets[from];
    for (Region more = 1; region != 0 && more < of.sets.size(); ++more)
      if ((more & ~reduced) == 0 && of.exists(more)) elements = united(std::move(elements), of.sets[from | more]);
    const Format& wide = format_of(*step.said->accumulate);
    const std::string& operation = *step.said->operation;
    const bool mean = operation == "mean";
    require(*step.said->start == "first" || operation == "sum" || operation == "sumsq" || mean,
            "a start of what adds nothing");
    if (operation == "any" || operation == "all") {
      CodeRanges truths = mode_.image("nez", *of.type, "nan-wins", {elements});
      const bool one = truths.size() == 1 && truths[0].first == truths[0].second;
      return one ? truths : CodeRanges{{0, 0}, {step.type->one(), step.type->one()}};
    }
    CodeRanges leaves = image_of_conversion(*of.type, wide, elements);
    if (operation == "sumsq") leaves = mode_.image("square", wide, "nan-wins", {leaves});
    require(operation == "sumsq" || operation == "sum" || operation == "prod" || operation == "max" ||
                operation == "min" || mean,
            "a reduction that is not known");
    CodeRanges out = mode_.flushed(wide, fold_of(wide, *step.said, leaves, count));
    if (mean) {
      Wide valid = 1;
      for (const std::size_t axis : axes) valid = valid * of.said->sizes[axis];
      out = mode_.image("div", wide, "nan-wins", {out, divisors_of_mean(wide, *step.said, valid, count)});
    }
    return mode_.conversion(wide, *step.type, out);
  }

  // A row is along one axis: results are one for each slot, one in all, or of topk k.
  [[nodiscard]] CodeRanges row(const Link& step, const Link& of, Region region) const {
    const auto axes = axes_of(step, of.rank());
    require(axes.size() == 1 && step.said->operation && step.said->accumulate && step.said->start && step.said->row,
            "a row without its rules");
    const std::size_t axis = axes[0];
    const bool per_slot = is_per_slot(*step.said), dropped = step.rank() != of.rank();
    const bool takes = step.said->operation == "topk" || step.said->operation == "topk-indices";
    require(!dropped || (step.rank() + 1 == of.rank() && !per_slot && !takes), "a row of another rank");
    const std::int64_t k = takes ? step.said->row->k : 1;
    require(per_slot || (k >= 1 && k <= of.said->sizes[axis]), "more than there are");
    Region from = 0;
    for (std::size_t d = 0, next = 0; d < of.rank(); ++d) {
      if (d == axis && dropped) continue;
      if (d != axis || per_slot) require(step.same_dimension(next, of, d), "a row of other sizes");
      else require(step.said->sizes[next] == k, "a row of another size");
      if (d != axis && has(region, next)) from |= bit(d);
      ++next;
    }
    const bool beyond = !dropped && has(region, axis);
    if (beyond && !per_slot) return all_of(*step.type);
    RowParts parts{of.sets[from], of.sets[from], of.sets[beyond ? from | bit(axis) : from], of.said->sizes[axis]};
    if (region != 0 && of.padded[axis]) {
      parts.all = united(std::move(parts.all), of.sets[from | bit(axis)]);
      parts.size = of.whole(axis).narrow();
    }
    const bool exponential = step.said->operation == "softmax" || step.said->operation == "logsumexp";
    if (!mode_.is_plain() || !mode_.converts_plainly() || (exponential && mode_.has_facts())) return all_of(*step.type);
    return image_of_row(*step.said, *of.type, parts);
  }

  [[nodiscard]] static bool reads_padding(const Link& step) {
    return step.said->kind == "reduce" || step.said->kind == "row" || step.said->kind == "matmul";
  }

  [[nodiscard]] CodeRanges matmul(const Link& step, Region region) const {
    takes(step, 2);
    const Link &a = operand(step, 0), &b = operand(step, 1);
    const std::size_t rank = step.rank();
    require(rank >= 2 && a.rank() == rank && b.rank() == rank && a.type == step.type && b.type == step.type &&
                step.said->accumulate && step.said->start && step.said->operation == "dot",
            "a matmul of other things");
    for (std::size_t d = 0; d + 2 < rank; ++d)
      require(step.same_dimension(d, a, d) && step.same_dimension(d, b, d), "a matmul of other sizes");
    require(step.same_dimension(rank - 2, a, rank - 2) && step.same_dimension(rank - 1, b, rank - 1) &&
                a.said->sizes[rank - 1] == b.said->sizes[rank - 2] && a.whole(rank - 1) == b.whole(rank - 2),
            "a matmul of other sizes");
    const Format& wide = format_of(*step.said->accumulate);
    const Region of_a = region & ~bit(rank - 1), of_b = region & ~bit(rank - 2);
    const auto products = [&](Region x, Region y) {
      return mode_.image(
          "mul", wide, "nan-wins",
          {image_of_conversion(*a.type, wide, a.sets[x]), image_of_conversion(*b.type, wide, b.sets[y])});
    };
    CodeRanges leaves = products(of_a, of_b);
    if (region != 0 && a.padded[rank - 1])
      leaves = united(std::move(leaves), products(of_a | bit(rank - 1), of_b | bit(rank - 2)));
    return mode_.conversion(wide, *step.type,
                            mode_.flushed(wide, fold_of(wide, *step.said, leaves, a.whole(rank - 1))));
  }

  // Every code that is equal to one of these.
  [[nodiscard]] CodeRanges closed(const Format& f, CodeRanges codes) const {
    if (!f.is_float || equal_ == Equal::Bits) return codes;
    const Codes set(f, codes);
    if (set.has_nan()) codes = united(std::move(codes), ranges_of(f, {1, 0, true, false}));
    if (equal_ == Equal::AnyNanAndZero && (set.has(0) || set.has_minus_zero()))
      codes = united(std::move(codes), ranges_of(f, {f.one_zero ? 0 : -1, 0, false, false}));
    return codes;
  }

  // What of an operand's difference a step's result may have. Of both zeros exp is 1, abs +0, x - x, too, and their sum
  // with a number that is none that number; and what holds no zero differs by none.
  [[nodiscard]] Equal left_of(const Link& step, std::size_t i) const {
    const Link& of = operand(step, i);
    if (of.differs != Equal::AnyNanAndZero || !mode_.is_plain() || !of.type->is_float) return of.differs;
    const auto has_zero = [](const Link& link) {
      const Codes set(*link.type, link.sets[0]);
      return set.has(0) || set.has_minus_zero();
    };
    const std::string function = step.said->kind == "pointwise" ? *step.said->function : "";
    const bool even = (function == "exp" || function == "abs") && !mode_.is_stated(function, *step.type);
    const bool sum = (function == "add" || function == "sub") && !has_zero(operand(step, 1 - i));
    const bool none = function == "sub" && is_twice(*step.said);
    return even || sum || none || !has_zero(of) ? Equal::AnyNan : of.differs;
  }

  void check_equality(const Link& step) const {
    const std::string& kind = step.said->kind;
    const std::string function = kind == "pointwise" ? *step.said->function : "";
    Equal keeps = Equal::AnyNanAndZero;
    if (function == "signbit" || (kind == "unknown" && step.said->function != "numbers")) keeps = Equal::Bits;
    if (function == "recip" || function == "rsqrt" || function == "pow" || function == "div") keeps = Equal::AnyNan;
    // Which integer a NaN becomes may depend on its bits; in i1 it is 1.
    const bool cuts = kind == "cast" && operand(step, 0).type->is_float && !step.type->is_float;
    if (cuts && step.type->bits > 1) keeps = Equal::Bits;
    if (kind == "pointwise" && mode_.is_stated(function, *step.type)) {
      keeps = Equal::Bits;
      if (mode_.keeps_nan(function, *step.type))
        keeps = mode_.keeps_zeros(function, *step.type) ? Equal::AnyNanAndZero : Equal::AnyNan;
    }
    for (std::size_t i = 0; i < step.said->operands.size(); ++i) {
      const Equal before = operand(step, i).differs;
      require(left_of(step, i) <= step.differs, "an equality that is too fine");
      require(kind != "unknown" || step.said->function || operand(step, i).is_whole(),
              "an unknown step that may read padding");
      require(before <= keeps || (function == "div" && i == 0), "a function that sees what differs");
    }
    if (reads_padding(step)) {
      require(step.said->order && step.said->max && step.said->fused, "an evaluation that is not stated");
      check_reading(step);
    }
  }

  void check_reading(const Link& step) const {
    const bool pairs = step.said->kind == "matmul";
    CodeRanges contents;
    std::vector<CodeRanges> fills;
    for (std::size_t i = 0; i < step.said->operands.size(); ++i) {
      const Link& of = operand(step, i);
      contents = united(std::move(contents), of.sets[0]);
      Region axes = pairs ? bit(of.rank() - 1 - i) : 0;
      for (std::size_t d = 0; !pairs && d < of.rank(); ++d)
        if (std::ranges::find(*step.said->axes, static_cast<std::int64_t>(d)) != step.said->axes->end()) axes |= bit(d);
      CodeRanges fill;
      for (Region region = 1; region < of.sets.size(); ++region)
        if ((region & ~axes) == 0 && of.exists(region)) fill = united(std::move(fill), of.sets[region]);
      fills.push_back(std::move(fill));
    }
    if (std::ranges::all_of(fills, &CodeRanges::empty)) return;  // no padding is read
    require(std::ranges::none_of(fills, &CodeRanges::empty), "padding beside none");
    ReductionText out;
    out.operation = *step.said->operation, out.type = operand(step, 0).type->name,
    out.accumulate = *step.said->accumulate;
    out.start = *step.said->start, out.order = *step.said->order;
    out.max = *step.said->max, out.fused = *step.said->fused;
    out.equal = step.differs == Equal::Bits ? "bits" : step.differs == Equal::AnyNan ? "any-nan" : "any-nan+zero";
    out.contents = texts_of(contents), out.fill = texts_of(fills[0]);
    if (pairs) out.other = texts_of(fills[1]);
    out.row = step.said->row;
    const bool computes = out.operation != "max" && out.operation != "min" && out.operation != "any" &&
                          out.operation != "all" && !is_order(*step.said);
    const bool floats = format_of(out.type).is_float;
    if (computes) (floats ? out.rounding : out.integers) = floats ? said_.rounding : said_.integers;
    if (floats && format_of(out.accumulate).subnormals) out.flush = said_.flush;
    require(!mode_.has_facts() || (out.operation != "softmax" && out.operation != "logsumexp"), "other facts of exp");
    Evidence none;
    check_neutral(false, out, none);
  }

  const ChainText& said_;
  const ChainProof& proof_;
  ChainMode mode_;
  Equal equal_;
  std::vector<Link> steps_;
};

}  // namespace

void check_chain(const ChainText& said, const ChainProof& proof) {
  enter(__FILE__);
  Chain(said, proof).check();
}

void check_chain_shapes(const ChainText& said) {
  enter(__FILE__);
  ChainProof zeros;  // a code of every type
  require(said.steps.size() <= kMostSteps, "too many steps");
  for (const StepText& step : said.steps) {
    require(step.sizes.size() <= kMostDimensions, "too many dimensions");
    zeros.sets.emplace_back(bit(step.sizes.size()), ReductionText::Ranges{{"0x0", "0x0"}});
    zeros.differ.emplace_back("bits");
  }
  Chain(said, zeros).check_shapes();
}

}  // namespace vl::values_kernel
