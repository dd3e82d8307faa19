// Judge: an answer held against what the operation requires of it, never against another implementation's answer. A
// derived layout is right if it obeys the operation's law, which the claim of that name proves; many texts do. A yes
// or no is compared with the claim's verdict, and a witness is looked at by evaluation. Places, elements and numbers
// are compared one by one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "oracle/gate/cases.h"
#include "oracle/gate/contract.h"
#include "oracle/gate/protocol.h"
#include "verifier/session/judge.h"

namespace vl::gate {

enum class Word : unsigned char {
  Agree,
  Disagree,         // within the contract, or where none is stated
  AcceptedInvalid,  // outside of the contract, and the answer is none that the law allows: no finding
  Refused,          // rightly, where no contract is stated, or where no right answer is known
  RefusedValid,     // within the contract, and the verifier knows a right answer
  Undecided,        // the library says so
  Unsupported,
  Error,            // an exception that the adapter does not know
  Fault,            // crashed, hung, flooded, garbled, lost
  Unstable,         // another answer to the same question
  InvalidAccepted,  // of construct: what is no layout was taken
  UndecidedOurs,    // the verifier does not decide it: never charged to the peer
};
constexpr std::size_t kWords = static_cast<std::size_t>(Word::UndecidedOurs) + 1;
[[nodiscard]] std::string_view name(Word word);
/// Whether it is a finding, which has to be expected.
[[nodiscard]] bool is_finding(Word word);
/// Whether it says that an answer was held against something: agree, disagree, accepted-invalid, invalid-accepted.
[[nodiscard]] bool is_judged(Word word);

struct Judgement {
  Word word = Word::UndecidedOurs;
  std::string kind = {};           // of a finding: "value", "size", "yes", "witness", "unreadable", "crashed:6", …
  std::string detail = {};         // in words
  Json right = {};                 // what would be right, where that can be said; null
  std::string scope = {};          // of what was judged: "proved", "all-elements", "all-bytes" or "sampled"; else empty
  std::optional<bool> truth = {};  // the right answer to yes or no, or whether there is one
  bool checked = false;            // a certificate was checked
  bool defined = false;            // all elements, and the map was held against the family's second meaning
  bool engines_differ = false;     // our own engines, or meanings: exit code 11
};

[[nodiscard]] inline Judgement differs(std::string kind, std::string detail) {
  return {.word = Word::Disagree, .kind = std::move(kind), .detail = std::move(detail)};
}

/// What a case is to the verifier's session, without claims.
[[nodiscard]] session::CaseRequest question_of(const Case& of);
/// The fields of a counterexample.
[[nodiscard]] Json json_of(const question::Counterexample& counterexample);

class Judge {
 public:
  explicit Judge(session::JudgeOptions options) : options_(std::move(options)) {}

  /// `convention`: the value under which the operation is judged; empty if it has no convention.
  [[nodiscard]] Judgement judge(const Case& of, const Reply& reply, Standing standing,
                                std::string_view convention) const;

 private:
  [[nodiscard]] Judgement of_answer(const Case& of, const Reply& reply, std::string_view convention) const;
  [[nodiscard]] Judgement of_construction(const Case& of, const Reply& reply, Standing standing) const;
  [[nodiscard]] Judgement of_reduction(const Case& of, const Json& answer, std::string_view how) const;
  [[nodiscard]] Judgement of_nests(const Case& of, const Json& answer) const;
  [[nodiscard]] Result<Index> cost_of_case(const Case& of, std::string_view unit, bool& checked) const;
  [[nodiscard]] Judgement of_layout(const Case& of, const Json& answer, std::string_view convention) const;
  [[nodiscard]] Judgement of_decision(const Case& of, const Json& answer) const;
  [[nodiscard]] Judgement of_measure(const Case& of, const Json& answer, std::string_view convention) const;
  [[nodiscard]] Result<Index> measured(const Case& of, std::string_view convention, bool& checked) const;
  [[nodiscard]] bool has_answer(const Case& of, std::string_view convention) const;
  /// The claim of that name, asked of the case's layout.
  [[nodiscard]] question::Case ask(const Case& of, std::string_view claim,
                                   const std::vector<CaseArgument>& arguments) const;

  session::JudgeOptions options_;
};

/// The word "reply.kind:code" of a fault: "crashed:6", "hung".
[[nodiscard]] std::string fault_word(const Reply& reply);

}  // namespace vl::gate
