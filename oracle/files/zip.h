// Zip archives, as far as .npz files need them: reading the entries of an archive in memory, and the bytes around one
// stored entry. An entry that is stored is a part of the archive's own bytes and is not copied; that is why this is no
// library's work: those hand out copies. Inflating and checksums are zlib's.
//
//   local header, data, local header, data, …, central directory, end of central directory
// The central directory is what counts; each local header must agree with it. Sizes and offsets from 2^32 - 1 on stand
// in "zip64" records. Refused: encryption, archives in several parts, other methods than stored and deflated, bytes in
// front of the archive, a name that comes twice, data whose CRC-32 is another one. Format: APPNOTE.TXT of PKWARE, 6.3.
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
  std::uint32_t crc = 0;              // of the content, as the archive says it
  std::span<const std::byte> stored;  // within the archive: the content, or what it was deflated to
  std::uint64_t bytes = 0;            // of the content, as the archive says it
};

/// The entries of an archive, in the order of its directory. Errors: Io, with what was found and what was expected.
[[nodiscard]] Result<std::vector<ZipEntry>> zip_entries(std::span<const std::byte> archive);

/// The content of an entry: a part of the archive if it is stored (the archive is then what keeps it), else memory of
/// its own. Errors: Io for a CRC or a length other than the directory says, and for no deflated data. No more memory is
/// taken than deflated data of that length can need.
[[nodiscard]] Result<FileBytes> zip_content(const ZipEntry& entry);

/// What stands before and behind the content of an archive of one stored entry.
struct ZipFrame {
  std::string before;             // its length is a multiple of 64
  std::string behind;             // the central directory
  std::size_t crc_in_before = 0;  // where the CRC, little-endian, belongs
  std::size_t crc_in_behind = 0;
};

/// The frame of a content of that length, its CRCs 0. The name is the entry's. Requires: at most 65535 bytes of name.
[[nodiscard]] ZipFrame zip_frame(std::string_view name, std::uint64_t bytes);

/// CRC-32 as zip has it: of "123456789" it is 0xcbf43926.
[[nodiscard]] std::uint32_t crc32_of(std::span<const std::byte> bytes);

}  // namespace vl::oracle
