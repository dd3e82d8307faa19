// Archives that are written: the entries that an older archive keeps, then one stored entry, then the directory.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "oracle/files/io_error.h"
#include "oracle/files/zip.h"
#include "oracle/files/zip_numbers.h"

namespace vl::oracle {
namespace {

constexpr std::uint64_t kVersion = 20, kVersion64 = 45, kDate = 0x21;  // 1980-01-01, as in NumPy, and not today

void put(std::string& out, std::uint64_t value, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) out += static_cast<char>(value >> 8 * i & 0xff);
}

/// The common part of a local header and the directory's record, up to the length of the name.
void put_common(std::string& out, std::string_view name, std::uint64_t bytes, bool in64, std::size_t& crc) {
  const bool is_ascii = std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) < 128; });
  put(out, in64 ? kVersion64 : kVersion, 2);
  put(out, is_ascii ? 0 : 0x800, 2);
  put(out, 0, 2);  // stored
  put(out, 0, 2);
  put(out, kDate, 2);
  crc = out.size();
  put(out, 0, 4);
  for (int k = 0; k < 2; ++k) put(out, bytes >= kIn64 ? kIn64 : bytes, 4);
  put(out, name.size(), 2);
}

/// The zip64 record of these numbers; empty if there are none.
std::string zip64_record(std::initializer_list<std::uint64_t> numbers) {
  std::string out;
  if (numbers.size() == 0) return out;
  put(out, 1, 2);
  put(out, 8 * numbers.size(), 2);
  for (const std::uint64_t number : numbers) put(out, number, 8);
  return out;
}

std::string local_header(std::string_view name, std::uint64_t bytes, std::uint64_t at, std::size_t& crc) {
  const bool in64 = bytes >= kIn64;
  std::string out;
  put(out, kLocal, 4);
  put_common(out, name, bytes, in64, crc);
  std::string extra = in64 ? zip64_record({bytes, bytes}) : std::string();
  // Padding like Android's zipalign (id 0xd935: the alignment, then zeros), so that the data starts on a cache line.
  const std::uint64_t data = at + kLocalBytes + name.size() + extra.size() + 6;
  const std::size_t padding = (64 - data % 64) % 64;
  put(extra, 0xd935, 2);
  put(extra, 2 + padding, 2);
  put(extra, 64, 2);
  extra.append(padding, '\0');
  put(out, extra.size(), 2);
  return out.append(name).append(extra);
}

std::string directory_record(std::string_view name, std::uint64_t bytes, std::uint64_t at, std::size_t& crc) {
  const bool long_content = bytes >= kIn64, far = at >= kIn64;
  const std::string extra = long_content && far ? zip64_record({bytes, bytes, at})
                            : long_content      ? zip64_record({bytes, bytes})
                            : far               ? zip64_record({at})
                                                : std::string();
  std::string out;
  put(out, kCentral, 4);
  put(out, extra.empty() ? kVersion : kVersion64, 2);
  put_common(out, name, bytes, !extra.empty(), crc);
  put(out, extra.size(), 2);
  put(out, 0, 6);  // comment, part, attributes inside
  put(out, 0, 4);  // attributes outside
  put(out, far ? kIn64 : at, 4);
  return out.append(name).append(extra);
}

void put_end64(std::string& out, std::uint64_t entries, std::uint64_t directory, std::uint64_t offset) {
  const std::uint64_t at = offset + directory;
  put(out, kEnd64, 4);
  put(out, kEnd64Bytes - 12, 8);
  put(out, kVersion64, 2);
  put(out, kVersion64, 2);
  put(out, 0, 8);  // the parts
  put(out, entries, 8);
  put(out, entries, 8);
  put(out, directory, 8);
  put(out, offset, 8);
  put(out, kLocator64, 4);
  put(out, 0, 4);
  put(out, at, 8);
  put(out, 1, 4);
}

void put_end(std::string& out, std::uint64_t entries, std::uint64_t offset, std::string_view comment) {
  const std::uint64_t directory = out.size();
  if (entries >= kManyEntries || directory >= kIn64 || offset >= kIn64) put_end64(out, entries, directory, offset);
  put(out, kEnd, 4);
  put(out, 0, 4);
  for (int k = 0; k < 2; ++k) put(out, std::min(entries, kManyEntries), 2);
  put(out, std::min(directory, kIn64), 4);
  put(out, std::min(offset, kIn64), 4);
  put(out, comment.size(), 2);
  out += comment;
}

}  // namespace

// An entry reaches to the next one: sizes and CRC may be behind its data.
Result<ZipKept> zip_without(std::span<const std::byte> archive, std::string_view name) {
  auto entries = zip_entries(archive);
  if (!entries) return entries.error();
  ZipKept kept;
  kept.comment = zip_comment(archive);
  std::vector<std::pair<std::uint64_t, std::size_t>> places;  // and the entries there
  for (std::size_t k = 0; k < entries->size(); ++k) places.emplace_back((*entries)[k].local, k);
  std::ranges::sort(places);
  for (std::size_t k = 0; k < places.size(); ++k) {
    const std::byte* const next =
        k + 1 < places.size() ? archive.data() + places[k + 1].first : entries->front().record.data();
    const auto [from, number] = places[k];
    ZipEntry& entry = (*entries)[number];
    if (entry.stored.data() + entry.stored.size() > next)
      return io(fmt::format("entry '{}' overlaps the one behind it", entry.name));
    if (entry.name == name) continue;
    kept.contents.emplace_back(archive.data() + from, next);
    entry.local = kept.bytes;  // at most what it was, so it has room where that was
    kept.bytes += kept.contents.back().size();
  }
  for (const ZipEntry& entry : *entries) {
    if (entry.name == name) continue;
    const std::size_t at = kept.directory.size() + entry.local_at;
    kept.directory.append(reinterpret_cast<const char*>(entry.record.data()), entry.record.size());
    for (std::size_t i = 0; i < entry.local_width; ++i)
      kept.directory[at + i] = static_cast<char>(entry.local >> 8 * i & 0xff);
    ++kept.entries;
  }
  return kept;
}

ZipFrame zip_frame(std::string_view name, std::uint64_t bytes, const ZipKept& kept) {
  VL_CHECK(name.size() <= 0xffff, "a name that fits into its field");
  ZipFrame frame;
  frame.before = local_header(name, bytes, kept.bytes, frame.crc_in_before);
  frame.behind = kept.directory;
  const std::string record = directory_record(name, bytes, kept.bytes, frame.crc_in_behind);
  frame.crc_in_behind += frame.behind.size();
  frame.behind += record;
  put_end(frame.behind, kept.entries + 1, kept.bytes + frame.before.size() + bytes, kept.comment);
  return frame;
}

}  // namespace vl::oracle
