// Subject: one layout of one tensor, which a campaign makes, runs, and makes smaller if it fails. It is a sample of a
// family (encodings/use/campaign.h); only that family knows its notation.
#pragma once

#include <string>
#include <string_view>

#include "encodings/use/campaign.h"
#include "encodings/use/family.h"

namespace vl::oracle {

using use::Feature;
using use::kFeatures;
using use::mix;
using use::most_places;
using use::name;
using use::Random;
using Subject = use::Sample;

/// The families that have campaigns, in the order of use::families().
[[nodiscard]] std::vector<const use::Family*> campaign_families();
/// The one of that name. Requires: there is one.
[[nodiscard]] const use::Family& campaign_family(std::string_view name);

[[nodiscard]] std::string text_of(const Subject& subject);
[[nodiscard]] Result<map::Layout> lower(const Subject& subject);

/// The subject of group `group` of a campaign. Its tensor has at least one element. Requires: a family with campaigns.
[[nodiscard]] Subject subject_of(std::string_view family, std::uint64_t seed, std::uint64_t group);

/// One group in 16384 has a tensor of more than 2^17 elements: work that is cut for threads, and into blocks for
/// caches.
[[nodiscard]] bool is_large(std::uint64_t group);
constexpr std::uint64_t kLargeOf = 16384, kFirstLarge = 6;  // kFirstLarge + k·kLargeOf

/// Another layout of the same logical shape, for moves: every element has a slot of its own. It belongs to the last
/// family, in that order, that offers one and makes samples of any tensor at once.
[[nodiscard]] Subject companion_of(const Subject& subject, Random& random);

}  // namespace vl::oracle
