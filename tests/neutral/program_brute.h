// Programs executed as a whole: every slot of every tensor, from inputs with a code of their own in each slot, any
// evaluation of a reduction, and functions that take any value that is stated of them. It shares the parser and the
// meaning of single operations (values, functions.h) with what is tested, and nothing else.
#pragma once

#include <algorithm>
#include <functional>
#include <map>

#include "encodings/values/state.h"
#include "tests/neutral/program_places.h"
#include "tests/neutral/program_trees.h"
#include "tests/neutral/rows_brute.h"
#include "tests/support/drawn_codes.h"
#include "verifier/neutral/program/arithmetic.h"
#include "verifier/neutral/program/judge.h"

namespace vl::test {

namespace chain = neutral::program;
using values::Code;
using values::CodeSet;

class Dense : public Places {
 public:
  /// Inputs drawn from their sets. `fixed`: inputs and unwritten slots hold these codes, reductions go from left to
  /// right and the last of ties comes first; only functions are drawn.
  /// `given`: what slots of inputs hold, by node and place.
  using Given = std::function<Code(std::size_t, Index)>;
  Dense(const chain::Program& program, WideEngine& random, const chain::Assignment* fixed = nullptr, Given given = {})
      : program_(program), random_(random), fixed_(fixed), given_(std::move(given)), seed_(random()) {
    for (const chain::Node& node : program.nodes) {
      padded_.emplace_back(slots(node));
      reference_.emplace_back(slots(node));
      const std::size_t at = padded_.size() - 1;
      if (node.kind == chain::Kind::Input) draw(node, at), reference_[at] = padded_[at];
      else
        for (Index place = 0; place < slots(node); ++place) compute(node, at, place);
    }
  }

  [[nodiscard]] Code padded(std::size_t node, Index place) const {
    return padded_[node][static_cast<std::size_t>(place)];
  }
  [[nodiscard]] Code reference(std::size_t node, Index place) const {
    return reference_[node][static_cast<std::size_t>(place)];
  }

 private:
  using Tensor = std::vector<Code>;

  Code drawn(const values::Format& format, const CodeSet& set) {
    const Code special[] = {0,
                            values::one(format),
                            format.sign(),
                            format.mask(),
                            format.mask() >> 1,
                            1,
                            values::negated(format, values::one(format)),
                            format.sign() | 1};
    for (int i = 0; i < 4; ++i) {
      const Code code = one_of(random_, special);
      if (random_.below(4) != 0 && set.contains(code)) return code;
    }
    return one_of(random_, set);
  }

  void draw(const chain::Node& node, std::size_t at) {
    for (Index place = 0; place < slots(node); ++place) {
      const chain::Region region = region_of(node, index_of(node, place));
      Code& out = padded_[at][static_cast<std::size_t>(place)];
      if (given_) out = given_(at, place);
      else if (fixed_ != nullptr) out = fixed_->inputs[at][region];
      else out = drawn(*node.type, region == 0 ? contents_at(node, index_of(node, place)) : node.padding[region]);
    }
  }
  // The first element of a row that has to have a finite one is that.
  [[nodiscard]] static CodeSet contents_at(const chain::Node& node, const Point& index) {
    const bool first = std::ranges::any_of(node.finite_rows, [&](std::size_t axis) { return index[axis] == 0; });
    return first ? node.contents.intersected(finite_codes(*node.type)) : node.contents;
  }
  Code unwritten_code(const values::Format& format) {
    return fixed_ != nullptr ? fixed_->unwritten & format.mask() : drawn(format, CodeSet::all(format));
  }

  // What becomes of a subnormal number; of what only moves or compares numbers an implementation may leave it.
  [[nodiscard]] Code flushed(const values::Format& format, Code code, bool if_any) const {
    return if_any && format.is_float() && values::is_subnormal(format, code) ? code & format.sign() : code;
  }

  // Sums, products and quotients under an arithmetic. A quotient is computed toward zero in double precision, where a
  // bit that no format has says that it is not exact; so it is rounded once, in any way.
  [[nodiscard]] std::optional<Code> computed_value(const chain::Node& node, const std::vector<Code>& x) const {
    const values::Format& type = *node.type;
    switch (node.function) {
      case neutral::Function::Add: return values::add(type, x[0], x[1], program_.mode);
      case neutral::Function::Sub:
        if (!type.is_float()) return difference(type, x[0], x[1]);
        return values::add(type, x[0], values::negated(type, x[1]), program_.mode);
      case neutral::Function::Mul: return values::mul(type, x[0], x[1], program_.mode);
      case neutral::Function::Square: return values::mul(type, x[0], x[0], program_.mode);
      case neutral::Function::Div: return quotient(type, x[0], x[1]);
      case neutral::Function::Recip: return quotient(type, values::one(type), x[0]);
      default: return std::nullopt;
    }
  }
  // Of at most 32 bits.
  [[nodiscard]] Code difference(const values::Format& type, Code a, Code b) const {
    std::int64_t out = order(type, a) - order(type, b);
    if (program_.mode.integers == values::Integers::Saturate)
      out = std::clamp(out, values::lowest_order(type), values::highest_order(type));
    return static_cast<Code>(out) & type.mask();
  }
  [[nodiscard]] Code quotient(const values::Format& type, Code a, Code b) const {
    const auto& f64 = *values::find_format("f64");
    const auto number = [&](Code code) { return std::bit_cast<double>(values::convert(type, f64, code)); };
    const double n = number(a), d = number(b);
    double q = n / d;
    const double rest = std::fma(q, d, -n);
    if (std::isfinite(q) && q != 0 && rest != 0) {
      auto bits = std::bit_cast<Code>(q);
      if (std::signbit(rest) == std::signbit(n)) --bits;  // it is beyond the exact one
      q = std::bit_cast<double>(bits | 1);
    }
    return flushed(type, values::convert(f64, type, std::bit_cast<Code>(q), program_.mode.rounding),
                   program_.mode.flush != values::Flush::None);
  }

  // One of the codes that a function may give, always the same one for the same operands.
  Code function_value(const chain::Node& node, std::vector<Code> x) {
    const bool floats = node.type->is_float();
    const bool often = (seed_ + static_cast<Code>(node.function)) % 3 != 0;
    if (!is_by_facts(program_, node.function)) {
      for (Code& code : x) code = flushed(*node.type, code, program_.mode.flush == values::Flush::Both);
      if (!(program_.mode == values::Mode{}))
        if (const auto code = computed_value(node, x)) return *code;
    }
    const CodeSet set = possible_values(node, x);
    const Code out = picked(node, x, set);
    if (!floats || is_by_facts(program_, node.function)) return out;
    return flushed(*node.type, out, often && program_.mode.flush != values::Flush::None);
  }

  // By the facts that the operand meets, one by one, or by functions.h.
  [[nodiscard]] CodeSet possible_values(const chain::Node& node, const std::vector<Code>& x) const {
    if (!is_by_facts(program_, node.function)) return neutral::results_of(node.function, *node.type, node.rule, x);
    CodeSet out = CodeSet::all(*node.type);
    if (x.size() > 1) return out;
    const std::string word(node.function == neutral::Function::Recip ? "reciprocal" : neutral::name(node.function));
    for (const values::Fact& fact : program_.facts) {
      if (fact.function != word || (!fact.type.empty() && fact.type != node.type->name)) continue;
      const auto of = values::parse_state(fact.of, *node.type, nullptr),
                 gives = values::parse_state(fact.gives, *node.type, nullptr);
      if (of && gives && of->contains(x[0])) out = out.intersected(*gives);
    }
    return out;
  }

  Code picked(const chain::Node& node, const std::vector<Code>& x, const CodeSet& set) const {
    Code hash = seed_ + static_cast<Code>(node.function) * 0x9E3779B97F4A7C15U;
    for (const Code code : x) hash = (hash ^ code) * 0x9E3779B97F4A7C15U;
    const values::CodeRange& range = set.ranges()[(hash >> 20) % set.ranges().size()];
    return range.first + (hash >> 30) % (range.last - range.first + 1);
  }

  void compute(const chain::Node& node, std::size_t at, Index place) {
    const Point index = index_of(node, place);
    const auto slot = static_cast<std::size_t>(place);
    const auto each = [&](const auto& value) {
      for (auto [tensors, out] : {std::pair{&padded_, &padded_[at]}, std::pair{&reference_, &reference_[at]}})
        (*out)[slot] = value(*tensors);
    };
    switch (node.kind) {
      case chain::Kind::Input: return;
      case chain::Kind::Unknown: return unknown(node, at, index, slot);
      case chain::Kind::Pointwise:
        return each([&](const std::vector<Tensor>& tensors) {
          std::vector<Code> x;
          for (const std::size_t operand : node.operands) x.push_back(tensors[operand][slot]);
          return function_value(node, x);
        });
      case chain::Kind::Cast:
        return each([&](const std::vector<Tensor>& tensors) {
          return cast_of(node, *program_.nodes[node.operands[0]].type, tensors[node.operands[0]][slot]);
        });
      case chain::Kind::Row: return row(node, at, index, slot);
      case chain::Kind::Reduce:
      case chain::Kind::Matmul: return reduce(node, at, index, slot);
      case chain::Kind::Mask:
        if (std::ranges::find(node.masked, region_of(node, index)) == node.masked.end()) break;
        padded_[at][slot] = reference_[at][slot] = node.value;
        return;
      case chain::Kind::Transpose:
      case chain::Kind::Broadcast:
      case chain::Kind::Slice:
      case chain::Kind::Reverse:
      case chain::Kind::Concat:
      case chain::Kind::Reshape: break;
    }
    const auto from = moved_from(program_, node, index);
    if (!from) {
      padded_[at][slot] = reference_[at][slot] = unwritten_code(*node.type);
      return;
    }
    each(
        [&](const std::vector<Tensor>& tensors) { return tensors[from->node][static_cast<std::size_t>(from->place)]; });
  }

  // What an integer does not have may become any of its codes.
  [[nodiscard]] Code cast_of(const chain::Node& node, const values::Format& from, Code code) const {
    const auto out = values::cast(from, *node.type, code, program_.conversion);
    return out.value_or((((seed_ ^ code) * 0x9E3779B97F4A7C15U) >> 20) & node.type->mask());
  }

  // How finely a function looks at a number.
  enum class Sees { Bits, Zeros, Numbers };
  [[nodiscard]] static Code seen(const values::Format& format, Code code, Sees sees) {
    if (sees != Sees::Bits && is_nan(format, code)) return default_nan(format);
    return sees == Sees::Numbers && values::is_zero(format, code) ? 0 : code;
  }

  // What an unknown operation makes of what it reads, as a number that is drawn.
  [[nodiscard]] Code hashed(const chain::Node& node, std::size_t at, std::size_t slot, bool with_padding,
                            Sees sees) const {
    const bool of_place = node.reads == chain::Reads::Place, of_all = node.reads == chain::Reads::Slots;
    Code hash = (seed_ ^ at) * 0x9E3779B97F4A7C15U + (of_place ? 0 : slot);
    for (const std::size_t operand : node.operands) {
      const chain::Node& of = program_.nodes[operand];
      for (Index place = 0; place < slots(of); ++place) {
        if (of_place ? !std::cmp_equal(place, slot)
                     : !(of_all && with_padding) && region_of(of, index_of(of, place)) != 0)
          continue;
        const Code code = (with_padding ? padded_ : reference_)[operand][static_cast<std::size_t>(place)];
        hash = (hash ^ seen(*of.type, code, sees)) * 0xBF58476D1CE4E5B9U;
      }
    }
    return hash >> 17;
  }

  // Any function of the elements; of padded operands, one of their padding, too, if it may read that. One of numbers
  // makes a number of them, and of a NaN or a zero it may be told which.
  void unknown(const chain::Node& node, std::size_t at, const Point& index, std::size_t slot) {
    const bool of_numbers = node.reads == chain::Reads::Numbers;
    if ((of_numbers || node.reads == chain::Reads::Elements) && region_of(node, index) != 0) {
      padded_[at][slot] = reference_[at][slot] = unwritten_code(*node.type);
      return;
    }
    for (const bool with_padding : {true, false}) {
      const auto hash = [&](Sees sees) { return hashed(node, at, slot, with_padding, sees); };
      Code& out = (with_padding ? padded_ : reference_)[at][slot];
      out = hash(of_numbers ? Sees::Numbers : Sees::Bits) & node.type->mask();
      if (!of_numbers || !node.type->is_float()) continue;
      if (hash(Sees::Numbers) % 5 == 0) out = 0;
      const Code sign = has_negative_zero(*node.type) && hash(Sees::Zeros) % 2 == 0 ? node.type->sign() : 0;
      if (values::is_zero(*node.type, out)) out = sign;
      else if (is_nan(*node.type, out)) out = one_of_nans(*node.type, hash(Sees::Bits));
    }
  }
  [[nodiscard]] static Code one_of_nans(const values::Format& format, Code number) {
    const CodeSet all = nans(format);
    const values::CodeRange& range = all.ranges()[number % all.ranges().size()];
    return range.first + (number >> 8) % (range.last - range.first + 1);
  }

  // A row as a whole, by the code of rows_brute.h; its place in the operand is that of the result, but along its axis.
  void row(const chain::Node& node, std::size_t at, const Point& index, std::size_t slot) {
    const chain::Node& a = program_.nodes[node.operands[0]];
    const std::size_t axis = node.axes[0];
    const bool one_each = has_result_per_slot(node), dropped = node.dimensions.size() < a.dimensions.size();
    const auto wanted = static_cast<std::size_t>(dropped ? 0 : index[axis]);
    if (!one_each && !dropped && index[axis] >= node.dimensions[axis].size) {
      padded_[at][slot] = reference_[at][slot] = unwritten_code(*node.type);
      return;
    }
    Point from = index;
    if (dropped) from.insert(from.begin() + static_cast<std::ptrdiff_t>(axis), 0);
    neutral::Question question;
    question.operation = node.operation, question.type = *a.type, question.accumulate = *node.accumulate;
    question.start = node.start, question.max = node.rule, question.divide = node.divide;
    question.ties = node.ties, question.k = node.k;
    const bool last = node.ties == neutral::Ties::Last ||
                      (node.ties == neutral::Ties::Unspecified && (fixed_ != nullptr || seed_ % 2 == 0));
    for (const bool with_pads : {true, false}) {
      rows_brute::Slots slots;
      for (from[axis] = 0; from[axis] < a.dimensions[axis].padded(); ++from[axis]) {
        const auto where = static_cast<std::size_t>(place_of(a, from));
        const Code code = (with_pads ? padded_ : reference_)[node.operands[0]][where];
        slots.push_back({code, from[axis] >= a.dimensions[axis].size});
      }
      const auto results = rows_brute::Executed(question, one_each).results_of(slots, with_pads, last);
      if (wanted >= results.size()) continue;  // the reference has nothing there
      const bool moved = is_index(node.operation) || *node.accumulate == *node.type;
      (with_pads ? padded_ : reference_)[at][slot] =
          moved ? results[wanted] : convert(*node.accumulate, *node.type, results[wanted]);
    }
  }

  // What a slot of the result adds up. Nothing of a kept dimension's padding.
  [[nodiscard]] std::optional<std::vector<Leaf>> leaves_of(const chain::Node& node, const Point& index) const {
    const chain::Node& a = program_.nodes[node.operands[0]];
    const std::size_t rank = a.dimensions.size();
    const bool pairs = node.kind == chain::Kind::Matmul;
    std::vector<Leaf> leaves;
    for (Index place = 0; place < slots(a); ++place) {
      const Point from = index_of(a, place);
      bool mine = true, pad = false;
      for (std::size_t i = 0, next = 0; i < rank; ++i) {
        const bool axis = pairs ? i == rank - 1 : std::ranges::find(node.axes, i) != node.axes.end();
        if (axis) pad = pad || from[i] >= a.dimensions[i].size;
        if (axis && !pairs && !node.keep) continue;
        if (axis && !pairs && index[next] > 0) return std::nullopt;
        if (axis) ++next;
        else mine = mine && from[i] == index[next++];
      }
      if (!mine) continue;
      Leaf leaf{false,
                pad,
                {padded_[node.operands[0]][static_cast<std::size_t>(place)], 0},
                {reference_[node.operands[0]][static_cast<std::size_t>(place)], 0}};
      if (pairs) {
        Point other = index;
        other[rank - 2] = from[rank - 1];
        const auto where = static_cast<std::size_t>(place_of(program_.nodes[node.operands[1]], other));
        leaf.padded.b = padded_[node.operands[1]][where];
        leaf.reference.b = reference_[node.operands[1]][where];
      }
      leaves.push_back(leaf);
    }
    return leaves;
  }

  void reduce(const chain::Node& node, std::size_t at, const Point& index, std::size_t slot) {
    const auto leaves = leaves_of(node, index);
    if (!leaves) {
      padded_[at][slot] = reference_[at][slot] = unwritten_code(*node.type);
      return;
    }
    neutral::Question question;
    question.operation = node.operation;
    question.type = *program_.nodes[node.operands[0]].type;
    question.accumulate = *node.accumulate;
    question.start = node.start;
    question.tree = fixed_ != nullptr ? neutral::Tree::Sequential : node.tree;
    question.max = node.rule;
    question.fused = node.fused;
    question.divide = node.divide;
    question.mode = program_.mode;
    const std::uint64_t order = random_();
    for (const bool with_pads : {true, false}) {
      Code out = evaluated(question, *leaves, order, with_pads);
      if (node.operation == neutral::Operation::Mean) {
        const auto counted = std::ranges::count_if(*leaves, [&](const Leaf& leaf) {
          return !leaf.pad || (with_pads && node.divide == neutral::Divide::Padded);
        });
        const auto& f64 = *values::find_format("f64");
        const Code count = values::convert(f64, *node.accumulate, std::bit_cast<Code>(static_cast<double>(counted)));
        const bool both = program_.mode.flush == values::Flush::Both;
        out = quotient(*node.accumulate, flushed(*node.accumulate, out, both), count);
      }
      (with_pads ? padded_ : reference_)[at][slot] = result_of(node, out);
    }
  }

  [[nodiscard]] Code result_of(const chain::Node& node, Code code) const {
    if (node.operation == neutral::Operation::Any || node.operation == neutral::Operation::All)
      return code != 0 ? values::one(*node.type) : Code{0};
    return *node.accumulate == *node.type ? code : convert(*node.accumulate, *node.type, code, program_.conversion);
  }

  const chain::Program& program_;
  WideEngine& random_;
  const chain::Assignment* fixed_;
  Given given_;
  std::uint64_t seed_;
  std::vector<Tensor> padded_, reference_;
};

}  // namespace vl::test
