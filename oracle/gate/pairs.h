// Pairs: which properties of its cases a campaign has seen together. A case asks about a layout with some features
// (encodings/use/feature.h) of a tensor with some shape; most bugs of layout libraries need two of them at once.
//
// Cases are guided to pairs by their number, and not by what came back: numbers come in blocks of 16, three of four
// blocks wish for one pair of the family's features in turn, and go without some others. So a case stays a function of
// (family, operation, seed, number), a peer cannot lead a campaign away from itself by refusing, and shards and threads
// add up. Law: of 4·P blocks, P being the pairs that a family can wish for, three wish for each of them. Example: TIRx
// has 9 such features, 36 pairs; every 768 cases wish for each pair once, in 16 of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "oracle/fuzz/subject.h"
#include "oracle/gate/operations.h"

namespace vl::gate {

/// What the cases of a block wish of their subjects.
[[nodiscard]] use::Wishes wishes_of(const use::Family& family, const Operation& op, std::uint64_t seed,
                                    std::uint64_t number);

/// A set of properties: the features of a subject, and behind them those of its tensor.
using Traits = std::uint32_t;
enum class Shape : unsigned char { Rank0, ManyDims, UnitExtent, PowersOfTwo, Large, Narrow };  // Large: > 64 elements
constexpr std::size_t kTraits = use::kFeatures + static_cast<std::size_t>(Shape::Narrow) + 1;
[[nodiscard]] Traits traits_of(const oracle::Subject& subject);
[[nodiscard]] std::string_view name_of_trait(std::size_t trait);

/// How often each pair of properties, and each one alone, occurred.
class PairCounts {
 public:
  enum class Of : unsigned char { Asked, Answered, Yes, No };  // Answered: judged, and not outside of the contract
  static constexpr std::size_t kOf = 4, kPairs = kTraits * (kTraits + 1) / 2;

  void add(Traits traits, Of of, std::uint64_t by);
  /// Both at once; of the same one it is counted once.
  void add(Traits traits, Of of, Of also, std::uint64_t by);
  void add(const PairCounts& other);
  /// Pairs of two different properties that occurred.
  [[nodiscard]] std::size_t seen(Of of) const;
  /// Those that were asked, and never answered: "far+swizzled". In their order, at most `most`.
  [[nodiscard]] std::vector<std::string> unanswered(std::size_t most) const;
  /// [place, count, …] of those that occurred, by ascending place; read() is the inverse. False: they are none.
  [[nodiscard]] std::vector<std::uint64_t> numbers() const;
  [[nodiscard]] bool read(const std::vector<std::uint64_t>& numbers);

 private:
  [[nodiscard]] std::uint64_t at(Of of, std::size_t pair) const;
  std::vector<std::uint64_t> counts_;  // kOf times kPairs, or none
};

}  // namespace vl::gate
