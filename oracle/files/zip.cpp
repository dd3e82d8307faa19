#include "oracle/files/zip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "oracle/files/io_error.h"
#include "oracle/files/zip_numbers.h"

namespace vl::oracle {
namespace {

using Span = std::span<const std::byte>;

constexpr std::size_t kMostEntries = 1 << 20;
constexpr std::uint64_t kMostInflated = 1032;  // deflate's best: 1032 bytes of one

/// `width` bytes at `at`, little-endian. Requires: they are there.
std::uint64_t number(Span bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = width; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
  return value;
}

std::string text(Span bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// ---- the end of the central directory

struct Directory {
  Span bytes;
  std::uint64_t entries = 0;
};

/// The start of the end of the central directory; its comment must reach to the end of the archive.
Result<std::size_t> find_end(Span archive) {
  if (archive.size() < kEndBytes) return io(fmt::format("not a zip archive: it has only {} bytes", archive.size()));
  const std::size_t most = std::min(archive.size() - kEndBytes, std::size_t{0xffff});
  for (std::size_t comment = 0; comment <= most; ++comment) {
    const std::size_t at = archive.size() - kEndBytes - comment;
    if (number(archive, at, 4) == kEnd && number(archive, at + 20, 2) == comment) return at;
  }
  return io("not a zip archive: it has no end of a central directory");
}

struct End {
  std::uint64_t disk = 0, first_disk = 0, entries_here = 0, entries = 0, bytes = 0, offset = 0;
  std::size_t at = 0;  // the end of the directory
};

Result<End> read_end(Span archive) {
  const auto found = find_end(archive);
  if (!found) return found.error();
  const std::size_t at = *found;
  End end{number(archive, at + 4, 2),
          number(archive, at + 6, 2),
          number(archive, at + 8, 2),
          number(archive, at + 10, 2),
          number(archive, at + 12, 4),
          number(archive, at + 16, 4),
          at};
  const bool in64 = end.entries == 0xffff || end.bytes == kIn64 || end.offset == kIn64;
  if (!in64 || at < kLocator64Bytes || number(archive, at - kLocator64Bytes, 4) != kLocator64) return end;
  const std::uint64_t at64 = number(archive, at - kLocator64Bytes + 8, 8);
  if (at < kLocator64Bytes + kEnd64Bytes || at64 != at - kLocator64Bytes - kEnd64Bytes ||
      number(archive, at64, 4) != kEnd64 || number(archive, at64 + 4, 8) != kEnd64Bytes - 12)
    return io("the zip64 end of the central directory is not where it is said to be");
  return End{number(archive, at64 + 16, 4), number(archive, at64 + 20, 4), number(archive, at64 + 24, 8),
             number(archive, at64 + 32, 8), number(archive, at64 + 40, 8), number(archive, at64 + 48, 8),
             static_cast<std::size_t>(at64)};
}

Result<Directory> find_directory(Span archive) {
  const auto end = read_end(archive);
  if (!end) return end.error();
  if (end->disk != 0 || end->first_disk != 0 || end->entries_here != end->entries)
    return io("the archive is one of several parts");
  if (end->offset > end->at || end->bytes != end->at - end->offset)
    return io(fmt::format("the central directory is said to be {} bytes from {}, but ends at {}", end->bytes,
                          end->offset, end->at));
  if (end->entries > kMostEntries || end->entries > end->bytes / kCentralBytes)
    return io(fmt::format("the directory has {} bytes and is said to have {} entries", end->bytes, end->entries));
  return Directory{archive.subspan(end->offset, end->bytes), end->entries};
}

// ---- one entry

struct Sizes {
  std::uint64_t bytes = 0, stored = 0, offset = 0;
  std::optional<std::size_t> offset_at = {};  // in the extra field, if it is there
};

/// Replaces each 0xffffffff, in order, by the numbers of the zip64 record (id 1) of an extra field.
std::optional<Error> from_zip64(Span extra, Sizes& sizes) {
  const std::byte* const start = extra.data();
  while (extra.size() >= 4) {
    const std::uint64_t id = number(extra, 0, 2), length = number(extra, 2, 2);
    if (length > extra.size() - 4) return io("an extra field is longer than its place");
    Span rest = extra.subspan(4, length);
    extra = extra.subspan(4 + length);
    if (id != 1) continue;
    for (std::uint64_t* const size : {&sizes.bytes, &sizes.stored, &sizes.offset}) {
      if (*size != kIn64) continue;
      if (rest.size() < 8) return io("the zip64 record is too short");
      *size = number(rest, 0, 8);
      if (size == &sizes.offset) sizes.offset_at = static_cast<std::size_t>(rest.data() - start);
      rest = rest.subspan(8);
    }
  }
  return std::nullopt;
}

struct Central {
  std::uint64_t flags = 0, method = 0, crc = 0;
  std::string name;
  Sizes sizes;
  Span record;
};

/// Finds the content by its local header, which must agree. Requires: offsets within `archive`, which ends at the start
/// of the central directory.
Result<Span> content_of(const Central& entry, Span archive) {
  const std::uint64_t bytes = entry.sizes.bytes, stored = entry.sizes.stored, offset = entry.sizes.offset;
  if (offset > archive.size() || archive.size() - offset < kLocalBytes || number(archive, offset, 4) != kLocal)
    return io(fmt::format("there is no local header at {}", offset));
  const Span local = archive.subspan(offset);
  const std::uint64_t name = number(local, 26, 2), extra = number(local, 28, 2);
  if (local.size() - kLocalBytes < name + extra) return io("the local header is cut off");
  if (text(local.subspan(kLocalBytes, name)) != entry.name || number(local, 8, 2) != entry.method ||
      number(local, 6, 2) != entry.flags)
    return io("the local header says something else than the directory");
  const Span rest = local.subspan(kLocalBytes + name + extra);
  if (stored > rest.size()) return io(fmt::format("{} bytes are said to follow, there are {}", stored, rest.size()));
  Sizes sizes{number(local, 22, 4), number(local, 18, 4), 0};
  if (auto error = from_zip64(local.subspan(kLocalBytes + name, extra), sizes)) return *error;
  const bool later = (entry.flags & 8) != 0;  // sizes and CRC are behind the data, and may be 0 here
  if (!later && (sizes.bytes != bytes || sizes.stored != stored || number(local, 14, 4) != entry.crc))
    return io("the local header has other sizes than the directory");
  return rest.first(stored);
}

Result<ZipEntry> read_entry(const Central& central, Span archive) {
  if ((central.flags & 0x2041) != 0) return io("it is encrypted");
  if (central.method != 0 && central.method != 8)
    return io(fmt::format("it is compressed by method {}; expected 0 (stored) or 8 (deflated)", central.method));
  if (central.method == 0 && central.sizes.bytes != central.sizes.stored)
    return io(fmt::format("it is stored, of {} bytes in {}", central.sizes.bytes, central.sizes.stored));
  const auto content = content_of(central, archive);
  if (!content) return content.error();
  const auto& in_extra = central.sizes.offset_at;
  return ZipEntry{central.name,
                  central.method == 8,
                  static_cast<std::uint32_t>(central.crc),
                  *content,
                  central.sizes.bytes,
                  central.sizes.offset,
                  central.record,
                  in_extra ? kCentralBytes + central.name.size() + *in_extra : kOffsetAt,
                  in_extra ? std::size_t{8} : std::size_t{4}};
}

/// Takes the next entry from the front of `directory`.
Result<Central> take_central(Span& directory) {
  if (directory.size() < kCentralBytes || number(directory, 0, 4) != kCentral)
    return io("the central directory has no entry where one is expected");
  const std::uint64_t name = number(directory, 28, 2), extra = number(directory, 30, 2),
                      comment = number(directory, 32, 2);
  if (directory.size() - kCentralBytes < name + extra + comment) return io("the central directory is cut off");
  Central central{number(directory, 8, 2),
                  number(directory, 10, 2),
                  number(directory, 16, 4),
                  text(directory.subspan(kCentralBytes, name)),
                  {number(directory, 24, 4), number(directory, 20, 4), number(directory, kOffsetAt, 4)},
                  directory.first(kCentralBytes + name + extra + comment)};
  if (number(directory, 34, 2) != 0) return io("the archive is one of several parts");
  if (auto error = from_zip64(directory.subspan(kCentralBytes + name, extra), central.sizes)) return *error;
  directory = directory.subspan(kCentralBytes + name + extra + comment);
  return central;
}

// ---- content

/// Inflates until `out` is full or the data end; returns zlib's last word, and leaves in `in` and `out` what is left.
int inflate_into(Span& in, std::span<std::byte>& out) {
  z_stream stream{};
  if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK) return Z_MEM_ERROR;
  std::byte nowhere{};  // the destination of a content of 0 bytes
  int code = Z_OK;
  while (code == Z_OK) {
    const auto some = [](std::size_t bytes) { return static_cast<uInt>(std::min<std::size_t>(bytes, 1U << 30)); };
    const uInt reads = some(in.size()), writes = some(out.size());
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
    stream.next_out = reinterpret_cast<Bytef*>(out.empty() ? &nowhere : out.data());
    stream.avail_in = reads;
    stream.avail_out = writes;
    code = ::inflate(&stream, Z_NO_FLUSH);
    in = in.subspan(reads - stream.avail_in);
    out = out.subspan(writes - stream.avail_out);
  }
  ::inflateEnd(&stream);
  return code;
}

Error no_memory() { return io("there is no memory for inflating"); }

Result<FileBytes> inflate_all(const ZipEntry& entry) {
  const auto memory = memory_of(entry.bytes);
  if (!memory) return memory.error();
  Span in = entry.stored;
  std::span<std::byte> out{memory->get(), static_cast<std::size_t>(entry.bytes)};
  const int code = inflate_into(in, out);
  if (code == Z_MEM_ERROR) return no_memory();
  if (code != Z_STREAM_END || !in.empty() || !out.empty())
    return io(fmt::format("it does not inflate to {} bytes", entry.bytes));
  return FileBytes{{memory->get(), static_cast<std::size_t>(entry.bytes)}, *memory};
}

}  // namespace

Result<std::vector<ZipEntry>> zip_entries(Span archive) {
  const auto directory = find_directory(archive);
  if (!directory) return directory.error();
  const Span contents = archive.first(static_cast<std::size_t>(directory->bytes.data() - archive.data()));
  std::vector<ZipEntry> entries;
  std::set<std::string, std::less<>> names;
  Span rest = directory->bytes;
  for (std::uint64_t k = 0; k < directory->entries; ++k) {
    const auto central = take_central(rest);
    if (!central) return central.error();
    const auto entry = read_entry(*central, contents);
    if (!entry) return io(fmt::format("entry '{}': {}", central->name, entry.error().message));
    if (!names.insert(entry->name).second) return io(fmt::format("entry '{}' is there twice", entry->name));
    entries.push_back(*entry);
  }
  if (!rest.empty()) return io(fmt::format("{} bytes follow the last entry of the directory", rest.size()));
  return entries;
}

std::string zip_comment(Span archive) {
  const auto end = find_end(archive);
  return end ? text(archive.subspan(*end + kEndBytes)) : std::string();
}

Result<std::vector<std::byte>> zip_start(const ZipEntry& entry, std::size_t most) {
  VL_CHECK(entry.deflated, "a stored entry's bytes are in the archive");
  std::vector<std::byte> bytes(std::min<std::uint64_t>(most, entry.bytes));
  Span in = entry.stored;
  std::span<std::byte> out = bytes;
  const int code = inflate_into(in, out);
  if (code == Z_MEM_ERROR) return no_memory();
  if (!out.empty()) return io(fmt::format("entry '{}': it does not inflate to {} bytes", entry.name, entry.bytes));
  return bytes;
}

Result<FileBytes> zip_content(const ZipEntry& entry) {
  if (entry.deflated && entry.bytes > kMostInflated * entry.stored.size())
    return io(fmt::format("entry '{}': {} bytes cannot inflate to {}", entry.name, entry.stored.size(), entry.bytes));
  auto content = entry.deflated ? inflate_all(entry) : Result<FileBytes>(FileBytes{entry.stored, {}});
  if (!content) return io(fmt::format("entry '{}': {}", entry.name, content.error().message));
  if (const std::uint32_t crc = crc32_of(content->bytes); crc != entry.crc)
    return io(fmt::format("entry '{}': its CRC is {:08x}; expected {:08x}", entry.name, crc, entry.crc));
  return content;
}

std::uint32_t crc32_of(Span bytes) {
  return static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace vl::oracle
