// exec op: operations on device images in .npy files. Expected images are computed by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "tests/support/process.h"

namespace vl {
namespace cli_exec_op_test {

using test::Folder;
using test::Ran;
using test::verify_layout;
using Words = std::vector<std::string>;
using Codes16 = std::vector<std::uint16_t>;

std::string npy_u2(const std::string& shape, const Codes16& codes) {
  std::string header = fmt::format("{{'descr': '<u2', 'fortran_order': False, 'shape': {}, }}", shape);
  header.resize(118 - 1, ' ');
  header += '\n';
  std::string data(codes.size() * 2, '\0');
  std::memcpy(data.data(), codes.data(), data.size());
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(118) + '\0' + header + data;
}

Codes16 codes_in(const std::string& path) {
  const std::string file = test::read_text(path);
  if (file.size() < 128) return {};
  Codes16 out((file.size() - 128) / 2);
  std::memcpy(out.data(), file.data() + 128, out.size() * 2);
  return out;
}

const std::string kF16 = "f16[2,3] S[(2,3):(3,1)]";

TEST(ExecOp, SumsADenseImage) {
  const Folder folder;
  const std::string in = folder.file("x.npy", npy_u2("(6,)", {0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600}));
  const std::string out = folder.at("r.npy");
  const Ran ran = verify_layout({"exec", "op", "sum", "--operand", kF16, "--in", in, "--result", "f16[2] S[2:1]",
                                 "--out", out, "--arithmetic", "accumulate=f32 start=+0"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(codes_in(out), (Codes16{0x4600, 0x4b80}));  // 6 and 15
}

TEST(ExecOp, MultipliesMatrices) {
  const Folder folder;
  const std::string x = folder.file("x.npy", npy_u2("(6,)", {0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600}));
  const std::string y = folder.file("y.npy", npy_u2("(3,)", {0x3c00, 0x0000, 0xbc00}));  // 1 0 -1
  const std::string out = folder.at("r.npy");
  const Ran ran = verify_layout({"exec", "op", "matmul", "--operand", kF16, "--in", x, "--operand",
                                 "f16[3,1] S[(3,1):(1,1)]", "--in", y, "--result", "f16[2,1] S[(2,1):(1,1)]", "--out",
                                 out, "--arithmetic", "start=+0", "--order", "tree"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(codes_in(out), (Codes16{0xc000, 0xc000}));  // 1 - 3, 4 - 6
}

// The stick's lanes beyond the tensor are read: what they hold decides.
TEST(ExecOp, ReadsThePaddingOfSticks) {
  const Folder folder;
  const std::string layout = "f16[2,3] SpyreTensorLayout((2, 3), torch.float16)";
  const std::string result = "f16[2,1] SpyreTensorLayout((2, 1), torch.float16)";
  // dl16: 1 is 0x3e00, 2 is 0x4000, 3 is 0x4100, 6 is 0x4300.
  Codes16 image(128, 0x8000);
  for (std::size_t r = 0; r < 2; ++r) image[64 * r] = 0x3e00, image[64 * r + 1] = 0x4000, image[64 * r + 2] = 0x4100;
  const std::string in = folder.file("x.npy", npy_u2("(1, 2, 64)", image)), out = folder.at("r.npy");
  const Words common = {"exec", "op", "sum", "--operand", layout, "--in", in, "--result", result, "--out", out};
  const auto with = [&](Words more) {
    Words words = common;
    words.insert(words.end(), more.begin(), more.end());
    return verify_layout(words);
  };
  Ran ran = with({});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(codes_in(out)[0], 0x4300);
  ran = with({"--fill", "bits:0x7fff"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(codes_in(out)[0], 0x7fff);
}

TEST(ExecOp, LeavesNoFileWhereItRefuses) {
  const Folder folder;
  const std::string in = folder.file("x.npy", npy_u2("(6,)", Codes16(6))), out = folder.at("r.npy");
  const std::string short_in = folder.file("s.npy", npy_u2("(5,)", Codes16(5)));
  struct Row {
    Words words;
    const char* says;
  };
  const auto sum = [&](Words more) {
    Words words = {"exec", "op", "sum", "--result", "f16[2] S[2:1]", "--out", out};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const Row rows[] = {
      {sum({"--operand", kF16, "--in", short_in}), "the shape is"},
      {sum({"--operand", kF16, "--in", folder.at("none.npy")}), "none.npy"},
      {sum({"--operand", "f16[2,3", "--in", in}), "TENSOR LAYOUT"},
      {sum({"--operand", "f16[2,3] S[(2,3)", "--in", in}), "--operand"},
      {sum({"--operand", "f16[2,4] S[(2,4):(4,1)]", "--in", in}), "shape"},
      {sum({"--operand", kF16, "--in", in, "--order", "any"}), "--order"},
      {sum({"--operand", kF16, "--in", in, "--fill", "NaN"}), "codes of f16"},
      {sum({"--operand", kF16, "--in", in, "--fill", "x"}), "--fill"},
      {sum({"--operand", kF16, "--in", in, "--arithmetic", "start=unknown"}), "expected one"},
      {sum({"--operand", kF16, "--in", in, "--arithmetic", "nonsense"}), "--arithmetic"},
      {sum({"--operand", kF16, "--in", in, "--in", in}), "2 files for 1 operands"},
      {{"exec", "op", "sum", "--operand", "f16[2,3] S[(2,3):(2,1)]", "--in", in, "--result", "f16[2] S[2:1]", "--out",
        out},
       "another element"},
  };
  for (const Row& row : rows) {
    const Ran ran = verify_layout(row.words);
    EXPECT_EQ(ran.code, 2) << row.says;
    EXPECT_NE(ran.err.find(row.says), std::string::npos) << ran.err;
    EXPECT_FALSE(std::filesystem::exists(out)) << row.says;
  }
  EXPECT_EQ(verify_layout({"exec", "op", "gcd"}).code, 64);
}

}  // namespace cli_exec_op_test
}  // namespace vl
