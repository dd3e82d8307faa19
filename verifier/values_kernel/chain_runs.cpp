// Runs of chains: element by element, as far as one element of the last step asks, with the padding that reductions
// read and without. What is executed:
//
//   pointwise    every code that the function can give (images.h)
//   reduce       from left to right, dimensions in row-major order, the start first: an evaluation of either order
//   row          as a whole, its padding behind its elements, by row_values.h; what no fact states shows nothing
//   the others   move elements; what nobody computes holds the run's last code
//
// So a slot holds a set of codes, mostly of one. An implementation gives each function of each step, for given
// operands, one of the codes that facts allow; by induction over the steps the code that it has in a slot lies in the
// slot's set. So if the two sets of an element have no codes that are equal, its two runs differ, whatever the
// implementation chose. Which NaN an operation makes is no fact: its set has all of them, and two NaNs show nothing,
// also under `bits`.
#include <algorithm>
#include <map>

#include "verifier/values_kernel/chain_link.h"
#include "verifier/values_kernel/chain_mode.h"
#include "verifier/values_kernel/chain_rows.h"
#include "verifier/values_kernel/chains.h"
#include "verifier/values_kernel/fold.h"
#include "verifier/values_kernel/rows.h"
#include "verifier/values_kernel/uses.h"
#include "verifier/values_kernel/values.h"

namespace vl::values_kernel {
namespace {

constexpr int kMostReads = 1 << 20;  // of both runs
constexpr std::size_t kMostElements = 1 << 18, kDeepestRun = 500;

using Index = std::vector<std::int64_t>;

class ChainRun {
 public:
  ChainRun(const ChainText& said, const std::vector<std::string>& codes) : said_(said), mode_(said) {
    std::size_t next = 0;
    for (const StepText& step : said.steps) {
      const Format& type = format_of(step.type);
      auto& held = inputs_.emplace_back();
      for (std::size_t region = 0; step.kind == "input" && region < std::size_t{1} << step.sizes.size(); ++region) {
        held.push_back(0);
        if (!exists(step, region)) continue;
        require(next < codes.size(), "a region without a code");
        held.back() = code_of(codes[next++]);
        require(held.back() <= type.mask() && Codes(type, (*step.holds)[region]).has(held.back()),
                "a code that an input does not hold");
      }
    }
    require(next + 1 == codes.size(), "codes of no region");
    unwritten_ = code_of(codes[next]);
  }

  CodeRanges last_at(const Index& at, bool with_padding) {
    padded_ = with_padding;
    known_.clear();
    return value(said_.steps.size() - 1, at);
  }

 private:
  static bool is_beyond(const StepText& step, std::size_t d, std::int64_t i) { return i >= step.sizes[d]; }
  static std::int64_t whole(const StepText& step, std::size_t d) {
    return (step.sizes[d] - 1) / step.granules[d] * step.granules[d] + step.granules[d];
  }
  static bool exists(const StepText& step, std::size_t region) {
    for (std::size_t d = 0; d < step.sizes.size(); ++d)
      if ((region >> d & 1) != 0 && step.sizes[d] % step.granules[d] == 0) return false;
    return true;
  }
  static std::size_t region_of(const StepText& step, const Index& at) {
    std::size_t out = 0;
    for (std::size_t d = 0; d < at.size(); ++d) out |= std::size_t{is_beyond(step, d, at[d])} << d;
    return out;
  }
  [[nodiscard]] const StepText& operand(const StepText& step, std::size_t i) const {
    return said_.steps[static_cast<std::size_t>(step.operands[i])];
  }
  CodeRanges of(const StepText& step, std::size_t i, const Index& at) {
    require(++reads_ <= kMostReads, "a run that is too long");
    charge(32LL);
    return value(static_cast<std::size_t>(step.operands[i]), at);
  }

  CodeRanges value(std::size_t number, const Index& at) {
    const StepText& step = said_.steps[number];
    require(at.size() == step.sizes.size(), "an index of another rank");
    for (std::size_t d = 0; d < at.size(); ++d) require(at[d] >= 0 && at[d] < whole(step, d), "an index of no slot");
    const auto known = known_.find({number, at});
    if (known != known_.end()) return known->second;
    require(known_.size() < kMostElements, "a run of too many elements");
    require(++depth_ <= kDeepestRun, "a chain that is too deep");
    CodeRanges out = computed(number, step, at);
    --depth_;
    charge(32LL), hold(128 + at.size() * sizeof(std::int64_t) + out.size() * sizeof(CodeRanges::value_type));
    known_.emplace(std::pair(number, at), out);
    return out;
  }

  // Which NaN an operation makes is no fact.
  static CodeRanges made(const Format& f, Code code) {
    return f.nan(code) ? normal(ranges_of(f, {1, 0, true, true})) : CodeRanges{{code, code}};
  }
  // The code that a set has, up to which NaN it is.
  static std::optional<Code> one_of(const Format& f, const CodeRanges& set) {
    const bool nans = f.is_float && Codes(f, set).only_nans();
    if (nans || (set.size() == 1 && set.front().first == set.front().second)) return set.front().first;
    return std::nullopt;
  }

  CodeRanges computed(std::size_t number, const StepText& step, const Index& at) {
    const Format& type = format_of(step.type);
    if (step.kind == "input") {
      const Code code = inputs_[number][region_of(step, at)];
      return {{code, code}};
    }
    if (step.kind == "pointwise") {
      std::vector<CodeRanges> sets;
      for (std::size_t i = 0; i < step.operands.size(); ++i) sets.push_back(of(step, i, at));
      if (is_twice(step)) sets.pop_back();
      return mode_.image(*step.function, type, *step.max, sets);
    }
    if (step.kind == "cast") return image_of_cast(format_of(operand(step, 0).type), type, of(step, 0, at), mode_);
    require(step.kind != "unknown", "a result that is not known");
    if (step.kind == "reduce" || step.kind == "matmul") return folded(step, at);
    if (step.kind == "row") return rowed(step, at);
    if (step.kind == "mask") {
      const auto region = static_cast<std::int64_t>(region_of(step, at));
      if (std::ranges::find(*step.masked, region) == step.masked->end()) return of(step, 0, at);
      return {{code_of(*step.value), code_of(*step.value)}};
    }
    return moved(step, at);
  }

  CodeRanges moved(const StepText& step, const Index& at) {
    const StepText& from = operand(step, 0);
    Index there = at;
    if (step.kind == "reshape") {
      if (region_of(step, at) != 0) return unwritten(step);
      Wide place = 0;
      for (std::size_t d = 0; d < at.size(); ++d) place = place * step.sizes[d] + at[d];
      std::int64_t left = place.narrow();
      there.assign(from.sizes.size(), 0);
      for (std::size_t d = there.size(); d-- > 0; left /= from.sizes[d]) there[d] = left % from.sizes[d];
      return of(step, 0, there);
    }
    if (step.kind == "transpose") {
      for (std::size_t d = 0; d < at.size(); ++d) there[static_cast<std::size_t>((*step.axes)[d])] = at[d];
      return of(step, 0, there);
    }
    if (step.kind == "broadcast") {
      there.assign(from.sizes.size(), 0);
      for (std::size_t d = 0; d < there.size(); ++d)
        if ((*step.axes)[d] >= 0) there[d] = at[static_cast<std::size_t>((*step.axes)[d])];
      return of(step, 0, there);
    }
    if (step.kind == "reverse") {
      for (const std::int64_t d : *step.axes) {
        const auto axis = static_cast<std::size_t>(d);
        if (is_beyond(step, axis, at[axis])) return unwritten(step);
        there[axis] = step.sizes[axis] - 1 - at[axis];
      }
      return of(step, 0, there);
    }
    std::int64_t& along = there[static_cast<std::size_t>(step.axes->front())];
    const auto axis = static_cast<std::size_t>(step.axes->front());
    if (is_beyond(step, axis, along)) return unwritten(step);
    if (step.kind == "slice") return along = along * step.step.value_or(1) + *step.first, of(step, 0, there);
    require(step.kind == "concat", "a step that is not known");
    for (std::size_t i = 0; i < step.operands.size(); ++i) {
      const std::int64_t size = operand(step, i).sizes[axis];
      if (along < size) return of(step, i, there);
      along -= size;
    }
    require(false, "an element of no operand");
    return {};
  }

  [[nodiscard]] CodeRanges unwritten(const StepText& step) const {
    const Code code = unwritten_ & format_of(step.type).mask();
    return {{code, code}};
  }

  CodeRanges folded(const StepText& step, const Index& at) {
    require(step.operation && step.accumulate && step.start && step.max && step.fused, "an evaluation without words");
    const StepText& from = operand(step, 0);
    const bool pairs = step.kind == "matmul", keeps = !pairs && step.sizes.size() == from.sizes.size();
    const std::size_t rank = from.sizes.size();
    Index axes = pairs ? Index{static_cast<std::int64_t>(rank) - 1} : *step.axes;
    std::ranges::sort(axes);
    const auto is_axis = [&](std::size_t d) {
      return std::ranges::find(axes, static_cast<std::int64_t>(d)) != axes.end();
    };
    Index left(rank, 0);
    for (std::size_t d = 0, next = 0; d < rank; ++d) {
      if (pairs) left[d] = at[d];
      else if (!is_axis(d)) left[d] = at[next++];
      else if (keeps && at[next++] > 0) return unwritten(step);
    }
    for (const std::int64_t axis : axes) left[static_cast<std::size_t>(axis)] = 0;
    std::optional<CodeRanges> sum;
    if (*step.start != "first")
      sum = made(format_of(*step.accumulate), *step.start == "+0" ? 0 : format_of(*step.accumulate).sign());
    std::uint64_t count = 0, valid = 1;
    for (const std::int64_t axis : axes)
      valid *= static_cast<std::uint64_t>(from.sizes[static_cast<std::size_t>(axis)]);
    for (bool more = true; more;) {
      std::vector<CodeRanges> term{of(step, 0, left)};
      if (pairs) {
        Index right = at;
        right[rank - 2] = left[rank - 1];
        term.push_back(of(step, 1, right));
      }
      sum = next(step, sum, term), ++count;
      more = false;
      for (std::size_t i = axes.size(); i-- > 0 && !more;) {
        const auto d = static_cast<std::size_t>(axes[i]);
        more = ++left[d] < (padded_ ? whole(from, d) : from.sizes[d]);
        if (!more) left[d] = 0;
      }
    }
    const Format &wide = format_of(*step.accumulate), &type = format_of(step.type);
    if (*step.operation == "any" || *step.operation == "all")
      return made(type, sum->front().first != 0 ? type.one() : 0);
    if (*step.operation == "mean") {
      require(mode_.is_plain() && wide.is_float && step.row && (step.row->divide == "N" || step.row->divide == "P"),
              "a count of nothing");
      const Code divisor = ratio(wide, step.row->divide == "P" ? count : valid, 1);
      sum = mode_.image("div", wide, "nan-wins", {*sum, {{divisor, divisor}}});
    }
    return image_of_cast(wide, type, *sum, mode_);
  }

  CodeRanges rowed(const StepText& step, const Index& at) {
    const StepText& from = operand(step, 0);
    require(step.axes && step.axes->size() == 1, "a row along several axes");
    require(mode_.is_plain() && !mode_.has_facts(), "a row under another arithmetic");
    ReductionText said = row_text_of(step, from.type, said_.equal);
    said.contents = {{"0x0", "0x0"}};
    const RowQuestion about = row_question_of(said);
    const auto axis = static_cast<std::size_t>(step.axes->front());
    const bool per_slot = is_per_slot(step), dropped = step.sizes.size() != from.sizes.size();
    const auto place = static_cast<std::size_t>(dropped ? 0 : at[axis]);
    if (!per_slot && !dropped && is_beyond(step, axis, at[axis])) return unwritten(step);
    Index there = at;
    if (dropped) there.insert(there.begin() + static_cast<std::ptrdiff_t>(axis), 0);
    const std::int64_t end = padded_ ? whole(from, axis) : from.sizes[axis];
    require(!per_slot || there[axis] < end, "a result behind the row");
    RowShape row;
    for (there[axis] = 0; there[axis] < end; ++there[axis]) {
      const bool pad = is_beyond(from, axis, there[axis]);
      const auto code = one_of(format_of(from.type), of(step, 0, there));
      require(code.has_value(), "an element of a row that is not known");
      row.shape += pad ? 'p' : 'c';
      (pad ? row.pads : row.valid).push_back(*code);
    }
    const auto results = row_results(about, row, padded_, per_slot);
    require(place < results.size() && results[place], "a result that no fact states");
    const Format &wide = format_of(*step.accumulate), &type = format_of(step.type);
    if (values_kernel::gives_places(step)) return {{*results[place], *results[place]}};
    return image_of_cast(wide, type, made(wide, *results[place]), mode_);
  }

  [[nodiscard]] CodeRanges next(const StepText& step, const std::optional<CodeRanges>& sum,
                                const std::vector<CodeRanges>& term) const {
    const Format &type = format_of(operand(step, 0).type), &wide = format_of(*step.accumulate);
    const auto before = sum ? one_of(wide, *sum) : std::nullopt;
    const auto a = one_of(type, term[0]), b = term.size() > 1 ? one_of(type, term[1]) : std::optional<Code>(0);
    if (!a || !b || (sum && !before)) return next_of_sets(step, sum, term);
    return made(wide, next_code(step, before, {*a, *b}));
  }

  // Products that are added without rounding have no image, and neither has whether something is zero.
  [[nodiscard]] CodeRanges next_of_sets(const StepText& step, const std::optional<CodeRanges>& sum,
                                        const std::vector<CodeRanges>& term) const {
    const std::string& operation = *step.operation;
    const Format &type = format_of(operand(step, 0).type), &wide = format_of(*step.accumulate);
    require(operation != "any" && operation != "all" && !*step.fused, "a term that is not known");
    std::vector<CodeRanges> sets;
    sets.reserve(term.size());
    for (const CodeRanges& set : term) sets.push_back(image_of_conversion(type, wide, set));
    CodeRanges leaf = sets[0];
    if (operation == "dot") leaf = mode_.image("mul", wide, "nan-wins", sets);
    if (operation == "sumsq") leaf = mode_.image("square", wide, "nan-wins", sets);
    if (!sum) return leaf;
    const bool extreme = operation == "max" || operation == "min";
    require(extreme || operation == "prod" || operation == "sum" || operation == "mean" || operation == "dot" ||
                operation == "sumsq",
            "a reduction that is not known");
    require(!extreme || !mode_.flushes() || !wide.subnormals, "a comparison of what may be flushed");
    if (extreme) return mode_.image(operation, wide, *step.max, {*sum, leaf});
    return mode_.image(operation == "prod" ? "mul" : "add", wide, "nan-wins", {*sum, leaf});
  }

  [[nodiscard]] Code next_code(const StepText& step, std::optional<Code> sum, const std::pair<Code, Code>& term) const {
    const std::string& operation = *step.operation;
    const Format &type = format_of(operand(step, 0).type), &wide = format_of(*step.accumulate);
    if (operation == "any" || operation == "all") {
      require(!mode_.mode().flush_operands || !type.subnormals, "a comparison of what may be flushed");
      const Code leaf = type.zero(term.first) ? 0 : 1;
      return !sum ? leaf : operation == "any" ? *sum | leaf : *sum & leaf;
    }
    const Code a = widened(type, wide, term.first), b = operation == "dot" ? widened(type, wide, term.second) : a;
    const bool products = operation == "dot" || operation == "sumsq";
    require(products || !*step.fused, "products where there are none");
    if (sum && *step.fused) return fused(wide, a, b, *sum, mode_.mode());
    const Code leaf = products ? multiplied(wide, a, b, mode_.mode()) : a;
    if (!sum) return leaf;
    if (operation == "prod") return multiplied(wide, *sum, leaf, mode_.mode());
    if (operation == "sum" || operation == "mean" || products) return added(wide, *sum, leaf, mode_.mode());
    require(operation == "max" || operation == "min", "a reduction that is not known");
    require(!mode_.flushes() || !wide.subnormals, "a comparison of what may be flushed");
    require(*step.max == "nan-wins" || *step.max == "nan-loses" || *step.max == "x86", "a word that is not known");
    const MaxRule rule = *step.max == "x86"         ? MaxRule::X86
                         : *step.max == "nan-loses" ? MaxRule::NanLoses
                                                    : MaxRule::NanWins;
    return extreme(wide, rule, operation == "max", *sum, leaf);
  }

  const ChainText& said_;
  ChainMode mode_;
  std::vector<std::vector<Code>> inputs_;  // by step, then region
  Code unwritten_ = 0;
  bool padded_ = false;
  int reads_ = 0;
  std::size_t depth_ = 0;
  std::map<std::pair<std::size_t, Index>, CodeRanges> known_;
};

}  // namespace

void check_chain_run(const ChainText& said, const std::vector<std::string>& codes, const Point& at) {
  enter(__FILE__);
  require(!said.steps.empty(), "a chain without steps");
  check_chain_shapes(said);
  const StepText& last = said.steps.back();
  Index index;
  require(at.size() == last.sizes.size(), "an element of another rank");
  for (std::size_t d = 0; d < at.size(); ++d) {
    index.push_back(at[d].narrow());
    require(index[d] >= 0 && index[d] < last.sizes[d], "an element that is none");
  }
  ChainRun run(said, codes);
  const Format& type = format_of(last.type);
  const CodeRanges got = run.last_at(index, true), want = run.last_at(index, false);
  const Codes with(type, got), without(type, want);
  require(said.equal == "bits" || said.equal == "any-nan" || said.equal == "any-nan+zero", "a word that is not known");
  const auto has_zero = [&](const Codes& set) { return set.has(0) || set.has_minus_zero(); };
  const bool zero = said.equal == "any-nan+zero" && has_zero(with) && has_zero(without);
  require(shared(got, want).empty() && !(with.has_nan() && without.has_nan()) && !zero,
          "a run that padding may not change");
}

}  // namespace vl::values_kernel
