// Verdicts on programs: does padding reach an output?
//
// Lemma (soundness). Let every region of every tensor hold codes of its set (states.h). If each operation that reads
// padding is neutral for the sets of what it reads, up to an equality ~, and ~ is kept by every later operation, then
// the valid elements of the outputs are ~ those of the reference.
// Proof: by induction over the lines. The invariant is that the tensor's slots hold codes of its sets, and its valid
// elements are ~ the reference's. Operations other than reductions and matmul compute valid elements from valid ones; a
// reduction's are ~ those of the same evaluation without padding, by what is decided of it for all numbers of elements
// (neutral.h), and that one is ~ the reference's because ~ is kept.
//
// A line may also be neutral for each kind of row that it reads, where it is not for all codes that there can be
// (judge_cases.cpp). Such a proof is `trusted`.
//
// What no element of an output depends on (seen.h) need not be neutral, nor ~ the reference's: of a line that leaks and
// is unseen the sets hold what it makes with its padding and without, and the invariant is about the other elements.
//
// A line that is not neutral is no end if a later one undoes the difference (differences.h).
//
// An unknown operation whose operands have no padding, or that reads elements alone, is a function of its elements, and
// keeps equal bits; one of numbers keeps every equality. Of others
// nothing is known: an output that depends on one is unknown, if no run differs without it.
//
// ~ is kept by a function f if x ~ y implies f(x) ~ f(y). `any-nan` is kept by all of them but signbit, which can see a
// NaN's sign. `any-nan+zero` is not kept by recip, rsqrt, pow, signbit and a divisor, which see a zero's sign.
//
// `proved` is by this lemma; `refuted` shows a run whose output differs from the reference, executed both ways
// (execute.h); everything else is `unknown`, and says which line it is about.
//
// The answer about each line is a question that the checker accepts or not, and so is the whole answer (certify.h).
#pragma once

#include <memory>

#include "verifier/neutral/program/arithmetic.h"
#include "verifier/neutral/program/execute.h"
#include "verifier/neutral/program/question.h"
#include "verifier/neutral/program/row_tables.h"
#include "verifier/neutral/program/states.h"

namespace vl::neutral::program {

/// What is decided about one operation that reads padding.
struct LineAnswer {
  std::size_t node = 0;
  std::vector<CodeSet> fills;  // what it reads: one set, or of matmul two
  Verdict verdict;
  bool checked = false;  // the checker accepted it
};

/// The engine of a line that is proved case by case.
constexpr const char* kByCases = "cases";

struct ProgramProved {};
/// A run whose output differs.
struct ProgramRefuted {
  std::size_t reader = 0;  // the first line that is not neutral
  Assignment assignment;
  std::size_t output = 0;
  Point at;
  CodeSet got;   // one code; of a run on sets (execute.h) all that it can be
  CodeSet want;  // of the reference
  bool on_sets = false;
  std::vector<std::string> assumes = {};  // beside assumptions()
};
struct ProgramUnknown {
  std::size_t node = 0;
  std::string reason;
};

struct ProgramAnswer {
  std::variant<ProgramProved, ProgramRefuted, ProgramUnknown> verdict;
  std::vector<LineAnswer> lines;   // of a proof all, else up to the first that is not proved and not unseen
  std::vector<Equality> differ;    // of a proof: up to what each node may differ from the reference
  std::vector<std::size_t> leaks;  // of `lines`: those that are not proved, and that no output sees
};

/// Answers that were given once, and images: for many questions about one program, or about the instances of one.
struct Memory {
  Images images;
  std::map<std::string, bool> held, checked;
  std::map<std::string, Verdict> decided;
};

class Judge {
 public:
  explicit Judge(const Program& program, std::shared_ptr<Memory> memory = std::make_shared<Memory>())
      : program_(program), memory_(std::move(memory)) {}

  [[nodiscard]] ProgramAnswer answer(const std::vector<Mask>& masks = {});
  /// Whether answer() without masks is a proof; no run is looked for.
  [[nodiscard]] bool is_proved();
  /// Whether a line is neutral by the laws; one that reads no padding is. Requires: the states of what it reads.
  [[nodiscard]] bool passes(const States& states, std::size_t line);
  /// The first line that is not neutral by the laws or by cases, with these masks; nothing if there is none and every
  /// equality is kept. Sound, and faster than answer().
  [[nodiscard]] std::optional<std::size_t> first_failure(const std::vector<Mask>& masks);

  [[nodiscard]] Images& images() { return memory_->images; }
  /// Whether a line is neutral for each case of the rows that it reads (row_tables.h), up to an equality. Requires: the
  /// states of what it reads, and that it reads padding.
  [[nodiscard]] bool holds_by_cases(RowTables& tables, std::size_t line, Equality equal);
  /// Whether the laws (laws.h), or decide() where they are not about the operation, say that the fills are neutral.
  [[nodiscard]] bool holds(const Question& question, const std::vector<CodeSet>& fills);

 private:
  [[nodiscard]] const Verdict& decided(const Question& question, const std::vector<CodeSet>& fills);
  [[nodiscard]] LineAnswer answer_of_line(const States& states, RowTables& tables, std::size_t at,
                                          std::vector<CodeSet> fills);
  struct Open;
  [[nodiscard]] std::optional<Open> judge_lines(States& states, RowTables& tables, ProgramAnswer& out);
  [[nodiscard]] LineAnswer quick_answer(const States& states, RowTables& tables, std::size_t at,
                                        std::vector<CodeSet> fills);
  [[nodiscard]] bool is_checked(const Question& question, const std::vector<CodeSet>& fills);
  [[nodiscard]] ProgramAnswer judged(const std::vector<Mask>& masks, std::optional<std::size_t>& line);
  [[nodiscard]] Equality left_of(const States& states, std::size_t at, std::size_t i, Equality before) const;
  [[nodiscard]] std::optional<ProgramUnknown> not_kept(const States& states, RowTables& tables,
                                                       std::vector<Equality>& differ);

  const Program& program_;
  std::shared_ptr<Memory> memory_;
};

/// The answer about a program under each of its instances: proved or refuted if it is under all of them.
struct AnswerOfAll {
  ProgramAnswer answer;  // of a refutation and of a proof that of `at`
  std::size_t at = 0;    // an instance with this answer; of another answer the first that differs, or is unknown
  bool checked = false;  // a certificate was accepted for each
};
/// Requires: at least one instance. `memory`: of earlier answers about instances of the same facts.
/// Example: max of f16 with pads -inf under "max=nan-wins|nan-loses": unknown, for NaN that loses makes it refuted.
[[nodiscard]] AnswerOfAll answer_of_all(const std::vector<Instance>& instances,
                                        const std::shared_ptr<Memory>& memory = std::make_shared<Memory>());

/// The answer about one output: that about the program of the lines on which it depends.
struct OutputAnswer {
  std::vector<Instance> instances;  // with this output alone
  AnswerOfAll found;
};
/// One answer per output, refutations first, then what is unknown; otherwise in their order.
/// Requires: at least one instance.
/// Example: outputs s (proved) and t (refuted): t, s.
[[nodiscard]] std::vector<OutputAnswer> answer_by_output(const std::vector<Instance>& instances);

/// The first unknown operation whose operands have padding that it may read; nothing: none has.
[[nodiscard]] std::optional<std::size_t> unknown_reader(const Program& program);

/// The sets that a line reads beside its valid elements, one per operand; empty if it reads no padding.
[[nodiscard]] std::vector<CodeSet> fills_of(const Program& program, const States& states, std::size_t reader);
/// The valid elements of what it reads.
[[nodiscard]] CodeSet contents_of(const Program& program, const States& states, std::size_t reader);

/// A run that changes an output, of few in which each input holds one code per region; nothing if none was found.
[[nodiscard]] std::optional<ProgramRefuted> find_run(const Program& program, std::size_t reader);

/// Whether a line was proved case by case.
[[nodiscard]] bool is_by_cases(const ProgramAnswer& answer);

/// The same run as of another instance of the program, if an output differs in this one, too. `reader` is the other's.
[[nodiscard]] std::optional<ProgramRefuted> refuted_again(const Program& program, const ProgramRefuted& known);

/// What decided: "evaluation" and "sets" of a run that differs, which held one code or a set in each slot; of other
/// answers "cases" if a line was proved so, else "chain".
[[nodiscard]] const char* engine_of(const ProgramAnswer& answer);

/// What is assumed: of functions, and the contents that are not any.
[[nodiscard]] std::vector<std::string> assumptions(const Program& program);
/// With what the answer assumes besides.
[[nodiscard]] std::vector<std::string> assumptions(const Program& program, const ProgramAnswer& answer);

}  // namespace vl::neutral::program
