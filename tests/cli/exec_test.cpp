// exec on .npy files that the test makes byte by byte; the expected images come from the documents' formulas.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace vl {
namespace cli_exec_test {

using test::Folder;
using test::Ran;
using test::verify_layout;
using Words = std::vector<std::string>;
using Shape = std::vector<std::size_t>;

std::string npy(std::string_view descr, const Shape& shape, std::string_view data, bool fortran = false) {
  std::string sizes;
  for (const std::size_t size : shape) sizes += std::to_string(size) + ", ";
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}), }}", descr, fortran ? "True" : "False", sizes);
  header.resize(118 - 1, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(118) + '\0' + header + std::string(data);
}

template <class T>
std::string bytes(const std::vector<T>& values) {
  std::string out(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(out.data(), values.data(), out.size());
  return out;
}

/// The data of a .npy file; its header must have that type and shape.
std::string data_of(const std::string& path, std::string_view descr, const Shape& shape) {
  const std::string file = test::read_text(path);
  if (file.size() < 10) {
    ADD_FAILURE() << path << " is not there";
    return {};
  }
  const std::size_t header =
      10 + static_cast<unsigned char>(file[8]) + 256 * static_cast<std::size_t>(static_cast<unsigned char>(file[9]));
  EXPECT_EQ(header % 64, 0U);
  EXPECT_NE(file.substr(0, header).find(fmt::format("'descr': '{}'", descr)), std::string::npos)
      << file.substr(10, header - 10);
  const std::string sizes = fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  EXPECT_NE(file.substr(0, header).find(sizes), std::string::npos) << file.substr(10, header - 10);
  return file.substr(header);
}

// f16[3,5,70]: the default layout is [5,2,3,64], and in order [1,0,2] it is [3,2,5,64].
const std::string kDefault = "SpyreTensorLayout((3, 5, 70), torch.float16)";
const std::string kOrdered = "SpyreTensorLayout((3, 5, 70), torch.float16, [1, 0, 2])";
const std::string kTensor = "f16[3,5,70]";
constexpr std::size_t kElements = 3 * 5 * 70;

std::vector<std::uint16_t> host() {
  std::vector<std::uint16_t> out(kElements);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::uint16_t>(0x7c01 + i * 31);  // NaN payloads among them
  return out;
}

std::vector<std::uint16_t> device(bool ordered, std::uint16_t fill) {
  std::vector<std::uint16_t> out(5 * 2 * 3 * 64, fill);
  const auto values = host();
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 5; ++j)
      for (std::size_t k = 0; k < 70; ++k) {
        const std::size_t place =
            ordered ? ((i * 2 + k / 64) * 5 + j) * 64 + k % 64 : ((j * 2 + k / 64) * 3 + i) * 64 + k % 64;
        out[place] = values[(i * 5 + j) * 70 + k];
      }
  return out;
}

Words exec(const std::string& verb, const std::string& in, const std::string& out, Words more = {}) {
  Words arguments{"exec",  verb, verb == "move" ? "--from" : "--layout", kDefault, "--tensor", kTensor, "--in", in,
                  "--out", out};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(Exec, PacksAsTheDocumentSays) {
  const Folder folder;
  const std::string in = folder.file("host.npy", npy("<f2", {3, 5, 70}, bytes(host())));
  const std::string out = folder.at("device.npy");
  const std::vector<std::pair<std::string, std::uint16_t>> fills = {
      {"", 0}, {"1", 0x3c00}, {"nan", 0x7e00}, {"inf", 0x7c00}, {"bits:0xFE01", 0xfe01}, {"-2.5", 0xc100}};
  for (const auto& [fill, bits] : fills) {
    const Ran ran = verify_layout(exec("pack", in, out, fill.empty() ? Words{} : Words{"--fill", fill}));
    ASSERT_EQ(ran.code, 0) << fill << ran.err;
    EXPECT_EQ(data_of(out, "<f2", {5, 2, 3, 64}), bytes(device(false, bits))) << fill;
  }
  const Ran infinity = verify_layout(exec("pack", in, out, {"--fill=-inf"}));
  ASSERT_EQ(infinity.code, 0) << infinity.err;
  EXPECT_EQ(data_of(out, "<f2", {5, 2, 3, 64}), bytes(device(false, 0xfc00)));
  EXPECT_EQ(folder.content().size(), 2U);  // nothing else was left behind
}

TEST(Exec, UnpacksWhateverThePaddingHolds) {
  const Folder folder;
  const std::string in = folder.file("device.npy", npy("<u2", {5, 2, 3, 64}, bytes(device(false, 0xabcd))));
  const Ran ran = verify_layout(exec("unpack", in, folder.at("host.npy")));
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(data_of(folder.at("host.npy"), "<u2", {3, 5, 70}), bytes(host()));
}

TEST(Exec, MovesFromOneLayoutToAnother) {
  const Folder folder;
  const std::string in = folder.file("a.npy", npy("<f2", {5, 2, 3, 64}, bytes(device(false, 0))));
  const Ran ran = verify_layout(exec("move", in, folder.at("b.npy"), {"--to", kOrdered, "--fill", "bits:0x1234"}));
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(data_of(folder.at("b.npy"), "<f2", {3, 2, 5, 64}), bytes(device(true, 0x1234)));
}

TEST(Exec, MapsCoordinatesToSlots) {
  const Folder folder;
  const std::string in =
      folder.file("x.npy", npy("<i8", {3, 3}, bytes(std::vector<std::int64_t>{0, 0, 0, 2, 4, 69, 1, 3, 64})));
  const Ran ran = verify_layout(exec("map", in, folder.at("slots.npy")));
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(data_of(folder.at("slots.npy"), "<i8", {3, 4}),
            bytes(std::vector<std::int64_t>{0, 0, 0, 0, 4, 1, 2, 5, 3, 1, 1, 0}));
}

// S[4:1] + R[3:4]: element x lives at x, x + 4 and x + 8.
TEST(Exec, MapsAnElementToAllOfItsPlaces) {
  const Folder folder;
  const std::string in = folder.file("x.npy", npy("<i8", {2, 1}, bytes(std::vector<std::int64_t>{1, 3})));
  const Ran ran = verify_layout(
      {"exec", "map", "--layout", "S[4:1] + R[3:4]", "--tensor", "u8[4]", "--in", in, "--out", folder.at("slots.npy")});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(data_of(folder.at("slots.npy"), "<i8", {2, 3, 1}), bytes(std::vector<std::int64_t>{1, 5, 9, 3, 7, 11}));
}

// Each side of a move has its own allocation: the expected bytes are written out from the two layouts' formulas.
TEST(Exec, MovesBetweenAllocationsThatDiffer) {
  struct Row {
    const char *name, *from, *to, *tensor;
    Words own;
    std::string in, out;
  };
  const auto counted = [](int from, int to) {
    std::string out;
    for (int value = from; value < to; ++value) out += static_cast<char>(value);
    return out;
  };
  const std::string gap(64, '.');
  const char* const kTwoSticks =
      "SpyreTensorLayout(device_size=[2, 128], stride_map=[128, 1], device_dtype=DataFormats.SENINT8)";
  const std::vector<Row> table = {
      {"boxes", "S[4:1]", "S[4:2]", "i8[4]", {"--from-box", "m=6", "--to-box", "m=8"}, "abcdXY", "a.b.c.d."},
      {"the box of one side", "S[4:1]", "S[4:2]", "i8[4]", {"--to-box=m=9"}, "abcd", "a.b.c.d.."},
      {"a view of the source",
       kTwoSticks,
       "SpyreTensorLayout((128,), torch.int8)",
       "i8[128]",
       {"--from-view-offset", "128"},
       counted(0, 256),
       counted(128, 256)},
      {"a view of the destination",
       "SpyreTensorLayout((128,), torch.int8)",
       kTwoSticks,
       "i8[128]",
       {"--to-view-offset", "128"},
       counted(0, 128),
       gap + gap + counted(0, 128)},
      {"strides of the source",
       kTwoSticks,
       "SpyreTensorLayout((2, 64), torch.int8)",
       "i8[2,64]",
       {"--from-strides", "128,1", "--to-strides", "64,1"},
       counted(0, 256),
       counted(0, 64) + gap + counted(128, 192) + gap},
  };
  for (const Row& row : table) {
    const Folder folder;
    Words words{"exec",         "move",
                "--from",       row.from,
                "--to",         row.to,
                "--tensor",     row.tensor,
                "--fill",       "46",
                "--in",         folder.file("in.bin", row.in),
                "--out",        folder.at("out.bin"),
                "--definition", "always"};
    words.insert(words.end(), row.own.begin(), row.own.end());
    const Ran ran = verify_layout(words);
    ASSERT_EQ(ran.code, 0) << row.name << ran.err;
    EXPECT_EQ(test::read_text(folder.at("out.bin")), row.out) << row.name;
  }
}

TEST(Exec, RefusesAllocationsThatExcludeOneAnother) {
  const Folder folder;
  const auto refused = [&](const Words& own) {
    Words words{"exec",     "move",
                "--from",   "S[4:1]",
                "--to",     "SpyreTensorLayout((4,), torch.int8)",
                "--tensor", "i8[4]",
                "--in",     folder.file("in.bin", "abcd"),
                "--out",    folder.at("out.bin")};
    words.insert(words.end(), own.begin(), own.end());
    return verify_layout(words);
  };
  const Ran both = refused({"--box", "m=8", "--from-box", "m=6"});
  EXPECT_EQ(both.code, 64) << both.out;
  EXPECT_NE(both.err.find("--box excludes --from-box"), std::string::npos) << both.err;
  const Ran boxless = refused({"--to-box", "m=8"});
  EXPECT_EQ(boxless.code, 2) << boxless.out;
  EXPECT_NE(boxless.err.find("--to-box:1:1: this layout has no named axes"), std::string::npos) << boxless.err;
  const Ran negative = refused({"--from-offset=-1"});
  EXPECT_EQ(negative.code, 2) << negative.out;
  EXPECT_NE(negative.err.find("--from-offset:1:1: expected an offset that is not negative"), std::string::npos);
}

TEST(Exec, MovesUnitsOfOneToEightBytes) {
  struct Row {
    const char* tensor;
    const char* dtype;
    const char* descr;
    std::size_t unit, eps;
    const char* fill;
    std::string bits;
  };
  const std::vector<Row> table = {{"i8[3]", "torch.int8", "|i1", 1, 128, "-1", "\xff"},
                                  {"bool[3]", "torch.bool", "|b1", 1, 64, "true", "\x01"},
                                  {"bf16[3]", "torch.bfloat16", "<u2", 2, 64, "1", "\x80\x3f"},
                                  {"f8e4m3[3]", "torch.float8_e4m3fn", "|u1", 1, 128, "nan", "\x7f"},
                                  {"f32[3]", "torch.float32", "<f4", 4, 32, "1", std::string("\0\0\x80\x3f", 4)},
                                  {"i64[3]", "torch.int64", "<i8", 8, 32, "-2", "\xfe\xff\xff\xff\xff\xff\xff\xff"}};
  for (const Row& row : table) {
    const Folder folder;
    std::string data;
    for (std::size_t i = 0; i < 3 * row.unit; ++i) data += static_cast<char>(row.descr[1] == 'b' ? 1 : 0x81 + i);
    const std::string in = folder.file("in.npy", npy(row.descr, {3}, data));
    const Ran ran =
        verify_layout({"exec", "pack", "--layout", fmt::format("SpyreTensorLayout((3,), {})", row.dtype), "--tensor",
                       row.tensor, "--in", in, "--out", folder.at("out.npy"), fmt::format("--fill={}", row.fill)});
    ASSERT_EQ(ran.code, 0) << row.tensor << ran.err;
    std::string expected = data;
    for (std::size_t i = 3; i < row.eps; ++i) expected += row.bits;
    EXPECT_EQ(data_of(folder.at("out.npy"), row.descr, {1, row.eps}), expected) << row.tensor;
  }
}

struct Refused {
  const char* name;
  Words arguments;
};

// Everything that must end with 2, with its files in the folder.
std::vector<Refused> refused(const Folder& folder, const std::string& out) {
  const std::string good = npy("<f2", {3, 5, 70}, bytes(host()));
  const std::string image = npy("<f2", {5, 2, 3, 64}, bytes(device(false, 0)));
  const auto in = [&](std::string_view name, const std::string& content) {
    return folder.file(fmt::format("in/{}.npy", name), content);
  };
  return {
      {"dtype of another size", exec("pack", in("f4", npy("<f4", {3, 5, 70}, std::string(kElements * 4, 'x'))), out)},
      {"signed dtype", exec("pack", in("i2", npy("<i2", {3, 5, 70}, bytes(host()))), out)},
      {"shape of another order", exec("pack", in("shape", npy("<f2", {5, 3, 70}, bytes(host()))), out)},
      {"shape of another rank", exec("pack", in("flat", npy("<f2", {kElements}, bytes(host()))), out)},
      {"big-endian", exec("pack", in("big", npy(">f2", {3, 5, 70}, bytes(host()))), out)},
      {"column-major", exec("pack", in("fortran", npy("<f2", {3, 5, 70}, bytes(host()), true)), out)},
      {"one byte short", exec("pack", in("short", good.substr(0, good.size() - 1)), out)},
      {"one byte long", exec("pack", in("long", good + "x"), out)},
      {"only a header", exec("pack", in("header", good.substr(0, 128)), out)},
      {"half a header", exec("pack", in("half", good.substr(0, 60)), out)},
      {"empty", exec("pack", in("empty", ""), out)},
      {"not npy", exec("pack", in("text", "a text, not an array"), out)},
      {"a huge shape", exec("pack", in("huge", npy("<f2", {std::size_t{1} << 62, 4}, "xx")), out)},
      {"missing", exec("pack", folder.at("in/missing.npy"), out)},
      {"a folder", exec("pack", folder.at("in"), out)},
      {"a host where a device image belongs", exec("unpack", in("host", good), out)},
      {"a device image where a host belongs", exec("pack", in("device", image), out)},
      {"fill that is no number", exec("pack", in("good", good), out, {"--fill", "blue"})},
      {"fill of too many bits", exec("pack", in("good", good), out, {"--fill", "bits:0x10000"})},
      {"empty fill", exec("pack", in("good", good), out, {"--fill", ""})},
      {"a target in a missing folder", exec("pack", in("good", good), folder.at("nowhere/device.npy"))},
      {"a target that is a folder", exec("pack", in("good", good), folder.at("in"))},
      {"a target that is a device", exec("pack", in("good", good), "/dev/null")},
      {"coordinates that are no element",
       exec("map", in("x", npy("<i8", {1, 3}, bytes(std::vector<std::int64_t>{0, 0, 70}))), out)},
      {"negative coordinates",
       exec("map", in("neg", npy("<i8", {1, 3}, bytes(std::vector<std::int64_t>{0, -1, 0}))), out)},
      {"coordinates of another rank",
       exec("map", in("rank", npy("<i8", {1, 2}, bytes(std::vector<std::int64_t>{0, 0}))), out)},
      {"coordinates of 4 bytes",
       exec("map", in("i4", npy("<i4", {1, 3}, bytes(std::vector<std::int32_t>{0, 0, 0}))), out)},
      {"move to a layout of another tensor",
       exec("move", in("image", image), out, {"--to", "SpyreTensorLayout((3, 5, -70), torch.float16)"})},
      {"an element without a slot",
       {"exec", "pack", "--layout",
        "SpyreTensorLayout(device_size=[1, 64], stride_map=[64, 1], device_dtype=SEN169_FP16)", "--tensor", "f16[65]",
        "--in", in("65", npy("<f2", {65}, std::string(130, 'x'))), "--out", out}},
      {"two elements in one slot",
       {"exec", "pack", "--layout", "S[(2,4):(0,1)]", "--tensor", "f16[2,4]", "--in",
        in("2x4", npy("<f2", {2, 4}, std::string(16, 'x'))), "--out", out}},
      {"a type without whole bytes",
       {"exec", "pack", "--layout", "SpyreTensorLayout((64,), torch.quint4x2)", "--tensor", "i4[64]", "--in",
        in("i4x64", npy("|i1", {64}, std::string(64, 'x'))), "--out", out}},
  };
}

TEST(Exec, LeavesNothingBehindWhenItRefuses) {
  const Folder folder;
  const std::string out = folder.file("device.npy", "an older output");
  const std::vector<Refused> table = refused(folder, out);
  const auto before = folder.content();
  for (const Refused& row : table) {
    const Ran ran = verify_layout(row.arguments);
    EXPECT_EQ(ran.code, 2) << row.name << "\n" << ran.out << ran.err;
    EXPECT_EQ(ran.out, "") << row.name;
    EXPECT_TRUE(ran.err.starts_with("error: ")) << row.name << "\n" << ran.err;
    EXPECT_EQ(folder.content(), before) << row.name;
  }
  EXPECT_EQ(before.at("device.npy"), "an older output");
  const std::string fine_in = folder.file("in/fine.npy", npy("<i8", {1, 3}, bytes(std::vector<std::int64_t>{0, 0, 0})));
  const Ran fine = verify_layout(exec("map", fine_in, out));  // and the same target can be written
  EXPECT_EQ(fine.code, 0) << fine.err;
}

}  // namespace cli_exec_test
}  // namespace vl
