// Family: one system's notation. A new family is one new folder under encodings/; CMake lists it in the generated
// registry, and everything else finds it there.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "encodings/map/layout.h"
#include "encodings/map/tensor.h"

namespace vl::use {

/// One rule of a family's own for well-formed layouts: it holds iff have == want.
struct Rule {
  std::string statement;  // "the last device dimension is one stick of SEN169_FP16"
  Index have = 0;
  Index want = 0;

  bool operator==(const Rule&) const = default;
};

/// An operation that was performed on the way to a layout, and what its result has to be (see Law).
struct Derivation {
  std::string operation;  // "slice((16,16), ((2,3),(6,10)))"
  map::Layout result;
  map::Layout expected;
};

/// Why nothing can be computed of a text that is legal: "'M' is a name, not a number".
struct Undecidable {
  std::string reason;
};

/// A layout text, read. Of a text that is undecidable there is no layout that somebody could print or ask by mistake.
struct Reading {
  std::variant<map::Layout, Undecidable> what;
  std::vector<Rule> rules;
  std::string normal;               // the same layout in the family's raw notation
  std::vector<std::string> notes;   // what a reader should know: conversions, conventions of an older notation
  int device_bits = 0;              // bits of one element on the device
  std::vector<Derivation> derived;  // operations in the text: each result has to be proved before the layout is used

  /// Null when the text is undecidable.
  [[nodiscard]] const map::Layout* layout() const { return std::get_if<map::Layout>(&what); }
  /// Null when there is a layout.
  [[nodiscard]] const Undecidable* undecidable() const { return std::get_if<Undecidable>(&what); }
};

struct Operation;  // encodings/use/operation.h
struct Judgement;
struct NestsLog;  // encodings/use/nests_text.h
struct Campaign;  // encodings/use/campaign.h

/// A layout in another notation of its family that says the same of one tensor. `refusal` is empty or says why there is
/// none, naming the dimension; `text` is then empty. That the two are the same is for the asker to prove.
struct Conversion {
  std::string text;
  std::string refusal;
};

/// What somebody says of an operation's result: "region" = "2:3, 6:10", "with" is not among them.
struct LawArgument {
  std::string_view key;
  std::string_view text;
};

/// What the result of an operation has to be, made from the operation's definition and not by performing it: a layout
/// over the result's own tensor. A result is right iff the two are the same map and the
/// rules hold.
struct Law {
  map::Layout expected;
  map::Tensor tensor;  // of the result
  std::vector<Rule> rules =
      {};  // of the result's text beyond its map: a group's iters end where its shape's dimensions do
};

/// An error in one of the texts that a law is made from. `key` is empty for the layout itself.
struct LawError {
  std::string key;
  Error error;
};

struct Family {
  std::string_view name;
  std::string_view forms;                            // the accepted notations, for `verify-layout families`
  std::span<const std::string_view> default_claims;  // asked when a case names none
  bool (*recognises)(std::string_view text);         // by a cheap look at the text's start
  Result<Reading> (*read)(std::string_view text, const map::Tensor& tensor);
  Judgement (*judge)(const Operation& operation) = nullptr;  // its rules for operands; null: it has none
  /// The notations that `convert` can be asked for; both are empty where a family has one notation only.
  std::span<const std::string_view> notations = {};
  Result<Conversion> (*convert)(std::string_view text, const map::Tensor& tensor, std::string_view notation) = nullptr;
  /// The law of an operation of its own (`slice`, `tile`, …) on the layout `text`; null: it has none. A key that the
  /// operation does not have, or needs and lacks, is an error.
  std::variant<Law, LawError> (*law)(std::string_view operation, std::string_view text, const map::Tensor& tensor,
                                     std::span<const LawArgument> arguments) = nullptr;
  /// How many elements the layout of a text has, where the text says so by itself. Null: no text of the family does.
  std::optional<Index> (*elements)(std::string_view text) = nullptr;
  /// The text, which is normal (Reading::normal) and of one memory, with a swizzle of its addresses on top. Null: the
  /// notation has none.
  std::string (*swizzled)(std::string_view text, const map::Swizzle& swizzle) = nullptr;
  const NestsLog* nests_log = nullptr;  // how its runtime prints transfers
  const Campaign* campaign = nullptr;   // random layouts
};

/// Every family of this build, by name. Defined by the generated registry.
[[nodiscard]] std::span<const Family* const> families();

/// The family of that name, or when `name` is empty the first that recognises the text. Null when there is none.
[[nodiscard]] inline const Family* family_of(std::string_view text, std::string_view name) {
  for (const Family* family : families())
    if (name.empty() ? family->recognises(text) : family->name == name) return family;
  return nullptr;
}

}  // namespace vl::use
