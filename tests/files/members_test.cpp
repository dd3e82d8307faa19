// One member of an archive is written: the others stay what they are, byte for byte, and the file stays right.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "oracle/files/npy.h"
#include "oracle/files/safetensors.h"
#include "oracle/files/tensor_file.h"
#include "oracle/files/zip.h"
#include "tests/files/archive.h"
#include "tests/support/process.h"

namespace vl::oracle {
namespace files_members_test {

using Kind = Dtype::Kind;
using test::Folder;
using test::put;
using test::stored;
using test::zip_of;

const std::string kData = VL_SOURCE_DIR "/tests/files/data/";

std::span<const std::byte> view(std::string_view text) { return std::as_bytes(std::span(text)); }
std::string text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Writes a tensor of these bytes; the error, or nothing.
std::string write(const std::string& place, Dtype dtype, std::vector<Index> shape, std::string_view data,
                  const Writing& how = {}) {
  auto output = TensorOutput::create(place_of(place), dtype, shape, how);
  if (!output) return output.error().message;
  EXPECT_EQ(output->data().size(), data.size());
  std::ranges::copy(view(data), output->data().begin());
  const auto error = output->commit();
  return error ? error->message : "";
}

std::string read(const std::string& place) {
  const auto tensor = open_tensor(place_of(place));
  return tensor ? text(tensor->data) : "error: " + tensor.error().message;
}

// The file of the issue: several tensors with metadata; one of them is written, later replaced by a longer one.
TEST(Members, OfASafetensorsFileAreKeptWithItsMetadata) {
  const Folder folder;
  const std::string header =
      R"({"__metadata__":{"format":"pt","a \"b\"":"é\n"},"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},)"
      R"("b":{"dtype":"F64","shape":[1],"data_offsets":[3,11]},"none":{"dtype":"F32","shape":[0,4],"data_offsets":[11,11]}})";
  const std::string path = folder.file("m.safetensors", test::safetensors_of(header, "abcdefghijk"));
  ASSERT_EQ(write(path + ":wte", {Kind::Brain, 2}, {2, 2}, "ABCDEFGH"), "");
  EXPECT_EQ(read(path + ":a"), "abc");
  EXPECT_EQ(read(path + ":b"), "defghijk");
  EXPECT_EQ(read(path + ":none"), "");
  EXPECT_EQ(read(path + ":wte"), "ABCDEFGH");
  ASSERT_EQ(write(path + ":wte", {Kind::Float, 4}, {3}, "twelve bytes"), "");
  ASSERT_EQ(write(path + ":a", {Kind::Unsigned, 1}, {5}, "12345"), "");
  EXPECT_EQ(read(path + ":a"), "12345");
  EXPECT_EQ(read(path + ":b"), "defghijk");
  EXPECT_EQ(read(path + ":wte"), "twelve bytes");
  const std::string file = test::read_text(path);
  const auto said = nlohmann::json::parse(file.substr(
      8, static_cast<unsigned char>(file[8 - 8]) | static_cast<std::size_t>(static_cast<unsigned char>(file[1])) << 8));
  EXPECT_EQ(said.size(), 5U);
  EXPECT_EQ(said["__metadata__"], (nlohmann::json{{"format", "pt"}, {"a \"b\"", "é\n"}}));
  EXPECT_EQ(said["none"]["shape"], (nlohmann::json{0, 4}));
}

// Each tensor begins at a multiple of its element's size, and the written one on a cache line.
TEST(Members, OfASafetensorsFileAreAligned) {
  const Folder folder;
  const std::string path = folder.at("m.safetensors");
  const Dtype dtypes[] = {{Kind::Unsigned, 1}, {Kind::Float, 8}, {Kind::Float, 2}, {Kind::Float, 4}, {Kind::Signed, 8}};
  for (int round = 0; round < 3; ++round)
    for (const Dtype dtype : dtypes) {
      const std::string name = fmt::format("{}:{}{}", path, safetensors_name(dtype), round % 2);
      const Index elements = 3 + round;
      ASSERT_EQ(write(name, dtype, {elements}, std::string(static_cast<std::size_t>(elements) * dtype.bytes, 'x')), "");
      const std::string file = test::read_text(path);
      const auto tensors = parse_safetensors(view(file));
      ASSERT_TRUE(tensors.has_value()) << tensors.error().message;
      for (const NamedTensor& tensor : *tensors)
        EXPECT_EQ((tensor.array.data.data() - view(file).data()) % static_cast<Index>(tensor.array.dtype.bytes), 0)
            << tensor.name;
    }
  const std::string file = test::read_text(path);
  EXPECT_EQ(parse_safetensors(view(file))->size(), 10U);
  ASSERT_EQ(write(folder.at("n.safetensors:a"), {Kind::Float, 8}, {2}, std::string(16, 'x')), "");
  ASSERT_EQ(write(folder.at("n.safetensors:b"), {Kind::Float, 2}, {2}, "good"), "");
  const std::string small = test::read_text(folder.at("n.safetensors"));
  EXPECT_EQ(small.find("good") % 64, 0U);
}

TEST(Members, OfUnknownTypesAreKept) {
  const std::string header =
      R"({"q":{"dtype":"F4","shape":[6],"data_offsets":[0,3]},"c":{"dtype":"C64","shape":[1],"data_offsets":[3,11]}})";
  const std::string file = test::safetensors_of(header, "abcdefghijk");
  const auto frame = safetensors_frame("w", {Kind::Float, 4}, std::vector<Index>{1}, view(file));
  ASSERT_TRUE(frame.has_value()) << frame.error().message;
  ASSERT_EQ(frame->before.size(), 1U);
  ASSERT_EQ(frame->behind.size(), 1U);
  EXPECT_EQ(text(frame->before.front()), "defghijk");
  EXPECT_EQ(text(frame->behind.front()), "abc");
  EXPECT_NE(frame->header.find(R"("c":{"dtype":"C64","shape":[1],"data_offsets":[0,8]})"), std::string::npos);
  EXPECT_NE(frame->header.find(R"("q":{"dtype":"F4","shape":[6],"data_offsets":[12,15]})"), std::string::npos);
}

TEST(Members, OfAnNpzStayAsTheyAreStoredOrDeflated) {
  const Folder folder;
  const std::string deflated = test::read_text(kData + "deflated.npz");
  const std::string path = folder.file("a.npz", deflated);
  const auto before = zip_entries(view(deflated));
  ASSERT_EQ(write(path + ":x", {Kind::Float, 2}, {3}, "sixsix"), "");
  ASSERT_EQ(write(path + ":arr_0", {Kind::Signed, 8}, {1}, "8 bytes."), "");
  ASSERT_EQ(write(path + ":x", {Kind::Unsigned, 1}, {4}, "four"), "");
  EXPECT_EQ(read(path + ":x"), "four");
  EXPECT_EQ(read(path + ":arr_0"), "8 bytes.");
  EXPECT_EQ(read(path + ":arr_1"), read(kData + "deflated.npz:arr_1"));
  const std::string now = test::read_text(path);
  const auto after = zip_entries(view(now));
  ASSERT_TRUE(after.has_value()) << after.error().message;
  ASSERT_EQ(after->size(), 3U);
  for (const ZipEntry& entry : *after) {
    if (entry.name != "arr_1.npy") continue;
    EXPECT_TRUE(entry.deflated);
    EXPECT_EQ(text(entry.stored), text(before->back().stored));
  }
  EXPECT_EQ((after->back().stored.data() - view(now).data()) % 64, 0);
}

/// The whole archive with one more entry.
std::string with(const std::string& archive, const std::string& name, const std::string& content) {
  const auto kept = zip_without(view(archive), name);
  if (!kept) return "error: " + kept.error().message;
  ZipFrame frame = zip_frame(name, content.size(), *kept);
  for (std::size_t i = 0; i < 4; ++i) {
    frame.before[frame.crc_in_before + i] = static_cast<char>(test::slow_crc(content) >> 8 * i);
    frame.behind[frame.crc_in_behind + i] = static_cast<char>(test::slow_crc(content) >> 8 * i);
  }
  std::string out;
  for (const auto& part : kept->contents) out += text(part);
  return out + frame.before + content + frame.behind;
}

std::string listed(const std::string& archive) {
  if (archive.starts_with("error: ")) return archive;
  const auto entries = zip_entries(view(archive));
  if (!entries) return "error: " + entries.error().message;
  std::string out = zip_comment(view(archive));
  for (const ZipEntry& entry : *entries) {
    const auto content = zip_content(entry);
    out += fmt::format(" {}={}", entry.name, content ? text(content->bytes) : content.error().message);
  }
  return out;
}

TEST(Members, OfAZipKeepDescriptorsForeignRecordsAndTheComment) {
  test::ZipFields later = stored("later", "x");
  later.flags = later.local_flags = 8;
  later.local_bytes = later.local_stored = later.local_crc = 0;
  later.content += "PK\7\x8 descriptor";
  test::ZipFields far = stored("far", "yy");  // its offset is in a zip64 record behind a foreign one
  put(far.extra, 0x4242, 2);
  put(far.extra, 1, 2);
  far.extra += "z";
  put(far.extra, 1, 2);
  put(far.extra, 8, 2);
  const std::size_t place = far.extra.size();
  put(far.extra, 0, 8);
  std::string archive = zip_of({stored("first", "1"), later, far, stored("last", "9")}, [](test::ZipEnd& end) {
    end.comment = "said";
    end.comment_bytes = 4;
  });
  const std::size_t record = archive.rfind("far\x42\x42");
  const std::uint64_t offset = archive.find("PK\3\4", archive.find("descriptor"));
  for (std::size_t i = 0; i < 4; ++i) archive[record - 4 + i] = '\xff';
  for (std::size_t i = 0; i < 8; ++i) archive[record + 3 + place + i] = static_cast<char>(offset >> 8 * i);
  ASSERT_EQ(listed(archive), "said first=1 later=x far=yy last=9");
  EXPECT_EQ(listed(with(archive, "new", "n")), "said first=1 later=x far=yy last=9 new=n");
  EXPECT_EQ(listed(with(archive, "first", "11")), "said later=x far=yy last=9 first=11");
  EXPECT_EQ(listed(with(archive, "later", "")), "said first=1 far=yy last=9 later=");
  const std::string twice = with(with(archive, "far", "f"), "last", "l");
  EXPECT_EQ(listed(twice), "said first=1 later=x far=f last=l");
  EXPECT_NE(twice.find("PK\7\x8 descriptor"), std::string::npos);
  EXPECT_EQ(listed(with(zip_of({}), "a", "b")), " a=b");
}

// Entries of which one lies in the other's data are not copied: they cannot be told apart.
TEST(Members, OfAZipThatOverlapAreRefused) {
  const std::string inner = zip_of({stored("b", "x")});
  test::ZipFields outer = stored("a", inner.substr(0, 30 + 1 + 1) + "more");
  test::ZipFields b = stored("b", "x");
  std::string archive = zip_of({outer, b});
  const std::size_t record = archive.rfind("PK\1\2");
  for (std::size_t i = 0; i < 4; ++i) archive[record + 42 + i] = static_cast<char>((30 + 1) >> 8 * i);  // within a
  ASSERT_EQ(listed(archive), " a=" + outer.content + " b=x");
  EXPECT_NE(listed(with(archive, "c", "c")).find("error: entry 'a' overlaps"), std::string::npos);
}

// 70,000 entries, and a content that begins behind 2^32 bytes: numbers that need zip64 records.
TEST(Members, OfAZipBeyondItsOldNumbers) {
  ZipKept kept;
  kept.entries = 70000;
  const std::string record = "x";
  EXPECT_NE(zip_frame("a", 1, kept).behind.find("PK\6\6"), std::string::npos);
  const Folder folder;
  const std::string path = folder.at("large.npz");
  const std::uint64_t large = (std::uint64_t{1} << 32) + 77;
  const ZipFrame first = zip_frame("first.npy", large);
  test::write_text(path, first.before);
  ASSERT_EQ(::truncate(path.c_str(), static_cast<off_t>(first.before.size() + large)), 0);  // takes no room
  std::ofstream(path, std::ios::binary | std::ios::app) << first.behind;
  const auto old = bytes_of_file(path);
  ASSERT_TRUE(old.has_value());
  const auto kept_first = zip_without(old->bytes, "second.npy");
  ASSERT_TRUE(kept_first.has_value()) << kept_first.error().message;
  const ZipFrame second = zip_frame("second.npy", 5, *kept_first);
  const std::string both = folder.at("both.npz");
  test::write_text(both, first.before);
  ASSERT_EQ(::truncate(both.c_str(), static_cast<off_t>(kept_first->bytes)), 0);
  std::ofstream(both, std::ios::binary | std::ios::app) << second.before << "hello" << second.behind;
  const auto file = bytes_of_file(both);
  ASSERT_TRUE(file.has_value());
  const auto entries = zip_entries(file->bytes);
  ASSERT_TRUE(entries.has_value()) << entries.error().message;
  ASSERT_EQ(entries->size(), 2U);
  EXPECT_EQ(entries->front().bytes, large);
  EXPECT_EQ(text(entries->back().stored), "hello");
  EXPECT_EQ((entries->back().stored.data() - file->bytes.data()) % 64, 0);
  const auto without = zip_without(file->bytes, "first.npy");  // the far one moves to the start
  ASSERT_TRUE(without.has_value()) << without.error().message;
  const std::string small =
      with(text(without->contents.front()) + zip_frame("x", 0, *without).before + zip_frame("x", 0, *without).behind,
           "y", "z");
  EXPECT_TRUE(listed(small).ends_with(" y=z")) << listed(small);
  EXPECT_NE(listed(small).find(" second.npy="), std::string::npos);
}

TEST(Members, AreReplacedTogetherOnlyIfThatIsSaid) {
  const Folder folder;
  const std::string path = folder.file("a.npz", test::read_text(kData + "stored.npz"));
  ASSERT_EQ(write(path, {Kind::Unsigned, 1}, {2}, "ab"), "");
  EXPECT_EQ(read(path + ":arr_0"), "ab");
  EXPECT_EQ(read(path + ":a"), read(kData + "stored.npz:a"));
  ASSERT_EQ(write(path, {Kind::Unsigned, 1}, {2}, "cd", {true, {}}), "");
  EXPECT_EQ(read(path), "cd");
  const std::string other = folder.file("b.safetensors", "a text that is long enough");
  EXPECT_NE(write(other, {Kind::Unsigned, 1}, {2}, "ab").find("--replace"), std::string::npos);
  EXPECT_EQ(test::read_text(other), "a text that is long enough");
  EXPECT_NE(write(path + ":" + std::string(70000, 'n'), {Kind::Unsigned, 1}, {2}, "ab").find("no name for an entry"),
            std::string::npos);
  ASSERT_EQ(write(other, {Kind::Unsigned, 1}, {2}, "ab", {true, {}}), "");
  EXPECT_EQ(read(other), "ab");
  ASSERT_EQ(write(folder.file("empty.npz", ""), {Kind::Unsigned, 1}, {2}, "ab"), "");  // nothing is lost
  const std::string same = folder.file("same.npz", zip_of({stored("x", "1"), stored("x.npy", "2")}));
  EXPECT_NE(write(same + ":x", {Kind::Unsigned, 1}, {2}, "ab").find("'x' is there twice"), std::string::npos);
}

// Nobody's work is lost.
TEST(Members, WrittenByFourProcessesAreAllKept) {
  const Folder folder;
  const std::string path = folder.at("a.npz");  // one of them makes it
  std::vector<pid_t> children;
  for (int process = 0; process < 4; ++process) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    for (int k = 0; k < 5; ++k)
      if (!write(fmt::format("{}:p{}k{}", path, process, k), {Kind::Unsigned, 1}, {2}, "ab").empty()) ::_exit(1);
    ::_exit(0);
  }
  for (const pid_t child : children) {
    int status = 1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const std::string now = test::read_text(path);
  const auto entries = zip_entries(view(now));
  ASSERT_TRUE(entries.has_value()) << entries.error().message;
  EXPECT_EQ(entries->size(), 20U);
}

TEST(Members, AreNotWrittenOverWhatAnotherProgramWroteMeanwhile) {
  const Folder folder;
  for (const bool there : {true, false}) {
    const std::string path = folder.at("a.npz");
    std::filesystem::remove(path);
    if (there) folder.file("a.npz", zip_of({stored("x.npy", "1")}));
    auto output = TensorOutput::create(place_of(path + ":y"), {Kind::Unsigned, 1}, std::vector<Index>{1});
    ASSERT_TRUE(output.has_value()) << output.error().message;
    const std::string other = zip_of({stored("z.npy", "2")});
    folder.file("b.npz", other);
    std::filesystem::rename(folder.at("b.npz"), path);
    const auto error = output->commit();
    ASSERT_TRUE(error.has_value());
    EXPECT_NE(error->message.find("another process wrote to it meanwhile"), std::string::npos) << error->message;
    EXPECT_EQ(test::read_text(path), other);
    EXPECT_EQ(folder.content().size(), 1U);
  }
}

}  // namespace files_members_test
}  // namespace vl::oracle
