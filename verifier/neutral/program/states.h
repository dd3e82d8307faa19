// States: which codes each region of each tensor of a program can hold when it runs, padding included.
//
// A set per node and region; the empty region is the valid elements. Inputs hold what the program says; each operation
// carries the sets of its operands over to its result (transfer.h), and a mask replaces some. Sets are never too small:
// by induction over the lines, every run whose inputs hold codes of their sets has codes of the sets everywhere.
// They may be too large: relations between slots are lost, but for x - x, and wide sets become intervals; so do sets
// that a line makes of more than 64 ranges (capped).
//
// Example: padding 0, then exp: {1}. Padding any, then mul by padding 0: 0 and NaN, as 0·inf is NaN.
#pragma once

#include <map>

#include "verifier/neutral/program/program.h"

namespace vl::neutral::program {

/// Another value for the padding that one operation reads of another, or that all of its readers read.
struct Mask {
  std::size_t node = 0;               // whose result is masked
  std::optional<std::size_t> reader;  // nothing: every reader
  Region region = 0;
  Code value = 0;
  auto operator<=>(const Mask&) const = default;  // NOLINT(modernize-use-nullptr): a zero of the library
};

constexpr std::size_t kMostRanges = 64;
/// A set of at most so many ranges, where that is possible: the smallest gaps between numbers of one sign are closed.
/// No NaN, infinity or zero is added, which decide what 0 · inf and the signs of zeros are. Example: of 65 even codes
/// from 0x02 to 0x82 of f16 one gap is closed, the first: 0x02..0x04, 0x06, …
[[nodiscard]] CodeSet capped(const Format& format, const CodeSet& set);

/// By region; a region without slots has the empty set.
using Sets = std::vector<CodeSet>;

/// Whether both operands of a function are one value, as of x - x: then its image is that of one set.
[[nodiscard]] bool is_twice(const Node& node);

/// Images that were computed once, for programs of the same facts.
class Images {
 public:
  [[nodiscard]] const CodeSet& of(const Program& program, Function function, const Format& format, values::MaxRule rule,
                                  const std::vector<CodeSet>& operands);

 private:
  std::map<std::string, CodeSet> known_;
};

class States {
 public:
  /// `alone`: of padding, only what the masks write is there, and all other regions are empty. So a set is what these
  /// masks make inevitable wherever other masks do not stop it.
  /// `leaks`: as leak().
  States(const Program& program, const std::vector<Mask>& masks, Images& images, bool alone = false,
         const std::vector<std::size_t>& leaks = {});
  /// Those of no node yet.
  States(const Program& program, Images& images);

  /// A reader's elements may be what it makes of its padding, too. Requires: its states are not there.
  void leak(std::size_t node) { leaks_[node] = true; }
  /// Computes those of all nodes before `end` that are not there yet.
  void extend_to(std::size_t end);
  /// One more mask, or without the last of that node. Requires: no node reads it whose states are there.
  void add(const Mask& mask) { masks_[mask.node].push_back(mask); }
  void take_back(const Mask& mask) { masks_[mask.node].pop_back(); }

  /// What the slots of a node hold when its result is written, with the masks for every reader.
  [[nodiscard]] Sets of(std::size_t node) const;
  /// The same as one reader sees it.
  [[nodiscard]] Sets read_by(std::size_t reader, std::size_t node) const;
  /// The value that a mask gives a region of a node as one reader sees it; nothing: none does.
  [[nodiscard]] std::optional<Code> masked(std::size_t reader, std::size_t node, Region region) const;
  [[nodiscard]] bool has_masks(std::size_t node) const { return !masks_[node].empty(); }
  /// Whether results of a reader in a region are also of its padding: beside a valid result the elements are the valid
  /// ones, as padding that is neutral gives no other result.
  [[nodiscard]] bool reads_padding(std::size_t at, Region region) const { return region != 0 || leaks_[at]; }

 private:
  [[nodiscard]] Sets computed(std::size_t at);
  [[nodiscard]] CodeSet reduced(std::size_t at, Region region);
  [[nodiscard]] CodeSet rowed(std::size_t at, Region region);
  [[nodiscard]] CodeSet multiplied(std::size_t at, Region region);

  const Program& program_;
  std::vector<std::vector<Mask>> masks_;  // by node
  Images& images_;
  bool alone_ = false;
  std::vector<bool> leaks_;  // by node
  std::vector<Sets> sets_;   // without the masks of the node itself
};

/// Every code that results of a reduction in a program can be, whose elements lie in a set of the operand's type.
[[nodiscard]] CodeSet image_of_fold(const Program& program, Images& images, const Node& node, const CodeSet& elements);
/// Of matmul: the products of two sets of the operands' types, in the accumulator; and its results of such products.
[[nodiscard]] CodeSet image_of_pairs(const Program& program, Images& images, const Node& node, const CodeSet& left,
                                     const CodeSet& right);
[[nodiscard]] CodeSet image_of_products(const Program& program, const Node& node, const CodeSet& products);
/// What an accumulator holds of its elements, and a result of it: one of the same type is not converted.
[[nodiscard]] CodeSet converted(const Program& program, const Format& from, const Format& to, const CodeSet& set);

/// Every code that a reduction of so many leaves can be, whose codes lie in a set of the accumulator, with its start:
/// of any evaluation that the question allows. Requires: count >= 1.
/// Example: sum of 32 zeros from +0: {+0}, or both zeros where they are both; of 32 ones: [1 .. 64].
[[nodiscard]] CodeSet image_of_reduction(const Question& question, const CodeSet& leaves, Index count);

/// What a row is made of: sets of codes of the operand's type.
struct RowSets {
  CodeSet elements;  // at least one of them is in the row
  CodeSet all;       // and of what else
  CodeSet here;      // where the result is
  Index size = 1;    // how many there are in all
};
/// Every code of the accumulator, or place, that a result of a row can be, of any evaluation that the question allows.
/// Of softmax this takes it that exp(x) of x <= 0 is at most 1. Requires: no set is empty.
/// Example: softmax of finite elements, -inf here: {+0}; where an element is: [+0 .. 1].
[[nodiscard]] CodeSet image_of_row(const Question& question, const RowSets& sets);

}  // namespace vl::neutral::program
