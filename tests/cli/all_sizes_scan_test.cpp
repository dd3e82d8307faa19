// check of files whose layouts have names: each is judged for all sizes, under the asserts in front of it.
#include "tests/cli/records.h"

namespace vl {
namespace cli_all_sizes_scan_test {

const char* const kCopy = R"py(
def rows(M, N, P):
    assert P >= N, "rows overlap"
    return S[(M, N) : (P, 1)]

def any_rows(M, N, P):
    return S[(M, N) : (P, 1)]

def sticks(N, M):
    return SpyreTensorLayout((N, M, 150), torch.float16)
)py";

TEST(AllSizesScan, AssertsAreConditionsOfTheAnswer) {
  const Folder folder;
  const auto found = verdicts_of({folder.file("a.py", kCopy), "--claim", "injective"}, 10);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].at("verdict"), "proved");
  EXPECT_EQ(found[0].at("scope"), "all-sizes");
  EXPECT_EQ(found[0].at("tensor"), "u8[M*N]");
  EXPECT_EQ(found[0].at("where").dump(), R"(["P >= N"])");
  EXPECT_EQ(found[0].at("line"), 4);
  EXPECT_EQ(found[1].at("verdict"), "refuted");
  EXPECT_EQ(found[1].at("where"), Json::array());
  EXPECT_EQ(found[1].at("holds").dump(), R"([["P >= N"],["M = 1"],["N = 1"]])");
  EXPECT_EQ(found[1].at("line"), 7);
  EXPECT_EQ(found[2].at("verdict"), "proved");
  EXPECT_EQ(found[2].at("tensor"), "f16[N,M,150]");
}

TEST(AllSizesScan, GivenConditionsStandInPlaceOfAsserts) {
  const Folder folder;
  const auto found = verdicts_of({folder.file("a.py", kCopy), "--claim", "injective", "--where", "P >= 2*N"}, 0);
  ASSERT_EQ(found.size(), 2U);  // both texts with P are one
  EXPECT_EQ(found[0].at("where").dump(), R"(["P >= 2*N"])");
  EXPECT_EQ(found[0].at("occurrences"), 2);
}

// With M = 2, N = 3 and P = 2, elements [0, 2] and [1, 0], numbers 2 and 3, are at 2.
TEST(AllSizesScan, DefinedNamesMakeAnInstance) {
  const Folder folder;
  const auto found = verdicts_of(
      {folder.file("a.py", kCopy), "--claim", "injective", "--define", "M=2", "--define", "N=3", "--define", "P=2"},
      10);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].at("scope"), "instance");
  EXPECT_EQ(found[0].at("counterexample").dump(), R"({"a":[2],"b":[3],"physical":[2]})");
}

// tvm@5d4dc872 tests/python/tirx/operator/tile_primitive/cuda/copy_async/test_tcgen05_cp.py:258 computes its strides
// from the type, so the sizes at which they collide are not the file's. Where no sizes are free of collisions, they
// are refuted all the same. A parameter is open, and an assert says what it is.
TEST(AllSizesScan, SizesThatTheFileComputesAreNotChosen) {
  const Folder folder;
  const auto found = verdicts_of({folder.file("a.py", R"py(
def computed(bits, s_rows):
    u = 128 // bits
    LDO_e = 8 * u
    return S[(8, 2, u) : (u, LDO_e, 1)]

def nowhere(bits):
    u = 128 // bits
    return S[(8, 2, u) : (0, 8, 1)]

def open_parameter(u, LDO_e):
    return S[(8, 2, u, 1) : (u, LDO_e, 1, 1)]

def asserted(shape):
    N, P = shape
    assert P >= N
    return S[(4, N) : (2 * P, 2)]
)py"),
                                  "--claim", "injective"},
                                 10);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].at("verdict"), "unknown");
  EXPECT_EQ(found[0].at("note"),
            "it does not hold at every size (u=1, LDO_e=1: elements [1] and [2] share the slot [1]), and line 3 of the "
            "file computes 'u': give its number with --define, or conditions with --where");
  EXPECT_EQ(found[1].at("verdict"), "refuted");
  EXPECT_EQ(found[2].at("verdict"), "refuted");
  EXPECT_EQ(found[3].at("verdict"), "proved");
}

TEST(AllSizesScan, ALayoutOnTheCommandLineMayStateItsTensor) {
  const auto found =
      verdicts_of({"--layout", "SpyreTensorLayout((N, M, 150), torch.float16)", "--claim", "padding"}, 0);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].at("tensor"), "f16[N,M,150]");
  EXPECT_EQ(found[0].at("value_expression"), "42*N*M");
}

}  // namespace cli_all_sizes_scan_test
}  // namespace vl
