// The largest neutral fill of f16 and bf16 against every fill: each of the 65,536 codes as a pad beside each telling
// element, by oracle/ops. tests/neutral does the same for types of 8 bits by other code, and for some fills of these.
// By default one question in 40; VL_SHARD=0/1 looks at 120.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "oracle/fuzz/neutral/trial.h"
#include "tests/support/shard.h"

namespace vl::test {
namespace fuzz_neutral_largest_campaign {

using namespace oracle;  // NOLINT: the folder under test
using neutral::Question;

// The rows of one valid element and one pad.
class OneAndOne {
 public:
  explicit OneAndOne(const Question& question)
      : question_(question), scalar_(operation_of(question.operation), arithmetic_of(question), question.type) {
    const bool start = question.start != neutral::Start::First;
    const std::size_t leaves = start ? 3 : 2;
    trees_.push_back(ops::tree_of({}, leaves, start));
    if (start && question.tree == neutral::Tree::Any) trees_.push_back({3, {{1, 2}, {0, 3}}});
  }

  bool differs(Code element, Code pad) {
    for (const bool pad_first : {false, true})
      for (const ops::Tree& tree : trees_) {
        terms_[pad_first ? 1 : 0] = {element, 0, false};
        terms_[pad_first ? 0 : 1] = {pad, 0, true};
        const auto with = ops::reduced(scalar_, tree, terms_, true),
                   without = ops::reduced(scalar_, tree, terms_, false);
        if (!are_equal(question_, *with, *without)) return true;
      }
    return false;
  }

 private:
  const Question& question_;
  ops::Scalar scalar_;
  std::vector<ops::Tree> trees_;
  std::vector<ops::Term> terms_{2};
};

struct Sizes {
  int questions = 0;
  std::uint64_t neutral = 0, open = 0, refuted = 0, missed = 0;
};

void compare(const NeutralQuestion& asked, const neutral::Largest& found, Sizes& sizes) {
  const Question& question = asked.question;
  const Codes contents(question.type, question.contents);
  std::vector<Code> elements;
  for (std::size_t k = 0; contents.telling(k); ++k) elements.push_back(*contents.telling(k));
  OneAndOne rows(question);
  for (Code fill = 0; fill <= question.type.mask(); ++fill) {
    bool differs = false;
    for (std::size_t k = 0; k < elements.size() && !differs; ++k) differs = rows.differs(elements[k], fill);
    const bool neutral = found.codes.contains(fill), open = found.open.contains(fill);
    ASSERT_FALSE(neutral && differs) << "NOT NEUTRAL: " << name(question.operation) << " of " << question.type.name
                                     << " fill " << fill;
    sizes.neutral += neutral ? 1 : 0;
    sizes.open += open ? 1 : 0;
    sizes.refuted += differs ? 1 : 0;
    sizes.missed += !neutral && !open && !differs ? 1 : 0;
  }
}

TEST(NeutralLargest, AgreesWithEveryFillOfSixteenBits) {
  const Shard shard = shard_of(40);
  Sizes sizes;
  std::uint64_t number = 0;
  for (std::uint64_t k = 0; number < 120; ++k) {
    const NeutralQuestion asked = question_of(61, k);
    const std::string_view type = asked.question.type.name;
    if (asked.second || !is_tree(asked.question.operation) || (type != "f16" && type != "bf16")) continue;
    if (!shard.has(number++)) continue;
    const auto answer = neutral::largest(asked.question);
    if (!std::holds_alternative<neutral::Largest>(answer)) continue;
    ++sizes.questions;
    compare(asked, std::get<neutral::Largest>(answer), sizes);
  }
  fmt::print("{} questions: {} fills neutral, {} open, {} refuted, {} outside and not refuted by these elements\n",
             sizes.questions, sizes.neutral, sizes.open, sizes.refuted, sizes.missed);
  EXPECT_GE(sizes.questions, is_campaign() ? 100 : 1);
  EXPECT_GT(sizes.refuted, 0U);
  EXPECT_GT(sizes.neutral, 0U);
  // Near the border of a fused or flushed sum it takes an element that is not among the telling ones.
  EXPECT_LE(sizes.missed * 100, sizes.refuted);
}

}  // namespace fuzz_neutral_largest_campaign
}  // namespace vl::test
