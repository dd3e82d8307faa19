// Programs: a chain of tensor operations on padded tensors, one operation per line, and the question whether padding
// reaches what the program puts out.
//
//   A = input  f32[32,33] tile(32,32)  padding 0  contents finite
//   B = input  f32[33,32] tile(32,32)  padding 0
//   a = exp A
//   b = exp B
//   C = matmul a b  accumulate f32 from +0
//   output C
//
// Statements. DIM is a dimension's name, if the input gave one (f32[M=32,K=33]), or its number; STATE is a state
// (encodings/values/state.h); options follow in any order; # starts a comment.
//   input TYPE[SIZES] [tile(SIZES) | stick(N) | layout "TEXT"] [padding STATE | padding REGION: STATE; …]
//         [contents STATE] [rows DIM have finite]     tile and stick pad the last dimensions to multiples; padding is
//         `unwritten`, contents `any`. Of rows, each has a finite element (a mask of -inf that hides not all of a row).
//         TYPE[] has one element and no dimension
//   constant TYPE NUMBER   constant TYPE[SIZES] NUMBER [tile … | stick … | layout …] [padding …]
//         as an input all of whose elements are that number
//   FUNCTION a [b [c]] [rule R]                 pointwise: functions.h; an operand may be a NUMBER
//   not a                                       the other bits of an integer; of i1 the other value
//   cast a TYPE         a float is cut to an integer (any code if it does not fit); into i1 it is a != 0
//   sum|prod|max|min|any|all|sumsq|… a [over DIM[,DIM]] [keep] [accumulate TYPE] [from first|+0] [order any|seq]
//         [rule R]      over all dimensions if none is said
//   mean a [over DIM[,DIM]] [divide N|P] …      the same; the sum is divided by the number of elements, or of all slots
//   softmax|logsumexp|layernorm|rmsnorm|variance|welford|argmax|argmin|topk|topk-indices|sort|sort-descending|cumsum|
//   cumsum-reverse a over DIM [keep] [divide N|P] [ties first|last|unspecified] [k N] …     rows (rows.h): results are
//         one for each element; one for a row (logsumexp, variance, welford, argmax, argmin); or of topk k, which is 1
//         to 16. Places are i32, counted in the padded row
//   matmul a b [ta] [tb] [accumulate TYPE] [from first|+0] [order any|seq] [fused]      a[…,M,K] b[…,K,N]; with ta
//         a[…,K,M], with tb b[…,N,K]. Of one dimension it is K; what is before these is broadcast
//   matmul a b contract (DIM) (DIM) [batch (DIM,…) (DIM,…)] …     the result has the batch, what is left of a, and of b
//   transpose a (DIM,…)   reshape a [SIZES] [tile(SIZES)]   concat a b… over DIM
//   slice a over DIM at FIRST..END [step S]
//   reverse a (DIM,…)
//   pad a low (N,…) high (N,…) with NUMBER|c
//         elements before and behind each dimension; of negative numbers as many are cut. c is a tensor TYPE[]
//   broadcast a over DIM to N          a dimension of size 1; its padding receives the elements, too
//   broadcast a to [SIZES] [(DIM,…)] [tile(SIZES)]
//         the dimensions of a are these of the result, or its last ones; of size 1 they may be longer there. The result
//         is padded as a is, in other dimensions by the tile
//   mask a [REGION,…] with NUMBER      `fill` is another word for it: the padding, or some of it, holds NUMBER
//   FUNCTION a [b [c]] -> TYPE                  its result is cast: `lt a b -> i1`
//   unknown pointwise "WORDS" a… -> TYPE        a function that is not known, of elements at the same place
//   unknown "WORDS" a… -> TYPE[SIZES] [tile(SIZES) | stick(N) | layout "TEXT"]
//         an operation that is not known: it reads all slots of its operands, and all slots of its result may hold any
//         code. Nothing is refuted through it
//   unknown elements|numbers "WORDS" a… -> TYPE[SIZES] …
//         the same of an operation that reads the valid elements of its operands alone, and writes those of its result;
//         `numbers` sees neither which NaN nor which zero one is
//   output a…
//   equal bits|any-nan|any-nan+zero    how results are compared; any-nan if nothing is said
//
// Types are those of encodings/values/format.h. Of i1 there are comparisons, logic and `where`, whose condition may
// have another type than what it chooses from (then it is a != 0), and the reductions any, all, max and min.
//
// A NUMBER is as in states: 0 -1.5 1e-5 inf -inf bits:0x7E00; a decimal number that the type does not have is rounded
// to f64, and then into the type, to nearest even.
//
// Operands of pointwise functions agree in their sizes, counted from the last dimension, or have size 1, or fewer
// dimensions: then they are broadcast, as by `broadcast`. Where sizes agree padding does, too; but constants take that
// of the others, and hold there what they say of their own padding, or any code.
//
// A region of a tensor is a set of its padded dimensions: the slots whose index is past the size in these and in no
// others. Its text joins names by +: K, M+K. The empty set is the valid elements.
//
// What runs. Every operation computes all slots of its result, from all slots of its operands: a reduction also reads
// the padding of the dimensions that it reduces, and so do rows, and matmul of K; a row writes results at its padding,
// too. The reference is the same program without
// those reads, in the same order otherwise (question.h). Results have the operands' type; what they were accumulated in
// is rounded into it. Padding that no operation computes is unwritten: behind a dimension that concat joins, that
// slice cuts, that `keep` leaves with one element or topk with k, and all that is behind a reshape. Behind the other
// dimensions it is what the operation makes of its operands' padding there.
//
// An unknown operation that is not pointwise, and whose operands have padding, may put out what that holds, and the
// reference's then reads none of it: the results differ. Of operands without padding it is a function: both runs have
// the same result, if they have the same bits of its operands. So an output that depends on one with padding is not
// proved. One of elements is a function of these: both runs have the same result, if they have the same bits of these,
// or, of numbers, the same numbers. What its result's padding holds nothing has written. Example: a convolution.
//
// Orders take -0 and +0 as equal. Means divide by the number of elements; with `divide P` by that of the slots that are
// read, and the reference, which reads no padding, by that of the elements.
//
// Results are rounded to nearest even, nothing is flushed, and functions are those of functions.h, unless an arithmetic
// says otherwise (arithmetic.h): it is also what lines do not say (accumulate, from, order, rule, fused, ties).
//
// Example: above, exp makes the zeros behind K of a and b ones, and C[0,0] is 64 where the reference has 33.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "encodings/base/integer.h"
#include "encodings/base/result.h"
#include "verifier/neutral/question.h"
#include "verifier/neutral/transfer.h"

namespace vl::neutral::program {

/// A dimension of a tensor, which hardware iterates to a multiple of its granule. Sizes are in elements.
struct Dimension {
  std::string name;
  Index size = 1;
  Index granule = 1;

  [[nodiscard]] Index padded() const { return (size + granule - 1) / granule * granule; }
  [[nodiscard]] bool is_padded() const { return size % granule != 0; }
};

/// A set of dimensions, as a bit mask.
using Region = unsigned;

constexpr std::size_t kNowhere = SIZE_MAX;

/// What of its operands an unknown operation depends on: all slots, those at the place of its result, or the valid
/// elements, up to which NaN or zero each number is.
enum class Reads { Slots, Place, Elements, Numbers };

enum class Kind {
  Input,
  Pointwise,
  Cast,
  Reduce,
  Row,
  Matmul,
  Transpose,
  Reshape,
  Concat,
  Slice,
  Broadcast,
  Mask,
  Reverse,
  Unknown,
};

struct Node {
  std::string name;
  Kind kind = Kind::Input;
  std::size_t line = 0;    // counted from 1
  std::size_t offset = 0;  // of the line in the text
  std::vector<std::size_t> operands;
  std::vector<std::size_t> operands_at;  // the offset in the text of each operand's name
  const Format* type = nullptr;
  std::vector<Dimension> dimensions;

  Function function = Function::Neg;     // of Pointwise
  Operation operation = Operation::Sum;  // of Reduce, Row and Matmul, as what follows
  const Format* accumulate = nullptr;
  Start start = Start::First;
  Tree tree = Tree::Any;
  values::MaxRule rule = values::MaxRule::NanWins;  // of Pointwise, too
  bool fused = false;
  bool keep = false;
  Divide divide = Divide::Logical;  // of Mean and norms
  Ties ties = Ties::First;          // of orders
  unsigned k = 1;                   // of TopK and TopKIndices
  std::vector<values::Entry> said;  // what its line says, so that no arithmetic does

  // Reduced; Transpose: where each dimension of the result comes from; Broadcast: where each one of the operand is in
  // the result, or kNowhere: it has size 1 and is not there. Else the one.
  std::vector<std::size_t> axes;
  Index first = 0;  // of Slice: its first element, and how far they are apart
  Index step = 1;
  CodeSet contents;                      // of Input
  std::vector<std::size_t> finite_rows;  // of Input: each row along such a dimension has a finite element
  std::vector<CodeSet> padding;          // of Input: by region
  std::vector<Region> masked;            // of Mask
  Code value = 0;                        // of Mask
  std::string words;                     // of Unknown: what the text calls it
  Reads reads = Reads::Slots;            // of Unknown
  bool constant = false;                 // of Input: its elements are one number
  bool implicit = false;                 // made for the line of another node, which comes after it; no text can name it
  bool unseen = false;                   // no element of an output depends on one of it (seen.h)

  [[nodiscard]] Region regions() const { return Region{1} << dimensions.size(); }
};

struct Program {
  std::string text;
  std::vector<Node> nodes;  // those on which outputs depend; operands come before their readers
  std::vector<std::size_t> outputs;
  Equality equal = Equality::AnyNan;
  values::Mode mode;  // of every operation
  values::Rounding conversion = values::Rounding::NearestEven;
  bool has_arithmetic = false;      // is one of the instances of a profile
  std::vector<values::Fact> facts;  // all that is known of functions which approximate; empty: functions.h
};

/// What a layout says of an input: the padded sizes, as granules (the size rounded up to one of them is the padded
/// size), and what its own text fills its padding with, a word of values::codes_of_fill; empty: it does not say.
struct InputLayout {
  std::vector<Index> granules;
  std::string fill = {};
};
using Layouts =
    std::function<Result<InputLayout>(std::string_view layout, std::string_view type, const std::vector<Index>& size)>;

constexpr std::size_t kMostNodes = 2000;
constexpr std::size_t kMostDimensions = 8;

/// Reads a program; lines on which no output depends are read and dropped. Errors have the offset of what is wrong.
/// `layouts` is null where no layout can be read.
[[nodiscard]] Result<Program> parse_program(std::string_view text, const Layouts& layouts = {});

/// The program with these outputs alone, and the lines on which they depend. Requires: numbers of its nodes.
[[nodiscard]] Program with_outputs(Program program, std::vector<std::size_t> outputs);

/// Whether slots of that region exist: each of its dimensions is padded.
[[nodiscard]] bool exists(const Node& node, Region region);
/// "0, 1, …": all dimensions.
[[nodiscard]] std::vector<std::size_t> all_axes(const Node& node);
/// Whether two dimensions have the same size and padding.
[[nodiscard]] bool same_extents(const Dimension& a, const Dimension& b);
/// The region of an operand of Broadcast that a region of its result is of.
[[nodiscard]] Region broadcast_from(const Node& node, Region region);
/// Whether any padding exists.
[[nodiscard]] bool is_padded(const Node& node);
/// How many slots it has; at most 2^62, as the parser sees to.
[[nodiscard]] Index slots_of(const Node& node, Region region);
/// "K", "M+K"; "valid elements" of the empty set. Dimensions without a name are numbers.
[[nodiscard]] std::string region_in_words(const Node& node, Region region);
[[nodiscard]] std::string dimension_in_words(const Node& node, std::size_t dimension);

/// "f32[32,33 padded to 64]".
[[nodiscard]] std::string shape_in_words(const Node& node);

/// The regions whose slots are read beside the valid elements by a valid result of a reduction or a row, or by matmul
/// in its operand 0 or 1: sets of reduced dimensions. Empty: no padding is read.
[[nodiscard]] std::vector<Region> read_regions(const Program& program, const Node& reader, std::size_t operand);
/// Whether an operation reads padding for its valid results.
[[nodiscard]] bool is_reader(const Node& node);
/// Whether a row has a result for each slot of its operand; else it has one in all, or k.
[[nodiscard]] bool has_result_per_slot(const Node& node);

}  // namespace vl::neutral::program
