// Texts to CuTe layouts: the notations of C++, of the IR and of pycute, what is no number, and the places of errors;
// and the complement by the document's definition.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "encodings/cute/cute.h"
#include "encodings/use/family.h"

namespace vl::cute {
namespace cute_parse_test {

struct Accepted {
  const char* text;
  const char* printed;  // an independent reading: the layout in plain notation; null where it is symbolic
};

const std::vector<Accepted> kAccepted = {
    {"8:2", "8:2"},
    {"(8):(2)", "(8):(2)"},
    {" ( 4 , ( 2 , 2 ) ) : ( 1 , ( 4 , 8 ) ) ", "(4,(2,2)):(1,(4,8))"},
    {"(_4,_2):(_1,_4)", "(4,2):(1,4)"},
    {"(Int<4>{},_2{}):(Int<1>,C<4>{})", "(4,2):(1,4)"},
    {"(4,):(1,)", "(4):(1)"},
    {"():()", "():()"},
    {"((),4):((),1)", "((),4):((),1)"},
    {"4:-1", "4:-1"},
    {"(_4,2):(_-1,0)", "(4,2):(-1,0)"},
    {"[4,2]:[1,4]", "(4,2):(1,4)"},
    // compact, the first leaf fastest, and the last one
    {"Layout<Shape<_4,Shape<_2,_3>>>", "(4,(2,3)):(1,(4,8))"},
    {"Layout<Shape <_4, _2>, Stride<_1, _4>>{}", "(4,2):(1,4)"},
    {"make_layout(make_shape(4, 2))", "(4,2):(1,4)"},
    {"Layout<Shape<_4,_1>>", "(4,1):(1,0)"},  // a static 1 has the stride 0, CompactLambda of CUTLASS 4.2.0
    {"make_layout(make_shape(4, 1))", "(4,1):(1,4)"},
    {"make_layout(make_shape(4, make_shape(2, 3)), LayoutRight{})", "(4,(2,3)):(6,(3,1))"},
    {"make_layout(make_shape(4, 2), LayoutLeft{})", "(4,2):(1,4)"},
    {"make_layout(Shape<_4,_2>{}, GenRowMajor{})", "(4,2):(2,1)"},
    {"make_layout((4, 2), (1, 4))", "(4,2):(1,4)"},
    {"Layout((4, 2),(1, 4))", "(4,2):(1,4)"},
    {"Layout((4, 2):(1, 4))", "(4,2):(1,4)"},
    {"Layout(4)", "4:1"},
    {"cute.make_layout((4, (2, 3)), stride=(6, (3, 1)))", "(4,(2,3)):(6,(3,1))"},
    {"cute.make_layout(4)", "4:1"},
    {"make_layout((4, 2), stride=(2, 1))", "(4,2):(2,1)"},
    {"make_layout((4, 2), stride=(2, 1),)", "(4,2):(2,1)"},
    {"make_layout((4, 2),)", "(4,2):(1,4)"},
    // arithmetic
    {"(2*4,8/2):(1,8)", "(8,4):(1,8)"},
    {"((1 + 1)*4, 4):(1, 8)", "(8,4):(1,8)"},
    {"make_layout(make_shape(Int<64/8>{}, cute::ceil_div(30, 8)), make_stride(2 - 3, round_up(5, 4)))", "(8,4):(-1,8)"},
    // swizzles
    {"S<3,4,3> o 0 o (8,64):(64,1)", "Sw<3,4,3> o 0 o (8,64):(64,1)"},
    {"Sw<3,4,3> o _0 o (_8,_64):(_64,_1)", "Sw<3,4,3> o 0 o (8,64):(64,1)"},
    {"Swizzle<3,4,3>{} o 16 o 8:1", "Sw<3,4,3> o 16 o 8:1"},
    {"Swizzle(3,4,3) o 8:1", "Sw<3,4,3> o 0 o 8:1"},
    {"SW_3_4_3 o 0 o (4, 2):(1, 4)", "Sw<3,4,3> o 0 o (4,2):(1,4)"},
    {"SW_2_0_-2 o 0 o 4:1", "Sw<2,0,-2> o 0 o 4:1"},
    {"S<0,4,0> o 0 o 8:1", "Sw<0,4,0> o 0 o 8:1"},
    {"Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)", "Sw<3,3,3> o 0 o (8,64):(64,1)"},
    {"Sw<3,4,3> o smem_ptr[32b](0x7c00) o (8,32):(32,1)", "Sw<3,2,3> o 0 o (8,32):(32,1)"},
    {"Sw<3,4,3> o smem_ptr[4b](unset) o (8,256):(256,1)", "Sw<3,5,3> o 0 o (8,256):(256,1)"},
    {"composition(Swizzle<3,3,3>{}, Layout<Shape<_8,_64>, Stride<_64,_1>>{})", "Sw<3,3,3> o 0 o (8,64):(64,1)"},
    {"composition(Swizzle<3,3,3>{}, Int<5>{}, 8:1)", "Sw<3,3,3> o 5 o 8:1"},
    {"ComposedLayout<Swizzle<1,0,2>, _0, Layout<Shape <_4, _4>, Stride<_1, _4>>>", "Sw<1,0,2> o 0 o (4,4):(1,4)"},
    {"ComposedLayout(Swizzle(1,0,2),0,Layout((4, 4),(1, 4)))", "Sw<1,0,2> o 0 o (4,4):(1,4)"},
    // no numbers
    {"(M,N):(N,1)", nullptr},
    {"(M,N):(-N,1)", nullptr},
    {"(cute.ceil_div(M, 8),cute::round_up(N, 4)):(ceil(M/8),1)", nullptr},
    {"Layout<Shape<S,C>,Stride<C,_1>>", nullptr},
    {"make_layout(shape, stride)", nullptr},
    {"Swizzle<B,3,3> o 0 o (8,64):(64,1)", nullptr},
    {"Sw<3,3,3> o base o (8,64):(64,1)", nullptr},
    {"(?,2):(1,?{i64})", nullptr},
    {"(?{i64 div=8},2):(1,4)", nullptr},
    {"(4,5):(1@0,1@1)", nullptr},
    {"8:1@1@0", nullptr},
    {"(?,?{div=64}):(1,?{div=64})", nullptr},
    {"Sw<3,4,3> o smem_ptr[32b](0x7f00) o (8,32):(32,1)", nullptr},  // 0x7f00 has bits that the swizzle reads
    {"Sw<3,4,3> o smem_ptr[16b](banana) o (8,64):(64,1)", nullptr},
    {"S<3,4,3> o (0,0) o (8,64):(64,1)", nullptr},
    {"Sw<3,0,3> o smem_ptr[16b](unset) o 8:1", nullptr},
};

TEST(CuteParse, ReadsEveryNotation) {
  for (const Accepted& row : kAccepted) {
    const auto parsed = parse(row.text);
    ASSERT_TRUE(parsed) << row.text << ": " << parsed.error().message;
    EXPECT_TRUE(recognises(row.text)) << row.text;
    EXPECT_EQ(parsed->symbolic.empty(), row.printed != nullptr) << row.text << ": " << parsed->symbolic;
    if (row.printed == nullptr) continue;
    EXPECT_EQ(print(parsed->layout), row.printed) << row.text;
    const auto again = parse(print(parsed->layout));
    ASSERT_TRUE(again) << row.printed;
    EXPECT_EQ(again->layout, parsed->layout) << row.printed;
  }
}

struct Rejected {
  const char* text;
  std::size_t offset;
  const char* message;
};

const std::vector<Rejected> kRejected = {
    {"(4,2)", 5, "expected ':', found the end"},
    {"(4,2):(1,4", 10, "expected ')', found the end"},
    {"(4,2):(1,4))", 11, "expected the end, found ')'"},
    {"(4,2):(1,4,8)", 0, "the shape has 2 modes where the stride has 3; they must nest alike"},
    {"(4,(2,2)):(1,4)", 0, "an integer stands against a tuple; shape and stride must nest alike"},
    {"(4,0):(1,4)", 0, "an extent of 0; expected 1 or more"},
    {"(4,-1):(1,4)", 0, "an extent of -1; expected 1 or more"},
    {"(4,,2):(1,4)", 3, "expected an integer, found ','"},
    {"(4 2):(1,4)", 3, "expected ')', found '2'"},
    {"(4,_x):(1,4)", 4, "expected digits behind '_'"},
    {"(M,2):(1,and)", 9, "'and' is a word of Python, and no name of a size"},
    {"(M,2/0):(1,4)", 6, "a division by 0; expected 1 or more"},
    {"((M-1)/2,2):(1,4)", 8, "a division of what may be below 0: C++ and Python round it differently"},
    {"(M,N):(N,half(M))", 9, "'half' is no function; expected ceil(a/b), align, min or max"},
    {"make_layout((4,2), order=(1,0))", 0, "an integer stands against a tuple; shape and stride must nest alike"},
    {"(4,9223372036854775808):(1,4)", 3, "an integer does not fit in 64 bits"},
    {"(4294967296,4294967296):(1,1)", 0, "the size does not fit in 64 bits"},
    {"Layout<Shape<_4294967296,_4294967296>>", 0, "the size does not fit in 64 bits"},
    {"Sw<3,4> o 0 o 8:1", 6, "expected ',', found '>'"},
    {"Sw<3,4,2> o 0 o 8:1", 0, "a swizzle of 3 bits, shifted by 2: they overlap"},
    {"Sw<-1,4,2> o 0 o 8:1", 0, "a swizzle's numbers are bits >= 0, base >= 0 and shift, within 62 bits"},
    {"Sw<3,60,3> o 0 o 8:1", 0, "a swizzle's numbers are bits >= 0, base >= 0 and shift, within 62 bits"},
    {"Sw<3,4,3> o", 11, "expected an integer, found the end"},
    {"Sw<3,4,3> (8,64):(64,1)", 10, "expected 'o', found '('"},
    {"Sw<3,4,3> o smem_ptr[12b](unset) o 8:1", 21, "expected a power of two for the bits of an element"},
    {"SW_3_4 o 0 o 8:1", 6, "expected '_'"},
    {"(?,2):(1,?{})", 11, "expected a type, as in ?{i64}, found '}'"},
    {"make_layout(make_shape(4, 2), LayoutUp{})", 0,
     "an integer stands against a tuple; shape and stride must nest alike"},
};

TEST(CuteParse, SaysWhereATextIsWrong) {
  for (const Rejected& row : kRejected) {
    const auto parsed = parse(row.text);
    ASSERT_FALSE(parsed) << row.text;
    EXPECT_EQ(parsed.error().message, row.message) << row.text;
    EXPECT_EQ(parsed.error().offset, row.offset) << row.text;
  }
}

TEST(CuteParse, EndsInDeepAndLongTexts) {
  const std::string deep = std::string(100000, '(') + "4" + std::string(100000, ')');
  EXPECT_FALSE(parse(deep + ":" + deep));
  std::string wide = "(1";
  for (int k = 0; k < 100000; ++k) wide += ",1";
  wide += ")";
  EXPECT_FALSE(parse(wide + ":" + wide));
  std::string layouts;
  for (int k = 0; k < 100000; ++k) layouts += "composition(Swizzle<1,0,1>{},";
  EXPECT_FALSE(parse(layouts));
}

TEST(CuteParse, LeavesTheTextsOfOtherFamilies) {
  for (const char* text :
       {"S[(8,4):(4,1)]", "64 + S[8:1]", "([40, 60], [60, 1], [1, 60, 64], [3840, 1, 60])", "(4,2)",
        "(x0:4) -> affine(x0)", "() -> affine(7)", "TileLayout(S[8:1])", "SpyreTensorLayout((8,), f16)",
        "#ttnn.ttnn_layout<(d0) -> (d0)>", "", "(", "((((((((((", "?", "4"})
    EXPECT_FALSE(recognises(text)) << text;
}

struct Complement {
  const char* layout;
  Index cotarget;
  const char* complement;  // null: there is none
};

// CM (02_layout_algebra.md) and cute_ir/test; modes of extent 1 stay.
const std::vector<Complement> kComplements = {
    {"4:1", 24, "(1,6):(1,4)"},
    {"6:4", 24, "(4,1):(1,24)"},
    {"4:2", 24, "(2,3):(1,8)"},
    {"(2,4):(1,6)", 24, "(1,3,1):(1,2,24)"},
    {"(2,2):(1,6)", 24, "(1,3,2):(1,2,12)"},
    {"(4,6):(1,4)", 24, "(1,1,1):(1,4,24)"},
    {"4:4", 17, "(4,2):(1,16)"},
    {"(2,4,8):(8,1,0)", 460, "(1,2,29):(1,4,16)"},
    {"(2,2):(2,3)", 19, nullptr},
    {"4:-1", 4, nullptr},
    {"Sw<1,0,2> o 0 o 16:1", 16, nullptr},
};

TEST(CuteComplement, IsTheGapsBetweenTheModes) {
  for (const Complement& row : kComplements) {
    const auto made = complement(parse(row.layout)->layout, row.cotarget);
    ASSERT_EQ(made.has_value(), row.complement != nullptr) << row.layout;
    if (!made) continue;
    EXPECT_EQ(print(*made), row.complement) << row.layout;
  }
}

}  // namespace cute_parse_test
}  // namespace vl::cute
