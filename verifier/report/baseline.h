// Baseline: the findings that a project knows and lives with for now, in a file beside its sources. A run then fails
// for what is new alone, and says what is gone.
//
// A finding is something that fails: an answer, or a layout that was not read, has no tensor, or is an error. It is
// identified by its file, the texts of layout and tensor, the claim and the claim's arguments, and in a case file by
// the case; not by its line. The file's name is relative to the baseline's folder. A finding that was undecided and is
// refuted now is new. What is never known: a file that cannot be read, and engines that disagree.
//
// The file is JSON, one finding a line, sorted; it depends on the findings alone:
//   {"baseline":1,"findings":[
//   {"file":"a.py","layout":"S[(2,2):(1,1)]","tensor":"u8[4]","claim":"injective","verdict":"refuted"}
//   ]}
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "encodings/base/result.h"
#include "verifier/question/record.h"

namespace vl::report {

/// The layout that a finding is about.
struct FindingSubject {
  std::string file;
  std::string id;  // of a case in a case file; else empty
  std::string layout;
  std::string tensor;

  auto operator<=>(const FindingSubject&) const = default;
};

struct FindingKey {
  FindingSubject subject;
  std::string claim;                                       // or "error", "skipped", "unread", "accepted"
  std::vector<std::pair<std::string, std::string>> asked;  // the claim's arguments, as given

  auto operator<=>(const FindingKey&) const = default;
};

class Baseline {
 public:
  /// An empty one. Files are named relative to its `folder`; empty: the one in which the program runs.
  explicit Baseline(std::string folder = {});

  /// What stands in a file. Errors, with their offset: it is not JSON; a field is missing, unknown or of another type;
  /// another version; a finding that stands there twice.
  [[nodiscard]] std::optional<Error> read(std::string_view text);

  /// Marks what fails in a case as known or new, and remembers it. What a comment ignores is not among the findings.
  /// `accept`: what is new counts as known (--update-baseline).
  void compare(question::Case& c, bool accept = false);

  /// Says that the run reads a file, or every file beneath a folder: what is not found there is gone.
  void covers(const std::string& path, bool folder);

  /// What stood in the file and is gone, as cases, sorted: its file was read, and the layout is not in it any more, or
  /// its claim does not fail. Requires: every case was compared.
  [[nodiscard]] std::vector<question::Case> gone() const;

  /// The file for the next run: the findings of this one, and those of files and claims that this run did not ask.
  [[nodiscard]] std::string print() const;

  struct Changes {
    std::size_t added = 0, kept = 0, removed = 0;
  };
  [[nodiscard]] Changes changes() const;

 private:
  enum class State { Unseen, Fails, Passes };
  struct Entry {
    std::string verdict;
    bool known = false;  // it stood in the file
    State state = State::Unseen;
  };

  [[nodiscard]] std::string name_of(const std::string& file) const;
  [[nodiscard]] bool is_covered(const std::string& file) const;
  [[nodiscard]] bool is_gone(const FindingKey& key, const Entry& entry) const;
  question::Excuse note(FindingKey key, const std::string& verdict, bool fails, bool accept);

  std::string beside_;  // the folder as it was given
  std::string folder_;  // and from the root
  std::map<FindingKey, Entry> entries_;
  std::set<std::string> files_;              // that the file names
  std::map<FindingSubject, bool> subjects_;  // that the file names: whether this run met them
  std::set<std::string> covered_, beneath_;  // files; folders, with a slash at the end
};

}  // namespace vl::report
