#include "verifier/checker/files.h"

#include <algorithm>
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

std::string bytes_of(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (file == nullptr) throw Unreadable{std::strerror(errno)};
  std::string out;
  char part[1 << 16];
  for (std::size_t size = 0; (size = std::fread(part, 1, sizeof part, file.get())) > 0;) out.append(part, size);
  if (std::ferror(file.get()) != 0) throw Unreadable{std::strerror(errno)};  // of a folder
  if (out.empty()) throw Unreadable{"the file is empty"};
  return out;
}

// On one line, and nothing that a terminal would act on.
std::string plain(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; }, ' ');
  return text;
}

std::string words_of(const Statement& said) {
  std::string out = said.verdict + " " + said.claim;
  if (said.value) out += " = " + std::to_string(*said.value);
  out += " of " + said.layout + " for " + said.tensor;
  if (said.arguments)
    for (const auto& [key, text] : *said.arguments) out += "; " + key + " = " + text;
  return plain(out);
}

int check_file(const std::string& path, const ReadTexts& read_texts) try {
  std::string why;
  const auto certificate = certificate_in(bytes_of(path), &why);
  if (!certificate) throw Unreadable{why};
  if (const auto no = check(*certificate)) throw Rejected(*no);
  const Texts texts = read_texts ? read_texts(certificate->statement) : Texts{};
  if (texts.word == Texts::Word::Different) throw Rejected(texts.why);
  const std::string note = texts.word == Texts::Word::NotRead ? " (" + texts.why + ")" : "";
  std::printf("accepted    %s: %s%s\n", path.c_str(), words_of(certificate->statement).c_str(), note.c_str());
  return 0;
} catch (const Unreadable& no) {
  std::fprintf(stderr, "unreadable  %s: %s\n", path.c_str(), no.why.c_str());
  return 2;
} catch (const std::exception& no) {
  std::printf("rejected    %s: %s\n", path.c_str(), no.what());
  return 10;
}

}  // namespace

int check_files(const std::vector<std::string>& paths, const ReadTexts& read_texts) {
  bool rejected = false, unreadable = false;
  for (const std::string& path : paths) {
    const int code = check_file(path, read_texts);
    rejected = rejected || code == 10, unreadable = unreadable || code == 2;
  }
  return unreadable ? 2 : rejected ? 10 : 0;
}

}  // namespace vl::checker
