// Batch: many cases decided on some threads, and handed on in the order of the requests, each as soon as it and all
// before it are decided.
//
// Each case is asked with a small budget first, and those that use it up once more with the whole one, after all
// others: so a hard case does not delay the decisions about the others. Such a case is judged again from its beginning,
// and a case that did not use up the small budget has the same answer with the whole one. So an answer depends neither
// on the passes nor on the threads.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "verifier/session/judge.h"

namespace vl::session {

/// A case that is judged by other code than judge(): a function of a program.
struct Judging {
  std::string id;
  std::function<question::Case(const JudgeOptions& options)> judge;
};

/// A case to be judged, as its request or as the place from which that is read when it is needed; or a case of which
/// everything is known: a text that cannot be read.
class Work {
 public:
  Work(CaseRequest request) : what_(std::make_unique<CaseRequest>(std::move(request))) {}
  Work(CasePlace place) : what_(std::move(place)) {}
  Work(Judging other) : what_(std::move(other)) {}
  Work(question::Case known) : what_(std::make_unique<question::Case>(std::move(known))) {}

  /// Null if it has another form.
  [[nodiscard]] const CaseRequest* request() const;
  [[nodiscard]] question::Case* known() const;
  /// Null for a known case, and for a request without one.
  [[nodiscard]] const std::string* id() const;
  /// The names of files about the case begin with this instead of its id.
  void rename(std::string stem);
  /// Its answer. Requires: the case is not known.
  [[nodiscard]] question::Case judged(const JudgeOptions& options) const;

 private:
  std::variant<std::unique_ptr<CaseRequest>, std::unique_ptr<question::Case>, CasePlace, Judging> what_;
  std::string stem_;
};

/// A case of which nothing is known but what is wrong with it, and where.
[[nodiscard]] question::Case rejected(std::optional<std::string> id, Diagnostic diagnostic);

/// The cases of a file, and what is wrong with it, in the order of the file; `file` names it where it is wrong itself.
[[nodiscard]] std::vector<Work> work_of(CaseFile read, const std::string& file);

struct BatchOptions {
  JudgeOptions judge;
  unsigned jobs = 1;
  /// Takes the cases in order, one at a time, in any thread. False: no further case is judged or handed on.
  std::function<bool(question::Case&&)> done;
  std::function<void()> decided = {};  // called for each case that is decided, in any order and thread
};

/// Returns when every case was handed on, or `done` said no. Requests are freed as it goes.
void judge_all(std::vector<Work> work, const BatchOptions& options);

}  // namespace vl::session
