// Subject: one layout of one tensor, as a campaign makes it, runs it and takes it apart when it fails. It is kept in
// its family's own notation, so that it can be printed, read again by the family's reader, and made smaller.
//
// What a subject is, is decided by its group's number g modulo 4, so that both verdicts have their share by design:
//   0  right by construction      1  broken so that the verdict has to be refuted
//   2  right by construction      3  right, or broken at random
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "encodings/map/layout.h"
#include "encodings/map/tensor.h"
#include "encodings/spyre/spyre.h"
#include "encodings/tirx/tirx.h"
#include "oracle/fuzz/random.h"

namespace vl::oracle {

/// What is in a subject, for the distribution of a campaign and to tell mismatches apart.
enum class Feature : std::uint8_t {
  Constructed,  // by a constructor's rule
  DimMap,       // spyre's older notation
  Tiled,        // some dimension in more than one digit
  Ragged,       // some extent is no multiple of its tiles
  Sparse,       // one element a stick
  Synthetic,    // a device dimension without a host dimension
  Permuted,     // the host's dimensions in another order
  Strided,      // the host's rows further apart than they are long
  Reversed,     // a host stride below 0
  Expanded,     // a host stride, or a stride of the shard, of 0
  Offset,       // a view offset, or an offset of the layout's
  Replicated,
  Swizzled,
  Threads,  // axes besides m
  Boxed,    // declared extents of axes
  Broken,   // on purpose
};
constexpr std::size_t kFeatures = static_cast<std::size_t>(Feature::Broken) + 1;
[[nodiscard]] std::string_view name(Feature feature);

struct Subject {
  std::variant<spyre::SpyreTensorLayout, tirx::Layout> notation;
  map::Tensor tensor;
  std::uint32_t features = 0;

  void set(Feature feature) { features |= std::uint32_t{1} << static_cast<unsigned>(feature); }
  [[nodiscard]] bool has(Feature feature) const { return (features >> static_cast<unsigned>(feature) & 1) != 0; }
};

/// "spyre" or "tirx".
[[nodiscard]] std::string_view family_of(const Subject& subject);
[[nodiscard]] std::string text_of(const Subject& subject);
[[nodiscard]] Result<map::Layout> lower(const Subject& subject);

/// The subject of group `group` of a campaign. Its tensor has at least one element. Requires: one of the two families.
[[nodiscard]] Subject subject_of(std::string_view family, std::uint64_t seed, std::uint64_t group);

/// One group in 16384 has a tensor of more than 2^17 elements: work that is cut for threads, and into blocks for
/// caches.
[[nodiscard]] bool is_large(std::uint64_t group);
constexpr std::uint64_t kLargeOf = 16384, kFirstLarge = 6;  // kFirstLarge + k·kLargeOf

/// How many elements a tensor should have: 1 up to several thousand, about 600 on average; with padding and
/// replicas about 1000 slots.
[[nodiscard]] Index some_size(Random& random, bool large);

/// The two families' generators. `kind`: the group's number modulo 4.
[[nodiscard]] Subject spyre_subject(Random& random, unsigned kind, bool large);
[[nodiscard]] Subject tirx_subject(Random& random, unsigned kind, bool large);
/// The most slots of a device image, and points of a layout.
[[nodiscard]] constexpr Index most_places(bool large) { return large ? Index{1} << 18 : 9000; }

/// A layout of another making for the same logical shape, to move to: every element has a slot of its own.
[[nodiscard]] Subject companion_of(const Subject& subject, Random& random);

}  // namespace vl::oracle
