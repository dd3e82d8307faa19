// The search for a run that padding changes: few codes that are likely to tell, the same in all inputs, then different
// ones, drawn by a fixed generator; first on codes, and where that shows nothing on sets. At last inputs are as large
// as their rows can be added up: (0 - m) / sqrt(0 + eps), which a layernorm writes behind a row of m, may be infinite
// there. What is found was executed both ways; what is not found proves nothing.
#include <algorithm>
#include <bit>

#include "verifier/neutral/program/judge.h"

namespace vl::neutral::program {
namespace {

constexpr Index kMostSteps = Index{1} << 20, kMostStepsOnSets = Index{1} << 19;
constexpr int kMostDraws = 4000, kMostDrawsOnSets = 200;
constexpr std::size_t kFew = 10;  // codes of a type that are tried first

// Codes of a set that are likely to tell, in the order in which a reader wants to see them.
std::vector<Code> telling_codes_of(const Format& format, const CodeSet& set) {
  std::vector<Code> first{0, values::one(format)};
  if (has_negative_zero(format)) first.push_back(negative_zero(format));
  first.push_back(values::negated(format, values::one(format)));
  if (has_infinity(format)) first.insert(first.end(), {infinity(format, false), infinity(format, true)});
  if (has_nan(format)) first.push_back(default_nan(format));
  first.insert(first.end(), {largest(format, false), largest(format, true), 1, values::negated(format, 1)});
  for (std::size_t i = 0; i < set.ranges().size() && i < 4; ++i)
    first.insert(first.end(), {set.ranges()[i].first, set.ranges()[i].last});
  std::vector<Code> out;
  for (const Code code : first)
    if (set.contains(code) && std::ranges::find(out, code) == out.end()) out.push_back(code);
  return out;
}

// The greatest power of two, and the greatest one of which that many are no infinity together.
std::vector<Code> large_codes_of(const Format& format, const CodeSet& set, Index length) {
  if (!format.is_float()) return {};
  const Code greatest = largest(format, false) >> format.fraction_bits;
  const auto bits = static_cast<Code>(std::bit_width(static_cast<std::uint64_t>(length)));
  std::vector<Code> out;
  for (const Code exponent : {greatest, greatest - std::min(greatest, bits)})
    if (const Code code = exponent << format.fraction_bits; set.contains(code)) out.push_back(code);
  return out;
}

// Beside them 2, and two thirds of the greatest numbers: what pads add to such elements, or multiply them by, decides
// whether a result is infinite, and so whether it is still NaN where a later line subtracts it from itself.
std::vector<Code> more_codes_of(const Format& format, const CodeSet& set) {
  std::vector<Code> out = telling_codes_of(format, set);
  if (!format.is_float()) return out;
  const Code one = values::one(format), two = one + (Code{1} << format.fraction_bits);
  const Code half = largest(format, false) - (Code{1} << format.fraction_bits);
  for (const Code code : {two, values::negated(format, two), half, values::negated(format, half)})
    if (set.contains(code) && std::ranges::find(out, code) == out.end()) out.push_back(code);
  return out;
}

struct Choices {
  std::vector<std::vector<std::vector<Code>>> inputs;  // by node, region
  std::vector<std::vector<Code>> large;                // by node, of its elements
  std::vector<Code> unwritten;
};

// Whether a line leaves slots unwritten: behind what it cuts, joins or keeps.
bool leaves_unwritten(const Node& node) {
  const bool cuts =
      node.kind == Kind::Concat || node.kind == Kind::Slice || node.kind == Kind::Reverse || node.kind == Kind::Reshape;
  const bool keeps = (node.kind == Kind::Reduce && node.keep) || (node.kind == Kind::Row && !has_result_per_slot(node));
  return (cuts || keeps) && std::ranges::any_of(node.dimensions, &Dimension::is_padded);
}

// Codes of the types that are left unwritten, the first ones of each type first: one code stands for all types.
std::vector<Code> telling_codes_of_unwritten(const Program& program) {
  std::vector<std::vector<Code>> by_type;
  std::vector<const Format*> types;
  for (const Node& node : program.nodes)
    if (leaves_unwritten(node) && std::ranges::find(types, node.type) == types.end()) {
      types.push_back(node.type);
      by_type.push_back(telling_codes_of(*node.type, CodeSet::all(*node.type)));
    }
  std::vector<Code> out{0};
  for (std::size_t i = 0; i < kFew; ++i)
    for (const auto& codes : by_type)
      if (i < codes.size() && std::ranges::find(out, codes[i]) == out.end()) out.push_back(codes[i]);
  return out;
}

Choices choices_of(const Program& program, const auto& codes_of) {
  Choices out;
  for (const Node& node : program.nodes) {
    out.inputs.emplace_back(), out.large.emplace_back();
    if (node.kind != Kind::Input) continue;
    // All elements are the same, so each row has a finite one if they are.
    const bool finite = !node.finite_rows.empty();
    const CodeSet contents = finite ? node.contents.intersected(finite_codes(*node.type)) : node.contents;
    for (Region region = 0; region < node.regions(); ++region)
      out.inputs.back().push_back(codes_of(*node.type, region == 0 ? contents : node.padding[region]));
    Index length = 1;
    for (const Dimension& dimension : node.dimensions) length = std::max(length, dimension.padded());
    out.large.back() = large_codes_of(*node.type, contents, length);
  }
  out.unwritten = telling_codes_of_unwritten(program);
  return out;
}

// A small generator with a fixed seed, so that a run does not depend on a library.
class Draws {
 public:
  std::size_t below(std::size_t n) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(state_ >> 33) % n;
  }

 private:
  std::uint64_t state_ = 1;
};

Assignment assigned(const Choices& choices, const auto& pick) {
  Assignment out;
  for (std::size_t node = 0; node < choices.inputs.size(); ++node) {
    out.inputs.emplace_back();
    for (std::size_t region = 0; region < choices.inputs[node].size(); ++region)
      out.inputs.back().push_back(choices.inputs[node][region][pick(region == 0, choices.inputs[node][region].size())]);
  }
  out.unwritten = choices.unwritten[pick(false, choices.unwritten.size())];
  return out;
}

// The elements of some inputs as large as can be, all others the first of their codes: of all inputs, then of each one.
std::vector<Assignment> large_assignments(const Choices& choices) {
  const Assignment first = assigned(choices, [](bool, std::size_t) { return std::size_t{0}; });
  std::vector<std::size_t> inputs{kNowhere};
  for (std::size_t at = 0; at < choices.large.size(); ++at)
    if (!choices.large[at].empty()) inputs.push_back(at);
  std::vector<Assignment> out;
  for (const std::size_t input : inputs)
    for (const std::size_t which : {std::size_t{0}, std::size_t{1}}) {
      Assignment next = first;
      for (std::size_t at = 0; at < choices.large.size(); ++at)
        if (which < choices.large[at].size() && (input == kNowhere || input == at))
          next.inputs[at][0] = choices.large[at][which];
      if (next != first) out.push_back(std::move(next));
    }
  return out;
}

// Which NaN an operation makes is no fact: two of them are no difference, also under `bits`.
bool are_apart(const Program& program, const Format& format, const Reach& got, const Reach& want) {
  if (!got.is_known() || !want.is_known()) return false;
  const CodeSet a = got.codes(format), b = want.codes(format), nan = nans(format);
  const auto both = [&](const CodeSet& set) { return !a.intersected(set).empty() && !b.intersected(set).empty(); };
  if (both(nan) || (program.equal == Equality::AnyNanAndZero && both(zeros(format)))) return false;
  return a.intersected(b).empty();
}

// What an image of a row takes for granted beside what the program lists.
std::vector<std::string> assumed_on_sets(const Program& program) {
  const bool exponential = std::ranges::any_of(program.nodes, [](const Node& node) {
    return node.kind == Kind::Row && (node.operation == Operation::Softmax || node.operation == Operation::LogSumExp);
  });
  if (!exponential) return {};
  return {std::string(assumption(Function::Exp)), std::string(assumption(Function::Log))};
}

// The first box of valid elements of an output that differs.
std::optional<ProgramRefuted> tried_run(Runs& runs, const Assignment& assignment, bool on_sets) {
  const Program& program = runs.program;
  Execution padded(runs, assignment, true, on_sets), reference(runs, assignment, false, on_sets);
  for (const std::size_t output : program.outputs) {
    const Node& node = program.nodes[output];
    Point at(node.dimensions.size(), 0);
    do {
      const Reach got = padded.at(output, at), want = reference.at(output, at);
      if (!are_apart(program, *node.type, got, want)) continue;
      const bool codes = got.code && want.code;
      return ProgramRefuted{0,
                            assignment,
                            output,
                            at,
                            codes ? CodeSet::of(*got.code) : got.codes(*node.type),
                            codes ? CodeSet::of(*want.code) : want.codes(*node.type),
                            on_sets,
                            on_sets ? assumed_on_sets(program) : std::vector<std::string>{}};
    } while (runs.steps > 0 && runs.boxes.advance(output, at));
  }
  return std::nullopt;
}

}  // namespace

std::optional<ProgramRefuted> refuted_again(const Program& program, const ProgramRefuted& known) {
  Runs runs(program, kMostStepsOnSets);
  auto found = tried_run(runs, known.assignment, known.on_sets);
  if (found) found->reader = known.reader;
  return found;
}

std::optional<ProgramRefuted> find_run(const Program& program, std::size_t reader) {
  const Choices choices = choices_of(program, telling_codes_of);
  Runs runs(program, kMostSteps);
  std::optional<ProgramRefuted> found;
  const auto attempt = [&](const Assignment& assignment, bool on_sets) {
    if (!found && runs.steps > 0) found = tried_run(runs, assignment, on_sets);
    if (found) found->reader = reader;
    return found.has_value() || runs.steps <= 0;
  };
  const auto search = [&](bool on_sets, int draws) {
    for (std::size_t c = 0; c < kFew; ++c)
      for (std::size_t p = 0; p < std::max(kFew, choices.unwritten.size()); ++p) {
        const auto pick = [&](bool valid, std::size_t n) { return std::min(valid ? c : p, n - 1); };
        if (attempt(assigned(choices, pick), on_sets)) return;
      }
    Draws next;
    for (int i = 0; i < draws; ++i)
      if (attempt(assigned(choices, [&](bool, std::size_t n) { return next.below(n); }), on_sets)) return;
  };
  search(false, kMostDraws);
  if (found) return found;
  runs.steps = kMostStepsOnSets;
  search(true, kMostDrawsOnSets);
  for (const bool on_sets : {false, true}) {
    if (found) break;
    runs.steps = kMostStepsOnSets;
    for (const Assignment& assignment : large_assignments(choices))
      if (attempt(assignment, on_sets)) break;
  }
  const Choices more = choices_of(program, more_codes_of);
  runs.steps = kMostStepsOnSets;
  Draws next;
  for (int i = 0; i < kMostDraws && !found && runs.steps > 0; ++i)
    attempt(assigned(more, [&](bool, std::size_t n) { return next.below(n); }), false);
  return found;
}

}  // namespace vl::neutral::program
