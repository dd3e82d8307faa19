// The numbers of zip archives, for zip.cpp and zip_write.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace vl::oracle {

constexpr std::uint64_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
constexpr std::uint64_t kLocator64 = 0x07064b50, kEnd64 = 0x06064b50;
constexpr std::size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22, kLocator64Bytes = 20, kEnd64Bytes = 56;
constexpr std::size_t kOffsetAt = 42;           // of the local header, in a record of the directory
constexpr std::uint64_t kIn64 = 0xffffffff;     // the size or offset is in a zip64 record
constexpr std::uint64_t kManyEntries = 0xffff;  // their number is in the zip64 end

}  // namespace vl::oracle
