// Zip archives, as far as .npz files need them: reading the entries of an archive in memory (zip.cpp), and the bytes
// around one stored entry, which may be added to the entries of an older archive (zip_write.cpp). A stored entry is a
// part of the archive's own bytes and is not copied. Libraries for archives return copies, so none is used. zlib
// inflates and computes checksums.
//
//   local header, data, local header, data, …, central directory, end of central directory
// The central directory is authoritative; each local header must agree with it. Sizes and offsets from 2^32 - 1 on are
// in "zip64" records. Refused: encryption, archives in several parts, other methods than stored and deflated, bytes in
// front of the archive, a repeated name, data with another CRC-32. Format: APPNOTE.TXT of PKWARE, 6.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/base/result.h"
#include "oracle/files/bytes.h"

namespace vl::oracle {

struct ZipEntry {
  std::string name;
  bool deflated = false;
  std::uint32_t crc = 0;              // of the content, according to the archive
  std::span<const std::byte> stored;  // within the archive: the content, or its deflated form
  std::uint64_t bytes = 0;            // of the content, according to the archive
  std::uint64_t local = 0;            // the place of its local header
  std::span<const std::byte> record;  // its record in the directory
  std::size_t local_at = 0;           // the place of `local` in the record, and the bytes that it has there
  std::size_t local_width = 4;
};

/// The entries of an archive, in the order of its directory. Errors: Io, with the found and the expected text.
[[nodiscard]] Result<std::vector<ZipEntry>> zip_entries(std::span<const std::byte> archive);

/// The comment at the end of an archive. Requires: zip_entries(archive).
[[nodiscard]] std::string zip_comment(std::span<const std::byte> archive);

/// The content of an entry: a part of the archive if it is stored (the archive then keeps it alive), else its own
/// memory. Errors: Io for a CRC or a length that differs from the directory's, and for data that is not deflated data.
/// Takes at most the memory that deflated data of that length can need.
[[nodiscard]] Result<FileBytes> zip_content(const ZipEntry& entry);

/// The first `most` bytes of a deflated entry's content, or all of them if it has fewer. The CRC is not compared.
/// Errors: Io for data that is not deflated data. Requires: entry.deflated. Takes `most` bytes of memory.
[[nodiscard]] Result<std::vector<std::byte>> zip_start(const ZipEntry& entry, std::size_t most);

/// What a new archive takes from an older one: entries as they are, stored or deflated, not looked at and not moved up.
struct ZipKept {
  std::vector<std::span<const std::byte>> contents;  // of the older archive: local headers and data
  std::uint64_t bytes = 0;                           // of them
  std::uint64_t entries = 0;
  std::string directory;  // their records, for contents that follow each other from the archive's start
  std::string comment;
};

/// All entries but one; all if there is no entry of that name. Errors: those of zip_entries; Io if entries overlap.
[[nodiscard]] Result<ZipKept> zip_without(std::span<const std::byte> archive, std::string_view name);

/// The bytes before and behind the content of a stored entry, the last one of an archive.
struct ZipFrame {
  std::string before;             // behind what is kept; the content begins at a multiple of 64
  std::string behind;             // the central directory
  std::size_t crc_in_before = 0;  // the place of the CRC, little-endian
  std::size_t crc_in_behind = 0;
};

/// The frame of a content of that length, its CRCs 0. The name is the entry's. Requires: at most 65535 bytes of name.
[[nodiscard]] ZipFrame zip_frame(std::string_view name, std::uint64_t bytes, const ZipKept& kept = {});

/// The CRC-32 of zip: that of "123456789" is 0xcbf43926.
[[nodiscard]] std::uint32_t crc32_of(std::span<const std::byte> bytes);

}  // namespace vl::oracle
