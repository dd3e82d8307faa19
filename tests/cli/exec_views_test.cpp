// exec on hosts whose elements share places: expanded dimensions and windows. Expected values are formulas over places.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tests/support/process.h"

namespace vl {
namespace cli_exec_views_test {

using test::Folder;
using test::Ran;
using test::verify_layout;
using Words = std::vector<std::string>;
using Values = std::vector<std::uint16_t>;

std::string bytes(const Values& values) {
  std::string out(values.size() * 2, '\0');
  std::memcpy(out.data(), values.data(), out.size());
  return out;
}

struct View {
  const char* tensor;
  const char* strides;
  const char* layout;
  std::vector<std::size_t> places;  // of its elements, row-major
  Values image;                     // of the memory 100, 101, …, with the fill 7
};

Values stick(std::size_t units, std::size_t from = 0) {
  Values out(64, 7);
  for (std::size_t k = 0; k < units; ++k) out[k] = static_cast<std::uint16_t>(100 + from + k);
  return out;
}

Values joined(Values a, const Values& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

constexpr const char* kStick = "SpyreTensorLayout(device_size=[1, 64], stride_map=[64, 1], device_dtype=SEN169_FP16)";

const View kViews[] = {
    {"f16[2,4]", "0,1", kStick, {0, 1, 2, 3, 0, 1, 2, 3}, stick(4)},
    {"f16[3,4]", "1,1", kStick, {0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5}, stick(6)},
    {"f16[2,3]", "0,0", kStick, {0, 0, 0, 0, 0, 0}, stick(1)},
    // Replicas: an extent of 2 by the stride 0.
    {"f16[2,4]",
     "0,1",
     "SpyreTensorLayout(device_size=[1, 2, 64], stride_map=[64, 0, 1], device_dtype=SEN169_FP16)",
     {0, 1, 2, 3, 0, 1, 2, 3},
     joined(stick(4), stick(4))},
    // Slots of their own for the elements of an expanded dimension.
    {"f16[2,4]",
     "0,1",
     "SpyreTensorLayout(device_size=[2, 1, 64], dim_map=[0, 1, 1], device_dtype=SEN169_FP16)",
     {0, 1, 2, 3, 0, 1, 2, 3},
     joined(stick(4), stick(4))},
};

Words exec(const char* verb, const View& view, const std::string& in, const std::string& out, const Words& more = {}) {
  Words words{"exec",   verb,          "--layout", view.layout, "--tensor", view.tensor, "--strides",    view.strides,
              "--fill", "bits:0x0007", "--in",     in,          "--out",    out,         "--definition", "always"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Values memory(const View& view) {
  Values out(*std::ranges::max_element(view.places) + 1, 0);
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = static_cast<std::uint16_t>(100 + k);
  return out;
}

Values tensor(const View& view) {
  Values out;
  for (const std::size_t place : view.places) out.push_back(memory(view)[place]);
  return out;
}

TEST(ExecViews, PackTheMemoryAndTheTensorAlike) {
  const Folder folder;
  for (const View& view : kViews)
    for (const auto& [host, values] : {std::pair("memory", memory(view)), std::pair("tensor", tensor(view))}) {
      const std::string in = folder.file("host.bin", bytes(values));
      const Ran ran = verify_layout(exec("pack", view, in, folder.at("image.bin"), {"--host", host}));
      ASSERT_EQ(ran.code, 0) << view.tensor << view.strides << view.layout << host << ran.err;
      EXPECT_EQ(test::read_text(folder.at("image.bin")), bytes(view.image)) << view.layout << view.strides << host;
    }
}

TEST(ExecViews, UnpackEachPlaceOnce) {
  const Folder folder;
  for (const View& view : kViews) {
    const std::string in = folder.file("image.bin", bytes(view.image));
    for (const auto& [host, values] : {std::pair("memory", memory(view)), std::pair("tensor", tensor(view))}) {
      const Ran ran = verify_layout(exec("unpack", view, in, folder.at("host.bin"), {"--host", host}));
      ASSERT_EQ(ran.code, 0) << view.tensor << view.strides << view.layout << host << ran.err;
      EXPECT_EQ(test::read_text(folder.at("host.bin")), bytes(values)) << view.layout << view.strides << host;
    }
  }
}

// A tensor that says two things about one place, and an image that does.
TEST(ExecViews, RefuseCopiesThatDiffer) {
  const Folder folder;
  Values differing = tensor(kViews[0]);
  differing.back() = 9;
  const std::string in = folder.file("host.bin", bytes(differing));
  const Ran packed = verify_layout(exec("pack", kViews[0], in, folder.at("out.bin"), {"--host", "tensor"}));
  EXPECT_EQ(packed.code, 2);
  EXPECT_NE(packed.err.find("element [1, 3] is not the same as another one that has its host offset 3"),
            std::string::npos)
      << packed.err;
  Values image = kViews[4].image;
  image[64 + 2] = 9;
  const std::string device = folder.file("image.bin", bytes(image));
  const Ran unpacked = verify_layout(exec("unpack", kViews[4], device, folder.at("out.bin"), {"--host", "memory"}));
  EXPECT_EQ(unpacked.code, 2);
  EXPECT_NE(unpacked.err.find("element [1, 2] is not the same as another one that has its host offset 2"),
            std::string::npos)
      << unpacked.err;
  EXPECT_EQ(folder.content().size(), 2U);
}

TEST(ExecViews, MoveEachPlaceOnce) {
  const Folder folder;
  const std::string in = folder.file("image.bin", bytes(kViews[0].image));
  for (const std::size_t to : {0U, 3U}) {
    const Ran ran =
        verify_layout({"exec", "move", "--from", kStick, "--to", kViews[to].layout, "--tensor", "f16[2,4]", "--strides",
                       "0,1", "--fill", "bits:0x0007", "--in", in, "--out", folder.at("out.bin")});
    ASSERT_EQ(ran.code, 0) << to << ran.err;
    EXPECT_EQ(test::read_text(folder.at("out.bin")), bytes(kViews[to].image)) << to;
  }
}

TEST(ExecViews, ShowThePlanThatMovesEachPlaceOnce) {
  const View& view = kViews[0];
  const Ran ran = verify_layout(
      {"exec", "pack", "--layout", view.layout, "--tensor", view.tensor, "--strides", view.strides, "--show-plan"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("plan: 8 bytes to 128 bytes"), std::string::npos) << ran.out;
}

}  // namespace cli_exec_views_test
}  // namespace vl
