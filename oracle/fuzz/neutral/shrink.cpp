// Smaller rows: a term less, the plain tree, a simpler code; whatever is smaller and still shows the mismatch is kept.
#include <algorithm>
#include <functional>

#include "oracle/fuzz/neutral/case.h"

namespace vl::oracle {
namespace {

// The tree without one of its leaves: a node with one part left is that part.
ops::Tree without_leaf(const ops::Tree& tree, std::uint32_t leaf) {
  ops::Tree out{tree.leaves - 1, {}};
  std::vector<std::optional<std::uint32_t>> now;  // of each part, its number in the new tree
  for (std::uint32_t i = 0; i < tree.leaves; ++i)
    now.push_back(i == leaf ? std::nullopt : std::optional(i < leaf ? i : i - 1));
  for (const auto& [left, right] : tree.nodes) {
    const auto a = now[left], b = now[right];
    if (a && b) out.nodes.push_back({*a, *b});
    now.push_back(a && b ? std::optional(static_cast<std::uint32_t>(out.leaves + out.nodes.size() - 1)) : a ? a : b);
  }
  return out;
}

// Candidates for one code, simplest first.
std::vector<Code> simpler(const Format& format, const CodeSet& set, Code code) {
  std::vector<Code> out;
  for (const Code one : telling_codes_of(format)) {
    if (one == code) break;
    if (set.contains(one)) out.push_back(one);
  }
  return out;
}

// Passes on rows that are smaller in one thing, until one is taken.
class Smaller {
 public:
  Smaller(const NeutralQuestion& asked, const std::function<bool(const NeutralRow&)>& still)
      : asked_(asked), still_(still), start_(asked.question.start == neutral::Start::First ? 0 : 1) {}

  bool step(NeutralRow& row) {
    for (std::size_t i = 0; i < row.terms.size(); ++i) {
      NeutralRow next = row;
      next.terms.erase(next.terms.begin() + static_cast<std::ptrdiff_t>(i));
      next.tree = without_leaf(row.tree, start_ + static_cast<std::uint32_t>(i));
      if (takes(row, std::move(next))) return true;
    }
    NeutralRow plain = row;
    plain.tree = ops::tree_of({}, row.tree.leaves, start_ == 1);
    if (!(plain.tree == row.tree) && takes(row, std::move(plain))) return true;
    for (std::size_t i = 0; i < row.terms.size(); ++i)
      for (const bool second : {false, true})
        if ((!second || asked_.second) && simplify(row, i, second)) return true;
    return false;
  }

 private:
  bool simplify(NeutralRow& row, std::size_t i, bool second) {
    const bool pad = row.terms[i].pad;
    const CodeSet& set = !pad ? asked_.question.contents : second ? *asked_.second : asked_.fill;
    for (const Code code : simpler(asked_.question.type, set, second ? row.terms[i].b : row.terms[i].a)) {
      NeutralRow next = row;
      (second ? next.terms[i].b : next.terms[i].a) = code;
      if (takes(row, std::move(next))) return true;
    }
    return false;
  }

  bool takes(NeutralRow& row, NeutralRow next) {
    if (left_ == 0 || !fits(asked_, next)) return false;
    --left_;
    if (!still_(next)) return false;
    row = std::move(next);
    return true;
  }

  const NeutralQuestion& asked_;
  const std::function<bool(const NeutralRow&)>& still_;
  std::uint32_t start_;
  int left_ = 20000;
};

}  // namespace

NeutralRow smaller_row(const NeutralQuestion& asked, NeutralRow row,
                       const std::function<bool(const NeutralRow&)>& still) {
  Smaller smaller(asked, still);
  while (smaller.step(row)) {
  }
  return row;
}

}  // namespace vl::oracle
