// Random functions in StableHLO against their execution: what is drawn is written as a text, which the verifier reads
// and judges, and is executed slot by slot as it was drawn, by the single operations of oracle/ops. The execution knows
// neither the importer nor the language of programs. Proved: no run puts out other elements with padding than without.
// Refuted: the run that is shown does.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "encodings/values/state.h"
#include "oracle/ops/rows.h"
#include "tests/programs/drawn_function.h"
#include "tests/support/drawn_codes.h"
#include "tests/support/shard.h"
#include "verifier/programs/outputs.h"

namespace vl {
namespace programs_executed_campaign {

namespace ops = oracle::ops;
using neutral::program::ProgramProved;
using neutral::program::ProgramRefuted;
using test::DrawnFunction;
using test::DrawnLine;
using test::LineKind;
using values::Code;
using values::Format;

// What inputs hold: codes that are drawn, or those of a run that refutes, which reduces from the first term to the
// last.
struct Shown {
  std::map<std::size_t, std::vector<Code>> inputs;  // by line, then by region
  Code unwritten = 0;
};

// One execution, with the padding and without what reads it.
class Execution {
 public:
  Execution(const DrawnFunction& drawn, test::WideEngine& random, const Shown* shown)
      : drawn_(drawn), random_(random), shown_(shown) {
    for (std::size_t at = 0; at < drawn.lines().size(); ++at) {
      for (auto& run : runs_) run.emplace_back(static_cast<std::size_t>(slots(at)));
      const Index order = static_cast<Index>(random_() >> 1);
      for (Index place = 0; place < slots(at); ++place) compute(at, place, order + place);
    }
  }

  /// Whether an element of what is put out differs, but for which NaN or zero it is; `only`: one of them.
  [[nodiscard]] bool differs(const std::vector<Index>* only = nullptr) const {
    const std::size_t last = drawn_.lines().size() - 1;
    for (Index place = 0; place < slots(last); ++place) {
      const std::vector<Index> index = index_of(last, place);
      if (!is_element(last, index) || (only != nullptr && index != *only)) continue;
      const Code got = runs_[0][last][static_cast<std::size_t>(place)],
                 want = runs_[1][last][static_cast<std::size_t>(place)];
      const Format& format = drawn_.format();
      const bool same = got == want || (is_nan(format, got) && is_nan(format, want)) ||
                        (values::is_zero(format, got) && values::is_zero(format, want));
      if (!same) return true;
    }
    return false;
  }

 private:
  [[nodiscard]] const DrawnLine& line(std::size_t at) const { return drawn_.lines()[at]; }
  [[nodiscard]] Index slots(std::size_t at) const {
    Index out = 1;
    for (const Index size : line(at).shape) out *= drawn_.padded(size);
    return out;
  }
  [[nodiscard]] std::vector<Index> index_of(std::size_t at, Index place) const {
    std::vector<Index> out(line(at).shape.size());
    for (std::size_t i = out.size(); i-- > 0; place /= drawn_.padded(line(at).shape[i]))
      out[i] = place % drawn_.padded(line(at).shape[i]);
    return out;
  }
  [[nodiscard]] bool is_element(std::size_t at, const std::vector<Index>& index) const {
    return std::ranges::equal(index, line(at).shape, std::ranges::less{});
  }
  [[nodiscard]] Code code(int run, std::size_t at, const std::vector<Index>& index) const {
    Index place = 0;
    for (std::size_t i = 0; i < index.size(); ++i) place = place * drawn_.padded(line(at).shape[i]) + index[i];
    return runs_.at(static_cast<std::size_t>(run))[at][static_cast<std::size_t>(place)];
  }

  [[nodiscard]] Code drawn_of(const char* state) {
    const Format& format = drawn_.format();
    const std::string text = state == std::string("1") ? "{1}" : state == std::string("unwritten") ? "any" : state;
    const auto set = *values::parse_state(text, format, nullptr);
    for (int i = 0; i < 3; ++i) {
      const Code code = test::drawn_code(format, random_);
      if (set.contains(code)) return code;
    }
    return test::one_of(random_, set);
  }
  [[nodiscard]] Code unwritten() {
    return shown_ != nullptr ? shown_->unwritten & drawn_.format().mask() : drawn_of("any");
  }
  [[nodiscard]] Code input(std::size_t at, const std::vector<Index>& index) {
    if (shown_ == nullptr) return drawn_of(is_element(at, index) ? line(at).contents : line(at).padding);
    std::size_t region = 0;
    for (std::size_t i = 0; i < index.size(); ++i) region |= std::size_t{index[i] >= line(at).shape[i]} << i;
    const auto known = shown_->inputs.find(at);
    return known == shown_->inputs.end() ? 0 : known->second[region];  // what is put out does not depend on it
  }

  [[nodiscard]] ops::Scalar scalar(ops::Operation operation) const {
    ops::Arithmetic arithmetic;
    arithmetic.accumulate = drawn_.format();
    return {operation, arithmetic, drawn_.format()};
  }

  // The terms of a reduction or matmul, over all slots.
  [[nodiscard]] std::vector<ops::Term> terms(int run, std::size_t at, const std::vector<Index>& index) const {
    const DrawnLine& of = line(at);
    const bool pairs = of.kind == LineKind::Dot;
    const Index size = line(of.operands[0]).shape[pairs ? 1 : of.axis];
    std::vector<ops::Term> out;
    for (Index k = 0; k < drawn_.padded(size); ++k) {
      ops::Term term{0, 0, k >= size};
      std::vector<Index> from = index;
      if (pairs) {
        term.a = code(run, of.operands[0], {index[0], k});
        term.b = code(run, of.operands[1], {k, index[1]});
      } else {
        from.insert(from.begin() + static_cast<std::ptrdiff_t>(of.axis), k);
        term.a = code(run, of.operands[0], from);
      }
      out.push_back(term);
    }
    return out;
  }

  // Where an element comes from; nothing: nobody has written the slot.
  [[nodiscard]] std::optional<std::pair<std::size_t, std::vector<Index>>> moved(std::size_t at,
                                                                                std::vector<Index> index) const {
    const DrawnLine& of = line(at);
    std::size_t operand = of.operands[0];
    switch (of.kind) {
      case LineKind::Transpose: std::swap(index[0], index[1]); break;
      case LineKind::Broadcast:
        if (line(operand).shape.empty()) index.clear();
        else index.erase(index.begin() + static_cast<std::ptrdiff_t>(of.axis));
        break;
      case LineKind::Slice:
        if (index[of.axis] >= of.shape[of.axis]) return std::nullopt;
        index[of.axis] += of.first;
        break;
      case LineKind::Concatenate:
        if (index[of.axis] >= of.shape[of.axis]) return std::nullopt;
        if (const Index size = line(operand).shape[of.axis]; index[of.axis] >= size)
          operand = of.operands[1], index[of.axis] -= size;
        break;
      default: break;
    }
    return std::pair(operand, std::move(index));
  }

  void compute(std::size_t at, Index place, Index order) {
    const DrawnLine& of = line(at);
    const std::vector<Index> index = index_of(at, place);
    const auto put = [&](int run, Code code) {
      runs_.at(static_cast<std::size_t>(run))[at][static_cast<std::size_t>(place)] = code;
    };
    const auto put_both = [&](Code code) { put(0, code), put(1, code); };
    if (of.kind == LineKind::Input) return put_both(input(at, index));
    if (of.kind == LineKind::Number) return put_both(of.number);
    if (of.kind != LineKind::Function && of.kind != LineKind::Reduce && of.kind != LineKind::Dot) {
      const auto from = moved(at, index);
      if (!from) return put_both(unwritten());
      for (const int run : {0, 1}) put(run, code(run, from->first, from->second));
      return;
    }
    for (const int run : {0, 1}) {
      if (of.kind == LineKind::Function) {
        const Code a = code(run, of.operands[0], index), b = code(run, of.operands.back(), index);
        put(run, scalar(of.named.operation).leaf({a, b}));
        continue;
      }
      const auto row = terms(run, at, index);
      ops::Order in;
      if (shown_ == nullptr) in = {ops::Order::Kind::Random, 1, static_cast<std::uint64_t>(order)};
      const auto operation = of.kind == LineKind::Dot ? ops::Operation::Dot : of.named.operation;
      put(run, *ops::reduced(scalar(operation), ops::tree_of(in, row.size(), false), row, run == 0));
    }
  }

  const DrawnFunction& drawn_;
  test::WideEngine& random_;
  const Shown* shown_;
  std::array<std::vector<std::vector<Code>>, 2> runs_;  // with padding, and without; by line and place
};

programs::OutputVerdict verdict_of(const std::string& text) {
  const auto functions = program::functions_of(text);
  const auto read = programs::read_program(functions.at(0), {}, [](std::size_t) { return std::size_t{1}; });
  if (!read.program) throw std::runtime_error(text + read.refused);
  auto verdicts = programs::verdicts_of(read);
  return std::move(verdicts.at(0));
}

// The run that a refutation shows.
Shown shown_by(const programs::OutputVerdict& verdict) {
  const auto& refuted = std::get<ProgramRefuted>(verdict.answer.verdict);
  Shown out;
  out.unwritten = refuted.assignment.unwritten;
  for (std::size_t at = 0; at < verdict.program.nodes.size(); ++at)
    if (const auto& node = verdict.program.nodes[at]; node.kind == neutral::program::Kind::Input && !node.constant)
      out.inputs[std::stoul(node.name.substr(node.name.find('v') + 1))] = refuted.assignment.inputs[at];
  return out;
}

struct Counts {
  int proved = 0, refuted = 0, unknown = 0;
  std::int64_t executed = 0;
  std::map<std::string, int> reasons;
};

void hold(test::WideEngine& random, int runs, Counts& counts) {
  const DrawnFunction drawn(random);
  const std::string text = drawn.text();
  RC_LOG() << text;
  const auto verdict = verdict_of(text);
  if (std::holds_alternative<ProgramProved>(verdict.answer.verdict)) {
    ++counts.proved;
    for (int run = 0; run < runs; ++run, ++counts.executed) RC_ASSERT(!Execution(drawn, random, nullptr).differs());
  } else if (const auto* refuted = std::get_if<ProgramRefuted>(&verdict.answer.verdict)) {
    ++counts.refuted, ++counts.executed;
    const Shown shown = shown_by(verdict);
    RC_ASSERT(Execution(drawn, random, &shown).differs(&refuted->at));
  } else {
    ++counts.unknown;
    ++counts.reasons[std::get<neutral::program::ProgramUnknown>(verdict.answer.verdict).reason.substr(0, 60)];
  }
}

TEST(Executed, FunctionsThatAreDrawnAsTexts) {
  Counts counts;
  const auto programs = static_cast<int>(test::cases(1500, 60000)), runs = static_cast<int>(test::cases(20, 40));
  test::for_all(programs, [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    hold(random, runs, counts);
  });
  fmt::print("{} proved, {} refuted, {} unknown; {} executed\n", counts.proved, counts.refuted, counts.unknown,
             counts.executed);
  for (const auto& [reason, times] : counts.reasons) fmt::print("{:6} {}\n", times, reason);
  EXPECT_GE(counts.proved, programs / 4);
  EXPECT_GE(counts.refuted, programs / 8);
  EXPECT_LE(counts.unknown, programs / 100);
  EXPECT_GE(counts.executed, test::cases(7500, 1000000));
}

}  // namespace programs_executed_campaign
}  // namespace vl
