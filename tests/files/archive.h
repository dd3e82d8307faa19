// Archives and safetensors files made byte by byte from their formats' documents; any field can be made wrong.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vl::test {

inline void put(std::string& out, std::uint64_t value, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i, value >>= 8) out += static_cast<char>(value & 0xff);
}

/// CRC-32, a bit at a time.
inline std::uint32_t slow_crc(std::string_view text) {
  std::uint32_t crc = 0xffffffff;
  for (const char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320U : 0U);
  }
  return ~crc;
}

struct ZipFields {
  std::string name = "a.npy";
  std::string content;  // as it is kept
  std::uint64_t flags = 0, method = 0, part = 0;
  std::uint64_t bytes = 0, stored = 0, crc = 0;  // of the directory
  std::uint64_t offset = 0;                      // set by zip_of
  std::string local_name = "a.npy", local_extra, extra;
  std::uint64_t local_method = 0, local_flags = 0, local_bytes = 0, local_stored = 0, local_crc = 0;
  std::uint64_t local_signature = 0x04034b50, signature = 0x02014b50;
};

/// A stored entry, all of whose fields are right.
inline ZipFields stored(const std::string& name, const std::string& content) {
  ZipFields entry;
  entry.name = entry.local_name = name;
  entry.content = content;
  entry.bytes = entry.stored = entry.local_bytes = entry.local_stored = content.size();
  entry.crc = entry.local_crc = slow_crc(content);
  return entry;
}

struct ZipEnd {
  std::uint64_t part = 0, directory_part = 0, entries_here = 0, entries = 0, bytes = 0, offset = 0;
  std::string comment;
  std::uint64_t comment_bytes = 0;
};

/// The archive; change(end) may make its end wrong, and move_offsets is added to the entries' offsets.
template <class Change>
std::string zip_of(const std::vector<ZipFields>& entries, Change change, std::uint64_t move_offsets = 0) {
  std::string out, directory;
  for (const ZipFields& e : entries) {
    const std::uint64_t offset = out.size() + move_offsets;
    put(out, e.local_signature, 4);
    put(out, 20, 2);
    put(out, e.local_flags, 2);
    put(out, e.local_method, 2);
    put(out, 0, 4);
    put(out, e.local_crc, 4);
    put(out, e.local_stored, 4);
    put(out, e.local_bytes, 4);
    put(out, e.local_name.size(), 2);
    put(out, e.local_extra.size(), 2);
    out += e.local_name + e.local_extra + e.content;
    put(directory, e.signature, 4);
    put(directory, 20, 2);
    put(directory, 20, 2);
    put(directory, e.flags, 2);
    put(directory, e.method, 2);
    put(directory, 0, 4);
    put(directory, e.crc, 4);
    put(directory, e.stored, 4);
    put(directory, e.bytes, 4);
    put(directory, e.name.size(), 2);
    put(directory, e.extra.size(), 2);
    put(directory, 0, 2);
    put(directory, e.part, 2);
    put(directory, 0, 6);
    put(directory, offset, 4);
    directory += e.name + e.extra;
  }
  ZipEnd end{0, 0, entries.size(), entries.size(), directory.size(), out.size(), {}, 0};
  change(end);
  out += directory;
  put(out, 0x06054b50, 4);
  put(out, end.part, 2);
  put(out, end.directory_part, 2);
  put(out, end.entries_here, 2);
  put(out, end.entries, 2);
  put(out, end.bytes, 4);
  put(out, end.offset, 4);
  put(out, end.comment_bytes, 2);
  return out + end.comment;
}

inline std::string zip_of(const std::vector<ZipFields>& entries) {
  return zip_of(entries, [](ZipEnd&) {});
}

/// A safetensors file of this header.
inline std::string safetensors_of(const std::string& header, const std::string& data) {
  std::string out;
  put(out, header.size(), 8);
  return out + header + data;
}

}  // namespace vl::test
