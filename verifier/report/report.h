// Report: answers in words, JSON, JUnit and SARIF. This file decides no question. It counts what each answer means for
// the exit code, so that all formats agree.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "encodings/base/source.h"
#include "encodings/base/words.h"
#include "verifier/question/record.h"
#include "verifier/report/shards.h"
#include "verifier/report/trust.h"

namespace vl::report {

using question::Answer;
using question::Case;
using question::Conflict;
using question::Expectation;
using question::OperationView;
using question::Place;
using vl::plural;

/// What counts as a failure beyond a wrong answer.
struct Policy {
  bool strict = false;         // warnings do, and assumed tensors
  bool allow_skipped = false;  // layouts in a text that have no tensor, or were not read, do not
};

/// One thing that makes the exit code other than 0.
struct Failure {
  int code = 0;  // the exit code by itself: 11, 10, 2 or 5
  std::string who;
  std::string claim;  // empty: it is about the case as a whole
  Place place;
  std::string reason;
  question::Excuse excuse = {};  // where it is one of findings_of()
};

constexpr int kEnginesDisagree = 11;

/// The exit code of an answer by itself, whatever excuses it; 0 when it does not fail.
[[nodiscard]] int code_of(const Answer& answer);

/// In the order of the answers: an expectation that is not met; where nothing is expected, whatever is not proved; a
/// text that is rejected, or not, against the expectation; a case that is not judged. All formats agree, since each
/// asks here.
[[nodiscard]] std::vector<Failure> failures_of(const Case& c, const Policy& policy = {});

/// What fails with --strict: the case's warnings, and that its tensor is assumed.
[[nodiscard]] std::vector<std::string> strict_warnings(const Case& c);
/// What is open with --strict: the operations of a function that are not known. Of a case that expects answers nothing.
[[nodiscard]] std::vector<std::string> strict_unknowns(const Case& c);

/// The same with what is known or ignored, and so is no failure.
[[nodiscard]] std::vector<Failure> findings_of(const Case& c, const Policy& policy = {});

/// What a case without answers that fails is: "error", "skipped", "unread", "accepted"; empty for others.
[[nodiscard]] std::string_view kind_of(const Case& c);

/// "gone: it was refuted, and stands in the baseline".
[[nodiscard]] std::string leftover_in_words(const question::Leftover& leftover);

/// The case with its failing answers only; nothing when it has no failure.
[[nodiscard]] std::optional<Case> failing_part(const Case& c, const Policy& policy);

/// ", for all N, M >= 1, P >= 2 where P >= N".
[[nodiscard]] std::string for_all_sizes(const question::RuleView& rule);

struct Tally {
  Index cases = 0;
  Index proved = 0;
  Index refuted = 0;
  Index unknown = 0;
  Index vacuous = 0;
  Index unsupported = 0;
  Index errors = 0;                             // inputs that were rejected unexpectedly
  Index judged = 0;                             // answers, and inputs that were to be rejected
  Index held = 0;                               // of these, those that were compared with their case
  Index unexpected = 0;                         // and those that differ from it
  Index not_judged = 0;                         // cases before which the run was told to end
  Index found = 0;                              // layouts found in texts, each as often as it stands there
  Index skipped = 0;                            // those that were read and not judged
  Index unread = 0;                             // those that were seen and not read
  std::map<std::string, Index> unread_by = {};  // the same by Case::unread
  Index known = 0;                              // what would fail and stands in the baseline
  Index ignored = 0;                            // what would fail and a comment ignores
  Index gone = 0;                               // what stands in the baseline and is not found
  std::vector<Failure> failures = {};
  std::optional<Rests> rests = {};  // with --explain-trust
};

/// Comments that ignored something, or whose claim was not asked: their files and lines.
using HeededComments = std::set<std::pair<std::string, std::size_t>>;

/// Excuses what the comments about a case ignore; engines that disagree are never ignored. False of a case that is such
/// a comment itself and was heeded: it says nothing. Requires: the cases of a file come before its comments.
[[nodiscard]] bool heed(Case& c, HeededComments& heeded);

void count(const Case& c, Tally& tally, const Policy& policy = {});

/// 0 if there is no failure and something was judged. Else the most severe of the failures, in the order 11 engines
/// disagree, 10 refuted or not as expected, 2 bad input, 5 undecided; 2 if nothing was judged.
[[nodiscard]] int exit_code(const Tally& tally);

/// Versions that every machine-readable report carries.
struct Tools {
  std::string version;
  std::string z3;
  std::string isl;
  std::string cadical;
  std::optional<std::string> cvc5;  // absent: not asked, or not installed
  double seconds = 10;              // that a solver may take for one question
  std::uint64_t rlimit = 0;
  std::uint64_t memory_mib = 0;
  bool times = true;  // false: no record has a time
};

struct TextStyle {
  bool colour = false;
  bool engines = false;  // with --explain-engine
  bool trust = false;    // with --explain-trust
};

[[nodiscard]] std::string to_text(const Case& c, const TextStyle& style);
[[nodiscard]] std::string to_text(const Tally& tally);

/// "18 layout expressions seen, 2 read, 16 with names that nothing binds"; empty where all were read.
[[nodiscard]] std::string seen_to_text(const Tally& tally);

/// The closing list: "FAILED case claim file:line reason", one line per failure; empty when there is none.
[[nodiscard]] std::string failures_to_text(const Tally& tally);

/// One object per line: run, then for each case its verdicts or its error, then summary.
[[nodiscard]] std::string run_line(const Tools& tools);
[[nodiscard]] std::string case_lines(const Case& c);
[[nodiscard]] std::string summary_line(const Tally& tally);
/// The same records in one document.
[[nodiscard]] std::string to_json(const Tools& tools, const std::vector<Case>& cases, const Tally& tally);

/// For CI: JUnit XML, one test case per answer.
[[nodiscard]] std::string to_junit(const std::vector<Case>& cases, const Policy& policy = {});
/// For code hosts: SARIF 2.1.0, one result per failure, and one of level "warning" per warning.
[[nodiscard]] std::string to_sarif(const Tools& tools, const std::vector<Case>& cases, const Policy& policy = {});
/// For workflows of GitHub: an annotation per failure and per warning; empty for a case without either.
[[nodiscard]] std::string to_annotations(const Case& c, const Policy& policy = {});

/// One element in detail, for `explain --at`.
struct Element {
  Point logical;
  std::optional<Index> host_offset;
  std::vector<Point> physical;       // its slots; empty if it has no slot
  std::vector<Index> device_offset;  // their row-major numbers
  std::string no_slot;               // why it has no slot
};
[[nodiscard]] std::string element_to_text(const map::Layout& layout, const Element& element);

/// How transfers of tensor maps carry an element, for `explain --transfer`. Bytes of shared memory are absolute.
struct CarriedElement {
  struct Way {
    std::size_t transfer = 0;
    Point t, coordinates;  // innermost dimension first
    Index tensor = 0;      // the byte of the tensor's memory
    Index straight = 0;    // of shared memory, before the swizzle
    Index byte = 0;        // after it
  };
  bool load = true;
  std::vector<Way> ways;
  std::vector<Index> own;  // the bytes at which the layout has the element
};
[[nodiscard]] std::string element_to_text(const CarriedElement& element);

/// One slot in detail, for `explain --slot`.
struct Slot {
  Point physical;
  Index device_offset = 0;
  bool decodes = false;           // the layout has a decode map from slots to elements
  bool valid = false;             // it holds `element`
  std::optional<Point> element;   // to which it decodes, if every range check passes
  std::optional<Point> lives_at;  // where that element lives
};
[[nodiscard]] std::string slot_to_text(const Slot& slot);

/// A layout for `explain --format json`. Without an element, its fields are null or empty; without a slot, the field
/// `slot` is absent, and so are the fields of shards without shards.
struct Explained {
  const map::Layout& layout;
  std::string normal;
  std::optional<Element> element = {};
  std::optional<Slot> slot = {};
  const use::Shards* shards = nullptr;
  std::optional<ShardedElement> in_shards = {};
  std::optional<CarriedElement> carried = {};
};
[[nodiscard]] std::string explanation_to_json(const Explained& about);

/// For a layout whose text states too little: "unsupported: REASON", and {"unsupported": REASON} as JSON.
[[nodiscard]] std::string unsupported_to_text(const std::string& reason);
[[nodiscard]] std::string unsupported_to_json(const std::string& reason);

/// The map's stages with their values at a point of the domain, one line each, indented.
[[nodiscard]] std::string stages_to_text(const map::Layout& layout, const Point& p, std::string_view indent);

/// An operation's operands and padding plan, one line each, indented.
[[nodiscard]] std::string to_text(const OperationView& view);

}  // namespace vl::report
