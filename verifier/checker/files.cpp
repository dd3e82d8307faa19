#include "verifier/checker/files.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "verifier/checker/kernel.h"

namespace vl::checker {
namespace {

struct Unreadable {
  std::string why;
};

constexpr std::size_t kLargest = std::size_t{8} << 20;
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
    if (out.size() > kLargest) throw Unreadable{"longer than 8 MiB"};
  }
  if (out.empty()) throw Unreadable{"the file is empty"};
  return out;
}

struct FileAnswer {
  const char* word;  // "accepted", "rejected", "unreadable"
  std::string why;
  std::optional<Statement> statement = {};
  std::vector<std::string> unread = {}, beside = {};

  // What stands in brackets.
  [[nodiscard]] std::vector<std::string> bracketed() const {
    std::vector<std::string> out = unread;
    out.insert(out.end(), beside.begin(), beside.end());
    return out;
  }
};

// Reading and checking have one budget. An accepted one has a statement.
FileAnswer checked(const std::string& path, Show show) {
  const Metered metered;
  std::string why;
  auto certificate = certificate_in(bytes_of(path), &why);
  if (!certificate) return {"unreadable", why};
  if (show == nullptr && is_about_values(certificate->statement))
    return {"unreadable", "a claim about values: verify-layout-cert checks it"};
  if (const auto no = check_texts(certificate->statement)) return {"rejected", *no};
  if (const auto no = check(*certificate, show == nullptr ? show_relation : show)) return {"rejected", *no};
  return {"accepted", {}, std::move(certificate->statement)};
}

FileAnswer answer_of(const std::string& path, const ReadTexts& read_texts, Show show) try {
  FileAnswer out = checked(path, show);
  if (!out.statement) return out;
  Texts texts = read_texts ? read_texts(*out.statement) : Texts{true, {}, {"texts"}};
  if (!texts.same) return {"rejected", texts.why};
  out.unread = std::move(texts.unread), out.beside = std::move(texts.beside);
  return out;
} catch (const Unreadable& no) {
  return {"unreadable", no.why};
} catch (const std::exception& no) {
  return {"rejected", no.what()};
}

// Why an accepted certificate says less than its texts.
std::string note_on(const std::vector<std::string>& unread) {
  if (unread.empty()) return {};
  if (unread.front() == "texts") return " (its texts were not read: verify-layout cert reads them again and compares)";
  std::string out;
  for (const std::string& name : unread) out += (out.empty() ? " (for the " : " and the ") + name;
  return out + " that it states: not found as it was, so not read again)";
}

void print_line(const std::string& path, const FileAnswer& answer) {
  const std::string says = answer.statement ? words_of(*answer.statement, answer.bracketed()) : plain(answer.why);
  const bool unreadable = answer.word == std::string_view("unreadable");
  std::fprintf(unreadable ? stderr : stdout, "%-11s %s: %s%s\n", answer.word, plain(path).c_str(), says.c_str(),
               plain(note_on(answer.unread)).c_str());
}

void print_record(const std::string& path, const FileAnswer& answer) {
  nlohmann::ordered_json out{{"kind", "certificate"}, {"file", path}, {"answer", answer.word}};
  out["reason"] = answer.why.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(answer.why);
  if (const auto& said = answer.statement) {
    out["claim"] = said->claim, out["verdict"] = said->verdict, out["layout"] = said->layout;
    out["tensor"] = said->tensor;
    out["says"] = words_of(*said, answer.bracketed()), out["unread"] = answer.unread;
  }
  std::printf("%s\n", out.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

}  // namespace

int check_files(const std::vector<std::string>& paths, const ReadTexts& read_texts, const FileOptions& options) {
  enter(__FILE__);
  bool rejected = false, unreadable = false, unbound = false;
  for (const std::string& path : paths) {
    const FileAnswer answer = answer_of(path, read_texts, options.show);
    options.json ? print_record(path, answer) : print_line(path, answer);
    const std::string_view word = answer.word;
    rejected = rejected || word == "rejected", unreadable = unreadable || word == "unreadable";
    for (const std::string& name : answer.unread)
      unbound = unbound || std::ranges::find(options.allowed_unread, name) == options.allowed_unread.end();
  }
  return rejected ? 10 : unreadable ? 2 : unbound ? 5 : 0;
}

}  // namespace vl::checker
