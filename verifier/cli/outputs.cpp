#include "verifier/cli/outputs.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "encodings/base/interrupt.h"
#include "verifier/cli/commands.h"

namespace vl::cli {
namespace {

// Opens what is no regular file. A named pipe waits for its reader, or for an interrupt.
int open_to_write(const std::string& path) {
  constexpr auto kLook = std::chrono::milliseconds(50);
  std::error_code code;
  for (;;) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (file >= 0) return ::fcntl(file, F_SETFL, ::fcntl(file, F_GETFL) & ~O_NONBLOCK) == 0 ? file : -1;
    if (errno != ENXIO || !std::filesystem::is_fifo(path, code)) return -1;
    if (Interrupt::told()) return errno = EINTR, -1;
    std::this_thread::sleep_for(kLook);
  }
}

}  // namespace

Outputs::Outputs(Format format, bool colour, OutputStyle style, const std::vector<OutputFile>& files) {
  OutputStyle whole = style;
  whole.quiet = false;
  for (const OutputFile& file : files) open(file, whole);
  style.text.colour = colour;
  outputs_.emplace_back(format, stdout, std::move(style));
}

void Outputs::add(const question::Case& c) {
  for (Output& output : outputs_) output.add(c);
}

void Outputs::end(const report::Tally& tally) {
  for (Output& output : outputs_) output.end(tally);
  for (auto& [path, stream, file] : open_) {
    const bool bad = std::ferror(stream) != 0;
    if (std::fclose(stream) != 0 || bad) fail(path, "cannot be written: " + std::generic_category().message(errno));
    else if (auto error = file ? file->commit() : std::nullopt) fail(path, error->message);
  }
}

void Outputs::open(const OutputFile& file, const OutputStyle& style) {
  std::error_code code;
  Open out{file.path, nullptr, std::nullopt};
  if (std::filesystem::exists(file.path, code) && !std::filesystem::is_regular_file(file.path, code)) {
    const int opened = open_to_write(file.path);
    if (opened >= 0) out.stream = ::fdopen(opened, "w");
  } else {
    auto made = NewFile::create(file.path);
    if (!made) return fail(file.path, made.error().message);
    out.file = std::move(*made);
    const int copy = ::fcntl(out.file->descriptor(), F_DUPFD_CLOEXEC, 0);
    if (copy >= 0) out.stream = ::fdopen(copy, "w");
  }
  if (out.stream == nullptr) return fail(file.path, "cannot be written: " + std::generic_category().message(errno));
  outputs_.emplace_back(file.format, out.stream, style);
  open_.push_back(std::move(out));
}

void Outputs::fail(const std::string& path, std::string why) { failed_.push_back(about(path, std::move(why))); }

}  // namespace vl::cli
