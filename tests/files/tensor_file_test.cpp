// Every format through the one interface: names, members, round trips, and no file after a failure.
#include "oracle/files/tensor_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "encodings/base/memory.h"
#include "oracle/files/npy.h"
#include "tests/files/archive.h"
#include "tests/support/process.h"

namespace vl::oracle {
namespace files_tensor_file_test {

using Kind = Dtype::Kind;
using Format = Place::Format;
using test::Folder;

const std::string kData = VL_SOURCE_DIR "/tests/files/data/";

std::string text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(TensorFile, FindsTheFormatInTheName) {
  struct Row {
    const char* text;
    bool raw;
    Place place;
  };
  const Row rows[] = {
      {"a.npy", false, {Format::Npy, "a.npy", ""}},
      {"a.npy", true, {Format::Npy, "a.npy", ""}},
      {"-", false, {Format::Npy, "-", ""}},
      {"-", true, {Format::Raw, "-", ""}},
      {"a", false, {Format::Npy, "a", ""}},
      {"a", true, {Format::Raw, "a", ""}},
      {"a.bin", false, {Format::Raw, "a.bin", ""}},
      {"a.raw", false, {Format::Raw, "a.raw", ""}},
      {"d.x/a.npz", true, {Format::Npz, "d.x/a.npz", ""}},
      {"a.npz:x.npy", false, {Format::Npz, "a.npz", "x.npy"}},
      {"a.npz:", false, {Format::Npz, "a.npz", ""}},
      {"c:/a.safetensors:b:c", true, {Format::Safetensors, "c:/a.safetensors", "b:c"}},
      {"a.safetensors", false, {Format::Safetensors, "a.safetensors", ""}},
  };
  for (const Row& row : rows) EXPECT_EQ(place_of(row.text, row.raw), row.place) << row.text;
}

TEST(TensorFile, OpensTheTensorThatIsNamed) {
  struct Row {
    const char* name;
    const char* spelled;
    std::size_t bytes;
  };
  const Row rows[] = {{"f2_5x7_v1.npy", "<f2", 70},      {"stored.npz:a", "<f2", 70},
                      {"stored.npz:a.npy", "<f2", 70},   {"stored.npz:b", "<i8", 24},
                      {"deflated.npz:arr_0", "<f2", 70}, {"deflated.npz:arr_1", "<f4", 8000},
                      {"four.safetensors:a", "F16", 70}, {"four.safetensors:none", "F32", 0}};
  for (const Row& row : rows) {
    const auto tensor = open_tensor(place_of(kData + row.name));
    ASSERT_TRUE(tensor.has_value()) << tensor.error().message;
    EXPECT_EQ(tensor->spelled, row.spelled) << row.name;
    EXPECT_EQ(tensor->data.size(), row.bytes) << row.name;
    if (row.bytes != 70) continue;
    EXPECT_EQ(text(tensor->data), test::read_text(kData + "f2_5x7_v1.npy").substr(128)) << row.name;
  }
}

TEST(TensorFile, SaysWhatThereIsInstead) {
  const Folder folder;
  const std::string two = folder.file("not.npz", test::zip_of({test::stored("a.npy", "no array")}));
  const std::pair<std::string, std::string> rows[] = {
      {kData + "stored.npz", "name the array that is meant, as in FILE:NAME; it has a, b"},
      {kData + "stored.npz:c", "there is no array 'c'; it has a, b"},
      {kData + "four.safetensors:c", "there is no tensor 'c'; it has "},
      {two, "entry 'a.npy': not a .npy file"},
      {folder.file("empty.npz", test::zip_of({})), "it has none"},
      {folder.file("text.npz", "a text that is long enough"), "not a zip archive"},
      {folder.file("text.safetensors", "a text that is long enough"), "the header has"},
      {folder.at("missing.npz:a"), "cannot be opened"},
  };
  for (const auto& [place, message] : rows) {
    const auto tensor = open_tensor(place_of(place));
    ASSERT_FALSE(tensor.has_value()) << place;
    EXPECT_TRUE(tensor.error().message.starts_with(place_of(place).path + ": ")) << tensor.error().message;
    EXPECT_NE(tensor.error().message.find(message), std::string::npos) << tensor.error().message;
  }
}

// A deflated array of 100,000 bytes whose first 70,000 inflate and whose rest does not: stored blocks of deflate (RFC
// 1951, 3.2.4), then a block of the reserved type 3.
std::string broken_after_its_header() {
  const std::string header = npy_header({Kind::Unsigned, 1}, std::vector<Index>{100'000});
  std::string content;
  for (const std::string& block : {header + std::string(60'000, '\0'), std::string(10'000 - header.size(), '\0')}) {
    content += '\0';
    test::put(content, block.size(), 2);
    test::put(content, ~block.size() & 0xffff, 2);
    content += block;
  }
  content += '\x07';
  test::ZipFields entry = test::stored("a.npy", content);
  entry.method = entry.local_method = 8;
  entry.bytes = entry.local_bytes = header.size() + 100'000;
  return test::zip_of({entry});
}

TEST(TensorFile, AnArrayIsRefusedByItsHeaderBeforeItIsInflated) {
  const Folder folder;
  const Place place = place_of(folder.file("a.npz", broken_after_its_header()));
  std::size_t asked = 0;
  const auto refused = open_tensor(place, [&](const StoredTensor& header) {
    ++asked;
    EXPECT_EQ(header.dtype, (Dtype{Kind::Unsigned, 1}));
    EXPECT_EQ(header.shape, std::vector<Index>{100'000});
    EXPECT_TRUE(header.data.empty());
    return std::optional(Error{ErrorCode::Shape, "no layout has this shape", 0});
  });
  EXPECT_EQ(asked, 1U);
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(refused.error().message.ends_with("no layout has this shape")) << refused.error().message;
  const auto broken = open_tensor(place, [](const StoredTensor&) { return std::nullopt; });
  ASSERT_FALSE(broken.has_value());
  EXPECT_NE(broken.error().message.find("does not inflate"), std::string::npos) << broken.error().message;
}

TEST(TensorFile, WritesAndReadsEveryFormatAndType) {
  const Folder folder;
  const Dtype dtypes[] = {{Kind::Bool, 1},  {Kind::Signed, 8}, {Kind::Unsigned, 2},
                          {Kind::Float, 4}, {Kind::Brain, 2},  {Kind::E5m2, 1}};
  const std::vector<Index> shapes[] = {{}, {0, 3}, {5}, {2, 3, 4}};
  for (const char* name : {"a.npy", "a.npz", "a.npz:x", "a.safetensors", "a.safetensors:\"x y\"", "a.bin"})
    for (const Dtype dtype : dtypes)
      for (const std::vector<Index>& shape : shapes) {
        const Place place = place_of(folder.at(name));
        auto output = TensorOutput::create(place, dtype, shape);
        ASSERT_TRUE(output.has_value()) << output.error().message;
        ASSERT_EQ(output->data().size(), *array_bytes(dtype, shape));
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(output->data().data()) % 64, 0U);
        for (std::size_t i = 0; i < output->data().size(); ++i) output->data()[i] = static_cast<std::byte>(7 * i + 1);
        const std::string written = text(output->data());
        const auto error = output->commit();
        ASSERT_FALSE(error) << error->message;
        const auto back = open_tensor(place);
        ASSERT_TRUE(back.has_value()) << back.error().message;
        EXPECT_EQ(text(back->data), written) << name;
        if (place.format == Format::Raw) continue;
        EXPECT_EQ(back->shape, shape) << name;
        const bool keeps = place.format == Format::Safetensors || dtype.kind < Kind::Brain;
        EXPECT_EQ(back->dtype, keeps ? dtype : (Dtype{Kind::Unsigned, dtype.bytes})) << name;
      }
  EXPECT_EQ(folder.content().size(), 4U);
}

TEST(TensorFile, RefusesNamesThatTheFormatHasNot) {
  const Folder folder;
  for (const std::string& name : {std::string("a.safetensors:__metadata__"), std::string("a.safetensors:\xff"),
                                  "a.npz:" + std::string(70000, 'n'), std::string("no/such/a.npz:x")})
    EXPECT_FALSE(TensorOutput::create(place_of(folder.at(name)), {Kind::Float, 2}, std::vector<Index>{3}).has_value())
        << name;
  EXPECT_TRUE(folder.content().empty());
}

TEST(TensorFile, AnOutputMayReplaceWhatIsStillRead) {
  const Folder folder;
  const std::string path = folder.file("a.bin", "abcdef");
  const auto before = open_tensor(place_of(path));
  ASSERT_TRUE(before.has_value());
  auto output = TensorOutput::create(place_of(path), {Kind::Unsigned, 1}, std::vector<Index>{3});
  ASSERT_TRUE(output.has_value());
  std::ranges::copy(before->data.last(3), output->data().begin());
  EXPECT_EQ(test::read_text(path), "abcdef");
  ASSERT_FALSE(output->commit());
  EXPECT_EQ(test::read_text(path), "def");
  EXPECT_EQ(text(before->data), "abcdef");
  EXPECT_EQ(folder.content().size(), 1U);
}

TEST(TensorFile, NothingIsLeftOfAnOutputWhoseProcessIsKilled) {
  const Folder folder;
  folder.file("a.npy", "old");
  const pid_t child = ::fork();
  if (child == 0) {
    auto output = TensorOutput::create(place_of(folder.at("a.npy")), {Kind::Unsigned, 1}, std::vector<Index>{1000});
    ::kill(::getpid(), SIGKILL);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(folder.content(), (std::map<std::string, std::string>{{"a.npy", "old"}}));
}

TEST(TensorFile, RefusesMemoryThatNoMachineHas) {
  EXPECT_FALSE(memory_of(std::size_t{1} << 60).has_value());
  EXPECT_GT(machine_bytes(), std::size_t{1} << 26);
  EXPECT_FALSE(TensorOutput::create(place_of("-"), {Kind::Float, 8}, std::vector<Index>{Index{1} << 57}).has_value());
}

TEST(Dtype, IsThatOfTheElementTypeOrUnsignedOfItsWidth) {
  using map::ElementType;
  EXPECT_EQ(dtype_of(ElementType::Bf16), (Dtype{Kind::Brain, 2}));
  EXPECT_EQ(npy_name({Kind::Brain, 2}), "<u2");
  EXPECT_EQ(npy_name({Kind::E4m3, 1}), "|u1");
  for (const ElementType type : {ElementType::I4, ElementType::Bfp8, ElementType::Bfp4}) EXPECT_FALSE(dtype_of(type));
  EXPECT_TRUE(carries({Kind::Unsigned, 2}, ElementType::Bf16));
  EXPECT_TRUE(carries({Kind::Brain, 2}, ElementType::Bf16));
  EXPECT_FALSE(carries({Kind::Float, 2}, ElementType::Bf16));
  EXPECT_FALSE(carries({Kind::Signed, 2}, ElementType::F16));
  EXPECT_FALSE(carries({Kind::Unsigned, 4}, ElementType::F16));
  EXPECT_FALSE(carries({Kind::Unsigned, 1}, ElementType::I4));
  EXPECT_EQ(array_bytes({Kind::Float, 2}, std::vector<Index>{5, 7}), 70U);
  EXPECT_FALSE(array_bytes({Kind::Float, 8}, std::vector<Index>{Index{1} << 60, 4}));
}

}  // namespace files_tensor_file_test
}  // namespace vl::oracle
