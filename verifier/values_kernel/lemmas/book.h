// The book of lemmas: facts about single operations (statement.h), and laws about evaluations of any length that follow
// from them (laws.h). Nothing in it is taken on trust: a question about padding rests on laws of the book, and the book
// is checked as a whole by `./dev lemmas`. Its digest is built in, so a question proves nothing again.
//
// Kinds: `witness`, a statement without variables, evaluated; `sweep`, evaluated on all codes, of at most 2^16 in all;
// `count`, a sweep that says of how many codes a condition holds; `rup`, clauses made here and a refutation of them;
// `law`, whose premises are other lemmas of the book, each looked up by its text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verifier/values_kernel/lemmas/laws.h"
#include "verifier/values_kernel/lemmas/statement.h"

namespace vl::values_kernel {

struct Lemma {
  enum Kind { Witness, Sweep, Count, Rup, OfLaw };
  std::string name;  // "f32 sum/0/start/any-nan: the start"
  Kind kind;
  std::string wide, type;
  std::string text;
  std::uint64_t count = 0;             // of Count
  std::optional<Law> law = {};         // of OfLaw
  std::vector<std::string> from = {};  // the names of its premises
};

/// Of Rup: a refutation as clauses.h reads it, and codes that all hypotheses are true of.
struct LemmaEvidence {
  std::string refutation;
  Codes8 example;
};

[[nodiscard]] const char* name(Lemma::Kind kind);

/// All lemmas, each name and each statement of a format once; laws come after their premises.
[[nodiscard]] std::vector<Lemma> make_book();

/// One line per lemma: kind, formats, name, statement. Of laws also the names of the premises.
[[nodiscard]] std::string text_of(const std::vector<Lemma>& book);
/// "sha256:…" of that text.
[[nodiscard]] std::string digest_of(const std::vector<Lemma>& book);

/// The digest of the book that is built in: what certificates of neutral name. tests/lemmas and `./dev lemmas` compare
/// it with the book.
extern const char* const kBookDigest;

/// Rejects what is no lemma, and a statement whose hypotheses are true of no codes. `before`: the lemmas that were
/// checked already.
void check_lemma(const Lemma& lemma, const LemmaEvidence& evidence, const std::vector<Lemma>& before);

/// Whether the book has this law: "sum/0/start/any-nan" of f32, or of products of f16 in f32.
[[nodiscard]] bool has_law(const std::string& wide, const std::string& type, const std::string& name);

}  // namespace vl::values_kernel
