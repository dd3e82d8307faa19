#include "verifier/checker/files.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "verifier/checker/check.h"

namespace vl::checker {
namespace {

struct Unreadable {
  std::string why;
};

constexpr std::size_t kLargest = std::size_t{64} << 20;
constexpr int kTick = 100, kMostWaited = 2000;  // milliseconds, for what gives no byte

// A file or a pipe, part by part. It is opened so that no read blocks: a pipe without a writer has a time limit.
std::string bytes_of(const std::string& path) {
  const auto failed = [](int code = errno) { return Unreadable{std::strerror(code)}; };
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) throw failed();
  const std::unique_ptr<const int, void (*)(const int*)> closing(&file, [](const int* opened) { ::close(*opened); });
  struct stat status {};
  if (::fstat(file, &status) != 0) throw failed();
  if (S_ISDIR(status.st_mode)) throw failed(EISDIR);
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) throw Unreadable{"neither a file nor a pipe"};
  std::string out;
  std::vector<char> part(1 << 16);
  for (int waited = 0;;) {
    pollfd one{file, POLLIN, 0};
    const int ready = ::poll(&one, 1, kTick);
    const ssize_t size = ::read(file, part.data(), part.size());
    waited = ready > 0 ? 0 : waited + kTick;
    const bool unopened = size == 0 && ready == 0 && S_ISFIFO(status.st_mode) && out.empty();
    if (size == 0 && !unopened) break;
    if (size > 0) out.append(part.data(), static_cast<std::size_t>(size));
    if (size < 0 && errno != EAGAIN && errno != EINTR) throw failed();
    if ((unopened || (size < 0 && S_ISREG(status.st_mode))) && waited >= kMostWaited)
      throw Unreadable{"nobody writes to it"};
    if (out.size() > kLargest) throw Unreadable{"longer than 64 MiB"};
  }
  if (out.empty()) throw Unreadable{"the file is empty"};
  return out;
}

// On one line, and nothing that a terminal would act on: ASCII.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 32 && byte < 127) out += c;
    else out.append("\\x") += "0123456789abcdef"[byte / 16], out += "0123456789abcdef"[byte % 16];
  }
  return out;
}

std::string words_of(const Statement& said) {
  std::string out = said.verdict;
  const auto add = [&](const char* between, const std::string& text) { out.append(between).append(text); };
  add(" ", said.claim);
  if (said.value) add(" = ", std::to_string(*said.value));
  add(" of ", said.layout), add(" for ", said.tensor);
  if (said.arguments)
    for (const auto& [key, text] : *said.arguments) add("; ", key), add(" = ", text);
  return plain(out);
}

int accepted_or_not(const std::string& path, const ReadTexts& read_texts) {
  std::string why;
  const auto certificate = certificate_in(bytes_of(path), &why);
  if (!certificate) throw Unreadable{why};
  if (const auto no = check(*certificate)) throw Rejected(*no);
  const Texts texts = read_texts ? read_texts(certificate->statement) : Texts{};
  if (texts.word == Texts::Word::Different) throw Rejected(texts.why);
  const std::string note = texts.word == Texts::Word::NotRead ? " (" + texts.why + ")" : "";
  std::printf("accepted    %s: %s%s\n", plain(path).c_str(), words_of(certificate->statement).c_str(),
              plain(note).c_str());
  return 0;
}

int check_file(const std::string& path, const ReadTexts& read_texts) try {
  return accepted_or_not(path, read_texts);
} catch (const Unreadable& no) {
  std::fprintf(stderr, "unreadable  %s: %s\n", plain(path).c_str(), plain(no.why).c_str());
  return 2;
} catch (const std::exception& no) {
  std::printf("rejected    %s: %s\n", plain(path).c_str(), plain(no.what()).c_str());
  return 10;
}

}  // namespace

int check_files(const std::vector<std::string>& paths, const ReadTexts& read_texts) {
  bool rejected = false, unreadable = false;
  for (const std::string& path : paths) {
    const int code = check_file(path, read_texts);
    rejected = rejected || code == 10, unreadable = unreadable || code == 2;
  }
  return rejected ? 10 : unreadable ? 2 : 0;
}

}  // namespace vl::checker
