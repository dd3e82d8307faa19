#include "oracle/files/tensor_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "oracle/files/io_error.h"
#include "oracle/files/npy.h"
#include "oracle/files/safetensors.h"

namespace vl::oracle {
namespace {

constexpr std::size_t kMostNamesShown = 8;

/// The entry of the given name, or the only one. `name` gives an entry's name for users.
template <class Entry, class Name>
Result<const Entry*> choose(const std::vector<Entry>& entries, const std::string& member, std::string_view what,
                            Name name) {
  if (member.empty() && entries.size() == 1) return &entries.front();
  for (const Entry& entry : entries)
    if (!member.empty() && name(entry) == member) return &entry;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < std::min(entries.size(), kMostNamesShown); ++k) names.push_back(name(entries[k]));
  if (entries.size() > kMostNamesShown) names.push_back(fmt::format("{} more", entries.size() - kMostNamesShown));
  const std::string has = entries.empty() ? "it has none" : fmt::format("it has {}", fmt::join(names, ", "));
  if (member.empty()) return io(fmt::format("name the {} that is meant, as in FILE:NAME; {}", what, has));
  return io(fmt::format("there is no {} '{}'; {}", what, member, has));
}

/// numpy.savez keeps the array x in the entry x.npy.
std::string array_name(const ZipEntry& entry) {
  return entry.name.ends_with(".npy") ? entry.name.substr(0, entry.name.size() - 4) : entry.name;
}

StoredTensor stored(const ArrayView& array, std::shared_ptr<const void> owner, std::string spelled) {
  return {array.dtype, array.shape, array.data, std::move(owner), std::move(spelled)};
}

Result<StoredTensor> open_npy(const FileBytes& file) {
  const auto array = parse_npy(file.bytes);
  if (!array) return array.error();
  return stored(*array, file.owner, npy_name(array->dtype));
}

Result<StoredTensor> open_npz(const FileBytes& file, std::string member) {
  const auto entries = zip_entries(file.bytes);
  if (!entries) return entries.error();
  if (member.ends_with(".npy")) member.resize(member.size() - 4);
  const auto entry = choose(*entries, member, "array", array_name);
  if (!entry) return entry.error();
  auto content = zip_content(**entry);
  if (!content) return content.error();
  if (!content->owner) content->owner = file.owner;
  auto tensor = open_npy(*content);
  if (!tensor) return io(fmt::format("entry '{}': {}", (*entry)->name, tensor.error().message));
  return tensor;
}

Result<StoredTensor> open_safetensors(const FileBytes& file, const std::string& member) {
  const auto tensors = parse_safetensors(file.bytes);
  if (!tensors) return tensors.error();
  const auto tensor = choose(*tensors, member, "tensor", [](const NamedTensor& t) { return t.name; });
  if (!tensor) return tensor.error();
  const ArrayView& array = (*tensor)->array;
  return stored(array, file.owner, std::string(safetensors_name(array.dtype)));
}

Result<StoredTensor> open(const Place& place) {
  const auto file = bytes_of_file(place.path);
  if (!file) return file.error();
  switch (place.format) {
    case Place::Format::Npy: return open_npy(*file);
    case Place::Format::Npz: return open_npz(*file, place.member);
    case Place::Format::Safetensors: return open_safetensors(*file, place.member);
    case Place::Format::Raw: return StoredTensor{std::nullopt, {}, file->bytes, file->owner, "raw bytes"};
  }
  VL_CHECK(false, "a format without a reader");
}

Error at(const Place& place, const Error& error) {
  return Error{error.code, fmt::format("{}: {}", place.path, error.message), error.offset};
}

/// The bytes around the data.
struct Frame {
  std::string before, behind;
  std::optional<ZipFrame> zip;
};

Result<Frame> frame_of(const Place& place, Dtype dtype, std::span<const Index> shape, std::size_t bytes) {
  const bool npy = place.format == Place::Format::Npy || place.format == Place::Format::Npz;
  if (npy && shape.size() > kMostNpyDims) return io(fmt::format("the shape has more than {} sizes", kMostNpyDims));
  switch (place.format) {
    case Place::Format::Raw: return Frame{};
    case Place::Format::Npy: return Frame{npy_header(dtype, shape), {}, {}};
    case Place::Format::Npz: {
      std::string name = place.member.empty() ? "arr_0" : place.member;
      if (!name.ends_with(".npy")) name += ".npy";
      if (name.size() > 0xffff || name.find('\0') != std::string::npos) return io("no name for an entry of an archive");
      const std::string header = npy_header(dtype, shape);
      ZipFrame zip = zip_frame(name, header.size() + bytes);
      return Frame{zip.before + header, zip.behind, zip};
    }
    case Place::Format::Safetensors: {
      const std::string name = place.member.empty() ? "tensor" : place.member;
      if (!is_tensor_name(name)) return io(fmt::format("'{}' is not a name of a tensor", name));
      return Frame{safetensors_header(name, dtype, shape), {}, {}};
    }
  }
  VL_CHECK(false, "a format without a writer");
}

}  // namespace

Place place_of(std::string_view text, bool raw) {
  struct Ending {
    std::string_view ending;
    Place::Format format;
  };
  constexpr Ending kArchives[] = {{".npz", Place::Format::Npz}, {".safetensors", Place::Format::Safetensors}};
  for (const auto& [ending, format] : kArchives) {
    if (text.ends_with(ending)) return {format, std::string(text), {}};
    const std::size_t colon = text.find(std::string(ending) + ":");
    if (colon == std::string_view::npos) continue;
    const std::size_t end = colon + ending.size();
    return {format, std::string(text.substr(0, end)), std::string(text.substr(end + 1))};
  }
  const bool bytes = text.ends_with(".bin") || text.ends_with(".raw") || (raw && !text.ends_with(".npy"));
  return {bytes ? Place::Format::Raw : Place::Format::Npy, std::string(text), {}};
}

Result<StoredTensor> open_tensor(const Place& place) {
  auto tensor = open(place);
  if (!tensor) return at(place, tensor.error());
  return tensor;
}

Result<TensorOutput> TensorOutput::create(const Place& place, Dtype dtype, std::span<const Index> shape) {
  const auto bytes = array_bytes(dtype, shape);
  if (!bytes) return at(place, io(fmt::format("the shape ({}) does not fit in 64 bits", fmt::join(shape, ", "))));
  auto frame = frame_of(place, dtype, shape, *bytes);
  if (!frame) return at(place, frame.error());
  std::size_t total = 0;
  if (__builtin_add_overflow(*bytes, frame->before.size() + frame->behind.size(), &total))
    return at(place, io(fmt::format("{} bytes do not fit in a file", *bytes)));
  auto file = OutputFile::create(place.path, total);
  if (!file) return at(place, file.error());
  const std::span<std::byte> all = file->bytes();
  std::ranges::copy(std::as_bytes(std::span(frame->before)), all.begin());
  std::ranges::copy(std::as_bytes(std::span(frame->behind)), all.last(frame->behind.size()).begin());
  TensorOutput output(place, std::move(*file));
  output.start_ = frame->before.size();
  output.bytes_ = *bytes;
  output.frame_ = std::move(frame->zip);
  return output;
}

std::span<std::byte> TensorOutput::data() const { return file_.bytes().subspan(start_, bytes_); }

std::optional<Error> TensorOutput::commit() {
  if (frame_) {
    const std::span<std::byte> all = file_.bytes();
    const std::size_t start = frame_->before.size(), end = all.size() - frame_->behind.size();
    const std::uint32_t crc = crc32_of(all.subspan(start, end - start));
    for (const std::size_t where : {frame_->crc_in_before, end + frame_->crc_in_behind})
      std::memcpy(all.data() + where, &crc, sizeof crc);
  }
  if (auto error = file_.commit()) return at(place_, *error);
  return std::nullopt;
}

}  // namespace vl::oracle
