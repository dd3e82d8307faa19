// Comments in a text that ignore a claim about one layout: `verify-layout: ignore CLAIM REASON` in any language's
// comment, at the end of the line on which the layout begins, or on a line of its own before that. Several lines of
// their own may follow one another. CLAIM is a claim's name, or `error`, `skipped`, `unread` of a layout that is that.
//
// Example:
//   # verify-layout: ignore injective the second half is written by nobody
//   SMEM = S[(2,2):(1,1)]
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/base/source.h"
#include "verifier/question/record.h"

namespace vl::session {

class IgnoreComments {
 public:
  explicit IgnoreComments(std::string file) : file_(std::move(file)) {}

  /// The next comment in text[from, …), and where to look on; npos: there is none. A comment is at most kLongest bytes
  /// long. `line_of(offset)`: the line of an offset. Without `at_end`, a comment that may go on is left for the next
  /// text.
  template <class LineOf>
  void find(std::string_view text, std::size_t& from, bool at_end, LineOf line_of) {
    for (std::size_t mark = next(text, from); mark != std::string_view::npos; mark = next(text, from)) {
      const std::string_view rest = text.substr(mark, kLongest);
      if (!at_end && rest.find('\n') == std::string_view::npos && rest.size() < kLongest) return;
      take(text, mark, line_of(mark));
      from = mark + kMark.size();
    }
    from = text.size() - std::min(text.size() - std::min(from, text.size()), kMark.size() - 1);
  }

  /// The comments about a layout that begins on this line.
  [[nodiscard]] std::vector<question::IgnoreComment> at(std::size_t line) const;
  /// All, by their lines.
  [[nodiscard]] std::vector<question::IgnoreComment> all() const;
  /// Comments without a reason, or about a claim that does not exist.
  [[nodiscard]] const std::vector<Diagnostic>& wrong() const { return wrong_; }

  static constexpr std::string_view kMark = "verify-layout: ignore";
  static constexpr std::size_t kLongest = 2048;

 private:
  struct Entry {
    question::IgnoreComment comment;
    bool alone = false;  // nothing else is on its line
  };

  static std::size_t next(std::string_view text, std::size_t from);
  void take(std::string_view text, std::size_t mark, std::size_t line);

  std::string file_;
  std::map<std::size_t, Entry> by_line_;
  std::vector<Diagnostic> wrong_;
};

}  // namespace vl::session
