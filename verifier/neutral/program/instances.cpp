// The programs that a profile allows.
#include <fmt/format.h>

#include <algorithm>

#include "verifier/neutral/alternatives.h"
#include "verifier/neutral/program/arithmetic.h"

namespace vl::neutral::program {
namespace {

using values::Entry;

constexpr std::size_t kMostInstances = 4096, kMostLines = std::size_t{1} << 18;  // of one program, and of all together

const Format& type_read_by(const Program& program, const Node& node) { return *program.nodes[node.operands[0]].type; }

bool is_relevant(const Program& program, const Node& node, Entry entry) {
  if (entry == Entry::Conversion) return node.kind == Kind::Cast || is_reader(node);
  if (is_reader(node)) {
    const auto relevant = relevant_entries(node.operation, type_read_by(program, node));
    return std::ranges::find(relevant, entry) != relevant.end();
  }
  if (node.kind != Kind::Pointwise) return false;
  if (entry == Entry::Max)
    return node.type->is_float() && (node.function == Function::Max || node.function == Function::Min);
  if (entry == Entry::Integers) return !node.type->is_float();
  return (entry == Entry::Rounding || entry == Entry::Flush) && node.type->is_float();
}

// Whether an arithmetic says that of a line.
bool is_open(const Program& program, const Node& node, Entry entry) {
  return std::ranges::find(node.said, entry) == node.said.end() && is_relevant(program, node, entry);
}

// The accumulator of a profile, if it has every number of the type; null stands for the type.
const Format* accumulator_of(const Format& type, const Format* wide) {
  const bool fits = wide != nullptr && wide->is_float() == type.is_float() && values::is_exact(type, *wide);
  return fits ? wide : values::find_element_format(type.name);
}

struct Choice {
  values::Arithmetic arithmetic;
  const Format* accumulate = nullptr;
  std::vector<std::pair<Entry, std::string_view>> said;
};

void apply(Program& program, const Choice& choice) {
  const values::Arithmetic& with = choice.arithmetic;
  program.mode = {with.rounding, with.flush, with.integers};
  program.conversion = with.conversion;
  for (Node& node : program.nodes) {
    const auto says = [&](Entry entry) { return is_open(program, node, entry); };
    if (says(Entry::Max)) node.rule = with.max;
    if (!is_reader(node)) continue;
    if (says(Entry::Accumulate)) node.accumulate = accumulator_of(type_read_by(program, node), choice.accumulate);
    if (says(Entry::Start)) node.start = with.start;
    if (node.start == Start::MinusZero && !has_negative_zero(*node.accumulate)) node.start = Start::Zero;
    if (says(Entry::Order)) node.tree = with.order;
    if (says(Entry::Fused)) node.fused = with.products == values::Products::Fused;
    if (says(Entry::Ties)) node.ties = with.ties;
  }
}

bool are_same(const Program& a, const Program& b) {
  const auto same = [](const Node& one, const Node& other) {
    return one.accumulate == other.accumulate && one.start == other.start && one.tree == other.tree &&
           one.rule == other.rule && one.fused == other.fused && one.ties == other.ties;
  };
  return a.mode == b.mode && a.conversion == b.conversion && std::ranges::equal(a.nodes, b.nodes, same);
}

class Allowed {
 public:
  Allowed(const Program& program, const values::Profile& profile) : program_(program), profile_(profile) {}

  // Of every entry that some line leaves open each value, of the others the first. Nothing: too many.
  std::optional<std::vector<Choice>> all() {
    for (const Entry entry : values::entries()) {
      bool open = false;
      for (const Node& node : program_.nodes) open = open || is_open(program_, node, entry);
      add(entry, open);
      if (choices_.size() > kMostInstances || choices_.size() * program_.nodes.size() > kMostLines) return std::nullopt;
    }
    return std::move(choices_);
  }

 private:
  template <class T>
  void with_each(Entry entry, bool open, const std::vector<T>& values, auto set) {
    std::vector<Choice> out;
    for (const T& value : values) {
      for (const Choice& choice : choices_) {
        Choice& next = out.emplace_back(choice);
        set(next, value);
        const auto word = entry != Entry::Accumulate   ? value_of(next.arithmetic, entry)
                          : next.accumulate == nullptr ? std::string_view("element")
                                                       : std::string_view(next.accumulate->name);
        if (open) next.said.emplace_back(entry, word);
      }
      if (!open) break;
    }
    choices_ = std::move(out);
  }

  void add(Entry entry, bool open) {
    const auto each = [&](const auto& values, auto set) { with_each(entry, open, values, set); };
    switch (entry) {
      case Entry::Accumulate: return each(accumulators(), [](Choice& c, auto v) { c.accumulate = v; });
      case Entry::Start: return each(profile_.start, [](Choice& c, auto v) { c.arithmetic.start = v; });
      case Entry::Order: return each(profile_.order, [](Choice& c, auto v) { c.arithmetic.order = v; });
      case Entry::Max: return each(profile_.max, [](Choice& c, auto v) { c.arithmetic.max = v; });
      case Entry::Flush: return each(profile_.flush, [](Choice& c, auto v) { c.arithmetic.flush = v; });
      case Entry::Integers: return each(profile_.integers, [](Choice& c, auto v) { c.arithmetic.integers = v; });
      case Entry::Fused: return each(profile_.products, [](Choice& c, auto v) { c.arithmetic.products = v; });
      case Entry::Ties: return each(profile_.ties, [](Choice& c, auto v) { c.arithmetic.ties = v; });
      case Entry::Rounding: return each(profile_.rounding, [](Choice& c, auto v) { c.arithmetic.rounding = v; });
      case Entry::Conversion: return each(profile_.conversion, [](Choice& c, auto v) { c.arithmetic.conversion = v; });
    }
  }

  // Those that are the accumulator of some line; the first one always.
  [[nodiscard]] std::vector<const Format*> accumulators() const {
    std::vector<const Format*> out;
    for (const Format* wide : profile_.accumulate) {
      const bool used = std::ranges::any_of(program_.nodes, [&](const Node& node) {
        return wide == nullptr || (is_reader(node) && is_open(program_, node, Entry::Accumulate) &&
                                   *accumulator_of(type_read_by(program_, node), wide) == *wide);
      });
      if (used) out.push_back(wide);
    }
    if (out.empty()) out.push_back(nullptr);
    return out;
  }

  const Program& program_;
  const values::Profile& profile_;
  std::vector<Choice> choices_ = std::vector<Choice>(1);
};

}  // namespace

Result<std::vector<Instance>> instances(const Program& program, const values::Profile& profile) {
  const auto choices = Allowed(program, profile).all();
  if (!choices)
    return Error{ErrorCode::Value,
                 fmt::format("the profile allows too many arithmetics of this program; say more of its entries, as in "
                             "\"{} accumulate=f32 start=+0\"",
                             profile.name),
                 0};
  std::vector<Instance> out;
  for (const Choice& choice : *choices) {
    Instance next{choice.said, program};
    next.program.facts = profile.facts;
    next.program.has_arithmetic = true;
    apply(next.program, choice);
    const auto known = [&](const Instance& other) { return are_same(other.program, next.program); };
    if (std::ranges::none_of(out, known)) out.push_back(std::move(next));
  }
  return out;
}

std::string in_words(const Instance& instance) {
  std::string out;
  for (const auto& [entry, value] : instance.said)
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", name(entry), value);
  return out;
}

}  // namespace vl::neutral::program
