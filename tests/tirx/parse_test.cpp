// Texts to layouts: every notation of upstream's histories and documents, symbolic texts, and the places of errors.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "encodings/tirx/tirx.h"
#include "tests/support/tirx_random.h"

namespace vl::tirx {
namespace tirx_parse_test {

struct Accepted {
  const char* text;
  const char* printed;  // an independent reading: what the layout is in the plain notation
};

const std::vector<Accepted> kAccepted = {
    // sums of S, R and offsets
    {"S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid",
     "S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid"},
    {"TileLayout(S[(8, 2, 3, 6) : (6, 24, 6, 1)])", "S[(8,2,3,6):(6,24,6,1)]"},
    {"TileLayout( S[(128, 128) : (1 @ F, 1 @ P)] )", "S[(128,128):(1@F,1@P)]"},
    {"TileLayout(S[(2, 3, 4) : (12 @ m, 4 @ m, 1 @ m)])", "S[(2,3,4):(12,4,1)]"},
    {"S[8 : 4 @ laneid]", "S[8:4@laneid]"},
    {"S[(8,) : (4 @ laneid,)]", "S[8:4@laneid]"},
    {"S[[8, 2] : [2, 1]]", "S[(8,2):(2,1)]"},
    {"T.TileLayout(T.S[(1,) : (1,)] + T.R[(8, 4) : (4 @ laneid, 1 @ laneid)] + 2 @ warpid)",
     "S[1:1] + R[(8,4):(4@laneid,1@laneid)] + 2@warpid"},
    {"tvm.tirx.layout.TileLayout(T.S[(4, 8) : (8, 1)])", "S[(4,8):(8,1)]"},
    {"TileLayout(S[(rows) : (1)])", nullptr},
    // no strides: row-major on m
    {"S[(8,4)]", "S[(8,4):(4,1)]"},
    {"S[2, 3, 4]", "S[(2,3,4):(12,4,1)]"},
    {"T.TileLayout(T.S[4])", "S[4:1]"},
    {"S[(4,)]", "S[4:1]"},
    {"R[(2, 2)]", "S[():()] + R[(2,2):(2,1)]"},
    // R first and alone, offsets on both sides
    {"R[4 : 1 @ laneid] + 2 @ warpid", "S[():()] + R[4:1@laneid] + 2@warpid"},
    {"R[4 : 1 @ laneid] + S[8:1] + 2", "S[8:1] + R[4:1@laneid] + 2"},
    {"S[():()]", "S[():()]"},
    {"T.TileLayout.from_iters()", "S[():()]"},  // as TVM 0.27 prints S[():()], and with an offset
    {"TileLayout.from_iters(offset={\"m\": 3})", "S[():()] + 3"},
    {"TileLayout.from_iters(offset={'warpid': 2, \"laneid\": 1 + 4,})", "S[():()] + 2@warpid + 5@laneid"},
    {"T.ComposeLayout(1, 1, 1, T.TileLayout.from_iters())", "ComposeLayout(1, 1, 1, TileLayout(S[():()]))"},
    {"S[()]", "S[():()]"},
    {"S[8 : 4 @ laneid] + 1 @ laneid + 2 @ warpid + 64", "S[8:4@laneid] + 2@warpid + 1@laneid + 64"},
    {"TileLayout(S[8 : 4 @ laneid] + (1 @ laneid + 2 @ warpid + 64))", "S[8:4@laneid] + 2@warpid + 1@laneid + 64"},
    {"TileLayout(64 + S[8 : 4 @ laneid] + 1 @ laneid)", "S[8:4@laneid] + 1@laneid + 64"},
    {"64 + S[8:1] + 8 + 1@m", "S[8:1] + 73"},
    {"S[8:1] + 3@laneid + 4@laneid", "S[8:1] + 7@laneid"},
    {"S[8:1] + -4 + 0@laneid", "S[8:1] + 0@laneid + -4"},
    {"(S[8:1] + (R[2:8] + 1))", "S[8:1] + R[2:8] + 1"},
    // axes as texts, and from Axis
    {"TileLayout(S[8:\"laneid\"])", "S[8:1@laneid]"},
    {"TileLayout(S[(8, 4) : (\"laneid\", 1)])", "S[(8,4):(1@laneid,1)]"},
    {"TileLayout(S[(8,) : ((4, 'laneid'),)])", "S[8:4@laneid]"},
    {"S[1:1] + R[4:\"laneid\"]", "S[1:1] + R[4:1@laneid]"},
    {"S[(128, 4) : (1 @ Axis.tid_in_wg, 1)]", "S[(128,4):(1@tid_in_wg,1)]"},
    {"S[4 : 2 @ T.Axis.TLane]", "S[4:2@TLane]"},
    {"S[4 : 2 @ \"TLane\"]", "S[4:2@TLane]"},
    // numbers with a type, as TVM 0.27 prints those beyond 32 bits
    {"T.TileLayout(T.S[32:T.int64(-8589934592)] + T.int64(266287972352))", "S[32:-8589934592] + 266287972352"},
    {"T.TileLayout(T.S[(T.int32(42), 3):(T.int64(24159190995), 2 * T.int64(3) @ laneid)])",
     "S[(42,3):(24159190995,6@laneid)]"},
    {"S[(T.ceildiv(150, 64), tirx.floordiv(-7, 2) + 8) : (max(4, T.min(9, 8)), T.floormod(-7, 4))]", "S[(3,4):(8,1)]"},
    {"S[(ceil(150 / 64), ceil(-7 / 4) + 5):(4, 1)]", "S[(3,4):(4,1)]"},
    {"T.ComposeLayout(T.int64(1), 2, 3, T.TileLayout(T.S[4:T.int64(4294967296)]))",
     "ComposeLayout(1, 2, 3, TileLayout(S[4:4294967296]))"},
    // strides below and at zero
    {"TileLayout(S[(1, 8, 8) : (-1, 64, 1)] + 8)", "S[(1,8,8):(-1,64,1)] + 8"},
    {"S[(8, 2) : (0, -2 @ laneid)]", "S[(8,2):(0,-2@laneid)]"},
    // arithmetic, with Python's rules
    {"TileLayout(S[(16 * 1024, 128) : (1 @ F, 1 @ P)])", "S[(16384,128):(1@F,1@P)]"},
    {"TileLayout(S[(32, 128, 4, 128) : (128 @ F, 1 @ F, 32 * 128 @ F, 1 @ P)])",
     "S[(32,128,4,128):(128@F,1@F,4096@F,1@P)]"},
    {"S[2 : (512 * 32) @ F]", "S[2:16384@F]"},
    {"S[(7 // 2, 7 % 4, 2 - -1, 1 << 3, 40 >> 3) : (-7 // 2, -7 % 4, 7 // -2, 7 % -4, +1)]",
     "S[(3,3,3,8,5):(-4,1,-4,-1,1)]"},
    {"S[(2 + 3 * 4 - 1, 64 // 4 // 2, (2 + 3) * 4) : (0, 0, 0)]", "S[(13,8,20):(0,0,0)]"},
    {"S[int(8) : tuple((1,))]", "S[8:1]"},
    {"S[(2**3, 2 ** 3 ** 2, 3*2**2, 0x10, (-3)**2) : (-2**2, 2**-0, 0**0, -0x1F, (-2)**63 >> 60)]",
     "S[(8,512,12,16,9):(-4,1,1,-31,-8)]"},
    // swizzles of both generations
    {"SwizzleLayout(per_element=3, swizzle_len=3, atom_len=3)",
     "SwizzleLayout(per_element=3, swizzle_len=3, atom_len=3)"},
    {"SwizzleLayout(per_element=3, swizzle_len=2, atom_len=4, swizzle_inner=False)",
     "SwizzleLayout(per_element=3, swizzle_len=2, atom_len=4, swizzle_inner=False)"},
    {"SwizzleLayout(3, 2, 4, True)", "SwizzleLayout(per_element=3, swizzle_len=2, atom_len=4)"},
    {"T.SwizzleLayout(0, 0, 0)", "SwizzleLayout(per_element=0, swizzle_len=0, atom_len=0)"},
    {"ComposeLayout(3, 3, 3, TileLayout(S[(8, 64) : (64, 1)]))",
     "ComposeLayout(3, 3, 3, TileLayout(S[(8,64):(64,1)]))"},
    {"ComposeLayout(3, 2, 3, T.TileLayout(T.S[(512,)]), False)",
     "ComposeLayout(3, 2, 3, TileLayout(S[512:1]), swizzle_inner=False)"},
    {"ComposeLayout(3, 3, 3, TileLayout(S[(16, 8, 64) : (512, 64, 1)]), swizzle_inner=False)",
     "ComposeLayout(3, 3, 3, TileLayout(S[(16,8,64):(512,64,1)]), swizzle_inner=False)"},
    {"ComposeLayout(3,3,3,S[(512):(1@m)],inner=False)",
     "ComposeLayout(3, 3, 3, TileLayout(S[512:1]), swizzle_inner=False)"},
    {"ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[(8, 64) : (64, 1)] + 72))",
     "ComposeLayout(3, 3, 3, TileLayout(S[(8,64):(64,1)] + 72))"},
    {"ComposeLayout(swizzle=SwizzleLayout(1, 2, 3, False), tile_layout=S[8:1] + R[2:8])",
     "ComposeLayout(1, 2, 3, TileLayout(S[8:1] + R[2:8]), swizzle_inner=False)"},
    {"ComposeLayout(per_element=1, swizzle_len=2, atom_len=3, tile_layout=S[8:1],)",
     "ComposeLayout(1, 2, 3, TileLayout(S[8:1]))"},
    {"ComposeLayout(3, 3, 2, S[512:1])",
     "ComposeLayout(3, 3, 2, TileLayout(S[512:1]))"},  // S < B: a map, if not well-formed
};

TEST(TirxParse, ReadsEveryNotationAsTheSameLayoutInPlainNotation) {
  for (const Accepted& row : kAccepted) {
    const auto parsed = parse(row.text);
    ASSERT_TRUE(parsed.has_value()) << row.text << ": " << parsed.error().message;
    if (row.printed == nullptr) continue;  // symbolic, see below
    EXPECT_EQ(parsed->symbolic, "") << row.text;
    EXPECT_EQ(print(parsed->layout), row.printed) << row.text;
    EXPECT_TRUE(recognises(row.text)) << row.text;
    const auto again = parse(row.printed);
    ASSERT_TRUE(again.has_value()) << row.printed;
    EXPECT_EQ(again->layout, parsed->layout) << row.text;
    EXPECT_TRUE(recognises(row.printed)) << row.printed;
  }
}

TEST(TirxParse, ReadsWhatItPrintsOfRandomLayouts) {
  test::RandomTirx random(99);
  for (int n = 0; n < 5000; ++n) {
    const Layout layout = random.next(1000).layout;
    const auto parsed = parse(print(layout));
    ASSERT_TRUE(parsed.has_value()) << print(layout) << ": " << parsed.error().message;
    ASSERT_EQ(parsed->layout, layout) << print(layout);
  }
}

struct Symbolic {
  const char* text;
  const char* name;
};

const std::vector<Symbolic> kSymbolic = {
    {"TileLayout(S[(rows, cols) : (1 @ TLane, 1 @ TCol)])", "rows"},
    {"TileLayout(S[tuple(extents) : tuple(strides)])", "extents"},
    {"TileLayout(S[num * elem_per_32b])", "num"},
    {"TileLayout(S[shape[1:]])", "shape"},
    {"TileLayout(S[shape : (16, 4 @ laneid, 8, 2, 1 @ laneid, 1)])", "shape"},
    {"TileLayout(S[(128, C_shape[1]) : (1 @ TLane, 1 @ TCol)])", "C_shape"},
    {"TileLayout(S[(8, 4, num, 2) : (1, 2 * num * 8, 8, num * 8)])", "num"},
    {"TileLayout(S[ELEMS_PER_THREAD:1] + R[N_LANES : 1 @ laneid])", "ELEMS_PER_THREAD"},
    {"TileLayout(S[4:1] + start @ laneid + 64)", "start"},
    {"TileLayout(S[4:1] + start)", "start"},
    {"TileLayout(spec)", "spec"},
    {"TileLayout(a + b)", "a"},
    {"ComposeLayout(3, swizzle_len, 3, tile)", "swizzle_len"},
    {"ComposeLayout(3, 3, 3, TileLayout(S[(8, 8) : (64, 1)] + constant))", "constant"},
    {"ComposeLayout( s.per_element, s.swizzle_len, s.atom_len, row_tile, s.swizzle_inner, )", "s.per_element"},
    {"ComposeLayout(swizzle, tile)", "swizzle"},
    {"T.ComposeLayout( int(math.log2(128 // dtype.bits)), swizzle, 3, T.TileLayout(T.S[(1 << (int(math.log2(128 // "
     "dtype.bits)) + swizzle + 3),)]), )",
     "dtype.bits"},
    {"ComposeLayout( self.per_element + (num.bit_length() - 1), self.swizzle_len, self.atom_len, "
     "self.tile_layout.unpack(num), "
     "self.swizzle_inner, )",
     "self.per_element"},
    {"S[f(3, x=y)[0].z : 1]", "y"},
    {"S[T.int64(rows) : 1]", "rows"},
    {"S[4 : T.int8(3)]", "T.int8"},
    {"S[4 : T.int64(3, span=None)]", "None"},
};

TEST(TirxParse, SaysTheFirstNameOfATextThatIsNotMadeOfNumbersOnly) {
  for (const Symbolic& row : kSymbolic) {
    const auto parsed = parse(row.text);
    ASSERT_TRUE(parsed.has_value()) << row.text << ": " << parsed.error().message;
    EXPECT_EQ(parsed->symbolic, row.name) << row.text;
    map::Tensor tensor;
    for (const std::vector<Index>& size : {std::vector<Index>{5, 7}, {}, {0, 3}}) {
      tensor.size = size;
      const auto reading = family().read(row.text, tensor);
      ASSERT_TRUE(reading.has_value()) << row.text;
      ASSERT_NE(reading->undecidable(), nullptr) << row.text;
      const std::string& why = reading->undecidable()->reason;
      EXPECT_NE(why.find(fmt::format("'{}'", row.name)), std::string::npos) << why;
      EXPECT_TRUE(reading->rules.empty());
      EXPECT_EQ(reading->layout(), nullptr);
    }
  }
}

struct Rejected {
  const char* text;
  ErrorCode code;
  std::size_t offset;
  const char* says;
};

const std::vector<Rejected> kRejected = {
    // upstream's three traps
    {"S[(8,4,2):(4,1)]", ErrorCode::Shape, 10, "2 strides for 3 extents"},
    {"S[(8,4):(4,1,1)]", ErrorCode::Shape, 8, "3 strides for 2 extents"},
    {"S[8:(4, \"laneid\")]", ErrorCode::Shape, 4, "2 strides for 1 extent"},
    {"TileLayout(S[(rows, 4) : (1 @ TLane,)])", ErrorCode::Shape, 25, "1 stride for 2 extents"},
    {"S[8:1] + S[4:1]", ErrorCode::Syntax, 7, "a second S"},
    {"R[2:1] + S[8:1] + R[4:1]", ErrorCode::Syntax, 16, "a second R"},
    {"S[8:4@tid]", ErrorCode::Value, 6, "tx is meant"},
    {"S[8:4@tlane]", ErrorCode::Value, 6, "TLane is meant"},
    {"S[8:4@tcol]", ErrorCode::Value, 6, "TCol is meant"},
    {"S[8:4@axis_tid_in_wg]", ErrorCode::Value, 6, "tid_in_wg is meant"},
    {"S[8:4@pid]", ErrorCode::Value, 6, "documents use it"},
    {"S[8:4@gpuid_x]", ErrorCode::Value, 6, "documents use it"},
    {"S[8:4@reg]", ErrorCode::Value, 6, "documents use it"},
    {"S[8:4@lane]", ErrorCode::Value, 6,
     "the axes are bx by bz cbx cby cbz tx warpid laneid wgid tid_in_wg wid_in_wg m P F "
     "Bank TCol TLane"},
    {"S[8:\"lane\"]", ErrorCode::Value, 4, "'lane' is not a registered axis"},
    {"S[8:1] + 3@lane", ErrorCode::Value, 11, "'lane' is not a registered axis"},
    {"S[(n,):(4@lane,)]", ErrorCode::Value, 10, "'lane' is not a registered axis"},
    // extents and strides
    {"S[0:1]", ErrorCode::Value, 2, "the extent 0 is not 1 or more"},
    {"S[(8,-2):(1,1)]", ErrorCode::Value, 5, "the extent -2 is not 1 or more"},
    {"S[8:1] + R[0:1]", ErrorCode::Value, 11, "the extent 0"},
    {"S[((8,4),2):(1,1)]", ErrorCode::Value, 3, "an extent is not an integer"},
    {"S[8:True]", ErrorCode::Value, 4, "a stride is not an integer"},
    {"S[\"8\":1]", ErrorCode::Value, 2, "an extent is not an integer"},
    {"S[(8@laneid):1]", ErrorCode::Value, 3, "an extent is not an integer"},
    {"S[8,4 : 4,1]", ErrorCode::Syntax, 4, "extents and strides in one tuple"},
    {"S[:]", ErrorCode::Syntax, 2, "two sides of ':'"},
    {"S[8:]", ErrorCode::Syntax, 2, "two sides of ':'"},
    {"S[]", ErrorCode::Syntax, 2, "expected an index"},
    {"S[8:2 @ 3]", ErrorCode::Syntax, 8, "expected an axis behind '@'"},
    {"S[8:laneid @ 4]", ErrorCode::Syntax, 13, "expected an axis behind '@'"},
    // sums
    {"S[8:1] - 4", ErrorCode::Syntax, 7, "terms are added"},
    {"S[8:1] * 2", ErrorCode::Syntax, 7, "terms are added"},
    {"-S[8:1]", ErrorCode::Value, 0, "is not an integer"},
    {"S[8:1] + \"laneid\"", ErrorCode::Syntax, 7, "on both sides of '+'"},
    {"S[8:1] + (1, 2)", ErrorCode::Syntax, 7, "on both sides of '+'"},
    {"S[8:1] + TileLayout(S[4:1])", ErrorCode::Syntax, 7, "on both sides of '+'"},
    {"TileLayout(1@laneid + S[8:1])", ErrorCode::Syntax, 20, "before S or R"},
    {"TileLayout(64)", ErrorCode::Syntax, 11, "expected a sum of S"},
    {"TileLayout(1@laneid + 2)", ErrorCode::Syntax, 11, "expected a sum of S"},
    {"TileLayout()", ErrorCode::Syntax, 0, "'spec' is missing"},
    {"TileLayout(S[8:1], 3)", ErrorCode::Syntax, 19, "more than 1 argument"},
    {"TileLayout(S[8:1], shard=3)", ErrorCode::Syntax, 19, "'shard' is not an argument"},
    // arithmetic
    {"S[8 / 2 : 1]", ErrorCode::Value, 4, "expected '//'"},
    {"S[8 // 0 : 1]", ErrorCode::Value, 4, "'//' by zero"},
    {"S[8 % 0 : 1]", ErrorCode::Value, 4, "'%' by zero"},
    {"S[T.ceildiv(8, 0) : 1]", ErrorCode::Value, 15, "T.ceildiv by 0; expected a divisor of at least 1"},
    {"S[floormod(8, -2) : 1]", ErrorCode::Value, 14, "floormod by -2; expected a divisor of at least 1"},
    {"S[ceil(8 / 0) : 1]", ErrorCode::Value, 11, "ceil by 0; expected a divisor of at least 1"},
    {"S[min(8, S[2]) : 1]", ErrorCode::Value, 9, "the second argument of min is not an integer"},
    {"S[8 << -1 : 1]", ErrorCode::Value, 4, "a shift by a negative number"},
    {"S[1 << 63 : 1]", ErrorCode::Overflow, 4, "does not fit in 64 bits"},
    {"S[2 ** 63 : 1]", ErrorCode::Overflow, 4, "the result of '**' does not fit in 64 bits"},
    {"S[3 ** 1000000000000 : 1]", ErrorCode::Overflow, 4, "does not fit in 64 bits"},
    {"S[8 : 2 ** -1]", ErrorCode::Value, 8, "a power with a negative exponent"},
    {"S[2 ** : 1]", ErrorCode::Syntax, 7, "expected a layout, a number or a name, found ':'"},
    {"S[2 * * 3 : 1]", ErrorCode::Syntax, 6, "found '*'"},
    {"S[0x : 1]", ErrorCode::Syntax, 3, "after the digits"},
    {"S[(8, 4):(4, 1)", ErrorCode::Syntax, 15, "expected ']', found the end"},
    {"TileLayout(S[8:1]", ErrorCode::Syntax, 17, "expected ',' or ')', found the end"},
    {"S[8 : 9223372036854775807 + 1]", ErrorCode::Overflow, 26, "does not fit in 64 bits"},
    {"S[4 : T.int32(2147483648)]", ErrorCode::Overflow, 14, "2147483648 does not fit in 32 bits"},
    {"S[4 : T.int64(S[2])]", ErrorCode::Value, 14, "the argument of T.int64 is not an integer"},
    {"S[8 : 9223372036854775808]", ErrorCode::Overflow, 6, "does not fit in 64 bits"},
    {"S[8 : 4294967296 * 4294967296]", ErrorCode::Overflow, 17, "does not fit in 64 bits"},
    {"S[8:1] + 9223372036854775807@laneid + 1@laneid", ErrorCode::Overflow, 36, "the offset of laneid"},
    {"S[(4294967296,4294967296):(0,0)]", ErrorCode::Overflow, 0, "the product of the extents"},
    {"S[4294967296, 4294967296, 2]", ErrorCode::Overflow, 2, "the product of the extents"},
    {"TileLayout(S[3:9223372036854775807@F])", ErrorCode::Overflow, 11, "a coordinate on F"},
    {"S[3:-9223372036854775807]", ErrorCode::Overflow, 0, "a coordinate on m"},
    // swizzles
    {"SwizzleLayout(3, 3)", ErrorCode::Syntax, 0, "'atom_len' is missing"},
    {"SwizzleLayout(3, 3, 3, True, 1)", ErrorCode::Syntax, 29, "more than 4 arguments"},
    {"SwizzleLayout(3, 3, 3, per_element=3)", ErrorCode::Syntax, 23, "'per_element' is given twice"},
    {"SwizzleLayout(3, 3, 3, 1)", ErrorCode::Value, 23, "neither True nor False"},
    {"SwizzleLayout(3, 3, 3, inner=False, swizzle_inner=False)", ErrorCode::Syntax, 36,
     "'swizzle_inner' is given twice"},
    {"SwizzleLayout(-1, 3, 3)", ErrorCode::Value, 14, "per_element is -1; expected 0 to 62"},
    {"SwizzleLayout(3, -1, 3)", ErrorCode::Value, 17, "swizzle_len is -1"},
    {"SwizzleLayout(3, 3, 63)", ErrorCode::Value, 20, "atom_len is 63"},
    {"SwizzleLayout(3, 3, 0)", ErrorCode::Value, 20, "atom_len is 0"},
    {"SwizzleLayout(21, 21, 21)", ErrorCode::Value, 14, "is 63; expected at most 62"},
    {"SwizzleLayout(True, 3, 3)", ErrorCode::Value, 14, "per_element is not an integer"},
    {"ComposeLayout(3, 3, 3)", ErrorCode::Syntax, 0, "'tile_layout' is missing"},
    {"ComposeLayout(3, 3, 3, 4)", ErrorCode::Syntax, 23, "expected a sum of S"},
    {"ComposeLayout(3, 3, 3, S[8:1@laneid])", ErrorCode::Value, 23, "must be on m alone, not on laneid"},
    {"ComposeLayout(3, 3, 3, S[8:1] + R[2:1@laneid])", ErrorCode::Value, 23, "must be on m alone, not on laneid"},
    {"ComposeLayout(B, 3, 3, S[8:1] + 0@TCol)", ErrorCode::Value, 23, "must be on m alone, not on TCol"},
    {"ComposeLayout(3, 3, 3, ComposeLayout(3, 3, 3, S[8:1]))", ErrorCode::Syntax, 23, "expected a sum of S"},
    {"ComposeLayout(S[8:1], SwizzleLayout(3, 3, 3))", ErrorCode::Syntax, 14, "expected a SwizzleLayout"},
    {"ComposeLayout(TileLayout(S[8:1]), S[8:1])", ErrorCode::Syntax, 14, "expected a SwizzleLayout"},
    // the text
    {"", ErrorCode::Syntax, 0, "expected a layout"},
    {"   ", ErrorCode::Syntax, 3, "expected a layout"},
    {"tile", ErrorCode::Syntax, 0, "expected a layout"},
    {"64", ErrorCode::Syntax, 2, "expected a layout"},
    {"1 @ laneid + S[8:1]", ErrorCode::Syntax, 2, "expected a layout"},
    {"a + S[8:1]", ErrorCode::Syntax, 0, "expected a layout"},
    {"SwizzleLayout", ErrorCode::Syntax, 0, "expected a layout"},
    {"S[8:1] garbage", ErrorCode::Syntax, 7, "expected the end, found 'garbage'"},
    {"S[8:1])", ErrorCode::Syntax, 6, "expected the end"},
    {"(S[8:1]", ErrorCode::Syntax, 7, "expected ',' or ')'"},
    {"(S[8:1],)", ErrorCode::Syntax, 0, "expected a layout"},
    {"S[8:1", ErrorCode::Syntax, 5, "expected ']'"},
    {"S[8:1]]", ErrorCode::Syntax, 6, "expected the end"},
    {"S[8:\"laneid]", ErrorCode::Syntax, 4, "the quote is not closed"},
    {"S[8:1][0]", ErrorCode::Syntax, 0, "a subscript of something that has none"},
    {"S[8(2):1]", ErrorCode::Syntax, 2, "a call of something that is not a function"},
    {"S[8:1].nothing", ErrorCode::Syntax, 0, "'nothing' is not a known attribute"},
    {"S[8.5:1]", ErrorCode::Syntax, 3, ""},
    {"S[8:1] + R[2:x=3]", ErrorCode::Syntax, 14, "expected ']'"},
    {"S[8:f(,)]", ErrorCode::Syntax, 6, "expected a layout, a number or a name"},
    {"S[8:4 4]", ErrorCode::Syntax, 6, "expected ']'"},
    {"S[8;4]", ErrorCode::Syntax, 3, "expected ']'"},
    {"S[\xff]", ErrorCode::Syntax, 2, "the byte 0xff"},
    {"TileLayout.from_iters([])", ErrorCode::Syntax, 22, "expected offset={…} alone"},
    {"TileLayout.from_iters(shard=[])", ErrorCode::Syntax, 22, "expected offset={…} alone"},
    {"TileLayout.from_iters(offset=3)", ErrorCode::Syntax, 22, "expected offset={…} alone"},
    {"TileLayout.from_iters(offset={3: 4})", ErrorCode::Syntax, 30, "expected a quoted name"},
    {"TileLayout.from_iters(offset={\"m\" 4})", ErrorCode::Syntax, 34, "expected ':'"},
    {"TileLayout.from_iters(offset={\"m\": 4, \"m\": 5})", ErrorCode::Syntax, 38, "'m' is given twice"},
    {"TileLayout.from_iters(offset={\"lane\": 4})", ErrorCode::Value, 30, "lane"},
    {"TileLayout.from_iters(offset={\"m\": 4}", ErrorCode::Syntax, 37, "expected ',' or ')'"},
    {"S[8:{\"m\": 1}]", ErrorCode::Syntax, 4, "a dictionary has no place here"},
};

TEST(TirxParse, RejectsWrongTextsAtTheirPlaceWithTheReason) {
  for (const Rejected& row : kRejected) {
    const auto parsed = parse(row.text);
    ASSERT_FALSE(parsed.has_value()) << row.text;
    EXPECT_EQ(name(parsed.error().code), name(row.code)) << row.text << ": " << parsed.error().message;
    EXPECT_NE(parsed.error().message.find(row.says), std::string::npos) << row.text << ": " << parsed.error().message;
    EXPECT_EQ(parsed.error().offset, row.offset) << row.text << ": " << parsed.error().message;
  }
}

TEST(TirxParse, EndsOnTextsThatAreDeepLongOrCutAnywhere) {
  const auto repeated = [](std::string_view part, std::size_t times) {
    std::string out;
    for (std::size_t k = 0; k < times; ++k) out += part;
    return out;
  };
  Index deep = 0;
  for (const std::size_t times : {300U, 100'000U}) {
    for (const std::string& text :
         {repeated("(", times) + "S[8:1]" + repeated(")", times), "S[" + repeated("(", times),
          "S[" + repeated("[", times), "S[8:" + repeated("-", times) + "1]", "S[8:1" + repeated("+1", times) + "]",
          "S[8:1" + repeated("**1", times) + "]", "S[8:1]" + repeated(" + 1", times), "S[8:" + repeated("f(", times),
          "S[8:x" + repeated("[0]", times) + "]", "S[8:" + repeated("{'m':", times),
          "S[8:f()" + repeated(".y", times) + "]", repeated("TileLayout(", times) + "S[8:1]" + repeated(")", times),
          "S[8:f" + repeated("()", times) + "]"}) {
      const auto parsed = parse(text);
      ASSERT_FALSE(parsed.has_value()) << text.substr(0, 20);
      EXPECT_LE(parsed.error().offset, text.size());
      if (times > 200 && parsed.error().message.find("200 levels") != std::string::npos) ++deep;
    }
    // Breadth is not depth: any number of extents is read.
    EXPECT_TRUE(parse("S[(" + repeated("1,", times) + ")]").has_value());
    map::Tensor tensor;
    const auto read = family().read(
        "S[(" + repeated("2,", 40) + ")] + R[(" + repeated("1,", times) + "):(" + repeated("0,", times) + ")]", tensor);
    EXPECT_FALSE(read.has_value());
  }
  EXPECT_EQ(deep, 26);
  Index rejected = 0;
  for (const Accepted& row : kAccepted)
    for (std::size_t length = 0; length < std::string_view(row.text).size(); ++length)
      if (const auto parsed = parse(std::string_view(row.text).substr(0, length)); !parsed) {
        ++rejected;
        ASSERT_LE(parsed.error().offset, length) << row.text;
      }
  EXPECT_GT(rejected, 1000);
}

TEST(TirxParse, RecognisesItsTextsByTheirStart) {
  for (const char* text :
       {"S[", "  ( S [8", "R[2", "T.S[1", "64 + S[8:1]", "(16 * 2 + S[8:1])", "TileLayout(", "T.ComposeLayout (",
        "tvm.tirx.layout.SwizzleLayout(3", "sf_tmem_layout(128)", "tmem_datapath_layout(\"D\", 128, 64)",
        "TileLayout.trainium(\"FPF\", (32, 512, 512))", "mma_shared_layout(\"float16\", 3, (64, 256))"})
    EXPECT_TRUE(recognises(text)) << text;
  for (const char* text : {"", "S", "S(8)", "s[8]", "SpyreTensorLayout((5, 100, 150), torch.float16)",
                           "device_size=[1]", "([40, 60], [60, 1], [1, 60, 64], [3840, 1, 60])", "TensorArg(S[1])",
                           "#tt.metal_layout<S[8]>", "12", "XS[8:1]", "MyTileLayout(S[8:1])", "TileLayout"})
    EXPECT_FALSE(recognises(text)) << text;
}

}  // namespace tirx_parse_test
}  // namespace vl::tirx
