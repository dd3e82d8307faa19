// Records: what became of cases and of the claims about them, as plain data. A session fills them, report words them.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "encodings/base/check.h"
#include "encodings/base/source.h"
#include "encodings/map/expression.h"
#include "encodings/use/operation.h"
#include "verifier/question/verdict.h"

namespace vl::question {

/// What a case file expects of a claim: a verdict word, or the number of a measuring claim.
using Expectation = std::variant<std::string, Index>;

/// Where a case's tensor is from: --tensor or a key `tensor`; the text of the layout, or the text around it; or nobody
/// says one, or only a part of one, and it has the layout's own number of elements, or elements of 8 bits. Of an
/// assumed tensor nothing is claimed that needs its type or its shape (claims::Claim::needs_tensor).
enum class TensorSource { Given, Stated, Assumed };

[[nodiscard]] inline std::string_view name(TensorSource source) {
  switch (source) {
    case TensorSource::Given: return "given";
    case TensorSource::Stated: return "stated";
    case TensorSource::Assumed: return "assumed";
  }
  VL_CHECK(false, "unknown source of a tensor");
}

/// An operation's operands as a reader sees them, and the padding that it reads.
struct OperationView {
  struct Operand {
    std::string role;
    std::string tensor;
    std::string layout;
    std::vector<Index> scales;
    std::string stick;
  };
  struct Padding {
    use::PaddingNeed need;
    std::string value;    // "0", "-inf"; of a type without infinities a code, "0xfffe (-8573157376)"
    std::string assumes;  // not empty: what the value takes for granted, "the sum is divided by N = 99"
  };
  std::vector<use::OperationDim> dims;
  std::vector<Operand> operands;
  std::optional<std::vector<Padding>> padding;  // absent when it was not asked for
  std::string no_plan;                          // why there is no plan
};

/// Two engines that decided one question differently.
struct Conflict {
  struct Side {
    std::string engine;
    std::string said;
    std::vector<std::pair<std::string, Point>> witness;  // p, q, slot; those that it has
  };
  std::string question;
  Side one;
  Side other;
};

/// What an answer about all sizes says besides its verdict.
struct ForAllSizes {
  std::optional<std::string> value;  // of a measuring claim: an expression
  /// When the claim holds, as a disjunction of conjunctions; absent: not known. `exact`: else it is only sufficient.
  std::optional<std::vector<std::vector<map::Condition>>> holds;
  bool exact = false;
  std::size_t cells = 0;                               // of the proof
  std::size_t instances = 0;                           // that were decided one by one
  std::vector<std::pair<std::string, Index>> sizes;    // of the refutation
  std::optional<map::Layout> instance = std::nullopt;  // the layout at these sizes
};

/// "P >= N, or M = 1 and A = 1"; "never" if there is none, "always" if one says nothing.
[[nodiscard]] inline std::string in_words(const std::vector<std::vector<map::Condition>>& holds) {
  std::string out;
  for (const std::vector<map::Condition>& all : holds) {
    std::string one;
    for (const map::Condition& condition : all) one += (one.empty() ? "" : " and ") + map::print(condition);
    out += (out.empty() ? "" : ", or ") + (one.empty() ? "always" : one);
  }
  return out.empty() ? "never" : out;
}

/// The symbols of a case about all sizes.
struct RuleView {
  std::vector<std::pair<std::string, Index>> symbols;  // with their lower bounds
  std::vector<std::string> where;
  std::vector<std::string> own;  // conditions of the layout: as many elements as the tensor (session/rule_words.h)
  std::string exists;            // when an instance exists (session/rule_words.h)
};

/// What excuses something that fails: it stands in the baseline of the project, or a comment in the text ignores it.
struct Excuse {
  enum class Baseline : std::uint8_t { None, New, Known };
  Baseline baseline = Baseline::None;       // None also of what does not fail
  bool accepted = false;                    // known, or written to the baseline by this run
  std::optional<std::string> ignored = {};  // the comment's reason

  [[nodiscard]] bool excuses() const { return accepted || ignored; }
};

/// A finding of the baseline that is gone, or a comment that ignores nothing. A failure with --strict.
struct Leftover {
  enum class Kind : std::uint8_t { Gone, UnusedIgnore };
  Kind kind = Kind::Gone;
  std::string claim;
  std::string detail;  // the verdict in the baseline; the comment's reason
  std::vector<std::pair<std::string, std::string>> asked = {};
};

/// A comment in a text that ignores a claim about the layout on its line, or on the line after it.
struct IgnoreComment {
  std::string claim;
  std::string reason;
  std::size_t line = 0;  // of the comment
  std::size_t column = 0;

  auto operator<=>(const IgnoreComment&) const = default;
};

/// What the proof of an answer rests on: the files that the check of its certificate has entered, of those that not
/// every check enters (kernel/core/entered.h), and the families that read the texts of its statement.
struct RestsOn {
  std::vector<std::string> files;
  std::vector<std::string> families;
};

/// Where a case's layout stands. Lines and columns from 1; 0 and an empty file when it is not known.
struct Place {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;
};

/// An operation of a function, about which an answer is.
struct AtStep {
  Place place;
  std::string operation;    // "d2m.mask"
  std::string result;       // "%5"
  std::string layout = {};  // the text that was asked about
};

/// A part of a unified diff: where it begins in the old file, from 1, and its lines with ' ', '-' or '+' in front.
struct Hunk {
  std::size_t line = 0;
  std::vector<std::string> lines;
};

/// A function of a program: how many operations it has, and what became of them.
struct FunctionView {
  std::string name;  // "@forward"
  std::size_t operations = 0;
  std::size_t judged = 0;                                         // something is asked of them, or of their values
  std::size_t free = 0;                                           // they have no effect on values
  std::vector<std::pair<std::size_t, std::string>> unknown = {};  // lines and operations, with the reason
  std::optional<std::size_t> readers = {};  // operations that read padding; absent: it puts no tensor out
  std::size_t not_neutral = 0;              // of these, those for which that is refuted
  std::string program = {};                 // its operations in the language of programs, if they are asked for
  std::vector<std::string> fills = {};      // what to write into padding, if that is asked for and it is not proved
  std::vector<Hunk> patch = {};             // the same as an edit of its text, if there is one
  std::vector<std::string> notes = {};
};

/// One claim of one case, answered.
struct Answer {
  std::string claim;
  Verdict verdict;
  std::optional<Expectation> expected;
  bool as_expected = true;        // also true when nothing was expected
  std::string mismatch;           // how it differs from what was expected
  double micros = 0;              // of the decision alone
  double certificate_micros = 0;  // of its certificate: found, checked, and the texts read again
  std::vector<std::pair<std::string, std::string>> asked;  // the claim's arguments: key and text, as given
  std::string note;                                        // a remark for people; may be empty
  std::vector<std::string> warnings = {};                  // about the claim's second layout
  std::vector<std::string> attempts;                       // what each engine said; filled on request
  std::optional<map::Layout> other;                        // the second layout of a claim that compares elements
  bool b_of_other = false;         // of a claim whose counterexample's b is an element of that one
  std::optional<map::Layout> law;  // what that has to be, of a claim about an operation's result; `a` is its element
  std::string rule;                // whose rules were asked, of a claim about an operation
  std::optional<OperationView> operation;
  std::vector<Conflict> conflicts;                      // with them, all that it takes to see them again:
  std::string with;                                     // the text of the claim's second layout
  std::vector<std::string> smtlib;                      // files of the obligations
  std::string reproduce;                                // seeds and budget, and what to do
  std::optional<ForAllSizes> all_sizes = std::nullopt;  // of a case about all sizes
  Excuse excuse = {};                                   // where it fails
  std::optional<RestsOn> rests_on = {};                 // of a proof that is checked, on request
  std::optional<AtStep> step = {};                      // of a case that is a function
  std::vector<std::string> words = {};                  // what a refutation shows besides, a line each
};

/// A name in a layout that stands for the number which a line of its file gives it: `BM = 128` in line 93.
struct BoundName {
  std::string name;
  Index value = 0;
  std::size_t line = 0;

  bool operator==(const BoundName&) const = default;
};

/// One case: a layout that could be read, with its answers; or a function; or a diagnostic; or a word why there is none
/// of these.
struct Case {
  std::optional<std::string> id = {};  // absent for a layout from the command line
  std::string layout = {};             // the text
  std::string tensor = {};
  TensorSource tensor_source = TensorSource::Given;
  std::string stated_tensor = {};            // what the text states where another tensor is given
  std::optional<use::Reading> reading = {};  // absent when the text was rejected
  std::vector<Answer> answers = {};
  std::optional<Diagnostic> diagnostic = {};  // why it was rejected
  bool expected_invalid = false;              // and it should have been
  Place place = {};
  bool further = false;                     // one more error of the case before
  bool not_judged = false;                  // the run was told to end first
  std::optional<std::string> skipped = {};  // why a layout that was found in a text is not judged
  std::vector<std::size_t> lines = {};      // of such a layout: where it was found, the first 16
  std::size_t occurrences = 0;              // and how often; 0 of a case of a file
  std::string pass = {};                    // after which pass of a compiler, where the text names passes
  std::vector<BoundName> bound = {};        // names in it whose numbers its file states
  /// Not empty: it was seen in a text and not read, for the reason `skipped`; in the words by which such are counted.
  std::string unread = {};
  std::optional<FunctionView> function = {};  // of a program; then there is no layout
  std::optional<RuleView> rule = {};          // of a case about all sizes
  bool times = true;                          // whether reports say what took how long
  Excuse excuse = {};                         // of its diagnostic, or of its being skipped
  std::vector<IgnoreComment> ignores = {};    // comments about it
  std::optional<Leftover> leftover = {};      // then the case says nothing else

  /// What a reader must know of the texts: contradictions, older conventions.
  [[nodiscard]] std::vector<std::string> warnings() const {
    auto out = reading ? reading->warnings : std::vector<std::string>{};
    for (const Answer& answer : answers)
      for (const std::string& warning : answer.warnings)
        if (std::ranges::find(out, warning) == out.end()) out.push_back(warning);
    return out;
  }
};

}  // namespace vl::question
