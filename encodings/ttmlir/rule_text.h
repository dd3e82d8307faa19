// Texts of tt-mlir's layouts with names for sizes, as rules for all sizes (encodings/map/rule.h):
//
//   A  #tt.metal_layout<(d0, d1, d2) -> (d0 * M + d1, d2), undef, <2x4>, memref<ceil(N*M/2)xceil(K/4)xf32, #l1>>
//   B  tensor<8x4xceil(M/256)xceil(N/128)x!ttcore.tile<32x32, f32>, #ttcore.metal_layout<logical_shape = MxN,
//        dim_alignments = 256x128, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>
//   C  #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <8x8>, memref<ceil(M/256)xceil(N/256)x!ttcore.tile<32x32, bf16>, …>, …>
//
// A size of a shape is an expression, whose end is the next x; so a name has no x, and one in parentheses may have any:
// Mx(max_n)xf32. So is the factor of a dimension in a map. Ranks, intervals, tiles, constants and element types are
// numbers. Everything else is as in the text with numbers.
//
// Physical dimension i is a number (RuleNumber) over the dimensions that it joins. Its levels are the core, by the
// size S_i of a shard; the tile; the face; and what lies inside.
#pragma once

#include "encodings/ttmlir/place.h"
#include "encodings/use/named_sizes.h"

namespace vl::ttmlir {

using use::NamedSize;

/// A term of a result of the map: a dimension with its factor. `start` == `end` where the text has no factor.
struct NamedTerm {
  std::size_t result = 0, dim = 0;
  NamedSize factor;
};

/// What a text has names for, each list in the order of the text.
struct NamedSizes {
  std::vector<NamedSize> tensor;               // around the layout: of B the device shape
  std::vector<NamedSize> logical, alignments;  // B
  std::vector<NamedTerm> terms;                // A, C: of the map
  std::vector<NamedSize> grid, shard;          // A, C
  std::string_view no_sums = {};               // why the map is no sum of dimensions with factors; empty: it is one

  [[nodiscard]] std::vector<NamedSize> all() const;  // in the order of the text
};

/// The expressions of a text that has them where the rules do. Nothing of other texts: device buffers, grids.
/// Errors: those of an expression; Syntax for an x without a size.
[[nodiscard]] Result<std::optional<NamedSizes>> named_sizes(std::string_view text);

/// Makes a rule of the text; or says in `reading` why there is none. `parsed`: the text with 1 for what is no number.
void read_aligned_rule(const NamedSizes& sizes, const Parsed& parsed, const map::RuleTensor& tensor,
                       use::Reading& reading);
void read_mapped_rule(const NamedSizes& sizes, const Parsed& parsed, const map::RuleTensor& tensor,
                      use::Reading& reading);

/// Family::read_rule. A text without a name is a rule without symbols. Errors: those of parse
/// and of an expression.
[[nodiscard]] Result<use::Reading> read_rule(std::string_view text, const map::RuleTensor& tensor);

/// Family::text_at. Errors: those of parse, of an expression, and of with_sizes.
[[nodiscard]] Result<std::string> text_at(std::string_view text, const map::Sizes& sizes);

/// The first name for a size in a text that read_rule may read as a rule; empty if there is none.
[[nodiscard]] std::string first_name(std::string_view text);

}  // namespace vl::ttmlir
