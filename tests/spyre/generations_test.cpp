// The constructors of every generation against the assertions of their own tests, and the texts that select each of
// them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "encodings/spyre/spyre.h"
#include "verifier/claims/claim.h"

namespace vl::spyre {
namespace spyre_generations_test {

using List = std::vector<Index>;

struct Row {
  const char* text;
  List device_size;
  List stride_map;
  List dim_map;
};

// Asserted by tests/tensor/test_tensor_layout.py at the commits of corpus/spyre/mined-constructors.toml.
const std::vector<Row> kAsserted = {
    {"([512, 8, 256], torch.float16, generation=G0)", {4, 512, 8, 64}, {}, {2, 0, 1, 2}},
    {"([512, 8, 256], torch.float16, [2, 1, 0], generation=G0)", {8, 256, 8, 64}, {}, {0, 2, 1, 0}},
    {"([512, 256], torch.float16, generation=\"G0\")", {4, 512, 64}, {}, {1, 0, 1}},
    {"([512, 8, 256], torch.float16, generation=G0b)", {512, 4, 8, 64}, {}, {0, 2, 1, 2}},
    {"([512, 8, 256], torch.float16, [2, 1, 0], generation=G0b)", {256, 8, 8, 64}, {}, {2, 0, 1, 0}},
    {"([512, 256], torch.float16, [0, 1, -1], generation=G1a)", {256, 512, 64}, {}, {1, 0, -1}},
    {"([512, 1], torch.float16, generation=G1a)", {8, 64}, {}, {0, 0}},
    {"([1, 1], torch.float16, generation=G1a)", {1, 64}, {}, {-1, -1}},
    {"([], torch.float16, generation=G1)", {1, 64}, {}, {-1, -1}},
    {"([512, 8, 256], torch.float16, generation=G1)", {8, 4, 512, 64}, {}, {1, 2, 0, 2}},
    {"([512, 8, 256], [4096, 256, 1], torch.float16, [2, 1, 0], generation=G1)", {8, 8, 256, 64}, {}, {1, 0, 2, 0}},
    {"([512, 256], [256, 1], torch.float16, [0, 1, -1], generation=G1)", {256, 1, 512, 64}, {}, {1, -1, 0, -1}},
    {"((5, 128, 1), torch.float16, generation=G1b)", {128, 1, 5, 64}, {}, {1, 2, 0, 2}},
    {"([512, 8, 256], torch.float16, [2, 1, 0], generation=G2draft)", {8, 8, 256, 64}, {512, 64, 4096, 1}, {}},
    {"([32, 64, 128], torch.float16, [1, 2, 0], generation=G2draft)", {128, 1, 64, 64}, {32, 64, 4096, 1}, {}},
    {"([512, 8, 256], torch.float16, generation=S2)", {8, 4, 512, 64}, {256, 64, 2048, 1}, {}},
    {"([60], torch.float16, generation=S3)", {1, 64}, {60, 1}, {}},
    {"([512, 8, 256], [2048, 256, 1], torch.float16, [0, 2, 1], generation=S3)",
     {256, 1, 512, 64},
     {1, 2048, 2048, 256},
     {}},
    {"([7, 255, 68], torch.float16, pad_all_dims=True)", {256, 2, 64, 64}, {}, {1, 2, 0, 2}},
    {"([3, 5, 128], torch.float16, [0, 1, 2], [False, True, True])", {64, 2, 3, 64}, {}, {1, 2, 0, 2}},
    {"([3, 5, 128], torch.float16, [0, 1, 2], [True, False, True])", {5, 2, 64, 64}, {}, {1, 2, 0, 2}},
    {"([43, 7], torch.float16, pad_all_dims=False)", {1, 43, 64}, {}, {1, 0, 1}},
};

TEST(Generations, ConstructWhatTheirTestsAsserted) {
  for (const Row& row : kAsserted) {
    const auto layout = parse("SpyreTensorLayout" + std::string(row.text));
    ASSERT_TRUE(layout.has_value()) << row.text << ": " << layout.error().message;
    EXPECT_EQ(layout->device_size, row.device_size) << row.text;
    EXPECT_EQ(layout->stride_map, row.stride_map) << row.text;
    EXPECT_EQ(layout->dim_map, row.dim_map) << row.text;
  }
}

TEST(Generations, RefuseWhatTheyDidNotHave) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"([512, 256], torch.float16, [0, 1, -1], generation=G0)", "no rule"},
      {"([], torch.float16, generation=G0b)", "no rule"},
      {"([512, 256], torch.float16, generation=G9)", "not a generation"},
      {"([512, 256], torch.float16, pad_all_dims=True, generation=S2)", "pad flags belong to G1"},
      {"([512, 256], torch.float16, [0, 1], [True])", "1 pad flags for 2 sizes"},
      {"([512, 256], torch.float16, [1, 0], [True, False])", "not the identity"},
      {"([512, 256], torch.float16, pad_all_dims=[True, True])", "True or False"},
      {"([9223372036854775807], torch.float16, pad_all_dims=True)", "64 bits"},
  };
  for (const auto& [text, part] : table) {
    const auto layout = parse("SpyreTensorLayout" + text);
    ASSERT_FALSE(layout.has_value()) << text;
    EXPECT_NE(layout.error().message.find(part), std::string::npos) << text << ": " << layout.error().message;
  }
}

use::Reading read(const std::string& text, const List& size) {
  map::Tensor tensor;
  tensor.size = size;
  auto reading = family().read(text, tensor);
  VL_CHECK(reading.has_value(), text + ": " + (reading ? "" : reading.error().message));
  return *std::move(reading);
}

std::string_view equal(const std::string& a, const std::string& b, const List& size) {
  const use::Reading first = read(a, size);
  const use::Reading second = read(b, size);
  const claims::Judged answer =
      claims::decide(*claims::find_claim("equal"), claims::Pair{*first.layout(), *second.layout()}, {});
  return question::word(answer.verdict);
}

// The clamp of S3 changes strides of dimensions of one stick only, so nothing moves.
TEST(Generations, AreOneLayoutWithAndWithoutTheClamp) {
  std::size_t differ = 0;
  std::size_t decided = 0;
  for (const List& size : {List{60}, List{64}, List{65}, List{512, 8, 256}, List{3, 1, 5}, List{2, 63, 130, 7}})
    for (const std::string order : {"first", "last"}) {
      List dims;
      for (Index i = 0; i < static_cast<Index>(size.size()); ++i) dims.push_back(i);
      if (order == "first") std::reverse(dims.begin(), dims.end());
      const std::string head =
          fmt::format("SpyreTensorLayout([{}], torch.float16, [{}]", fmt::join(size, ", "), fmt::join(dims, ", "));
      EXPECT_EQ(equal(head + ")", head + ", generation=S3)", size), "proved") << head;
      differ += *parse(head + ")") == *parse(head + ", generation=S3)") ? 0U : 1U;
      ++decided;
    }
  EXPECT_EQ(decided, 12U);
  EXPECT_GE(differ, 5U);
}

TEST(Generations, OfTheDimMapAreTheSameAsLaterOnesWhereTheySlotAlike) {
  EXPECT_EQ(equal("SpyreTensorLayout([5, 100, 150], torch.float16, generation=G1)",
                  "SpyreTensorLayout([5, 100, 150], torch.float16)", {5, 100, 150}),
            "proved");
  EXPECT_EQ(equal("SpyreTensorLayout([5, 100, 150], torch.float16, generation=G0)",
                  "SpyreTensorLayout([5, 100, 150], torch.float16)", {5, 100, 150}),
            "refuted");
  // As the document says of G1a: [512,1] and [512] had one layout. Later it has 512 sticks.
  EXPECT_EQ(equal("SpyreTensorLayout([512, 1], torch.float16, generation=G1a)",
                  "SpyreTensorLayout([512, 1], torch.float16)", {512, 1}),
            "refuted");
}

}  // namespace spyre_generations_test
}  // namespace vl::spyre
