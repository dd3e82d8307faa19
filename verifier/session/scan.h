// Scan: the layouts in a text that is no case file, such as a log, a Python source or an IR dump, as requests.
//
// The text is read in blocks. Between two findings only brackets are looked at, so a text without layouts costs little
// more than reading it. The memory is a window around the place and what was found. Every (layout, tensor) is found
// once, with the lines on which it stands. The findings do not depend on the size of the blocks.
//
// Example: a log whose lines 3 and 7 hold `S[8:1]` has one sighting: u8[8], lines 3 and 7, 2 occurrences.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "encodings/use/scan.h"
#include "verifier/session/cases.h"

namespace vl::session {

constexpr std::size_t kMostLines = 16;                        // that a finding lists
constexpr std::size_t kLongestText = std::size_t{256} << 20;  // that is kept whole

/// Lines and columns count from 1, columns in bytes.
struct ScanPlace {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;

  bool operator==(const ScanPlace&) const = default;
};

/// Where something was found: first at `place`, in all `occurrences` times, on these lines (the first kMostLines; a
/// line once for each time).
struct Occurrences {
  ScanPlace place;
  std::vector<std::size_t> lines;
  std::uint64_t occurrences = 0;
  std::string pass = {};  // of the first place: after which pass of a compiler it stands, where the file says so
  std::vector<question::IgnoreComment> ignores = {};  // comments about it (session/ignore_comments.h), at every place

  bool operator==(const Occurrences&) const = default;
};

/// A layout that can be judged. Its request has the id FILE:LINE:COLUMN of the first place.
struct Sighting {
  CaseRequest request;
  Occurrences at;
};

/// A layout that cannot be judged, and why. `unread`: that of use::Found.
struct SkippedText {
  std::string layout;
  std::string reason;
  Occurrences at;
  std::string unread = {};

  bool operator==(const SkippedText&) const = default;
};

/// All of it, in the order of the first places.
struct Scanned {
  std::vector<std::variant<Sighting, SkippedText>> all;
  bool binary = false;     // the text begins with NUL bytes, so it was not looked at
  std::vector<bool> used;  // of each of the definitions: whether something would be found otherwise without it
  std::uint64_t bytes = 0;
  std::vector<question::IgnoreComment> comments = {};  // `verify-layout: ignore`, in the order of their lines
  std::vector<Diagnostic> wrong_comments = {};
};

struct ScanOptions {
  std::vector<use::Definition> definitions;  // --define
  /// What the command line gives, which wins over what the text states: the tensor, its strides and offsets, the
  /// claims. Its tensor is empty if none is given.
  CaseRequest otherwise = {};
  std::string family;           // only its layouts; empty: those of every family
  std::string* text = nullptr;  // takes what was read, up to kLongestText bytes; of a longer text nothing
  std::size_t block = std::size_t{1} << 20;
};

/// Gives up to that many bytes to the buffer and says how many; 0 at the end.
using ReadBytes = std::function<std::size_t(char* buffer, std::size_t most)>;

/// The layouts in what `read` gives. `file` is its name.
[[nodiscard]] Scanned scan(const std::string& file, const ReadBytes& read, const ScanOptions& options);

/// The same for a file, or for standard input if the path is "-". Error: it cannot be read.
[[nodiscard]] std::variant<Scanned, Diagnostic> scan_file(const std::string& path, const ScanOptions& options);

}  // namespace vl::session
