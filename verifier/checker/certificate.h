// A certificate: a statement, and the evidence for it. Plain values, as makers fill them and as the checker takes them.
// certificate.cpp alone knows how they are written: as JSON, or the same as CBOR (RFC 8949), which its first byte
// tells.
//
//   {"schema": "verify-layout-certificate/2", "statement": {…}, "digest": "sha256:…", "evidence": {…}}
//
// Maps, spaces and rows are canonical text (kernel/reader/map_text.h): the digest is one of texts, and the checker
// reads them by itself. Whoever checks takes each field once and ends with what is left: a certificate holds nothing
// that is not checked.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verifier/checker/statement.h"
#include "verifier/kernel/core/step.h"

namespace vl::checker {

/// Two elements, or one, at which a claim is false.
struct Showing {
  Point a;
  std::optional<Point> b;
};

/// Why a swizzle will not do: an access conflicts at the point `at` of its variables; or, where `access` is -1, the
/// element `at` leaves the box.
struct RefusedSwizzle {
  std::int64_t access = 0;
  Point at;
};

/// An evaluation whose pads change its result (reductions.h). Terms are pairs of codes; of all but dot the second is 0.
struct EvaluationText {
  std::string shape;
  std::vector<std::pair<std::string, std::string>> valid, pads;
  std::string got, want;
};

/// Of each step of a chain: which codes its regions hold, and up to which equality it may differ from the reference.
struct ChainProof {
  std::vector<std::vector<ReductionText::Ranges>> sets;
  std::vector<std::string> differ;
};

/// The tree of steps of sizes (kernel/core/sizes.h), each before those of its places. ["holds", 2, 0] is a leaf, where
/// the kernel replays goals 2 and 0; leaves share goals. Besides, sizes of which the rule is a layout.
struct CasesProof {
  Integers sizes;
  kernel::StepsOf<Polynomial> steps;
  std::optional<std::vector<kernel::StepsOf<Polynomial>>> goals;
};

struct Evidence {
  std::optional<kernel::Steps> escapes, filled, collides, misdecodes, breaks, differs, occupied, defined,
      overlaps;                         // questions.h
  std::optional<kernel::Steps> sticks;  // divisions.h
  std::optional<Point> lands, other_lands;
  std::optional<Showing> witness;                      // of a refutation
  std::optional<std::vector<Evidence>> operands;       // one an operand
  std::optional<std::vector<bool>> free;               // of an access
  std::optional<std::vector<RefusedSwizzle>> refused;  // one per swizzle
  std::optional<kernel::Steps> moves;                  // of nests
  std::optional<EvaluationText> evaluation;
  // Those whose rows the codes outside of a fill change; of images the operands whose result lies outside.
  std::optional<std::vector<std::string>> elements;
  std::optional<ChainProof> chain;
  std::optional<std::vector<Point>> runs;        // blocks before which a run ends (runs.h)
  std::optional<CasesProof> cases;               // of a rule
  std::optional<std::vector<Evidence>> derived;  // one a layout that is derived in a text
};

struct Certificate {
  std::string schema = "verify-layout-certificate/2";
  Statement statement;
  std::string digest;  // of the statement
  Evidence evidence;
};

/// The field, which is empty then.
template <class T>
[[nodiscard]] T take(std::optional<T>& field) {
  require(field.has_value(), "a field is missing");
  return *std::exchange(field, std::nullopt);
}

/// Rejects what was not taken.
void end(const Statement& statement);
void end(const Evidence& evidence);

/// What JSON says, read strictly: a number is a whole one of 64 bits, a field has a name that is known; else Rejected.
/// T: Certificate; written also Statement, Evidence.
template <class T>
[[nodiscard]] T read(const nlohmann::json& json);
template <class T>
[[nodiscard]] nlohmann::json write(const T& value);
/// Whether it can be written: no number in it is beyond 64 bits. Then a reader finds the same.
[[nodiscard]] bool is_writable(const Certificate& certificate);

/// "sha256:" and the digest of the statement's canonical text (keys sorted, no white space).
[[nodiscard]] std::string digest(const nlohmann::json& statement);
[[nodiscard]] std::string digest(const Statement& statement);
/// The same of any text: of a profile.
[[nodiscard]] std::string digest_of(const std::string& text);

/// JSON or CBOR; a discarded value, and in `why` the reason, when the bytes are neither, nest 1,024 deep or more, or
/// announce a list that is longer than they are. Of CBOR there are maps, lists, texts, whole numbers and yes and no,
/// each of a stated length. Rejected: a key that an object has twice, and bytes behind the object.
[[nodiscard]] nlohmann::json parse(const std::string& bytes, std::string* why = nullptr);
/// The certificate of such bytes; nothing where parse() has none. Rejected when they are something else.
[[nodiscard]] std::optional<Certificate> certificate_in(const std::string& bytes, std::string* why = nullptr);
/// One line of JSON, or CBOR when it is to be `compact`.
[[nodiscard]] std::string print(const Certificate& certificate, bool compact);

}  // namespace vl::checker
