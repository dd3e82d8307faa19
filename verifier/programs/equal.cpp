#include "verifier/programs/equal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "encodings/notation/mlir.h"
#include "verifier/neutral/program/explain.h"
#include "verifier/neutral/program/judge.h"
#include "verifier/neutral/program/place.h"
#include "verifier/neutral/words.h"
#include "verifier/programs/layouts.h"
#include "verifier/programs/lines.h"

namespace vl::programs {
namespace {

namespace chain = neutral::program;
using chain::Kind;
using chain::Node;

constexpr int kMostPairs = 20'000;  // of lines that are compared

std::vector<Index> sizes_of(const Node& node) {
  std::vector<Index> out;
  for (const chain::Dimension& dimension : node.dimensions) out.push_back(dimension.size);
  return out;
}

// A tensor of h, whose elements are those of a line of @f, and whose slots those of one of @g.
struct Twin {
  std::string name;
  std::vector<Index> sizes, slots;

  [[nodiscard]] bool is_padded() const { return sizes != slots; }
  // Each size that is longer in @g is padded to that.
  [[nodiscard]] std::string tile() const {
    std::vector<Index> granules;
    for (std::size_t i = 0; i < sizes.size(); ++i) granules.push_back(slots[i] > sizes[i] ? slots[i] : 1);
    return is_padded() ? fmt::format(" tile({})", fmt::join(granules, ",")) : "";
  }
};

// Makes h. `f` has the elements, `g` the slots.
class Twins {
 public:
  Twins(const Lines& f, const Lines& g) : f_(f), g_(g) {}

  // Null: no line of @f is that of @g; why() says of which.
  const Twin* of(const std::string& n, const std::string& m) {
    const auto key = std::pair(n, m);
    if (const auto found = all_.find(key); found != all_.end())
      return found->second.name.empty() ? nullptr : &found->second;
    all_[key] = {};
    if (--pairs_ < 0) return fail(m, "more lines than are compared");
    const Node *small = f_.all.at(n).node, *large = g_.all.at(m).node;
    if (small == nullptr || large == nullptr) return fail(m, "no output depends on it");
    std::optional<Twin> made = same(n, m);
    if (!made && g_.all.at(m).words[0] == "pad") made = padded(n, m);
    if (!made && g_.all.at(m).words[0] == "slice") made = cut(n, m);
    if (!made) return fail(m, "no line of the other function computes the same");
    if (small->type != large->type) return fail(m, "it has another type");
    why_.clear(), failed_at_.clear();
    lines_of_[made->name] = m;
    return &(all_[key] = std::move(*made));
  }

  [[nodiscard]] const std::string& text() const { return text_; }
  // What h has less padding of than @g has elements: runs of h are none of @g then.
  [[nodiscard]] bool is_rough() const { return rough_; }
  [[nodiscard]] const std::string& failed_at() const { return failed_at_; }
  [[nodiscard]] const std::string& why() const { return why_; }
  // The line of @g whose slots a tensor of h has; empty: of a part of one.
  [[nodiscard]] std::string line_of(const std::string& name) const {
    const auto found = lines_of_.find(name);
    return found == lines_of_.end() ? "" : found->second;
  }

 private:
  const Twin* fail(const std::string& at, std::string why) {
    if (why_.empty()) failed_at_ = at, why_ = std::move(why);
    return nullptr;
  }

  std::string add(const std::string& words) {
    std::string name = fmt::format("h{}", count_++);
    text_ += fmt::format("{} = {}\n", name, words);
    return name;
  }

  static std::optional<Twin> twin(const Node& small, const Node& large) {
    Twin out{{}, sizes_of(small), sizes_of(large)};
    if (out.sizes.size() != out.slots.size()) return std::nullopt;
    for (std::size_t i = 0; i < out.sizes.size(); ++i)
      if (out.slots[i] < out.sizes[i]) return std::nullopt;
    return out;
  }

  // Inputs in the same place, and constants of the same number.
  std::optional<Twin> source(const std::string& n, const std::string& m) {
    const Line &small = f_.all.at(n), &large = g_.all.at(m);
    auto out = twin(*small.node, *large.node);
    if (!out || small.words[0] != large.words[0]) return std::nullopt;
    if (small.words[0] == "input") {
      const auto place = [](const Lines& lines, const std::string& name) {
        return std::ranges::find(lines.inputs, name) - lines.inputs.begin();
      };
      const auto at = place(f_, n);
      const bool is_argument = at < std::ssize(f_.inputs);  // and not a constant whose data nobody reads
      if (small.words != large.words || !is_argument || at != place(g_, m)) return std::nullopt;
      out->name = add(fmt::format("{}", fmt::join(small.words, " ")));
      return out;
    }
    if (small.node->contents != large.node->contents || small.node->contents.count() != 1) return std::nullopt;
    const std::string code = fmt::format("bits:0x{:X}", small.node->contents.ranges().front().first);
    out->name = add(fmt::format("constant {}[{}] {}{}{}", small.node->type->name, fmt::join(out->sizes, ","), code,
                                out->tile(), out->is_padded() ? " padding " + code : ""));
    return out;
  }

  // Whether a line says all that its operation does: of one that is not known it does not, and two of them are two.
  static bool says_all(const Node& node) {
    switch (node.kind) {
      case Kind::Pointwise:
      case Kind::Cast:
      case Kind::Reduce:
      case Kind::Row:
      case Kind::Matmul:
      case Kind::Transpose:
      case Kind::Reshape:
      case Kind::Concat:
      case Kind::Slice:
      case Kind::Broadcast:
      case Kind::Reverse: return true;
      default: return false;
    }
  }

  // Whether all slots of a line are computed from those of its operands, which may be padded.
  static bool computes_padding(const Line& line, const std::vector<const Twin*>& operands) {
    const Node& node = *line.node;
    const bool padded = std::ranges::any_of(operands, &Twin::is_padded);
    switch (node.kind) {
      case Kind::Pointwise:
      case Kind::Cast:
      case Kind::Reduce:
      case Kind::Row:
      case Kind::Matmul:
      case Kind::Transpose:
      case Kind::Broadcast: return line.words[0] != "pad" || !padded;
      case Kind::Concat:  // not along what it joins
        return std::ranges::all_of(operands, [&](const Twin* each) {
          const std::size_t axis = node.axes.front();
          return !each->is_padded() || (line.words[0] == "concat" && each->sizes[axis] == each->slots[axis]);
        });
      default: return !padded;
    }
  }

  // Whether @f may broadcast the one element of a dimension of which @g reads the elements that it padded.
  static bool broadcasts_pads(const Line& line, const std::vector<const Twin*>& operands) {
    const Kind kind = line.node->kind;
    if (kind != Kind::Pointwise && kind != Kind::Matmul && kind != Kind::Broadcast) return false;
    return std::ranges::any_of(operands, [](const Twin* each) {
      for (std::size_t i = 0; i < each->sizes.size(); ++i)
        if (each->sizes[i] == 1 && each->slots[i] > 1) return true;
      return false;
    });
  }

  // What a count of elements is divided by is that of all slots in @g.
  static void divide_by_slots(std::vector<std::string>& words) {
    const auto counts = {"mean", "variance", "welford", "layernorm", "rmsnorm"};
    if (std::ranges::find(counts, words[0]) == counts.end()) return;
    const auto divide = std::ranges::find(words, "divide");
    if (divide == words.end()) words.insert(words.end(), {"divide", "P"});
    else if (divide + 1 != words.end()) *(divide + 1) = "P";
  }

  // The same operation on operands that match.
  std::optional<Twin> same(const std::string& n, const std::string& m) {
    const Line &small = f_.all.at(n), &large = g_.all.at(m);
    if (small.node->kind == Kind::Input && large.node->kind == Kind::Input) return source(n, m);
    auto out = twin(*small.node, *large.node);
    if (!out || !says_all(*small.node) || small.words.size() != large.words.size()) return std::nullopt;
    if (small.beside != large.beside) return std::nullopt;
    std::vector<std::string> words = small.words;
    std::vector<const Twin*> operands;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& theirs = large.words[i];
      if (i > 0 && f_.has(words[i]) && g_.has(theirs)) {
        const Twin* operand = of(words[i], theirs);
        if (operand == nullptr) return std::nullopt;
        operands.push_back(operand), words[i] = operand->name;
      } else if (words[i] != theirs) {
        if (words[0] != "broadcast" || words[2] != "to" || i != 3) return std::nullopt;
      }
    }
    if (!computes_padding(small, operands) || broadcasts_pads(small, operands)) return std::nullopt;
    if (words[0] == "broadcast" && out->is_padded()) {
      if (words.back().starts_with("tile(")) return std::nullopt;
      words.push_back(out->tile().substr(1));
    }
    const bool padded = std::ranges::any_of(operands, &Twin::is_padded);
    if (padded) divide_by_slots(words);
    out->name = add(fmt::format("{}", fmt::join(words, " ")));
    // What `keep` leaves of a padded dimension is padded in the language, and one element in @g.
    if (padded && std::ranges::find(words, "keep") != words.end()) {
      rough_ = rough_ || out->is_padded();
      out->name = add(fmt::format("reshape {} [{}]{}", out->name, fmt::join(out->sizes, ","),
                                  out->is_padded() ? out->tile() : ones(out->sizes.size())));
    }
    return out;
  }

  static std::string ones(std::size_t rank) {
    return rank == 0 ? "" : fmt::format(" tile({})", fmt::join(std::vector<Index>(rank, 1), ","));
  }

  // @g writes elements behind those of a line of @f.
  std::optional<Twin> padded(const std::string& n, const std::string& m) {
    const auto& words = g_.all.at(m).words;  // pad a low (…) high (…) with V
    auto out = twin(*f_.all.at(n).node, *g_.all.at(m).node);
    if (!out || words.size() != 8 || words[2] != "low" || words[6] != "with" || !g_.has(words[1])) return std::nullopt;
    const auto low = mlir::integers_of("[" + words[3].substr(1, words[3].size() - 2) + "]");
    if (!low || std::ranges::any_of(*low, [](Index i) { return i != 0; })) return std::nullopt;
    std::string value = words[7];
    if (g_.has(value)) {
      const Node* constant = g_.all.at(value).node;
      if (constant == nullptr || !constant->constant || constant->contents.count() != 1) return std::nullopt;
      value = fmt::format("bits:0x{:X}", constant->contents.ranges().front().first);
    }
    const Twin* of_it = of(n, words[1]);
    if (of_it == nullptr || of_it->is_padded() || !out->is_padded()) return std::nullopt;
    const std::string moved =
        add(fmt::format("reshape {} [{}]{}", of_it->name, fmt::join(out->sizes, ","), out->tile()));
    out->name = add(fmt::format("mask {} with {}", moved, value));
    return out;
  }

  // @g cuts away what is behind the elements of a line of @f.
  std::optional<Twin> cut(const std::string& n, const std::string& m) {
    const auto& words = g_.all.at(m).words;  // slice a over D at 0..N
    auto out = twin(*f_.all.at(n).node, *g_.all.at(m).node);
    if (!out || words.size() != 6 || !words[5].starts_with("0..") || !g_.has(words[1])) return std::nullopt;
    const Twin* of_it = of(n, words[1]);
    if (of_it == nullptr) return std::nullopt;
    rough_ = rough_ || out->is_padded();
    out->name = add(fmt::format("reshape {} [{}]{}", of_it->name, fmt::join(out->sizes, ","),
                                out->is_padded() ? out->tile() : ones(out->sizes.size())));
    return out;
  }

  const Lines &f_, &g_;
  std::map<std::pair<std::string, std::string>, Twin> all_;
  std::map<std::string, std::string> lines_of_;
  std::string text_, failed_at_, why_;
  int count_ = 0, pairs_ = kMostPairs;
  bool rough_ = false;
};

struct Made {
  chain::Program program;
  bool rough = false;
};

Error no_twin(std::string why) { return {ErrorCode::Value, std::move(why), 0}; }

// Whether each tensor of h has the slots of its line of @g, and no other one.
bool has_slots(const chain::Program& h, const Twins& twins, const Lines& g) {
  return std::ranges::all_of(h.nodes, [&](const Node& node) {
    const std::string line = node.implicit ? "" : twins.line_of(node.name);
    if (line.empty()) return true;
    std::vector<Index> slots;
    for (const chain::Dimension& dimension : node.dimensions) slots.push_back(dimension.padded());
    return slots == sizes_of(*g.all.at(line).node);
  });
}

std::variant<std::string, Error> text_of(const Lines& f, const Lines& g, Twins& twins) {
  const auto is_padded = [](const Lines& lines) {
    return std::ranges::any_of(
        lines.all, [](const auto& each) { return each.second.node != nullptr && chain::is_padded(*each.second.node); });
  };
  if (is_padded(f) || is_padded(g)) return no_twin("a tensor of the functions has padding of its own");
  if (f.outputs.size() != g.outputs.size()) return no_twin("they put out another number of tensors");
  if (f.equality != g.equality) return no_twin("their results are compared in two ways");
  std::vector<std::string> outputs;
  for (std::size_t i = 0; i < f.outputs.size(); ++i) {
    const Twin* twin = twins.of(f.outputs[i], g.outputs[i]);
    if (twin == nullptr || twin->is_padded()) {
      const std::string at = twins.failed_at().empty() ? g.outputs[i] : twins.failed_at();
      const Node* node = g.all.at(at).node;
      return no_twin(fmt::format("line {}, {}: {}", node == nullptr ? 0 : node->line, node == nullptr ? at : node->name,
                                 twins.why().empty() ? "it is longer" : twins.why()));
    }
    outputs.push_back(twin->name);
  }
  return fmt::format("{}{}\noutput {}\n", twins.text(), f.equality, fmt::join(outputs, " "));
}

std::variant<Made, Error> twin_program(const ReadProgram& small, const ReadProgram& large) {
  const Lines f(small), g(large);
  Twins twins(f, g);
  auto text = text_of(f, g, twins);
  if (auto* none = std::get_if<Error>(&text)) return std::move(*none);
  auto program = chain::parse_program(std::get<std::string>(text), layout_of_input);
  if (!program) return no_twin("the two are no program: " + program.error().message);
  if (!has_slots(*program, twins, g)) return no_twin("a tensor has other slots than elements");
  for (Node& node : program->nodes) {
    const std::string line = twins.line_of(node.name);
    if (line.empty()) continue;
    const Node& of = *g.all.at(line).node;
    node.name = of.name, node.line = of.line;
  }
  return Made{std::move(*program), twins.is_rough()};
}

// A number as people write it; of a run on sets all that it can be.
std::string value_of(const Node& node, const values::CodeSet& set) {
  return set.count() == 1 ? chain::value_in_words(*node.type, set.ranges().front().first)
                          : neutral::set_in_words(*node.type, set);
}

EqualAnswer answer_of(const Made& made, const std::string& small, const std::string& large) {
  EqualAnswer out;
  out.assumes.push_back(
      fmt::format("{} and {} reduce in the same order, take an initial value at the end, and compute functions alike",
                  small, large));
  auto trust = question::Trust::Checked;
  for (const chain::OutputAnswer& each : chain::answer_by_output({{{}, made.program}})) {
    const chain::Program& program = each.instances[each.found.at].program;
    const chain::ProgramAnswer& answer = each.found.answer;
    for (std::string& text : assumptions(program, answer))
      if (!text.starts_with("a mask writes") && std::ranges::find(out.assumes, text) == out.assumes.end())
        out.assumes.push_back(std::move(text));
    if (const auto* refuted = std::get_if<chain::ProgramRefuted>(&answer.verdict); refuted != nullptr && !made.rough) {
      const Node& node = program.nodes[refuted->output];
      question::Counterexample shown;
      shown.fields = {{"index", refuted->at}};
      shown.explanation = fmt::format("{}[{}] is {} in {}, and {} in {}", node.name, fmt::join(refuted->at, ","),
                                      value_of(node, refuted->got), large, value_of(node, refuted->want), small);
      out.words = explained(program, *refuted, answer.leaks);
      std::erase_if(out.words, [](const std::string& line) { return line.starts_with("slot "); });  // h has no sticks
      out.verdict = question::Refuted{engine_of(answer), std::move(shown)};
      out.shown = {{program, answer}};
      return out;
    }
    if (!std::holds_alternative<chain::ProgramProved>(answer.verdict)) {
      const auto* unknown = std::get_if<chain::ProgramUnknown>(&answer.verdict);
      out.verdict = question::Unknown{question::Reason::Incomplete,
                                      unknown != nullptr ? unknown->reason : "no run of both that differs was found",
                                      {}};
      return out;
    }
    if (!each.found.checked) trust = question::Trust::Trusted;
    out.shown.emplace_back(program, answer);
  }
  out.verdict = question::Proved{"chain", trust, {}, {}};
  out.note = fmt::format("{} and {} put out the same", small, large);
  return out;
}

}  // namespace

bool have_one_signature(const mlir::Function& f, const mlir::Function& g) {
  return f.results == g.results &&
         std::ranges::equal(f.arguments, g.arguments, {}, &mlir::Argument::type, &mlir::Argument::type);
}

EqualAnswer equal(const ReadProgram& f, const ReadProgram& g) {
  auto made = twin_program(f, g);
  if (const auto* found = std::get_if<Made>(&made)) return answer_of(*found, f.function.name, g.function.name);
  const auto other_way = twin_program(g, f);
  if (const auto* found = std::get_if<Made>(&other_way)) return answer_of(*found, g.function.name, f.function.name);
  EqualAnswer out;
  out.verdict = question::Unknown{question::Reason::Incomplete, std::get<Error>(made).message, {}};
  return out;
}

bool is_twin_of(const std::string& program, const ReadProgram& f, const ReadProgram& g, bool refuted) {
  auto made = twin_program(f, g);
  if (std::holds_alternative<Error>(made)) made = twin_program(g, f);
  const auto* found = std::get_if<Made>(&made);
  return found != nullptr && found->program.text == program && !(refuted && found->rough);
}

}  // namespace vl::programs
