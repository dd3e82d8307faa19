// Offer: what a session has for a claim that binds its arguments: the layout as it was read, the texts of the claim's
// keys, and readers for what these say. The first thing that is wrong is kept, and what could not be read is null: a
// claim that got nothing binds nothing.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "encodings/base/source.h"
#include "encodings/use/chip.h"
#include "encodings/use/division.h"
#include "encodings/use/operation.h"
#include "encodings/use/tile_moves.h"
#include "encodings/use/transfer.h"
#include "encodings/values/profile.h"
#include "verifier/engines/banks.h"

namespace vl::claims {

struct PaddedOperation;  // padded_run.h
struct NumberOffer;      // numbers.h

struct Offer {
  std::string_view claim;  // its name
  const map::Tensor& tensor;
  const use::Reading& reading;  // of the layout
  const use::Family& family;    // whose notation that is
  std::string_view text;        // the layout's
  std::span<const use::LawArgument> arguments;
  const use::Transfer* nests = nullptr;
  std::optional<Index> at_most = {};
  bool of_slots = false;      // Claim::of_slots
  bool places_alone = false;  // the claim is about places as the map gives them, whatever memory they are of
  /// An error in the text of a key, with its place; the layout's text stands for a key that has none.
  std::function<Diagnostic(std::string_view key, const Error& error)> diagnose = {};
  std::function<std::variant<use::Reading, Diagnostic>(const map::Tensor& tensor)> read_second = {};
  /// The layout of a key; the offer's own where the key is empty.
  std::function<std::variant<use::Reading, Diagnostic>(std::string_view key, const map::Tensor& tensor)> read_key = {};
  std::function<std::variant<use::TileMoves, Diagnostic>()> read_tiles = {};
  std::function<std::variant<engines::Reach, Diagnostic>()> read_reach = {};
  std::function<std::variant<use::Chip, Diagnostic>(std::string_view key, std::string_view name)> read_chip = {};
  std::function<std::variant<use::Division, Diagnostic>()> read_division = {};
  std::function<std::variant<use::Operation, Diagnostic>()> read_operation = {};
  std::function<std::variant<PaddedOperation, Diagnostic>()> read_padded = {};
  std::function<std::variant<values::Profile, Diagnostic>(std::string_view key)> read_arithmetic = {};

  bool (*numbers)(NumberOffer&) = nullptr;  // the claim's law, of a claim about numbers

  /// What a reader of the answer has to know.
  std::vector<std::string> notes = {};

  /// What came of it.
  std::optional<Diagnostic> diagnostic = {};
  std::optional<use::Undecidable> undecidable = {};    // a layout that the claim needs
  std::vector<std::shared_ptr<const void>> kept = {};  // what a subject refers to

  /// The text of a key; null when it is not given.
  [[nodiscard]] const std::string_view* argument(std::string_view key) const;
  /// The integer that a key says.
  [[nodiscard]] std::optional<Index> integer(std::string_view key, std::string_view what);
  /// The same, or the bytes that a chip has: "wormhole dram" (the capacity of a memory), "wormhole dram read" (the
  /// alignment of a transfer). Without a memory it is the one that the layout names, or l1.
  std::optional<Index> bytes(std::string_view key, std::string_view what);
  /// The layout; null when it is undecidable.
  [[nodiscard]] const map::Layout* first();
  /// The reading of the second layout for this tensor; null when it is wrong or undecidable.
  [[nodiscard]] const use::Reading* second(const map::Tensor& of);
  /// The layout and a second one over coordinates of which the same are the same place; nothing, and it is undecidable,
  /// where the places of one are not known.
  struct Compared {
    const map::Layout& first;
    const map::Layout& second;
  };
  [[nodiscard]] std::optional<Compared> compared(const use::Reading& second);
  std::nullopt_t wrong(std::string_view key, const Error& error);

  template <class T>
  const T* keep(T value) {
    const auto pointer = std::make_shared<const T>(std::move(value));
    kept.push_back(pointer);
    return pointer.get();
  }
  /// What was read, kept; null when it could not be.
  template <class T>
  const T* take(std::variant<T, Diagnostic> read) {
    if (auto* made = std::get_if<T>(&read)) return keep(std::move(*made));
    if (!diagnostic) diagnostic = std::get<Diagnostic>(std::move(read));
    return nullptr;
  }
};

/// The shards of the offer's layout, kept; null when the family has none (said to be wrong), or this layout
/// (undecidable).
[[nodiscard]] const use::Shards* shards_of(Offer& offer);

}  // namespace vl::claims
