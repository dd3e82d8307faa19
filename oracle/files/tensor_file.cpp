#include "oracle/files/tensor_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "oracle/files/frame.h"
#include "oracle/files/io_error.h"
#include "oracle/files/npy.h"
#include "oracle/files/safetensors.h"
#include "oracle/files/zip.h"

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

StoredTensor stored(const ArrayView& array, std::shared_ptr<const void> owner, std::string spelled) {
  return {array.dtype, array.shape, array.data, std::move(owner), std::move(spelled)};
}

Result<StoredTensor> open_npy(const FileBytes& file) {
  const auto array = parse_npy(file.bytes);
  if (!array) return array.error();
  return stored(*array, file.owner, npy_name(array->dtype));
}

// Whether an array that is to be inflated can be used at all, by its header.
std::optional<Error> refused(const ZipEntry& entry, const Accept& accept) {
  if (!entry.deflated || !accept) return std::nullopt;
  const auto start = zip_start(entry, kLongestNpyStart);
  if (!start) return start.error();
  auto header = parse_npy_header(*start, entry.bytes);
  if (!header) return io(fmt::format("entry '{}': {}", entry.name, header.error().message));
  return accept(StoredTensor{header->dtype, std::move(header->shape), {}, nullptr, npy_name(header->dtype)});
}

Result<StoredTensor> open_npz(const FileBytes& file, std::string member, const Accept& accept) {
  const auto entries = zip_entries(file.bytes);
  if (!entries) return entries.error();
  if (member.ends_with(".npy")) member.resize(member.size() - 4);
  const auto entry = choose(*entries, member, "array", [](const ZipEntry& e) { return array_name(e.name); });
  if (!entry) return entry.error();
  if (auto error = refused(**entry, accept)) return *error;
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

Result<StoredTensor> open(const Place& place, const FileBytes& file, const Accept& accept) {
  switch (place.format) {
    case Place::Format::Npy: return open_npy(file);
    case Place::Format::Npz: return open_npz(file, place.member, accept);
    case Place::Format::Safetensors: return open_safetensors(file, place.member);
    case Place::Format::Raw: return StoredTensor{std::nullopt, {}, file.bytes, file.owner, "raw bytes"};
  }
  VL_CHECK(false, "a format without a reader");
}

Error at(const Place& place, const Error& error) {
  return Error{error.code, fmt::format("{}: {}", place.path, error.message), error.offset};
}

bool is_archive(const Place& place) {
  return place.format == Place::Format::Npz || place.format == Place::Format::Safetensors;
}

/// Whether a path names a file with something in it.
bool is_there(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
}

/// The archive that is there, or else the folder of the one that will be, locked against other processes that write a
/// member. An archive is replaced by a new file, so who has waited opens what is there then.
Result<OlderArchive> locked(const std::string& path) {
  constexpr int kMostWaits = 6000;
  constexpr timespec kWait{0, 10'000'000};
  const std::string folder = std::filesystem::path(path).parent_path();
  for (int waits = 0; waits < kMostWaits; ++waits) {
    OlderArchive out;
    const bool there = is_there(path);
    auto file = there ? bytes_of_file(path) : Result<FileBytes>(FileBytes{});
    if (!file) return file.error();
    out.file = std::move(*file);
    if (!there) out.folder = Descriptor(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC));
    const int lock = there ? out.file.file->descriptor() : out.folder.get();
    const bool blocked = ::flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!blocked && (there ? out.file.file->is_at(path) : !is_there(path))) return out;
    if (blocked) ::nanosleep(&kWait, nullptr);
  }
  return io("another process is writing to it, and has done so for a minute");
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

Result<StoredTensor> open_tensor(const Place& place, const Accept& accept) {
  const auto file = bytes_of_file(place.path);
  if (!file) return at(place, file.error());
  auto tensor = open(place, *file, accept);
  if (file->file != nullptr && file->file->changed()) return at(place, io("changed while it was read"));
  if (!tensor) return at(place, tensor.error());
  tensor->file = file->file;
  return tensor;
}

TensorOutput::TensorOutput(Place place, OutputFile file, std::unique_ptr<Frame> frame, OlderArchive older)
    : place_(std::move(place)), file_(std::move(file)), frame_(std::move(frame)), older_(std::move(older)) {}
TensorOutput::~TensorOutput() = default;
TensorOutput::TensorOutput(TensorOutput&&) noexcept = default;
TensorOutput& TensorOutput::operator=(TensorOutput&&) noexcept = default;

Result<TensorOutput> TensorOutput::create(const Place& place, Dtype dtype, std::span<const Index> shape,
                                          const Writing& how) {
  const bool alone = !is_archive(place) || how.replace;
  auto older = alone ? Result<OlderArchive>(OlderArchive{}) : locked(place.path);
  if (!older) return at(place, older.error());
  const bool keeps = older->file.file != nullptr;
  auto frame = Frame::create(place, dtype, shape, keeps ? std::optional(older->file.bytes) : std::nullopt);
  if (!frame && keeps && Frame::create(place, dtype, shape, std::nullopt))
    return at(place, io(fmt::format("{}; its other members cannot be kept (--replace writes a file without them)",
                                    frame.error().message)));
  if (!frame) return at(place, frame.error());
  auto file = OutputFile::create(place.path, frame->total(), how.how);
  if (!file) return at(place, file.error());
  frame->write(file->bytes());
  TensorOutput output(place, std::move(*file), std::make_unique<Frame>(std::move(*frame)), std::move(*older));
  output.alone_ = alone;
  return output;
}

std::span<std::byte> TensorOutput::data() const { return file_.bytes().subspan(frame_->start(), frame_->bytes()); }

std::optional<Error> TensorOutput::commit() {
  frame_->finish(file_.bytes());
  const Watched* const older = older_.file.file.get();
  const bool changed = older != nullptr && (older->changed() || !older->is_at(place_.path));
  if (changed || (!alone_ && older == nullptr && is_there(place_.path)))
    return at(place_, io("another process wrote to it meanwhile, and nothing was written over that"));
  auto error = file_.commit();
  older_ = {};
  if (error) return at(place_, *error);
  return std::nullopt;
}

}  // namespace vl::oracle
