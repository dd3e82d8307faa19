// Archives of NumPy, archives made by hand, and wrong archives, which must be rejected.
#include "oracle/files/zip.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>

#include "oracle/files/npy.h"
#include "tests/files/archive.h"
#include "tests/support/process.h"

namespace vl::oracle {
namespace files_zip_test {

using test::put;
using test::stored;
using test::zip_of;
using test::ZipEnd;
using test::ZipFields;

const std::string kData = VL_SOURCE_DIR "/tests/files/data/";

std::span<const std::byte> view(std::string_view text) { return std::as_bytes(std::span(text)); }
std::string text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The contents of all entries, "name=content;…", or "error: …".
std::string listed(std::string_view archive) {
  const auto entries = zip_entries(view(archive));
  if (!entries) return "error: " + entries.error().message;
  std::string out;
  for (const ZipEntry& entry : *entries) {
    const auto content = zip_content(entry);
    if (!content) return "error: " + content.error().message;
    out += fmt::format("{}={};", entry.name, text(content->bytes));
  }
  return out;
}

TEST(Zip, ReadsStoredEntriesInPlace) {
  const std::string archive = zip_of({stored("a.npy", "hello"), stored("b", "")});
  EXPECT_EQ(listed(archive), "a.npy=hello;b=;");
  const auto entries = zip_entries(view(archive));
  ASSERT_TRUE(entries.has_value());
  const auto content = zip_content(entries->front());
  ASSERT_TRUE(content.has_value());
  EXPECT_EQ(content->bytes.data(), view(archive).data() + 30 + 5);
  EXPECT_EQ(listed(zip_of({})), "");
}

TEST(Zip, ReadsWhatNumPyWrote) {
  for (const char* name : {"stored.npz", "deflated.npz"}) {
    const std::string file = test::read_text(kData + name);
    const auto entries = zip_entries(view(file));
    ASSERT_TRUE(entries.has_value()) << entries.error().message;
    ASSERT_EQ(entries->size(), 2U);
    EXPECT_EQ(entries->front().deflated, name[0] == 'd');
    const auto content = zip_content(entries->front());
    ASSERT_TRUE(content.has_value()) << content.error().message;
    EXPECT_EQ(text(content->bytes), test::read_text(kData + "f2_5x7_v1.npy"));
    const auto second = zip_content(entries->back());
    ASSERT_TRUE(second.has_value()) << second.error().message;
    EXPECT_EQ(parse_npy(second->bytes)->shape, name[0] == 'd' ? (std::vector<Index>{40, 50}) : std::vector<Index>{3});
  }
}

TEST(Zip, ReadsSizesOf64Bits) {
  ZipFields entry = stored("a.npy", "hello");
  entry.local_bytes = entry.local_stored = entry.bytes = 0xffffffff;
  put(entry.local_extra, 1, 2);
  put(entry.local_extra, 16, 2);
  put(entry.local_extra, 5, 8);
  put(entry.local_extra, 5, 8);
  put(entry.extra, 0x4242, 2);  // a foreign record comes first
  put(entry.extra, 3, 2);
  entry.extra += "xyz";
  put(entry.extra, 1, 2);
  put(entry.extra, 8, 2);  // only the size: the others fit
  put(entry.extra, 5, 8);
  EXPECT_EQ(listed(zip_of({entry})), "a.npy=hello;");
}

TEST(Zip, ReadsCommentsAndSizesBehindTheData) {
  EXPECT_EQ(
      listed(zip_of({stored("a", "x")}, [](ZipEnd& end) { end.comment = "PK\5\6 said so", end.comment_bytes = 12; })),
      "a=x;");
  ZipFields later = stored("a", "x");
  later.flags = later.local_flags = 8;
  later.local_bytes = later.local_stored = later.local_crc = 0;
  later.content += "PK\7\x8 descriptor";
  EXPECT_EQ(listed(zip_of({later})), "a=x;");
}

struct Wrong {
  const char* name;
  std::function<void(ZipFields&)> entry;
  std::function<void(ZipEnd&)> end;
  const char* message;
};

const std::function<void(ZipFields&)> kSame = [](ZipFields&) {};
const std::function<void(ZipEnd&)> kEnd = [](ZipEnd&) {};

const Wrong kWrong[] = {
    {"encrypted", [](ZipFields& e) { e.flags = e.local_flags = 1; }, kEnd, "encrypted"},
    {"strongly encrypted", [](ZipFields& e) { e.flags = e.local_flags = 0x41; }, kEnd, "encrypted"},
    {"masked headers", [](ZipFields& e) { e.flags = e.local_flags = 0x2000; }, kEnd, "encrypted"},
    {"lzma", [](ZipFields& e) { e.method = e.local_method = 14; }, kEnd, "method 14"},
    {"another part", [](ZipFields& e) { e.part = 1; }, kEnd, "several parts"},
    {"stored of two sizes", [](ZipFields& e) { e.bytes = 4; }, kEnd, "it is stored, of 4 bytes in 5"},
    {"another crc", [](ZipFields& e) { e.crc = e.local_crc = 1; }, kEnd, "its CRC is 3610a686; expected 00000001"},
    {"another local crc", [](ZipFields& e) { e.local_crc = 1; }, kEnd, "other sizes"},
    {"another local size", [](ZipFields& e) { e.local_bytes = e.local_stored = 4; }, kEnd, "other sizes"},
    {"another local name", [](ZipFields& e) { e.local_name = "b.npy"; }, kEnd, "something else"},
    {"another local method", [](ZipFields& e) { e.local_method = 8; }, kEnd, "something else"},
    {"another local flag", [](ZipFields& e) { e.local_flags = 8; }, kEnd, "something else"},
    {"no local header", [](ZipFields& e) { e.local_signature = 0; }, kEnd, "no local header at 0"},
    {"no directory entry", [](ZipFields& e) { e.signature = 0; }, kEnd, "no entry where one is expected"},
    {"longer than the archive", [](ZipFields& e) { e.bytes = e.stored = e.local_bytes = e.local_stored = 6; }, kEnd,
     "6 bytes are said to follow, there are 5"},
    {"no deflated data", [](ZipFields& e) { e.method = e.local_method = 8; }, kEnd, "does not inflate to 5"},
    {"inflates to more than it can",
     [](ZipFields& e) {
       e.method = e.local_method = 8;
       e.bytes = e.local_bytes = 0xfffffffe;
     },
     kEnd, "cannot inflate to 4294967294"},
    {"size in 64 bits that is not there",
     [](ZipFields& e) {
       e.bytes = 0xffffffff;
       e.extra = std::string("\1\0\4\0abcd", 8);
     },
     kEnd, "zip64 record is too short"},
    {"extra field too long", [](ZipFields& e) { e.extra = std::string("\1\0\x10\0abcd", 8); }, kEnd,
     "longer than its place"},
    {"end on another part", kSame, [](ZipEnd& e) { e.part = 1; }, "several parts"},
    {"directory on another part", kSame, [](ZipEnd& e) { e.directory_part = 1; }, "several parts"},
    {"entries on another part", kSame, [](ZipEnd& e) { e.entries_here = 0; }, "several parts"},
    {"an entry more", kSame, [](ZipEnd& e) { e.entries = e.entries_here = 2; }, "is said to have 2 entries"},
    {"an entry less", kSame, [](ZipEnd& e) { e.entries = e.entries_here = 0; }, "follow the last entry"},
    {"directory elsewhere", kSame, [](ZipEnd& e) { e.offset += 1; }, "central directory is said to be"},
    {"directory longer", kSame, [](ZipEnd& e) { e.bytes += 1; }, "central directory is said to be"},
    {"directory of 4 GiB", kSame, [](ZipEnd& e) { e.bytes = 0xffffffff; }, "central directory is said to be"},
    {"comment longer", kSame, [](ZipEnd& e) { e.comment_bytes = 1; }, "no end of a central directory"},
    {"comment shorter", kSame, [](ZipEnd& e) { e.comment = "x"; }, "no end of a central directory"},
};

TEST(Zip, RejectsWhatIsWrongAndSaysWhy) {
  for (const Wrong& row : kWrong) {
    ZipFields entry = stored("a.npy", "hello");
    row.entry(entry);
    const std::string said = listed(zip_of({entry}, row.end));
    EXPECT_TRUE(said.starts_with("error: ") && said.find(row.message) != std::string::npos) << row.name << ": " << said;
  }
  EXPECT_NE(listed(zip_of({stored("a", "1"), stored("a", "2")})).find("'a' is there twice"), std::string::npos);
  EXPECT_NE(listed("PK").find("not a zip archive"), std::string::npos);
  EXPECT_NE(listed("in front" + zip_of({stored("a", "1")})).find("central directory is said"), std::string::npos);
}

TEST(Zip, RejectsEveryPrefix) {
  for (const std::string& archive : {zip_of({stored("a.npy", "hello")}), test::read_text(kData + "deflated.npz")})
    for (std::size_t size = 0; size < archive.size(); ++size)
      EXPECT_TRUE(listed(archive.substr(0, size)).starts_with("error: ")) << size;
}

// Each changed byte is noticed, or has no meaning; the content never changes.
TEST(Zip, AChangedByteIsNoticedOrChangesNoContent) {
  const std::string small = zip_of({stored("a", "hello, archive")});
  const std::string deflated = test::read_text(kData + "deflated.npz");
  int noticed = 0, same = 0;
  for (const std::string& archive : {small, deflated}) {
    const std::string right = listed(archive);
    ASSERT_FALSE(right.starts_with("error: ")) << right;
    for (std::size_t at = 0; at < archive.size(); ++at) {
      std::string changed = archive;
      for (const int bit : {0, 3, 7}) {
        changed[at] = static_cast<char>(archive[at] ^ (1 << bit));
        const std::string said = listed(changed);
        said.starts_with("error: ") ? ++noticed : ++same;
        ASSERT_TRUE(said == right || said.starts_with("error: ")) << "byte " << at << " bit " << bit;
      }
    }
  }
  EXPECT_GT(noticed, 900);
  EXPECT_GT(same, 50);  // dates, versions, attributes
}

TEST(Zip, WritesAFrameAroundContentOnACacheLine) {
  for (const std::string& name : {std::string("arr_0.npy"), std::string(100, 'n'), std::string("\xc3\xa4.npy")}) {
    ZipFrame frame = zip_frame(name, 5);
    EXPECT_EQ(frame.before.size() % 64, 0U);
    EXPECT_EQ(crc32_of(view("hello")), test::slow_crc("hello"));
    for (std::size_t i = 0; i < 4; ++i) {
      frame.before[frame.crc_in_before + i] = static_cast<char>(test::slow_crc("hello") >> 8 * i);
      frame.behind[frame.crc_in_behind + i] = static_cast<char>(test::slow_crc("hello") >> 8 * i);
    }
    EXPECT_EQ(listed(frame.before + "hello" + frame.behind), name + "=hello;");
  }
}

TEST(Zip, FramesContentsBeyond32Bits) {
  const test::Folder folder;
  for (const std::uint64_t bytes :
       {(std::uint64_t{5} << 30) + 3, (std::uint64_t{1} << 32) - 0x20001, std::uint64_t{0xffffffff}}) {
    const ZipFrame frame = zip_frame("a.npy", bytes);
    const std::string path = folder.at("large.npz");
    test::write_text(path, frame.before);
    ASSERT_EQ(::truncate(path.c_str(), static_cast<off_t>(frame.before.size() + bytes)), 0);  // zeros that take no room
    std::ofstream(path, std::ios::binary | std::ios::app) << frame.behind;
    const auto file = bytes_of_file(path);
    ASSERT_TRUE(file.has_value()) << file.error().message;
    const auto entries = zip_entries(file->bytes);
    ASSERT_TRUE(entries.has_value()) << entries.error().message;
    ASSERT_EQ(entries->size(), 1U);
    EXPECT_EQ(entries->front().bytes, bytes);
    EXPECT_EQ(entries->front().stored.data(), file->bytes.data() + frame.before.size());
  }
}

}  // namespace files_zip_test
}  // namespace vl::oracle
