// .npy: files that NumPy wrote (data/make.py), and wrong files, which must be rejected.
#include "oracle/files/npy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "tests/files/npy_arrays.h"

namespace vl::oracle {
namespace files_npy_test {

namespace fs = std::filesystem;

const std::string kData = VL_SOURCE_DIR "/tests/files/data/";

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

// ---- files of NumPy

struct Type {
  std::string name;
  Dtype dtype;
};

const std::vector<Type> kTypes = {{"u1", {Kind::Unsigned, 1}}, {"i2", {Kind::Signed, 2}}, {"f2", {Kind::Float, 2}},
                                  {"f4", {Kind::Float, 4}},    {"f8", {Kind::Float, 8}},  {"i8", {Kind::Signed, 8}},
                                  {"bool", {Kind::Bool, 1}}};
const std::vector<std::pair<std::string, std::vector<Index>>> kShapes = {
    {"scalar", {}}, {"0", {0}}, {"3", {3}}, {"5x7", {5, 7}}, {"2x3x4", {2, 3, 4}}};

/// The array that make.py gave NumPy.
NpyArray pattern(const Type& type, const std::vector<Index>& shape) {
  NpyArray array{type.dtype, shape, {}};
  std::size_t count = type.dtype.bytes;
  for (const Index extent : shape) count *= static_cast<std::size_t>(extent);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t byte = (37 * i + 11) % 256;
    array.data.push_back(static_cast<std::byte>(type.name == "bool" ? byte >> 2 & 1 : byte));
  }
  return array;
}

TEST(Npy, ReadsWhatNumPyWroteForEveryTypeAndShape) {
  int read = 0;
  for (const Type& type : kTypes)
    for (const auto& [spelled, shape] : kShapes) {
      const std::string path = fmt::format("{}{}_{}_v1.npy", kData, type.name, spelled);
      const auto array = read_npy(path);
      ASSERT_TRUE(array.has_value()) << array.error().message;
      EXPECT_EQ(*array, pattern(type, shape)) << path;
      ++read;
    }
  EXPECT_EQ(read, 35);
}

TEST(Npy, ReadsVersions2And3) {
  for (const auto& [spelled, shape] : kShapes)
    for (const int version : {2, 3}) {
      const std::string path = fmt::format("{}f2_{}_v{}.npy", kData, spelled, version);
      const auto array = read_npy(path);
      ASSERT_TRUE(array.has_value()) << array.error().message;
      EXPECT_EQ(*array, pattern(kTypes[2], shape)) << path;
    }
}

TEST(Npy, ReadsTheNumbersThatNumPyWrote) {
  const auto halves = read_npy(kData + "values_f2.npy");
  ASSERT_TRUE(halves.has_value()) << halves.error().message;
  const std::uint16_t half_bits[] = {0x0000, 0x3c00, 0xc000, 0x7bff, 0x7c00, 0x7e00};  // 0 1 -2 65504 inf nan
  ASSERT_EQ(halves->data.size(), sizeof half_bits);
  EXPECT_EQ(std::memcmp(halves->data.data(), half_bits, sizeof half_bits), 0);

  const auto longs = read_npy(kData + "values_i8.npy");
  ASSERT_TRUE(longs.has_value()) << longs.error().message;
  const std::int64_t values[] = {1, -1, std::int64_t{1} << 40, std::numeric_limits<std::int64_t>::min()};
  EXPECT_EQ(longs->shape, (std::vector<Index>{2, 2}));
  ASSERT_EQ(longs->data.size(), sizeof values);
  EXPECT_EQ(std::memcmp(longs->data.data(), values, sizeof values), 0);
}

TEST(Npy, ParsesBytesAsItReadsFiles) {
  const std::string file = content(kData + "f4_2x3x4_v1.npy");
  const auto array = parse_npy(bytes_of(file));
  ASSERT_TRUE(array.has_value()) << array.error().message;
  EXPECT_EQ(copy(*array), pattern(kTypes[3], {2, 3, 4}));
  EXPECT_EQ(array->data.data(), bytes_of(file).data() + 128);  // in place
}

TEST(Npy, WritesByteForByteWhatNumPyWrites) {
  const Folder folder;
  int written = 0;
  for (const Type& type : kTypes)
    for (const auto& [spelled, shape] : kShapes) {
      const std::string name = fmt::format("{}_{}_v1.npy", type.name, spelled);
      const auto error = write_npy(folder / name, pattern(type, shape));
      ASSERT_FALSE(error) << error->message;
      EXPECT_EQ(content(folder / name), content(kData + name)) << name;
      ++written;
    }
  EXPECT_EQ(written, 35);
  EXPECT_EQ(folder.files(), 35U);
}

TEST(Npy, AddsAWholeLineWhenTheHeaderWouldEndWithoutASpace) {
  // The dict of this shape, its room for growth, the newline and the 10 bytes before it are 128 bytes
  // exactly. NumPy writes 192: it pads by 1 to 64 spaces, never by none.
  const Folder folder;
  NpyArray array{{Kind::Float, 2}, std::vector<Index>(12, 1), std::vector<std::byte>(200)};
  array.shape.insert(array.shape.end(), {10, 10});
  ASSERT_FALSE(write_npy(folder / "a.npy", array));
  const std::string file = content(folder / "a.npy");
  EXPECT_EQ(file.size(), 192U + 200);
  EXPECT_EQ(static_cast<unsigned char>(file[8]), 182);
  EXPECT_EQ(*read_npy(folder / "a.npy"), array);
}

// ---- malformed files

std::string file_of(std::string_view dict, std::size_t data, std::string_view version = {"\1\0", 2}) {
  std::string file = "\x93NUMPY" + std::string(version);
  file += static_cast<char>(dict.size() & 0xff);
  file += static_cast<char>(dict.size() >> 8);
  if (version[0] != 1) file += std::string(2, '\0');
  return file + std::string(dict) + std::string(data, 'x');
}

struct Malformed {
  std::string name;
  std::string file;
  std::string message;  // a part of it
};

std::ostream& operator<<(std::ostream& out, const Malformed& row) { return out << row.name; }

const std::string kGood = "{'descr': '<f2', 'fortran_order': False, 'shape': (3,), }";

std::string with_descr(const std::string& descr) {
  return "{'descr': " + descr + ", 'fortran_order': False, 'shape': (3,), }";
}
std::string with_shape(const std::string& shape) {
  return "{'descr': '<f2', 'fortran_order': False, 'shape': " + shape + ", }";
}
std::string with_order(const std::string& order) {
  return "{'descr': '<f2', 'fortran_order': " + order + ", 'shape': (3,), }";
}

const Malformed kMalformed[] = {
    {"Empty", "", "not a .npy file"},
    {"MagicAlone", "\x93NUMPY", "within the header's length"},
    {"MagicCutOff", "\x93NUM", "not a .npy file"},
    {"WrongMagic", "\x94NUMPY" + file_of(kGood, 6).substr(6), "not a .npy file"},
    {"ZipArchive", "PK\3\4 an .npz file of NumPy", "not a .npy file"},
    {"LengthCutOff", file_of(kGood, 6).substr(0, 9), "within the header's length"},
    {"LengthOfVersion2CutOff", file_of(kGood, 6, {"\2\0", 2}).substr(0, 11), "within the header's length"},
    {"Version0", file_of(kGood, 6, {"\0\0", 2}), "version 0.0"},
    {"Version4", file_of(kGood, 6, {"\4\0", 2}), "version 4.0"},
    {"MinorVersion1", file_of(kGood, 6, {"\1\1", 2}), "version 1.1"},
    {"HeaderCutOff", file_of(kGood, 0).substr(0, 40), "but only 30 follow"},
    {"HeaderWithoutItsLastByte", file_of(kGood, 0).substr(0, kGood.size() + 9), "57 bytes, but only 56 follow"},
    {"HeaderLongerThanTheFile", std::string("\x93NUMPY\1\0\xff\xff{}", 12), "65535 bytes, but only 2 follow"},
    {"HeaderOf4GiB", std::string("\x93NUMPY\2\0\xff\xff\xff\xff{}", 14), "4294967295 bytes, but only 2 follow"},
    {"HeaderAboveTheLimit",
     std::string("\x93NUMPY\2\0\0\0\1\0", 12) + kGood + std::string(65536 - kGood.size(), ' ') + "xxxxxx",
     "at most 65535"},
    {"HeaderEmpty", file_of("", 6), "expected '{'"},
    {"HeaderOfSpaces", file_of("      \n", 6), "expected '{'"},
    {"HeaderOfZeros", file_of(std::string(64, '\0'), 6), "expected '{'"},
    {"NotADict", file_of("['descr', '<f2']", 6), "expected '{'"},
    {"DictNotClosed", file_of(kGood.substr(0, kGood.size() - 1), 6), "expected"},
    {"TextAfterTheDict", file_of(kGood + " + 1", 6), "expected the end"},
    {"EmptyDict", file_of("{}", 6), "no key 'descr'"},
    {"NoDescr", file_of("{'fortran_order': False, 'shape': (3,)}", 6), "no key 'descr'"},
    {"NoOrder", file_of("{'descr': '<f2', 'shape': (3,)}", 6), "no key 'fortran_order'"},
    {"NoShape", file_of("{'descr': '<f2', 'fortran_order': False}", 6), "no key 'shape'"},
    {"KeyTwice", file_of("{'shape': (3,), 'descr': '<f2', 'fortran_order': False, 'shape': (3,)}", 6), "there twice"},
    {"KeyUnknown", file_of("{'descr': '<f2', 'fortran_order': False, 'shape': (3,), 'x': 1}", 6), "unknown key 'x'"},
    {"KeyWithoutQuotes", file_of("{descr: '<f2', 'fortran_order': False, 'shape': (3,)}", 6), "a key in quotes"},
    {"KeyWithoutColon", file_of("{'descr' '<f2', 'fortran_order': False, 'shape': (3,)}", 6), "expected ':'"},
    {"KeysWithoutComma", file_of("{'descr': '<f2' 'fortran_order': False, 'shape': (3,)}", 6), "expected ','"},
    {"QuoteNotClosed", file_of("{'descr: <f2}", 6), "no closing quote"},
    {"QuotesMixed", file_of(with_descr("'<f2\""), 6), "expected"},
    {"Escape", file_of(with_descr("'\\x3cf2'"), 6), "an escape"},
    {"FortranOrder", file_of(with_order("True"), 6), "column-major"},
    {"OrderANumber", file_of(with_order("0"), 6), "expected 'False'"},
    {"OrderInLowerCase", file_of(with_order("false"), 6), "expected 'False'"},
    {"BigEndian", file_of(with_descr("'>f2'"), 6), "big-endian"},
    {"BigEndianInteger", file_of(with_descr("'>i8'"), 24), "big-endian"},
    {"NoByteOrder", file_of(with_descr("'f2'"), 6), "not supported"},
    {"ByteOrderUnknown", file_of(with_descr("'|f2'"), 6), "no byte order"},
    {"Object", file_of(with_descr("'|O'"), 24), "'|O' is not supported"},
    {"Structured", file_of(with_descr("[('a', '<f2')]"), 6), "the type in quotes"},
    {"Complex", file_of(with_descr("'<c8'"), 24), "not supported"},
    {"LongDouble", file_of(with_descr("'<f16'"), 48), "not supported"},
    {"ItemOf3Bytes", file_of(with_descr("'<i3'"), 9), "not supported"},
    {"ItemOf16Bytes", file_of(with_descr("'<c16'"), 48), "not supported"},
    {"FloatOf1Byte", file_of(with_descr("'<f1'"), 3), "not supported"},
    {"BoolOf2Bytes", file_of(with_descr("'<b2'"), 6), "not supported"},
    {"Unicode", file_of(with_descr("'<U2'"), 24), "not supported"},
    {"Date", file_of(with_descr("'<M8[ns]'"), 24), "not supported"},
    {"DescrEmpty", file_of(with_descr("''"), 6), "not supported"},
    {"DescrANumber", file_of(with_descr("2"), 6), "the type in quotes"},
    {"ShapeANumber", file_of(with_shape("3"), 6), "expected '('"},
    {"ShapeAList", file_of(with_shape("[3]"), 6), "expected '('"},
    {"ShapeInParentheses", file_of(with_shape("(3)"), 6), "a tuple such as (3,)"},
    {"ShapeNotClosed", file_of("{'descr': '<f2', 'fortran_order': False, 'shape': (3, ", 6), "expected"},
    {"ShapeOfCommas", file_of(with_shape("(,)"), 6), "expected a size"},
    {"ShapeWithoutComma", file_of(with_shape("(3 1)"), 6), "expected ',' or ')'"},
    {"ShapeNegative", file_of(with_shape("(-3,)"), 6), "the size -3 is negative"},
    {"ShapeNegativeAndZero", file_of(with_shape("(0, -1)"), 0), "the size -1 is negative"},
    {"ShapeAFraction", file_of(with_shape("(3.0,)"), 6), "expected a size"},
    {"ShapeWithASign", file_of(with_shape("(+3,)"), 6), "expected a size"},
    {"ShapeAsPython2Long", file_of(with_shape("(3L,)"), 6), "expected a size"},
    {"SizeAbove64Bits", file_of(with_shape("(18446744073709551619,)"), 6), "does not fit in 64 bits"},
    {"ShapeAbove64Bits", file_of(with_shape("(4294967296, 4294967296)"), 6), "does not fit in 64 bits"},
    {"BytesAbove64Bits", file_of(with_shape("(4611686018427387905, 2)"), 4), "does not fit in 64 bits"},
    {"DataMissing", file_of(kGood, 0), "needs 6 bytes of data, the file has 0"},
    {"DataShorter", file_of(kGood, 5), "needs 6 bytes of data, the file has 5"},
    {"DataLonger", file_of(kGood, 7), "needs 6 bytes of data, the file has 7"},
    {"DataOfAPetabyte", file_of(with_shape("(562949953421312,)"), 6), "needs 1125899906842624 bytes"},
    {"DataOfAScalarMissing", file_of(with_shape("()"), 0), "needs 2 bytes of data, the file has 0"},
    {"DataOfAnEmptyArray", file_of(with_shape("(0, 7)"), 2), "needs 0 bytes of data, the file has 2"},
};

class MalformedNpy : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedNpy, IsRejectedAndSaysWhy) {
  const auto array = parse_npy(bytes_of(GetParam().file));
  ASSERT_FALSE(array.has_value());
  EXPECT_EQ(array.error().code, ErrorCode::Io);
  EXPECT_NE(array.error().message.find(GetParam().message), std::string::npos) << array.error().message;
}

TEST_P(MalformedNpy, IsRejectedFromAFileAlikeWithItsPath) {
  const Folder folder;
  const std::string path = folder / "bad.npy";
  std::ofstream(path, std::ios::binary) << GetParam().file;
  const auto array = read_npy(path);
  ASSERT_FALSE(array.has_value());
  EXPECT_EQ(array.error().message, path + ": " + parse_npy(bytes_of(GetParam().file)).error().message);
}

INSTANTIATE_TEST_SUITE_P(Table, MalformedNpy, testing::ValuesIn(kMalformed),
                         [](const auto& row) { return row.param.name; });

TEST(Npy, AcceptsTheHeaderThatTheTableBreaks) {
  EXPECT_TRUE(parse_npy(bytes_of(file_of(kGood, 6))).has_value());
  EXPECT_TRUE(parse_npy(bytes_of(file_of(kGood, 6, {"\2\0", 2}))).has_value());
  EXPECT_TRUE(parse_npy(bytes_of(file_of(kGood, 6, {"\3\0", 2}))).has_value());
}

TEST(Npy, AcceptsOtherSpellingsOfTheSameHeader) {
  const NpyArray expected{{Kind::Float, 2}, {3}, std::vector<std::byte>(6, std::byte{'x'})};
  for (const std::string dict : {"{\"shape\":(3,),\"fortran_order\":False,\"descr\":\"<f2\"}",
                                 "{'descr': '=f2', 'fortran_order': False, 'shape': (3,)}   \n"}) {
    const std::string file = file_of(dict, 6);
    const auto array = parse_npy(bytes_of(file));
    ASSERT_TRUE(array.has_value()) << array.error().message;
    EXPECT_EQ(copy(*array), expected);
  }
  for (const std::string descr : {"'|u1'", "'<u1'", "'>u1'"}) {
    const auto array = parse_npy(bytes_of(file_of(with_descr(descr), 3)));
    ASSERT_TRUE(array.has_value()) << array.error().message;
    EXPECT_EQ(array->dtype, (Dtype{Kind::Unsigned, 1}));
  }
}

TEST(Npy, RejectsMoreThan64Sizes) {
  std::string shape = "(";
  for (int i = 0; i < 64; ++i) shape += "1, ";
  EXPECT_TRUE(parse_npy(bytes_of(file_of(with_shape(shape + ")"), 2))).has_value());
  const auto array = parse_npy(bytes_of(file_of(with_shape(shape + "1)"), 2)));
  ASSERT_FALSE(array.has_value());
  EXPECT_NE(array.error().message.find("more than 64 sizes"), std::string::npos) << array.error().message;
}

TEST(Npy, RejectsEveryPrefixOfAFile) {
  for (const std::string name : {"f2_5x7_v1.npy", "f2_5x7_v2.npy", "f2_5x7_v3.npy"}) {
    const std::string file = content(kData + name);
    for (std::size_t size = 0; size < file.size(); ++size)
      EXPECT_FALSE(parse_npy(bytes_of(file.substr(0, size))).has_value()) << name << " cut to " << size;
  }
}

TEST(Npy, RejectsFilesOfNumPyThatHoldNoTensorOfOurs) {
  const std::pair<const char*, const char*> rows[] = {
      {"fortran", "column-major"},  {"big_endian", "big-endian"},       {"structured", "the type in quotes"},
      {"complex", "not supported"}, {"text", "'<U2' is not supported"}, {"long_double", "'<f16' is not supported"}};
  for (const auto& [name, message] : rows) {
    const auto array = read_npy(fmt::format("{}not_ours/{}.npy", kData, name));
    ASSERT_FALSE(array.has_value()) << name;
    EXPECT_NE(array.error().message.find(message), std::string::npos) << array.error().message;
  }
}

TEST(Npy, RejectsWhatIsNotARegularFile) {
  const Folder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const std::string& path : {folder / "missing.npy", folder / "pipe", folder / "", std::string("/dev/zero")}) {
    const auto array = read_npy(path);
    ASSERT_FALSE(array.has_value()) << path;
    EXPECT_EQ(array.error().code, ErrorCode::Io);
    EXPECT_TRUE(array.error().message.starts_with(path + ": ")) << array.error().message;
  }
}

TEST(Npy, AnyChangedByteGivesAnErrorOrAnArrayOfTheSameLength) {
  const std::string file = content(kData + "f2_5x7_v1.npy");
  int accepted = 0, rejected = 0;
  for (std::size_t at = 0; at < file.size(); ++at)
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = file;
      changed[at] = static_cast<char>(byte);
      const auto array = parse_npy(bytes_of(changed));
      array.has_value() ? ++accepted : ++rejected;
      ASSERT_EQ(array.has_value() ? array->data.size() : 70, 70U) << "byte " << at << " = " << byte;
    }
  EXPECT_GT(accepted, 70 * 256);  // all changes of the data
  EXPECT_GT(rejected, 50 * 256);  // nearly all changes of what the header says
}

}  // namespace files_npy_test
}  // namespace vl::oracle
