// Layouts as trees of numbers (encodings/use/parts.h), of every family that has them.
#include "encodings/use/parts.h"

#include <gtest/gtest.h>

#include <map>

#include "encodings/cute/cute.h"
#include "encodings/spyre/spyre.h"
#include "encodings/tirx/tirx.h"
#include "encodings/use/campaign.h"
#include "encodings/use/family.h"
#include "oracle/fuzz/subject.h"

namespace vl::use {
namespace use_parts_test {

const Parts& parts_of(const char* family) { return *family_of({}, family)->parts; }

std::string printed(const char* family, std::string_view text, std::vector<Index> size) {
  map::Tensor tensor;
  tensor.size = std::move(size);
  const auto out = parts_of(family).print(text, tensor);
  return out ? *out : out.error().message;
}

TEST(Parts, AreTheFieldsOfTheWorkedExamples) {
  EXPECT_EQ(printed("spyre", "SpyreTensorLayout((5, 100, 150), torch.float16)", {5, 100, 150}),
            R"({"device_size":[100,3,5,64],"stride_map":[150,64,15000,1],"dim_map":null,"device_dtype":"SEN169_FP16",)"
            R"("element_arrangement":"STANDARD"})");
  EXPECT_EQ(printed("cute", "(4,(2,2)):(1,(4,8))", {16}),
            R"({"shape":[4,[2,2]],"stride":[1,[4,8]],"swizzle":null,"offset":0})");
  EXPECT_EQ(printed("cute", "Sw<1,4,3> o 2 o 8:2", {8}),
            R"({"shape":8,"stride":2,"swizzle":{"bits":1,"base":4,"shift":3},"offset":2})");
  EXPECT_EQ(printed("tirx", "S[(8,4):(4@laneid,1)] + 5", {32}),
            R"({"shard":[[8,4,"laneid"],[4,1,"m"]],"replica":[],"offset":[[5,"m"]],"swizzle":null})");
}

TEST(Parts, OfTextsThatAreNoNumbersAreRefused) {
  EXPECT_NE(printed("cute", "(?,2):(1,4)", {8}).find("dynamic"), std::string::npos);
  EXPECT_NE(printed("tirx", "S[(M,64):(64,1)]", {8, 64}).find('M'), std::string::npos);
}

// read(print(t)) has the same map as t.
TEST(Parts, OfRandomLayoutsAreReadAsTheSameMap) {
  std::map<std::string_view, int> seen;
  for (const Family* family : families()) {
    if (family->parts == nullptr || family->campaign == nullptr) continue;
    for (std::uint64_t number = 0; number < 400; ++number) {
      Random random(20261127, 0, number);
      const Sample sample = family->campaign->draw(random, static_cast<unsigned>(number % 4), false);
      const std::string text = family->campaign->print(sample);
      const auto tree = family->parts->print(text, sample.tensor);
      ASSERT_TRUE(tree.has_value()) << text << ": " << tree.error().message;
      const auto again = family->parts->read(*tree);
      ASSERT_TRUE(again.has_value()) << *tree << ": " << again.error().message;
      const auto one = family->read(text, sample.tensor), two = family->read(*again, sample.tensor);
      ASSERT_EQ(one.has_value(), two.has_value()) << text << " " << *again;
      if (!one || one->layout() == nullptr) continue;
      ASSERT_NE(two->layout(), nullptr) << *again;
      EXPECT_EQ(one->layout()->map(), two->layout()->map()) << text << " " << *again;
      EXPECT_EQ(one->layout()->physical(), two->layout()->physical()) << text << " " << *again;
      ++seen[family->name];
    }
  }
  for (const char* family : {"spyre", "tirx", "cute"}) EXPECT_GE(seen[family], 300) << family;
}

struct Refused {
  const char* family;
  std::string tree;
  std::string says;
};

TEST(Parts, ThatAreNoLayoutSayWhy) {
  const std::string spyre = R"({"device_size":[2,64],"stride_map":[64,1],"device_dtype":"SEN169_FP16")";
  const std::vector<Refused> refused = {
      {"spyre", "", "a layout's parts"},
      {"spyre", "{}", "expected device_size"},
      {"spyre", R"({"device_size":[2,64],"device_dtype":"SEN169_FP16"})", "expected stride_map or dim_map"},
      {"spyre", R"({"device_size":[2,64],"stride_map":[64,1]})", "expected device_dtype"},
      {"spyre", spyre + R"(,"device_size":[1]})", "comes twice"},
      {"spyre", spyre + R"(,"dim_map":[0,"a"]})", "an integer"},
      {"spyre", spyre + R"(,"dim_map":[99999999999999999999]})", "64 bits"},
      {"spyre", spyre + R"(,"lanes":64})", "no part of a layout"},
      {"spyre", spyre + R"(,"element_arrangement":"A,B"})", "no arrangement"},
      {"spyre", spyre + "} x", "expected the end"},
      {"spyre", R"({"device_size":[2,64],"stride_map":[64,1],"device_dtype":"SENINT24"})", "SENINT24"},
      {"cute", R"({"shape":4})", "expected a shape and a stride"},
      {"cute", R"({"shape":[4,2],"stride":1})", "nests like the shape"},
      {"cute", R"({"shape":[4,[2,2]],"stride":[1,[4]]})", "nests like the shape"},
      {"cute", R"({"shape":4,"stride":1,"offset":2})", "no offset without a swizzle"},
      {"cute", R"({"shape":4,"stride":1,"swizzle":{"bits":63}})", "from -62 to 62"},
      {"cute", R"({"shape":4,"stride":1,"swizzle":{"len":1}})", "no field of a swizzle"},
      {"cute", R"({"shape":4.5,"stride":1})", "an integer"},
      {"cute", R"({"shape":)" + std::string(100000, '['), "at most 64 lists"},
      {"tirx", R"({"shard":[[4,1]]})", "expected 2 numbers and an axis"},
      {"tirx", R"({"shard":[[4,1,"nowhere"]]})", "is no axis"},
  };
  for (const auto& [family, tree, says] : refused) {
    const auto read = parts_of(family).read(tree);
    ASSERT_FALSE(read.has_value()) << tree;
    EXPECT_NE(read.error().message.find(says), std::string::npos) << tree.substr(0, 80) << ": " << read.error().message;
    EXPECT_LE(read.error().offset, tree.size());
  }
}

}  // namespace use_parts_test
}  // namespace vl::use
