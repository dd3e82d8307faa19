#include "encodings/use/brackets.h"

#include "encodings/base/check.h"
#include "encodings/use/c_text.h"
#include "encodings/use/statements.h"

namespace vl::use {
namespace {

std::string plain_python(std::string_view text) {
  std::string out(text);
  Statements statements(text, 0);
  while (statements.next()) {
  }
  for (const Quoted& quoted : statements.quoted()) {
    const std::size_t edge = quoted.comment ? 0 : 1;  // the quotes stay
    for (std::size_t at = quoted.begin + edge; at + edge < quoted.end; ++at)
      if (out[at] != '\n') out[at] = ' ';
  }
  return out;
}

char bracket_closing(char open) { return open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : '\0'; }

}  // namespace

std::string plain_code(SourceLanguage language, std::string_view text) {
  switch (language) {
    case SourceLanguage::None: return std::string(text);
    case SourceLanguage::Python: return plain_python(text);
    case SourceLanguage::C: return plain_c(text).text;
  }
  VL_CHECK(false, "an unknown language");
}

Brackets::Brackets(std::string_view code) : code_(code), closing_(code.size(), std::string_view::npos) {
  std::vector<std::size_t> open;
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (bracket_closing(code[at]) != '\0') open.push_back(at);
    if (open.empty() || code[at] != bracket_closing(code[open.back()])) continue;
    closing_[open.back()] = at;
    open.pop_back();
  }
}

std::vector<std::string_view> Brackets::parts(std::size_t open) const {
  std::vector<std::string_view> out;
  const std::size_t end = closing(open);
  std::size_t begin = open + 1;
  for (std::size_t at = begin; at <= end; ++at) {
    if (at < end && bracket_closing(code_[at]) != '\0' && closing_[at] != std::string_view::npos) at = closing_[at];
    if (at < end && code_[at] != ',') continue;
    const std::string_view part = trimmed(code_.substr(begin, at - begin));
    if (at < end || !part.empty()) out.push_back(part);
    begin = at + 1;
  }
  return out;
}

}  // namespace vl::use
