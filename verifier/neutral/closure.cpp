#include "verifier/neutral/closure.h"

#include <algorithm>
#include <array>

#include "verifier/neutral/sweep.h"

namespace vl::neutral {
namespace {

constexpr std::size_t kCodes = 256, kMostClosed = 40;

// A leaf, and a term that gives it.
struct Leaf {
  Code code = 0;
  Term term;
};

std::vector<Leaf> leaves_of(const Question& question, const std::vector<Term>& terms) {
  std::array<bool, kCodes> known{};
  std::vector<Leaf> out;
  for (const Term& term : terms) {
    const Code code = leaf(question, term);
    if (!known.at(code)) out.push_back({code, term});
    known.at(code) = true;
  }
  return out;
}

// A result, if an evaluation shows that it differs from its reference.
std::optional<Verdict> refuted_by(const Question& question, const Evaluation& shown) {
  const Code got = result(question, shown, true), want = result(question, shown, false);
  if (equals(question, got, want)) return std::nullopt;
  return Refuted{shown, got, want, 0, false};
}

// Pairs of partial results from left to right, each with the row that leads to it.
class Rows {
 public:
  Rows(const Question& question, const std::vector<Leaf>& valid, const std::vector<Leaf>& pads)
      : question_(question), valid_(valid), pads_(pads), steps_(2 * (kCodes + 1) * (kCodes + 1)) {}

  std::optional<Verdict> decide() {
    const Code start = question_.start == Start::First ? kCodes : start_of(question_);
    take({start, start, false}, {});
    for (std::size_t next = 0; next < found_.size(); ++next) {
      const Pair at = found_[next];
      if (at.valid && !equals(question_, at.with, at.without)) return refuted_by(question_, row_to(at));
      for (const Leaf& pad : pads_) take({joined(at.with, pad.code), at.without, at.valid}, {at, pad.term, true});
      for (const Leaf& one : valid_)
        take({joined(at.with, one.code), joined(at.without, one.code), true}, {at, one.term, false});
    }
    return Proved{"closure", "no pair of partial results with the pads and without them is unequal"};
  }

 private:
  struct Pair {
    Code with = 0, without = 0;  // kCodes: of no term
    bool valid = false;          // there was a valid term
  };
  struct Step {
    Pair before;
    Term term;
    bool pad = false;
    bool known = false;
  };

  static std::size_t place_of(const Pair& pair) {
    return 2 * (pair.with * (kCodes + 1) + pair.without) + (pair.valid ? 1 : 0);
  }
  [[nodiscard]] Code joined(Code sum, Code leaf) const { return sum == kCodes ? leaf : combined(question_, sum, leaf); }
  void take(const Pair& pair, Step step) {
    Step& known = steps_[place_of(pair)];
    if (known.known) return;
    step.known = true;
    known = step;
    found_.push_back(pair);
  }

  [[nodiscard]] Evaluation row_to(Pair at) const {
    std::vector<Step> row;
    while (at.valid || at.with != first().with) {
      row.push_back(steps_[place_of(at)]);
      at = row.back().before;
    }
    Evaluation out;
    if (question_.start != Start::First) out.shape = "s";
    for (; !row.empty(); row.pop_back()) {
      const bool alone = out.shape.empty();
      out.shape += row.back().pad ? 'p' : 'c';
      if (!alone) out.shape += '+';
      (row.back().pad ? out.pads : out.valid).push_back(row.back().term);
    }
    return out;
  }
  [[nodiscard]] const Pair& first() const { return found_.front(); }

  const Question& question_;
  const std::vector<Leaf>&valid_, &pads_;
  std::vector<Step> steps_;  // by place
  std::vector<Pair> found_;
};

// Reached of trees, each with one of them; of one with too many leaves its shape is empty.
using Reached = std::vector<std::pair<Code, Evaluation>>;

Evaluation joined(const Evaluation& a, const Evaluation& b) {
  if (a.shape.empty() || b.shape.empty() || a.shape.size() + b.shape.size() > 2 * kMostClosed) return {};
  Evaluation out{a.shape + b.shape + "+", a.valid, a.pads};
  out.valid.insert(out.valid.end(), b.valid.begin(), b.valid.end());
  out.pads.insert(out.pads.end(), b.pads.begin(), b.pads.end());
  return out;
}

// The closure of results under ∘ with others, on either side; without others with themselves.
Reached closed(const Question& question, const Reached& seeds, const Reached* others) {
  std::array<bool, kCodes> known{};
  Reached out;
  const auto take = [&](Code code, const auto& evaluation) {
    if (known.at(code)) return;
    known.at(code) = true;
    out.emplace_back(code, evaluation());
  };
  for (const auto& [code, evaluation] : seeds) take(code, [&, &seed = evaluation] { return seed; });
  for (std::size_t next = 0; next < out.size(); ++next) {
    for (std::size_t i = 0; i < (others != nullptr ? others->size() : next + 1); ++i) {
      const Reached& from = others != nullptr ? *others : out;
      const Code a = out[next].first, b = from[i].first;
      take(combined(question, a, b), [&] { return joined(out[next].second, from[i].second); });
      take(combined(question, b, a), [&] { return joined(from[i].second, out[next].second); });
    }
  }
  return out;
}

Reached reached_by(const std::vector<Leaf>& leaves, bool pads) {
  Reached out;
  for (const Leaf& one : leaves) {
    if (pads) out.emplace_back(one.code, Evaluation{"p", {}, {one.term}});
    else out.emplace_back(one.code, Evaluation{"c", {one.term}, {}});
  }
  return out;
}

// Trees of which a difference counts: they have a valid term, and the start if there is one.
std::optional<Verdict> shown_by(const Question& question, const Evaluation& tree, const Reached& valid,
                                const Evaluation& start) {
  if (tree.shape.empty()) return std::nullopt;
  const bool started = start.shape.empty() || tree.shape.find('s') != std::string::npos;
  if (started && !tree.valid.empty()) return refuted_by(question, tree);
  if (!started) {
    if (const Evaluation whole = joined(tree, start); !whole.shape.empty()) return refuted_by(question, whole);
    return std::nullopt;
  }
  for (const auto& [code, one] : valid)
    if (const Evaluation whole = joined(tree, one); !whole.shape.empty())
      if (auto found = refuted_by(question, whole)) return found;
  return std::nullopt;
}

std::optional<Verdict> decide_trees(const Question& question, const std::vector<Leaf>& valid,
                                    const std::vector<Leaf>& pads) {
  const Reached alone = closed(question, reached_by(valid, false), nullptr);
  const Reached fills = closed(question, reached_by(pads, true), nullptr);
  Reached all = alone;
  Evaluation start;
  if (question.start != Start::First) {
    start.shape = "s";
    const Reached started = closed(question, {{start_of(question), start}}, &alone);
    all.insert(all.begin(), started.begin(), started.end());
  }
  bool open = false;
  for (const auto& [a, with_a] : all)
    for (const auto& [q, with_q] : fills) {
      const bool right = equals(question, combined(question, a, q), a),
                 left = equals(question, combined(question, q, a), a);
      if (right && left) continue;
      const Evaluation tree = right ? joined(with_q, with_a) : joined(with_a, with_q);
      if (auto found = shown_by(question, tree, alone, start)) return found;
      open = true;
    }
  if (open) return std::nullopt;
  return Proved{"closure", "no result that valid terms can have is changed by one of pads alone"};
}

}  // namespace

std::optional<Verdict> decide_by_closure(const Question& question, const CodeSet& a, const CodeSet* b) {
  const bool tree = !is_row(question.operation) && question.operation != Operation::Mean && !question.fused;
  if (!tree || question.accumulate.bits > 8) return std::nullopt;
  const bool pairs = question.operation == Operation::Dot;
  const auto elements = terms_of(question.contents, pairs ? &question.contents : nullptr), fills = terms_of(a, b);
  if (!elements || !fills) return std::nullopt;
  const std::vector<Leaf> valid = leaves_of(question, *elements), pads = leaves_of(question, *fills);
  if (question.tree == Tree::Sequential) return Rows(question, valid, pads).decide();
  return decide_trees(question, valid, pads);
}

}  // namespace vl::neutral
