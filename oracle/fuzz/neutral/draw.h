// Draws of the campaign `neutral`. A group of 64 cases has one question and one fill, so one verdict; a case is one
// evaluation: the valid terms, the pads, their order and tree. Some groups have a layout, and a case of theirs is a
// whole image with a row for each element of the result. Group and case are pure functions of (seed, index).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "oracle/fuzz/neutral/codes.h"
#include "oracle/fuzz/subject.h"
#include "oracle/ops/run.h"
#include "verifier/neutral/neutral.h"

namespace vl::oracle {

/// Is this fill neutral for that reduction? `second` is set of dot alone.
struct NeutralQuestion {
  neutral::Question question;
  CodeSet fill;
  std::optional<CodeSet> second;

  [[nodiscard]] const CodeSet* other() const { return second ? &*second : nullptr; }
};

/// One evaluation. Leaf 0 of the tree is the start, if the question has one. Of rows it is the tree from left to right.
struct NeutralRow {
  std::vector<ops::Term> terms;
  ops::Tree tree;
};

/// A layout whose tensor is the padded box, and the extents of the tensor within it.
struct NeutralImage {
  Subject subject;
  ops::Task task;
};

constexpr std::uint64_t kNeutralGroup = 64;

/// Whether the campaign has questions about an operation.
[[nodiscard]] bool is_covered(neutral::Operation operation);
/// Of rows: lists.h evaluates them, from left to right. A mean is a tree, whose root is divided.
[[nodiscard]] bool is_list(neutral::Operation operation);
/// Reductions that are no mean: sum prod max min any all sumsq dot.
[[nodiscard]] bool is_tree(neutral::Operation operation);
/// The same operation and arithmetic for the evaluator. Requires: is_covered(), and no row.
[[nodiscard]] ops::Operation operation_of(neutral::Operation operation);
[[nodiscard]] ops::Arithmetic arithmetic_of(const neutral::Question& question);

/// The question of a group.
[[nodiscard]] NeutralQuestion question_of(std::uint64_t seed, std::uint64_t group);
/// The layout of a group: one group in four has one, of the families in turn.
[[nodiscard]] std::optional<NeutralImage> image_of(const NeutralQuestion& asked, std::uint64_t seed,
                                                   std::uint64_t group);

/// Whether a case of a group with a layout is a whole image; the first ones are rows.
[[nodiscard]] constexpr bool is_image(std::uint64_t index) { return index % kNeutralGroup >= 24; }

/// Contents and pads of one question.
struct NeutralSources {
  explicit NeutralSources(const NeutralQuestion& asked);
  Codes contents, fill, second;
};

/// The row of a case. The first cases of a group are one valid element and one pad, of the most telling codes in turn.
[[nodiscard]] NeutralRow row_of(const NeutralQuestion& asked, const NeutralSources& sources, std::uint64_t seed,
                                std::uint64_t index);
/// An order that the question allows; of its trees any one.
[[nodiscard]] ops::Order order_of(const neutral::Question& question, Random& random);

}  // namespace vl::oracle
