#include "verifier/neutral/program/states.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/check.h"
#include "verifier/neutral/program/arithmetic.h"
#include "verifier/neutral/program/question.h"

namespace vl::neutral::program {
namespace {

void append_key(std::string& key, const CodeSet& set) {
  for (const values::CodeRange& range : set.ranges()) key += fmt::format("{:x}-{:x},", range.first, range.last);
  key += ';';
}

bool has_dimension(Region region, std::size_t dimension) { return (region >> dimension & 1) != 0; }
Region without_dimension(Region region, std::size_t dimension) { return region & ~(Region{1} << dimension); }

// Numbers of one sign, none of which is a zero or an infinity: codes between two of them are such numbers, too.
bool are_alike(const Format& format, Code a, Code b) {
  const auto plain = [&](Code code) {
    return !is_nan(format, code) && !is_infinite(format, code) && !is_zero(format, code);
  };
  return plain(a) && plain(b) && is_negative(format, a) == is_negative(format, b);
}

}  // namespace

CodeSet converted(const Program& program, const Format& from, const Format& to, const CodeSet& set) {
  return set.empty() || from == to ? set : conversion_in(program, from, to, set);
}

CodeSet capped(const Format& format, const CodeSet& set) {
  const auto ranges = set.ranges();
  if (ranges.size() <= kMostRanges) return set;
  std::vector<CodeRange> gaps;  // between neighbours, both included
  for (std::size_t i = 0; i + 1 < ranges.size(); ++i)
    if (are_alike(format, ranges[i].last, ranges[i + 1].first)) gaps.push_back({ranges[i].last, ranges[i + 1].first});
  std::ranges::stable_sort(gaps, {}, [](const CodeRange& gap) { return gap.last - gap.first; });
  gaps.resize(std::min(gaps.size(), ranges.size() - kMostRanges));
  return set.united(CodeSet(std::move(gaps)));
}

bool is_twice(const Node& node) { return node.operands.size() == 2 && node.operands[0] == node.operands[1]; }

const CodeSet& Images::of(const Program& program, Function function, const Format& format, values::MaxRule rule,
                          const std::vector<CodeSet>& operands) {
  const values::Mode& mode = program.mode;
  std::string key =
      fmt::format("{} {} {} {} {} {} ", static_cast<int>(function), format.name, static_cast<int>(rule),
                  static_cast<int>(mode.rounding), static_cast<int>(mode.flush), static_cast<int>(mode.integers));
  for (const CodeSet& set : operands) append_key(key, set);
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  return known_.emplace(std::move(key), image_in(program, function, format, rule, operands)).first->second;
}

States::States(const Program& program, Images& images)
    : program_(program), masks_(program.nodes.size()), images_(images), leaks_(program.nodes.size(), false) {}

States::States(const Program& program, const std::vector<Mask>& masks, Images& images, bool alone,
               const std::vector<std::size_t>& leaks)
    : States(program, images) {
  alone_ = alone;
  for (const std::size_t node : leaks) leak(node);
  for (const Mask& mask : masks) add(mask);
  extend_to(program.nodes.size());
}

void States::extend_to(std::size_t end) {
  while (sets_.size() < end) {
    const Node& node = program_.nodes[sets_.size()];
    Sets sets = computed(sets_.size());
    for (Region region = 0; region < node.regions(); ++region)
      if (!exists(node, region)) sets[region] = {};
      else if (node.kind != Kind::Input) sets[region] = capped(*node.type, sets[region]);
    sets_.push_back(std::move(sets));
  }
}

Sets States::of(std::size_t node) const {
  Sets out = sets_[node];
  for (const Mask& mask : masks_[node])
    if (!mask.reader) out[mask.region] = CodeSet::of(mask.value);
  return out;
}

Sets States::read_by(std::size_t reader, std::size_t node) const {
  Sets out = of(node);
  for (const Mask& mask : masks_[node])
    if (mask.reader == reader) out[mask.region] = CodeSet::of(mask.value);
  return out;
}

std::optional<Code> States::masked(std::size_t reader, std::size_t node, Region region) const {
  std::optional<Code> out;
  for (const bool own : {false, true})  // that of the reader alone comes last
    for (const Mask& mask : masks_[node])
      if (mask.region == region && mask.reader == (own ? std::optional(reader) : std::nullopt)) out = mask.value;
  return out;
}

Sets States::computed(std::size_t at) {
  const Node& node = program_.nodes[at];
  const CodeSet any = alone_ ? CodeSet() : CodeSet::all(*node.type);
  std::vector<Sets> read;
  for (const std::size_t operand : node.operands) read.push_back(read_by(at, operand));
  Sets out(node.regions());
  for (Region region = 0; region < node.regions(); ++region) {
    if (!exists(node, region)) continue;
    CodeSet& set = out[region];
    switch (node.kind) {
      case Kind::Input: set = region == 0 ? node.contents : alone_ ? CodeSet() : node.padding[region]; break;
      case Kind::Pointwise: {
        std::vector<CodeSet> operands;
        operands.reserve(read.size());
        for (const Sets& sets : read) operands.push_back(sets[region]);
        if (std::ranges::any_of(operands, &CodeSet::empty)) break;
        if (is_twice(node)) operands.pop_back();
        set = images_.of(program_, node.function, *node.type, node.rule, operands);
        break;
      }
      case Kind::Cast:
        if (const Format& from = *program_.nodes[node.operands[0]].type; !read[0][region].empty())
          set = conversion_in(program_, from, *node.type, read[0][region]);
        break;
      case Kind::Reduce: set = reduced(at, region); break;
      case Kind::Row: set = rowed(at, region); break;
      case Kind::Matmul: set = multiplied(at, region); break;
      case Kind::Transpose: {
        Region from = 0;
        for (std::size_t i = 0; i < node.axes.size(); ++i)
          if (has_dimension(region, i)) from |= Region{1} << node.axes[i];
        set = read[0][from];
        break;
      }
      case Kind::Unknown: set = region == 0 ? CodeSet::all(*node.type) : any; break;
      case Kind::Reshape: set = region == 0 ? read[0][0] : any; break;
      case Kind::Concat:
        if (has_dimension(region, node.axes[0])) set = any;
        else
          for (const Sets& sets : read) set = set.united(sets[region]);
        break;
      case Kind::Reverse: {
        const bool behind =
            std::ranges::any_of(node.axes, [&](std::size_t axis) { return has_dimension(region, axis); });
        set = behind ? any : read[0][region];
        break;
      }
      case Kind::Slice: set = has_dimension(region, node.axes[0]) ? any : read[0][region]; break;
      case Kind::Broadcast: set = read[0][broadcast_from(node, region)]; break;
      case Kind::Mask: {
        const bool masked = std::ranges::find(node.masked, region) != node.masked.end();
        set = !masked ? read[0][region] : alone_ ? CodeSet() : CodeSet::of(node.value);
        break;
      }
    }
  }
  return out;
}

// The leaves of a question as a set of codes of the accumulator.
CodeSet States::reduced(std::size_t at, Region region) {
  const Node& node = program_.nodes[at];
  const Node& of = program_.nodes[node.operands[0]];
  const Sets read = read_by(at, node.operands[0]);
  Region axes = 0, from = 0;
  for (const std::size_t axis : node.axes) axes |= Region{1} << axis;
  for (std::size_t i = 0, next = 0; i < of.dimensions.size(); ++i) {
    const bool axis = has_dimension(axes, i);
    if (axis && !node.keep) continue;
    if (axis && has_dimension(region, next))
      return alone_ ? CodeSet() : CodeSet::all(*node.type);  // beside a kept dimension: unwritten
    if (has_dimension(region, next)) from |= Region{1} << i;
    ++next;
  }
  CodeSet elements = read[from];
  if (reads_padding(at, region))
    for (Region more = 1; more < of.regions(); ++more)
      if ((more & ~axes) == 0 && exists(of, more)) elements = elements.united(read[from | more]);
  return elements.empty() ? CodeSet() : image_of_fold(program_, images_, node, elements);
}

CodeSet image_of_fold(const Program& program, Images& images, const Node& node, const CodeSet& elements) {
  const Node& of = program.nodes[node.operands[0]];
  Index count = 1;
  for (const std::size_t axis : node.axes) count *= of.dimensions[axis].padded();
  Question question = question_of(program, node, elements);
  CodeSet leaves = converted(program, *of.type, *node.accumulate, elements);
  if (node.operation == Operation::SumOfSquares)
    leaves = images.of(program, Function::Square, *node.accumulate, node.rule, {leaves});
  if (node.operation == Operation::Any || node.operation == Operation::All) {
    leaves = images.of(program, Function::Nez, *of.type, node.rule, {elements});
    return leaves.count() == 1 ? leaves : CodeSet::of(0).united(CodeSet::of(values::one(*node.type)));
  }
  const bool mean = node.operation == Operation::Mean;
  if (mean) question.operation = Operation::Sum;
  CodeSet out = image_of_reduction(question, leaves, count);
  if (mean) out = images.of(program, Function::Div, *node.accumulate, node.rule, {out, divisors_of(program, node)});
  return closed(program, *node.type, converted(program, *node.accumulate, *node.type, out));
}

CodeSet States::multiplied(std::size_t at, Region region) {
  const Node& node = program_.nodes[at];
  const Node& a = program_.nodes[node.operands[0]];
  const Sets left = read_by(at, node.operands[0]), right = read_by(at, node.operands[1]);
  const std::size_t rank = node.dimensions.size();
  const Region inner_a = Region{1} << (rank - 1), inner_b = Region{1} << (rank - 2);
  const Region from_a = without_dimension(region, rank - 1), from_b = without_dimension(region, rank - 2);
  const auto products = [&](Region x, Region y) { return image_of_pairs(program_, images_, node, left[x], right[y]); };
  CodeSet leaves = products(from_a, from_b);
  if (reads_padding(at, region) && exists(a, inner_a))
    leaves = leaves.united(products(from_a | inner_a, from_b | inner_b));
  return leaves.empty() ? CodeSet() : image_of_products(program_, node, leaves);
}

CodeSet image_of_pairs(const Program& program, Images& images, const Node& node, const CodeSet& left,
                       const CodeSet& right) {
  if (left.empty() || right.empty()) return {};
  const auto widened = [&](std::size_t i, const CodeSet& set) {
    return converted(program, *program.nodes[node.operands[i]].type, *node.accumulate, set);
  };
  return images.of(program, Function::Mul, *node.accumulate, node.rule, {widened(0, left), widened(1, right)});
}

CodeSet image_of_products(const Program& program, const Node& node, const CodeSet& products) {
  const Node& a = program.nodes[node.operands[0]];
  const Question question = question_of(program, node, CodeSet::all(*a.type));
  const CodeSet out = image_of_reduction(question, products, a.dimensions.back().padded());
  return closed(program, *node.type, converted(program, *node.accumulate, *node.type, out));
}

}  // namespace vl::neutral::program
