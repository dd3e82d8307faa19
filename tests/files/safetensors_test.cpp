// Safetensors: a file that its own library wrote (data/make.py), and wrong headers, which must be rejected.
#include "oracle/files/safetensors.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/files/archive.h"
#include "tests/support/process.h"

namespace vl::oracle {
namespace files_safetensors_test {

using test::safetensors_of;
using Kind = Dtype::Kind;

const std::string kData = VL_SOURCE_DIR "/tests/files/data/";

std::span<const std::byte> view(std::string_view text) { return std::as_bytes(std::span(text)); }
std::string text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string pattern(std::size_t bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>((37 * i + 11) % 256);
  return out;
}

const NamedTensor* find(const std::vector<NamedTensor>& tensors, std::string_view name) {
  for (const NamedTensor& tensor : tensors)
    if (tensor.name == name) return &tensor;
  return nullptr;
}

TEST(Safetensors, ReadsWhatItsLibraryWrote) {
  const std::string file = test::read_text(kData + "four.safetensors");
  const auto tensors = parse_safetensors(view(file));
  ASSERT_TRUE(tensors.has_value()) << tensors.error().message;
  EXPECT_EQ(tensors->size(), 4U);
  struct Row {
    const char* name;
    Dtype dtype;
    std::vector<Index> shape;
    std::size_t bytes;
  };
  const Row rows[] = {{"a", {Kind::Float, 2}, {5, 7}, 70},
                      {"b", {Kind::Signed, 8}, {3}, 24},
                      {"none", {Kind::Float, 4}, {0}, 0},
                      {"one", {Kind::Unsigned, 1}, {}, 1}};
  for (const Row& row : rows) {
    const NamedTensor* tensor = find(*tensors, row.name);
    ASSERT_NE(tensor, nullptr) << row.name;
    EXPECT_EQ(tensor->array.dtype, row.dtype) << row.name;
    EXPECT_EQ(tensor->array.shape, row.shape) << row.name;
    EXPECT_EQ(text(tensor->array.data), pattern(row.bytes)) << row.name;
  }
}

TEST(Safetensors, KnowsEveryDtypeOfItsDocument) {
  const std::pair<const char*, Dtype> rows[] = {
      {"BOOL", {Kind::Bool, 1}},    {"U8", {Kind::Unsigned, 1}},  {"I8", {Kind::Signed, 1}},
      {"F8_E4M3", {Kind::E4m3, 1}}, {"F8_E5M2", {Kind::E5m2, 1}}, {"I16", {Kind::Signed, 2}},
      {"U16", {Kind::Unsigned, 2}}, {"F16", {Kind::Float, 2}},    {"BF16", {Kind::Brain, 2}},
      {"I32", {Kind::Signed, 4}},   {"U32", {Kind::Unsigned, 4}}, {"F32", {Kind::Float, 4}},
      {"F64", {Kind::Float, 8}},    {"I64", {Kind::Signed, 8}},   {"U64", {Kind::Unsigned, 8}}};
  for (const auto& [name, dtype] : rows) {
    const std::string file = safetensors_of(
        fmt::format(R"({{"t":{{"dtype":"{}","shape":[2],"data_offsets":[0,{}]}}}})", name, 2 * dtype.bytes),
        std::string(2 * dtype.bytes, 'x'));
    const auto tensors = parse_safetensors(view(file));
    ASSERT_TRUE(tensors.has_value()) << name << tensors.error().message;
    EXPECT_EQ(tensors->front().array.dtype, dtype) << name;
    EXPECT_EQ(safetensors_name(dtype), name);
  }
}

struct Wrong {
  const char* name;
  std::string header;
  std::size_t data;
  const char* message;
};

const std::string kGood = R"({"t":{"dtype":"F16","shape":[3],"data_offsets":[0,6]}})";
std::string with_shape(const std::string& shape, const std::string& offsets = "[0,6]") {
  return R"({"t":{"dtype":"F16","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}
std::string two(const std::string& first, const std::string& second) {
  return R"({"t":{"dtype":"U8","shape":[3],"data_offsets":)" + first +
         R"(},"s":{"dtype":"U8","shape":[3],"data_offsets":)" + second + "}}";
}

const Wrong kWrong[] = {
    {"empty header", "", 6, "does not start with '{'"},
    {"a list", "[]", 6, "does not start with '{'"},
    {"space in front", " " + kGood, 6, "does not start with '{'"},
    {"not closed", kGood.substr(0, kGood.size() - 1), 6, "not JSON at byte"},
    {"text behind", kGood + "x", 6, "not JSON at byte"},
    {"zeros behind", kGood + std::string(1, '\0'), 6, "it has a zero byte"},
    {"zeros within", "{" + std::string(1, '\0') + kGood.substr(1), 6, "it has a zero byte"},
    {"no UTF-8", "{\"\xff\":{}}", 0, "not JSON at byte"},
    {"nothing for the data", "{}", 6, "6 bytes of data belong to no tensor"},
    {"a tensor that is a number", R"({"t":1})", 0, "'t' is 1; expected an object"},
    {"a tensor that is a list", R"({"t":[]})", 0, "'t' is a list; expected an object"},
    {"no dtype", R"({"t":{"shape":[3],"data_offsets":[0,6]}})", 6, "has only the keys"},
    {"no keys", R"({"t":{}})", 0, "has only the keys"},
    {"another key", R"({"t":{"dtype":"F16","shape":[3],"data_offsets":[0,6],"x":1}})", 6, "unknown key 'x'"},
    {"a key twice", R"({"t":{"dtype":"F16","shape":[3],"shape":[3],"data_offsets":[0,6]}})", 6, "'shape' twice"},
    {"a tensor twice",
     R"({"t":{"dtype":"F16","shape":[3],"data_offsets":[0,6]},"t":{"dtype":"F16","shape":[3],"data_offsets":[0,6]}})",
     6, "'t' is there twice"},
    {"dtype a number", R"({"t":{"dtype":16,"shape":[3],"data_offsets":[0,6]}})", 6, "expected a string"},
    {"dtype unknown", R"({"t":{"dtype":"F17","shape":[3],"data_offsets":[0,6]}})", 6, "'F17' is not supported"},
    {"dtype of 4 bits", R"({"t":{"dtype":"F4","shape":[12],"data_offsets":[0,6]}})", 6, "'F4' is not supported"},
    {"shape a number", with_shape("3"), 6, "expected a list"},
    {"shape of texts", with_shape(R"(["3"])"), 6, "expected whole numbers"},
    {"shape of lists", with_shape("[[3]]"), 6, "expected whole numbers"},
    {"shape of fractions", with_shape("[3.0]"), 6, "expected whole numbers"},
    {"shape negative", with_shape("[-3]"), 6, "does not fit in 64 bits"},
    {"shape above 64 bits", with_shape("[18446744073709551615]"), 6, "does not fit in 64 bits"},
    {"size above 64 bits", with_shape("[36893488147419103232]"), 6, "expected whole numbers"},
    {"product above 64 bits", with_shape("[4294967296,4294967296]"), 6, "does not fit in 64 bits"},
    {"shape larger", with_shape("[4]"), 6, "needs 8 bytes, its data_offsets give 6"},
    {"shape smaller", with_shape("[2]"), 6, "needs 4 bytes, its data_offsets give 6"},
    {"one offset", with_shape("[3]", "[6]"), 6, "1 data_offsets; expected 2"},
    {"three offsets", with_shape("[3]", "[0,6,6]"), 6, "3 data_offsets; expected 2"},
    {"offsets backwards", with_shape("[3]", "[6,0]"), 6, "leave the 6 bytes"},
    {"offsets negative", with_shape("[3]", "[-6,0]"), 6, "leave the 6 bytes"},
    {"offsets behind the end", with_shape("[3]", "[1,7]"), 6, "leave the 6 bytes"},
    {"data shorter", kGood, 5, "leave the 5 bytes"},
    {"data longer", kGood, 7, "1 bytes of data belong to no tensor"},
    {"a hole in front", with_shape("[3]", "[1,7]"), 7, "starts at 1; expected 0"},
    {"a hole between", two("[0,3]", "[4,7]"), 7, "starts at 4; expected 3"},
    {"overlap", two("[0,3]", "[2,5]"), 5, "starts at 2; expected 3"},
    {"the same place", two("[0,3]", "[0,3]"), 3, "starts at 0; expected 3"},
    {"metadata a text", R"({"__metadata__":"x","t":{"dtype":"F16","shape":[3],"data_offsets":[0,6]}})", 6,
     "expected an object"},
    {"metadata of numbers", R"({"__metadata__":{"x":1}})", 0, "expected a string"},
    {"metadata of objects", R"({"__metadata__":{"x":{}}})", 0, "expected a string"},
    {"metadata twice", R"({"__metadata__":{"x":"1","x":"2"}})", 0, "'x' is there twice"},
};

TEST(Safetensors, RejectsWhatIsWrongAndSaysWhy) {
  for (const Wrong& row : kWrong) {
    const auto tensors = parse_safetensors(view(safetensors_of(row.header, std::string(row.data, 'x'))));
    ASSERT_FALSE(tensors.has_value()) << row.name;
    EXPECT_EQ(tensors.error().code, ErrorCode::Io) << row.name;
    EXPECT_NE(tensors.error().message.find(row.message), std::string::npos)
        << row.name << ": " << tensors.error().message;
  }
}

TEST(Safetensors, BelievesNoLength) {
  const auto said = [](std::uint64_t length, const std::string& rest) {
    std::string file;
    test::put(file, length, 8);
    const auto tensors = parse_safetensors(view(file + rest));
    return tensors.has_value() ? std::string() : tensors.error().message;
  };
  EXPECT_NE(said(100'000'001, kGood).find("at most 100000000"), std::string::npos);
  EXPECT_NE(said(~std::uint64_t{0}, kGood).find("at most 100000000"), std::string::npos);
  EXPECT_NE(said(100'000'000, kGood).find("but only 54 follow"), std::string::npos);
  EXPECT_NE(said(55, kGood).find("but only 54 follow"), std::string::npos);
  EXPECT_NE(parse_safetensors(view("\x01\0\0")).error().message.find("8 bytes of its header's length"),
            std::string::npos);
}

TEST(Safetensors, AcceptsWhatTheTableBreaks) {
  for (const std::string& header :
       {kGood, kGood + "   ", two("[0,3]", "[3,6]"), two("[3,6]", "[0,3]"),
        R"({"__metadata__":{"a":"b","c":""},)" + kGood.substr(1),
        R"({"z":{"dtype":"F16","shape":[7,0],"data_offsets":[0,0]},)" + kGood.substr(1),
        R"({"z":{"dtype":"F16","shape":[0,4611686018427387904,4],"data_offsets":[6,6]},)" + kGood.substr(1)}) {
    const auto tensors = parse_safetensors(view(safetensors_of(header, "abcdef")));
    EXPECT_TRUE(tensors.has_value()) << header << tensors.error().message;
  }
}

TEST(Safetensors, RejectsEveryPrefixAndSurvivesEveryChangedByte) {
  const std::string file = test::read_text(kData + "four.safetensors");
  for (std::size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(parse_safetensors(view(std::string_view(file).substr(0, size))).has_value()) << size;
  int accepted = 0, rejected = 0;
  for (std::size_t at = 0; at < file.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = file;
      changed[at] = static_cast<char>(file[at] ^ (1 << bit));
      const auto tensors = parse_safetensors(view(changed));
      tensors.has_value() ? ++accepted : ++rejected;
      if (!tensors) continue;
      std::size_t bytes = 0;
      for (const NamedTensor& tensor : *tensors) bytes += tensor.array.data.size();
      ASSERT_EQ(bytes, 95U) << "byte " << at << " bit " << bit;
    }
  EXPECT_GT(accepted, 95 * 8);  // all changes of the data
  EXPECT_GT(rejected, 1000);
}

TEST(Safetensors, WritesAHeaderThatEndsOnACacheLine) {
  const auto frame = safetensors_frame("w\"te", {Kind::Brain, 2}, std::vector<Index>{5, 7});
  ASSERT_TRUE(frame.has_value());
  const std::string& header = frame->header;
  EXPECT_EQ(header.size() % 64, 0U);
  EXPECT_EQ(header.substr(8, header.find_last_not_of(' ') - 7),
            R"({"w\"te":{"dtype":"BF16","shape":[5,7],"data_offsets":[0,70]}})");
  const std::string file = header + pattern(70);
  const auto tensors = parse_safetensors(view(file));
  ASSERT_TRUE(tensors.has_value()) << tensors.error().message;
  EXPECT_EQ(tensors->front().name, "w\"te");
  EXPECT_EQ(text(tensors->front().array.data), pattern(70));
  EXPECT_FALSE(is_tensor_name("__metadata__"));
  EXPECT_FALSE(is_tensor_name("\xff"));
  EXPECT_FALSE(is_tensor_name(""));
  EXPECT_TRUE(is_tensor_name("\xc3\xa4 b"));
}

}  // namespace files_safetensors_test
}  // namespace vl::oracle
