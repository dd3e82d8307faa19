// descriptor: loads that carry a layout, as texts and as JSON, and why there are none.
#include "tests/cli/records.h"

namespace vl {
namespace cli_descriptor_test {

Ran loads_for(const std::string& layout, const std::string& tensor, const Words& more = {}) {
  Words words = {"descriptor", "--layout", layout, "--tensor", tensor};
  words.insert(words.end(), more.begin(), more.end());
  return called(words);
}

// The map's digits by hand: 64 columns of a row, 64 rows of 512 bytes, 4 groups of columns 128 bytes apart.
TEST(Descriptor, IsOneBoxWhereADimensionCanBeSplit) {
  const Ran run = loads_for("ComposeLayout(3,3,3,S[(64,4,64):(64,4096,1)])", "f16[64,256]");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(
      run.out,
      "load tensormap(f16, dim (64,64,4), stride (512,128), box (64,64,4), step (1,1,1), swizzle 128B) at (0,0,0) to "
      "0\n");
  EXPECT_NE(run.err.find("not stated: base (global-address"), std::string::npos) << run.err;
  EXPECT_EQ(loads_for("S[(8,64):(64,1)]", "i4[8,64]").code, 10);  // tensor maps have no such elements
}

// The layout and the tensor are both dense: 512·152 elements are 256 in a row, 152 of these, and 2 of those.
TEST(Descriptor, DividesSidesThatAreTooLong) {
  const Ran run = loads_for("S[(512,152):(152,1)]", "f16[512,152]", {"--base", "1024"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(
      run.out,
      "load tensormap(f16, dim (256,152,2), stride (512,77824), box (256,152,2), step (1,1,1)) at (0,0,0) to 1024\n");
}

TEST(Descriptor, SaysWhyThereIsNone) {
  const Ran run = loads_for("S[(8,64):(1,8)]", "f16[8,64]");
  EXPECT_EQ(run.code, 5) << run.err;
  EXPECT_NE(
      run.out.find("undecided: boxes of one tensor map and of one size, without fills and with the longest sides"),
      std::string::npos)
      << run.out;
  EXPECT_NE(run.out.find("swizzle none: shared memory has rows of 1 element, of 2 bytes"), std::string::npos)
      << run.out;
  const Ran json = loads_for("S[(8,64):(1,8)]", "f16[8,64]", {"--format", "json"});
  const auto read = Json::parse(json.out);
  EXPECT_EQ(read["answer"], "undecided");
  EXPECT_EQ(read["rejected"].size(), 7U);
  // Strides of 302 bytes are no multiple of 16.
  const Ran odd = loads_for("S[(8,64):(64,1)]", "f16[8,64]", {"--strides", "151,1"});
  EXPECT_EQ(odd.code, 0) << odd.out;  // eight boxes of one row
  EXPECT_EQ(std::ranges::count(odd.out, '\n'), 8) << odd.out;
  const Ran late = loads_for("S[(8,64):(64,1)]", "f16[8,64]", {"--base", "64"});
  EXPECT_EQ(late.code, 5) << late.out;
  EXPECT_NE(late.out.find("shared-address"), std::string::npos) << late.out;
}

TEST(Descriptor, TakesATargetOfTensorMapsAlone) {
  EXPECT_EQ(loads_for("S[(8,64):(64,1)]", "f16[8,64]", {"--target", "noc-wormhole"}).code, 2);
  EXPECT_EQ(loads_for("S[(8,64):(64,1)]", "f16[8,64]", {"--target", "nonsense"}).code, 2);
  EXPECT_EQ(loads_for("S[(8,64):(64,1)]", "f16[8,64]", {"--base", "3"}).code, 2);
  EXPECT_EQ(loads_for("S[(8,64):(64,1)]", "f16[8,64]", {"--base", "-2"}).code, 2);
}

}  // namespace cli_descriptor_test
}  // namespace vl
