#include "oracle/files/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "oracle/files/io_error.h"
#include "oracle/files/npy.h"
#include "oracle/files/safetensors.h"
#include "oracle/files/zip.h"

namespace vl::oracle {
namespace {

using Older = std::optional<std::span<const std::byte>>;

/// The entry that keeps an array: the one that has it already, else x.npy.
Result<std::string> entry_of(const std::string& array, const std::vector<ZipEntry>& entries) {
  std::vector<std::string> there;
  for (const ZipEntry& entry : entries)
    if (array_name(entry.name) == array) there.push_back(entry.name);
  if (there.size() > 1)
    return io(fmt::format("the array '{}' is there twice, as {}", array, fmt::join(there, " and ")));
  std::string name = there.empty() ? array + ".npy" : there.front();
  if (name.size() > 0xffff || name.find('\0') != std::string::npos) return io("no name for an entry of an archive");
  return name;
}

}  // namespace

std::string array_name(const std::string& entry) {
  return entry.ends_with(".npy") ? entry.substr(0, entry.size() - 4) : entry;
}

Result<Frame> Frame::create(const Place& place, Dtype dtype, std::span<const Index> shape, Older older) {
  const auto bytes = array_bytes(dtype, shape);
  if (!bytes) return io(fmt::format("the shape ({}) does not fit in 64 bits", fmt::join(shape, ", ")));
  const bool npy = place.format == Place::Format::Npy || place.format == Place::Format::Npz;
  if (npy && shape.size() > kMostNpyDims) return io(fmt::format("the shape has more than {} sizes", kMostNpyDims));
  Frame frame;
  frame.bytes_ = *bytes;
  std::optional<Error> error;
  switch (place.format) {
    case Place::Format::Raw: break;
    case Place::Format::Npy: frame.before_.push_back({npy_header(dtype, shape), {}}); break;
    case Place::Format::Npz: error = frame.frame_npz(place.member, npy_header(dtype, shape), older); break;
    case Place::Format::Safetensors: error = frame.frame_safetensors(place.member, dtype, shape, older); break;
  }
  if (error) return *error;
  if (!frame.measure()) return io(fmt::format("{} bytes do not fit in a file", *bytes));
  return frame;
}

std::optional<Error> Frame::frame_npz(const std::string& member, const std::string& header, Older older) {
  const auto entries = older ? zip_entries(*older) : Result<std::vector<ZipEntry>>(std::vector<ZipEntry>());
  if (!entries) return entries.error();
  const auto name = entry_of(member.empty() ? "arr_0" : array_name(member), *entries);
  if (!name) return name.error();
  const auto kept = older ? zip_without(*older, *name) : Result<ZipKept>(ZipKept{});
  if (!kept) return kept.error();
  const ZipFrame zip = zip_frame(*name, header.size() + bytes_, *kept);
  for (const auto& content : kept->contents) before_.push_back({{}, content});
  before_.push_back({zip.before + header, {}});
  behind_.push_back({zip.behind, {}});
  const std::size_t from = static_cast<std::size_t>(kept->bytes) + zip.before.size();
  crc_ = Crc{from, static_cast<std::size_t>(kept->bytes) + zip.crc_in_before,
             from + header.size() + bytes_ + zip.crc_in_behind};
  return std::nullopt;
}

std::optional<Error> Frame::frame_safetensors(const std::string& member, Dtype dtype, std::span<const Index> shape,
                                              Older older) {
  const std::string name = member.empty() ? "tensor" : member;
  if (!is_tensor_name(name)) return io(fmt::format("'{}' is not a name of a tensor", name));
  const auto frame = safetensors_frame(name, dtype, shape, older);
  if (!frame) return frame.error();
  before_.push_back({frame->header, {}});
  for (const auto& data : frame->before) before_.push_back({{}, data});
  for (const auto& data : frame->behind) behind_.push_back({{}, data});
  return std::nullopt;
}

// False if the file would have more than 2^64 bytes.
bool Frame::measure() {
  const auto add = [&](std::size_t bytes) { return !__builtin_add_overflow(total_, bytes, &total_); };
  const auto fits = [&](const Piece& piece) { return add(piece.made.size()) && add(piece.kept.size()); };
  if (!std::ranges::all_of(before_, fits)) return false;
  start_ = total_;
  return add(bytes_) && std::ranges::all_of(behind_, fits);
}

void Frame::write(std::span<std::byte> file) const {
  std::byte* at = file.data();
  const auto put = [&](const Piece& piece) {
    at = std::ranges::copy(std::as_bytes(std::span(piece.made)), at).out;
    at = std::ranges::copy(piece.kept, at).out;
  };
  std::ranges::for_each(before_, put);
  at += bytes_;
  std::ranges::for_each(behind_, put);
}

void Frame::finish(std::span<std::byte> file) const {
  if (!crc_) return;
  const std::uint32_t crc = crc32_of(file.subspan(crc_->from, start_ + bytes_ - crc_->from));
  for (const std::size_t at : {crc_->before, crc_->behind}) std::memcpy(file.data() + at, &crc, sizeof crc);
}

}  // namespace vl::oracle
