// The search for a run that padding changes: few codes that are likely to tell, the same in all inputs, then different
// ones, drawn by a fixed generator. What is found was executed both ways; what is not found proves nothing.
#include <algorithm>

#include "verifier/neutral/program/judge.h"

namespace vl::neutral::program {
namespace {

constexpr Index kMostSteps = Index{1} << 20;
constexpr int kMostDraws = 4000;
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

struct Choices {
  std::vector<std::vector<std::vector<Code>>> inputs;  // by node, region
  std::vector<Code> unwritten;
};

// Whether a line leaves slots unwritten: behind what it cuts, joins or keeps.
bool leaves_unwritten(const Node& node) {
  const bool cuts = node.kind == Kind::Concat || node.kind == Kind::Slice || node.kind == Kind::Reshape;
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

Choices choices_of(const Program& program) {
  Choices out;
  for (const Node& node : program.nodes) {
    out.inputs.emplace_back();
    if (node.kind != Kind::Input) continue;
    for (Region region = 0; region < node.regions(); ++region)
      out.inputs.back().push_back(telling_codes_of(*node.type, region == 0 ? node.contents : node.padding[region]));
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

// Which NaN an operation makes is no fact: two of them are no difference, also under `bits`.
bool are_equal(const Program& program, const Format& format, Code a, Code b) {
  if (is_nan(format, a) && is_nan(format, b)) return true;
  Question question;
  question.type = question.accumulate = format;
  question.equal = program.equal;
  return equals(question, a, b);
}

// The first box of valid elements of an output that differs.
std::optional<ProgramRefuted> tried_run(const Boxes& boxes, const Assignment& assignment, Index& steps) {
  const Program& program = boxes.program();
  Execution padded(boxes, assignment, true, steps), reference(boxes, assignment, false, steps);
  for (const std::size_t output : program.outputs) {
    const Node& node = program.nodes[output];
    Point at(node.dimensions.size(), 0);
    do {
      const auto got = padded.at(output, at), want = reference.at(output, at);
      if (got && want && !are_equal(program, *node.type, *got, *want))
        return ProgramRefuted{0, assignment, output, at, *got, *want};
    } while (steps > 0 && boxes.advance(output, at));
  }
  return std::nullopt;
}

}  // namespace

std::optional<ProgramRefuted> find_run(const Program& program, std::size_t reader) {
  const Choices choices = choices_of(program);
  const Boxes boxes(program);
  Index steps = kMostSteps;
  std::optional<ProgramRefuted> found;
  const auto attempt = [&](const Assignment& assignment) {
    if (!found && steps > 0) found = tried_run(boxes, assignment, steps);
    if (found) found->reader = reader;
    return found.has_value() || steps <= 0;
  };
  for (std::size_t c = 0; c < kFew; ++c)
    for (std::size_t p = 0; p < std::max(kFew, choices.unwritten.size()); ++p)
      if (attempt(assigned(choices, [&](bool valid, std::size_t n) { return std::min(valid ? c : p, n - 1); })))
        return found;
  Draws draws;
  for (int i = 0; i < kMostDraws; ++i)
    if (attempt(assigned(choices, [&](bool, std::size_t n) { return draws.below(n); }))) return found;
  return std::nullopt;
}

}  // namespace vl::neutral::program
